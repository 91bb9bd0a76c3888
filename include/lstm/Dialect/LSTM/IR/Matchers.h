//===- Matchers.h - Small questions about values -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_DIALECT_LSTM_IR_MATCHERS_H
#define LSTM_DIALECT_LSTM_IR_MATCHERS_H

#include "mlir/IR/Value.h"

namespace mlir::lstm {

/// Whether a tensor is known to hold zeros only: a constant, a `tensor.splat` or
/// `linalg.fill` of zero, or a view of one.
bool isZeroTensor(Value value);

} // namespace mlir::lstm

#endif // LSTM_DIALECT_LSTM_IR_MATCHERS_H
