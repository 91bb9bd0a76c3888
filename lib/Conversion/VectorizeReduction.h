//===- VectorizeReduction.h - Reductions of rows on vectors -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_LIB_CONVERSION_VECTORIZEREDUCTION_H
#define LSTM_LIB_CONVERSION_VECTORIZEREDUCTION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::lstm {

/// Replaces `op` on memrefs, which reduces its innermost loops to sums, products, minima or
/// maxima of contiguous elements, by loops that keep many partial results in vectors.
/// Returns the outermost of them; null, with nothing changed, if `op` is something else.
scf::ForOp vectorizeReduction(RewriterBase &rewriter, linalg::LinalgOp op);

} // namespace mlir::lstm

#endif // LSTM_LIB_CONVERSION_VECTORIZEREDUCTION_H
