//===- KernelLayout.h - Sizes and places of a plan --------------*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_LIB_CONVERSION_KERNELLAYOUT_H
#define LSTM_LIB_CONVERSION_KERNELLAYOUT_H

#include "KernelPlan.h"

namespace mlir::lstm {

/// What a warp multiplies at once: a group of k of one operand with all its weights.
struct Slot {
  unsigned projection;
  /// Which of the warp's groups of the operand.
  int64_t number;
  /// In shared memory: where; else in registers.
  std::optional<int64_t> place;
};

struct PhaseLayout {
  int64_t units, blockUnits, gates;
  /// Tiles of 16 products (unit, gate), the gates of a unit side by side.
  int64_t productTiles;
  /// Fragments that a lane asks for at once.
  int64_t inFlight;
  SmallVector<Slot> slots;
  int64_t getNumItems(const KernelPlan &plan) const { return blockUnits * plan.getNumRows(); }
  /// Floats between rows of partial sums; 4 of 8 more, so that a quad's rows lie in
  /// different banks.
  int64_t getRowStride() const { return 16 * productTiles + 4; }
};

/// Where an exchange lies: rows of words.
struct ExchangeLayout {
  ProductFormat format;
  /// Units with padding, a multiple of a block's; words of a row and plane.
  int64_t units, rowWords;
  /// Words of a row and step of the exchanges before this one.
  int64_t before;
};

struct KernelLayout {
  KernelLayout(const RecurrentLoop &loop, const KernelPlan &plan);

  SmallVector<PhaseLayout> phases;
  SmallVector<ExchangeLayout> exchanges;
  int64_t exchangeWords = 0;
  /// Of one buffer of partial sums.
  int64_t sumBytes = 0;
  KernelSize size;

  /// Of a longer sequence there are several launches, so that what is exchanged takes as much
  /// memory as that of so many steps. Each loads the weights anew.
  static constexpr int64_t kLaunchSteps = 256;
  /// Addresses, loop variables.
  static constexpr int64_t kOtherRegisters = 28;
};

/// What tensor cores multiply for a projection.
ProductFormat getFormat(const Projection &projection, const KernelPlan &plan);

/// Whether the kernel of a layout fits into a multiprocessor.
bool fits(const KernelLayout &layout, const KernelPlan &plan, const KernelTarget &target);

} // namespace mlir::lstm

#endif // LSTM_LIB_CONVERSION_KERNELLAYOUT_H
