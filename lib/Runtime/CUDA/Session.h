//===- Session.h - What calls share -----------------------------*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_LIB_RUNTIME_CUDA_SESSION_H
#define LSTM_LIB_RUNTIME_CUDA_SESSION_H

#include "ABI.h"
#include "Cublas.h"
#include "Device.h"
#include "Graphs.h"
#include "Message.h"
#include "Ports.h"

#include <csetjmp>

namespace lstm::cuda {

/// Memory of the device that grows.
struct Buffer {
  void *data = nullptr;
  int64_t bytes = 0;
};

/// A stream that branches share, and a cuBLAS of its own: products on several streams run at
/// once. The first one is the stream of branch 0, which the session does not own.
struct Lane {
  Stream stream = nullptr;
  /// Where it was forked or joined last.
  Event event = nullptr;
  BlasHandle blas = nullptr;
  Buffer blasWorkspace;
  /// Whether stream and workspace of the handle are those of this call.
  bool blasIsSet = false;
};
inline constexpr int64_t maxLanes = 8;

/// A point in time that generated code knows by its number.
struct Mark {
  Event event = nullptr;
  /// The call in which it was recorded last, and the lane.
  int64_t call = 0, lane = 0;
};

/// Bytes from `begin` to `end`.
struct MemoryRange {
  const char *begin, *end;
  bool isWritten;
  static MemoryRange of(const void *data, int64_t bytes, bool isWritten) {
    auto begin = static_cast<const char *>(data);
    return {begin, begin + bytes, isWritten};
  }
};

/// What some work reads and writes.
struct MemoryRanges {
  static constexpr size_t maxRanges = 16;
  MemoryRange ranges[maxRanges];
  size_t count;
  /// Whether it matters which one comes first.
  bool meets(const MemoryRange &range) const;
  /// False if there is no place.
  bool add(std::initializer_list<MemoryRange> more);
};

/// The call that runs. It is left by longjmp: nothing here needs a destructor.
struct Call {
  int64_t number;
  const int64_t *signature;
  Stream stream;
  int64_t numArguments, numPorts;
  /// The caller captures his stream: nothing can be allocated, loaded or waited for.
  bool callerCaptures;
  /// The work becomes a graph of the session.
  bool capturing;
  /// Something was missing in a capture of our own, or somebody ended it: the call has to
  /// run without one.
  bool unready;
  bool withoutGraph;
  int64_t lane;
  /// The stream of the lane.
  Stream current;
  /// Lanes that branch 0 has to wait for, one bit each.
  unsigned forked;
  /// Whether copies and fills run on a lane of their own; what they access, and what products beside them do.
  bool isAside;
  MemoryRanges aside, besides;
  jmp_buf *jump;
};

} // namespace lstm::cuda

struct lstm_cuda_session {
  lstm::cuda::Device *device = nullptr;
  lstm::cuda::Call call = {};

  /// The caller's stream may be one that cannot be captured.
  lstm::cuda::Stream captureStream = nullptr;
  /// Behind the last call, and that call's stream.
  lstm::cuda::Event done = nullptr;
  lstm::cuda::Stream lastStream = nullptr;
  LSTMCudaCheck *check = nullptr;

  lstm::cuda::Lane lanes[lstm::cuda::maxLanes];
  int64_t numLanes = 4;
  /// For each branch the fork in which it started last.
  std::vector<int64_t> startedBranches;
  int64_t forkNumber = 1;
  std::vector<lstm::cuda::Mark> marks;

  lstm::cuda::Buffer workspace;
  void *callersWorkspace = nullptr;
  int64_t callersBytes = 0;
  /// Copies of arguments and results, by number of the port.
  std::vector<lstm::cuda::Buffer> copies;
  /// What the call has allocated in its loops and not freed yet.
  std::vector<void *> temporaries;
  /// Graphs of callers may still use what was outgrown.
  bool wasCaptured = false;
  std::vector<void *> outgrown;

  lstm::cuda::GraphCache graphs;

  std::vector<LSTMPort> ports;
  std::vector<int64_t> words, scalars;
  std::vector<void *> passed;

  int64_t allocations = 0, bytes = 0, plain = 0, launches = 0, products = 0;
  char message[LSTM_MESSAGE_SIZE] = "";
};

namespace lstm::cuda {

/// The session whose call runs on this thread; null after a failure, and a failure where
/// there is none.
lstm_cuda_session *getSession(const char *function);

/// Whether something can be made that the session lacks: not while work is captured.
bool mayPrepare(lstm_cuda_session *session, const char *what);

/// Takes the values that a kernel wrote as a failure of the thread; false if there are some.
bool readCheck(lstm_cuda_session *session);

// ---- Memory.cpp ----

void *allocate(lstm_cuda_session *session, int64_t bytes);

/// Makes the buffer large enough; what was in it is lost.
bool growBuffer(lstm_cuda_session *session, Buffer &buffer, int64_t bytes, const char *what);
void freeBuffer(lstm_cuda_session *session, Buffer &buffer);

/// Frees what generated code left.
void freeTemporaries(lstm_cuda_session *session);

/// Copies between arrays of one shape; strides are in elements.
bool copyElements(int64_t rank, const int64_t *shape, int64_t elementSize, void *target,
                  const int64_t *targetStrides, const void *source, const int64_t *sourceStrides,
                  Stream stream);

// ---- Branches.cpp ----

/// Makes branch 0 the current one, on this stream.
void startBranches(lstm_cuda_session *session, Stream stream);

/// Joins what was forked, also after a failure.
void joinBranches(lstm_cuda_session *session);

/// Makes the stream and the event of a lane, unless there are some.
bool prepareLane(lstm_cuda_session *session, int64_t lane);

/// Lets one lane wait for what another was given.
bool orderLanes(lstm_cuda_session *session, int64_t before, int64_t after, Event event);

// ---- Aside.cpp ----

/// The stream for a copy or a fill that accesses this memory: beside the call's, in a graph.
Stream goAside(lstm_cuda_session *session, std::initializer_list<MemoryRange> ranges);

/// Before work on the call's stream that accesses this memory alone: waits for what runs aside if it has to.
void goBeside(lstm_cuda_session *session, std::initializer_list<MemoryRange> ranges);

/// Before any other work on the call's stream.
void joinAside(lstm_cuda_session *session);

// ---- Gemm.cpp ----

void destroyBlas(lstm_cuda_session *session, Lane &lane);

} // namespace lstm::cuda

#endif // LSTM_LIB_RUNTIME_CUDA_SESSION_H
