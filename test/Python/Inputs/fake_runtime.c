/*===- fake_runtime.c - Sessions on the host's memory -----------------------===*\
|*
|* Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
|* Exceptions. See LICENSE for license information.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|* What the loader calls of liblstm_cuda_runtime.so, with counters of its own.
|*
\*===----------------------------------------------------------------------===*/

#include "lstm-runtime/session.h"

#include <stdlib.h>
#include <string.h>

struct lstm_cuda_session {
  int pending;
};

static int64_t sessions, blocks, waits;

/* What a wait is to return next. */
void fake_fail(lstm_cuda_session *session) { session->pending = LSTM_CHECK_FAILED; }

int32_t lstm_cuda_create(lstm_cuda_session **session) {
  *session = calloc(1, sizeof **session);
  ++sessions;
  return LSTM_OK;
}
void lstm_cuda_destroy(lstm_cuda_session *session) {
  free(session);
  --sessions;
}
const char *lstm_cuda_last_error(const lstm_cuda_session *session) {
  return session ? "the session's message" : "no session";
}
int32_t lstm_cuda_wait(lstm_cuda_session *session, void *stream) {
  int status = session->pending;
  session->pending = 0;
  ++waits;
  return status;
}
int32_t lstm_cuda_set_workspace(lstm_cuda_session *session, void *data, int64_t bytes) { return LSTM_OK; }
int32_t lstm_cuda_set_option(lstm_cuda_session *session, const char *name, int64_t value) {
  return strcmp(name, "branches") ? LSTM_WRONG_SHAPE : LSTM_OK;
}
int64_t lstm_cuda_get(const lstm_cuda_session *session, const char *counter) {
  return !strcmp(counter, "sessions") ? sessions : !strcmp(counter, "blocks") ? blocks : !strcmp(counter, "waits") ? waits : -1;
}
int32_t lstm_cuda_allocate(lstm_cuda_session *session, int64_t bytes, void **data) {
  *data = malloc((size_t)bytes);
  ++blocks;
  return LSTM_OK;
}
int32_t lstm_cuda_free(lstm_cuda_session *session, void *data) {
  free(data);
  --blocks;
  return LSTM_OK;
}
int32_t lstm_cuda_copy(lstm_cuda_session *session, void *stream, void *target, const void *source, int64_t bytes) {
  memcpy(target, source, (size_t)bytes);
  return LSTM_OK;
}
int32_t lstm_cuda_free_tensor(lstm_cuda_session *session, lstm_tensor *tensor) {
  if (tensor->owner)
    lstm_cuda_free(session, tensor->owner);
  tensor->owner = tensor->data = 0;
  return LSTM_OK;
}
