//===- Branches.cpp - Work side by side -----------------------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"
#include "Status.h"

#include <cinttypes>

using namespace lstm::cuda;

/// Numbers of branches and events are small; others are somebody's mistake.
static constexpr int64_t maxNumber = 1 << 20;

static bool checkNumber(const char *what, int64_t number) {
  if (number >= 0 && number < maxNumber)
    return true;
  lstmFail(LSTM_WRONG_SHAPE, "expected a number of %s from 0 to %" PRId64 ", but got %" PRId64,
           what, maxNumber - 1, number);
  return false;
}

static void useLane(lstm_cuda_session *session, int64_t lane) {
  session->call.lane = lane;
  session->call.current = session->lanes[lane].stream;
}

void lstm::cuda::startBranches(lstm_cuda_session *session, Stream stream) {
  session->lanes[0].stream = stream;
  session->lanes[0].blasIsSet = false;
  session->call.forked = 0;
  session->call.isAside = false;
  session->call.aside.count = session->call.besides.count = 0;
  ++session->forkNumber;
  useLane(session, 0);
}

bool lstm::cuda::orderLanes(lstm_cuda_session *session, int64_t before, int64_t after, Event event) {
  return CU(cuEventRecord, event, session->lanes[before].stream) &&
         CU(cuStreamWaitEvent, session->lanes[after].stream, event, 0);
}

bool lstm::cuda::prepareLane(lstm_cuda_session *session, int64_t lane) {
  Lane &own = session->lanes[lane];
  if (!own.stream) {
    if (!mayPrepare(session, "a stream"))
      return false;
    if (!CU(cuStreamCreate, &own.stream, streamNonBlocking))
      return false;
  }
  if (!own.event) {
    if (!mayPrepare(session, "an event") || !CU(cuEventCreate, &own.event, eventDisableTiming))
      return false;
  }
  return true;
}

static bool startBranch(lstm_cuda_session *session, int64_t branch, int64_t lane) {
  if (int64_t(session->startedBranches.size()) <= branch)
    session->startedBranches.resize(branch + 1);
  int64_t &started = session->startedBranches[branch];
  if (started == session->forkNumber)
    return true;
  started = session->forkNumber;
  if (!prepareLane(session, lane))
    return false;
  session->call.forked |= 1u << lane;
  return orderLanes(session, 0, lane, session->lanes[lane].event);
}

void lstmCudaSetBranch(int64_t branch) {
  lstm_cuda_session *session = getSession(__func__);
  if (!session || !checkNumber("a branch", branch))
    return;
  joinAside(session);
  int64_t lane = branch % session->numLanes;
  if (lane == 0 || startBranch(session, branch, lane))
    useLane(session, lane);
}

void lstmCudaRecord(int64_t event) {
  lstm_cuda_session *session = getSession(__func__);
  if (!session || !checkNumber("an event", event))
    return;
  joinAside(session);
  if (int64_t(session->marks.size()) <= event)
    session->marks.resize(event + 1);
  Mark &mark = session->marks[event];
  // With one lane all is in order anyway.
  if (session->numLanes > 1) {
    if (!mark.event && (!mayPrepare(session, "an event") ||
                        !CU(cuEventCreate, &mark.event, eventDisableTiming)))
      return;
    if (!CU(cuEventRecord, mark.event, session->call.current))
      return;
  }
  mark.call = session->call.number;
  mark.lane = session->call.lane;
}

void lstmCudaWaitFor(int64_t event) {
  lstm_cuda_session *session = getSession(__func__);
  if (!session || !checkNumber("an event", event))
    return;
  if (event >= int64_t(session->marks.size()) ||
      session->marks[event].call != session->call.number) {
    lstmFail(LSTM_CUDA_ERROR, "event %" PRId64 " is waited for, but was not recorded", event);
    return;
  }
  // What comes behind the event may not begin aside before it.
  joinAside(session);
  const Mark &mark = session->marks[event];
  if (mark.lane != session->call.lane)
    CU(cuStreamWaitEvent, session->call.current, mark.event, 0);
}

void lstm::cuda::joinBranches(lstm_cuda_session *session) {
  Call &call = session->call;
  for (int64_t lane = 1; lane < maxLanes; ++lane)
    if (call.forked & (1u << lane))
      orderLanes(session, lane, 0, session->lanes[lane].event);
  call.forked = 0;
  call.isAside = false;
  call.aside.count = call.besides.count = 0;
  ++session->forkNumber;
  useLane(session, 0);
}

void lstmCudaJoin(void) {
  if (lstm_cuda_session *session = getSession(__func__))
    joinBranches(session);
}
