/*===- mgpu.c - Test of what upstream's lowering calls -------------------===*\
|*
|* Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
|* Exceptions. See LICENSE for license information.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

/*
RUN: %build_with_fake
RUN: %with_fake %t 2>%t.err
RUN: FileCheck %s --input-file=%t.err
RUN: env LSTM_LIBCUDA=%t.none.so %t no-driver 2>&1 | FileCheck %s --check-prefix=NONE

A failure is printed once; what follows does nothing.
CHECK: cuMemAlloc: out of memory (2)
CHECK-NEXT: cuLibraryGetKernel: a failure of the fake driver (500)
CHECK-NOT: {{.}}

NONE: no CUDA driver: LSTM_LIBCUDA: {{.+}}
NONE-NOT: {{.}}
*/

#include "testing.h"

void *mgpuModuleLoad(void *data, size_t bytes);
void *mgpuModuleLoadJIT(void *data, int optimization);
void mgpuModuleUnload(void *module);
void *mgpuModuleGetFunction(void *module, const char *name);
void mgpuLaunchKernel(void *function, intptr_t gridX, intptr_t gridY, intptr_t gridZ,
                      intptr_t blockX, intptr_t blockY, intptr_t blockZ, int32_t shared,
                      void *stream, void **parameters, void **extra, size_t count);
void mgpuLaunchClusterKernel(void *function, intptr_t clusterX, intptr_t clusterY,
                             intptr_t clusterZ, intptr_t gridX, intptr_t gridY, intptr_t gridZ,
                             intptr_t blockX, intptr_t blockY, intptr_t blockZ, int32_t shared,
                             void *stream, void **parameters, void **extra);
void *mgpuStreamCreate(void);
void mgpuStreamDestroy(void *stream);
void mgpuStreamSynchronize(void *stream);
void mgpuStreamWaitEvent(void *stream, void *event);
void *mgpuEventCreate(void);
void mgpuEventDestroy(void *event);
void mgpuEventSynchronize(void *event);
void mgpuEventRecord(void *event, void *stream);
void *mgpuMemAlloc(uint64_t bytes, void *stream, bool hostShared);
void mgpuMemFree(void *data, void *stream);
void mgpuMemcpy(void *target, void *source, size_t bytes, void *stream);
void mgpuMemset32(void *target, unsigned value, size_t count, void *stream);
void mgpuMemset16(void *target, unsigned short value, size_t count, void *stream);
void mgpuMemHostRegisterMemRef(int64_t rank, void *memref, int64_t elementSize);
void mgpuMemHostUnregisterMemRef(int64_t rank, void *memref, int64_t elementSize);
void mgpuSetDefaultDevice(int32_t device);

/* As gpu-to-llvm would have it, with the module loaded before main. */
static void *loaded, *jitted;
__attribute__((constructor)) static void load(void) {
  loaded = mgpuModuleLoad((void *)(uintptr_t)&image, sizeof image);
  jitted = mgpuModuleLoadJIT((void *)(uintptr_t)&image, 2);
}
__attribute__((destructor)) static void unload(void) {
  mgpuModuleUnload(loaded);
  mgpuModuleUnload(jitted);
}

int main(int argc, char **argv) {
  (void)argv;
  if (argc > 1) {
    EXPECT(mgpuStreamCreate() == NULL, true);
    EXPECT(mgpuMemAlloc(4, 0, false) == NULL, true);
    mgpuMemcpy(0, 0, 4, 0);
    return 0;
  }
  EXPECT(fakeCount("cuInit"), 0);
  mgpuSetDefaultDevice(0);
  void *stream = mgpuStreamCreate(), *other = mgpuStreamCreate(), *event = mgpuEventCreate();
  float host[] = {1, 2, 3, 4, 5, 6}, back[6];
  float *x = mgpuMemAlloc(sizeof host, stream, false), *y = mgpuMemAlloc(sizeof host, stream, true);
  float *c = mgpuMemAlloc(WIDTH * 4, stream, false);
  EXPECT(mgpuMemAlloc(0, stream, false) == NULL, true);
  mgpuMemcpy(x, host, sizeof host, stream);
  mgpuMemset32(c, 0x3f800000, WIDTH, stream); /* 1.0 */
  int64_t s = 0x40000000;                     /* 2.0 */
  void *parameters[] = {&x, &y, &c, &s};
  for (int i = 0; i < 3; ++i) {
    void *function = mgpuModuleGetFunction(i == 1 ? jitted : loaded, "scale");
    memset(y, 0xff, sizeof host);
    if (i == 2)
      mgpuLaunchClusterKernel(function, 2, 1, 1, 2, 1, 1, WIDTH, 1, 1, 0, stream, parameters, 0);
    else
      mgpuLaunchKernel(function, 2, 1, 1, WIDTH, 1, 1, 0, stream, parameters, 0, 4);
    mgpuEventRecord(event, stream);
    mgpuStreamWaitEvent(other, event);
    mgpuMemcpy(back, y, sizeof back, other);
    mgpuStreamSynchronize(other);
    mgpuEventSynchronize(event);
    for (int k = 0; k < 6; ++k)
      EXPECT(back[k], 2 * host[k] + 1);
  }
  EXPECT(mgpuModuleGetFunction(loaded, "scale") == mgpuModuleGetFunction(loaded, "scale"), true);
  EXPECT(fakeCount("cuLibraryLoadData"), 2);
  EXPECT(fakeCount("cuLibraryGetKernel"), 2);
  mgpuMemset16(y, 0x3f80, 12, stream);
  EXPECT(((uint32_t *)y)[5], 0x3f803f80);
  struct {
    void *allocation, *data;
    int64_t offset, sizes[2], strides[2];
  } memref = {host, host, 0, {2, 3}, {3, 1}};
  mgpuMemHostRegisterMemRef(2, &memref, 4);
  mgpuMemHostUnregisterMemRef(2, &memref, 4);
  EXPECT(fakeCount("cuMemHostRegister") + fakeCount("cuMemHostUnregister"), 2);

  /* The first failure is printed, and the next call of a session tells it. */
  fakeFail("cuMemAlloc", 1, 2);
  EXPECT(mgpuMemAlloc(4, stream, false) == NULL, true);
  EXPECT(mgpuMemAlloc(4, stream, false) == NULL, true);
  lstm_cuda_session *session;
  EXPECT_FAILURE(0, lstm_cuda_create(&session), LSTM_OUT_OF_MEMORY, "cuMemAlloc: out of memory (2)");
  session = makeSession();
  mgpuLaunchKernel(mgpuModuleGetFunction(loaded, "other"), 1, 1, 1, 1, 1, 1, 0, stream, 0, 0, 0);
  EXPECT_FAILURE(session, lstm_cuda_wait(session, stream), LSTM_CUDA_ERROR, "cuLibraryGetKernel");
  lstm_cuda_destroy(session);

  mgpuMemFree(x, stream);
  mgpuMemFree(y, stream);
  mgpuMemFree(c, stream);
  mgpuMemFree(0, stream);
  mgpuEventDestroy(event);
  mgpuStreamDestroy(other);
  mgpuStreamDestroy(stream);
  EXPECT(fakeCount("live"), 2); /* the modules */
  return 0;
}
