/*===- Invoke.c - Calls of an entry -----------------------------------------===*\
|*
|* Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
|* Exceptions. See LICENSE for license information.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

#include "Call.h"

#include "lstm-runtime/cpu.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The words of a memref's descriptor: allocation, data, offset, sizes, strides. */
enum { WORDS = 3 + 2 * LSTM_MAX_RANK };

/* An argument or a result of the entry's signature. */
struct Port {
  const char *what; /* "argument" or "result" */
  const char *name;
  int64_t dtype, rank;
  const int64_t *shape;
  lstm_tensor *tensor;
  int64_t *words;
  void *copy; /* of an argument that is not in row-major order */
  bool fresh; /* a result that gets memory of its own */
};

static int64_t getElementSize(int64_t dtype) {
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

static int32_t checkType(const struct Port *port) {
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

static int32_t checkShape(const struct Port *port) {
  const lstm_tensor *tensor = port->tensor;
  int64_t size = getElementSize(port->dtype);
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

static int32_t checkPort(const struct Port *port) {
  int32_t status = checkType(port);
  return status == LSTM_OK ? checkShape(port) : status;
}

/* Fills the descriptor of an argument; of what is not in row-major order, with a
   copy that is. */
static int32_t passArgument(struct Port *port) {
  int32_t status = checkPort(port);
  if (status != LSTM_OK)
    return status;
  const lstm_tensor *tensor = port->tensor;
  int64_t *sizes = port->words + 3, *strides = sizes + port->rank;
  int64_t stride = 1;
  bool rowMajor = true, empty = false;
  for (int64_t i = port->rank - 1; i >= 0; --i) {
    sizes[i] = tensor->shape[i];
    strides[i] = stride;
    rowMajor &= sizes[i] == 1 || tensor->strides[i] == stride;
    empty |= sizes[i] == 0;
    stride *= sizes[i];
  }
  char *data = tensor->data;
  if (!rowMajor && !empty) {
    int64_t elementSize = getElementSize(port->dtype);
    data = port->copy = malloc((size_t)(stride * elementSize));
    if (!data)
      return lstmFail(LSTM_OUT_OF_MEMORY, "%s '%s': no memory for a copy of %" PRId64 " bytes",
                      port->what, port->name, stride * elementSize);
    lstmCopyElements(port->rank, sizes, elementSize, data, strides, tensor->data, tensor->strides);
  }
  port->words[0] = port->words[1] = (intptr_t)data;
  port->words[2] = 0;
  return LSTM_OK;
}

/* Checks the place of a result as far as its size is known before the call. */
static int32_t preparePlace(struct Port *port) {
  lstm_tensor *tensor = port->tensor;
  if (!tensor)
    return LSTM_OK;
  port->fresh = !tensor->data;
  if (!port->fresh)
    return checkPort(port);
  *tensor = (lstm_tensor){.rank = port->rank, .dtype = (int32_t)port->dtype};
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
static bool occurs(const struct Port *begin, const struct Port *end, int64_t allocation) {
  for (; begin != end; ++begin)
    if (begin->rank >= 0 && begin->words[0] == allocation)
      return true;
  return false;
}

static int32_t checkPlace(const struct Port *port) {
  for (int64_t i = 0; i < port->rank; ++i)
    if (port->tensor->shape[i] != port->words[3 + i])
      return lstmFail(LSTM_WRONG_SHAPE,
                      "%s '%s': expected dim #%" PRId64 " to be %" PRId64 ", but got %" PRId64,
                      port->what, port->name, i, port->words[3 + i], port->tensor->shape[i]);
  return LSTM_OK;
}

/* Copies a result into its place, or makes it the place's own. */
static int32_t giveResult(struct Port *port, bool exclusive) {
  lstm_tensor *tensor = port->tensor;
  const int64_t *words = port->words, *sizes = words + 3, *strides = sizes + port->rank;
  int64_t elementSize = getElementSize(port->dtype);
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
static int32_t detach(struct Port *port) {
  int64_t *words = port->words, *sizes = words + 3, *strides = sizes + port->rank;
  int64_t rowMajor[LSTM_MAX_RANK], stride = 1, elementSize = getElementSize(port->dtype);
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
static int32_t giveResults(struct Port *ports, struct Port *results, struct Port *end) {
  int32_t status = LSTM_OK;
  for (struct Port *port = results; port != end && status == LSTM_OK; ++port)
    if (port->tensor && !port->fresh)
      status = checkPlace(port);
  for (struct Port *port = results; port != end && status == LSTM_OK; ++port)
    if (port->tensor && occurs(ports, results, port->words[0]))
      status = detach(port);

  for (struct Port *port = results; port != end; ++port) {
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
  for (struct Port *port = results; port != end && status != LSTM_OK; ++port)
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
  struct Port ports[numPorts + 1];
  int64_t words[numPorts + 1][WORDS];
  /* For a scalar that is not wanted. */
  int64_t scalars[numPorts + 1];
  void *passed[numPorts + 1];
  signature += 2;
  for (int64_t i = 0; i < numPorts; ++i) {
    struct Port port = {i < numArguments ? "argument" : "result", names, signature[0], signature[1],
                        signature + 2, NULL, words[i], NULL, false};
    signature = port.shape + (port.rank > 0 ? port.rank : 0);
    names += strlen(names) + 1;
    if (port.rank >= 0)
      port.tensor = values[i];
    passed[i] = port.rank >= 0 ? words[i] : values[i] ? values[i] : &scalars[i];
    ports[i] = port;
  }

  int32_t status = LSTM_OK;
  for (int64_t i = 0; i < numPorts && status == LSTM_OK; ++i) {
    if (ports[i].rank < 0)
      continue;
    if (i >= numArguments)
      status = preparePlace(&ports[i]);
    else if (!ports[i].tensor)
      status = lstmFail(LSTM_NULL_POINTER, "argument '%s': expected a tensor, but got a null pointer",
                        ports[i].name);
    else
      status = passArgument(&ports[i]);
  }
  if (status == LSTM_OK)
    status = callGenerated(call, passed);
  if (status == LSTM_OK)
    status = giveResults(ports, ports + numArguments, ports + numPorts);
  for (int64_t i = 0; i < numArguments; ++i)
    free(ports[i].copy);
  return status;
}
