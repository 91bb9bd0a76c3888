//===- Invoke.cpp - Calls of an entry -------------------------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"
#include "Status.h"

#include <cinttypes>
#include <cstdlib>
#include <cstring>

using namespace lstm::cuda;

/// The offset in the descriptor of a result that the generated function did not ask for.
static constexpr int64_t notGiven = -1;

static bool beginCall(lstm_cuda_session *session, Stream stream, const int64_t *signature) {
  Call &call = session->call;
  call = {};
  call.signature = signature;
  call.stream = stream;
  for (Lane &lane : session->lanes)
    lane.blasIsSet = false;
  int capturing = 0;
  if (hasFailed() || !makeCurrent(session->device) ||
      !CU(cuStreamIsCapturing, stream, &capturing))
    return false;
  startBranches(session, stream);
  call.number = session->forkNumber;
  call.callerCaptures = capturing != 0;
  if (call.callerCaptures) {
    session->wasCaptured = true;
    return true;
  }
  // The message comes before the values.
  if (static_cast<volatile LSTMCudaCheck *>(session->check)->message != 0)
    return CU(cuEventSynchronize, session->done) && readCheck(session);
  return stream == session->lastStream || CU(cuStreamWaitEvent, stream, session->done, 0);
}

static void endCall(lstm_cuda_session *session) {
  Stream stream = session->call.stream;
  freeTemporaries(session);
  // What the caller captures is ordered by his graph.
  if (!session->call.callerCaptures && CU(cuEventRecord, session->done, stream))
    session->lastStream = stream;
}

static void readPorts(lstm_cuda_session *session, const char *names, void **values) {
  Call &call = session->call;
  call.numArguments = call.signature[0];
  call.numPorts = call.signature[0] + call.signature[1];
  session->ports.resize(call.numPorts);
  session->words.resize(call.numPorts * LSTM_PORT_WORDS);
  session->scalars.resize(call.numPorts);
  session->passed.resize(call.numPorts);
  if (int64_t(session->copies.size()) < call.numPorts)
    session->copies.resize(call.numPorts);
  lstmReadPorts(call.signature, names, values, session->ports.data(), session->words.data());
  for (int64_t i = 0; i < call.numPorts; ++i)
    session->passed[i] = session->ports[i].rank >= 0 ? session->ports[i].words
                         : values[i]                 ? values[i]
                                                     : &session->scalars[i];
}

static void setData(LSTMPort &port, void *data) {
  port.words[0] = port.words[1] = reinterpret_cast<intptr_t>(data);
  port.words[2] = 0;
}

/// Memory of the session for a copy of an argument or of a result.
static bool makeCopy(lstm_cuda_session *session, int64_t index, int64_t bytes) {
  LSTMPort &port = session->ports[index];
  char what[256];
  snprintf(what, sizeof what, "memory for a copy of %s '%s'", port.what, port.name);
  Buffer &buffer = session->copies[index];
  if (!growBuffer(session, buffer, bytes, what))
    return false;
  port.copy = buffer.data;
  setData(port, buffer.data);
  return true;
}

/// Fills the descriptor of an argument; of what is not in row-major order, with a copy that is.
static bool passArgument(lstm_cuda_session *session, int64_t index) {
  LSTMPort &port = session->ports[index];
  if (lstmCheckArgument(&port) != LSTM_OK)
    return false;
  const lstm_tensor *tensor = port.tensor;
  int64_t elementSize = lstmGetElementSize(port.dtype);
  int64_t elements = lstmDescribe(&port, tensor->shape);
  setData(port, tensor->data);
  return lstmIsAsDescribed(&port) ||
         (makeCopy(session, index, elements * elementSize) &&
          copyElements(port.rank, tensor->shape, elementSize, port.copy,
                       port.words + 3 + port.rank, tensor->data, tensor->strides,
                       session->call.stream));
}

static bool passPorts(lstm_cuda_session *session) {
  const Call &call = session->call;
  for (int64_t i = 0; i < call.numPorts; ++i) {
    LSTMPort &port = session->ports[i];
    if (port.rank < 0)
      continue;
    port.words[2] = notGiven;
    if (i < call.numArguments ? !passArgument(session, i) : lstmPreparePlace(&port) != LSTM_OK)
      return false;
  }
  return true;
}

namespace {
struct Range {
  uintptr_t begin, end;
};
} // namespace

static Range getRange(const LSTMPort &port) {
  const lstm_tensor *tensor = port.tensor;
  int64_t first = 0, last = 0;
  for (int64_t i = 0; i < port.rank; ++i) {
    if (tensor->shape[i] == 0)
      return {0, 0};
    int64_t way = (tensor->shape[i] - 1) * tensor->strides[i];
    (way < 0 ? first : last) += way;
  }
  int64_t elementSize = lstmGetElementSize(port.dtype);
  auto data = reinterpret_cast<uintptr_t>(tensor->data);
  return {data + first * elementSize, data + (last + 1) * elementSize};
}

/// Whether the place of a result is memory of an argument or of another result.
static bool overlapsOthers(const lstm_cuda_session *session, int64_t index) {
  Range range = getRange(session->ports[index]);
  for (int64_t i = 0; i < session->call.numPorts; ++i) {
    const LSTMPort &port = session->ports[i];
    if (i == index || port.rank < 0 || !port.tensor || port.fresh)
      continue;
    Range other = getRange(port);
    if (range.begin < other.end && other.begin < range.end)
      return true;
  }
  return false;
}

void *lstmCudaGetResult(int64_t number, const int64_t *shape) {
  lstm_cuda_session *session = getSession(__func__);
  if (!session)
    return nullptr;
  int64_t index = session->call.numArguments + number;
  if (number < 0 || index >= session->call.numPorts || session->ports[index].rank < 0) {
    lstmFail(LSTM_WRONG_SHAPE, "the call has no result #%" PRId64 " that is a tensor", number);
    return nullptr;
  }
  LSTMPort &port = session->ports[index];
  lstm_tensor *tensor = port.tensor;
  int64_t bytes = lstmDescribe(&port, shape) * lstmGetElementSize(port.dtype);
  if (tensor && port.fresh) {
    // It is there already where the call runs anew.
    if (!tensor->owner) {
      char what[256];
      snprintf(what, sizeof what, "memory for result '%s'", port.name);
      if (!mayPrepare(session, what) || !(tensor->owner = allocate(session, bytes)))
        return nullptr;
    }
    tensor->data = tensor->owner;
    memcpy(tensor->shape, shape, port.rank * sizeof *shape);
    memcpy(tensor->strides, port.words + 3 + port.rank, port.rank * sizeof *shape);
    setData(port, tensor->data);
    return tensor->data;
  }
  if (tensor && lstmCheckPlace(&port, shape) != LSTM_OK)
    return nullptr;
  if (tensor && lstmIsAsDescribed(&port) && !overlapsOthers(session, index)) {
    setData(port, tensor->data);
    return tensor->data;
  }
  return makeCopy(session, index, bytes) ? port.copy : nullptr;
}

int32_t lstmCudaEnter(int32_t graph) {
  lstm_cuda_session *session = getSession(__func__);
  if (!session)
    return 0;
  Call &call = session->call;
  if (graph && !call.callerCaptures && !call.withoutGraph && session->graphs.graphAfter >= 0 &&
      !enterGraph(session))
    return 0;
  if (!call.capturing)
    ++session->plain;
  return 1;
}

/// Leaves generated code after a failure.
[[noreturn]] static void leave() {
  lstm_cuda_session *session = thisThread.session;
  if (session && session->call.jump)
    longjmp(*session->call.jump, 1);
  fprintf(stderr, "%s\n", thisThread.message);
  abort();
}

void lstmCudaCheckFailed(const char *message, int64_t v0, int64_t v1, int64_t v2) {
  int64_t values[] = {v0, v1, v2};
  char text[LSTM_MESSAGE_SIZE];
  lstmFillMessage(text, message, values);
  lstmFail(LSTM_CHECK_FAILED, "%s", text);
  leave();
}

int lstmAssertMessage(const char *text) {
  return lstmFail(LSTM_OK, "error: assertion failed: %s", text);
}

void lstmAssertFailed(void) {
  thisThread.status = LSTM_CHECK_FAILED;
  leave();
}

void lstmCudaRead(void *host, const void *device, int64_t bytes) {
  lstm_cuda_session *session = getSession(__func__);
  if (!session)
    leave();
  if (bytes <= 0)
    return;
  const Call &call = session->call;
  if (call.callerCaptures || call.capturing)
    lstmFail(LSTM_IN_CAPTURE,
             "the program reads memory of the device, which is not possible while the stream is "
             "captured");
  else if (CU(cuMemcpyAsync, host, device, bytes, call.current) &&
           CU(cuStreamSynchronize, call.current) && readCheck(session))
    return;
  leave();
}

LSTMCudaCheck *lstmCudaGetCheck(void) {
  lstm_cuda_session *session = getSession(__func__);
  return session ? session->check : nullptr;
}

/// Nothing with a destructor may be in here: failures come back by longjmp.
static void callGenerated(lstm_cuda_session *session, void (*call)(void **)) {
  jmp_buf jump;
  session->call.jump = &jump;
  if (setjmp(jump) == 0)
    call(session->passed.data());
  session->call.jump = nullptr;
}

static void runCall(lstm_cuda_session *session, void (*call)(void **)) {
  callGenerated(session, call);
  joinBranches(session);
  if (session->call.capturing)
    leaveGraph(session);
}

/// Copies results to where the caller wants them.
static void giveResults(lstm_cuda_session *session) {
  for (int64_t i = session->call.numArguments; i < session->call.numPorts; ++i) {
    const LSTMPort &port = session->ports[i];
    if (port.rank < 0)
      continue;
    if (port.words[2] == notGiven) {
      lstmFail(LSTM_CHECK_FAILED, "result '%s': the program gave none", port.name);
      return;
    }
    if (port.copy && port.tensor &&
        !copyElements(port.rank, port.words + 3, lstmGetElementSize(port.dtype), port.tensor->data,
                      port.tensor->strides, port.copy, port.words + 3 + port.rank,
                      session->call.stream))
      return;
  }
}

/// A call that fails gives nothing.
static void takeResultsBack(lstm_cuda_session *session) {
  for (int64_t i = session->call.numArguments; i < session->call.numPorts; ++i) {
    lstm_tensor *tensor = session->ports[i].tensor;
    if (!session->ports[i].fresh || !tensor->owner)
      continue;
    CU(cuStreamSynchronize, session->call.stream);
    CU(cuMemFree, tensor->owner);
    tensor->owner = tensor->data = nullptr;
  }
}

int32_t lstmCudaInvoke(lstm_cuda_session *session, void *stream, const int64_t *signature,
                       const char *names, void (*call)(void **values), void **values) {
  if (!session || thisThread.session) {
    lstmFail(LSTM_NULL_POINTER, session ? "a call of a session runs on this thread already"
                                        : "expected a session, but got a null pointer");
    return thisThread.session ? thisThread.status : report(nullptr);
  }
  thisThread.session = session;
  if (beginCall(session, static_cast<Stream>(stream), signature)) {
    readPorts(session, names, values);
    if (passPorts(session))
      runCall(session, call);
    if (session->call.unready) {
      // The graph can wait for the next call.
      forgetFailure();
      session->call.unready = false;
      session->call.withoutGraph = true;
      startBranches(session, session->call.stream);
      runCall(session, call);
    }
    if (!hasFailed())
      giveResults(session);
    endCall(session);
    if (hasFailed())
      takeResultsBack(session);
  }
  thisThread.session = nullptr;
  return report(session);
}
