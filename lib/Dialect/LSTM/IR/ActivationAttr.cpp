//===- ActivationAttr.cpp - Activation functions -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/Dialect/LSTM/IR/LSTM.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::lstm;

#define GET_ATTRDEF_CLASSES
#include "lstm/Dialect/LSTM/IR/LSTMAttrs.cpp.inc"

void LSTMDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "lstm/Dialect/LSTM/IR/LSTMAttrs.cpp.inc"
      >();
}

unsigned ActivationAttr::getNumParameters(ActivationKind kind) {
  switch (kind) {
  case ActivationKind::HardSigmoid:
  case ActivationKind::Affine:
  case ActivationKind::ScaledTanh:
    return 2;
  case ActivationKind::LeakyRelu:
  case ActivationKind::Elu:
  case ActivationKind::ThresholdedRelu:
    return 1;
  default:
    return 0;
  }
}

double ActivationAttr::getDefaultAlpha(ActivationKind kind) {
  switch (kind) {
  case ActivationKind::HardSigmoid:
    return 0.2;
  case ActivationKind::LeakyRelu:
    return 0.01;
  case ActivationKind::Elu:
  case ActivationKind::Affine:
  case ActivationKind::ThresholdedRelu:
  case ActivationKind::ScaledTanh:
    return 1.0;
  default:
    return 0.0;
  }
}

double ActivationAttr::getDefaultBeta(ActivationKind kind) {
  switch (kind) {
  case ActivationKind::HardSigmoid:
    return 0.5;
  case ActivationKind::ScaledTanh:
    return 1.0;
  default:
    return 0.0;
  }
}

ActivationAttr ActivationAttr::get(MLIRContext *context, ActivationKind kind) {
  return get(context, kind, getDefaultAlpha(kind), getDefaultBeta(kind));
}

ActivationAttr ActivationAttr::get(MLIRContext *context, ActivationKind kind, double alpha,
                                   double beta) {
  return Base::get(context, kind, APFloat(alpha), APFloat(beta));
}

FailureOr<ActivationAttr> ActivationAttr::parseBare(AsmParser &parser) {
  StringRef name;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&name))
    return failure();
  std::optional<ActivationKind> kind = symbolizeActivationKind(name);
  if (!kind) {
    parser.emitError(loc, "unknown activation '") << name << "'";
    return failure();
  }
  SmallVector<double, 2> values;
  if (succeeded(parser.parseOptionalLParen())) {
    if (parser.parseCommaSeparatedList(
            [&]() -> ParseResult { return parser.parseFloat(values.emplace_back()); }) ||
        parser.parseRParen())
      return failure();
    if (values.size() > getNumParameters(*kind)) {
      parser.emitError(loc, "activation '")
          << name << "' takes at most " << getNumParameters(*kind) << " parameters, but got "
          << values.size();
      return failure();
    }
  }
  return get(parser.getContext(), *kind, values.empty() ? getDefaultAlpha(*kind) : values[0],
             values.size() < 2 ? getDefaultBeta(*kind) : values[1]);
}

void ActivationAttr::printBare(AsmPrinter &printer) const {
  ActivationKind kind = getKind();
  printer << stringifyActivationKind(kind);
  auto differs = [](const APFloat &value, double other) {
    return !value.bitwiseIsEqual(APFloat(other));
  };
  bool beta = getNumParameters(kind) > 1 && differs(getBeta(), getDefaultBeta(kind));
  bool alpha = beta || (getNumParameters(kind) > 0 && differs(getAlpha(), getDefaultAlpha(kind)));
  if (!alpha)
    return;
  printer << "(";
  printer.printFloat(getAlpha());
  if (beta) {
    printer << ", ";
    printer.printFloat(getBeta());
  }
  printer << ")";
}

Attribute ActivationAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FailureOr<ActivationAttr> activation = parseBare(parser);
  if (failed(activation) || parser.parseGreater())
    return {};
  return *activation;
}

void ActivationAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printBare(printer);
  printer << ">";
}
