//===- Kernels.h - Kernels, loaded when they are launched -------*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_LIB_RUNTIME_CUDA_KERNELS_H
#define LSTM_LIB_RUNTIME_CUDA_KERNELS_H

#include "ABI.h"
#include "Device.h"

namespace lstm::cuda {

/// Loads the kernel for the device, whose context is current. Null after a failure.
Resident *loadKernel(LSTMCudaKernel *kernel, const Device *device);

struct LaunchSize {
  int64_t grid[3], block[3];
  /// Blocks of a cluster; none if the first is 0.
  int64_t cluster[3];
  int32_t sharedBytes;
  /// Whether all blocks have to run at the same time, or may begin before the kernel before them has ended.
  bool together = false, early = false;
};

/// Launches nothing where the grid is empty.
bool launchKernel(const LSTMCudaKernel *kernel, Resident *resident, const LaunchSize &size,
                  Stream stream, void **parameters, void **extra = nullptr);

/// How many modules were released: graphs made before may hold kernels of theirs.
extern std::atomic<uint64_t> releasedModules;

} // namespace lstm::cuda

#endif // LSTM_LIB_RUNTIME_CUDA_KERNELS_H
