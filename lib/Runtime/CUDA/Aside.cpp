//===- Aside.cpp - Copies and fills beside products -----------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A node of a graph takes the device a microsecond or two to get to, however little it does, and a call begins with
// copies of states, products for all steps and a fill of what blocks exchange, none of which needs another one. So in a
// graph copies and fills go to a lane of their own, behind all that was given before, and products, of which the
// runtime knows what they read and write, go on beside them. Whatever else comes waits for both.
//
//===----------------------------------------------------------------------===//

#include "Session.h"
#include "Status.h"

#include <algorithm>

using namespace lstm::cuda;

static bool meet(const MemoryRange &l, const MemoryRange &r) {
  return (l.isWritten || r.isWritten) && l.begin < r.end && r.begin < l.end;
}

bool MemoryRanges::meets(const MemoryRange &range) const {
  return std::any_of(ranges, ranges + count, [&](const MemoryRange &known) { return meet(known, range); });
}

bool MemoryRanges::add(std::initializer_list<MemoryRange> more) {
  if (count + more.size() > maxRanges)
    return false;
  std::copy(more.begin(), more.end(), ranges + count);
  count += more.size();
  return true;
}

Stream lstm::cuda::goAside(lstm_cuda_session *session, std::initializer_list<MemoryRange> ranges) {
  Call &call = session->call;
  int64_t number = session->numLanes - 1;
  // Branches have their lanes, and those of one session that has but one lane are in order.
  if (number == 0 || call.lane != 0 || (call.forked && !call.isAside))
    return call.current;
  // What a graph needs has to be there before it is captured.
  if (!prepareLane(session, number) || !(call.capturing || call.callerCaptures))
    return call.current;
  bool isBehind = call.isAside && std::none_of(ranges.begin(), ranges.end(), [&](const MemoryRange &range) {
                    return call.besides.meets(range);
                  });
  if (!isBehind) {
    if (!orderLanes(session, 0, number, session->lanes[number].event))
      return call.current;
    call.isAside = true;
    call.forked |= 1u << number;
    call.besides.count = 0;
  }
  if (!call.aside.add(ranges)) {
    joinAside(session);
    return call.current;
  }
  return session->lanes[number].stream;
}

void lstm::cuda::goBeside(lstm_cuda_session *session, std::initializer_list<MemoryRange> ranges) {
  Call &call = session->call;
  if (call.isAside && (std::any_of(ranges.begin(), ranges.end(),
                                   [&](const MemoryRange &range) { return call.aside.meets(range); }) ||
                       !call.besides.add(ranges)))
    joinAside(session);
}

void lstm::cuda::joinAside(lstm_cuda_session *session) {
  if (session->call.isAside)
    joinBranches(session);
}
