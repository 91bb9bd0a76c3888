//===- OpAssembly.cpp - Shared pieces of custom assembly -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpAssembly.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::lstm;

std::string lstm::sizeToString(int64_t size) {
  return ShapedType::isDynamic(size) ? "?" : std::to_string(size);
}

ParseResult lstm::parseActivationList(OpAsmParser &parser, ArrayAttr &activations) {
  SmallVector<Attribute> list;
  auto parseOne = [&]() -> ParseResult {
    FailureOr<ActivationAttr> activation = ActivationAttr::parseBare(parser);
    if (failed(activation))
      return failure();
    list.push_back(*activation);
    return success();
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parseOne))
    return failure();
  activations = parser.getBuilder().getArrayAttr(list);
  return success();
}

void lstm::printActivationList(OpAsmPrinter &printer, Operation *, ArrayAttr activations) {
  printer << "[";
  llvm::interleaveComma(activations.getAsRange<ActivationAttr>(), printer,
                        [&](ActivationAttr activation) { activation.printBare(printer); });
  printer << "]";
}

ParseResult lstm::parseActivations(OpAsmParser &parser, ArrayAttr &activations) {
  // A name cannot begin with a bracket, so the list needs no keyword of its own.
  if (succeeded(parser.parseOptionalLSquare())) {
    SmallVector<Attribute> list;
    do {
      FailureOr<ActivationAttr> activation = ActivationAttr::parseBare(parser);
      if (failed(activation))
        return failure();
      list.push_back(*activation);
    } while (succeeded(parser.parseOptionalComma()));
    activations = parser.getBuilder().getArrayAttr(list);
    return parser.parseRSquare();
  }
  FailureOr<ActivationAttr> activation = ActivationAttr::parseBare(parser);
  if (failed(activation))
    return failure();
  activations = parser.getBuilder().getArrayAttr({*activation});
  return success();
}

void lstm::printActivations(OpAsmPrinter &printer, ArrayAttr activations) {
  if (activations.size() == 1)
    return cast<ActivationAttr>(activations[0]).printBare(printer);
  printActivationList(printer, nullptr, activations);
}

ParseResult lstm::parseClip(OpAsmParser &parser, FloatAttr &clip) {
  double value;
  if (parser.parseFloat(value))
    return failure();
  clip = parser.getBuilder().getF64FloatAttr(value);
  return success();
}

void lstm::printClip(OpAsmPrinter &printer, Operation *, FloatAttr clip) {
  printer.printFloat(clip.getValue());
}

ParseResult lstm::parseResetForm(OpAsmParser &parser, BoolAttr &resetAfter) {
  StringRef form;
  SMLoc loc = parser.getCurrentLocation();
  if (failed(parser.parseOptionalKeyword(&form, {"reset_after", "reset_before"})))
    return parser.emitError(loc, "expected 'reset_after' or 'reset_before': the two forms of a GRU "
                                 "give different numbers");
  resetAfter = parser.getBuilder().getBoolAttr(form == "reset_after");
  return success();
}

void lstm::printResetForm(OpAsmPrinter &printer, Operation *, BoolAttr resetAfter) {
  printer << (resetAfter.getValue() ? "reset_after" : "reset_before");
}
