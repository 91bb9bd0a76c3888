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

/// A time loop with its feeders.
struct Stage {
  scf::ForOp loop;
  /// In their order.
  SmallVector<Feeder> feeders;
  /// What only feeders and the loop use: it needs to hold one chunk.
  llvm::SmallSetVector<memref::AllocOp, 4> buffers;
  TimeAccesses accesses;

  /// Whether a view is one of its buffers.
  bool owns(Value view) const {
    Value root = getMemoryRoot(view);
    return root && buffers.contains(root.getDefiningOp<memref::AllocOp>());
  }
  Operation *getFirst() { return feeders.empty() ? loop : feeders.front().op; }
  bool contains(Operation *op) const {
    return op == loop || llvm::any_of(feeders, [&](const Feeder &feeder) { return feeder.op == op; });
  }
};

/// `size` / `steps` where `size` is seen to be a multiple.
std::optional<OpFoldResult> divide(OpFoldResult size, Value steps);

/// How many rows of `op` belong to a step; none if it cannot be done for the rows of some steps.
std::optional<OpFoldResult> getRowsOfStep(linalg::LinalgOp op, Value steps);

/// The loop with what feeds it; none if the two cannot be done a chunk at a time.
std::optional<Stage> getStage(scf::ForOp loop);

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
