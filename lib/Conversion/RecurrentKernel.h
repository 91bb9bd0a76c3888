//===- RecurrentKernel.h - A recurrence in one kernel -----------*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_LIB_CONVERSION_RECURRENTKERNEL_H
#define LSTM_LIB_CONVERSION_RECURRENTKERNEL_H

#include "ProductFormat.h"
#include "RecurrentLoop.h"

namespace mlir::lstm {

/// How a recurrence is laid out on a GPU. A group of `unitBlocks` blocks shares out the
/// units, each block with its part of the weights; groups share out the rows, in tiles of
/// `rowTiles * 8` that a block does one after the other. Of the warps of a block, `splits`
/// multiply and share out the sums over k, and `mapWarps` map what those have summed, so
/// that one tile is multiplied while the one before is mapped.
struct KernelPlan {
  int64_t unitBlocks;
  int64_t rowTiles;
  int64_t splits;
  int64_t mapWarps = 4;
  ProductFormat::Float32 float32 = ProductFormat::Float32::TF32x3;

  static constexpr int64_t kTileRows = 8;
  int64_t getNumThreads() const { return 32 * (splits + mapWarps); }
  /// Registers of a thread, if one block has all.
  int64_t getMaxRegisters() const {
    return std::min<int64_t>(255, llvm::alignDown(65536 / getNumThreads(), 8));
  }
  int64_t getNumProductThreads() const { return 32 * splits; }
  int64_t getNumMapThreads() const { return 32 * mapWarps; }
  int64_t getNumRows() const { return kTileRows * rowTiles; }
  /// Units of a block, of a phase that has `units` of them.
  int64_t getBlockUnits(int64_t units) const {
    return llvm::alignTo(llvm::divideCeil(units, unitBlocks), 8);
  }
};

/// What a plan takes of a multiprocessor.
struct KernelSize {
  /// Of a thread, about.
  int64_t registers = 0;
  int64_t sharedBytes = 0;
};

/// What the kernel of a plan takes; nothing if it does not fit.
std::optional<KernelSize> getKernelSize(const RecurrentLoop &loop, const KernelPlan &plan);

/// Words of 32 bits, a row and a step and one more, that blocks exchange.
int64_t getExchangeWords(const RecurrentLoop &loop, const KernelPlan &plan);

/// Launches a kernel that does what the loop, which stays, does. `siblings` kernels share the
/// device. `exchangeMemory` are `getExchangeWords` * rows * (steps + 1) words.
void emitRecurrentKernel(RewriterBase &rewriter, const RecurrentLoop &loop, const KernelPlan &plan,
                         int64_t siblings, Value exchangeMemory);

/// Buffer deallocation wants to know the effects of barriers, which upstream does not say.
void registerSynchronizationEffects(DialectRegistry &registry);

} // namespace mlir::lstm

#endif // LSTM_LIB_CONVERSION_RECURRENTKERNEL_H
