/*===- failures.c - Test that every failure of the driver is told, once --===*\
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

/* A result with memory of its own. */
static lstm_tensor fresh;

/* Everything that a session does: plain, captured, updated and replayed calls, copies,
   branches, products, results of its own. The first failure ends it. */
static int32_t runAll(lstm_cuda_session *session, lstm_tensor *x, lstm_tensor *y, void *workspace) {
#define TRY(call)                                                                                  \
  do {                                                                                             \
    int32_t status = call;                                                                         \
    if (status != LSTM_OK)                                                                         \
      return status;                                                                               \
  } while (0)
  lstm_tensor strided = *x, other = *y;
  strided.strides[0] = 1;
  strided.strides[1] = strided.shape[0];
  other.data = (char *)y->data + 1024;
  TRY(lstm_cuda_set_option(session, "max-graphs", 1));
  for (int i = 0; i < 4; ++i)
    TRY(call(session, 0, x, 2, y));
  for (int i = 0; i < 3; ++i)
    TRY(call(session, 0, x, 2, &other));
  TRY(call(session, 0, &strided, 2, y));
  TRY(call(session, 0, x, 2, &fresh));
  TRY(lstm_cuda_free_tensor(session, &fresh));
  program.read = 1;
  int32_t read = call(session, 0, x, 2, y);
  program.read = 0;
  TRY(read);
  TRY(lstm_cuda_wait(session, 0));
  TRY(lstm_cuda_set_workspace(session, workspace, 8192));
  TRY(call(session, 0, x, 2, y));
  TRY(lstm_cuda_set_workspace(session, 0, 0));
  return LSTM_OK;
}

int main(void) {
  lstm_cuda_session *keeper = makeSession();
  lstm_tensor x = makeArgument(keeper, 4), y = makePlace(keeper, 1000);
  y.shape[0] = 4;
  void *workspace;
  EXPECT_GOOD(keeper, lstm_cuda_allocate(keeper, 8192, &workspace));
  program.branches = 3;
  program.products = 2;
  program.workspace = 8192;
  program.twoEvents = true;

  /* What is called, and how often. */
  const char *functions[128];
  long counts[128];
  int number = 0;
  lstm_cuda_destroy(keeper);
  fakeResetCounts();
  lstm_cuda_session *session = makeSession();
  EXPECT_GOOD(session, runAll(session, &x, &y, workspace));
  for (const char *name; (name = fakeGetCalled(number)); ++number) {
    functions[number] = name;
    counts[number] = fakeCount(name);
  }
  lstm_cuda_destroy(session);
  lstmCudaRelease(&module);
  long live = fakeCount("live");

  int failures = 0;
  for (int i = 0; i < number; ++i)
    for (long n = 1; n <= counts[i]; ++n) {
      const char *name = functions[i];
      fakeFail(name, n, 719);
      int32_t status = lstm_cuda_create(&session);
      const char *message = lstm_cuda_last_error(0);
      if (status == LSTM_OK) {
        status = runAll(session, &x, &y, workspace);
        message = lstm_cuda_last_error(session);
      }
      if (status == LSTM_OK) {
        /* It was called less often this time: the end of a capture that is discarded. */
        fakeFail(0, 0, 0);
        fprintf(stderr, "call %ld of %s did not fail\n", n, name);
        return 1;
      }
      bool cublas = strncmp(name, "cublas", 6) == 0;
      if (status != (cublas ? LSTM_CUBLAS_ERROR : LSTM_CUDA_ERROR) || !strstr(message, name) ||
          !strstr(message, "(719)")) {
        fprintf(stderr, "call %ld of %s: status %d: %s\n", n, name, (int)status, message);
        return 1;
      }
      ++failures;
      /* Told once; then all is well. */
      if (!session)
        session = makeSession();
      EXPECT_GOOD(session, lstm_cuda_wait(session, 0));
      EXPECT_GOOD(session, lstm_cuda_free_tensor(session, &fresh));
      for (int k = 0; k < 3; ++k) {
        memset(y.data, 0xff, 4 * WIDTH * 4);
        EXPECT_GOOD(session, call(session, 0, &x, 3, &y));
        EXPECT_RESULT(&y, 3);
      }
      lstm_cuda_destroy(session);
      lstmCudaRelease(&module);
      /* What the driver failed to free is its own affair. */
      bool frees = strstr(name, "Destroy") || strstr(name, "Free") || strstr(name, "Unload");
      if (!frees && fakeCount("live") != live) {
        fprintf(stderr, "call %ld of %s leaves %ld behind\n", n, name, fakeCount("live") - live);
        return 1;
      }
      live = fakeCount("live");
    }
  EXPECT(failures > 200, true);
  printf("%d failures of %d functions\n", failures, number);
  return 0;
}
