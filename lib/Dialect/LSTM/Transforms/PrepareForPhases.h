//===- PrepareForPhases.h - Makes a body ready for phases -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_LIB_DIALECT_LSTM_TRANSFORMS_PREPAREFORPHASES_H
#define LSTM_LIB_DIALECT_LSTM_TRANSFORMS_PREPAREFORPHASES_H

#include "lstm/Dialect/LSTM/Transforms/Transforms.h"

namespace mlir::lstm {

/// Whether `op` is a gate with products.
inline bool isProduct(Operation *op) {
  auto gate = dyn_cast<GateOp>(op);
  return gate && !gate.getDotLhs().empty();
}

/// A gate [B, G, H] with one activation as a gate [B, G * H] and a view of it.
/// Fails if its terms have no such form.
FailureOr<Value> widenGate(RewriterBase &rewriter, GateOp gate);

/// A tensor of the type and sizes of `like` [B, G, H] with the contents of
/// `gates`, G tensors [B, H].
Value stackGates(OpBuilder &builder, Value like, ValueRange gates);

/// Takes sizes from outside the loop where they are known there, turns named
/// elementwise operations into `linalg.generic`, and sees to it that a value
/// [B, G, H] that must be in memory is not made by scalar work.
void prepareForPhases(RewriterBase &rewriter, RecurrenceOp op);

} // namespace mlir::lstm

#endif // LSTM_LIB_DIALECT_LSTM_TRANSFORMS_PREPAREFORPHASES_H
