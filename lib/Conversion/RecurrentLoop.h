//===- RecurrentLoop.h - Loops that one kernel can run ----------*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_LIB_CONVERSION_RECURRENTLOOP_H
#define LSTM_LIB_CONVERSION_RECURRENTLOOP_H

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
};

/// A time loop on memrefs whose body is a chain of phases, such that an element (row, unit)
/// of what the loop writes is read elsewhere than at (row, unit) by projections alone.
struct RecurrentLoop {
  scf::ForOp loop;
  OpFoldResult rows;
  SmallVector<PhaseInLoop> phases;
  SmallVector<Exchange> exchanges;
};

/// Recognizes such a loop. Else `reason` says what is in the way.
FailureOr<RecurrentLoop> matchRecurrentLoop(scf::ForOp loop, std::string &reason);

} // namespace mlir::lstm

#endif // LSTM_LIB_CONVERSION_RECURRENTLOOP_H
