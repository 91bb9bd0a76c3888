/*===- calls.c - Test of calls of programs for GPUs ----------------------===*\
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

static void testArguments(lstm_cuda_session *session) {
  lstm_tensor x = makeArgument(session, 4), y = makePlace(session, 4), bad = x;
  EXPECT_FAILURE(session, call(session, 0, 0, 2, &y), LSTM_NULL_POINTER,
                 "argument 'x': expected a tensor, but got a null pointer");
  bad.data = 0;
  EXPECT_FAILURE(session, call(session, 0, &bad, 2, &y), LSTM_NULL_POINTER,
                 "argument 'x': expected data, but got a null pointer");
  bad = x;
  bad.dtype = LSTM_F64;
  EXPECT_FAILURE(session, call(session, 0, &bad, 2, &y), LSTM_WRONG_DTYPE,
                 "argument 'x': expected elements of type f32, but got f64 (1)");
  bad = x;
  bad.rank = 3;
  EXPECT_FAILURE(session, call(session, 0, &bad, 2, &y), LSTM_WRONG_RANK,
                 "argument 'x': expected rank 2, but got 3");
  bad = x;
  bad.shape[1] = 4;
  EXPECT_FAILURE(session, call(session, 0, &bad, 2, &y), LSTM_WRONG_SHAPE,
                 "argument 'x': expected dim #1 to be 3, but got 4");
  bad = y;
  bad.shape[0] = 5;
  EXPECT_FAILURE(session, call(session, 0, &x, 2, &bad), LSTM_WRONG_SHAPE,
                 "result 'y': expected dim #0 to be 4, but got 5");
  bad = y;
  bad.dtype = LSTM_I32;
  EXPECT_FAILURE(session, call(session, 0, &x, 2, &bad), LSTM_WRONG_DTYPE, "result 'y'");
  EXPECT(lstm_cuda_get(session, "launches"), 0);
  EXPECT_GOOD(session, call(session, 0, &x, 2, &y));
  EXPECT_RESULT(&y, 2);
  EXPECT_GOOD(session, lstm_cuda_free(session, x.data));
  EXPECT_GOOD(session, lstm_cuda_free(session, y.data));
}

static void testChecks(lstm_cuda_session *session) {
  int64_t launches = lstm_cuda_get(session, "launches");
  lstm_tensor x = makeArgument(session, 1001), y = makePlace(session, 1001);
  EXPECT_FAILURE(session, call(session, 0, &x, 2, &y), LSTM_CHECK_FAILED,
                 "1001 rows are more than 1000");
  EXPECT(lstm_cuda_get(session, "launches"), launches);
  x.shape[0] = y.shape[0] = 7;
  /* On the device: told once, by a wait or by the next call. */
  program.failing = 9;
  EXPECT_GOOD(session, call(session, 0, &x, 2, &y));
  program.failing = 0;
  EXPECT_FAILURE(session, lstm_cuda_wait(session, 0), LSTM_CHECK_FAILED,
                 "length 9 of row 4 is more than 7");
  EXPECT_GOOD(session, lstm_cuda_wait(session, 0));
  program.failing = 10;
  EXPECT_GOOD(session, call(session, 0, &x, 2, &y));
  program.failing = 0;
  EXPECT_FAILURE(session, call(session, 0, &x, 2, &y), LSTM_CHECK_FAILED, "length 10 of row 4");
  EXPECT_GOOD(session, call(session, 0, &x, 2, &y));
  /* A call that reads sees it itself, and goes on no further. */
  program.read = 1;
  program.failing = 11;
  EXPECT_FAILURE(session, call(session, 0, &x, 2, &y), LSTM_CHECK_FAILED, "length 11 of row 4");
  program.failing = 0;
  EXPECT_GOOD(session, call(session, 0, &x, 2, &y));
  fakeFail("cuStreamSynchronize", 1, 719);
  EXPECT_FAILURE(session, call(session, 0, &x, 2, &y), LSTM_CUDA_ERROR, "cuStreamSynchronize");
  program.read = 0;
  EXPECT_GOOD(session, lstm_cuda_free(session, x.data));
  EXPECT_GOOD(session, lstm_cuda_free(session, y.data));
}

static void testPlaces(lstm_cuda_session *session) {
  lstm_tensor x = makeArgument(session, 4), y = makePlace(session, 8);
  float *yData = y.data;
  y.shape[0] = 4;
  /* In place: nothing is copied. */
  EXPECT_GOOD(session, call(session, 0, &x, 2, &y));
  fakeResetCounts();
  EXPECT_GOOD(session, call(session, 0, &x, 3, &y));
  EXPECT_RESULT(&y, 3);
  EXPECT(fakeCount("cuMemcpyAsync") + fakeCount("cuMemcpy2DAsync"), 0);

  /* With other strides: one copy, and nothing beside the place is written. */
  for (int i = 0; i < 8 * WIDTH; ++i)
    yData[i] = -1;
  y.strides[0] = 2 * WIDTH;
  EXPECT_GOOD(session, call(session, 0, &x, 4, &y));
  EXPECT_RESULT(&y, 4);
  EXPECT(fakeCount("cuMemcpy2DAsync"), 1);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < WIDTH; ++j)
      EXPECT(yData[(2 * i + 1) * WIDTH + j], -1);

  /* Transposed: also one. */
  y.strides[0] = 1;
  y.strides[1] = 4;
  EXPECT_GOOD(session, call(session, 0, &x, 5, &y));
  EXPECT_RESULT(&y, 5);
  EXPECT(fakeCount("cuMemcpy2DAsync"), 1 + WIDTH);

  /* Over the argument, one row further on. */
  lstm_tensor in = makeArgument(session, 5), out = in;
  in.shape[0] = out.shape[0] = 4;
  out.data = (float *)in.data + WIDTH;
  EXPECT_GOOD(session, call(session, 0, &in, 6, &out));
  EXPECT_RESULT(&out, 6);
  /* Over all of it. */
  lstm_tensor same = makeArgument(session, 4);
  EXPECT_GOOD(session, call(session, 0, &same, 7, &same));
  EXPECT_RESULT(&same, 7);

  /* Of its own, and none. */
  lstm_tensor fresh = {0};
  EXPECT_GOOD(session, call(session, 0, &x, 8, &fresh));
  EXPECT_RESULT(&fresh, 8);
  EXPECT(fresh.rank == 2 && fresh.dtype == LSTM_F32 && fresh.owner, 1);
  EXPECT_GOOD(session, lstm_cuda_free_tensor(session, &fresh));
  EXPECT(fresh.data || fresh.owner, 0);
  EXPECT_GOOD(session, lstm_cuda_free_tensor(session, &fresh));
  EXPECT_GOOD(session, call(session, 0, &x, 8, 0));
  EXPECT_GOOD(session, lstm_cuda_free_tensor(session, &x)); /* not ours: stays */
  EXPECT(x.data != 0, 1);

  /* A call that fails takes back what it allocated. */
  long blocks = fakeCount("live");
  fakeFail("cuLaunchKernel", 1, 1);
  EXPECT_FAILURE(session, call(session, 0, &x, 8, &fresh), LSTM_CUDA_ERROR, "kernel 'scale'");
  EXPECT(fresh.data || fresh.owner, 0);
  EXPECT(fakeCount("live"), blocks);

  void *all[] = {x.data, y.data, in.data, same.data};
  for (int i = 0; i < 4; ++i)
    EXPECT_GOOD(session, lstm_cuda_free(session, all[i]));
}

static void testStrides(lstm_cuda_session *session) {
  lstm_tensor x = makeArgument(session, 4), y = makePlace(session, 4), wide = makeArgument(session, 40);
  float *data = wide.data;
  static const int64_t strides[][2] = {{1, 4}, {6, 2}, {3, 1}, {10, 3}, {-3, 1}, {4, -1}};
  for (int n = 0; n < 6; ++n) {
    lstm_tensor strided = x;
    strided.data = data + 60;
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < WIDTH; ++j)
        data[60 + i * strides[n][0] + j * strides[n][1]] = (float)(i * WIDTH + j + 1);
    memcpy(strided.strides, strides[n], sizeof strides[n]);
    for (int i = 0; i < 3; ++i) { /* also when it is replayed */
      EXPECT_GOOD(session, call(session, 0, &strided, 2, &y));
      EXPECT_RESULT(&y, 2);
      memset(y.data, 0xff, 4 * WIDTH * 4);
    }
  }
  /* A row that stands for all of them: each is copied. */
  lstm_tensor row = x;
  row.strides[0] = 0;
  EXPECT_GOOD(session, call(session, 0, &row, 1, &y));
  for (int i = 0; i < 4; ++i)
    EXPECT(((float *)y.data)[i * WIDTH + 2], 3);
  /* One row has any stride. */
  row.shape[0] = y.shape[0] = 1;
  row.strides[0] = 1234;
  fakeResetCounts();
  EXPECT_GOOD(session, call(session, 0, &row, 2, &y));
  EXPECT_RESULT(&y, 2);
  EXPECT(fakeCount("cuMemcpyAsync") + fakeCount("cuMemcpy2DAsync"), 0);
  void *all[] = {x.data, y.data, data};
  for (int i = 0; i < 3; ++i)
    EXPECT_GOOD(session, lstm_cuda_free(session, all[i]));
}

/* Nothing is launched, and nothing goes wrong. */
static void testEmpty(lstm_cuda_session *session) {
  lstm_tensor x = makeArray(0, 0), y = makeArray(0, 0), fresh = {0};
  int64_t launches = lstm_cuda_get(session, "launches");
  y.data = &y;
  for (int i = 0; i < 3; ++i)
    EXPECT_GOOD(session, call(session, 0, &x, 2, &y));
  EXPECT_GOOD(session, call(session, 0, &x, 2, &fresh));
  EXPECT(fresh.shape[0] == 0 && fresh.owner, 1);
  EXPECT_GOOD(session, lstm_cuda_free_tensor(session, &fresh));
  EXPECT_GOOD(session, call(session, 0, &x, 2, 0));
  EXPECT(lstm_cuda_get(session, "launches"), launches);
}

static void testWorkspace(lstm_cuda_session *session) {
  lstm_tensor x = makeArgument(session, 4), y = makePlace(session, 4);
  int64_t bytes = lstm_cuda_get(session, "bytes");
  for (int64_t size = 1000; size <= 3000; size += 1000) {
    program.workspace = size;
    EXPECT_GOOD(session, call(session, 0, &x, 2, &y));
    EXPECT(lstm_cuda_get(session, "workspace"), size);
    EXPECT(lstm_cuda_get(session, "bytes"), bytes - 64 + size);
  }
  /* A smaller one is a part of it. */
  int64_t allocations = lstm_cuda_get(session, "allocations");
  program.workspace = 64;
  EXPECT_GOOD(session, call(session, 0, &x, 2, &y));
  EXPECT(lstm_cuda_get(session, "allocations"), allocations);
  /* The caller's, which begins behind an address that suits. */
  char *own;
  EXPECT_GOOD(session, lstm_cuda_allocate(session, 1024, (void **)&own));
  EXPECT_GOOD(session, lstm_cuda_set_workspace(session, own + 1, 1023));
  EXPECT(lstm_cuda_get(session, "workspace"), 768);
  EXPECT(lstm_cuda_get(session, "graphs"), 0);
  EXPECT(lstm_cuda_get(session, "bytes"), bytes - 64);
  program.workspace = 768;
  EXPECT_GOOD(session, call(session, 0, &x, 2, &y));
  program.workspace = 769;
  EXPECT_FAILURE(session, call(session, 0, &x, 2, &y), LSTM_OUT_OF_MEMORY, "769");
  EXPECT_FAILURE(session, lstm_cuda_set_workspace(session, own + 1, 10), LSTM_WRONG_SHAPE, "255");
  EXPECT_GOOD(session, lstm_cuda_set_workspace(session, 0, 0));
  EXPECT_GOOD(session, call(session, 0, &x, 2, &y));
  EXPECT(lstm_cuda_get(session, "workspace"), 769);
  program.workspace = 64;
  void *all[] = {x.data, y.data, own};
  for (int i = 0; i < 3; ++i)
    EXPECT_GOOD(session, lstm_cuda_free(session, all[i]));
}

/* Calls on several streams share the workspace, so they wait for each other. */
static void testStreams(lstm_cuda_session *session) {
  lstm_tensor x = makeArgument(session, 4), y = makePlace(session, 4);
  void *streams[2];
  for (int i = 0; i < 2; ++i)
    EXPECT(cuStreamCreate(&streams[i], 1), 0);
  EXPECT_GOOD(session, call(session, streams[0], &x, 2, &y));
  fakeResetCounts();
  EXPECT_GOOD(session, call(session, streams[0], &x, 2, &y));
  EXPECT(fakeCount("cuStreamWaitEvent"), 0);
  EXPECT_GOOD(session, call(session, streams[1], &x, 2, &y));
  EXPECT(fakeCount("cuStreamWaitEvent"), 1);
  for (int i = 0; i < 2; ++i)
    EXPECT(cuStreamDestroy_v2(streams[i]), 0);
  /* A stream that is no more. */
  EXPECT_FAILURE(session, call(session, streams[0], &x, 2, &y), LSTM_CUDA_ERROR,
                 "cuStreamIsCapturing");
  EXPECT_GOOD(session, call(session, 0, &x, 2, &y));
  EXPECT_GOOD(session, lstm_cuda_free(session, x.data));
  EXPECT_GOOD(session, lstm_cuda_free(session, y.data));
}

static lstm_cuda_session *inner;
static void nested(void **values) {
  generated(values);
  lstm_tensor x = makeArray(0, 0);
  EXPECT(call(inner, 0, &x, 1, 0), LSTM_NULL_POINTER);
}
static void giveNothing(void **values) { (void)values; }
static void badNumbers(void **values) {
  (void)values;
  lstmCudaSetBranch(-1);
}
static void badWait(void **values) {
  (void)values;
  lstmCudaWaitFor(17);
}
static void badResult(void **values) {
  (void)values;
  lstmCudaGetResult(1, 0);
}
static void testMistakes(lstm_cuda_session *session) {
  lstm_tensor x = makeArgument(session, 4), y = makePlace(session, 4);
  float s = 2;
  int64_t variant = -1;
  void *values[] = {&x, &s, &variant, &y};
  inner = session;
#define INVOKE(function) lstmCudaInvoke(session, 0, signature, names, function, values)
  EXPECT_FAILURE(session, INVOKE(nested), LSTM_NULL_POINTER, "runs on this thread already");
  EXPECT_FAILURE(session, INVOKE(giveNothing), LSTM_CHECK_FAILED, "result 'y'");
  EXPECT_FAILURE(session, INVOKE(badNumbers), LSTM_WRONG_SHAPE, "-1");
  EXPECT_FAILURE(session, INVOKE(badWait), LSTM_CUDA_ERROR, "event 17");
  EXPECT_FAILURE(session, INVOKE(badResult), LSTM_WRONG_SHAPE, "no result #1");
  EXPECT_GOOD(session, INVOKE(generated));
  /* Without a call. */
  EXPECT(lstmCudaGetWorkspace(1) == 0, 1);
  EXPECT_FAILURE(session, lstm_cuda_wait(session, 0), LSTM_NULL_POINTER,
                 "lstmCudaGetWorkspace: no call of a session runs on this thread");
  EXPECT_GOOD(session, lstm_cuda_free(session, x.data));
  EXPECT_GOOD(session, lstm_cuda_free(session, y.data));
}

int main(void) {
  lstm_cuda_session *session = makeSession();
  testArguments(session);
  testChecks(session);
  testWorkspace(session);
  testPlaces(session);
  testStrides(session);
  testEmpty(session);
  testStreams(session);
  testMistakes(session);
  lstm_cuda_destroy(session);
  lstmCudaRelease(&module);
  EXPECT(fakeCount("live"), 0);
  return 0;
}
