/*===- fake_driver.c - A CUDA driver and a cuBLAS without a GPU ----------===*\
|*
|* Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
|* Exceptions. See LICENSE for license information.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

#include "fake_driver.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
  OK = 0,
  INVALID_VALUE = 1,
  OUT_OF_MEMORY = 2,
  INVALID_CONTEXT = 201,
  NO_BINARY = 209,
  INVALID_HANDLE = 400,
  NOT_FOUND = 500,
  ILLEGAL_ADDRESS = 700,
  COOPERATIVE_LAUNCH_TOO_LARGE = 720,
  INVALID_CLUSTER_SIZE = 912,
  CAPTURE_UNSUPPORTED = 900,
  CAPTURE_UNJOINED = 904,
  CAPTURE_ISOLATION = 905,
  UPDATE_FAILED = 910,
  BLAS_NOT_INITIALIZED = 1,
  BLAS_INVALID_VALUE = 7,
  BLAS_NOT_SUPPORTED = 15
};

static pthread_mutex_t mutex;
__attribute__((constructor)) static void makeMutex(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&mutex, &attributes);
}
static void unlock(pthread_mutex_t **locked) { pthread_mutex_unlock(*locked); }
#define LOCK()                                                                                     \
  __attribute__((cleanup(unlock))) pthread_mutex_t *locked = &mutex;                               \
  pthread_mutex_lock(locked)

/* ---- counts and failures ---- */

typedef struct Counter {
  const char *name;
  long calls;
} Counter;
static Counter counters[128];
static long live, frozenProducts;

static Counter *getCounter(const char *name) {
  int i = 0;
  while (counters[i].name && strcmp(counters[i].name, name) != 0)
    ++i;
  counters[i].name = name;
  return &counters[i];
}

static const char *failName;
static long failAfter;
static int failCode;
static int capability = 90;

__attribute__((constructor)) static void readEnvironment(void) {
  const char *text = getenv("FAKE_CUDA_CAPABILITY");
  if (text)
    capability = atoi(text);
  text = getenv("FAKE_CUDA_FAIL");
  if (!text)
    return;
  char *name = strdup(text), *end = strchr(name, ':');
  if (!end)
    abort();
  *end = 0;
  char *code;
  failAfter = strtol(end + 1, &code, 10);
  failCode = atoi(code + 1);
  failName = name;
}

enum { MOST_LOGGED = 1000 };
static const char *logged[MOST_LOGGED];
static int numLogged;

static int count(Counter **counter, const char *name) {
  if (!*counter)
    *counter = getCounter(name);
  ++(*counter)->calls;
  if (numLogged < MOST_LOGGED)
    logged[numLogged++] = (*counter)->name;
  if (failName && strcmp(failName, name) == 0 && --failAfter <= 0) {
    failName = NULL;
    return failCode;
  }
  return OK;
}
/* Begins a function. */
#define ENTER(name)                                                                                \
  LOCK();                                                                                          \
  static Counter *counter;                                                                         \
  int failure = count(&counter, #name);                                                            \
  if (failure)                                                                                     \
    return failure

long fakeCount(const char *name) {
  LOCK();
  if (strcmp(name, "live") == 0)
    return live;
  if (strcmp(name, "frozen products") == 0)
    return frozenProducts;
  for (int i = 0; counters[i].name; ++i)
    if (strcmp(counters[i].name, name) == 0)
      return counters[i].calls;
  return 0;
}
void fakeResetCounts(void) {
  LOCK();
  frozenProducts = 0;
  numLogged = 0;
  for (int i = 0; counters[i].name; ++i)
    counters[i].calls = 0;
}
const char *fakeGetLogged(int index) {
  LOCK();
  return index < numLogged ? logged[index] : NULL;
}
const char *fakeGetCalled(int index) {
  LOCK();
  for (int i = 0; counters[i].name; ++i)
    if (counters[i].calls > 0 && index-- == 0)
      return counters[i].name;
  return NULL;
}
void fakeFail(const char *function, long n, int code) {
  LOCK();
  failName = function;
  failAfter = n;
  failCode = code;
}
void fakeSetCapability(int wanted) { capability = wanted; }

/* ---- handles: kept for good, so that one that was destroyed is known ---- */

typedef enum Kind { STREAM = 1, EVENT, GRAPH, EXEC, LIBRARY, KERNEL, BLAS } Kind;

/* What was enqueued. */
typedef struct Op {
  enum { LAUNCH, COPY, COPY2D, SET, GEMM } kind;
  const FakeKernel *kernel;
  int64_t parameters[32];
  unsigned grid[3];
  char *target;
  const char *source;
  size_t bytes, targetPitch, sourcePitch, height;
  unsigned value;
  struct Gemm {
    int transposeA, transposeB, m, n, k, typeA, lda, typeB, ldb, typeC, ldc, batch;
    long long strideA, strideB, strideC;
    double alpha, beta;
    const char *a, *b;
    char *c;
  } gemm;
} Op;

typedef struct Handle {
  Kind kind;
  bool dead;
  struct Handle *next;
  /* Of a stream that is captured, of an event in a capture: the graph. */
  struct Handle *graph;
  /* Of a captured stream: whether the origin does not wait for it yet; its work so far. */
  bool unjoined;
  long work;
  /* Of an event: where it was recorded. */
  struct Handle *stream;
  long at;
  /* Of a graph. */
  Op *ops;
  int numOps, maxOps;
  /* Of a library and of a kernel. */
  const FakeImage *image;
  const FakeKernel *kernel;
  int sharedBytes, hasLargeClusters;
  /* Of cuBLAS: its stream. */
  bool hasWorkspace;
} Handle;
static Handle *handles, legacy = {.kind = STREAM};

static Handle *make(Kind kind) {
  Handle *handle = calloc(1, sizeof *handle);
  handle->kind = kind;
  handle->next = handles;
  ++live;
  return handles = handle;
}
static bool is(const Handle *handle, Kind kind) {
  return handle && handle->kind == kind && !handle->dead;
}
static int destroy(Handle *handle, Kind kind) {
  if (!is(handle, kind))
    return INVALID_HANDLE;
  handle->dead = true;
  --live;
  free(handle->ops);
  handle->ops = NULL;
  return OK;
}
/* The legacy stream's handle is null. */
#define STREAM_HANDLE(stream)                                                                      \
  if (!stream)                                                                                     \
    stream = &legacy;                                                                              \
  if (!is(stream, STREAM))                                                                         \
  return INVALID_HANDLE
#define HANDLE(handle, kind)                                                                       \
  if (!is(handle, kind))                                                                           \
  return INVALID_HANDLE

/* Captures that this thread has begun. */
static _Thread_local int capturing;
#define NOT_IN_CAPTURE()                                                                           \
  if (capturing)                                                                                   \
  return CAPTURE_UNSUPPORTED

/* ---- memory: freed blocks are kept, too ---- */

typedef struct Block {
  char *data;
  size_t bytes;
  bool freed;
  struct Block *next;
} Block;
static Block *blocks;
enum { LARGE = 1 << 20 };

static int allocate(void **data, size_t bytes) {
  if (bytes == 0)
    return INVALID_VALUE;
  Block *block = calloc(1, sizeof *block);
  if (bytes > LARGE) { /* costs nothing before it is used */
    block->data = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (block->data == MAP_FAILED)
      return OUT_OF_MEMORY;
  } else {
    block->data = aligned_alloc(256, (bytes + 255) / 256 * 256);
    if (!block->data)
      return OUT_OF_MEMORY;
    memset(block->data, 0xff, bytes);
  }
  block->bytes = bytes;
  block->next = blocks;
  blocks = block;
  ++live;
  *data = block->data;
  return OK;
}
static int release(void *data) {
  for (Block *block = blocks; block; block = block->next)
    if (block->data == data && !block->freed) {
      if (block->bytes > LARGE)
        mmap(block->data, block->bytes, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
      else
        memset(block->data, 0xdd, block->bytes);
      block->freed = true;
      --live;
      return OK;
    }
  return INVALID_VALUE;
}
/* Whether memory is a block's, or none of ours. */
static bool isValid(const char *data, size_t bytes) {
  for (const Block *block = blocks; block; block = block->next)
    if (data >= block->data && data < block->data + block->bytes)
      return !block->freed && data + bytes <= block->data + block->bytes;
  return data != NULL;
}

/* ---- work ---- */

static double load(const char *data, int type, long long i) {
  union {
    uint32_t bits;
    float value;
  } narrow;
  switch (type) {
  case 0:
    return ((const float *)data)[i];
  case 1:
    return ((const double *)data)[i];
  default:
    narrow.bits = (uint32_t)((const uint16_t *)data)[i] << 16;
    return narrow.value;
  }
}
static void store(char *data, int type, long long i, double value) {
  union {
    uint32_t bits;
    float value;
  } narrow = {.value = (float)value};
  if (type == 0)
    ((float *)data)[i] = (float)value;
  else if (type == 1)
    ((double *)data)[i] = value;
  else
    ((uint16_t *)data)[i] = (uint16_t)((narrow.bits + 0x8000) >> 16);
}
/* In column-major order, as cuBLAS does. */
static void multiply(const struct Gemm *g) {
  for (int i = 0; i < g->batch; ++i)
    for (int column = 0; column < g->n; ++column)
      for (int row = 0; row < g->m; ++row) {
        double sum = 0;
        for (int k = 0; k < g->k; ++k)
          sum += load(g->a, g->typeA,
                      i * g->strideA +
                          (g->transposeA ? k + (long long)row * g->lda : row + (long long)k * g->lda)) *
                 load(g->b, g->typeB,
                      i * g->strideB + (g->transposeB ? column + (long long)k * g->ldb
                                                      : k + (long long)column * g->ldb));
        long long at = i * g->strideC + row + (long long)column * g->ldc;
        double old = g->beta == 0 ? 0 : g->beta * load(g->c, g->typeC, at);
        store(g->c, g->typeC, at, g->alpha * sum + old);
      }
}

static int perform(const Op *op) {
  void *parameters[32];
  switch (op->kind) {
  case LAUNCH:
    for (int i = 0; i < 32; ++i)
      parameters[i] = (void *)&op->parameters[i];
    op->kernel->run(parameters, op->grid);
    return OK;
  case COPY:
    if (!isValid(op->target, op->bytes) || !isValid(op->source, op->bytes))
      return ILLEGAL_ADDRESS;
    memmove(op->target, op->source, op->bytes);
    return OK;
  case COPY2D:
    for (size_t i = 0; i < op->height; ++i) {
      if (!isValid(op->target + i * op->targetPitch, op->bytes) ||
          !isValid(op->source + i * op->sourcePitch, op->bytes))
        return ILLEGAL_ADDRESS;
      memmove(op->target + i * op->targetPitch, op->source + i * op->sourcePitch, op->bytes);
    }
    return OK;
  case SET:
    for (size_t i = 0; i < op->height; ++i)
      memcpy(op->target + i * op->bytes, &op->value, op->bytes);
    return OK;
  case GEMM:
    multiply(&op->gemm);
    return OK;
  }
  return INVALID_VALUE;
}

static int enqueue(Handle *stream, const Op *op) {
  ++stream->work;
  Handle *graph = stream->graph;
  if (!graph)
    return perform(op);
  stream->unjoined = true;
  if (graph->numOps == graph->maxOps)
    graph->ops =
        realloc(graph->ops, sizeof *op * (size_t)(graph->maxOps = 2 * graph->maxOps + 16));
  graph->ops[graph->numOps++] = *op;
  return OK;
}

/* ---- the driver ---- */

int cuInit(unsigned flags) {
  ENTER(cuInit);
  return flags ? INVALID_VALUE : OK;
}
int cuGetErrorString(int result, const char **text) {
  *text = result == OUT_OF_MEMORY         ? "out of memory"
          : result == CAPTURE_UNSUPPORTED ? "operation not permitted when stream is capturing"
                                          : "a failure of the fake driver";
  return OK;
}
int cuDeviceGet(int *device, int ordinal) {
  ENTER(cuDeviceGet);
  *device = ordinal;
  return ordinal == 0 ? OK : 101;
}
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  ENTER(cuDeviceGetAttribute);
  *value = attribute == 75 ? capability / 10 : attribute == 76 ? capability % 10
           : attribute == 16 ? 132 : 0;
  return device == 0 && *value + capability > 0 ? OK : INVALID_VALUE;
}
static char primary;
static _Thread_local void *current;
int cuDevicePrimaryCtxRetain(void **context, int device) {
  ENTER(cuDevicePrimaryCtxRetain);
  *context = &primary;
  return device == 0 ? OK : 101;
}
int cuCtxGetCurrent(void **context) {
  ENTER(cuCtxGetCurrent);
  *context = current;
  return OK;
}
int cuCtxSetCurrent(void *context) {
  ENTER(cuCtxSetCurrent);
  current = context;
  return OK;
}
int cuCtxGetDevice(int *device) {
  ENTER(cuCtxGetDevice);
  *device = 0;
  return current ? OK : INVALID_CONTEXT;
}
int cuLibraryLoadData(Handle **library, const void *image, int *options, void **values,
                      unsigned numOptions, int *libraryOptions, void **libraryValues,
                      unsigned numLibraryOptions) {
  ENTER(cuLibraryLoadData);
  NOT_IN_CAPTURE();
  (void)options, (void)values, (void)libraryOptions, (void)libraryValues;
  if (!image || numOptions || numLibraryOptions)
    return INVALID_VALUE;
  *library = make(LIBRARY);
  (*library)->image = image;
  return OK;
}
int cuLibraryUnload(Handle *library) {
  ENTER(cuLibraryUnload);
  return destroy(library, LIBRARY);
}
static void doNothing(void **parameters, const unsigned *grid) { (void)parameters, (void)grid; }
int cuLibraryGetKernel(Handle **kernel, Handle *library, const char *name) {
  ENTER(cuLibraryGetKernel);
  HANDLE(library, LIBRARY);
  static const FakeKernel nothing = {"nothing", doNothing, 0};
  const FakeImage *image = library->image;
  const FakeKernel *found = NULL;
  if (strncmp(image->magic, FAKE_MAGIC, 8) != 0)
    found = &nothing;
  else
    for (int i = 0; i < image->numKernels; ++i)
      if (strcmp(image->kernels[i].name, name) == 0)
        found = &image->kernels[i];
  if (!found)
    return NOT_FOUND;
  *kernel = make(KERNEL);
  --live; /* it goes with its library */
  (*kernel)->kernel = found;
  (*kernel)->graph = library;
  return OK;
}
int cuKernelGetFunction(Handle **function, Handle *kernel) {
  ENTER(cuKernelGetFunction);
  HANDLE(kernel, KERNEL);
  *function = kernel;
  return current ? OK : INVALID_CONTEXT;
}
int cuFuncSetAttribute(Handle *function, int attribute, int value) {
  ENTER(cuFuncSetAttribute);
  HANDLE(function, KERNEL);
  if (attribute == 14) { // Clusters of more than 8 blocks.
    function->hasLargeClusters = value;
    return OK;
  }
  if (attribute != 8 || value > 227 * 1024)
    return INVALID_VALUE;
  function->sharedBytes = value;
  return OK;
}
static int launch(Handle *function, const unsigned *grid, const unsigned *block, unsigned shared,
                  Handle *stream, void **parameters) {
  HANDLE(function, KERNEL);
  STREAM_HANDLE(stream);
  if (function->graph->dead)
    return INVALID_HANDLE;
  if (!grid[0] || !grid[1] || !grid[2] || grid[0] > 0x7fffffff || grid[1] > 65535 ||
      grid[2] > 65535 || !block[0] || !block[1] || !block[2] || block[0] > 1024 ||
      block[1] > 1024 || block[2] > 64 || (uint64_t)block[0] * block[1] * block[2] > 1024 ||
      (shared > 48 * 1024 && (int)shared > function->sharedBytes))
    return INVALID_VALUE;
  Op op = {.kind = LAUNCH, .kernel = function->kernel, .grid = {grid[0], grid[1], grid[2]}};
  for (int i = 0; i < function->kernel->numParameters; ++i)
    memcpy(&op.parameters[i], parameters[i], 8);
  return enqueue(stream, &op);
}
int cuLaunchKernel(Handle *function, unsigned gridX, unsigned gridY, unsigned gridZ,
                   unsigned blockX, unsigned blockY, unsigned blockZ, unsigned shared,
                   Handle *stream, void **parameters, void **extra) {
  ENTER(cuLaunchKernel);
  if (extra)
    return INVALID_VALUE;
  return launch(function, (unsigned[]){gridX, gridY, gridZ}, (unsigned[]){blockX, blockY, blockZ},
                shared, stream, parameters);
}
struct Attribute {
  unsigned id, padding, value[3];
  char rest[52];
};
struct Config {
  unsigned grid[3], block[3], shared;
  Handle *stream;
  const struct Attribute *attributes;
  unsigned numAttributes;
};
int cuLaunchKernelEx(const struct Config *config, Handle *function, void **parameters,
                     void **extra) {
  ENTER(cuLaunchKernelEx);
  if (extra || config->numAttributes == 0)
    return INVALID_VALUE;
  // Cooperative launches and clusters.
  for (unsigned a = 0; a < config->numAttributes; ++a) {
    const struct Attribute *attribute = &config->attributes[a];
    if (attribute->id == 2) {
      if (attribute->value[0] != 1)
        return INVALID_VALUE;
      if ((uint64_t)config->grid[0] * config->grid[1] * config->grid[2] > 132)
        return COOPERATIVE_LAUNCH_TOO_LARGE;
      continue;
    }
    if (attribute->id == 6) { // Blocks that begin early.
      if (attribute->value[0] != 1 || capability < 90)
        return INVALID_VALUE;
      continue;
    }
    if (attribute->id != 4)
      return INVALID_VALUE;
    for (int i = 0; i < 3; ++i)
      if (!attribute->value[i] || config->grid[i] % attribute->value[i])
        return INVALID_VALUE;
    unsigned blocks = attribute->value[0] * attribute->value[1] * attribute->value[2];
    if (blocks > 16 || (blocks > 8 && !function->hasLargeClusters))
      return INVALID_CLUSTER_SIZE;
  }
  return launch(function, config->grid, config->block, config->shared, config->stream, parameters);
}
static int countBlocks(const Handle *function, int threads, size_t shared) {
  return threads <= 1024 && (shared <= 48 * 1024 || (int)shared <= function->sharedBytes) ? 2048 / threads : 0;
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *found, Handle *function, int threads, size_t shared) {
  ENTER(cuOccupancyMaxActiveBlocksPerMultiprocessor);
  HANDLE(function, KERNEL);
  *found = countBlocks(function, threads, shared);
  return OK;
}
int cuOccupancyMaxActiveClusters(int *found, Handle *function, const struct Config *config) {
  ENTER(cuOccupancyMaxActiveClusters);
  HANDLE(function, KERNEL);
  if (config->numAttributes != 1 || config->attributes->id != 4)
    return INVALID_VALUE;
  unsigned cluster = config->attributes->value[0];
  if (cluster > 16 || (cluster > 8 && !function->hasLargeClusters))
    return INVALID_CLUSTER_SIZE;
  *found = countBlocks(function, config->block[0], config->shared) ? 7 : 0;
  return OK;
}
int cuStreamCreate(Handle **stream, unsigned flags) {
  ENTER(cuStreamCreate);
  NOT_IN_CAPTURE();
  *stream = make(STREAM);
  return flags == 1 ? OK : INVALID_VALUE;
}
int cuStreamDestroy_v2(Handle *stream) {
  ENTER(cuStreamDestroy);
  return destroy(stream, STREAM);
}
int cuStreamSynchronize(Handle *stream) {
  ENTER(cuStreamSynchronize);
  STREAM_HANDLE(stream);
  NOT_IN_CAPTURE();
  return stream->graph ? CAPTURE_UNSUPPORTED : OK;
}
int cuStreamIsCapturing(Handle *stream, int *status) {
  ENTER(cuStreamIsCapturing);
  STREAM_HANDLE(stream);
  *status = stream->graph != NULL;
  return OK;
}
int cuStreamBeginCapture_v2(Handle *stream, int mode) {
  ENTER(cuStreamBeginCapture);
  STREAM_HANDLE(stream);
  if (stream == &legacy || stream->graph || mode < 0 || mode > 2)
    return CAPTURE_UNSUPPORTED;
  stream->graph = make(GRAPH);
  ++capturing;
  return OK;
}
static int endCapture(Handle *stream, Handle **result) {
  Handle *graph = stream->graph;
  if (!graph)
    return INVALID_VALUE;
  bool joined = true;
  for (Handle *other = handles; other; other = other->next)
    if (other->kind == STREAM && other->graph == graph) {
      joined &= other == stream || !other->unjoined;
      other->graph = NULL;
      other->unjoined = false;
    }
  --capturing;
  if (joined) {
    *result = graph;
    return OK;
  }
  destroy(graph, GRAPH);
  *result = NULL;
  return CAPTURE_UNJOINED;
}
int cuStreamEndCapture(Handle *stream, Handle **graph) {
  LOCK();
  static Counter *counter;
  int failure = count(&counter, "cuStreamEndCapture");
  STREAM_HANDLE(stream);
  int result = endCapture(stream, graph);
  /* A capture that fails is over all the same. */
  if (failure && result == OK) {
    destroy(*graph, GRAPH);
    *graph = NULL;
  }
  return failure ? failure : result;
}
int cuEventCreate(Handle **event, unsigned flags) {
  ENTER(cuEventCreate);
  *event = make(EVENT);
  return flags == 2 ? OK : INVALID_VALUE;
}
int cuEventDestroy_v2(Handle *event) {
  ENTER(cuEventDestroy);
  return destroy(event, EVENT);
}
int cuEventRecord(Handle *event, Handle *stream) {
  ENTER(cuEventRecord);
  HANDLE(event, EVENT);
  STREAM_HANDLE(stream);
  event->graph = stream->graph;
  event->stream = stream;
  event->at = stream->work;
  return OK;
}
int cuEventSynchronize(Handle *event) {
  ENTER(cuEventSynchronize);
  HANDLE(event, EVENT);
  NOT_IN_CAPTURE();
  return event->graph ? CAPTURE_UNSUPPORTED : OK;
}
int cuStreamWaitEvent(Handle *stream, Handle *event, unsigned flags) {
  ENTER(cuStreamWaitEvent);
  STREAM_HANDLE(stream);
  HANDLE(event, EVENT);
  if (flags)
    return INVALID_VALUE;
  if (!event->graph)
    return stream->graph && event->stream ? CAPTURE_ISOLATION : OK;
  if (event->graph->dead || event->stream->graph != event->graph ||
      (stream->graph && stream->graph != event->graph))
    return CAPTURE_ISOLATION;
  if (event->at == event->stream->work)
    event->stream->unjoined = false;
  stream->graph = event->graph;
  stream->unjoined = true;
  ++stream->work;
  return OK;
}
static void copyOps(Handle *exec, const Handle *graph) {
  free(exec->ops);
  exec->ops = malloc(sizeof(Op) * (size_t)(graph->numOps + 1));
  if (graph->numOps)
    memcpy(exec->ops, graph->ops, sizeof(Op) * (size_t)graph->numOps);
  exec->numOps = graph->numOps;
}
int cuGraphInstantiateWithFlags(Handle **exec, Handle *graph, unsigned long long flags) {
  ENTER(cuGraphInstantiate);
  HANDLE(graph, GRAPH);
  NOT_IN_CAPTURE();
  *exec = make(EXEC);
  copyOps(*exec, graph);
  return flags ? INVALID_VALUE : OK;
}
int cuGraphExecUpdate_v2(Handle *exec, Handle *graph, void *info) {
  ENTER(cuGraphExecUpdate);
  HANDLE(exec, EXEC);
  HANDLE(graph, GRAPH);
  if (!info)
    return INVALID_VALUE;
  if (exec->numOps != graph->numOps)
    return UPDATE_FAILED;
  for (int i = 0; i < exec->numOps; ++i)
    if (exec->ops[i].kind != graph->ops[i].kind)
      return UPDATE_FAILED;
  copyOps(exec, graph);
  return OK;
}
int cuGraphLaunch(Handle *exec, Handle *stream) {
  ENTER(cuGraphLaunch);
  HANDLE(exec, EXEC);
  STREAM_HANDLE(stream);
  for (int i = 0; i < exec->numOps; ++i) {
    int result = enqueue(stream, &exec->ops[i]);
    if (result)
      return result;
  }
  return OK;
}
int cuGraphDestroy(Handle *graph) {
  ENTER(cuGraphDestroy);
  return destroy(graph, GRAPH);
}
int cuGraphExecDestroy(Handle *exec) {
  ENTER(cuGraphExecDestroy);
  return destroy(exec, EXEC);
}
int cuMemAlloc_v2(void **data, size_t bytes) {
  ENTER(cuMemAlloc);
  NOT_IN_CAPTURE();
  return current ? allocate(data, bytes) : INVALID_CONTEXT;
}
int cuMemAllocManaged(void **data, size_t bytes, unsigned flags) {
  ENTER(cuMemAllocManaged);
  return flags == 1 ? allocate(data, bytes) : INVALID_VALUE;
}
int cuMemFree_v2(void *data) {
  ENTER(cuMemFree);
  NOT_IN_CAPTURE();
  return data ? release(data) : OK;
}
int cuMemAllocAsync(void **data, size_t bytes, Handle *stream) {
  ENTER(cuMemAllocAsync);
  STREAM_HANDLE(stream);
  NOT_IN_CAPTURE();
  return allocate(data, bytes);
}
int cuMemFreeAsync(void *data, Handle *stream) {
  ENTER(cuMemFreeAsync);
  STREAM_HANDLE(stream);
  NOT_IN_CAPTURE();
  return data ? release(data) : OK;
}
int cuMemHostAlloc(void **data, size_t bytes, unsigned flags) {
  ENTER(cuMemHostAlloc);
  NOT_IN_CAPTURE();
  return flags == 3 ? allocate(data, bytes) : INVALID_VALUE;
}
int cuMemFreeHost(void *data) {
  ENTER(cuMemFreeHost);
  return release(data);
}
int cuMemHostRegister_v2(void *data, size_t bytes, unsigned flags) {
  ENTER(cuMemHostRegister);
  return data && bytes && !flags ? OK : INVALID_VALUE;
}
int cuMemHostUnregister(void *data) {
  ENTER(cuMemHostUnregister);
  return data ? OK : INVALID_VALUE;
}
int cuMemcpyAsync(void *target, const void *source, size_t bytes, Handle *stream) {
  ENTER(cuMemcpyAsync);
  STREAM_HANDLE(stream);
  return enqueue(stream,
                 &(Op){.kind = COPY, .target = target, .source = source, .bytes = bytes});
}
struct Copy2D {
  size_t sourceX, sourceY;
  unsigned sourceType;
  const void *sourceHost;
  const char *source;
  void *sourceArray;
  size_t sourcePitch, targetX, targetY;
  unsigned targetType;
  void *targetHost;
  char *target;
  void *targetArray;
  size_t targetPitch, width, height;
};
int cuMemcpy2DAsync_v2(const struct Copy2D *copy, Handle *stream) {
  ENTER(cuMemcpy2DAsync);
  STREAM_HANDLE(stream);
  if (copy->sourceType != 4 || copy->targetType != 4 || copy->sourcePitch < copy->width ||
      copy->targetPitch < copy->width || copy->sourceX || copy->sourceY || copy->targetX ||
      copy->targetY)
    return INVALID_VALUE;
  return enqueue(stream, &(Op){.kind = COPY2D,
                               .target = copy->target,
                               .source = copy->source,
                               .bytes = copy->width,
                               .height = copy->height,
                               .targetPitch = copy->targetPitch,
                               .sourcePitch = copy->sourcePitch});
}
int cuMemsetD32Async(char *target, unsigned value, size_t number, Handle *stream) {
  ENTER(cuMemsetD32Async);
  STREAM_HANDLE(stream);
  return enqueue(stream,
                 &(Op){.kind = SET, .target = target, .value = value, .bytes = 4, .height = number});
}
int cuMemsetD16Async(char *target, unsigned short value, size_t number, Handle *stream) {
  ENTER(cuMemsetD16Async);
  STREAM_HANDLE(stream);
  return enqueue(stream,
                 &(Op){.kind = SET, .target = target, .value = value, .bytes = 2, .height = number});
}

/* ---- cuBLAS ---- */

const char *cublasGetStatusString(int status) {
  (void)status;
  return "a failure of the fake cuBLAS";
}
int cublasCreate_v2(Handle **handle) {
  ENTER(cublasCreate);
  if (capturing)
    return BLAS_NOT_INITIALIZED;
  *handle = make(BLAS);
  return OK;
}
int cublasDestroy_v2(Handle *handle) {
  ENTER(cublasDestroy);
  return destroy(handle, BLAS);
}
int cublasSetStream_v2(Handle *handle, Handle *stream) {
  ENTER(cublasSetStream);
  HANDLE(handle, BLAS);
  STREAM_HANDLE(stream);
  handle->stream = stream;
  handle->hasWorkspace = false;
  return OK;
}
int cublasSetWorkspace_v2(Handle *handle, void *data, size_t bytes) {
  ENTER(cublasSetWorkspace);
  HANDLE(handle, BLAS);
  handle->hasWorkspace = true;
  return isValid(data, bytes) ? OK : BLAS_INVALID_VALUE;
}
int cublasSetMathMode(Handle *handle, int mode) {
  ENTER(cublasSetMathMode);
  HANDLE(handle, BLAS);
  return mode == 16 ? OK : BLAS_INVALID_VALUE;
}
static int gemm(Handle *handle, struct Gemm g, const void *alpha, const void *beta, int compute) {
  HANDLE(handle, BLAS);
  if (!is(handle->stream, STREAM) && handle->stream != &legacy)
    return BLAS_INVALID_VALUE;
  frozenProducts += !handle->hasWorkspace;
  bool wide = g.typeA == 1;
  if (g.typeA != g.typeB || wide != (compute == 70) || wide != (g.typeC == 1) ||
      (compute == 77 && g.typeA != 0))
    return BLAS_NOT_SUPPORTED;
  int rowsA = g.transposeA ? g.k : g.m, rowsB = g.transposeB ? g.n : g.k;
  if (g.m < 0 || g.n < 0 || g.k < 0 || g.batch < 0 || g.lda < (rowsA > 1 ? rowsA : 1) ||
      g.ldb < (rowsB > 1 ? rowsB : 1) || g.ldc < (g.m > 1 ? g.m : 1))
    return BLAS_INVALID_VALUE;
  g.alpha = wide ? *(const double *)alpha : *(const float *)alpha;
  g.beta = wide ? *(const double *)beta : *(const float *)beta;
  if (g.typeA == 2 || g.typeC == 2) /* f16: only counted */
    return OK;
  return enqueue(handle->stream, &(Op){.kind = GEMM, .gemm = g});
}
int cublasGemmEx(Handle *handle, int transposeA, int transposeB, int m, int n, int k,
                 const void *alpha, const void *a, int typeA, int lda, const void *b, int typeB,
                 int ldb, const void *beta, void *c, int typeC, int ldc, int compute,
                 int algorithm) {
  ENTER(cublasGemmEx);
  struct Gemm g = {transposeA, transposeB, m, n, k, typeA, lda, typeB, ldb, typeC, ldc, 1,
                   0,          0,          0, 0, 0, a,     b,   c};
  return algorithm == -1 ? gemm(handle, g, alpha, beta, compute) : BLAS_INVALID_VALUE;
}
int cublasGemmStridedBatchedEx(Handle *handle, int transposeA, int transposeB, int m, int n, int k,
                               const void *alpha, const void *a, int typeA, int lda,
                               long long strideA, const void *b, int typeB, int ldb,
                               long long strideB, const void *beta, void *c, int typeC, int ldc,
                               long long strideC, int batch, int compute, int algorithm) {
  ENTER(cublasGemmStridedBatchedEx);
  struct Gemm g = {transposeA, transposeB, m,   n,       k,       typeA,   lda, typeB, ldb, typeC,
                   ldc,        batch,      strideA, strideB, strideC, 0, 0,   a,     b,   c};
  return algorithm == -1 ? gemm(handle, g, alpha, beta, compute) : BLAS_INVALID_VALUE;
}
