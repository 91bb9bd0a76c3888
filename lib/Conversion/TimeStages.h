//===- TimeStages.h - Loops that follow each other in time ------*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_LIB_CONVERSION_TIMESTAGES_H
#define LSTM_LIB_CONVERSION_TIMESTAGES_H

#include "MemoryRoots.h"
#include "TimeAccesses.h"

#include "llvm/ADT/SetVector.h"

namespace mlir::lstm {

/// An operation that fills what a time loop reads step by step.
struct Feeder {
  linalg::LinalgOp op;
  unsigned rowLoop;
  TimeOrder order;
};

/// A time loop, or several that `lstm-branch-loops` has put side by side, with their feeders.
struct Stage {
  SmallVector<scf::ForOp, 2> loops;
  /// The only loop, or the region that the loops stand in.
  Operation *work;
  /// In their order.
  SmallVector<Feeder> feeders;
  /// What only feeders and the loops use: it needs to hold one chunk.
  llvm::SmallSetVector<memref::AllocOp, 4> buffers;
  TimeAccesses accesses;

  /// Whether a view is one of its buffers.
  bool owns(Value view) const {
    Value root = getMemoryRoot(view);
    return root && buffers.contains(root.getDefiningOp<memref::AllocOp>());
  }
  Value getSteps() { return loops.front().getUpperBound(); }
  bool isInLoops(Operation *op) const {
    return llvm::any_of(loops, [&](scf::ForOp loop) { return loop->isAncestor(op); });
  }
  bool isRegion() const { return isa<scf::ExecuteRegionOp>(work); }
  Operation *getFirst() { return feeders.empty() ? work : feeders.front().op; }
  bool contains(Operation *op) const {
    return op == work || llvm::any_of(feeders, [&](const Feeder &feeder) { return feeder.op == op; });
  }
};

/// `size` / `steps` where `size` is seen to be a multiple.
std::optional<OpFoldResult> divide(OpFoldResult size, Value steps);

/// How many rows of `op` belong to a step; none if it cannot be done for the rows of some steps.
std::optional<OpFoldResult> getRowsOfStep(linalg::LinalgOp op, Value steps);

/// Time loops that are `work`, or stand side by side in it: from 0 to the same number of steps.
SmallVector<scf::ForOp, 2> getTimeLoops(Operation *work);

/// Time loops with what feeds them; none if the two cannot be done a chunk at a time.
std::optional<Stage> getStage(Operation *work);

/// Stages that can run in waves: chunk k of a stage needs no more of the stages before it than
/// their chunks 0 to k.
struct Chain {
  SmallVector<Stage> stages;
  TimeAccesses accesses;
  /// Operations between the stages that have to come after them.
  SmallVector<Operation *> later;

  /// Adds a stage if the chain stays one; else says why not.
  StringRef add(Stage stage);

private:
  bool sortOperations();
};

} // namespace mlir::lstm

#endif // LSTM_LIB_CONVERSION_TIMESTAGES_H
