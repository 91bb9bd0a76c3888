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

/// Of a loop: of all its phases, and of those of each part. None if they do not do so, or not all alike.
struct RaggedParts {
  std::optional<RaggedSteps> all;
  SmallVector<std::optional<RaggedSteps>> parts;
};

/// What is in the way may come later: kernels use what the loop has for itself.
RaggedParts findRaggedParts(const RecurrentLoop &loop);

} // namespace mlir::lstm

#endif // LSTM_LIB_CONVERSION_RAGGEDSTEPS_H
