//===- CheckMessage.h - What a failed check says -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_LIB_CONVERSION_CHECKMESSAGE_H
#define LSTM_LIB_CONVERSION_CHECKMESSAGE_H

#include "lstm/Dialect/LSTM/IR/LSTM.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace mlir::lstm {

/// The values that a message can name.
constexpr unsigned kNumCheckValues = 3;

/// The global with the text "file:line:col: error: message", ended by a zero. Checks with
/// one text share it.
LLVM::GlobalOp getCheckMessage(CheckOp op);

/// The values of a check as i64, zeros behind them.
SmallVector<Value> getCheckValues(OpBuilder &b, CheckOp op);

} // namespace mlir::lstm

#endif // LSTM_LIB_CONVERSION_CHECKMESSAGE_H
