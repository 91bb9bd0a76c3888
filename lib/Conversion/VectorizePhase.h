//===- VectorizePhase.h - The loops of one phase -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_LIB_CONVERSION_VECTORIZEPHASE_H
#define LSTM_LIB_CONVERSION_VECTORIZEPHASE_H

#include "PhaseTile.h"

#include "mlir/IR/PatternMatch.h"

namespace mlir::lstm {

/// Replaces a phase on memrefs, whose body has a vector form, by register-tiled
/// loops. In a `lstm.parallel` each thread gets its share of units, or of rows if
/// there is no product, or many rows for a small W.
void vectorizePhase(RewriterBase &rewriter, PhaseOp phase, const VectorTarget &target);

} // namespace mlir::lstm

#endif // LSTM_LIB_CONVERSION_VECTORIZEPHASE_H
