//===- Memory.cpp - Memory of the device ----------------------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"
#include "Status.h"

#include <algorithm>
#include <climits>
#include <iterator>
#include <utility>

using namespace lstm::cuda;

void *lstm::cuda::allocate(lstm_cuda_session *session, int64_t bytes) {
  void *data = nullptr;
  // Where nothing is needed there is an address all the same.
  int result = driver.cuMemAlloc(&data, bytes > 0 ? bytes : 1);
  if (result == cudaOutOfMemory)
    lstmFail(LSTM_OUT_OF_MEMORY, "cuMemAlloc: no memory for %lld bytes (%d)", (long long)bytes,
             result);
  else if (checkDriver(result, "cuMemAlloc"))
    ++session->allocations;
  return data;
}

void lstm::cuda::freeBuffer(lstm_cuda_session *session, Buffer &buffer) {
  if (!buffer.data)
    return;
  void *data = buffer.data;
  int64_t bytes = buffer.bytes;
  buffer = {};
  if (session->wasCaptured) {
    session->outgrown.push_back(data);
    return;
  }
  session->bytes -= bytes;
  CU(cuEventSynchronize, session->done);
  CU(cuMemFree, data);
}

bool lstm::cuda::growBuffer(lstm_cuda_session *session, Buffer &buffer, int64_t bytes,
                            const char *what) {
  if (bytes <= buffer.bytes)
    return true;
  if (!mayPrepare(session, what))
    return false;
  // Graphs have the old address.
  if (buffer.data)
    dropGraphs(session);
  freeBuffer(session, buffer);
  if (hasFailed())
    return false;
  buffer.data = allocate(session, bytes);
  if (!buffer.data)
    return false;
  buffer.bytes = bytes;
  session->bytes += bytes;
  return true;
}

namespace {
/// A dimension of a copy, in bytes.
struct CopyDim {
  int64_t size, target, source;

  /// Whether it can be the rows of a copy of two dimensions.
  bool isRows(int64_t width) const {
    return target >= width && source >= width && target <= INT_MAX && source <= INT_MAX;
  }
};
} // namespace

bool lstm::cuda::copyElements(int64_t rank, const int64_t *shape, int64_t elementSize, void *target,
                              const int64_t *targetStrides, const void *source,
                              const int64_t *sourceStrides, Stream stream) {
  for (int64_t i = 0; i < rank; ++i)
    if (shape[i] == 0)
      return true;
  // The inner dimensions that lie in one piece on both sides.
  int64_t piece = 1, outer = rank;
  while (outer > 0 && (shape[outer - 1] == 1 ||
                       (targetStrides[outer - 1] == piece && sourceStrides[outer - 1] == piece)))
    piece *= shape[--outer];
  int64_t width = piece * elementSize;

  // The longest of the others becomes rows, what is left is a loop.
  CopyDim dims[LSTM_MAX_RANK], rows = {1, 0, 0};
  int64_t numDims = 0;
  for (int64_t i = 0; i < outer; ++i) {
    CopyDim dim = {shape[i], targetStrides[i] * elementSize, sourceStrides[i] * elementSize};
    if (dim.size > rows.size && dim.isRows(width))
      std::swap(dim, rows);
    if (dim.size > 1)
      dims[numDims++] = dim;
  }
  int64_t index[LSTM_MAX_RANK] = {};
  char *to = static_cast<char *>(target);
  const char *from = static_cast<const char *>(source);
  while (true) {
    if (rows.size == 1) {
      if (!CU(cuMemcpyAsync, to, from, width, stream))
        return false;
    } else {
      Copy2D copy = {{0, 0, memoryUnified, nullptr, from, nullptr, size_t(rows.source)},
                     {0, 0, memoryUnified, nullptr, to, nullptr, size_t(rows.target)},
                     size_t(width),
                     size_t(rows.size)};
      if (!CU(cuMemcpy2DAsync, &copy, stream))
        return false;
    }
    int64_t i = numDims - 1;
    for (; i >= 0; --i) {
      to += dims[i].target;
      from += dims[i].source;
      if (++index[i] < dims[i].size)
        break;
      index[i] = 0;
      to -= dims[i].size * dims[i].target;
      from -= dims[i].size * dims[i].source;
    }
    if (i < 0)
      return true;
  }
}

void *lstmCudaGetWorkspace(int64_t bytes) {
  lstm_cuda_session *session = getSession(__func__);
  if (!session)
    return nullptr;
  if (!session->callersWorkspace)
    return growBuffer(session, session->workspace, bytes, "the workspace")
               ? session->workspace.data
               : nullptr;
  if (bytes <= session->callersBytes)
    return session->callersWorkspace;
  lstmFail(LSTM_OUT_OF_MEMORY, "the caller's workspace has %lld bytes, but %lld are needed",
           (long long)session->callersBytes, (long long)bytes);
  return nullptr;
}

void *lstmCudaAllocate(int64_t bytes) {
  lstm_cuda_session *session = getSession(__func__);
  if (!session || !mayPrepare(session, "memory of a loop"))
    return nullptr;
  joinAside(session);
  void *data = nullptr;
  int result = driver.cuMemAllocAsync(&data, bytes > 0 ? bytes : 1, session->call.current);
  if (result == cudaOutOfMemory)
    lstmFail(LSTM_OUT_OF_MEMORY, "cuMemAllocAsync: no memory for %lld bytes (%d)", (long long)bytes,
             result);
  else if (checkDriver(result, "cuMemAllocAsync"))
    session->temporaries.push_back(data);
  return data;
}

void lstmCudaDeallocate(void *data) {
  lstm_cuda_session *session = getSession(__func__);
  if (!session)
    return;
  auto &temporaries = session->temporaries;
  auto at = std::find(temporaries.rbegin(), temporaries.rend(), data);
  if (at == temporaries.rend())
    return;
  temporaries.erase(std::next(at).base());
  joinAside(session);
  CU(cuMemFreeAsync, data, session->call.current);
}

void lstm::cuda::freeTemporaries(lstm_cuda_session *session) {
  for (void *data : session->temporaries)
    CU(cuMemFreeAsync, data, session->call.stream);
  session->temporaries.clear();
}

void lstmCudaCopy(void *target, const void *source, int64_t bytes) {
  lstm_cuda_session *session = getSession(__func__);
  if (!session || bytes <= 0)
    return;
  Stream stream = goAside(session, {MemoryRange::of(target, bytes, true), MemoryRange::of(source, bytes, false)});
  CU(cuMemcpyAsync, target, source, bytes, stream);
}

void lstmCudaFill(void *target, uint32_t word, int64_t count) {
  lstm_cuda_session *session = getSession(__func__);
  if (!session || count <= 0)
    return;
  Stream stream = goAside(session, {MemoryRange::of(target, count * sizeof word, true)});
  CU(cuMemsetD32Async, target, word, count, stream);
}

void *lstmCudaGetConstant(LSTMCudaConstant *constant) {
  lstm_cuda_session *session = getSession(__func__);
  if (!session)
    return nullptr;
  Device *device = session->device;
  Resident *resident = findResident(&constant->state, device->id);
  if (resident)
    return resident->value;
  if (!mayPrepare(session, "a constant"))
    return nullptr;
  std::lock_guard<std::mutex> lock(mutex);
  if ((resident = findResident(&constant->state, device->id)))
    return resident->value;
  void *data = allocate(session, constant->bytes);
  if (!data)
    return nullptr;
  device->constants.push_back(data);
  // Other sessions' streams do not wait for this one.
  Stream stream = session->call.current;
  if (constant->bytes > 0 && !(CU(cuMemcpyAsync, data, constant->data, constant->bytes, stream) &&
                               CU(cuStreamSynchronize, stream)))
    return nullptr;
  return addResident(&constant->state, device->id, data)->value;
}
