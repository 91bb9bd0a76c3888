//===- PhaseTile.h - The register tile of a phase -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_LIB_CONVERSION_PHASETILE_H
#define LSTM_LIB_CONVERSION_PHASETILE_H

#include "lstm/Dialect/LSTM/IR/LSTM.h"

namespace mlir::lstm {

/// What the generated code is made for.
struct VectorTarget {
  /// The vector registers of the machine that this runs on.
  static VectorTarget getHost();

  /// Width of a vector register.
  int64_t bits;
  /// Rows of a tile; 0: chosen.
  int64_t rows = 0;
};

/// The part of a phase's products that is in registers at once: `rows` rows by
/// `gates` gates by `vectors` vectors of units. A tile of the phase takes all its
/// gates, so many at a time.
struct PhaseTile {
  /// The tile for `phase`; that of its packed weights if it has some.
  static PhaseTile get(PhaseOp phase, const VectorTarget &target);

  int64_t getUnits() const { return vectors * lanes; }

  /// Units of a vector.
  int64_t lanes;
  int64_t rows, gates, vectors;
  /// Accumulators that fit beside what a step of k loads.
  int64_t maxAccumulators;
};

/// The type in which the products of `phase` are summed; of a phase without
/// products the widest floating-point type in its region. At least f32.
FloatType getVectorElementType(PhaseOp phase);

/// The first operation or argument of the region that has no form in vectors, as
/// a location and a reason; none if all have one.
std::optional<std::pair<Location, StringRef>> findNotVectorizable(PhaseOp phase);
std::optional<std::pair<Location, StringRef>> findNotVectorizable(Block &body);

} // namespace mlir::lstm

#endif // LSTM_LIB_CONVERSION_PHASETILE_H
