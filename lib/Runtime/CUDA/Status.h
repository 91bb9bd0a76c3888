//===- Status.h - What went wrong on a thread -------------------*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_LIB_RUNTIME_CUDA_STATUS_H
#define LSTM_LIB_RUNTIME_CUDA_STATUS_H

#include "ABI.h"
#include "Message.h"

namespace lstm::cuda {

/// What belongs to a thread.
struct Thread {
  /// Whose call runs on it; else null.
  lstm_cuda_session *session;
  /// The first failure that was not reported yet; lstmFail sets it.
  int32_t status;
  char message[LSTM_MESSAGE_SIZE];
  /// The message of the last failure without a session.
  char reported[LSTM_MESSAGE_SIZE];
};
extern constinit thread_local Thread thisThread;

/// Whether a failure waits to be reported.
inline bool hasFailed() { return thisThread.status != LSTM_OK; }

/// Forgets a failure that the caller deals with.
inline void forgetFailure() { thisThread.status = LSTM_OK; }

/// Takes the failure from the thread: its message goes to the session, or stays with the
/// thread where that is null.
int32_t report(lstm_cuda_session *session);

/// Prints the failure of a function that no call of a session has called: nobody else may
/// ever tell of it. The next call on the thread returns it all the same.
struct FailureOutsideOfCall {
  bool before = hasFailed();
  ~FailureOutsideOfCall() {
    if (!before && hasFailed() && !thisThread.session)
      fprintf(stderr, "%s\n", thisThread.message);
  }
};

} // namespace lstm::cuda

#endif // LSTM_LIB_RUNTIME_CUDA_STATUS_H
