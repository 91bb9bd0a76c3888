//===- Driver.h - The CUDA driver, opened at run time -----------*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_LIB_RUNTIME_CUDA_DRIVER_H
#define LSTM_LIB_RUNTIME_CUDA_DRIVER_H

#include <cstddef>

namespace lstm::cuda {

// As in cuda.h, of which nothing is needed to build: handles are pointers, an address
// of the device is as wide as one of the host.
using Context = struct ContextOpaque *;
using Stream = struct StreamOpaque *;
using Event = struct EventOpaque *;
using Graph = struct GraphOpaque *;
using GraphExec = struct GraphExecOpaque *;
using Library = struct LibraryOpaque *;
using Kernel = struct KernelOpaque *;
using Function = struct FunctionOpaque *;

enum : int {
  cudaOutOfMemory = 2,
  cudaCaptureInvalidated = 901,
  cudaNoBinaryForDevice = 209,
  cudaUnsupportedPTX = 222,
  cudaUpdateFailed = 910
};
enum : unsigned { streamNonBlocking = 1, eventDisableTiming = 2, memoryAttachGlobal = 1 };
enum : unsigned { hostPortable = 1, hostMapped = 2, memoryUnified = 4 };
enum : int {
  attributeMajor = 75,
  attributeMinor = 76,
  attributeMultiprocessors = 16,
  maxDynamicShared = 8,
  allowsLargeClusters = 14
};
/// Restricts what this thread does, not what others do.
enum : int { captureThreadLocal = 1 };

/// CUDA_MEMCPY2D.
struct Copy2D {
  struct Side {
    size_t x, y;
    unsigned memory;
    const void *host;
    const void *device;
    void *array;
    size_t pitch;
  } source, target;
  size_t width, height;
};

/// CUlaunchAttribute with the values of cluster dimensions and of a cooperative launch.
struct LaunchAttribute {
  unsigned id;
  unsigned padding;
  union {
    unsigned cluster[3];
    int cooperative;
    int early;
    char space[64];
  };
};
enum : unsigned { attributeCooperative = 2, attributeCluster = 4, attributeEarly = 6 };

/// CUlaunchConfig.
struct LaunchConfig {
  unsigned grid[3], block[3], sharedBytes;
  Stream stream;
  LaunchAttribute *attributes;
  unsigned numAttributes;
};

/// CUgraphExecUpdateResultInfo.
struct UpdateInfo {
  int result;
  void *node, *from;
};

/// Name, symbol, parameters.
#define LSTM_CUDA_FUNCTIONS(X)                                                                     \
  X(cuInit, "cuInit", (unsigned))                                                                  \
  X(cuGetErrorString, "cuGetErrorString", (int, const char **))                                    \
  X(cuDeviceGet, "cuDeviceGet", (int *, int))                                                      \
  X(cuDeviceGetAttribute, "cuDeviceGetAttribute", (int *, int, int))                               \
  X(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (Context *, int))                        \
  X(cuCtxGetCurrent, "cuCtxGetCurrent", (Context *))                                               \
  X(cuCtxSetCurrent, "cuCtxSetCurrent", (Context))                                                 \
  X(cuCtxGetDevice, "cuCtxGetDevice", (int *))                                                     \
  X(cuLibraryLoadData, "cuLibraryLoadData",                                                        \
    (Library *, const void *, int *, void **, unsigned, int *, void **, unsigned))                 \
  X(cuLibraryUnload, "cuLibraryUnload", (Library))                                                 \
  X(cuLibraryGetKernel, "cuLibraryGetKernel", (Kernel *, Library, const char *))                   \
  X(cuKernelGetFunction, "cuKernelGetFunction", (Function *, Kernel))                              \
  X(cuFuncSetAttribute, "cuFuncSetAttribute", (Function, int, int))                                \
  X(cuLaunchKernel, "cuLaunchKernel",                                                              \
    (Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream,       \
     void **, void **))                                                                            \
  X(cuLaunchKernelEx, "cuLaunchKernelEx", (const LaunchConfig *, Function, void **, void **))      \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor, "cuOccupancyMaxActiveBlocksPerMultiprocessor",    \
    (int *, Function, int, size_t))                                                                \
  X(cuOccupancyMaxActiveClusters, "cuOccupancyMaxActiveClusters",                                  \
    (int *, Function, const LaunchConfig *))                                                       \
  X(cuStreamCreate, "cuStreamCreate", (Stream *, unsigned))                                        \
  X(cuStreamDestroy, "cuStreamDestroy_v2", (Stream))                                               \
  X(cuStreamSynchronize, "cuStreamSynchronize", (Stream))                                          \
  X(cuStreamWaitEvent, "cuStreamWaitEvent", (Stream, Event, unsigned))                             \
  X(cuStreamIsCapturing, "cuStreamIsCapturing", (Stream, int *))                                   \
  X(cuStreamBeginCapture, "cuStreamBeginCapture_v2", (Stream, int))                                \
  X(cuStreamEndCapture, "cuStreamEndCapture", (Stream, Graph *))                                   \
  X(cuEventCreate, "cuEventCreate", (Event *, unsigned))                                           \
  X(cuEventDestroy, "cuEventDestroy_v2", (Event))                                                  \
  X(cuEventRecord, "cuEventRecord", (Event, Stream))                                               \
  X(cuEventSynchronize, "cuEventSynchronize", (Event))                                             \
  X(cuGraphInstantiate, "cuGraphInstantiateWithFlags", (GraphExec *, Graph, unsigned long long))   \
  X(cuGraphExecUpdate, "cuGraphExecUpdate_v2", (GraphExec, Graph, UpdateInfo *))                   \
  X(cuGraphLaunch, "cuGraphLaunch", (GraphExec, Stream))                                           \
  X(cuGraphDestroy, "cuGraphDestroy", (Graph))                                                     \
  X(cuGraphExecDestroy, "cuGraphExecDestroy", (GraphExec))                                         \
  X(cuMemAlloc, "cuMemAlloc_v2", (void **, size_t))                                                \
  X(cuMemAllocManaged, "cuMemAllocManaged", (void **, size_t, unsigned))                           \
  X(cuMemFree, "cuMemFree_v2", (void *))                                                           \
  X(cuMemAllocAsync, "cuMemAllocAsync", (void **, size_t, Stream))                                 \
  X(cuMemFreeAsync, "cuMemFreeAsync", (void *, Stream))                                            \
  X(cuMemHostAlloc, "cuMemHostAlloc", (void **, size_t, unsigned))                                 \
  X(cuMemFreeHost, "cuMemFreeHost", (void *))                                                      \
  X(cuMemHostRegister, "cuMemHostRegister_v2", (void *, size_t, unsigned))                         \
  X(cuMemHostUnregister, "cuMemHostUnregister", (void *))                                          \
  X(cuMemcpyAsync, "cuMemcpyAsync", (void *, const void *, size_t, Stream))                        \
  X(cuMemcpy2DAsync, "cuMemcpy2DAsync_v2", (const Copy2D *, Stream))                               \
  X(cuMemsetD32Async, "cuMemsetD32Async", (void *, unsigned, size_t, Stream))                      \
  X(cuMemsetD16Async, "cuMemsetD16Async", (void *, unsigned short, size_t, Stream))

struct Driver {
#define X(name, symbol, parameters) int(*name) parameters;
  LSTM_CUDA_FUNCTIONS(X)
#undef X
};

/// Filled by openDriver.
extern Driver driver;

/// Opens libcuda.so.1, or the file that LSTM_LIBCUDA names, at the first call; a thread's
/// failure is LSTM_NO_DRIVER.
bool openDriver();

/// Whether a function of the driver succeeded; else the thread's failure says its name,
/// the driver's text and the number.
bool checkDriver(int result, const char *function);

/// Calls a function of the driver.
#define CU(function, ...)                                                                          \
  ::lstm::cuda::checkDriver(::lstm::cuda::driver.function(__VA_ARGS__), #function)

} // namespace lstm::cuda

#endif // LSTM_LIB_RUNTIME_CUDA_DRIVER_H
