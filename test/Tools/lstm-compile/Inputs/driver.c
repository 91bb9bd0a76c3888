/*===- driver.c - Calls a compiled program on arrays from a file -----------===*\
|*
|* Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
|* Exceptions. See LICENSE for license information.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|* driver IN OUT. CALL is the call with arguments in a[] and results in r[],
|* NUM_ARGUMENTS and NUM_RESULTS are their numbers. It calls in three ways, which
|* must give the same bits: results in memory of their own; results in the caller's
|* memory; arguments and results in reversed order of dimensions.
|*
\*===----------------------------------------------------------------------===*/

#include "model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char *what) {
  fprintf(stderr, "driver: %s: %s\n", what, model_last_error());
  exit(1);
}

static int64_t getElementSize(const lstm_tensor *tensor) {
  return tensor->dtype == LSTM_F64 || tensor->dtype == LSTM_I64 ? 8 : 4;
}
static size_t getBytes(const lstm_tensor *tensor) {
  int64_t bytes = getElementSize(tensor);
  for (int64_t i = 0; i < tensor->rank; ++i)
    bytes *= tensor->shape[i];
  return (size_t)bytes;
}

/* dtype, rank, shape, elements */
static lstm_tensor readTensor(FILE *file) {
  int64_t header[2], shape[LSTM_MAX_RANK];
  if (fread(header, 8, 2, file) != 2 || fread(shape, 8, header[1], file) != (size_t)header[1])
    fail("input");
  lstm_tensor tensor = lstm_make_tensor(NULL, (lstm_dtype)header[0], header[1], shape);
  /* Not aligned to more than its elements. */
  tensor.data = (char *)malloc(getBytes(&tensor) + 8) + getElementSize(&tensor);
  if (fread(tensor.data, 1, getBytes(&tensor), file) != getBytes(&tensor))
    fail("input");
  return tensor;
}

/* Element by element, whatever the strides. */
static void copyElements(const lstm_tensor *from, const lstm_tensor *to) {
  int64_t size = getElementSize(from), count = (int64_t)getBytes(from) / size;
  for (int64_t n = 0; n < count; ++n) {
    int64_t rest = n, source = 0, target = 0;
    for (int64_t i = from->rank - 1; i >= 0; --i) {
      source += rest % from->shape[i] * from->strides[i];
      target += rest % from->shape[i] * to->strides[i];
      rest /= from->shape[i];
    }
    memcpy((char *)to->data + target * size, (const char *)from->data + source * size, size);
  }
}
/* The same array, the first dimension innermost. */
static lstm_tensor reverseOrder(const lstm_tensor *tensor) {
  lstm_tensor made = *tensor;
  int64_t stride = 1;
  for (int64_t i = 0; i < made.rank; ++i) {
    made.strides[i] = stride;
    stride *= made.shape[i];
  }
  made.data = calloc(1, getBytes(tensor) + 1);
  copyElements(tensor, &made);
  return made;
}

static void expectSame(const lstm_tensor *a, const lstm_tensor *b, const char *what) {
  if (a->rank != b->rank || memcmp(a->shape, b->shape, a->rank * 8) ||
      memcmp(a->data, b->data, getBytes(a)))
    fail(what);
}

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  lstm_tensor arguments[NUM_ARGUMENTS], results[NUM_RESULTS], before[NUM_ARGUMENTS];
  FILE *in = fopen(argv[1], "rb");
  for (int i = 0; i < NUM_ARGUMENTS; ++i) {
    arguments[i] = before[i] = readTensor(in);
    before[i].data = malloc(getBytes(&arguments[i]) + 1);
    memcpy(before[i].data, arguments[i].data, getBytes(&arguments[i]));
  }
  fclose(in);

  memset(results, 0, sizeof results);
  const lstm_tensor *a = arguments;
  lstm_tensor *r = results;
  if (CALL != LSTM_OK)
    fail("results in memory of their own");

  lstm_tensor own[NUM_RESULTS];
  for (int i = 0; i < NUM_RESULTS; ++i)
    own[i] = lstm_make_tensor(malloc(getBytes(&results[i]) + 1), (lstm_dtype)results[i].dtype,
                              results[i].rank, results[i].shape);
  r = own;
  for (int n = 0; n < 3; ++n)
    if (CALL != LSTM_OK)
      fail("results in the caller's memory");
  for (int i = 0; i < NUM_RESULTS; ++i)
    expectSame(&results[i], &own[i], "results in the caller's memory differ");

  lstm_tensor reversed[NUM_ARGUMENTS], places[NUM_RESULTS];
  for (int i = 0; i < NUM_ARGUMENTS; ++i)
    reversed[i] = reverseOrder(&arguments[i]);
  for (int i = 0; i < NUM_RESULTS; ++i) {
    places[i] = reverseOrder(&own[i]);
    memset(places[i].data, 0, getBytes(&own[i]));
    memset(own[i].data, 0, getBytes(&own[i]));
  }
  a = reversed;
  r = places;
  if (CALL != LSTM_OK)
    fail("reversed order");
  for (int i = 0; i < NUM_RESULTS; ++i) {
    copyElements(&places[i], &own[i]);
    expectSame(&results[i], &own[i], "results in reversed order differ");
  }

  for (int i = 0; i < NUM_ARGUMENTS; ++i)
    expectSame(&arguments[i], &before[i], "an argument was modified");
  FILE *out = fopen(argv[2], "wb");
  for (int i = 0; i < NUM_RESULTS; ++i) {
    fwrite(&results[i].rank, 8, 1, out);
    fwrite(results[i].shape, 8, results[i].rank, out);
    fwrite(results[i].data, 1, getBytes(&results[i]), out);
    model_free(&results[i]);
    if (results[i].data || results[i].owner)
      fail("free");
  }
  fclose(out);
  return 0;
}
