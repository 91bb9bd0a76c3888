//===- Status.cpp - What went wrong on a thread ---------------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Status.h"
#include "Session.h"

#include <cstdarg>
#include <cstring>

using namespace lstm::cuda;

constinit thread_local Thread lstm::cuda::thisThread = {};

int32_t lstmFail(int32_t status, const char *format, ...) {
  Thread &thread = thisThread;
  if (thread.status == LSTM_OK) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(thread.message, sizeof thread.message, format, arguments);
    va_end(arguments);
    thread.status = status;
  }
  return thread.status;
}

int32_t lstm::cuda::report(lstm_cuda_session *session) {
  Thread &thread = thisThread;
  int32_t status = thread.status;
  if (status != LSTM_OK)
    memcpy(session ? session->message : thread.reported, thread.message, sizeof thread.message);
  thread.status = LSTM_OK;
  return status;
}

const char *lstm_cuda_last_error(const lstm_cuda_session *session) {
  return session ? session->message : thisThread.reported;
}
