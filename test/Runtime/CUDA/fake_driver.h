//===- fake_driver.h - A CUDA driver and a cuBLAS without a GPU -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_TEST_RUNTIME_CUDA_FAKE_DRIVER_H
#define LSTM_TEST_RUNTIME_CUDA_FAKE_DRIVER_H

#include <stdint.h>

/* A shared object that stands for libcuda and libcublas at once (LSTM_LIBCUDA,
   LSTM_LIBCUBLAS). Work is done when it is enqueued, or when a graph that it was captured
   into is launched, on memory of the host; products are real ones for f32, f64 and bf16.
   Handles that were destroyed, freed memory, and what is not possible in a capture are
   errors, as the real ones' are. */

/* How often a function was called, by its name in cuda.h, as "cuMemAlloc". Besides
   "live" (handles and blocks of memory), "frozen products" (with a stream but without a
   workspace of the session's). */
long fakeCount(const char *name);
void fakeResetCounts(void);

/* The names of the functions that were called since; null behind the last one. */
const char *fakeGetCalled(int index);

/* The n-th call since, the first 1000; null behind the last one. */
const char *fakeGetLogged(int index);

/* The n-th call of the function from now on fails with this code, once; null: none. Also by
   the variable FAKE_CUDA_FAIL=NAME:N:CODE. */
void fakeFail(const char *function, long n, int code);

/* 90 by default, or the variable FAKE_CUDA_CAPABILITY. */
void fakeSetCapability(int capability);

/* Device code of the fake: what stands in the place of a cubin. */
typedef struct FakeKernel {
  const char *name;
  void (*run)(void **parameters, const unsigned *grid);
  int numParameters; /* of 8 bytes each */
} FakeKernel;
typedef struct FakeImage {
  char magic[8]; /* FAKE_MAGIC; the kernels of other images do nothing */
  int numKernels;
  const FakeKernel *kernels;
} FakeImage;
#define FAKE_MAGIC "fakecud"

#endif /* LSTM_TEST_RUNTIME_CUDA_FAKE_DRIVER_H */
