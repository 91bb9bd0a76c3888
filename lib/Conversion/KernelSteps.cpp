//===- KernelSteps.cpp - A kernel a step ----------------------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel of all steps, cut where blocks would wait for each other: between steps, and within a step where something
// is projected or folded that the step gives. So its blocks need not be there at the same time, and there may be any
// number of them.
//
// A first kernel writes the weights to memory in the order in which lanes multiply them, and what states were before.
// The others begin early, where a device has that: a block loads its weights, as far as there are registers, and what
// else no step writes, and then waits until the kernel before has ended.
//
//===----------------------------------------------------------------------===//

#include "CUDARuntime.h"
#include "KernelEmitter.h"

using namespace mlir;
using namespace mlir::lstm;

/// What a lane has of a slot's weights, in memory behind what is exchanged: the first four words, and fours behind.
Value KernelEmitter::getPackedOffset(unsigned number, unsigned slot) {
  const PhaseLayout &phase = layout.phases[number];
  Value exchanged = mul(mul(slots, rows), 4 * layout.exchangeWords);
  Value ofBlock = add(mul(block, layout.streamedBytes), index(phase.streamed + slot * phase.slotBytes));
  return add(add(exchanged, ofBlock), mul(thread, 16));
}

SmallVector<Value> KernelEmitter::loadPacked(unsigned number, unsigned s) {
  const PhaseLayout &phase = layout.phases[number];
  ProductFormat format = getFormat(loop.phases[number].projections[phase.slots[s].projection], plan);
  int64_t words = 8 * phase.productTiles * getNumWeightPlanes(format, plan);
  return loadFours(exchangeMemory, getPackedOffset(number, s), 16 * plan.getNumProductThreads(), words);
}

/// What no step writes, of the block's tile, before the kernel before has ended.
void KernelEmitter::loadUnwritten(unsigned number, const IRMapping &step) {
  for (const Input &input : getInputs(number)) {
    if (!isa<MemRefType>(input.operand.getType()) || isWritten(loop, input.operand))
      continue;
    SmallVector<Value> &values = constants[input.argument];
    for (int64_t i = 0; i < getNumItems(number); ++i) {
      Item item = getItem(number, i, firstTile);
      values.append(guarded(item.exists, input.getType(),
                            [&] { return SmallVector<Value>{loadElement(input, item, step)}; }));
    }
  }
}

/// Packed weights, and the first slot of exchanges.
void KernelEmitter::emitBefore() {
  auto roles = scf::IfOp::create(b, isLess(thread, index(plan.getNumProductThreads())), /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(roles.thenBlock());
  guarded(isFirst(firstTile), {}, [&]() -> SmallVector<Value> {
    for (unsigned number : getOwnPhases())
      loadWeights(number);
    return {};
  });
  b.setInsertionPointToStart(roles.elseBlock());
  mapThread = b.createOrFold<arith::SubIOp>(thread, index(plan.getNumProductThreads()));
  for (unsigned exchange : getOwnExchanges())
    publishInitial(exchange);
}

void KernelEmitter::emitSegment(ArrayRef<unsigned> segment, Value count) {
  // Upstream's operation says nothing of memory, so that LLVM would read ahead of it what is waited for.
  auto control = [&](StringRef action) {
    if (options.beginsEarly)
      assembly(("griddepcontrol." + action + ";").str(), "~{memory}", {}, {});
  };
  control("launch_dependents");
  IRMapping step = computeStep(count);
  Value flip = index(0);
  auto roles = scf::IfOp::create(b, isLess(thread, index(plan.getNumProductThreads())), /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(roles.thenBlock());
  SmallVector<unsigned> numbers;
  for (unsigned stage : segment)
    if (loop.stages[stage].hasPhase)
      numbers.push_back(loop.stages[stage].phase);
  for (unsigned number : numbers)
    for (auto [s, slot] : llvm::enumerate(layout.phases[number].slots))
      if (!slot.isStreamed)
        weights[{number, unsigned(s)}] = loadPacked(number, s);
  control("wait");
  for (unsigned number : numbers)
    flip = emitProductPart(number, count, step, flip);

  b.setInsertionPointToStart(roles.elseBlock());
  mapThread = b.createOrFold<arith::SubIOp>(thread, index(plan.getNumProductThreads()));
  flip = index(0);
  for (unsigned number : numbers)
    loadUnwritten(number, step);
  for (int64_t i = 0; i < layout.sumBuffers; ++i)
    meet(Handover::Empty, index(i), /*waits=*/false);
  control("wait");
  for (unsigned stage : segment)
    flip = emitMapPart(stage, count, step, flip);
}

void KernelEmitter::emitPerStep(Value memory, DistinctAttr kernel) {
  Value pointer = getDevicePointer(b, b.getLoc(), memory);
  auto launchPart = [&](function_ref<void()> body) {
    OpBuilder::InsertionGuard guard(b);
    memories.clear();
    weights.clear();
    constants.clear();
    createLaunch(Value(), kernel);
    exchangeMemory = LLVM::AddrSpaceCastOp::create(b, global, pointer);
    block = launch.getBlockIds().x;
    identify();
    body();
  };
  begin = source.getLowerBound();
  end = steps;
  auto any = scf::IfOp::create(b, isLess(begin, end));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(any.thenBlock());
  launchPart([&] { emitBefore(); });
  auto time = scf::ForOp::create(b, begin, end, index(1));
  b.setInsertionPointToStart(time.getBody());
  for (ArrayRef<unsigned> segment : loop.getSegments()) {
    launchPart([&] { emitSegment(segment, time.getInductionVar()); });
    if (options.beginsEarly)
      launch->setAttr("lstm.early", b.getUnitAttr());
  }
}
