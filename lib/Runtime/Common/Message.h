/*===- Message.h - Messages of failures ----------------------------------===*\
|*
|* Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
|* Exceptions. See LICENSE for license information.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

#ifndef LSTM_RUNTIME_COMMON_MESSAGE_H
#define LSTM_RUNTIME_COMMON_MESSAGE_H

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { LSTM_MESSAGE_SIZE = 1024 };

/* Sets the message of the call, and returns the status. Each runtime has its own. */
__attribute__((format(printf, 2, 3))) int32_t lstmFail(int32_t status, const char *format, ...);

/* Writes the text with values in the place of {0}, {1}, {2}; `message` has LSTM_MESSAGE_SIZE. */
static inline void lstmFillMessage(char *message, const char *text, const int64_t *values) {
  size_t size = 0;
  while (*text && size + 1 < LSTM_MESSAGE_SIZE) {
    if (text[0] == '{' && text[1] >= '0' && text[1] <= '2' && text[2] == '}') {
      size_t room = LSTM_MESSAGE_SIZE - size;
      int length = snprintf(message + size, room, "%" PRId64, values[text[1] - '0']);
      size += (size_t)length < room ? (size_t)length : room - 1;
      text += 3;
      continue;
    }
    message[size++] = *text++;
  }
  message[size] = 0;
}

#ifdef __cplusplus
}
#endif

#endif /* LSTM_RUNTIME_COMMON_MESSAGE_H */
