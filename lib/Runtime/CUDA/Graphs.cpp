//===- Graphs.cpp - Graphs of calls that come again -----------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"
#include "Kernels.h"
#include "Status.h"

#include <algorithm>
#include <cstring>

using namespace lstm::cuda;

/// Callers that take turns with a few sets of arrays keep a graph for each; for more, graphs
/// of the same shape are given new addresses.
static constexpr int64_t maxGraphsOfShape = 4;

static uint64_t mix(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15;
  return hash ^ (hash >> 29);
}

static void makeKey(lstm_cuda_session *session) {
  GraphKey &key = session->graphs.key;
  std::vector<int64_t> &words = key.words;
  words.clear();
  words.push_back(reinterpret_cast<intptr_t>(session->call.signature));
  for (int64_t i = 0; i < session->call.numPorts; ++i) {
    const LSTMPort &port = session->ports[i];
    if (port.rank >= 0) {
      words.insert(words.end(), port.words + 3, port.words + 3 + port.rank);
    } else if (i < session->call.numArguments) {
      int64_t value = 0;
      memcpy(&value, session->passed[i], lstmGetElementSize(port.dtype));
      words.push_back(value);
    }
  }
  key.numShapeWords = words.size();
  words.push_back(reinterpret_cast<intptr_t>(
      session->callersWorkspace ? session->callersWorkspace : session->workspace.data));
  for (int64_t i = 0; i < session->call.numPorts; ++i)
    if (session->ports[i].rank >= 0)
      words.push_back(session->ports[i].words[1]);
  key.hash = 0;
  for (int64_t word : words)
    key.hash = mix(key.hash, uint64_t(word));
}

static CachedGraph *findGraph(GraphCache &cache) {
  for (CachedGraph &graph : cache.graphs)
    if (graph.key.hash == cache.key.hash && graph.key.words == cache.key.words)
      return &graph;
  return nullptr;
}

/// Counts the call; returns how often it came before.
static int64_t countCall(GraphCache &cache) {
  for (GraphCache::Seen &seen : cache.seen)
    if (seen.calls != 0 && seen.hash == cache.key.hash)
      return seen.calls++;
  cache.seen[cache.nextSeen++ % GraphCache::maxSeen] = {cache.key.hash, 1};
  return 0;
}

bool lstm::cuda::enterGraph(lstm_cuda_session *session) {
  GraphCache &cache = session->graphs;
  Call &call = session->call;
  uint64_t released = releasedModules.load(std::memory_order_acquire);
  if (cache.releasedModules != released) {
    cache.releasedModules = released;
    dropGraphs(session);
    if (hasFailed())
      return false;
  }
  makeKey(session);
  if (CachedGraph *graph = findGraph(cache)) {
    graph->lastUse = ++cache.clock;
    if (CU(cuGraphLaunch, graph->exec, call.stream))
      ++cache.replays;
    return false;
  }
  if (countCall(cache) < cache.graphAfter)
    return true;
  if (!CU(cuStreamBeginCapture, session->captureStream, captureThreadLocal))
    return false;
  call.capturing = true;
  startBranches(session, session->captureStream);
  return true;
}

static bool hasShape(const CachedGraph &graph, const GraphKey &key) {
  return graph.key.numShapeWords == key.numShapeWords &&
         std::equal(key.words.begin(), key.words.begin() + key.numShapeWords,
                    graph.key.words.begin());
}

static void dropGraph(GraphCache &cache, CachedGraph *graph) {
  GraphExec exec = graph->exec;
  if (graph != &cache.graphs.back())
    *graph = std::move(cache.graphs.back());
  cache.graphs.pop_back();
  CU(cuGraphExecDestroy, exec);
}

void lstm::cuda::trimGraphs(lstm_cuda_session *session, int64_t count) {
  GraphCache &cache = session->graphs;
  while (int64_t(cache.graphs.size()) > count) {
    CachedGraph *oldest = &cache.graphs.front();
    for (CachedGraph &graph : cache.graphs)
      if (graph.lastUse < oldest->lastUse)
        oldest = &graph;
    dropGraph(cache, oldest);
  }
}

void lstm::cuda::dropGraphs(lstm_cuda_session *session) {
  memset(session->graphs.seen, 0, sizeof session->graphs.seen);
  trimGraphs(session, 0);
}

/// Gives the graph that was not used for longest the addresses of this call, if there are
/// enough of this shape. Null where there is none to be had, or after a failure.
static CachedGraph *updateGraph(GraphCache &cache, Graph captured) {
  CachedGraph *oldest = nullptr;
  int64_t count = 0;
  for (CachedGraph &graph : cache.graphs) {
    if (!hasShape(graph, cache.key))
      continue;
    ++count;
    if (!oldest || graph.lastUse < oldest->lastUse)
      oldest = &graph;
  }
  bool full = int64_t(cache.graphs.size()) >= cache.maxGraphs;
  if (!oldest || (!full && count < maxGraphsOfShape))
    return nullptr;
  UpdateInfo info = {};
  int result = driver.cuGraphExecUpdate(oldest->exec, captured, &info);
  if (result == 0) {
    ++cache.updates;
    oldest->key = cache.key;
    return oldest;
  }
  // It is not what it was any more. Another form of the graph is no failure: values on the
  // host may have chosen other work.
  if (result != cudaUpdateFailed)
    checkDriver(result, "cuGraphExecUpdate");
  dropGraph(cache, oldest);
  return nullptr;
}

static CachedGraph *addGraph(lstm_cuda_session *session, Graph captured) {
  GraphCache &cache = session->graphs;
  GraphExec exec = nullptr;
  trimGraphs(session, cache.maxGraphs - 1);
  if (hasFailed() || !CU(cuGraphInstantiate, &exec, captured, 0))
    return nullptr;
  cache.graphs.push_back({cache.key, exec, 0});
  return &cache.graphs.back();
}

void lstm::cuda::leaveGraph(lstm_cuda_session *session) {
  GraphCache &cache = session->graphs;
  Graph captured = nullptr;
  session->call.capturing = false;
  int result = driver.cuStreamEndCapture(session->captureStream, &captured);
  // Another thread has waited for the whole device, for instance, which ends all captures.
  session->call.unready |= result == cudaCaptureInvalidated;
  // What goes wrong after a failure is a consequence of it.
  if (!hasFailed() && checkDriver(result, "cuStreamEndCapture")) {
    ++cache.captures;
    CachedGraph *graph = updateGraph(cache, captured);
    if (!graph && !hasFailed())
      graph = addGraph(session, captured);
    if (graph) {
      graph->lastUse = ++cache.clock;
      CU(cuGraphLaunch, graph->exec, session->call.stream);
    }
  }
  if (captured)
    CU(cuGraphDestroy, captured);
}
