//===- PackWeights.h - Weights in the order in which tiles read them -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_CONVERSION_PACKWEIGHTS_H
#define LSTM_CONVERSION_PACKWEIGHTS_H

#include "lstm/Dialect/LSTM/IR/LSTM.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::linalg {
class PackOp;
} // namespace mlir::linalg

namespace mlir::lstm {

/// Packs the weights of `phase`, on tensors, for vector registers of `vectorBits`
/// bits (0: those of this machine), outside of the loops around it. Fails if a
/// weight is made in one of the loops, or if the phase has no vector form.
LogicalResult packWeights(RewriterBase &rewriter, PhaseOp phase, int64_t vectorBits = 0);

/// Does it for all phases in `root` for which it can. Returns how many they are.
int64_t packWeights(RewriterBase &rewriter, Operation *root, int64_t vectorBits = 0);

/// A packing of weights as `packWeights` makes it to loops over vectors. Fails for
/// any other.
LogicalResult lowerPack(RewriterBase &rewriter, linalg::PackOp pack);

} // namespace mlir::lstm

#endif // LSTM_CONVERSION_PACKWEIGHTS_H
