//===- LSTMTransformOps.h - transform.lstm operations -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_DIALECT_LSTM_TRANSFORMOPS_LSTMTRANSFORMOPS_H
#define LSTM_DIALECT_LSTM_TRANSFORMOPS_LSTMTRANSFORMOPS_H

#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.h"

#define GET_OP_CLASSES
#include "lstm/Dialect/LSTM/TransformOps/LSTMTransformOps.h.inc"

namespace mlir::lstm {
/// Adds the `transform.lstm.*` operations to the transform dialect.
void registerTransformDialectExtension(DialectRegistry &registry);
} // namespace mlir::lstm

#endif // LSTM_DIALECT_LSTM_TRANSFORMOPS_LSTMTRANSFORMOPS_H
