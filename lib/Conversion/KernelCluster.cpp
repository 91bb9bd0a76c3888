//===- KernelCluster.cpp - Exchange between blocks of a cluster -----------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks of a cluster write what is projected into each other's shared memory. As in memory, a word is
// all ones until it is there. There are buffers for four slots. Who has received slot s of all warps
// makes its words of slot s - 1 all ones again: all have read these before they sent s (see
// isForCluster), and none sends s + 2 before it has received s + 1 of all.
//
// A warp multiplies all of k, or a part of it, for some units, and maps these: there is no barrier but
// between the warps that share out k.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::lstm;

/// Of words in the buffer of a slot, in this block's shared memory; `inBlock` is of those of one block.
Value KernelEmitter::bufferOffset(unsigned exchange, Value slot, unsigned plane, Value sender, Value inBlock) {
  const ExchangeLayout &place = layout.exchanges[exchange];
  Value line = add(mul(rem(slot, KernelLayout::kClusterSlots), place.format.getNumPlanes()), index(plane));
  Value at = add(mul(add(mul(line, plan.unitBlocks), sender), place.blockWords), inBlock);
  return add(mul(at, 4), index(place.buffer));
}

/// Nothing is there at first; then all blocks may write to each other.
void KernelEmitter::beginCluster() {
  int64_t fours = (layout.size.sharedBytes - layout.exchanges.front().buffer) / 16;
  auto each = scf::ForOp::create(b, thread, index(fours), index(plan.getNumThreads()));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(each.getBody());
    Value at = add(mul(each.getInductionVar(), 16), index(layout.exchanges.front().buffer));
    Value missing = arith::ConstantOp::create(
        b, DenseElementsAttr::get(VectorType::get(4, b.getI32Type()), b.getI32IntegerAttr(-1)));
    LLVM::StoreOp::create(b, missing, advance(sharedMemory, at), /*alignment=*/16);
  }
  Value zeros = arith::ConstantOp::create(b, b.getZeroAttr(VectorType::get(4, b.getI32Type())));
  LLVM::StoreOp::create(b, zeros, advance(sharedMemory, index(layout.zeros)), /*alignment=*/16);
  meetCluster();
}

/// No block may end while others write to it.
void KernelEmitter::meetCluster() {
  assembly("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;", "", {}, {});
}

/// The address of four words of a slot.
Value KernelEmitter::slotAddress(const Request &request, unsigned plane) {
  unsigned exchange = *request.projection->exchange;
  const ExchangeLayout &place = layout.exchanges[exchange];
  Value first = mul(request.chunk, ProductFormat::kLaneWords);
  int64_t blockRowWords = place.warpRowWords * plan.unitWarps;
  Value sender = div(first, blockRowWords), inRow = rem(first, blockRowWords);
  Value senderWarp = div(inRow, place.warpRowWords);
  // Of the class, see getOwnItem.
  Value rowClass = add(mul(div(request.tileRow, 8), 2), rem(request.tileRow, 2));
  Value row = add(mul(rem(rowClass, plan.splits), getNumClasses()), div(rowClass, plan.splits));
  row = add(mul(row, 4), div(rem(request.tileRow, 8), 2));
  Value inBlock = add(mul(senderWarp, place.warpWords), mul(row, place.warpRowWords));
  inBlock = add(inBlock, rem(inRow, place.warpRowWords));
  Value offset = bufferOffset(exchange, request.step, plane, sender, inBlock);
  if (request.isInside)
    offset = arith::SelectOp::create(b, request.isInside, offset, index(layout.zeros));
  return advance(sharedMemory, offset);
}

/// Whether nothing projects a slot any more that `projection` of a phase has projected.
bool KernelEmitter::isLastRead(unsigned number, const Projection &projection) {
  bool isLast = false;
  // Of a slot, what projects it in the step that writes it comes before what does in the next step.
  for (bool isOfPreviousStep : {false, true})
    for (auto [n, phase] : llvm::enumerate(loop.phases))
      for (const Projection &other : phase.projections)
        if (other.exchange == projection.exchange && other.isOfPreviousStep == isOfPreviousStep)
          isLast = n == number && &other == &projection;
  return isLast;
}

/// Makes the slots all ones that come before those that a phase is the last to read.
void KernelEmitter::clearSlots(unsigned number, Value count) {
  for (auto [i, slot] : llvm::enumerate(layout.phases[number].slots)) {
    const Projection &projection = loop.phases[number].projections[slot.projection];
    if (!projection.exchange || !isLastRead(number, projection))
      continue;
    for (int64_t n = 0; n < plan.rowTiles; ++n) {
      Request request = getRequest(number, {unsigned(i), n}, count, index(0));
      request.step = add(request.step, index(KernelLayout::kClusterSlots - 1));
      // The warps that read the same share it out.
      Value isMine = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, unitWarp,
                                                   index((i * plan.rowTiles + n) % plan.unitWarps));
      isMine = arith::ExtUIOp::create(b, b.getI32Type(), conjoin(isMine, request.isInside));
      for (unsigned plane = 0; plane < request.format.getNumPlanes(); ++plane)
        assembly("{ .reg .pred p; setp.ne.u32 p, $1, 0; @p st.volatile.shared.v4.b32 [$0], {$2, $2, $2, $2}; }",
                 "l,r,r", {}, {slotAddress(request, plane), isMine, word(-1)});
    }
  }
}

/// The elements of a lane: the rows of its accumulators, of which the warps that share out k have as many
/// each, and the units of its row of the product tiles.
KernelEmitter::Item KernelEmitter::getOwnItem(unsigned number, int64_t i) {
  const PhaseLayout &phase = layout.phases[number];
  Value rowClass = add(index(i % getNumClasses() * plan.splits), split);
  Item item;
  item.tileRow = add(mul(div(rowClass, 2), 8), add(mul(laneColumn, 2), rem(rowClass, 2)));
  Value row = add(mul(unitWarp, 8), laneRow);
  item.blockUnit = add(mul(row, phase.getLaneUnits()), index(i / getNumClasses()));
  return item;
}

/// The products of the lane's elements, by element: those of its accumulators, to which the other warps
/// that share out k add theirs, through shared memory as [unit warp][row class][unit][split][lane][gate].
SmallVector<SmallVector<Value>> KernelEmitter::exchangeSums(unsigned number, const Accumulators &accumulators,
                                                            Value flip) {
  const PhaseLayout &phase = layout.phases[number];
  // Of a class of rows (tile of 8 and odd or even) and a unit of the lane.
  auto getProduct = [&](int64_t rowClass, int64_t unit, int64_t gate) {
    int64_t product = unit * phase.gates + gate;
    return accumulators[product / 2 * plan.rowTiles + rowClass / 2][product % 2 * 2 + rowClass % 2];
  };
  SmallVector<SmallVector<Value>> products(getNumItems(number));
  if (plan.splits == 1) {
    for (auto [i, all] : llvm::enumerate(products))
      for (int64_t gate = 0; gate < phase.gates; ++gate)
        all.push_back(getProduct(i % getNumClasses(), i / getNumClasses(), gate));
    return products;
  }
  int64_t width = phase.gates % 4 == 0 ? 4 : phase.gates % 2 == 0 ? 2 : 1;
  Type type = width == 1 ? Type(b.getF32Type()) : VectorType::get(width, b.getF32Type());
  Value lane = rem(thread, 32);
  auto getPlace = [&](Value rowClass, int64_t unit, Value split, int64_t gate) {
    Value line = add(mul(unitWarp, 2 * plan.rowTiles), rowClass);
    line = add(mul(line, phase.getLaneUnits()), index(unit));
    line = add(mul(add(mul(line, plan.splits), split), 32), lane);
    return advance(sharedMemory, add(mul(flip, layout.sumBytes), mul(add(mul(line, phase.gates), index(gate)), 4)));
  };
  for (int64_t rowClass = 0; rowClass < 2 * plan.rowTiles; ++rowClass)
    for (int64_t unit = 0; unit < phase.getLaneUnits(); ++unit)
      for (int64_t gate = 0; gate < phase.gates; gate += width) {
        Value stored = LLVM::UndefOp::create(b, type);
        for (int64_t j = 0; j < width; ++j) {
          Value product = getProduct(rowClass, unit, gate + j);
          stored = width == 1 ? product : LLVM::InsertElementOp::create(b, stored, product, word(j));
        }
        LLVM::StoreOp::create(b, stored, getPlace(index(rowClass), unit, split, gate), 4 * width);
      }
  Value barrier = arith::IndexCastOp::create(b, b.getI32Type(), add(unitWarp, index(1)));
  NVVM::BarrierOp::create(b, Type(), barrier, word(32 * plan.splits), NVVM::BarrierReductionAttr(), Value());
  for (auto [i, all] : llvm::enumerate(products)) {
    Value rowClass = add(index(i % getNumClasses() * plan.splits), split);
    for (int64_t from = 0; from < plan.splits; ++from)
      for (int64_t gate = 0; gate < phase.gates; gate += width) {
        Value loaded = LLVM::LoadOp::create(
            b, type, getPlace(rowClass, i / getNumClasses(), index(from), gate), 4 * width);
        for (int64_t j = 0; j < width; ++j) {
          Value part = width == 1 ? loaded : LLVM::ExtractElementOp::create(b, loaded, word(j)).getResult();
          if (from == 0)
            all.push_back(part);
          else
            all[gate + j] = arith::AddFOp::create(b, all[gate + j], part);
        }
      }
  }
  return products;
}

/// Multiplies and maps for one phase of a step. Returns what is mapped, by element; `flip` becomes the
/// buffer of sums that comes next. `meanwhile` is done when products are on their way.
KernelEmitter::Results
KernelEmitter::emitWholePart(unsigned number, Value count, const IRMapping &step, Value &flip,
                             function_ref<SmallVector<Value>(int64_t)> getItemInputs,
                             function_ref<void()> meanwhile) {
  SmallVector<SmallVector<Value>> products(getNumItems(number));
  if (layout.phases[number].gates != 0) {
    Accumulators accumulators = multiplyTile(number, count, step, firstTile);
    meanwhile();
    addChains(number, accumulators);
    products = exchangeSums(number, accumulators, flip);
    clearSlots(number, count);
    flip = b.createOrFold<arith::SubIOp>(index(1), flip);
  } else {
    meanwhile();
  }
  Results results;
  for (auto [i, sums] : llvm::enumerate(products))
    results.push_back(mapItem(number, getItem(number, i, firstTile), sums, getItemInputs(i)));
  // Others wait for this.
  for (auto [e, exchange] : llvm::enumerate(loop.exchanges))
    if (exchange.producer == number) {
      for (auto [i, values] : llvm::enumerate(results))
        stage(e, i, getPublished(getItem(number, i, firstTile), values[exchange.output]));
      send(e, add(getSlot(count), index(1)));
    }
  for (auto [i, values] : llvm::enumerate(results))
    storeItem(number, getItem(number, i, firstTile), values, step);
  return results;
}

namespace {
/// From where a lane has an input.
enum class Origin {
  /// Loaded before the first step.
  Constant,
  /// What the step before, or this one, has mapped, in a register.
  Carried,
  Mapped,
  /// Asked for two steps before, in shared memory.
  Ahead,
  /// Loaded in the step.
  Memory
};
} // namespace

/// All steps. A lane keeps its elements of what does not change and of states; of sequences, what it maps
/// in the next two steps is on its way into shared memory while it waits. In registers it would be waited for, too, for
/// ptxas lets no load be under way across a loop.
void KernelEmitter::emitClusterSteps() {
  IRMapping first = computeStep(begin);
  struct Place {
    Origin origin;
    Source source;
    /// Of the first element among the loop's values, or those in shared memory.
    size_t at;
  };
  SmallVector<SmallVector<Place>> places;
  SmallVector<Value> carried = {index(0)}, constants;
  llvm::MapVector<std::pair<unsigned, unsigned>, size_t> states;
  size_t numAhead = 0;
  auto load = [&](unsigned number, const Input &input) {
    SmallVector<Value> values;
    for (int64_t i = 0; i < getNumItems(number); ++i)
      values.push_back(loadInput(input, getItem(number, i, firstTile), first));
    return values;
  };
  for (unsigned number = 0; number < loop.phases.size(); ++number) {
    places.emplace_back();
    for (const Input &input : getInputs(number)) {
      Place place{Origin::Memory, {}, 0};
      bool isMemory = isa<MemRefType>(input.operand.getType());
      if (!isMemory || input.getType().isIndex()) {
        // What the loop counts is at hand.
      } else if (isWritten(loop, input.operand)) {
        if (std::optional<Source> source = getSource(loop, number, input.operand)) {
          place.source = *source;
          place.origin = source->isOfPreviousStep ? Origin::Carried : Origin::Mapped;
          if (source->isOfPreviousStep) {
            auto [at, isNew] = states.insert({{source->producer, source->output}, carried.size()});
            if (isNew)
              carried.append(load(number, input));
            place.at = at->second;
          }
        }
      } else if (isSequence(loop, input.operand)) {
        place.origin = Origin::Ahead;
        place.at = std::exchange(numAhead, numAhead + getNumItems(number));
      } else if (source.isDefinedOutsideOfLoop(input.operand)) {
        place.origin = Origin::Constant;
        place.at = constants.size();
        constants.append(load(number, input));
      }
      places.back().push_back(place);
    }
  }
  auto getPlace = [&](size_t at, Value count) {
    Value slot = add(mul(rem(getSlot(count), 2), numAhead), index(at));
    slot = add(mul(slot, plan.getNumThreads()), thread);
    return advance(sharedMemory, add(mul(slot, 4), index(layout.ahead)));
  };
  auto askAhead = [&](Value count) {
    IRMapping step = computeStep(min(count, last(steps)));
    for (unsigned number = 0; number < loop.phases.size(); ++number)
      for (auto [place, input] : llvm::zip_equal(places[number], getInputs(number)))
        if (place.origin == Origin::Ahead)
          for (int64_t i = 0; i < getNumItems(number); ++i)
            assembly("cp.async.ca.shared.global [$0], [$1], 4;", "l,l", {},
                     {getPlace(place.at + i, count), getInputAddress(input, getItem(number, i, firstTile), step)});
    assembly("cp.async.commit_group;", "", {}, {});
  };
  for (int64_t i : {0, 1})
    askAhead(add(begin, index(i)));

  auto time = scf::ForOp::create(b, begin, end, index(1), carried);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(time.getBody());
  Value count = time.getInductionVar(), flip = time.getRegionIterArg(0);
  ValueRange now = time.getRegionIterArgs();
  IRMapping step = computeStep(count);
  SmallVector<Results> results;
  for (unsigned number = 0; number < loop.phases.size(); ++number) {
    SmallVector<Input> inputs = getInputs(number);
    SmallVector<SmallVector<Value>> values(getNumItems(number), SmallVector<Value>(inputs.size()));
    auto getValues = [&](bool isAhead) {
      for (auto [j, place, input] : llvm::enumerate(places[number], inputs))
        for (auto [i, all] : llvm::enumerate(values)) {
          if ((place.origin == Origin::Ahead) != isAhead)
            continue;
          if (isAhead)
            all[j] = LLVM::LoadOp::create(b, input.getType(), getPlace(place.at + i, count), 4, /*isVolatile=*/true);
          else if (place.origin == Origin::Memory)
            all[j] = loadInput(input, getItem(number, i, firstTile), step);
          else if (place.origin == Origin::Constant)
            all[j] = constants[place.at + i];
          else if (place.origin == Origin::Mapped)
            all[j] = results[place.source.producer][i][place.source.output];
          else
            all[j] = now[place.at + i];
        }
    };
    // Ahead of the wait.
    getValues(/*isAhead=*/false);
    auto finishLoads = [&] {
      if (number == 0)
        assembly("cp.async.wait_group 1;", "", {}, {});
      getValues(/*isAhead=*/true);
    };
    results.push_back(
        emitWholePart(number, count, step, flip, [&](int64_t i) { return values[i]; }, finishLoads));
  }
  SmallVector<Value> next(now.begin(), now.end());
  next.front() = flip;
  for (auto &[state, at] : states)
    for (auto [i, values] : llvm::enumerate(results[state.first]))
      next[at + i] = values[state.second];
  askAhead(add(count, index(2)));
  scf::YieldOp::create(b, next);
}

/// Puts one of the lane's elements where its warp sends it from: [plane][row of the warp][unit].
void KernelEmitter::stage(unsigned exchange, int64_t i, Value value) {
  const ExchangeLayout &place = layout.exchanges[exchange];
  const PhaseLayout &producer = layout.phases[loop.exchanges[exchange].producer];
  Value row = add(index(i % getNumClasses() * 4), laneColumn);
  Value unit = add(mul(laneRow, producer.getLaneUnits()), index(i / getNumClasses()));
  Value element = add(mul(row, 8 * producer.getLaneUnits()), unit);
  int64_t wordElements = place.format.getWordElements();
  SmallVector<Value> parts(wordElements, value);
  if (wordElements == 2)
    parts[1] = arith::ConstantOp::create(b, b.getZeroAttr(value.getType()));
  for (auto [plane, bits] : llvm::enumerate(place.format.pack(b, parts))) {
    Value stored = bits;
    if (wordElements == 2)
      stored = arith::TruncIOp::create(b, b.getI16Type(), stored);
    stored = makePresent(stored, wordElements == 2 ? 0x7fff : 0x7fffffff);
    LLVM::StoreOp::create(b, stored, stagingAddress(exchange, plane, mul(element, 4 / wordElements)),
                          /*alignment=*/4 / wordElements, /*isVolatile=*/true);
  }
}

/// Of bytes of what a warp sends.
Value KernelEmitter::stagingAddress(unsigned exchange, unsigned plane, Value bytes) {
  const ExchangeLayout &place = layout.exchanges[exchange];
  Value line = add(mul(warp, place.format.getNumPlanes()), index(plane));
  int64_t lineBytes = 4 * place.warpRowWords * plan.getNumRows() / plan.splits;
  return advance(sharedMemory, add(add(mul(line, lineBytes), bytes), index(place.staging)));
}

/// The shared memory of a block of the cluster.
Value KernelEmitter::getPeerMemory(Value peer) {
  auto generic = LLVM::LLVMPointerType::get(b.getContext());
  Value own = LLVM::AddrSpaceCastOp::create(b, generic, sharedMemory);
  Value number = arith::IndexCastOp::create(b, b.getI32Type(), peer);
  // Without effects, so that it leaves the loop.
  return emitAssembly(b, "mapa.u64 $0, $1, $2;", "=l,l,r", generic, {own, number}, /*hasEffects=*/false);
}

/// Writes what the warp has staged into all blocks' slot.
void KernelEmitter::send(unsigned exchange, Value slot) {
  const ExchangeLayout &place = layout.exchanges[exchange];
  // What the warp has, in fours of words.
  int64_t fours = 4 * getNumClasses() * place.warpRowWords / 4;
  // What no one reads any more is not sent: its reader may have ended.
  bool isReadInStep = llvm::any_of(loop.phases, [&](const PhaseInLoop &phase) {
    return llvm::any_of(phase.projections, [&](const Projection &projection) {
      return projection.exchange == exchange && !projection.isOfPreviousStep;
    });
  });
  Value isRead;
  if (!isReadInStep)
    isRead = isLess(slot, b.createOrFold<arith::SubIOp>(end, begin));
  assembly("bar.warp.sync 0xffffffff;", "", {}, {});
  for (unsigned plane = 0; plane < place.format.getNumPlanes(); ++plane) {
    Value loaded, to;
    for (int64_t first = 0; first < plan.unitBlocks * fours; first += 32) {
      Value number = add(rem(thread, 32), index(first));
      Value peer = div(number, fours), four = rem(number, fours), isSender = isRead;
      if (!loaded || 32 % fours != 0) {
        Value from = stagingAddress(exchange, plane, mul(four, 16));
        loaded = LLVM::LoadOp::create(b, VectorType::get(4, b.getI32Type()), from, /*alignment=*/16,
                                      /*isVolatile=*/true);
        Value first = add(mul(unitWarp, place.warpWords), mul(split, 4 * fours));
        to = bufferOffset(exchange, slot, plane, block, add(first, mul(four, 4)));
      }
      if (first + 32 > plan.unitBlocks * fours)
        isSender = conjoin(isSender, isLess(peer, index(plan.unitBlocks)));
      SmallVector<Value> operands = {
          advance(getPeerMemory(peer), to),
          isSender ? arith::ExtUIOp::create(b, b.getI32Type(), isSender).getResult() : word(1)};
      for (int64_t i = 0; i < 4; ++i)
        operands.push_back(LLVM::ExtractElementOp::create(b, loaded, word(i)));
      assembly("{ .reg .pred p; setp.ne.u32 p, $1, 0; @p st.relaxed.cluster.v4.b32 [$0], {$2, $3, $4, $5}; }",
               "l,r,r,r,r,r", {}, operands);
    }
  }
  // The lanes have read what the next element is written over.
  assembly("bar.warp.sync 0xffffffff;", "", {}, {});
}
