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

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
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

#ifdef __cplusplus
}
#endif

#endif /* LSTM_RUNTIME_CPU_H */
