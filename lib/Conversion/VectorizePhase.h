//===- VectorizePhase.h - The loops of one phase -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_LIB_CONVERSION_VECTORIZEPHASE_H
#define LSTM_LIB_CONVERSION_VECTORIZEPHASE_H

#include "lstm/Dialect/LSTM/IR/LSTM.h"

#include "mlir/IR/PatternMatch.h"

namespace mlir::lstm {

/// What the generated code is made for.
struct VectorTarget {
  /// Width of a vector register.
  int64_t bits;
  /// Rows of a tile; 0: chosen.
  int64_t rows;
  /// Accumulators that fit beside what a step of k loads.
  int64_t getNumAccumulators() const { return bits >= 512 ? 24 : 12; }
};

/// Replaces a phase on memrefs, whose body has a vector form, by register-tiled
/// loops.
void vectorizePhase(RewriterBase &rewriter, PhaseOp phase, const VectorTarget &target);

} // namespace mlir::lstm

#endif // LSTM_LIB_CONVERSION_VECTORIZEPHASE_H
