//===- RaggedSteps.h - Steps in which no row lives --------------*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_LIB_CONVERSION_RAGGEDSTEPS_H
#define LSTM_LIB_CONVERSION_RAGGEDSTEPS_H

#include "RecurrentLoop.h"

namespace mlir::lstm {

/// What a phase gives for a row that has ended: a constant, or the element of an input, where the state was. Neither
/// where nothing is to be written: what is there stays, or is read in the same step alone.
struct EndedResult {
  TypedAttr constant;
  Value state;
};

/// Phases that mask each row by its length: in steps in which no row of some lives, these have nothing to multiply.
struct RaggedSteps {
  /// [rows] of i32: row r lives in step t < lengths[r].
  Value lengths;
  /// Whether t counts up as the loop does, or down from the last step.
  bool isForward;
  /// By phase, of those that were asked for, and output.
  llvm::SmallDenseMap<std::pair<unsigned, unsigned>, EndedResult> results;
};

/// Of some phases of a loop; none if they do not do so, or not all alike.
std::optional<RaggedSteps> findRaggedSteps(const RecurrentLoop &loop, ArrayRef<unsigned> phases);

} // namespace mlir::lstm

#endif // LSTM_LIB_CONVERSION_RAGGEDSTEPS_H
