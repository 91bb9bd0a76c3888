/*===- Ports.c - Arguments and results of an entry -----------------------===*\
|*
|* Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
|* Exceptions. See LICENSE for license information.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

#include "Ports.h"

#include "Message.h"

#include <inttypes.h>
#include <string.h>

int64_t lstmGetElementSize(int64_t dtype) {
  switch (dtype) {
  case LSTM_F64:
  case LSTM_I64:
    return 8;
  case LSTM_F32:
  case LSTM_I32:
    return 4;
  case LSTM_F16:
  case LSTM_BF16:
    return 2;
  default:
    return 1;
  }
}

static const char *getTypeName(int64_t dtype) {
  static const char *const names[] = {"f64", "f32", "f16", "bf16", "i64", "i32", "bool"};
  return dtype >= LSTM_F64 && dtype <= LSTM_BOOL ? names[dtype - 1] : "an unknown type";
}

void lstmReadPorts(const int64_t *signature, const char *names, void **values,
                   struct LSTMPort *ports, int64_t *words) {
  int64_t numArguments = signature[0], numPorts = signature[0] + signature[1];
  signature += 2;
  for (int64_t i = 0; i < numPorts; ++i) {
    struct LSTMPort port = {i < numArguments ? "argument" : "result",
                            names,
                            signature[0],
                            signature[1],
                            signature + 2,
                            NULL,
                            words + i * LSTM_PORT_WORDS,
                            NULL,
                            false};
    signature = port.shape + (port.rank > 0 ? port.rank : 0);
    names += strlen(names) + 1;
    if (port.rank >= 0)
      port.tensor = values[i];
    ports[i] = port;
  }
}

static int32_t checkType(const struct LSTMPort *port) {
  const lstm_tensor *tensor = port->tensor;
  if (tensor->dtype != port->dtype)
    return lstmFail(LSTM_WRONG_DTYPE, "%s '%s': expected elements of type %s, but got %s (%d)",
                    port->what, port->name, getTypeName(port->dtype), getTypeName(tensor->dtype),
                    (int)tensor->dtype);
  if (tensor->rank != port->rank)
    return lstmFail(LSTM_WRONG_RANK, "%s '%s': expected rank %" PRId64 ", but got %" PRId64,
                    port->what, port->name, port->rank, tensor->rank);
  return LSTM_OK;
}

static int32_t checkShape(const struct LSTMPort *port) {
  const lstm_tensor *tensor = port->tensor;
  int64_t size = lstmGetElementSize(port->dtype);
  bool empty = false;
  for (int64_t i = 0; i < port->rank; ++i) {
    int64_t got = tensor->shape[i], wanted = port->shape[i];
    if (got < 0)
      return lstmFail(LSTM_WRONG_SHAPE,
                      "%s '%s': expected dim #%" PRId64 " to be 0 or more, but got %" PRId64,
                      port->what, port->name, i, got);
    if (wanted >= 0 && got != wanted)
      return lstmFail(LSTM_WRONG_SHAPE,
                      "%s '%s': expected dim #%" PRId64 " to be %" PRId64 ", but got %" PRId64,
                      port->what, port->name, i, wanted, got);
    empty |= got == 0;
    if (got != 0 && __builtin_mul_overflow(size, got, &size))
      return lstmFail(LSTM_WRONG_SHAPE, "%s '%s': the size overflows", port->what, port->name);
  }
  if (!empty && !tensor->data)
    return lstmFail(LSTM_NULL_POINTER, "%s '%s': expected data, but got a null pointer", port->what,
                    port->name);
  return LSTM_OK;
}

static int32_t checkPort(const struct LSTMPort *port) {
  int32_t status = checkType(port);
  return status == LSTM_OK ? checkShape(port) : status;
}

int32_t lstmCheckArgument(const struct LSTMPort *port) {
  if (!port->tensor)
    return lstmFail(LSTM_NULL_POINTER, "argument '%s': expected a tensor, but got a null pointer",
                    port->name);
  return checkPort(port);
}

int32_t lstmPreparePlace(struct LSTMPort *port) {
  lstm_tensor *tensor = port->tensor;
  if (!tensor)
    return LSTM_OK;
  port->fresh = !tensor->data;
  if (!port->fresh)
    return checkPort(port);
  *tensor = (lstm_tensor){.rank = port->rank, .dtype = (int32_t)port->dtype};
  return LSTM_OK;
}

int32_t lstmCheckPlace(const struct LSTMPort *port, const int64_t *shape) {
  for (int64_t i = 0; i < port->rank; ++i)
    if (port->tensor->shape[i] != shape[i])
      return lstmFail(LSTM_WRONG_SHAPE,
                      "%s '%s': expected dim #%" PRId64 " to be %" PRId64 ", but got %" PRId64,
                      port->what, port->name, i, shape[i], port->tensor->shape[i]);
  return LSTM_OK;
}

int64_t lstmDescribe(struct LSTMPort *port, const int64_t *shape) {
  int64_t *sizes = port->words + 3, *strides = sizes + port->rank;
  int64_t stride = 1;
  for (int64_t i = port->rank - 1; i >= 0; --i) {
    sizes[i] = shape[i];
    strides[i] = stride;
    stride *= shape[i];
  }
  return stride;
}

bool lstmIsAsDescribed(const struct LSTMPort *port) {
  const int64_t *sizes = port->words + 3, *strides = sizes + port->rank;
  bool same = true;
  for (int64_t i = 0; i < port->rank; ++i) {
    if (sizes[i] == 0)
      return true;
    same &= sizes[i] == 1 || port->tensor->strides[i] == strides[i];
  }
  return same;
}
