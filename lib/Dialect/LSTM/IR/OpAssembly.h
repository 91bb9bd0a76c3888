//===- OpAssembly.h - Shared pieces of custom assembly -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_LIB_DIALECT_LSTM_IR_OPASSEMBLY_H
#define LSTM_LIB_DIALECT_LSTM_IR_OPASSEMBLY_H

#include "lstm/Dialect/LSTM/IR/LSTM.h"

namespace mlir::lstm {

/// Whether two sizes may be equal at run time.
inline bool areCompatible(int64_t a, int64_t b) {
  return ShapedType::isDynamic(a) || ShapedType::isDynamic(b) || a == b;
}

/// `?` or the number, for messages.
std::string sizeToString(int64_t size);

/// `[act, act, …]`.
ParseResult parseActivationList(OpAsmParser &parser, ArrayAttr &activations);
void printActivationList(OpAsmPrinter &printer, Operation *op, ArrayAttr activations);

/// `act`, or a list of them in brackets.
ParseResult parseActivations(OpAsmParser &parser, ArrayAttr &activations);
void printActivations(OpAsmPrinter &printer, ArrayAttr activations);

/// A number without a type.
ParseResult parseClip(OpAsmParser &parser, FloatAttr &clip);
void printClip(OpAsmPrinter &printer, Operation *op, FloatAttr clip);

/// `reset_after` or `reset_before`.
ParseResult parseResetForm(OpAsmParser &parser, BoolAttr &resetAfter);
void printResetForm(OpAsmPrinter &printer, Operation *op, BoolAttr resetAfter);

} // namespace mlir::lstm

#endif // LSTM_LIB_DIALECT_LSTM_IR_OPASSEMBLY_H
