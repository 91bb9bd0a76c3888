/*===- cuda.h - What code that is compiled for GPUs calls ---------*- C -*-===*\
|*
|* Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
|* Exceptions. See LICENSE for license information.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|* Functions without a session argument work on the session of the call that runs on
|* this thread. After a failure they do nothing until the call ends: the first failure is
|* what the call returns.
|*
\*===----------------------------------------------------------------------===*/

#ifndef LSTM_RUNTIME_CUDA_H
#define LSTM_RUNTIME_CUDA_H

#include "lstm-runtime/session.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Calls ---- */

/* Calls an entry; `signature`, `names` and `values` as in lstmInvoke (cpu.h), with data on
   the device. Tensors are described to the generated function, `call`, by memref descriptors; of the
   results it gets none: it asks for them with lstmCudaGetResult. In the place of a scalar
   result stands its address. The generated function works thus:

     sizes and checks on the host; lstmCudaGetWorkspace; lstmCudaGetResult for each result
     if (lstmCudaEnter()) { launches, products, copies }

   All that depends on the values of arguments on the device stands under `Enter`, which is
   false where a graph of the same call (signature, sizes, scalars, addresses) was replayed. */
int32_t lstmCudaInvoke(lstm_cuda_session *session, void *stream, const int64_t *signature,
                       const char *names, void (*call)(void **values), void **values);

/* `bytes` of workspace, aligned to 256; the same for all calls until one needs more. */
void *lstmCudaGetWorkspace(int64_t bytes);

/* The place of result `index`, in row-major order: the caller's, or memory from which the
   runtime copies it there (a place with other strides, or one that overlaps an argument).
   Checks the shape. */
void *lstmCudaGetResult(int64_t index, const int64_t *shape);

/* `graph` is 0 where the work reads device memory on the host and so cannot be captured. */
int32_t lstmCudaEnter(int32_t graph);

/* A check on the host failed; {0}, {1}, {2} in the message stand for the values. Ends the
   call: does not return. */
void lstmCudaCheckFailed(const char *message, int64_t v0, int64_t v1, int64_t v2);

/* What the message of a `cf.assert` on the host goes to, and what then ends the call. */
int lstmAssertMessage(const char *message);
void lstmAssertFailed(void);

/* Where kernels write a failed check: the message's address goes to `message` if that is
   zero, then the values. In memory that host and device see. */
typedef struct LSTMCudaCheck {
  int64_t message;
  int64_t values[3];
} LSTMCudaCheck;
LSTMCudaCheck *lstmCudaGetCheck(void);

/* ---- Work, in the order of the current branch ---- */

/* Device code of one kind of device: "sm_90" a cubin, "compute_80" PTX that ends in a zero. */
typedef struct LSTMCudaImage {
  const char *target;
  const void *data;
  int64_t bytes;
} LSTMCudaImage;

/* The images of one gpu.module, the best for the device is taken: a cubin of its own
   chip, else of an older one of the same generation (same major number), else PTX. */
typedef struct LSTMCudaModule {
  int64_t count;
  const LSTMCudaImage *images;
  void *state; /* the runtime's; zero at first */
} LSTMCudaModule;

typedef struct LSTMCudaKernel {
  LSTMCudaModule *module;
  const char *name;
  void *state; /* the runtime's; zero at first */
} LSTMCudaKernel;

/* Launches nothing where a size of the grid is 0. `parameters` has the address of each. */
void lstmCudaLaunch(LSTMCudaKernel *kernel, int64_t gridX, int64_t gridY, int64_t gridZ,
                    int64_t blockX, int64_t blockY, int64_t blockZ, int32_t sharedBytes,
                    void **parameters);

/* The same for blocks that wait for each other: all of them run at the same time, or the call
   fails. */
void lstmCudaLaunchTogether(LSTMCudaKernel *kernel, int64_t gridX, int64_t gridY, int64_t gridZ,
                            int64_t blockX, int64_t blockY, int64_t blockZ, int32_t sharedBytes,
                            void **parameters);

/* The same in clusters of blocks, which run at the same time each. */
void lstmCudaLaunchClusters(LSTMCudaKernel *kernel, int64_t gridX, int64_t gridY, int64_t gridZ,
                            int64_t blockX, int64_t blockY, int64_t blockZ, int64_t clusterX,
                            int64_t clusterY, int64_t clusterZ, int32_t sharedBytes, void **parameters);

/* The same, but blocks may begin while the kernel before them still runs, as soon as all its blocks
   allow that or have ended: they wait themselves for what it writes (`griddepcontrol`). Devices
   before capability 9.0 have no such thing: they begin behind it. */
void lstmCudaLaunchEarly(LSTMCudaKernel *kernel, int64_t gridX, int64_t gridY, int64_t gridZ,
                         int64_t blockX, int64_t blockY, int64_t blockZ, int32_t sharedBytes,
                         void **parameters);

/* Of the current session's device; 0 without a session. */
int64_t lstmCudaGetMultiprocessors(void);

/* Whether a multiprocessor of the device has place for a block of the kernel, of so many threads
   and with so much shared memory, or, if `clusterBlocks` is not 0, the device for a cluster, as the
   driver says: else such a launch would fail. 0 after a failure, too. */
int32_t lstmCudaFits(LSTMCudaKernel *kernel, int64_t threads, int64_t clusterBlocks, int32_t sharedBytes);

/* Unloads a module; in destructors of generated objects, perhaps after the driver's end. */
void lstmCudaRelease(LSTMCudaModule *module);

/* A constant's copy on the device, made at the first call. */
typedef struct LSTMCudaConstant {
  const void *data;
  int64_t bytes;
  void *state; /* the runtime's; zero at first */
} LSTMCudaConstant;
void *lstmCudaGetConstant(LSTMCudaConstant *constant);

/* Memory for what is allocated in a loop, in the order of the current branch; not where
   work is captured. Freed at the end of the call at the latest. */
void *lstmCudaAllocate(int64_t bytes);
void lstmCudaDeallocate(void *data);

/* Between memory of the device; no copy of 0 bytes. */
void lstmCudaCopy(void *target, const void *source, int64_t bytes);

/* Sets `count` words of the device's memory; nothing if there are none. */
void lstmCudaFill(void *target, uint32_t word, int64_t count);

/* To memory of the host, and waits for it. Not where work is captured: see Enter. A failure
   ends the call at once: there is nothing to go on with. */
void lstmCudaRead(void *host, const void *device, int64_t bytes);

/* Types of lstmCudaGemm: an lstm_dtype; what a product is computed in. */
enum { LSTM_COMPUTE_F32 = 0, LSTM_COMPUTE_TF32 = 1, LSTM_COMPUTE_F64 = 2 };

/* C[i] = alpha op(A[i]) op(B[i]) + beta C[i] for i < batch, by cuBLAS. Everything is in
   row-major order: op(A) is m x k, op(B) k x n, C m x n; a transposed A lies as k x m. Leading
   dimensions and batch strides count elements. A and B have one type. `stream` is null for
   the current branch, else a CUstream; then no session is needed. Where beta is 0, C is not
   read. Does nothing if m, n or batch is 0; k may be 0. */
void lstmCudaGemm(void *stream, int32_t inputType, int32_t outputType, int32_t compute,
                  int32_t transposeA, int32_t transposeB, int64_t m, int64_t n, int64_t k,
                  double alpha, const void *a, int64_t lda, int64_t strideA, const void *b,
                  int64_t ldb, int64_t strideB, double beta, void *c, int64_t ldc, int64_t strideC,
                  int64_t batch);

/* ---- Branches: work that does not depend on each other, side by side ----
   Branch 0 is the caller's stream. A session has few streams: branches that share one run
   one after the other. */

/* What comes next is enqueued on this branch. A branch starts, and starts anew after a
   join, behind all that branch 0 had been given then. */
void lstmCudaSetBranch(int64_t branch);

/* Marks a point of the current branch under a number, and makes the current branch wait for
   the point that was marked last under a number (in this call). */
void lstmCudaRecord(int64_t event);
void lstmCudaWaitFor(int64_t event);

/* Branch 0 waits for all others and is the current one again. Every call ends with it. */
void lstmCudaJoin(void);

#ifdef __cplusplus
}
#endif

#endif /* LSTM_RUNTIME_CUDA_H */
