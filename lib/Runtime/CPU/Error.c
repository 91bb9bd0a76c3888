/*===- Error.c - Failures of compiled programs -----------------------------===*\
|*
|* Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
|* Exceptions. See LICENSE for license information.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

#include "Call.h"
#include "Message.h"

#include "lstm-runtime/cpu.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

_Thread_local struct LSTMHandler *lstmHandler;

static _Thread_local char message[LSTM_MESSAGE_SIZE];

const char *lstmGetLastError(void) { return message; }

int32_t lstmFail(int32_t status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, LSTM_MESSAGE_SIZE, format, arguments);
  va_end(arguments);
  return status;
}

/* Leaves generated code. */
static _Noreturn void leave(int32_t status) {
  if (lstmHandler) {
    lstmHandler->status = status;
    longjmp(lstmHandler->jump, 1);
  }
  fprintf(stderr, "%s\n", message);
  abort();
}

void lstmCheckFailed(const char *text, int64_t v0, int64_t v1, int64_t v2) {
  const int64_t values[] = {v0, v1, v2};
  lstmFillMessage(message, text, values);
  leave(LSTM_CHECK_FAILED);
}

int lstmAssertMessage(const char *text) {
  return lstmFail(0, "error: assertion failed: %s", text);
}

void lstmAssertFailed(void) { leave(LSTM_CHECK_FAILED); }

void *lstmAllocate(size_t size) {
  void *memory = malloc(size);
  if (!memory && size)
    leave(lstmFail(LSTM_OUT_OF_MEMORY, "no memory for %zu bytes", size));
  return memory;
}

void *lstmAllocateZeros(size_t count, size_t size) {
  void *memory = calloc(count, size);
  if (!memory && count && size)
    leave(lstmFail(LSTM_OUT_OF_MEMORY, "no memory for %zu times %zu bytes", count, size));
  return memory;
}
