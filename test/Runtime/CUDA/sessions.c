/*===- sessions.c - Test of sessions of the GPU runtime ------------------===*\
|*
|* Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
|* Exceptions. See LICENSE for license information.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

/*
RUN: %build_with_fake
RUN: %with_fake %t
RUN: env LSTM_LIBCUDA=%t.none.so LSTM_LIBCUBLAS=%t.fake.so %t no-driver
RUN: env FAKE_CUDA_FAIL=cuInit:1:100 LSTM_LIBCUDA=%t.fake.so %t no-device
RUN: env LSTM_LIBCUDA=%t.fake.so LSTM_LIBCUBLAS=%t.none.so %t no-cublas
RUN: env LSTM_LIBCUDA=%lstm_lib_dir/liblstm_cuda_runtime.so %t old-driver
*/

#include "testing.h"

static void testWithoutDriver(const char *part) {
  lstm_cuda_session *session = (lstm_cuda_session *)&session;
  for (int i = 0; i < 2; ++i) {
    EXPECT_FAILURE(0, lstm_cuda_create(&session), LSTM_NO_DRIVER, part);
    EXPECT(session == NULL, true);
  }
}

static void testWithoutCublas(void) {
  lstm_cuda_session *session = makeSession();
  lstm_tensor x = makeArgument(session, 2), y = makePlace(session, 2);
  program.products = 1;
  EXPECT_FAILURE(session, call(session, 0, &x, 2, &y), LSTM_NO_CUBLAS, "no cuBLAS: LSTM_LIBCUBLAS: ");
  program.products = 0;
  EXPECT_GOOD(session, call(session, 0, &x, 2, &y));
  EXPECT_RESULT(&y, 2);
  lstm_cuda_destroy(session);
}

static void testOptions(lstm_cuda_session *session) {
  static const struct {
    const char *name;
    int64_t min, max;
  } options[] = {{"graph-after", -1, INT64_MAX}, {"max-graphs", 1, 4096}, {"branches", 1, 8}};
  for (int i = 0; i < 3; ++i) {
    EXPECT_GOOD(session, lstm_cuda_set_option(session, options[i].name, options[i].min));
    EXPECT_FAILURE(session, lstm_cuda_set_option(session, options[i].name, options[i].min - 1),
                   LSTM_WRONG_SHAPE, options[i].name);
    EXPECT_GOOD(session, lstm_cuda_set_option(session, options[i].name, options[i].max));
    if (options[i].max < INT64_MAX)
      EXPECT(lstm_cuda_set_option(session, options[i].name, options[i].max + 1), LSTM_WRONG_SHAPE);
  }
  EXPECT_FAILURE(session, lstm_cuda_set_option(session, "graphs", 1), LSTM_WRONG_SHAPE,
                 "unknown option 'graphs'");
}

static void testNullSession(void) {
  void *data;
  lstm_tensor x = makeArray(0, 1);
  EXPECT_FAILURE(0, lstm_cuda_wait(0, 0), LSTM_NULL_POINTER, "expected a session");
  EXPECT(lstm_cuda_set_workspace(0, 0, 0), LSTM_NULL_POINTER);
  EXPECT(lstm_cuda_set_option(0, "branches", 1), LSTM_NULL_POINTER);
  EXPECT(lstm_cuda_get(0, "graphs"), -1);
  EXPECT(lstm_cuda_allocate(0, 1, &data), LSTM_NULL_POINTER);
  EXPECT(lstm_cuda_free(0, 0), LSTM_NULL_POINTER);
  EXPECT(lstm_cuda_copy(0, 0, 0, 0, 0), LSTM_NULL_POINTER);
  EXPECT(lstm_cuda_free_tensor(0, &x), LSTM_NULL_POINTER);
  EXPECT(call(0, 0, &x, 1, &x), LSTM_NULL_POINTER);
  EXPECT_FAILURE(0, lstm_cuda_create(0), LSTM_NULL_POINTER, "place");
  lstm_cuda_destroy(0);
}

static void testMemory(lstm_cuda_session *session) {
  void *data;
  int32_t numbers[] = {1, 2, 3}, back[3];
  EXPECT_GOOD(session, lstm_cuda_allocate(session, sizeof numbers, &data));
  EXPECT_GOOD(session, lstm_cuda_copy(session, 0, data, numbers, sizeof numbers));
  EXPECT_GOOD(session, lstm_cuda_copy(session, 0, back, data, sizeof numbers));
  EXPECT_GOOD(session, lstm_cuda_wait(session, 0));
  EXPECT(memcmp(numbers, back, sizeof numbers), 0);
  EXPECT_FAILURE(session, lstm_cuda_copy(session, 0, back, data, -1), LSTM_WRONG_SHAPE, "-1");
  EXPECT_GOOD(session, lstm_cuda_free(session, data));
  EXPECT_FAILURE(session, lstm_cuda_copy(session, 0, back, data, 4), LSTM_CUDA_ERROR,
                 "cuMemcpyAsync: a failure of the fake driver (700)");
  EXPECT_FAILURE(session, lstm_cuda_free(session, data), LSTM_CUDA_ERROR, "cuMemFree");
  EXPECT_GOOD(session, lstm_cuda_free(session, 0));
  EXPECT_FAILURE(session, lstm_cuda_allocate(session, -1, &data), LSTM_WRONG_SHAPE, "-1");
  EXPECT_FAILURE(session, lstm_cuda_allocate(session, 1, 0), LSTM_NULL_POINTER, "place");
  EXPECT_GOOD(session, lstm_cuda_allocate(session, 0, &data));
  EXPECT_GOOD(session, lstm_cuda_free(session, data));
  fakeFail("cuMemAlloc", 1, 2);
  EXPECT_FAILURE(session, lstm_cuda_allocate(session, 12345, &data), LSTM_OUT_OF_MEMORY, "12345");
}

static void testCounters(lstm_cuda_session *session) {
  static const char *const all[] = {"allocations", "bytes",   "workspace", "graphs",   "captures",
                                    "updates",     "replays", "plain",     "launches", "products"};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
    EXPECT(lstm_cuda_get(session, all[i]), 0);
  EXPECT(lstm_cuda_get(session, "calls"), -1);
  lstm_tensor x = makeArgument(session, 2), y = makePlace(session, 2);
  program.products = 3;
  program.launches = 2;
  EXPECT_GOOD(session, call(session, 0, &x, 2, &y));
  EXPECT(lstm_cuda_get(session, "launches"), 2);
  EXPECT(lstm_cuda_get(session, "products"), 3);
  EXPECT(lstm_cuda_get(session, "plain"), 1);
  EXPECT(lstm_cuda_get(session, "workspace"), 64);
  EXPECT(lstm_cuda_get(session, "bytes"), 64 + (32 << 20));
  program.products = 0;
  program.launches = 1;
  EXPECT_GOOD(session, lstm_cuda_free(session, x.data));
  EXPECT_GOOD(session, lstm_cuda_free(session, y.data));
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "no-driver") == 0) {
    testWithoutDriver("no CUDA driver: LSTM_LIBCUDA: ");
    return 0;
  }
  if (argc > 1 && strcmp(argv[1], "no-device") == 0) {
    testWithoutDriver("no CUDA device: cuInit: a failure of the fake driver (100)");
    return 0;
  }
  if (argc > 1 && strcmp(argv[1], "old-driver") == 0) {
    testWithoutDriver("is too old: it lacks 'cuInit'");
    return 0;
  }
  if (argc > 1) {
    testWithoutCublas();
    return 0;
  }
  testNullSession();
  lstm_cuda_session *session = makeSession();
  testCounters(session);
  testMemory(session);
  testOptions(session);
  lstm_cuda_destroy(session);
  EXPECT(fakeCount("live"), 1); /* the library */
  lstmCudaRelease(&module);
  lstmCudaRelease(&module);
  EXPECT(fakeCount("live"), 0);
  return 0;
}
