/*===- fake_program.c - A program as the compiler writes it -----------------===*\
|*
|* Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
|* Exceptions. See LICENSE for license information.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|* `y` is `scale` times `x`; the stream comes back as a scalar.
|*
\*===----------------------------------------------------------------------===*/

#include "lstm-runtime/session.h"

const char lstm_program[] =
    "{\"target\":\"cuda\",\"prefix\":\"fake\",\"entries\":[{\"name\":\"main\",\"symbol\":\"fake_main\","
    "\"arguments\":[{\"name\":\"x\",\"dtype\":\"f32\",\"shape\":[-1,3]},{\"name\":\"scale\",\"dtype\":\"f32\","
    "\"shape\":null}],\"results\":[{\"name\":\"y\",\"dtype\":\"f32\",\"shape\":[-1,3]},"
    "{\"name\":\"stream\",\"dtype\":\"i64\",\"shape\":null}]}]}";

int32_t fake_main(lstm_cuda_session *session, void *stream, const lstm_tensor *x, float scale, lstm_tensor *y,
                  int64_t *handle) {
  if (x->rank != 2)
    return LSTM_WRONG_RANK;
  *handle = (int64_t)stream;
  if (!y)
    return LSTM_OK;
  if (!y->data) {
    lstm_tensor made = lstm_make_tensor(0, LSTM_F32, 2, x->shape);
    int32_t status = lstm_cuda_allocate(session, x->shape[0] * 12 + 1, &made.owner);
    if (status)
      return status;
    made.data = made.owner;
    *y = made;
  }
  if (y->shape[0] != x->shape[0])
    return LSTM_WRONG_SHAPE;
  for (int64_t i = 0; i < x->shape[0]; ++i)
    for (int64_t j = 0; j < 3; ++j)
      ((float *)y->data)[i * y->strides[0] + j * y->strides[1]] =
          scale * ((float *)x->data)[i * x->strides[0] + j * x->strides[1]];
  return LSTM_OK;
}
