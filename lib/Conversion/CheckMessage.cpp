//===- CheckMessage.cpp - What a failed check says -------------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckMessage.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace mlir::lstm;

static std::string formatMessage(CheckOp op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto at = op.getLoc()->findInstanceOf<FileLineColLoc>())
    os << at.getFilename().strref() << ':' << at.getLine() << ':' << at.getColumn();
  else
    os << "<unknown>:0:0";
  os << ": error: " << op.getMessage() << '\0';
  return text;
}

LLVM::GlobalOp lstm::getCheckMessage(CheckOp op) {
  constexpr StringLiteral name = "lstm_check_message";
  auto module = op->getParentOfType<ModuleOp>();
  OpBuilder b(op.getContext());
  StringAttr text = b.getStringAttr(formatMessage(op));
  for (auto global : module.getOps<LLVM::GlobalOp>())
    if (global.getSymName().starts_with(name) && global.getValueOrNull() == text)
      return global;
  SymbolTable symbols(module);
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), text.size());
  auto global = LLVM::GlobalOp::create(b, op.getLoc(), type, /*isConstant=*/true,
                                       LLVM::Linkage::Internal, name, text);
  symbols.insert(global, module.getBody()->begin());
  return global;
}

SmallVector<Value> lstm::getCheckValues(OpBuilder &b, CheckOp op) {
  SmallVector<Value> values;
  for (Value value : op.getValues())
    values.push_back(arith::IndexCastOp::create(b, op.getLoc(), b.getI64Type(), value));
  while (values.size() < kNumCheckValues)
    values.push_back(arith::ConstantIntOp::create(b, op.getLoc(), 0, 64));
  return values;
}
