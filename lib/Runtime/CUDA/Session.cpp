//===- Session.cpp - Making sessions and looking into them ----------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"
#include "Status.h"

#include <cinttypes>
#include <cstring>
#include <new>

using namespace lstm::cuda;

lstm_cuda_session *lstm::cuda::getSession(const char *function) {
  Thread &thread = thisThread;
  if (thread.session && thread.status == LSTM_OK)
    return thread.session;
  FailureOutsideOfCall outside;
  if (!thread.session)
    lstmFail(LSTM_NULL_POINTER, "%s: no call of a session runs on this thread", function);
  return nullptr;
}

bool lstm::cuda::mayPrepare(lstm_cuda_session *session, const char *what) {
  Call &call = session->call;
  if (!call.callerCaptures && !call.capturing)
    return true;
  call.unready = call.capturing;
  lstmFail(LSTM_IN_CAPTURE,
           "%s is not there yet and cannot be made while the stream is captured: make one call of "
           "this shape before",
           what);
  return false;
}

bool lstm::cuda::readCheck(lstm_cuda_session *session) {
  auto *check = static_cast<volatile LSTMCudaCheck *>(session->check);
  if (check->message == 0)
    return true;
  int64_t values[] = {check->values[0], check->values[1], check->values[2]};
  char text[LSTM_MESSAGE_SIZE];
  lstmFillMessage(text, reinterpret_cast<const char *>(check->message), values);
  check->message = 0;
  lstmFail(LSTM_CHECK_FAILED, "%s", text);
  return false;
}

/// Frees what there is, also of a session that is half made.
static void freeSession(lstm_cuda_session *session) {
  if (session->done)
    CU(cuEventSynchronize, session->done);
  dropGraphs(session);
  session->wasCaptured = false;
  for (Lane &lane : session->lanes) {
    destroyBlas(session, lane);
    if (lane.event)
      CU(cuEventDestroy, lane.event);
    if (lane.stream && &lane != session->lanes)
      CU(cuStreamDestroy, lane.stream);
  }
  for (const Mark &mark : session->marks)
    if (mark.event)
      CU(cuEventDestroy, mark.event);
  freeBuffer(session, session->workspace);
  for (Buffer &copy : session->copies)
    freeBuffer(session, copy);
  for (void *data : session->outgrown)
    CU(cuMemFree, data);
  if (session->check)
    CU(cuMemFreeHost, session->check);
  if (session->done)
    CU(cuEventDestroy, session->done);
  if (session->captureStream)
    CU(cuStreamDestroy, session->captureStream);
  releaseDevice(session->device);
  delete session;
}

int32_t lstm_cuda_create(lstm_cuda_session **result) {
  if (!result) {
    lstmFail(LSTM_NULL_POINTER, "expected a place for the session, but got a null pointer");
    return report(nullptr);
  }
  *result = nullptr;
  if (hasFailed() || !openDriver())
    return report(nullptr);
  Device *device = acquireDevice();
  if (!device)
    return report(nullptr);
  auto *session = new lstm_cuda_session;
  session->device = device;
  void *check = nullptr;
  if (CU(cuStreamCreate, &session->captureStream, streamNonBlocking) &&
      CU(cuEventCreate, &session->done, eventDisableTiming) &&
      CU(cuMemHostAlloc, &check, sizeof *session->check, hostPortable | hostMapped)) {
    session->check = new (check) LSTMCudaCheck{};
    *result = session;
  } else {
    freeSession(session);
  }
  return report(nullptr);
}

void lstm_cuda_destroy(lstm_cuda_session *session) {
  if (!session)
    return;
  makeCurrent(session->device);
  freeSession(session);
  report(nullptr);
}

/// Begins a function of the interface.
static bool begin(const lstm_cuda_session *session) {
  if (session)
    return !hasFailed() && makeCurrent(session->device);
  lstmFail(LSTM_NULL_POINTER, "expected a session, but got a null pointer");
  return false;
}

static bool checkNotCaptured(Stream stream) {
  int capturing = 0;
  if (!CU(cuStreamIsCapturing, stream, &capturing))
    return false;
  if (capturing)
    lstmFail(LSTM_IN_CAPTURE, "the stream is captured: its work can be waited for afterwards");
  return !capturing;
}

int32_t lstm_cuda_wait(lstm_cuda_session *session, void *opaque) {
  auto *stream = static_cast<Stream>(opaque);
  if (begin(session) && checkNotCaptured(stream) && CU(cuStreamSynchronize, stream))
    readCheck(session);
  return report(session);
}

int32_t lstm_cuda_set_workspace(lstm_cuda_session *session, void *data, int64_t bytes) {
  if (!begin(session))
    return report(session);
  constexpr int64_t alignment = 256;
  int64_t skipped = -reinterpret_cast<intptr_t>(data) & (alignment - 1);
  if (data && bytes < skipped) {
    lstmFail(LSTM_WRONG_SHAPE,
             "expected a workspace of %" PRId64 " bytes or more, but got %" PRId64, skipped, bytes);
  } else {
    dropGraphs(session);
    freeBuffer(session, session->workspace);
    session->callersWorkspace = data ? static_cast<char *>(data) + skipped : nullptr;
    session->callersBytes = data ? bytes - skipped : 0;
  }
  return report(session);
}

int32_t lstm_cuda_set_option(lstm_cuda_session *session, const char *name, int64_t value) {
  if (!begin(session))
    return report(session);
  GraphCache &graphs = session->graphs;
  const struct {
    const char *name;
    int64_t *value, min, max;
  } options[] = {{"graph-after", &graphs.graphAfter, -1, INT64_MAX},
                 {"max-graphs", &graphs.maxGraphs, 1, 4096},
                 {"branches", &session->numLanes, 1, maxLanes}};
  for (const auto &option : options) {
    if (strcmp(name, option.name) != 0)
      continue;
    if (value < option.min || value > option.max) {
      lstmFail(LSTM_WRONG_SHAPE,
               "option '%s': expected a value from %" PRId64 " to %" PRId64 ", but got %" PRId64,
               name, option.min, option.max, value);
      return report(session);
    }
    // Graphs have the branches that they were captured with.
    if (option.value == &session->numLanes && value != session->numLanes)
      dropGraphs(session);
    *option.value = value;
    trimGraphs(session, graphs.maxGraphs);
    return report(session);
  }
  lstmFail(LSTM_WRONG_SHAPE,
           "unknown option '%s': expected 'graph-after', 'max-graphs' or 'branches'", name);
  return report(session);
}

int64_t lstm_cuda_get(const lstm_cuda_session *session, const char *counter) {
  if (!session || !counter)
    return -1;
  const GraphCache &graphs = session->graphs;
  const struct {
    const char *name;
    int64_t value;
  } counters[] = {{"allocations", session->allocations},
                  {"bytes", session->bytes},
                  {"workspace", session->callersWorkspace ? session->callersBytes
                                                          : session->workspace.bytes},
                  {"graphs", int64_t(graphs.graphs.size())},
                  {"captures", graphs.captures},
                  {"updates", graphs.updates},
                  {"replays", graphs.replays},
                  {"plain", session->plain},
                  {"launches", session->launches},
                  {"products", session->products}};
  for (const auto &entry : counters)
    if (strcmp(counter, entry.name) == 0)
      return entry.value;
  return -1;
}

int32_t lstm_cuda_allocate(lstm_cuda_session *session, int64_t bytes, void **data) {
  if (data)
    *data = nullptr;
  else
    lstmFail(LSTM_NULL_POINTER, "expected a place for the address, but got a null pointer");
  if (bytes < 0)
    lstmFail(LSTM_WRONG_SHAPE, "expected 0 bytes or more, but got %" PRId64, bytes);
  if (begin(session))
    *data = allocate(session, bytes);
  return report(session);
}

int32_t lstm_cuda_free(lstm_cuda_session *session, void *data) {
  if (begin(session) && data)
    CU(cuMemFree, data);
  return report(session);
}

int32_t lstm_cuda_copy(lstm_cuda_session *session, void *stream, void *target, const void *source,
                       int64_t bytes) {
  if (bytes < 0)
    lstmFail(LSTM_WRONG_SHAPE, "expected 0 bytes or more, but got %" PRId64, bytes);
  if (begin(session) && bytes > 0)
    CU(cuMemcpyAsync, target, source, bytes, static_cast<Stream>(stream));
  return report(session);
}

int32_t lstm_cuda_free_tensor(lstm_cuda_session *session, lstm_tensor *tensor) {
  if (begin(session) && tensor && tensor->owner) {
    CU(cuMemFree, tensor->owner);
    tensor->owner = tensor->data = nullptr;
  }
  return report(session);
}
