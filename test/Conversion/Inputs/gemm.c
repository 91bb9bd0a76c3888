/*===- gemm.c - A stand-in for the runtime's products -------------*- C -*-===*\
|*
|* Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
|* Exceptions. See LICENSE for license information.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|* Does on the CPU, with loops, what cuda.h says, and refuses what cuBLAS refuses.
|*
\*===----------------------------------------------------------------------===*/

#include "lstm-runtime/cuda.h"

#include <stdio.h>
#include <stdlib.h>

/* How often it was called, and what the last call was computed in. */
int64_t gemmCalls;
int64_t gemmCompute;

static double load(int32_t type, const void *data, int64_t i) {
  switch (type) {
  case LSTM_F64:
    return ((const double *)data)[i];
  case LSTM_F32:
    return ((const float *)data)[i];
  case LSTM_F16:
    return ((const _Float16 *)data)[i];
  case LSTM_BF16: {
    union {
      uint32_t bits;
      float value;
    } wide = {(uint32_t)((const uint16_t *)data)[i] << 16};
    return wide.value;
  }
  }
  fprintf(stderr, "unknown type %d\n", type);
  abort();
}

/* Only of numbers that are exact in the type: bf16 is cut off. */
static void store(int32_t type, void *data, int64_t i, double value) {
  if (type == LSTM_F64)
    ((double *)data)[i] = value;
  else if (type == LSTM_F32)
    ((float *)data)[i] = (float)value;
  else if (type == LSTM_F16)
    ((_Float16 *)data)[i] = (_Float16)value;
  else {
    union {
      float value;
      uint32_t bits;
    } wide = {(float)value};
    ((uint16_t *)data)[i] = (uint16_t)(wide.bits >> 16);
  }
}

static void checkRows(const char *name, int64_t leading, int64_t columns) {
  if (leading < columns) {
    fprintf(stderr, "leading dimension of %s is %ld, but a row has %ld\n", name, (long)leading, (long)columns);
    abort();
  }
}

void lstmCudaGemm(void *stream, int32_t inputType, int32_t outputType, int32_t compute,
                  int32_t transposeA, int32_t transposeB, int64_t m, int64_t n, int64_t k,
                  double alpha, const void *a, int64_t lda, int64_t strideA, const void *b,
                  int64_t ldb, int64_t strideB, double beta, void *c, int64_t ldc, int64_t strideC,
                  int64_t batch) {
  (void)stream;
  ++gemmCalls;
  gemmCompute = compute;
  if (m == 0 || n == 0 || batch == 0)
    return;
  checkRows("A", lda, transposeA ? m : k);
  checkRows("B", ldb, transposeB ? k : n);
  checkRows("C", ldc, n);
  for (int64_t l = 0; l < batch; ++l)
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (int64_t p = 0; p < k; ++p)
          sum += load(inputType, a, l * strideA + (transposeA ? p * lda + i : i * lda + p)) *
                 load(inputType, b, l * strideB + (transposeB ? j * ldb + p : p * ldb + j));
        int64_t at = l * strideC + i * ldc + j;
        store(outputType, c, at, alpha * sum + (beta == 0 ? 0 : beta * load(outputType, c, at)));
      }
}
