/*===- errors.c - What a compiled program refuses --------------------------===*\
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
RUN: %c_compiler -std=c11 -Wall -Wextra -Wpedantic -Werror -I%t %s %t/libmodel.so -Wl,-rpath,%t -o %t/errors
RUN: %t/errors | FileCheck %s

The header is C++, too.
RUN: echo '#include "model.h"' > %t/model.cpp
RUN: %cxx_compiler -std=c++11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only %t/model.cpp
*/

#include "model.h"

#include <stdio.h>
#include <string.h>

enum { T = 3, B = 2, K = 24, H = 40 };

static float xs[T * B * K], h0s[(B + 1) * H], c0s[B * H], Ws[K * 4 * H], Us[H * 4 * H], bs[4 * H];
static int32_t lens[B] = {3, 0};
static float yss[T * B * H];

static lstm_tensor x, h0, c0, len, W, U, b, ys, hT, cT;

static lstm_tensor make(const void *data, lstm_dtype dtype, int64_t rank, int64_t d0, int64_t d1,
                        int64_t d2) {
  const int64_t shape[] = {d0, d1, d2};
  return lstm_make_tensor(data, dtype, rank, shape);
}

static void reset(void) {
  x = make(xs, LSTM_F32, 3, T, B, K);
  h0 = make(h0s, LSTM_F32, 2, B, H, 0);
  c0 = make(c0s, LSTM_F32, 2, B, H, 0);
  len = make(lens, LSTM_I32, 1, B, 0, 0);
  W = make(Ws, LSTM_F32, 3, K, 4, H);
  U = make(Us, LSTM_F32, 3, H, 4, H);
  b = make(bs, LSTM_F32, 2, 4, H, 0);
  ys = make(yss, LSTM_F32, 3, T, B, H);
  memset(&hT, 0, sizeof hT);
  memset(&cT, 0, sizeof cT);
}

static void call(const char *title) {
  int32_t status = model_main(&x, &h0, &c0, &len, &W, &U, &b, &ys, &hT, &cT);
  printf("%s: %d %s\n", title, (int)status, status ? model_last_error() : "");
  if (status && (hT.data || cT.data))
    printf("a call that failed gave a result\n");
  model_free(&hT);
  model_free(&cT);
  reset();
}

int main(void) {
  reset();
  // CHECK: well-formed: 0
  // CHECK-NOT: gave a result
  call("well-formed");

  // CHECK: data: 1 argument 'x': expected data, but got a null pointer
  x.data = NULL;
  call("data");
  // CHECK-NEXT: tensor: 1 argument 'len': expected a tensor, but got a null pointer
  printf("tensor: %d ", (int)model_main(&x, &h0, &c0, NULL, &W, &U, &b, &ys, &hT, &cT));
  printf("%s\n", model_last_error());
  // CHECK-NEXT: dtype: 2 argument 'len': expected elements of type i32, but got i64 (5)
  len.dtype = LSTM_I64;
  call("dtype");
  // CHECK-NEXT: unknown dtype: 2 argument 'b': expected elements of type f32, but got an unknown type (77)
  b.dtype = 77;
  call("unknown dtype");
  // CHECK-NEXT: rank: 3 argument 'W': expected rank 3, but got 2
  W.rank = 2;
  call("rank");
  // CHECK-NEXT: large rank: 3 argument 'W': expected rank 3, but got 99
  W.rank = 99;
  call("large rank");
  // CHECK-NEXT: shape: 4 argument 'U': expected dim #0 to be 40, but got 41
  U.shape[0] = H + 1;
  call("shape");
  // CHECK-NEXT: negative: 4 argument 'x': expected dim #0 to be 0 or more, but got -1
  x.shape[0] = -1;
  call("negative");
  // CHECK-NEXT: overflow: 4 argument 'x': the size overflows
  x.shape[0] = x.shape[1] = INT64_MAX / 2;
  call("overflow");

  // CHECK-NEXT: place's rank: 3 result 'ys': expected rank 3, but got 1
  ys.rank = 1;
  call("place's rank");
  // CHECK-NEXT: place's dtype: 2 result 'ys': expected elements of type f32, but got f64 (1)
  ys.dtype = LSTM_F64;
  call("place's dtype");
  // CHECK-NEXT: place's static size: 4 result 'ys': expected dim #2 to be 40, but got 39
  ys.shape[2] = H - 1;
  call("place's static size");
  // CHECK-NEXT: place's size: 4 result 'ys': expected dim #0 to be 3, but got 2
  ys.shape[0] = T - 1;
  call("place's size");

  // CHECK-NEXT: long: 5 lstm.mlir:25:19: error: 'lstm.recurrence' op expects lengths[1] to be in 0...3, but got 4
  lens[1] = T + 1;
  call("long");
  // CHECK-NEXT: negative length: 5 lstm.mlir:25:19: error: 'lstm.recurrence' op expects lengths[0] to be in 0...3, but got -1
  lens[0] = -1;
  call("negative length");
  lens[0] = T;
  lens[1] = 0;
  // CHECK-NEXT: batch: 5 lstm.mlir:25:19: error: 'lstm.recurrence' op expects state #0 to have batch 2, but got 3
  h0.shape[0] = B + 1;
  call("batch");

  // What is too large for any memory: a copy of an argument, and what the program allocates.
  // CHECK-NEXT: memory: 6 argument 'x': no memory for a copy of {{[0-9]+}} bytes
  x.strides[0] = 0;
  x.shape[0] = INT64_C(1) << 44;
  call("memory");
  // CHECK-NEXT: memory inside: 6 no memory for {{[0-9]+}} bytes
  x.shape[0] = INT64_C(1) << 44;
  memset(&ys, 0, sizeof ys);
  call("memory inside");

  // The program goes on after all that.
  // CHECK-NEXT: afterwards: 0
  call("afterwards");
  // CHECK-NEXT: no results: 0
  printf("no results: %d\n", (int)model_main(&x, &h0, &c0, &len, &W, &U, &b, NULL, NULL, NULL));
  // CHECK-NEXT: free: ok
  model_free(NULL);
  model_free(&x);
  printf("free: %s\n", x.data ? "ok" : "took an argument");
  // CHECK-NEXT: threads: 0
  model_set_num_threads(2);
  call("threads");
  return 0;
}
