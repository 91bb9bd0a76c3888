//===- KernelTarget.h - What a GPU has for kernels --------------*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_LIB_CONVERSION_KERNELTARGET_H
#define LSTM_LIB_CONVERSION_KERNELTARGET_H

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace mlir::lstm {

/// What a GPU has, and how long it takes: of an H100 where nothing else is said.
struct KernelTarget {
  std::string chip = "sm_90";
  int64_t multiprocessors = 132;
  /// Of shared memory that a block may have; of a multiprocessor's 32-bit registers.
  int64_t sharedBytes = 227 * 1024;
  int64_t registers = 65536;
  /// Most blocks of a cluster; 0 where there are none.
  int64_t clusterBlocks = 16;
  /// Whether its code may use `wgmma`, which is for one generation alone.
  bool hasWarpGroups = false;
  /// Of second-level cache.
  int64_t cacheBytes = 50'000'000;
  /// GB/s that a product of few rows reads its weights at, from the cache and from memory.
  int64_t cacheRate = 4000, memoryRate = 2500;
  /// TFLOP/s that the products of a step reach, without tensor cores for f32.
  int64_t float16Rate = 300, tf32Rate = 150, float32Rate = 40;
  /// Nanoseconds of a kernel in a graph, and of the way of a value from a block to another
  /// one through the cache.
  int64_t launchLatency = 1700, handOverLatency = 510;
  /// MHz.
  int64_t clock = 1980;

  /// Recurrences that run side by side on the device, of which each has that part of the
  /// multiprocessors.
  int64_t siblings = 1;
  int64_t getShare() const { return multiprocessors / siblings; }
};

/// The least of the chips, by default sm_90, with what `dlti.target_system_spec` of the module
/// says of its device "GPU". What is wrong there is reported.
FailureOr<KernelTarget> getKernelTarget(ModuleOp module, ArrayRef<std::string> chips = {});

} // namespace mlir::lstm

#endif // LSTM_LIB_CONVERSION_KERNELTARGET_H
