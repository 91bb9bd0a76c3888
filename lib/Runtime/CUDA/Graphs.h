//===- Graphs.h - Graphs of calls that come again ---------------*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_LIB_RUNTIME_CUDA_GRAPHS_H
#define LSTM_LIB_RUNTIME_CUDA_GRAPHS_H

#include "Driver.h"

#include <cstdint>
#include <vector>

struct lstm_cuda_session;

namespace lstm::cuda {

/// What a graph depends on: first signature, sizes and scalars, the call's shape, then the
/// addresses of arguments, results and workspace. All of it is in row-major order, so that
/// there are no strides.
struct GraphKey {
  std::vector<int64_t> words;
  size_t numShapeWords = 0;
  uint64_t hash = 0;
};

struct CachedGraph {
  GraphKey key;
  GraphExec exec;
  int64_t lastUse;
};

struct GraphCache {
  int64_t graphAfter = 1, maxGraphs = 64;
  std::vector<CachedGraph> graphs;
  /// Calls that may become graphs: how often each came. Of two with the same hash one
  /// becomes a graph too early, which harms nobody.
  struct Seen {
    uint64_t hash;
    int64_t calls;
  };
  static constexpr int64_t maxSeen = 64;
  Seen seen[maxSeen] = {};
  int64_t nextSeen = 0;
  /// Of the call that runs.
  GraphKey key;
  int64_t clock = 0;
  uint64_t releasedModules = 0;
  int64_t captures = 0, updates = 0, replays = 0;
};

/// Replays the call's graph, or starts to capture one, or does nothing. Returns whether the
/// work is to be enqueued.
bool enterGraph(lstm_cuda_session *session);

/// Ends the capture and launches its graph; after a failure, discards it.
void leaveGraph(lstm_cuda_session *session);

/// Drops all graphs.
void dropGraphs(lstm_cuda_session *session);

/// Drops those that are too many, the least recently used ones first.
void trimGraphs(lstm_cuda_session *session, int64_t count);

} // namespace lstm::cuda

#endif // LSTM_LIB_RUNTIME_CUDA_GRAPHS_H
