//===- Cublas.cpp - cuBLAS, opened at run time ----------------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cublas.h"
#include "Library.h"
#include "Status.h"

using namespace lstm::cuda;

constinit Cublas lstm::cuda::cublas = {};

static const char *open() {
#define X(name, symbol, parameters) {symbol, reinterpret_cast<void **>(&cublas.name)},
  return openLibrary(
      "LSTM_LIBCUBLAS", {"libcublas.so.13", "libcublas.so.12", "libcublas.so"},
      {LSTM_CUBLAS_FUNCTIONS(X){"cublasGetStatusString",
                                reinterpret_cast<void **>(&cublas.cublasGetStatusString)}});
#undef X
}

bool lstm::cuda::openCublas() {
  static const char *const error = open();
  if (!error)
    return true;
  lstmFail(LSTM_NO_CUBLAS, "no cuBLAS: %s", error);
  return false;
}

bool lstm::cuda::checkCublas(int status, const char *function) {
  if (status == 0)
    return true;
  lstmFail(status == blasAllocationFailed ? LSTM_OUT_OF_MEMORY : LSTM_CUBLAS_ERROR, "%s: %s (%d)",
           function, cublas.cublasGetStatusString(status), status);
  return false;
}
