/*===- packed.c - Weights packed once for many calls -----------------------===*\
|*
|* Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
|* Exceptions. See LICENSE for license information.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

/*
UNSUPPORTED: sanitizer
RUN: rm -rf %t && mkdir %t
RUN: lstm-compile %lstm_src/examples/cells/lstm.mlir -o %t/libmodel.so --header %t/model.h
RUN: %c_compiler -std=c11 -Wall -Wextra -Wpedantic -Werror -I%t %s %t/libmodel.so -Wl,-rpath,%t -o %t/packed
RUN: %t/packed | FileCheck %s

Both ways give the same bits, also after the weights are gone, with one thread as with three.

CHECK: ys and states are the same in 12 calls
*/

#include "model.h"

#include <stdio.h>
#include <string.h>

enum { T = 5, B = 7, K = 24, H = 40 };

static float xs[T * B * K], h0s[B * H], c0s[B * H], Ws[K * 4 * H], Us[H * 4 * H], bs[4 * H];
static int32_t lens[B] = {5, 0, 3, 1, 5, 2, 4};
static float ys[2][T * B * H], hs[2][B * H], cs[2][B * H];

static void fill(float *values, int count) {
  static unsigned state = 1;
  for (int i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    values[i] = (float)(state >> 8) / (float)(1 << 24) - 0.5f;
  }
}

static lstm_tensor make(void *data, lstm_dtype dtype, int rank, int64_t a, int64_t b, int64_t c) {
  int64_t shape[] = {a, b, c};
  return lstm_make_tensor(data, dtype, rank, shape);
}

static void require(int32_t status) {
  if (status != LSTM_OK)
    printf("failed: %s\n", model_last_error());
}

int main(void) {
  fill(xs, T * B * K), fill(h0s, B * H), fill(c0s, B * H);
  fill(Ws, K * 4 * H), fill(Us, H * 4 * H), fill(bs, 4 * H);
  lstm_tensor x = make(xs, LSTM_F32, 3, T, B, K), len = make(lens, LSTM_I32, 1, B, 0, 0);
  lstm_tensor h0 = make(h0s, LSTM_F32, 2, B, H, 0), c0 = make(c0s, LSTM_F32, 2, B, H, 0);
  lstm_tensor W = make(Ws, LSTM_F32, 3, K, 4, H), U = make(Us, LSTM_F32, 3, H, 4, H);
  lstm_tensor b = make(bs, LSTM_F32, 2, 4, H, 0);
  lstm_tensor y[2], h[2], c[2];
  for (int i = 0; i < 2; ++i) {
    y[i] = make(ys[i], LSTM_F32, 3, T, B, H);
    h[i] = make(hs[i], LSTM_F32, 2, B, H, 0);
    c[i] = make(cs[i], LSTM_F32, 2, B, H, 0);
  }
  require(model_main(&x, &h0, &c0, &len, &W, &U, &b, &y[0], &h[0], &c[0]));

  lstm_tensor packed0 = {0}, packed1 = {0};
  require(model_main_pack(&W, &U, &packed0, &packed1));
  memset(Ws, 0, sizeof Ws);
  memset(Us, 0, sizeof Us);
  int same = 0;
  for (int call = 0; call < 12; ++call) {
    memset(ys[1], 0xff, sizeof ys[1]);
    model_set_num_threads(call % 2 ? 3 : 1);
    require(model_main_packed(&x, &h0, &c0, &len, &b, &packed0, &packed1, &y[1], &h[1], &c[1]));
    same += !memcmp(ys[0], ys[1], sizeof ys[0]) && !memcmp(hs[0], hs[1], sizeof hs[0]) &&
            !memcmp(cs[0], cs[1], sizeof cs[0]);
  }
  printf("ys and states are the same in %d calls\n", same);
  model_free(&packed0);
  model_free(&packed1);
  return 0;
}
