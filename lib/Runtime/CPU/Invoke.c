/*===- Invoke.c - Calls of an entry -----------------------------------------===*\
|*
|* Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
|* Exceptions. See LICENSE for license information.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

#include "Call.h"
#include "Message.h"
#include "Ports.h"

#include "lstm-runtime/cpu.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Fills the descriptor of an argument; of what is not in row-major order, with a
   copy that is. */
static int32_t passArgument(struct LSTMPort *port) {
  int32_t status = lstmCheckArgument(port);
  if (status != LSTM_OK)
    return status;
  const lstm_tensor *tensor = port->tensor;
  int64_t elements = lstmDescribe(port, tensor->shape);
  const int64_t *sizes = port->words + 3, *strides = sizes + port->rank;
  char *data = tensor->data;
  if (!lstmIsAsDescribed(port)) {
    int64_t elementSize = lstmGetElementSize(port->dtype);
    data = port->copy = malloc((size_t)(elements * elementSize));
    if (!data)
      return lstmFail(LSTM_OUT_OF_MEMORY, "%s '%s': no memory for a copy of %" PRId64 " bytes",
                      port->what, port->name, elements * elementSize);
    lstmCopyElements(port->rank, sizes, elementSize, data, strides, tensor->data, tensor->strides);
  }
  port->words[0] = port->words[1] = (intptr_t)data;
  port->words[2] = 0;
  return LSTM_OK;
}

static int32_t callGenerated(void (*call)(void **), void **values) {
  struct LSTMHandler here = {.status = LSTM_OK}, *outer = lstmHandler;
  bool inBody = lstmInBody;
  lstmHandler = &here;
  if (setjmp(here.jump) == 0)
    call(values);
  lstmHandler = outer;
  lstmInBody = inBody;
  return here.status;
}

/* Whether memory belongs to one of these. */
static bool occurs(const struct LSTMPort *begin, const struct LSTMPort *end, int64_t allocation) {
  for (; begin != end; ++begin)
    if (begin->rank >= 0 && begin->words[0] == allocation)
      return true;
  return false;
}

/* Copies a result into its place, or makes it the place's own. */
static int32_t giveResult(struct LSTMPort *port, bool exclusive) {
  lstm_tensor *tensor = port->tensor;
  const int64_t *words = port->words, *sizes = words + 3, *strides = sizes + port->rank;
  int64_t elementSize = lstmGetElementSize(port->dtype);
  char *data = (char *)(intptr_t)words[1] + words[2] * elementSize;
  if (port->fresh) {
    int64_t stride = 1;
    for (int64_t i = port->rank - 1; i >= 0; --i) {
      tensor->shape[i] = sizes[i];
      tensor->strides[i] = exclusive ? strides[i] : stride;
      stride *= sizes[i];
    }
    if (exclusive) {
      tensor->owner = (void *)(intptr_t)words[0];
      tensor->data = data;
      return LSTM_OK;
    }
    /* One byte at least: an empty array has an address, too. */
    size_t bytes = stride ? (size_t)(stride * elementSize) : 1;
    tensor->owner = tensor->data = malloc(bytes);
    if (!tensor->data)
      return lstmFail(LSTM_OUT_OF_MEMORY, "%s '%s': no memory for %zu bytes", port->what,
                      port->name, bytes);
  }
  lstmCopyElements(port->rank, sizes, elementSize, tensor->data, tensor->strides, data, strides);
  return LSTM_OK;
}

/* Moves a result out of an argument's memory, over which a result may be written. */
static int32_t detach(struct LSTMPort *port) {
  int64_t *words = port->words, *sizes = words + 3, *strides = sizes + port->rank;
  int64_t rowMajor[LSTM_MAX_RANK], stride = 1, elementSize = lstmGetElementSize(port->dtype);
  for (int64_t i = port->rank - 1; i >= 0; --i) {
    rowMajor[i] = stride;
    stride *= sizes[i];
  }
  char *copy = malloc(stride ? (size_t)(stride * elementSize) : 1);
  if (!copy)
    return lstmFail(LSTM_OUT_OF_MEMORY, "%s '%s': no memory for a copy of %" PRId64 " bytes",
                    port->what, port->name, stride * elementSize);
  lstmCopyElements(port->rank, sizes, elementSize, copy, rowMajor,
                   (char *)(intptr_t)words[1] + words[2] * elementSize, strides);
  memcpy(strides, rowMajor, (size_t)port->rank * sizeof *strides);
  words[0] = words[1] = (intptr_t)copy;
  words[2] = 0;
  return LSTM_OK;
}

/* Gives the results away and frees what is left of them. */
static int32_t giveResults(struct LSTMPort *ports, struct LSTMPort *results, struct LSTMPort *end) {
  int32_t status = LSTM_OK;
  for (struct LSTMPort *port = results; port != end && status == LSTM_OK; ++port)
    if (port->tensor && !port->fresh)
      status = lstmCheckPlace(port, port->words + 3);
  for (struct LSTMPort *port = results; port != end && status == LSTM_OK; ++port)
    if (port->tensor && occurs(ports, results, port->words[0]))
      status = detach(port);

  for (struct LSTMPort *port = results; port != end; ++port) {
    if (port->rank < 0)
      continue;
    int64_t allocation = port->words[0];
    /* No argument's, nor what MLIR gives a constant; freed with the last result in it. */
    bool frees = allocation != 0xdeadbeef && !occurs(ports, results, allocation) &&
                 !occurs(port + 1, end, allocation);
    bool gives = frees && !occurs(results, port, allocation) && port->tensor && port->fresh;
    if (port->tensor && status == LSTM_OK)
      status = giveResult(port, gives);
    else
      gives = false;
    if (frees && !gives)
      free((void *)(intptr_t)allocation);
  }
  /* A call that fails gives nothing. */
  for (struct LSTMPort *port = results; port != end && status != LSTM_OK; ++port)
    if (port->tensor && port->fresh)
      lstmFree(port->tensor);
  return status;
}

void lstmFree(lstm_tensor *tensor) {
  if (!tensor || !tensor->owner)
    return;
  free(tensor->owner);
  tensor->owner = tensor->data = NULL;
}

int32_t lstmInvoke(const int64_t *signature, const char *names, void (*call)(void **values),
                   void **values) {
  int64_t numArguments = signature[0], numPorts = signature[0] + signature[1];
  struct LSTMPort ports[numPorts + 1];
  int64_t words[(numPorts + 1) * LSTM_PORT_WORDS];
  /* For a scalar that is not wanted. */
  int64_t scalars[numPorts + 1];
  void *passed[numPorts + 1];
  lstmReadPorts(signature, names, values, ports, words);
  for (int64_t i = 0; i < numPorts; ++i)
    passed[i] = ports[i].rank >= 0 ? ports[i].words : values[i] ? values[i] : &scalars[i];

  int32_t status = LSTM_OK;
  for (int64_t i = 0; i < numPorts && status == LSTM_OK; ++i) {
    if (ports[i].rank < 0)
      continue;
    status = i < numArguments ? passArgument(&ports[i]) : lstmPreparePlace(&ports[i]);
  }
  if (status == LSTM_OK)
    status = callGenerated(call, passed);
  if (status == LSTM_OK)
    status = giveResults(ports, ports + numArguments, ports + numPorts);
  for (int64_t i = 0; i < numArguments; ++i)
    free(ports[i].copy);
  return status;
}
