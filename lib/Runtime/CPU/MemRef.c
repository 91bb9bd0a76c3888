/*===- MemRef.c - Copies of arrays -----------------------------------------===*\
|*
|* Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
|* Exceptions. See LICENSE for license information.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

#include "Call.h"

#include "lstm-runtime/cpu.h"

#include <string.h>

void lstmCopyElements(int64_t rank, const int64_t *shape, int64_t elementSize, char *target,
                      const int64_t *targetStrides, const char *source,
                      const int64_t *sourceStrides) {
  for (int64_t i = 0; i < rank; ++i)
    if (shape[i] == 0)
      return;
  /* The inner dimensions that lie in one piece on both sides. */
  int64_t outer = rank, piece = 1;
  while (outer > 0 && (shape[outer - 1] == 1 ||
                       (targetStrides[outer - 1] == piece && sourceStrides[outer - 1] == piece)))
    piece *= shape[--outer];
  if (outer == 0) {
    memcpy(target, source, (size_t)(piece * elementSize));
    return;
  }
  for (int64_t i = 0; i < shape[0]; ++i) {
    char *to = target + i * targetStrides[0] * elementSize;
    const char *from = source + i * sourceStrides[0] * elementSize;
    if (outer == 1)
      memcpy(to, from, (size_t)(piece * elementSize));
    else
      lstmCopyElements(rank - 1, shape + 1, elementSize, to, targetStrides + 1, from,
                       sourceStrides + 1);
  }
}

struct LSTMUnrankedMemRef {
  int64_t rank;
  /* Allocation, data, offset, sizes, strides. */
  int64_t *words;
};

void memrefCopy(int64_t elementSize, struct LSTMUnrankedMemRef *source,
                struct LSTMUnrankedMemRef *target) {
  const int64_t *from = source->words, *to = target->words, rank = source->rank;
  lstmCopyElements(rank, from + 3, elementSize, (char *)(intptr_t)to[1] + to[2] * elementSize,
                   to + 3 + rank, (const char *)(intptr_t)from[1] + from[2] * elementSize,
                   from + 3 + rank);
}
