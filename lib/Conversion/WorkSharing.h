//===- WorkSharing.h - How a team shares out a phase -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads of a team get units of a phase with products, or rows: what decides is
// known when the program runs. Who makes the loops and who places barriers ask here.
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_LIB_CONVERSION_WORKSHARING_H
#define LSTM_LIB_CONVERSION_WORKSHARING_H

#include "lstm/Dialect/LSTM/IR/LSTM.h"

#include "mlir/IR/Builders.h"

namespace mlir::lstm {

/// The part of 0...size that this thread of `parallel` does, the same for all that have
/// `size`.
std::pair<Value, Value> buildShare(OpBuilder &b, Location loc, ParallelOp parallel, Value size);

/// Whether threads may get rows of `phase`, which has products, if there are enough.
bool mayShareRows(PhaseOp phase);

/// Whether, as an i1, there are too few of `rows` rows.
Value buildSharesUnits(OpBuilder &b, Location loc, ParallelOp parallel, Value rows);

/// A phase that one thread does alone if there are `numOwners` of them, one for each of as many
/// groups of phases that have nothing to do with each other.
struct Owner {
  int64_t thread, numOwners;
};

std::optional<Owner> getOwner(PhaseOp phase);
void setOwner(PhaseOp phase, Owner owner);

/// Whether the team has `numOwners` threads.
Value buildIsOwned(OpBuilder &b, Location loc, ParallelOp parallel, int64_t numOwners);

} // namespace mlir::lstm

#endif // LSTM_LIB_CONVERSION_WORKSHARING_H
