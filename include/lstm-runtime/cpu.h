/*===- cpu.h - What code that is compiled for CPUs calls ----------*- C -*-===*\
|*
|* Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
|* Exceptions. See LICENSE for license information.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|* Plain C11 and POSIX threads, with no part of LLVM in it: these functions run
|* where the compiled code does.
|*
\*===----------------------------------------------------------------------===*/

#ifndef LSTM_RUNTIME_CPU_H
#define LSTM_RUNTIME_CPU_H

#include "lstm-runtime/tensor.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#define _Noreturn [[noreturn]]
#endif

/* Runs `body` once on every thread of the team and returns when all are done.
   The caller is thread 0 of `count`. The team is one for the process; it is made
   at the first call, and its threads wait for the next one, first spinning, then
   asleep. Where the team is not to be had, because the caller is in a body
   already or because another thread uses it, `body` runs once, with a count of 1. */
void lstmParallel(void (*body)(void *context, int64_t thread, int64_t count), void *context);

/* Waits until all `count` threads of the body that runs have come here. */
void lstmBarrier(int64_t thread, int64_t count);

/* The number of threads from the next call on; 0 or less brings the default back:
   LSTM_NUM_THREADS, else OMP_NUM_THREADS, else the number of CPUs that the process
   may run on. */
void lstmSetThreadCount(int64_t count);
int64_t lstmGetThreadCount(void);

/* Ends the call of the entry on this thread with LSTM_CHECK_FAILED. {0}, {1}, {2} in
   the message stand for the values. Does not return. What the call has allocated
   so far is lost; generated checks come before any work. In a body that runs on
   the team's threads there is no way back: it prints the message and aborts. */
_Noreturn void lstmCheckFailed(const char *message, int64_t v0, int64_t v1, int64_t v2);

/* What the message of a `cf.assert` goes to, and what then ends the call. */
int lstmAssertMessage(const char *message);
_Noreturn void lstmAssertFailed(void);

/* malloc and calloc that end the call with LSTM_OUT_OF_MEMORY where they fail. */
void *lstmAllocate(size_t size);
void *lstmAllocateZeros(size_t count, size_t size);

/* The message of the last call on this thread that did not return LSTM_OK. */
const char *lstmGetLastError(void);

/* Frees what a call allocated for a result; other tensors are left alone. */
void lstmFree(lstm_tensor *tensor);

/* Copies between two memrefs of one shape and any strides, by the address of MLIR's
   descriptors, (rank, address of (allocation, data, offset, sizes, strides)). */
struct LSTMUnrankedMemRef;
void memrefCopy(int64_t elementSize, struct LSTMUnrankedMemRef *source,
                struct LSTMUnrankedMemRef *target);

/* Calls an entry. `signature` holds the number of arguments and of results, and for
   each of them the element type, the rank (-1: a scalar) and the sizes (-1: any);
   `names` holds their names, each ended by a zero. `values` has, for each, the address of a
   tensor or of a scalar; null for a result that is not wanted. `call` takes the
   addresses of memrefs' descriptors in the place of the tensors'. */
int32_t lstmInvoke(const int64_t *signature, const char *names, void (*call)(void **values),
                   void **values);

#ifdef __cplusplus
#undef _Noreturn
}
#endif

#endif /* LSTM_RUNTIME_CPU_H */
