/*===- session.h - Running programs that are compiled for GPUs ----*- C -*-===*\
|*
|* Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
|* Exceptions. See LICENSE for license information.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|* The part of liblstm_cuda_runtime.so that users call. It needs nothing of CUDA
|* to build or to load: it opens the driver and cuBLAS when a session is made.
|*
\*===----------------------------------------------------------------------===*/

#ifndef LSTM_RUNTIME_SESSION_H
#define LSTM_RUNTIME_SESSION_H

#include "lstm-runtime/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What calls of compiled programs share: workspace, cuBLAS, captured graphs. It belongs
   to the device that was current when it was made. One thread at a time uses it, and its
   calls run in the order of the streams that they are given; for work side by side, make
   several. */
typedef struct lstm_cuda_session lstm_cuda_session;

/* Makes a session for the calling thread's current context, or, if there is none, for the
   primary context of device 0, which becomes current. On failure *session is null and
   lstm_cuda_last_error(0) says why. */
int32_t lstm_cuda_create(lstm_cuda_session **session);

/* Waits for the session's work and frees what it holds. A null session is left alone. */
void lstm_cuda_destroy(lstm_cuda_session *session);

/* The message of the session's last call that did not return LSTM_OK; of a null session,
   that of lstm_cuda_create and of calls with a null session, on this thread. */
const char *lstm_cuda_last_error(const lstm_cuda_session *session);

/* Waits for what was enqueued on `stream`. Returns, once, what went wrong on the device
   since the last call: a length out of range, for instance, which an asynchronous call
   cannot return itself. The next call of a program returns it as well. */
int32_t lstm_cuda_wait(lstm_cuda_session *session, void *stream);

/* Memory for the workspace that the caller owns; no call allocates workspace from then
   on, and one that needs more fails with LSTM_OUT_OF_MEMORY and says how much. Null takes
   it back. Drops the graphs. */
int32_t lstm_cuda_set_workspace(lstm_cuda_session *session, void *data, int64_t bytes);

/* Options, by name; an unknown name or a value out of range is LSTM_WRONG_SHAPE.
     "graph-after"  plain calls of the same shapes and pointers before the calls become a
                    graph (1 by default; 0: at once; -1: never)
     "max-graphs"   how many graphs are kept (64); the one not used for longest goes first
     "branches"     how many streams independent work is spread over (4; 8 at most; 1: one
                    after the other) */
int32_t lstm_cuda_set_option(lstm_cuda_session *session, const char *name, int64_t value);

/* Counters, by name; -1 for an unknown one: "allocations", "bytes" (held by the session),
   "workspace" (bytes), "graphs" (kept), "captures", "updates" (of a graph to new pointers),
   "replays", "plain" (calls without a graph), "launches" (kernels, but not those of replays),
   "products" (of cuBLAS, likewise). */
int64_t lstm_cuda_get(const lstm_cuda_session *session, const char *counter);

/* Memory of the device, and copies in the order of `stream` in any direction; for callers
   that have no CUDA of their own. A copy from or to pageable host memory may return early
   only where the driver allows it: lstm_cuda_wait before reading. */
int32_t lstm_cuda_allocate(lstm_cuda_session *session, int64_t bytes, void **data);
int32_t lstm_cuda_free(lstm_cuda_session *session, void *data);
int32_t lstm_cuda_copy(lstm_cuda_session *session, void *stream, void *target, const void *source,
                       int64_t bytes);

/* Frees what a call allocated for a result; other tensors are left alone. */
int32_t lstm_cuda_free_tensor(lstm_cuda_session *session, lstm_tensor *tensor);

#ifdef __cplusplus
}
#endif

#endif /* LSTM_RUNTIME_SESSION_H */
