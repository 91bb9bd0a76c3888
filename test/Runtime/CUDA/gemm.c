/*===- gemm.c - Test of products by cuBLAS -------------------------------===*\
|*
|* Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
|* Exceptions. See LICENSE for license information.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

/*
RUN: %build_with_fake
RUN: %with_fake %t
*/

#include "testing.h"

#include <math.h>

enum { BATCH = 3, MAX = 4096 };

static struct {
  int32_t input, output, compute, transposeA, transposeB;
  int64_t m, n, k, batch;
  double alpha, beta;
} p;
static void *a, *b, *c, *stream;

static double get(const void *data, int32_t type, int64_t i) {
  if (type == LSTM_F64)
    return ((const double *)data)[i];
  if (type == LSTM_F32)
    return ((const float *)data)[i];
  union {
    uint32_t bits;
    float value;
  } narrow = {.bits = (uint32_t)((const uint16_t *)data)[i] << 16};
  return narrow.value;
}
static void set(void *data, int32_t type, int64_t i, double value) {
  union {
    uint32_t bits;
    float value;
  } narrow = {.value = (float)value};
  if (type == LSTM_F64)
    ((double *)data)[i] = value;
  else if (type == LSTM_F32)
    ((float *)data)[i] = (float)value;
  else
    ((uint16_t *)data)[i] = (uint16_t)(narrow.bits >> 16);
}

/* Rows are 2 elements further apart than they are long, matrices 5 elements. */
static int64_t leading(int64_t columns) { return columns + 2; }
static int64_t stride(int64_t rows, int64_t columns) { return rows * leading(columns) + 5; }
static int64_t columnsOfA(void) { return p.transposeA ? p.m : p.k; }
static int64_t columnsOfB(void) { return p.transposeB ? p.k : p.n; }
static int64_t strideOfA(void) { return stride(p.transposeA ? p.k : p.m, columnsOfA()); }
static int64_t strideOfB(void) { return stride(p.transposeB ? p.n : p.k, columnsOfB()); }

static void multiply(void **values) {
  (void)values;
  if (!stream && !lstmCudaEnter(1))
    return;
  lstmCudaGemm(stream, p.input, p.output, p.compute, p.transposeA, p.transposeB, p.m, p.n, p.k,
               p.alpha, a, leading(columnsOfA()), strideOfA(), b, leading(columnsOfB()),
               strideOfB(), p.beta, c, leading(p.n), stride(p.m, p.n), p.batch);
}

static const int64_t nothing[] = {0, 0};
static int32_t invoke(lstm_cuda_session *session) {
  void *values[1];
  return lstmCudaInvoke(session, 0, nothing, "", multiply, values);
}

static void check(lstm_cuda_session *session) {
  static double old[MAX];
  for (int64_t i = 0; i < MAX; ++i) {
    set(a, p.input, i, (double)(i * 7 % 9) - 4);
    set(b, p.input, i, (double)(i * 5 % 7) - 3);
    /* Not read where beta is 0. */
    set(c, p.output, i, p.beta == 0 ? NAN : (double)(i % 4));
    old[i] = i % 4;
  }
  if (stream)
    multiply(0);
  else
    EXPECT_GOOD(session, invoke(session));
  EXPECT_GOOD(session, lstm_cuda_wait(session, 0));
  for (int64_t i = 0; i < MAX; ++i) {
    int64_t batch = i / stride(p.m, p.n), rest = i % stride(p.m, p.n);
    int64_t row = rest / leading(p.n), column = rest % leading(p.n);
    double got = get(c, p.output, i), wanted = p.beta == 0 ? NAN : old[i];
    if (batch < p.batch && row < p.m && column < p.n) {
      double sum = 0;
      for (int64_t k = 0; k < p.k; ++k) {
        int64_t ia = batch * strideOfA() +
                     (p.transposeA ? k * leading(p.m) + row : row * leading(p.k) + k);
        int64_t ib = batch * strideOfB() +
                     (p.transposeB ? column * leading(p.k) + k : k * leading(p.n) + column);
        sum += get(a, p.input, ia) * get(b, p.input, ib);
      }
      wanted = p.alpha * sum + (p.beta == 0 ? 0 : p.beta * old[i]);
    }
    if (got != wanted && !(isnan(got) && isnan(wanted))) {
      fprintf(stderr, "types %d %d, transposed %d %d, %dx%dx%d times %d: c[%d]: got %g, expected %g\n",
              p.input, p.output, p.transposeA, p.transposeB, (int)p.m, (int)p.n, (int)p.k,
              (int)p.batch, (int)i, got, wanted);
      exit(1);
    }
  }
}

int main(void) {
  lstm_cuda_session *session = makeSession();
  EXPECT_GOOD(session, lstm_cuda_set_option(session, "graph-after", -1));
  void **all[] = {&a, &b, &c};
  for (int i = 0; i < 3; ++i)
    EXPECT_GOOD(session, lstm_cuda_allocate(session, MAX * 8, all[i]));
  static const int32_t types[][3] = {{LSTM_F32, LSTM_F32, LSTM_COMPUTE_F32},
                                     {LSTM_F32, LSTM_F32, LSTM_COMPUTE_TF32},
                                     {LSTM_F64, LSTM_F64, LSTM_COMPUTE_F64},
                                     {LSTM_BF16, LSTM_F32, LSTM_COMPUTE_F32},
                                     {LSTM_BF16, LSTM_BF16, LSTM_COMPUTE_F32}};
  static const int64_t sizes[][3] = {{2, 3, 4}, {4, 3, 2}, {1, 5, 3}, {5, 1, 3}, {3, 2, 1}, {2, 3, 0}};
  static const double factors[][2] = {{1, 0}, {1, 1}, {2, 0.5}};
  int64_t products = 0;
  for (int type = 0; type < 5; ++type)
    for (int size = 0; size < 6; ++size)
      for (int factor = 0; factor < 3; ++factor)
        for (int form = 0; form < 8; ++form) {
          p.input = types[type][0];
          p.output = types[type][1];
          p.compute = types[type][2];
          p.m = sizes[size][0];
          p.n = sizes[size][1];
          p.k = sizes[size][2];
          p.alpha = factors[factor][0];
          p.beta = factors[factor][1];
          p.transposeA = form & 1;
          p.transposeB = form >> 1 & 1;
          p.batch = form & 4 ? BATCH : 1;
          check(session);
          EXPECT(lstm_cuda_get(session, "products"), ++products);
        }
  EXPECT(fakeCount("cublasGemmEx"), products / 2);
  EXPECT(fakeCount("cublasGemmStridedBatchedEx"), products / 2);
  EXPECT(fakeCount("frozen products"), 0);

  /* Nothing to do. */
  for (int i = 0; i < 3; ++i) {
    p.m = i != 0;
    p.n = i != 1;
    p.batch = i != 2;
    EXPECT_GOOD(session, invoke(session));
  }
  EXPECT(lstm_cuda_get(session, "products"), products);
  p.m = p.n = p.batch = 1;
  p.m = (int64_t)1 << 31;
  EXPECT_FAILURE(session, invoke(session), LSTM_WRONG_SHAPE, "2147483648 is out of range");
  p.m = 1;
  p.input = LSTM_I32;
  EXPECT_FAILURE(session, invoke(session), LSTM_WRONG_DTYPE, "no floating-point");
  p.input = LSTM_F64;
  EXPECT_FAILURE(session, invoke(session), LSTM_CUBLAS_ERROR,
                 "cublasGemmEx: a failure of the fake cuBLAS (15)");
  p.input = p.output = LSTM_F32;

  /* On a stream that is given, without a session. */
  EXPECT(cuStreamCreate(&stream, 1), 0);
  p.m = 2;
  p.n = 3;
  p.k = 4;
  check(session);
  check(session);
  EXPECT(fakeCount("cublasCreate"), 2);
  EXPECT(lstm_cuda_get(session, "products"), products);
  fakeFail("cublasGemmEx", 1, 14);
  multiply(0);
  EXPECT_FAILURE(session, lstm_cuda_wait(session, 0), LSTM_CUBLAS_ERROR, "cublasGemmEx");
  check(session);
  EXPECT(cuStreamDestroy_v2(stream), 0);
  for (int i = 0; i < 3; ++i)
    EXPECT_GOOD(session, lstm_cuda_free(session, *all[i]));
  lstm_cuda_destroy(session);
  EXPECT(fakeCount("live"), 1); /* the handle for all streams */
  return 0;
}
