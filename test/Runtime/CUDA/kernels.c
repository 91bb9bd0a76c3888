/*===- kernels.c - Test of modules with code for several devices ---------===*\
|*
|* Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
|* Exceptions. See LICENSE for license information.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

/*
RUN: %build_with_fake
RUN: %with_fake %t
RUN: %with_fake env FAKE_CUDA_CAPABILITY=75 %t none
*/

#include "testing.h"

/* Each image has the same kernel, which says what it was compiled for. */
static const char *launched;
#define IMAGE(id, target)                                                                          \
  static void run##id(void **parameters, const unsigned *grid) {                                   \
    (void)parameters, (void)grid;                                                                  \
    launched = target;                                                                             \
  }                                                                                                \
  static const FakeKernel kernels##id[] = {{"which", run##id, 0}};                                 \
  static const FakeImage image##id = {FAKE_MAGIC, 1, kernels##id}
IMAGE(0, "sm_80");
IMAGE(1, "sm_86");
IMAGE(2, "sm_90a");
IMAGE(3, "compute_80");
IMAGE(4, "compute_90");
IMAGE(5, "sm_100f");
IMAGE(6, "sm_90");
IMAGE(7, "compute_90a");
static const LSTMCudaImage all[] = {
    {"sm_80", &image0, 1},      {"sm_86", &image1, 1},   {"compute_80", &image3, 1},
    {"compute_90", &image4, 1}, {"sm_100f", &image5, 1}, {"sm_90", &image6, 1},
    {"sm_90a", &image2, 1},     {"compute_90a", &image7, 1}};
static LSTMCudaModule modules[] = {{8, all, 0}, {3, all, 0}, {2, all, 0}, {0, 0, 0}, {1, all + 7, 0}};

static LSTMCudaKernel kernel;
static int64_t grid[3] = {1, 1, 1}, block[3] = {32, 1, 1};
static int32_t sharedBytes;
static bool isTogether, isEarly, asks;
static int32_t fits; /* the answer */
static int64_t cluster; /* none if it is 0 */
static void launch(void **values) {
  (void)values;
  void *parameters[1];
  if (!lstmCudaEnter(1))
    return;
  if (asks)
    fits = lstmCudaFits(&kernel, block[0], cluster, sharedBytes);
  else if (cluster)
    lstmCudaLaunchClusters(&kernel, grid[0], grid[1], grid[2], block[0], block[1], block[2], cluster, 1, 1,
                           sharedBytes, parameters);
  else
    (isTogether ? lstmCudaLaunchTogether : isEarly ? lstmCudaLaunchEarly : lstmCudaLaunch)(
        &kernel, grid[0], grid[1], grid[2], block[0], block[1], block[2], sharedBytes, parameters);
}
static const int64_t none[] = {0, 0};
static int32_t run(lstm_cuda_session *session, int chosen) {
  void *values[1];
  kernel.module = &modules[chosen];
  kernel.name = "which";
  launched = "nothing";
  int32_t status = lstmCudaInvoke(session, 0, none, "", launch, values);
  return status;
}
static void expect(int capability, int chosen, const char *target) {
  fakeSetCapability(capability);
  lstm_cuda_session *session = makeSession();
  EXPECT_GOOD(session, run(session, chosen));
  EXPECT_TEXT(launched, target);
  EXPECT(strlen(launched), strlen(target));
  lstmCudaRelease(&modules[chosen]);
  EXPECT(kernel.state == NULL, true);
  lstm_cuda_destroy(session);
  EXPECT(fakeCount("live"), 0);
}
static void expectNone(int capability, int chosen, const char *message) {
  fakeSetCapability(capability);
  lstm_cuda_session *session = makeSession();
  for (int i = 0; i < 2; ++i)
    EXPECT_FAILURE(session, run(session, chosen), LSTM_NO_KERNEL, message);
  EXPECT_GOOD(session, lstm_cuda_wait(session, 0));
  lstm_cuda_destroy(session);
  EXPECT(fakeCount("live"), 0);
}

static void testLaunches(void) {
  fakeSetCapability(90);
  lstm_cuda_session *session = makeSession();
  EXPECT_GOOD(session, lstm_cuda_set_option(session, "graph-after", -1));
  EXPECT_GOOD(session, run(session, 0));
  fakeResetCounts();
  for (int i = 0; i < 3; ++i) { /* empty */
    grid[i] = 0;
    EXPECT_GOOD(session, run(session, 0));
    EXPECT_TEXT(launched, "nothing");
    grid[i] = 1;
  }
  EXPECT(fakeCount("cuLaunchKernel"), 0);
  grid[0] = (int64_t)1 << 32;
  EXPECT_FAILURE(session, run(session, 0), LSTM_CUDA_ERROR,
                 "kernel 'which': grid size #0 of 4294967296 is out of range");
  grid[0] = 1;
  grid[1] = 65536;
  EXPECT_FAILURE(session, run(session, 0), LSTM_CUDA_ERROR,
                 "kernel 'which', grid 1 65536 1, block 32 1 1, 0 bytes of shared memory: "
                 "cuLaunchKernel: a failure of the fake driver (1)");
  grid[1] = 1;
  block[0] = 2048;
  EXPECT_FAILURE(session, run(session, 0), LSTM_CUDA_ERROR, "block 2048 1 1");
  block[0] = 32;
  /* Much shared memory is asked for, once for each size. */
  sharedBytes = 100000;
  for (int i = 0; i < 3; ++i)
    EXPECT_GOOD(session, run(session, 0));
  EXPECT(fakeCount("cuFuncSetAttribute"), 1);
  sharedBytes = 90000;
  EXPECT_GOOD(session, run(session, 0));
  EXPECT(fakeCount("cuFuncSetAttribute"), 1);
  sharedBytes = 300000;
  EXPECT_FAILURE(session, run(session, 0), LSTM_CUDA_ERROR, "cuFuncSetAttribute");
  sharedBytes = 0;
  EXPECT(fakeCount("cuLibraryLoadData") + fakeCount("cuLibraryGetKernel"), 0);
  /* The driver says that there is no code. */
  lstmCudaRelease(&modules[0]);
  fakeFail("cuLibraryLoadData", 1, 209);
  EXPECT_FAILURE(session, run(session, 0), LSTM_NO_KERNEL, "cuLibraryLoadData");
  EXPECT_GOOD(session, run(session, 0));
  lstm_cuda_destroy(session);
  /* The kernel is found again by later sessions. */
  fakeResetCounts();
  for (int i = 0; i < 10; ++i) {
    session = makeSession();
    EXPECT_GOOD(session, run(session, 0));
    lstm_cuda_destroy(session);
  }
  EXPECT(fakeCount("cuLibraryLoadData"), 0);
  lstmCudaRelease(&modules[0]);
  EXPECT(fakeCount("live"), 0);
}

/* Blocks that wait for each other run at the same time, or not at all; in graphs, too. */
static void testTogether(void) {
  fakeSetCapability(90);
  lstm_cuda_session *session = makeSession();
  isTogether = true;
  kernel.state = NULL;
  grid[0] = 132;
  fakeResetCounts();
  for (int i = 0; i < 4; ++i) {
    EXPECT_GOOD(session, run(session, 0));
    EXPECT_TEXT(launched, "sm_90a");
  }
  EXPECT(lstm_cuda_get(session, "replays") > 0, true);
  EXPECT(fakeCount("cuLaunchKernel"), 0);
  EXPECT_GOOD(session, lstm_cuda_set_option(session, "graph-after", -1));
  fakeResetCounts();
  grid[0] = 0; /* empty */
  EXPECT_GOOD(session, run(session, 0));
  EXPECT_TEXT(launched, "nothing");
  EXPECT(fakeCount("cuLaunchKernelEx"), 0);
  grid[0] = 133;
  EXPECT_FAILURE(session, run(session, 0), LSTM_CUDA_ERROR,
                 "kernel 'which', grid 133 1 1, block 32 1 1, 0 bytes of shared memory: "
                 "cuLaunchKernelEx: ");
  isTogether = false;
  EXPECT_GOOD(session, run(session, 0));
  isTogether = true;
  grid[0] = (int64_t)1 << 32;
  EXPECT_FAILURE(session, run(session, 0), LSTM_CUDA_ERROR,
                 "grid size #0 of 4294967296 is out of range");
  isTogether = false;
  grid[0] = 1;
  EXPECT_GOOD(session, lstm_cuda_wait(session, 0));
  lstm_cuda_destroy(session);
  lstmCudaRelease(&modules[0]);
  EXPECT(fakeCount("live"), 0);
}

/* Clusters of blocks; more than 8 of them have to be asked for, once. */
static void testClusters(void) {
  fakeSetCapability(90);
  lstm_cuda_session *session = makeSession();
  kernel.state = NULL;
  grid[0] = 32;
  cluster = 8;
  fakeResetCounts();
  for (int i = 0; i < 4; ++i) {
    EXPECT_GOOD(session, run(session, 0));
    EXPECT_TEXT(launched, "sm_90a");
  }
  EXPECT(lstm_cuda_get(session, "replays") > 0, true);
  EXPECT(fakeCount("cuFuncSetAttribute"), 0);
  EXPECT_GOOD(session, lstm_cuda_set_option(session, "graph-after", -1));
  cluster = 16;
  for (int i = 0; i < 2; ++i)
    EXPECT_GOOD(session, run(session, 0));
  EXPECT(fakeCount("cuLaunchKernel"), 0);
  EXPECT(fakeCount("cuFuncSetAttribute"), 1);
  cluster = 32;
  EXPECT_FAILURE(session, run(session, 0), LSTM_CUDA_ERROR,
                 "kernel 'which', grid 32 1 1, block 32 1 1, 0 bytes of shared memory: cuLaunchKernelEx: ");
  cluster = 0;
  grid[0] = 1;
  EXPECT_GOOD(session, lstm_cuda_wait(session, 0));
  lstm_cuda_destroy(session);
  lstmCudaRelease(&modules[0]);
  EXPECT(fakeCount("live"), 0);
}

/* Kernels that begin before the one before them has ended, where the device has that; in graphs, too. */
static void testEarly(void) {
  isEarly = true;
  for (int capability = 80; capability <= 90; capability += 10) {
    fakeSetCapability(capability);
    lstm_cuda_session *session = makeSession();
    kernel.state = NULL;
    fakeResetCounts();
    for (int i = 0; i < 4; ++i) {
      EXPECT_GOOD(session, run(session, 0));
      EXPECT_TEXT(launched, capability == 90 ? "sm_90a" : "sm_80");
    }
    EXPECT(lstm_cuda_get(session, "replays") > 0, true);
    EXPECT(fakeCount("cuLaunchKernel") > 0, capability == 80);
    EXPECT(fakeCount("cuLaunchKernelEx") > 0, capability == 90);
    EXPECT_GOOD(session, lstm_cuda_wait(session, 0));
    lstm_cuda_destroy(session);
    lstmCudaRelease(&modules[0]);
  }
  isEarly = false;
  EXPECT(fakeCount("live"), 0);
}

static int32_t ask(lstm_cuda_session *session, int64_t threads, int64_t clusterBlocks, int32_t bytes) {
  block[0] = threads;
  cluster = clusterBlocks;
  sharedBytes = bytes;
  fits = -1;
  EXPECT_GOOD(session, run(session, 0));
  return fits;
}

/* Whether a block or a cluster has place; what has none is no failure. */
static void testFits(void) {
  fakeSetCapability(90);
  lstm_cuda_session *session = makeSession();
  EXPECT_GOOD(session, lstm_cuda_set_option(session, "graph-after", -1));
  kernel.state = NULL;
  asks = true;
  EXPECT(ask(session, 1024, 0, 0), 1);
  EXPECT(ask(session, 1056, 0, 0), 0);
  EXPECT(ask(session, 256, 0, 227 * 1024), 1);
  EXPECT(ask(session, 256, 0, 227 * 1024 + 1), 0);
  EXPECT(ask(session, 256, 8, 0), 1);
  EXPECT(ask(session, 256, 16, 227 * 1024), 1);
  EXPECT(ask(session, 256, 17, 0), 0);
  EXPECT(ask(session, 1056, 8, 0), 0);
  fakeFail("cuOccupancyMaxActiveClusters", 1, 1);
  EXPECT(ask(session, 256, 16, 0), 0);
  /* Without code there is a failure. */
  lstmCudaRelease(&modules[0]);
  fakeFail("cuLibraryLoadData", 1, 209);
  fits = -1;
  EXPECT_FAILURE(session, run(session, 0), LSTM_NO_KERNEL, "cuLibraryLoadData");
  EXPECT(fits, 0);
  asks = false;
  block[0] = 32;
  cluster = sharedBytes = 0;
  lstm_cuda_destroy(session);
  lstmCudaRelease(&modules[0]);
  EXPECT(fakeCount("live"), 0);
}

int main(int argc, char **argv) {
  (void)argv;
  if (argc > 1) {
    lstm_cuda_session *session = makeSession();
    EXPECT_FAILURE(session, run(session, 0), LSTM_NO_KERNEL, "capability 7.5");
    lstm_cuda_destroy(session);
    return 0;
  }
  expect(80, 0, "sm_80");
  expect(86, 0, "sm_86");
  expect(89, 0, "sm_86"); /* the newest of the generation */
  expect(87, 0, "sm_86");
  expect(90, 0, "sm_90a"); /* before the one that may do less */
  expect(100, 0, "sm_100f");
  expect(103, 0, "sm_100f");
  expect(110, 0, "compute_90");
  expect(120, 0, "compute_90");
  expect(90, 1, "compute_80");
  expect(90, 4, "compute_90a");
  expectNone(90, 2, "no code for this device of capability 9.0: there is sm_80, sm_86");
  expectNone(75, 0, "capability 7.5: there is sm_80, sm_86, compute_80, compute_90, sm_100f");
  expectNone(90, 3, "capability 9.0: there is none");
  expectNone(100, 4, "capability 10.0: there is compute_90a");
  testLaunches();
  testTogether();
  testClusters();
  testEarly();
  testFits();
  return 0;
}
