/*===- host_cost.c - What a call costs the host --------------------------------===*\
|*
|* Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
|* Exceptions. See LICENSE for license information.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|* Calls an LSTM layer in bf16 again and again, from C, with the same tensors, and prints the
|* median time of a call in microseconds, without and with waiting for the device.
|*
|*   host_cost B T I H
|*
\*===----------------------------------------------------------------------------===*/

#include "host_cost.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static lstm_cuda_session *session;

static void check(int32_t status) {
  if (status == LSTM_OK)
    return;
  fprintf(stderr, "host_cost: %s\n", lstm_cuda_last_error(session));
  exit(1);
}

/* Zeros on the device. */
static lstm_tensor make(lstm_dtype dtype, int64_t rank, const int64_t *shape) {
  int64_t bytes = dtype == LSTM_F32 ? 4 : 2;
  for (int64_t i = 0; i < rank; ++i)
    bytes *= shape[i];
  void *data = NULL, *zeros = calloc(1, bytes);
  check(lstm_cuda_allocate(session, bytes, &data));
  check(lstm_cuda_copy(session, NULL, data, zeros, bytes));
  check(lstm_cuda_wait(session, NULL));
  free(zeros);
  return lstm_make_tensor(data, dtype, rank, shape);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1e6 * time.tv_sec + 1e-3 * time.tv_nsec;
}

static int compare(const void *l, const void *r) {
  double difference = *(const double *)l - *(const double *)r;
  return difference < 0 ? -1 : difference > 0;
}

int main(int argc, char **argv) {
  if (argc != 5)
    return fprintf(stderr, "Usage: host_cost B T I H\n"), 2;
  int64_t B = atoll(argv[1]), T = atoll(argv[2]), I = atoll(argv[3]), H = atoll(argv[4]);
  check(lstm_cuda_create(&session));
  lstm_tensor x = make(LSTM_BF16, 3, (int64_t[]){T, B, I}), W = make(LSTM_BF16, 3, (int64_t[]){I, 4, H}),
              U = make(LSTM_BF16, 3, (int64_t[]){H, 4, H}), b = make(LSTM_F32, 2, (int64_t[]){4, H}),
              h = make(LSTM_BF16, 2, (int64_t[]){B, H}), c = make(LSTM_F32, 2, (int64_t[]){B, H}),
              hT = make(LSTM_BF16, 2, (int64_t[]){B, H}), cT = make(LSTM_F32, 2, (int64_t[]){B, H}),
              ys = make(LSTM_BF16, 3, (int64_t[]){T, B, H});
  enum { kCalls = 500, kWarmUp = 20 };
  static double costs[kCalls], times[kCalls];
  for (int i = 0; i < kWarmUp + kCalls; ++i) {
    double start = now();
    check(bench_main(session, NULL, &x, &h, &c, &W, &U, &b, &ys, &hT, &cT));
    double enqueued = now();
    check(lstm_cuda_wait(session, NULL));
    if (i >= kWarmUp) {
      costs[i - kWarmUp] = enqueued - start;
      times[i - kWarmUp] = now() - start;
    }
  }
  qsort(costs, kCalls, sizeof *costs, compare);
  qsort(times, kCalls, sizeof *times, compare);
  printf("%.2f us a call on the host, %.2f until it is done; workspace %lld bytes\n", costs[kCalls / 2],
         times[kCalls / 2], (long long)lstm_cuda_get(session, "workspace"));
  lstm_cuda_destroy(session);
  return 0;
}
