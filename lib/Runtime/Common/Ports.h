/*===- Ports.h - Arguments and results of an entry -----------------------===*\
|*
|* Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
|* Exceptions. See LICENSE for license information.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

#ifndef LSTM_RUNTIME_COMMON_PORTS_H
#define LSTM_RUNTIME_COMMON_PORTS_H

#include "lstm-runtime/tensor.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The words of a memref's descriptor: allocation, data, offset, sizes, strides. */
enum { LSTM_PORT_WORDS = 3 + 2 * LSTM_MAX_RANK };

/* An argument or a result of the entry's signature. */
struct LSTMPort {
  const char *what; /* "argument" or "result" */
  const char *name;
  int64_t dtype, rank; /* a scalar's rank is -1 */
  const int64_t *shape;
  lstm_tensor *tensor;
  int64_t *words;
  void *copy; /* of an argument that is not in row-major order */
  bool fresh; /* a result that gets memory of its own */
};

int64_t lstmGetElementSize(int64_t dtype);

/* Reads the signature (see lstmInvoke) into one port for each value; `words` has
   LSTM_PORT_WORDS for each. */
void lstmReadPorts(const int64_t *signature, const char *names, void **values,
                   struct LSTMPort *ports, int64_t *words);

/* Checks an argument. */
int32_t lstmCheckArgument(const struct LSTMPort *port);

/* Checks the place of a result as far as its size is known before the call, and
   clears one that gets memory of its own. */
int32_t lstmPreparePlace(struct LSTMPort *port);

/* Checks the shape of a result's place. */
int32_t lstmCheckPlace(const struct LSTMPort *port, const int64_t *shape);

/* Writes sizes and strides of row-major order into the descriptor; returns the
   number of elements. */
int64_t lstmDescribe(struct LSTMPort *port, const int64_t *shape);

/* Whether the tensor has the strides of its descriptor, as far as they matter. */
bool lstmIsAsDescribed(const struct LSTMPort *port);

#ifdef __cplusplus
}
#endif

#endif /* LSTM_RUNTIME_COMMON_PORTS_H */
