//===- PlanMemory.h - One allocation for all buffers -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_CONVERSION_PLANMEMORY_H
#define LSTM_CONVERSION_PLANMEMORY_H

#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::lstm {

/// What became of a function's buffers. Bytes count a size that is not known as 1.
struct MemoryPlan {
  int64_t numBuffers = 0, numPlaces = 0;
  int64_t peakBytes = 0, naiveBytes = 0;
  bool isStatic = true;
};

/// Expresses sizes of reshaped buffers by the buffers' own, so that they do not hang on
/// an allocation.
void resolveSizes(RewriterBase &rewriter, FunctionOpInterface function);

/// Puts the buffers that `function` allocates in its entry block, as far as they do not
/// leave it, into one: an allocation of bytes with the attribute `lstm.arena`. Buffers that
/// are not in use at the same time share a place. Expects no deallocation yet.
MemoryPlan planMemory(RewriterBase &rewriter, FunctionOpInterface function);

} // namespace mlir::lstm

#endif // LSTM_CONVERSION_PLANMEMORY_H
