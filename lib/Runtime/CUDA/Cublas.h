//===- Cublas.h - cuBLAS, opened at run time --------------------*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_LIB_RUNTIME_CUDA_CUBLAS_H
#define LSTM_LIB_RUNTIME_CUDA_CUBLAS_H

#include "Driver.h"

#include <cstdint>

namespace lstm::cuda {

using BlasHandle = struct BlasHandleOpaque *;

// As in cublas_api.h and library_types.h.
enum : int { typeF32 = 0, typeF64 = 1, typeF16 = 2, typeBF16 = 14 };
enum : int { computeF32 = 68, computeF64 = 70, computeFastTF32 = 77 };
enum : int { operationN = 0, operationT = 1, algorithmDefault = -1 };
/// The default, and sums of parts in the type of the computation, not in that of the result.
enum : int { mathNoReducedPrecisionReduction = 16 };
enum : int { blasAllocationFailed = 3 };

/// Name, symbol, parameters.
#define LSTM_CUBLAS_FUNCTIONS(X)                                                                   \
  X(cublasCreate, "cublasCreate_v2", (BlasHandle *))                                               \
  X(cublasDestroy, "cublasDestroy_v2", (BlasHandle))                                               \
  X(cublasSetStream, "cublasSetStream_v2", (BlasHandle, Stream))                                   \
  X(cublasSetWorkspace, "cublasSetWorkspace_v2", (BlasHandle, void *, size_t))                     \
  X(cublasSetMathMode, "cublasSetMathMode", (BlasHandle, int))                                     \
  X(cublasGemmEx, "cublasGemmEx",                                                                  \
    (BlasHandle, int, int, int, int, int, const void *, const void *, int, int, const void *, int, \
     int, const void *, void *, int, int, int, int))                                               \
  X(cublasGemmStridedBatchedEx, "cublasGemmStridedBatchedEx",                                      \
    (BlasHandle, int, int, int, int, int, const void *, const void *, int, int, long long,         \
     const void *, int, int, long long, const void *, void *, int, int, long long, int, int, int))

struct Cublas {
#define X(name, symbol, parameters) int(*name) parameters;
  LSTM_CUBLAS_FUNCTIONS(X)
#undef X
  const char *(*cublasGetStatusString)(int);
};

/// Filled by openCublas.
extern Cublas cublas;

/// Opens libcublas of CUDA 13 or 12, or the file that LSTM_LIBCUBLAS names, at the first
/// call; a thread's failure is LSTM_NO_CUBLAS.
bool openCublas();

/// Whether a function of cuBLAS succeeded.
bool checkCublas(int status, const char *function);

/// Calls a function of cuBLAS.
#define BLAS(function, ...)                                                                        \
  ::lstm::cuda::checkCublas(::lstm::cuda::cublas.function(__VA_ARGS__), #function)

} // namespace lstm::cuda

#endif // LSTM_LIB_RUNTIME_CUDA_CUBLAS_H
