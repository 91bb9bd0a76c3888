/*===- memory.c - Test of filling memory, and of what the device is -------===*\
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

enum { COUNT = 5 };
static uint32_t *words;
static int64_t count, multiprocessors;
static void work(void **values) {
  (void)values;
  multiprocessors = lstmCudaGetMultiprocessors();
  if (lstmCudaEnter(1))
    lstmCudaFill(words, 0xffffffff, count);
}
static int32_t fill(lstm_cuda_session *session, int64_t number) {
  static const int64_t none[] = {0, 0};
  void *values[1];
  count = number;
  memset(words, 0, COUNT * sizeof *words);
  return lstmCudaInvoke(session, 0, none, "", work, values);
}
static void expectFilled(int64_t number) {
  for (int64_t i = 0; i < COUNT; ++i)
    EXPECT(words[i], i < number ? 0xffffffff : 0);
}

int main(void) {
  lstm_cuda_session *session = makeSession();
  EXPECT_GOOD(session, lstm_cuda_allocate(session, COUNT * sizeof *words, (void **)&words));
  EXPECT_GOOD(session, lstm_cuda_set_option(session, "graph-after", -1));
  EXPECT_GOOD(session, fill(session, 3));
  expectFilled(3);
  EXPECT(multiprocessors, 132);
  EXPECT(fakeCount("cuMemsetD32Async"), 1);
  /* Nothing to fill. */
  EXPECT_GOOD(session, fill(session, 0));
  EXPECT_GOOD(session, fill(session, -1));
  expectFilled(0);
  EXPECT(fakeCount("cuMemsetD32Async"), 1);
  fakeFail("cuMemsetD32Async", 1, 700);
  EXPECT_FAILURE(session, fill(session, 3), LSTM_CUDA_ERROR, "cuMemsetD32Async");

  /* Without a call there is no device; the next one says so. */
  static uint32_t place;
  fakeResetCounts();
  EXPECT(lstmCudaGetMultiprocessors(), 0);
  EXPECT_FAILURE(session, lstm_cuda_wait(session, 0), LSTM_NULL_POINTER,
                 "lstmCudaGetMultiprocessors: no call of a session runs on this thread");
  EXPECT(lstmCudaFits(&scaleKernel, 32, 0, 0), 0);
  EXPECT_FAILURE(session, lstm_cuda_wait(session, 0), LSTM_NULL_POINTER,
                 "lstmCudaFits: no call of a session runs on this thread");
  lstmCudaFill(&place, 1, 1);
  EXPECT_FAILURE(session, lstm_cuda_wait(session, 0), LSTM_NULL_POINTER,
                 "lstmCudaFill: no call of a session runs on this thread");
  lstmCudaLaunchTogether(&scaleKernel, 1, 1, 1, 1, 1, 1, 0, 0);
  EXPECT_FAILURE(session, lstm_cuda_wait(session, 0), LSTM_NULL_POINTER,
                 "lstmCudaLaunchTogether: no call of a session runs on this thread");
  EXPECT(place, 0);
  EXPECT(fakeCount("cuMemsetD32Async") + fakeCount("cuLaunchKernelEx"), 0);
  EXPECT_GOOD(session, lstm_cuda_free(session, words));
  lstm_cuda_destroy(session);
  return 0;
}
