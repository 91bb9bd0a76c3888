//===- RecurrentLoop.h - Loops that one kernel can run ----------*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_LIB_CONVERSION_RECURRENTLOOP_H
#define LSTM_LIB_CONVERSION_RECURRENTLOOP_H

#include "RowValue.h"

#include "lstm/Dialect/LSTM/IR/LSTM.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::lstm {

/// What a phase writes and a phase projects: every block of a kernel needs all of it.
struct Exchange {
  /// Numbers of the phase that writes it and of its output.
  unsigned producer, output;
  /// What is projected in the first step, where a phase projects it before it is written
  /// in a step; null if there is none.
  Value initial;
};

/// A pair of `lstm.phase`: `operand` [rows, k], `weight` [k, gates, units].
struct Projection {
  Value operand, weight;
  /// Number of the exchange that carries the operand; none if the loop does not write it.
  std::optional<unsigned> exchange;
  /// Whether the operand is what the step before has written.
  bool isOfPreviousStep = false;
};

struct PhaseInLoop {
  PhaseOp op;
  int64_t units;
  SmallVector<Projection> projections;
  /// The number of the row value that an input is; none: another input.
  SmallVector<std::optional<unsigned>> rowInputs;
  /// Which of the loop's parts it is of.
  unsigned part = 0;
};

/// What is mapped and folded at once, from products and row values of the stages before: one phase,
/// or none, and then folds over elements of as many units.
struct MapStage {
  /// Number of the phase, or of another one with as many units.
  unsigned phase;
  bool hasPhase;
  /// Numbers of row values.
  SmallVector<unsigned> folds;
};

/// A time loop on memrefs whose body is a chain of phases and of operations that make row values,
/// such that an element (row, unit) of what the loop writes is read elsewhere than at (row, unit)
/// by projections and reductions alone.
struct RecurrentLoop {
  scf::ForOp loop;
  /// What the number of steps does not exceed.
  Value maxSteps;
  OpFoldResult rows;
  SmallVector<PhaseInLoop> phases;
  SmallVector<Exchange> exchanges;
  SmallVector<RowValue> rowValues;
  SmallVector<MapStage> stages;
  /// Parts that need nothing of each other but what is exchanged, and that only in one direction: both directions of a
  /// layer, or layers, each of which projects what the one before gives. Blocks of their own can do them.
  unsigned numParts = 1;
  /// Whether a part projects what another one gives.
  bool hasLinkedParts = false;

  /// Numbers of stages, in runs of which none waits for what other rows or units give in the others.
  SmallVector<SmallVector<unsigned>> getSegments() const;

  /// Row values that a stage has to know.
  SmallVector<unsigned> getRowValuesOf(const MapStage &stage) const;
  /// The folds that row values are made of and that are exchanged, in the order in which they are made.
  SmallVector<unsigned> getFolds(ArrayRef<unsigned> rowValues) const;
};

/// Where the loop writes what a phase reads in the same place (row, unit).
struct Source {
  unsigned producer, output;
  bool isOfPreviousStep;
};
/// Of `view`, which phase `number` reads or writes; none if the loop does not write it, or several
/// operations do.
std::optional<Source> getSource(const RecurrentLoop &loop, unsigned number, Value view);
/// Where an earlier phase of the step writes one gate's part of `view`.
std::optional<Source> getGateSource(const RecurrentLoop &loop, unsigned number, Value view, int64_t gate);
/// Whether the loop writes to the memory of `view`.
bool isWritten(const RecurrentLoop &loop, Value view);

/// Whether a view is that of a state's two slots which is current so many `steps` after step `count`.
bool isSlotAfter(Value view, Value count, int64_t steps);

/// Whether a view that the loop writes lies in the same place in each step, or in one of two.
bool isState(const RecurrentLoop &loop, Value view);

/// Whether an input is another one in each step, of words that the loop does not write.
bool isSequence(const RecurrentLoop &loop, Value input);

/// Where a view has rows, units and, if it is one gate's part, which; the same for two views if
/// their elements (row, unit) lie side by side.
struct ElementPlace {
  Value base;
  int64_t rowDim, unitDim;
  /// -1: all gates, or there is no such axis.
  int64_t gate = -1;
  /// Where it lies along what comes before rows, as the slots of a state.
  SmallVector<OpFoldResult> before = {};
  bool hasElementsOf(const ElementPlace &other) const {
    return base == other.base && rowDim == other.rowDim && unitDim == other.unitDim;
  }
  /// Whether it is that gate's part of the other one.
  bool isGateOf(const ElementPlace &all, int64_t number) const {
    return hasElementsOf(all) && before == all.before && gate == number;
  }
};

/// The place of a view whose first dimension are rows and whose last are units; none if its first row
/// and unit are not those of its memory.
std::optional<ElementPlace> getElementPlace(Value view);

/// Recognizes such a loop. Else `reason` says what is in the way. A `twin` is another form of the
/// loop, of which one will stay.
FailureOr<RecurrentLoop> matchRecurrentLoop(scf::ForOp loop, std::string &reason, scf::ForOp twin = {});

/// Whether blocks may overwrite a slot of an exchange with the next but one: what is projected of the
/// step before is projected before it is written again. So may they of partial folds, if something is projected in a
/// step before they are made: of that all have received what others gave behind those of the step before.
bool isForCluster(const RecurrentLoop &loop);
/// Whether all that is projected is f32, and no rows are reduced.
bool isForSingleRows(const RecurrentLoop &loop);
/// The same as for a cluster, for warp groups, and whether all that is projected is exchanged.
bool isForWarpGroups(const RecurrentLoop &loop);

} // namespace mlir::lstm

#endif // LSTM_LIB_CONVERSION_RECURRENTLOOP_H
