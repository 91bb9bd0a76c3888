//===- Signature.cpp - What a function takes and gives -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/Target/Signature.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::lstm;

static constexpr StringRef nameAttr = "lstm.name";

/// The name that an argument has in the source: "x" of `%x`. Empty for `%0`,
/// and where the argument does not come from this text.
static StringRef getNameInSource(BlockArgument argument, llvm::SourceMgr &source) {
  auto location = dyn_cast<FileLineColLoc>(argument.getLoc());
  unsigned buffer = source.getMainFileID();
  StringRef text = source.getMemoryBuffer(buffer)->getBuffer();
  if (!location ||
      location.getFilename().getValue() != source.getMemoryBuffer(buffer)->getBufferIdentifier())
    return {};
  llvm::SMLoc start =
      source.FindLocForLineAndColumn(buffer, location.getLine(), location.getColumn());
  if (!start.isValid())
    return {};
  StringRef name(start.getPointer(), text.end() - start.getPointer());
  if (!name.consume_front("%"))
    return {};
  name = name.take_while([](char c) { return llvm::isAlnum(c) || StringRef("$._-").contains(c); });
  return llvm::all_of(name, llvm::isDigit) ? StringRef() : name;
}

static FailureOr<Port> getPort(func::FuncOp function, StringRef what, unsigned position, Type type,
                               Attribute name, StringRef fallback) {
  Port port;
  port.type = type;
  auto text = dyn_cast_if_present<StringAttr>(name);
  if (name && (!text || text.empty()))
    return function.emitOpError() << "expects '" << nameAttr << "' of " << what << " #" << position
                                  << " to be a name, but got " << name;
  port.name = text ? text.str() : fallback.str();
  auto tensor = dyn_cast<RankedTensorType>(type);
  std::optional<ElementKind> kind = getElementKind(tensor ? tensor.getElementType() : type);
  if (!kind || (tensor && tensor.getEncoding()))
    return function.emitOpError() << "has " << what << " #" << position << " ('" << port.name
                                  << "') of type " << type
                                  << "; only ranked tensors and scalars of f64, f32, f16, bf16, "
                                     "i64, i32, i1 and index can be passed";
  port.kind = *kind;
  return port;
}

static LogicalResult checkNames(func::FuncOp function, StringRef what, ArrayRef<Port> ports) {
  llvm::StringSet<> seen;
  for (const Port &port : ports)
    if (!seen.insert(port.name).second)
      return function.emitOpError() << "has two " << what << "s named '" << port.name
                                    << "'; the attribute '" << nameAttr << "' gives other names";
  return success();
}

FailureOr<Signature> lstm::getSignature(func::FuncOp function, llvm::SourceMgr &source) {
  Signature signature;
  signature.name = function.getSymName().str();
  for (auto [i, argument] : llvm::enumerate(function.getArguments())) {
    std::string fallback = getNameInSource(argument, source).str();
    if (fallback.empty())
      fallback = "arg" + std::to_string(i);
    FailureOr<Port> port = getPort(function, "argument", i, argument.getType(),
                                   function.getArgAttr(i, nameAttr), fallback);
    if (failed(port))
      return failure();
    signature.arguments.push_back(std::move(*port));
  }
  for (auto [i, type] : llvm::enumerate(function.getResultTypes())) {
    FailureOr<Port> port = getPort(function, "result", i, type, function.getResultAttr(i, nameAttr),
                                   "result" + std::to_string(i));
    if (failed(port))
      return failure();
    signature.results.push_back(std::move(*port));
  }
  if (failed(checkNames(function, "argument", signature.arguments)) ||
      failed(checkNames(function, "result", signature.results)))
    return failure();
  return signature;
}

void lstm::printSignature(const Signature &signature, raw_ostream &os) {
  for (const Port &port : signature.arguments)
    os << "argument " << port.name << ": " << port.type << '\n';
  for (const Port &port : signature.results)
    os << "result " << port.name << ": " << port.type << '\n';
}
