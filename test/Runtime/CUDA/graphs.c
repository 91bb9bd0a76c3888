/*===- graphs.c - Test of graphs, captures and branches of the GPU runtime ===*\
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

#define EXPECT_COUNTS(session, plain_, captures_, updates_, replays_, graphs_)                     \
  do {                                                                                             \
    EXPECT(lstm_cuda_get(session, "plain"), plain_);                                               \
    EXPECT(lstm_cuda_get(session, "captures"), captures_);                                         \
    EXPECT(lstm_cuda_get(session, "updates"), updates_);                                           \
    EXPECT(lstm_cuda_get(session, "replays"), replays_);                                           \
    EXPECT(lstm_cuda_get(session, "graphs"), graphs_);                                             \
  } while (0)

enum { SETS = 6 };
static lstm_tensor xs[SETS], ys[SETS];

static void callAndCheck(lstm_cuda_session *session, int set, float s) {
  memset(ys[set].data, 0xff, (size_t)ys[set].shape[0] * WIDTH * 4);
  EXPECT_GOOD(session, call(session, 0, &xs[set], s, &ys[set]));
  EXPECT_RESULT(&ys[set], s);
}

static void testCache(void) {
  lstm_cuda_session *session = makeSession();
  callAndCheck(session, 0, 2);
  EXPECT_COUNTS(session, 1, 0, 0, 0, 0);
  callAndCheck(session, 0, 2);
  EXPECT_COUNTS(session, 1, 1, 0, 0, 1);
  int64_t launches = lstm_cuda_get(session, "launches");
  fakeResetCounts();
  callAndCheck(session, 0, 2);
  callAndCheck(session, 0, 2);
  EXPECT_COUNTS(session, 1, 1, 0, 2, 1);
  EXPECT(lstm_cuda_get(session, "launches"), launches);
  EXPECT(fakeCount("cuGraphLaunch"), 2);
  EXPECT(fakeCount("cuLaunchKernel"), 0);
  /* Another scalar, another shape. */
  callAndCheck(session, 0, 3);
  EXPECT_COUNTS(session, 2, 1, 0, 2, 1);
  xs[0].shape[0] = ys[0].shape[0] = 2;
  callAndCheck(session, 0, 2);
  xs[0].shape[0] = ys[0].shape[0] = 4;
  EXPECT_COUNTS(session, 3, 1, 0, 2, 1);
  callAndCheck(session, 0, 2);
  EXPECT_COUNTS(session, 3, 1, 0, 3, 1);
  lstm_cuda_destroy(session);
}

/* New addresses of a known shape: the fifth set takes the graph that was not used for longest. */
static void testUpdates(void) {
  lstm_cuda_session *session = makeSession();
  EXPECT_GOOD(session, lstm_cuda_set_option(session, "graph-after", 0));
  for (int set = 0; set < 4; ++set)
    callAndCheck(session, set, 2);
  EXPECT_COUNTS(session, 0, 4, 0, 0, 4);
  callAndCheck(session, 0, 2);
  callAndCheck(session, 4, 2); /* in the place of 1 */
  EXPECT_COUNTS(session, 0, 5, 1, 1, 4);
  for (int i = 0; i < 2; ++i) {
    callAndCheck(session, 0, 2);
    callAndCheck(session, 2, 2);
    callAndCheck(session, 3, 2);
    callAndCheck(session, 4, 2);
  }
  EXPECT_COUNTS(session, 0, 5, 1, 9, 4);
  callAndCheck(session, 1, 2);
  EXPECT_COUNTS(session, 0, 6, 2, 9, 4);
  /* A graph of another form takes the place of one, it is no failure. */
  program.launches = 2;
  callAndCheck(session, 5, 2);
  program.launches = 1;
  EXPECT_COUNTS(session, 0, 7, 2, 9, 4);
  callAndCheck(session, 5, 2);
  lstm_cuda_destroy(session);
}

static void testBound(void) {
  lstm_cuda_session *session = makeSession();
  callAndCheck(session, 0, 1);
  EXPECT_GOOD(session, lstm_cuda_set_option(session, "graph-after", 0));
  EXPECT_GOOD(session, lstm_cuda_set_option(session, "max-graphs", 3));
  for (int s = 1; s <= 10; ++s) {
    callAndCheck(session, 0, (float)s);
    callAndCheck(session, 0, 1); /* used all the time, so it stays */
  }
  EXPECT_COUNTS(session, 1, 10, 0, 10, 3);
  EXPECT_GOOD(session, lstm_cuda_set_option(session, "max-graphs", 1));
  EXPECT_COUNTS(session, 1, 10, 0, 10, 1);
  callAndCheck(session, 0, 1);
  EXPECT_COUNTS(session, 1, 10, 0, 11, 1);
  callAndCheck(session, 1, 1); /* full: updated at once */
  EXPECT_COUNTS(session, 1, 11, 1, 11, 1);
  EXPECT_GOOD(session, lstm_cuda_set_option(session, "graph-after", -1));
  callAndCheck(session, 1, 1);
  EXPECT_COUNTS(session, 2, 11, 1, 11, 1);
  lstm_cuda_destroy(session);
}

/* Many shapes that never come again do not make graphs. */
static void testOnce(void) {
  lstm_cuda_session *session = makeSession();
  for (int i = 0; i < 1000; ++i)
    callAndCheck(session, 0, (float)(i % 500));
  EXPECT_COUNTS(session, 1000, 0, 0, 0, 0);
  lstm_cuda_destroy(session);
}

/* What grows is at another address, and what was unloaded is gone. */
static void testDropped(void) {
  lstm_cuda_session *session = makeSession();
  for (int i = 0; i < 3; ++i)
    callAndCheck(session, 0, 2);
  EXPECT_COUNTS(session, 1, 1, 0, 1, 1);
  program.workspace = 4096;
  callAndCheck(session, 0, 2);
  EXPECT_COUNTS(session, 2, 1, 0, 1, 0);
  callAndCheck(session, 0, 2);
  EXPECT_COUNTS(session, 2, 2, 0, 1, 1);
  lstmCudaRelease(&module);
  callAndCheck(session, 0, 2);
  EXPECT_COUNTS(session, 3, 2, 0, 1, 0);
  callAndCheck(session, 0, 2);
  EXPECT_GOOD(session, lstm_cuda_set_option(session, "branches", 2));
  EXPECT_COUNTS(session, 3, 3, 0, 1, 0);
  program.workspace = 64;
  lstm_cuda_destroy(session);
}

static void testReads(void) {
  lstm_cuda_session *session = makeSession();
  program.read = 2;
  for (int i = 0; i < 4; ++i)
    callAndCheck(session, 0, 2);
  EXPECT_COUNTS(session, 4, 0, 0, 0, 0);
  program.read = 0;
  lstm_cuda_destroy(session);
}

/* With graphs at once, what the session lacks is made by a call without one. */
static void testUnready(void) {
  lstm_cuda_session *session = makeSession();
  EXPECT_GOOD(session, lstm_cuda_set_option(session, "graph-after", 0));
  program.products = 2;
  program.branches = 3;
  program.workspace = 4096;
  lstm_tensor fresh = {0};
  EXPECT_GOOD(session, call(session, 0, &xs[0], 2, &fresh));
  EXPECT_RESULT(&fresh, 2);
  EXPECT_COUNTS(session, 1, 0, 0, 0, 0);
  EXPECT_GOOD(session, lstm_cuda_free_tensor(session, &fresh));
  for (int i = 0; i < 3; ++i)
    callAndCheck(session, 0, 2);
  EXPECT_COUNTS(session, 1, 1, 0, 2, 1);
  program.products = 0;
  program.branches = 1;
  program.workspace = 64;
  lstm_cuda_destroy(session);
}

/* In a capture the call fails, which does no harm to it, and says what is missing. */
static void expectLack(lstm_cuda_session *session, void *stream, lstm_tensor *y, const char *what) {
  void *graph;
  EXPECT(cuStreamBeginCapture_v2(stream, 1), 0);
  EXPECT_FAILURE(session, call(session, stream, &xs[0], 2, y), LSTM_IN_CAPTURE, what);
  EXPECT_TEXT(lstm_cuda_last_error(session), "is not there yet and cannot be made while the stream "
                                             "is captured: make one call of this shape before");
  EXPECT_FAILURE(session, lstm_cuda_wait(session, stream), LSTM_IN_CAPTURE, "captured");
  EXPECT(cuStreamEndCapture(stream, &graph), 0);
  EXPECT(cuGraphDestroy(graph), 0);
}

static void testCallersCapture(void) {
  lstm_cuda_session *session = makeSession();
  void *stream, *graph, *exec;
  EXPECT(cuStreamCreate(&stream, 1), 0);
  lstm_tensor strided = ys[1];
  strided.strides[0] = 1;
  strided.strides[1] = 4;
#define CALL_IN_CAPTURE() call(session, stream, &xs[0], 2, &strided)
  program.workspace = 4096;
  expectLack(session, stream, &strided, "the workspace");
  EXPECT_GOOD(session, call(session, stream, &xs[0], 2, &ys[2]));
  expectLack(session, stream, &strided, "memory for a copy of result 'y'");
  EXPECT_GOOD(session, CALL_IN_CAPTURE());
  void *state = constant.state;
  constant.state = NULL;
  expectLack(session, stream, &strided, "a constant");
  constant.state = state;
  lstmCudaRelease(&module);
  expectLack(session, stream, &strided, "the code of a kernel");
  EXPECT_GOOD(session, CALL_IN_CAPTURE());
  program.branches = 3;
  expectLack(session, stream, &strided, "a stream");
  EXPECT_GOOD(session, CALL_IN_CAPTURE());
  program.products = 1;
  expectLack(session, stream, &strided, "cuBLAS");
  EXPECT_GOOD(session, CALL_IN_CAPTURE());

  EXPECT(cuStreamBeginCapture_v2(stream, 1), 0);
  int64_t replays = lstm_cuda_get(session, "replays");
  EXPECT_GOOD(session, CALL_IN_CAPTURE());
  program.read = 1;
  EXPECT_FAILURE(session, CALL_IN_CAPTURE(), LSTM_IN_CAPTURE, "reads memory of the device");
  program.read = 0;
  lstm_tensor fresh = {0};
  EXPECT_FAILURE(session, call(session, stream, &xs[0], 2, &fresh), LSTM_IN_CAPTURE,
                 "memory for result 'y'");
  EXPECT(cuStreamEndCapture(stream, &graph), 0);
  EXPECT(lstm_cuda_get(session, "replays"), replays);
  EXPECT(cuGraphInstantiateWithFlags(&exec, graph, 0), 0);
  /* The session outgrows what the graph uses, which stays. */
  program.workspace = 1 << 16;
  EXPECT_GOOD(session, CALL_IN_CAPTURE());
  memset(ys[1].data, 0xff, 4 * WIDTH * 4);
  EXPECT(cuGraphLaunch(exec, stream), 0);
  EXPECT_RESULT(&strided, 2);
  EXPECT(cuGraphExecDestroy(exec), 0);
  EXPECT(cuGraphDestroy(graph), 0);
  EXPECT(cuStreamDestroy_v2(stream), 0);
  program.branches = 1;
  program.products = 0;
  program.workspace = 64;
  lstm_cuda_destroy(session);
}

static void testBranches(void) {
  lstm_cuda_session *session = makeSession();
  EXPECT_GOOD(session, lstm_cuda_set_option(session, "graph-after", -1));
  program.branches = 8;
  program.products = 1;
  program.workspace = 16384;
  for (int streams = 1; streams <= 8; ++streams) {
    EXPECT_GOOD(session, lstm_cuda_set_option(session, "branches", streams));
    for (int events = 0; events < 2; ++events) {
      program.twoEvents = events;
      callAndCheck(session, 0, 2);
      fakeResetCounts();
      callAndCheck(session, 0, 2);
      /* A fork for each branch that is not on the caller's stream, a join for each stream, an
         event for each branch if there are streams, and the end of the call. */
      int others = 0;
      for (int branch = 1; branch < 8; ++branch)
        others += branch % streams != 0;
      EXPECT(fakeCount("cuEventRecord"),
             others + (streams - 1) + (events && streams > 1 ? 7 : 0) + 1);
      EXPECT(fakeCount("cuStreamWaitEvent"), others + (streams - 1) + (events ? others : 0));
      EXPECT(fakeCount("cublasSetWorkspace"), streams);
      EXPECT(fakeCount("frozen products"), 0);
    }
  }
  /* Captured, the fake driver checks that all are joined. */
  EXPECT_GOOD(session, lstm_cuda_set_option(session, "graph-after", 1));
  for (int i = 0; i < 4; ++i)
    callAndCheck(session, 0, 2);
  EXPECT(lstm_cuda_get(session, "replays"), 2);
  program.branches = 1;
  program.products = 0;
  program.twoEvents = false;
  program.workspace = 64;
  lstm_cuda_destroy(session);
}

int main(void) {
  lstm_cuda_session *session = makeSession();
  for (int i = 0; i < SETS; ++i) {
    xs[i] = makeArgument(session, 4);
    ys[i] = makePlace(session, 4);
  }
  testCache();
  testUpdates();
  testBound();
  testOnce();
  testDropped();
  testReads();
  testUnready();
  testBranches();
  lstm_cuda_destroy(session);
  /* With no session left, constants are gone, too. */
  testCallersCapture();
  session = makeSession();
  for (int i = 0; i < SETS; ++i) {
    EXPECT_GOOD(session, lstm_cuda_free(session, xs[i].data));
    EXPECT_GOOD(session, lstm_cuda_free(session, ys[i].data));
  }
  lstm_cuda_destroy(session);
  lstmCudaRelease(&module);
  EXPECT(fakeCount("live"), 0);
  return 0;
}
