//===- LSTMToLinalg.h - Gates and phases to linalg -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_CONVERSION_LSTMTOLINALG_H
#define LSTM_CONVERSION_LSTMTOLINALG_H

#include "lstm/Dialect/LSTM/IR/LSTM.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::lstm {

/// Replaces a gate by contractions and elementwise operations on tensors, and
/// returns what stands for its result.
FailureOr<Value> convertGateToLinalg(RewriterBase &rewriter, GateOp op);

/// Replaces a phase, on tensors or on memrefs, by its decomposition.
LogicalResult convertPhaseToLinalg(RewriterBase &rewriter, PhaseOp op);

void populateConvertGatesToLinalgPatterns(RewritePatternSet &patterns);
void populateConvertPhasesToLinalgPatterns(RewritePatternSet &patterns);

} // namespace mlir::lstm

#endif // LSTM_CONVERSION_LSTMTOLINALG_H
