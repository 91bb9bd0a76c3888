/*===- Call.h - What belongs to a call of an entry -------------------------===*\
|*
|* Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
|* Exceptions. See LICENSE for license information.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

#ifndef LSTM_RUNTIME_CPU_CALL_H
#define LSTM_RUNTIME_CPU_CALL_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>

/* Where a failure on this thread goes back to, with its status; null: nowhere. */
struct LSTMHandler {
  jmp_buf jump;
  int32_t status;
};
extern _Thread_local struct LSTMHandler *lstmHandler;

/* Whether this thread is in a body. */
extern _Thread_local bool lstmInBody;

/* Copies elements between arrays of one shape; strides are in elements. */
void lstmCopyElements(int64_t rank, const int64_t *shape, int64_t elementSize, char *target,
                      const int64_t *targetStrides, const char *source,
                      const int64_t *sourceStrides);

#endif /* LSTM_RUNTIME_CPU_CALL_H */
