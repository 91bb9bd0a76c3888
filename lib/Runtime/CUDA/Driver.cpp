//===- Driver.cpp - The CUDA driver, opened at run time -------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "Library.h"
#include "Status.h"

using namespace lstm::cuda;

// Never cleared: destructors of generated objects may run after ours.
constinit Driver lstm::cuda::driver = {};

static const char *open() {
#define X(name, symbol, parameters) {symbol, reinterpret_cast<void **>(&driver.name)},
  return openLibrary("LSTM_LIBCUDA", {"libcuda.so.1"}, {LSTM_CUDA_FUNCTIONS(X)});
#undef X
}

bool lstm::cuda::openDriver() {
  static const char *const error = open();
  if (error) {
    lstmFail(LSTM_NO_DRIVER, "no CUDA driver: %s", error);
    return false;
  }
  static const int result = driver.cuInit(0);
  if (result == 0)
    return true;
  const char *text = nullptr;
  driver.cuGetErrorString(result, &text);
  lstmFail(LSTM_NO_DRIVER, "no CUDA device: cuInit: %s (%d)", text ? text : "unknown error",
           result);
  return false;
}

static int32_t getStatus(int result) {
  switch (result) {
  case cudaOutOfMemory:
    return LSTM_OUT_OF_MEMORY;
  case cudaNoBinaryForDevice:
  case cudaUnsupportedPTX:
    return LSTM_NO_KERNEL;
  default:
    return LSTM_CUDA_ERROR;
  }
}

bool lstm::cuda::checkDriver(int result, const char *function) {
  if (result == 0)
    return true;
  const char *text = nullptr;
  driver.cuGetErrorString(result, &text);
  lstmFail(getStatus(result), "%s: %s (%d)", function, text ? text : "unknown error", result);
  return false;
}
