//===- testing.h - What the tests of the GPU runtime share ------*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_TEST_RUNTIME_CUDA_TESTING_H
#define LSTM_TEST_RUNTIME_CUDA_TESTING_H

#include "fake_driver.h"
#include "lstm-runtime/cuda.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void expectAt(int line, const char *what, int64_t got, int64_t wanted) {
  if (got == wanted)
    return;
  fprintf(stderr, "line %d: %s: got %lld, expected %lld\n", line, what, (long long)got,
          (long long)wanted);
  exit(1);
}
#define EXPECT(got, wanted) expectAt(__LINE__, #got, (int64_t)(got), (int64_t)(wanted))

static inline void expectTextAt(int line, const char *text, const char *part) {
  if (strstr(text, part))
    return;
  fprintf(stderr, "line %d: '%s' does not contain '%s'\n", line, text, part);
  exit(1);
}
#define EXPECT_TEXT(text, part) expectTextAt(__LINE__, text, part)

static inline void expectGoodAt(int line, lstm_cuda_session *session, int32_t status) {
  if (status == LSTM_OK)
    return;
  fprintf(stderr, "line %d: status %d: %s\n", line, (int)status, lstm_cuda_last_error(session));
  exit(1);
}
#define EXPECT_GOOD(session, call) expectGoodAt(__LINE__, session, call)

/* A call fails with this status and a message with this in it. */
#define EXPECT_FAILURE(session, call, status, part)                                                \
  do {                                                                                             \
    EXPECT(call, status);                                                                          \
    EXPECT_TEXT(lstm_cuda_last_error(session), part);                                              \
  } while (0)

/* Functions of the driver that tests call themselves. */
int cuStreamCreate(void **stream, unsigned flags);
int cuStreamDestroy_v2(void *stream);
int cuStreamBeginCapture_v2(void *stream, int mode);
int cuStreamEndCapture(void *stream, void **graph);
int cuGraphInstantiateWithFlags(void **exec, void *graph, unsigned long long flags);
int cuGraphLaunch(void *exec, void *stream);
int cuGraphDestroy(void *graph);
int cuGraphExecDestroy(void *exec);

/* ---- A program as the compiler would make it: y = s x + c, row by row ---- */

enum { WIDTH = 3 };

static inline void runScale(void **parameters, const unsigned *grid) {
  const float *x = *(float **)parameters[0], *c = *(float **)parameters[2];
  float *y = *(float **)parameters[1];
  float s = *(float *)parameters[3];
  for (unsigned i = 0; i < grid[0] * WIDTH; ++i)
    y[i] = s * x[i] + c[i % WIDTH];
}
/* Writes the check if the number is not 0. */
static inline void runCheck(void **parameters, const unsigned *grid) {
  LSTMCudaCheck *check = *(LSTMCudaCheck **)parameters[0];
  int64_t value = *(int64_t *)parameters[1];
  (void)grid;
  if (value == 0 || check->message != 0)
    return;
  check->message = (intptr_t)"length {0} of row {1} is more than {2}";
  check->values[0] = value;
  check->values[1] = 4;
  check->values[2] = 7;
}
static const FakeKernel kernels[] = {{"scale", runScale, 4}, {"check", runCheck, 2}};
static const FakeImage image = {FAKE_MAGIC, 2, kernels};
static const LSTMCudaImage images[] = {{"sm_90", &image, sizeof image}};
static LSTMCudaModule module = {1, images, 0};
static LSTMCudaKernel scaleKernel = {&module, "scale", 0}, checkKernel = {&module, "check", 0};
static const float offsets[WIDTH] = {0.5f, 0.25f, 0};
static LSTMCudaConstant constant = {offsets, sizeof offsets, 0};

/* What the program does besides. */
static struct {
  int64_t workspace, launches, branches, products, read, failing;
  bool twoEvents;
} program = {.workspace = 64, .launches = 1, .branches = 1};

/* x, s, variant; y. A graph depends on nothing but arguments, so the last one says what the
   program does. */
static const int64_t signature[] = {3,  1,       LSTM_F32, 2,  -1,       WIDTH, LSTM_F32,
                                    -1, LSTM_I64, -1,      LSTM_F32, 2,  -1,    WIDTH};
static const char names[] = "x\0s\0variant\0y";

static inline void launchScale(const void *x, void *y, float s, int64_t rows) {
  void *c = lstmCudaGetConstant(&constant);
  int64_t wide = 0;
  memcpy(&wide, &s, sizeof s);
  void *parameters[] = {&x, &y, &c, &wide};
  lstmCudaLaunch(&scaleKernel, rows, 1, 1, WIDTH, 1, 1, 0, parameters);
}

static inline void generated(void **values) {
  const int64_t *x = values[0];
  float s = *(float *)values[1];
  int64_t rows = x[3], shape[] = {rows, x[4]};
  const float *data = (float *)(intptr_t)x[1];
  if (rows > 1000)
    lstmCudaCheckFailed("{0} rows are more than {1}", rows, 1000, 0);
  char *workspace = lstmCudaGetWorkspace(program.workspace);
  float *y = lstmCudaGetResult(0, shape);
  if (!lstmCudaEnter(program.read == 0))
    return;
  for (int64_t i = 0; i < program.launches; ++i)
    launchScale(data, y, s, rows);
  for (int64_t i = 1; i < program.branches; ++i) {
    lstmCudaSetBranch(i);
    launchScale(data, workspace + i * 1024, s, 1);
    if (program.products)
      lstmCudaGemm(0, LSTM_F32, LSTM_F32, LSTM_COMPUTE_F32, 0, 0, 1, 1, WIDTH, 1, data, WIDTH, 0,
                   offsets, 1, 0, 0, workspace + i * 1024 + 512, 1, 0, 1);
    if (program.twoEvents) {
      lstmCudaRecord(i);
      lstmCudaSetBranch(0);
      lstmCudaWaitFor(i);
    }
  }
  lstmCudaJoin();
  for (int64_t i = 0; i < program.products; ++i)
    lstmCudaGemm(0, LSTM_F32, LSTM_F32, LSTM_COMPUTE_F32, 0, 0, 1, 1, WIDTH, 1, data, WIDTH, 0,
                 offsets, 1, 0, 0, workspace + 4 * i, 1, 0, 1);
  LSTMCudaCheck *check = lstmCudaGetCheck();
  void *parameters[] = {&check, &program.failing};
  if (program.failing)
    lstmCudaLaunch(&checkKernel, 1, 1, 1, 1, 1, 1, 0, parameters);
  for (int64_t i = 0; i < program.read; ++i) {
    float first;
    lstmCudaRead(&first, y, sizeof first);
    if (first != s * data[0] + offsets[0])
      lstmCudaCheckFailed("read a wrong value", 0, 0, 0);
  }
}

static inline int32_t call(lstm_cuda_session *session, void *stream, lstm_tensor *x, float s,
                           lstm_tensor *y) {
  int64_t variant = program.branches + 10 * program.products + 100 * program.read +
                    1000 * program.twoEvents + 10000 * program.failing;
  void *values[] = {x, &s, &variant, y};
  return lstmCudaInvoke(session, stream, signature, names, generated, values);
}

static inline lstm_tensor makeArray(void *data, int64_t rows) {
  int64_t shape[] = {rows, WIDTH};
  return lstm_make_tensor(data, LSTM_F32, 2, shape);
}

/* An argument whose values are 1, 2, 3, … */
static inline lstm_tensor makeArgument(lstm_cuda_session *session, int64_t rows) {
  float *data;
  EXPECT_GOOD(session, lstm_cuda_allocate(session, rows * WIDTH * 4, (void **)&data));
  for (int64_t i = 0; i < rows * WIDTH; ++i)
    data[i] = (float)(i + 1);
  return makeArray(data, rows);
}
static inline lstm_tensor makePlace(lstm_cuda_session *session, int64_t rows) {
  lstm_tensor y = makeArgument(session, rows);
  memset(y.data, 0xff, (size_t)(rows * WIDTH * 4));
  return y;
}

static inline void checkResultAt(int line, const lstm_tensor *y, float s) {
  for (int64_t i = 0; i < y->shape[0]; ++i)
    for (int64_t j = 0; j < y->shape[1]; ++j) {
      float got = ((float *)y->data)[i * y->strides[0] + j * y->strides[1]];
      float wanted = s * (float)(i * WIDTH + j + 1) + offsets[j];
      if (got != wanted) {
        fprintf(stderr, "line %d: y[%d][%d]: got %g, expected %g\n", line, (int)i, (int)j, got,
                wanted);
        exit(1);
      }
    }
}
#define EXPECT_RESULT(y, s) checkResultAt(__LINE__, y, s)

static inline lstm_cuda_session *makeSession(void) {
  lstm_cuda_session *session;
  EXPECT_GOOD(0, lstm_cuda_create(&session));
  return session;
}

#endif /* LSTM_TEST_RUNTIME_CUDA_TESTING_H */
