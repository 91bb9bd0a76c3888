//===- FinalStates.h - What a loop leaves of its states ---------*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_LIB_CONVERSION_FINALSTATES_H
#define LSTM_LIB_CONVERSION_FINALSTATES_H

#include "RecurrentLoop.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::lstm {

/// A copy behind a loop of what the last step leaves of a state that has two slots, to memory that nobody uses before.
/// A kernel writes that itself, in its last step: so a call has an operation less.
struct FinalState {
  /// Numbers of the phase and its output that write the state.
  unsigned phase, output;
  memref::CopyOp copy;
  /// The slot that is copied.
  memref::SubViewOp slot;
};

/// Those of a loop somewhere in `ancestor`, an operation of the block where the copies stand.
SmallVector<FinalState> findFinalStates(const RecurrentLoop &loop, Operation *ancestor);

/// Where a final state goes to, by phase and output.
using FinalPlaces = llvm::SmallDenseMap<std::pair<unsigned, unsigned>, Value>;

/// Leaves copies where there is no step; makes memory early enough for the loop.
FinalPlaces claimFinalStates(RewriterBase &rewriter, const RecurrentLoop &loop, ArrayRef<FinalState> states,
                             Operation *ancestor);

/// Copies at the insertion point, where the loop itself has run; before the last steps, what is not final.
void copyFinalStates(RewriterBase &rewriter, ArrayRef<FinalState> states, const FinalPlaces &places);

} // namespace mlir::lstm

#endif // LSTM_LIB_CONVERSION_FINALSTATES_H
