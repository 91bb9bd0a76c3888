//===- KernelPlan.h - How a recurrence is laid out on a GPU -----*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_LIB_CONVERSION_KERNELPLAN_H
#define LSTM_LIB_CONVERSION_KERNELPLAN_H

#include "KernelTarget.h"
#include "ProductFormat.h"
#include "RecurrentLoop.h"

namespace mlir::lstm {

/// How a recurrence is laid out on a GPU. A group of `unitBlocks` blocks shares out the
/// units, each block with its part of the weights; groups share out the rows, in tiles of
/// `rowTiles * 8` that a block does one after the other. Of the warps of a block, `splits`
/// multiply and share out the sums over k, and `mapWarps` map what those have summed, so
/// that one tile is multiplied while the one before is mapped. Blocks of a cluster do `rowTiles` tiles of 8 rows one
/// after the other.
struct KernelPlan {
  int64_t unitBlocks;
  int64_t rowTiles;
  int64_t splits;
  int64_t mapWarps;
  Float32Mode float32;
  /// If it is not 0, as many warps as this share out the products of a block, of each of these `splits` the
  /// sums over k. Without warps that map, the blocks of a group are a cluster, which writes what is projected
  /// into each other's shared memory, and warps map what they have multiplied; else blocks exchange through
  /// memory. Four with warps that map are warp groups: `wgmma` multiplies, and of one more group one warp for each that
  /// multiplies fetches what is projected into shared memory.
  int64_t unitWarps = 0;
  /// If it is 1, tiles are single rows, and multiplied without tensor cores, which take eight: f32 by fused
  /// multiply-adds.
  int64_t singleRows = 0;
  /// If it is 1, each step is a kernel of its own, or, where a step waits for what other blocks give in it, several:
  /// none has blocks that wait for each other. See KernelSteps.cpp.
  int64_t perStep = 0;

  static constexpr int64_t kTileRows = 8;
  /// Warps that `wgmma` takes, and products that these have of a row.
  static constexpr int64_t kGroupWarps = 4, kGroupProducts = 16 * kGroupWarps;
  bool isCluster() const { return unitWarps != 0 && mapWarps == 0; }
  bool hasWarpGroups() const { return unitWarps != 0 && mapWarps != 0; }
  int64_t getUnitWarps() const { return std::max<int64_t>(unitWarps, 1); }
  int64_t getNumThreads() const {
    return getNumProductThreads() + getNumMapThreads() + (hasWarpGroups() ? 32 * kGroupWarps : 0);
  }
  /// Registers of a thread, if one block has all; four warps at a time get theirs.
  int64_t getMaxRegisters() const {
    return std::min<int64_t>(255, llvm::alignDown(65536 / llvm::alignTo(getNumThreads(), 128), 8));
  }
  int64_t getNumProductThreads() const { return 32 * splits * getUnitWarps(); }
  int64_t getNumMapThreads() const { return 32 * mapWarps; }
  int64_t getTileRows() const { return singleRows ? 1 : kTileRows; }
  /// Tiles that are multiplied at once.
  int64_t getTilesAtOnce() const { return isCluster() ? 1 : rowTiles; }
  /// Of what is multiplied at once.
  int64_t getNumRows() const { return getTileRows() * getTilesAtOnce(); }
  /// Rows that a warp of a cluster maps of a tile: two that share out k have the even and the odd ones, or both the
  /// one.
  int64_t getWarpRows() const { return std::max<int64_t>(getNumRows() / splits, 1); }
  /// Units of a block, of a phase that has `units` of them.
  int64_t getBlockUnits(int64_t units) const {
    return llvm::alignTo(llvm::divideCeil(units, unitBlocks), hasWarpGroups() ? 8 : 8 * getUnitWarps());
  }
  bool operator==(const KernelPlan &) const = default;
};

/// What a plan takes of a multiprocessor.
struct KernelSize {
  /// Of a thread, about.
  int64_t registers = 0;
  int64_t sharedBytes = 0;
};

/// How long a step takes without the projection of the inputs, in microseconds, and what
/// most of that is.
struct KernelPrediction {
  double microseconds;
  StringRef bound;
  /// That it is for.
  int64_t rows = 0;
};

/// What a group of `rows` rows takes for a step by a kernel, or by cuBLAS and one kernel a
/// phase.
KernelPrediction predictKernel(const RecurrentLoop &loop, const KernelPlan &plan,
                               const KernelTarget &target, int64_t rows);
KernelPrediction predictLibrary(const RecurrentLoop &loop, Float32Mode float32,
                                const KernelTarget &target, int64_t rows);

/// How long a call of a program took, with recurrences of that many rows.
struct Measurement {
  double microseconds = 0;
  int64_t rows = 0;
};

/// A plan for all numbers of rows up to `maxRows`; without a plan it is better to call
/// libraries.
struct PlannedRows {
  int64_t maxRows;
  std::optional<KernelPlan> plan;
  KernelPrediction prediction;
  /// Of a plan that was chosen because of it.
  std::optional<Measurement> measured = std::nullopt;
};

/// The fastest plans by number of rows, or nearly: neighbours share what is almost as good for both. The last one is
/// for all that are more. For a number of rows that is known there is one.
SmallVector<PlannedRows> planKernels(const RecurrentLoop &loop, Float32Mode float32,
                                     const KernelTarget &target, bool considersLibraries);

/// Plans that may be the fastest for some number of rows: for each of several, the `count` ones
/// that are predicted to be.
SmallVector<KernelPlan> findCandidates(const RecurrentLoop &loop, Float32Mode float32,
                                       const KernelTarget &target, int64_t count);

} // namespace mlir::lstm

#endif // LSTM_LIB_CONVERSION_KERNELPLAN_H
