//===- Mgpu.cpp - What upstream's lowering of the gpu dialect calls -------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// gpu-to-llvm gives these functions no session and takes no status. The first failure
// is printed, and nothing is done on the thread after it, until a call of a session or
// lstm_cuda_wait returns it.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "Status.h"

#include <cstdlib>
#include <cstring>

using namespace lstm::cuda;

namespace {
/// Modules are made before main: nothing is loaded before the first launch.
struct MgpuModule {
  LSTMCudaImage image;
  LSTMCudaModule module;
  std::mutex mutex;
  std::vector<LSTMCudaKernel *> kernels;
};

struct MemRef {
  char *allocation, *data;
  int64_t offset;
  int64_t sizesAndStrides[];
};
} // namespace

/// The device of the thread's context.
static Device *useDevice() {
  static thread_local Device *device = nullptr;
  Context context = nullptr;
  if (!CU(cuCtxGetCurrent, &context))
    return nullptr;
  // In use to the end: nobody says when it is not needed any more.
  if (!device || device->context != context)
    device = acquireDevice();
  return device;
}

namespace {
/// A function that works on the device.
struct Work : FailureOutsideOfCall {
  Device *device = nullptr;
  Work() {
    if (!before && openDriver())
      device = useDevice();
  }
  explicit operator bool() const { return device; }
};
} // namespace

static void launch(void *opaque, const LaunchSize &size, Stream stream, void **parameters,
                   void **extra) {
  Work work;
  if (!work)
    return;
  auto *kernel = static_cast<LSTMCudaKernel *>(opaque);
  if (!kernel) {
    lstmFail(LSTM_NULL_POINTER, "expected a kernel, but got a null pointer");
    return;
  }
  Resident *resident = findResident(&kernel->state, work.device->id);
  if (resident || (resident = loadKernel(kernel, work.device)))
    launchKernel(kernel, resident, size, stream, parameters, extra);
}

static void *loadModule(const void *data, int64_t bytes) {
  auto *module = new MgpuModule{{nullptr, data, bytes}, {1, nullptr, nullptr}, {}, {}};
  module->module.images = &module->image;
  return module;
}

#pragma GCC visibility push(default)
extern "C" {

void *mgpuModuleLoad(void *data, size_t bytes) { return loadModule(data, bytes); }
void *mgpuModuleLoadJIT(void *data, int /*optimization*/) { return loadModule(data, 0); }

void mgpuModuleUnload(void *opaque) {
  auto *module = static_cast<MgpuModule *>(opaque);
  if (!module)
    return;
  lstmCudaRelease(&module->module);
  for (LSTMCudaKernel *kernel : module->kernels) {
    free(const_cast<char *>(kernel->name));
    delete kernel;
  }
  delete module;
}

/// Stands before every launch.
void *mgpuModuleGetFunction(void *opaque, const char *name) {
  auto *module = static_cast<MgpuModule *>(opaque);
  std::lock_guard<std::mutex> lock(module->mutex);
  for (LSTMCudaKernel *kernel : module->kernels)
    if (strcmp(kernel->name, name) == 0)
      return kernel;
  module->kernels.push_back(new LSTMCudaKernel{&module->module, strdup(name), nullptr});
  return module->kernels.back();
}

void mgpuLaunchKernel(void *function, intptr_t gridX, intptr_t gridY, intptr_t gridZ,
                      intptr_t blockX, intptr_t blockY, intptr_t blockZ, int32_t sharedBytes,
                      Stream stream, void **parameters, void **extra, size_t /*count*/) {
  launch(function, {{gridX, gridY, gridZ}, {blockX, blockY, blockZ}, {}, sharedBytes, false}, stream,
         parameters, extra);
}

void mgpuLaunchClusterKernel(void *function, intptr_t clusterX, intptr_t clusterY,
                             intptr_t clusterZ, intptr_t gridX, intptr_t gridY, intptr_t gridZ,
                             intptr_t blockX, intptr_t blockY, intptr_t blockZ,
                             int32_t sharedBytes, Stream stream, void **parameters,
                             void **extra) {
  launch(function,
         {{gridX, gridY, gridZ},
          {blockX, blockY, blockZ},
          {clusterX, clusterY, clusterZ},
          sharedBytes, false},
         stream, parameters, extra);
}

Stream mgpuStreamCreate() {
  Stream stream = nullptr;
  if (Work work; work)
    CU(cuStreamCreate, &stream, streamNonBlocking);
  return stream;
}

void mgpuStreamDestroy(Stream stream) {
  if (Work work; work)
    CU(cuStreamDestroy, stream);
}

void mgpuStreamSynchronize(Stream stream) {
  if (Work work; work)
    CU(cuStreamSynchronize, stream);
}

void mgpuStreamWaitEvent(Stream stream, Event event) {
  if (Work work; work)
    CU(cuStreamWaitEvent, stream, event, 0);
}

Event mgpuEventCreate() {
  Event event = nullptr;
  if (Work work; work)
    CU(cuEventCreate, &event, eventDisableTiming);
  return event;
}

void mgpuEventDestroy(Event event) {
  if (Work work; work)
    CU(cuEventDestroy, event);
}

void mgpuEventSynchronize(Event event) {
  if (Work work; work)
    CU(cuEventSynchronize, event);
}

void mgpuEventRecord(Event event, Stream stream) {
  if (Work work; work)
    CU(cuEventRecord, event, stream);
}

void *mgpuMemAlloc(uint64_t bytes, Stream, bool hostShared) {
  void *data = nullptr;
  if (bytes == 0)
    return data;
  if (Work work; work) {
    if (hostShared)
      CU(cuMemAllocManaged, &data, bytes, memoryAttachGlobal);
    else
      CU(cuMemAlloc, &data, bytes);
  }
  return data;
}

void mgpuMemFree(void *data, Stream) {
  if (Work work; work && data)
    CU(cuMemFree, data);
}

void mgpuMemcpy(void *target, void *source, size_t bytes, Stream stream) {
  if (Work work; work && bytes)
    CU(cuMemcpyAsync, target, source, bytes, stream);
}

void mgpuMemset32(void *target, unsigned value, size_t count, Stream stream) {
  if (Work work; work && count)
    CU(cuMemsetD32Async, target, value, count, stream);
}

void mgpuMemset16(void *target, unsigned short value, size_t count, Stream stream) {
  if (Work work; work && count)
    CU(cuMemsetD16Async, target, value, count, stream);
}

void mgpuMemHostRegister(void *data, uint64_t bytes) {
  if (Work work; work && bytes)
    CU(cuMemHostRegister, data, bytes, 0);
}

void mgpuMemHostUnregister(void *data) {
  if (Work work; work && data)
    CU(cuMemHostUnregister, data);
}

void mgpuMemHostRegisterMemRef(int64_t rank, const MemRef *memref, int64_t elementSize) {
  int64_t bytes = elementSize;
  for (int64_t i = 0; i < rank; ++i)
    bytes *= memref->sizesAndStrides[i];
  mgpuMemHostRegister(memref->data + memref->offset * elementSize, bytes);
}

void mgpuMemHostUnregisterMemRef(int64_t /*rank*/, const MemRef *memref, int64_t elementSize) {
  mgpuMemHostUnregister(memref->data + memref->offset * elementSize);
}

void mgpuSetDefaultDevice(int32_t number) {
  FailureOutsideOfCall outside;
  int device = 0;
  Context context = nullptr;
  if (!hasFailed() && openDriver() && CU(cuDeviceGet, &device, number) &&
      CU(cuDevicePrimaryCtxRetain, &context, device))
    CU(cuCtxSetCurrent, context);
}

} // extern "C"
#pragma GCC visibility pop
