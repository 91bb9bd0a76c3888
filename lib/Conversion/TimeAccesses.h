//===- TimeAccesses.h - What is touched step by step ------------*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_LIB_CONVERSION_TIMEACCESSES_H
#define LSTM_LIB_CONVERSION_TIMEACCESSES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::lstm {

/// Whether `view` is one element of the first dimension of its source.
bool isStep(memref::SubViewOp view);

/// Whether `index` is the count of `loop`, or with `reversed` its last minus it.
bool isCountOf(scf::ForOp loop, OpFoldResult index, bool reversed);

/// Whether the first dimension of `view` runs over all of the memory that it is a view of, in
/// order: of n equal parts of it, part i is the same in all such views.
bool spansRoot(Value view);

/// How memory is accessed while a loop counts its T steps: in step t, or in the part of an
/// operation that stands for it, part t of T or part T - 1 - t; or any part at any time.
enum class TimeOrder { Forward, Backward, Any };

/// Accesses by what getMemoryRoot gives.
class TimeAccesses {
public:
  struct Access {
    TimeOrder order;
    bool isWritten;
  };

  /// Adds what happens after all that was added. False if it cannot run as early as the steps
  /// of what was added allow: then its first step needs more of memory than their first.
  bool add(Value root, Access access);
  bool add(const TimeAccesses &later);

  auto begin() const { return accesses.begin(); }
  auto end() const { return accesses.end(); }

private:
  llvm::MapVector<Value, Access> accesses;
};

/// What time loops that run side by side access; none if that is not known.
std::optional<TimeAccesses> getTimeAccesses(ArrayRef<scf::ForOp> loops);

/// The loop of `op` that runs over the first dimension of its results, if the operation may be
/// done for some rows at a time.
std::optional<unsigned> getRowLoop(linalg::LinalgOp op);

/// Whether row i of `operand` serves row i of the results alone.
bool isRowOperand(linalg::LinalgOp op, OpOperand &operand, unsigned rowLoop);

} // namespace mlir::lstm

#endif // LSTM_LIB_CONVERSION_TIMEACCESSES_H
