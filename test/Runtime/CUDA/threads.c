/*===- threads.c - Test of several sessions at once, and the cost of launches ===*\
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

#include <pthread.h>
#include <time.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* All load the same kernel and the same constant. */
static void *work(void *unused) {
  (void)unused;
  lstm_cuda_session *session = makeSession();
  lstm_tensor x = makeArgument(session, 4), y = makePlace(session, 4);
  for (int i = 0; i < 300; ++i) {
    float s = (float)(i / 3);
    memset(y.data, 0xff, 4 * WIDTH * 4);
    EXPECT_GOOD(session, call(session, 0, &x, s, &y));
    EXPECT_RESULT(&y, s);
  }
  EXPECT(lstm_cuda_get(session, "plain"), 100);
  EXPECT(lstm_cuda_get(session, "captures"), 100);
  EXPECT(lstm_cuda_get(session, "replays"), 100);
  EXPECT_GOOD(session, lstm_cuda_free(session, x.data));
  EXPECT_GOOD(session, lstm_cuda_free(session, y.data));
  lstm_cuda_destroy(session);
  return NULL;
}

static void testThreads(void) {
  enum { THREADS = 4 };
  pthread_t threads[THREADS];
  lstm_cuda_session *keeper = makeSession(); /* constants stay */
  fakeResetCounts();
  for (int i = 0; i < THREADS; ++i)
    EXPECT(pthread_create(&threads[i], NULL, work, NULL), 0);
  for (int i = 0; i < THREADS; ++i)
    EXPECT(pthread_join(threads[i], NULL), 0);
  EXPECT(fakeCount("cuLibraryLoadData"), 1);
  EXPECT(fakeCount("cuLibraryGetKernel"), 1);
  lstm_cuda_destroy(keeper);
}

/* Steps in the time loop take no memory and no time to speak of. */
static void testLaunches(void) {
  lstm_cuda_session *session = makeSession();
  EXPECT_GOOD(session, lstm_cuda_set_option(session, "graph-after", -1));
  lstm_tensor x = makeArgument(session, 1), y = makePlace(session, 1);
  EXPECT_GOOD(session, call(session, 0, &x, 2, &y));
  int64_t allocations = lstm_cuda_get(session, "allocations");
  program.launches = 1000000;
  double start = now();
  EXPECT_GOOD(session, call(session, 0, &x, 2, &y));
  double launch = (now() - start) / 1e6;
  program.launches = 1;
  EXPECT(lstm_cuda_get(session, "launches"), 1000001);
  EXPECT(lstm_cuda_get(session, "allocations"), allocations);

  EXPECT_GOOD(session, lstm_cuda_set_option(session, "graph-after", 0));
  EXPECT_GOOD(session, call(session, 0, &x, 2, &y));
  start = now();
  for (int i = 0; i < 100000; ++i)
    EXPECT_GOOD(session, call(session, 0, &x, 2, &y));
  double replay = (now() - start) / 1e5;
  EXPECT(lstm_cuda_get(session, "replays"), 100000);
  printf("%.0f ns a launch, %.0f ns a replay, that of the fake driver included\n", launch, replay);
  EXPECT(launch < 5000, true);
  EXPECT(replay < 50000, true);
  EXPECT_GOOD(session, lstm_cuda_free(session, x.data));
  EXPECT_GOOD(session, lstm_cuda_free(session, y.data));
  lstm_cuda_destroy(session);
}

int main(void) {
  testThreads();
  testLaunches();
  lstmCudaRelease(&module);
  EXPECT(fakeCount("live"), 0);
  return 0;
}
