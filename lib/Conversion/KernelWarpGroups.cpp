//===- KernelWarpGroups.cpp - Products of warp groups ---------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For many rows or large weights, where what a step reads bounds it: `wgmma` multiplies weights with what is
// projected. For each of the groups that share out k, one thread fetches this in stages of k, of all rows of a tile,
// into a ring. Stages lie in memory as `wgmma` reads them (PTX ISA, "Matrices in shared memory", inner dimension k
// without swizzle): words of k by four, of each the rows, one after the other.
//
// Weights lie
//   - in registers, as long as there are any, if a tile has few rows;
//   - in shared memory, as matrices;
//   - where that is full, too, in memory: the block writes those of the first stages behind what is exchanged, and
//     they are fetched with each stage anew, into the same place of the ring.
//
// Weights of f32 that are two TF32 parts are split "late": they lie as they are, in half of the place, a lane has its
// own words, and splits them in registers when it multiplies them. As tensor cores cut off what they add up, f32 adds
// up the sums of stages.
//
// Warps that map ask for what they read of sequences a tile ahead.
//
// A block counts up a tile's counter when all it has of the tile is written; who fetches waits until all blocks
// of the group have. Of an exchange there are slots for four steps: who writes slot s + 2 has read s + 1 of all
// blocks, and so all have read s.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::lstm;

/// Barriers of 8 bytes: [full, empty][group][place].
Value KernelEmitter::barrierAddress(Handover event, Value group, Value place) {
  Value line = add(mul(add(index(int64_t(event) * plan.splits), group), layout.ringPlaces), place);
  Value at = advance(sharedMemory, add(mul(line, 8), index(layout.barriers)));
  return LLVM::PtrToIntOp::create(b, b.getI32Type(), at);
}

/// All places are empty at first: one thread will say that a place is full, each warp of a group that it is empty.
void KernelEmitter::beginRing() {
  LLVM::StoreOp::create(b, word(ProductFormat::kHalf), advance(sharedMemory, index(layout.half)), 4);
  // A thread for each.
  int64_t places = plan.splits * layout.ringPlaces;
  guarded(isLess(thread, index(2 * places)), {}, [&]() -> SmallVector<Value> {
    Value says = arith::SelectOp::create(b, isLess(thread, index(places)), word(1), word(KernelPlan::kGroupWarps));
    assembly("mbarrier.init.shared::cta.b64 [$0], $1; fence.mbarrier_init.release.cluster;", "r,r,~{memory}", {},
             {barrierAddress(Handover::Full, index(0), thread), says});
    return {};
  });
  NVVM::BarrierOp::create(b, Type(), word(0), word(plan.getNumThreads()), NVVM::BarrierReductionAttr(), Value());
}

/// A group takes registers of others, of which each begins with as many.
void KernelEmitter::setRegisters(int64_t count) {
  int64_t before = plan.getMaxRegisters();
  if (count != before)
    assembly(llvm::formatv("setmaxnreg.{0}.sync.aligned.u32 {1};", count > before ? "inc" : "dec", count).str(), "",
             {}, {});
}

void KernelEmitter::waitForBarrier(Value address, Value parity) {
  assembly("{ .reg .pred p; wait: mbarrier.try_wait.parity.shared::cta.b64 p, [$0], $1; @!p bra wait; }",
           "r,r,~{memory}", {}, {address, parity});
}

/// The number of a phase's first stage for a tile of a step, among all that a group has multiplied.
Value KernelEmitter::getStage(unsigned number, Value count, Value tile) {
  auto getStages = [&](const PhaseLayout &phase) -> int64_t {
    return phase.slots.size() / layout.stageGroups;
  };
  int64_t all = 0, before = 0;
  for (auto [i, phase] : llvm::enumerate(layout.phases)) {
    before += i < number ? getStages(phase) : 0;
    all += getStages(phase);
  }
  Value ownTiles = b.createOrFold<arith::SubIOp>(endTile, firstTile);
  Value ofTile = mul(b.createOrFold<arith::SubIOp>(tile, firstTile), getStages(layout.phases[number]));
  if (tilesBefore)
    return add(add(mul(tilesBefore, all), mul(ownTiles, before)), ofTile);
  return add(mul(ownTiles, add(mul(getSlot(count), all), index(before))), ofTile);
}

/// The memory of a tile: counters, then slots of exchanges.
Value KernelEmitter::counterAddress(unsigned exchange, Value tile) {
  Value line = add(mul(tile, layout.getTileWords(plan.getNumRows())), index(exchange * KernelLayout::kCounterWords));
  return advance(exchangeMemory, mul(line, 4));
}

/// What is exchanged of a tile: [slot % 4][stage][plane][four of words][row][word].
Value KernelEmitter::exchangedTile(unsigned exchange, Value slot, Value tile) {
  const ExchangeLayout &place = layout.exchanges[exchange];
  int64_t first = loop.exchanges.size() * KernelLayout::kCounterWords +
                  KernelLayout::kWarpGroupSlots * plan.getNumRows() * place.before;
  int64_t slotWords = place.format.getNumPlanes() * place.rowWords * plan.getNumRows();
  Value line = mul(rem(slot, KernelLayout::kWarpGroupSlots), slotWords);
  Value offset = add(mul(tile, layout.getTileWords(plan.getNumRows())), add(index(first), line));
  return advance(exchangeMemory, mul(offset, 4));
}

/// The weights that a group of the block fetches with a stage, behind all tiles.
Value KernelEmitter::streamedAddress(unsigned number, Value stage) {
  int64_t groupBytes = layout.stageGroups * layout.phases[number].slotBytes;
  Value line = add(mul(block, layout.streamedBytes), index(layout.phases[number].streamed));
  Value offset = add(line, mul(add(mul(stage, plan.splits), split), groupBytes));
  offset = add(offset, add(mul(tiles, 4 * layout.getTileWords(plan.getNumRows())), index(streamedBefore)));
  return advance(exchangeMemory, offset);
}

Value KernelEmitter::stageAddress(unsigned exchange, Value slot, unsigned plane, const Item &item, Value word) {
  int64_t stageWords = layout.stageGroups * ProductFormat::kGroupWords;
  const ExchangeLayout &place = layout.exchanges[exchange];
  Value line = add(mul(div(word, stageWords), place.format.getNumPlanes()), index(plane));
  line = add(mul(line, stageWords / 4), div(rem(word, stageWords), 4));
  Value offset = add(mul(add(mul(line, plan.getNumRows()), item.tileRow), 4), rem(word, 4));
  return advance(exchangedTile(exchange, slot, item.tile), mul(offset, 4));
}

/// Says that a slot of a tile is written, as far as the block has it.
void KernelEmitter::signal(unsigned exchange, Value tile) {
  // Who fetches is of another proxy.
  assembly("fence.proxy.async.global;", "~{memory}", {}, {});
  constexpr int64_t kBarrier = 5;
  NVVM::BarrierOp::create(b, Type(), word(kBarrier), word(plan.getNumMapThreads()), NVVM::BarrierReductionAttr(),
                          Value());
  guarded(isFirst(mapThread), {}, [&]() -> SmallVector<Value> {
    assembly("red.release.gpu.global.add.u32 [$0], 1;", "l,~{memory}", {}, counterAddress(exchange, tile));
    return {};
  });
}

/// For a stage of a group, when its place in the ring is empty.
KernelEmitter::RingPlace KernelEmitter::getEmptyPlace(Value stage) {
  Value at = rem(stage, layout.ringPlaces);
  // Of a barrier of which no phase has ended, the one before the first has.
  Value parity = rem(add(div(stage, layout.ringPlaces), index(1)), 2);
  parity = arith::IndexCastOp::create(b, b.getI32Type(), parity);
  waitForBarrier(barrierAddress(Handover::Empty, split, at), parity);
  return getPlace(stage);
}

KernelEmitter::RingPlace KernelEmitter::getPlace(Value stage) {
  Value at = rem(stage, layout.ringPlaces);
  Value to = add(mul(add(mul(split, layout.ringPlaces), at), layout.stageBytes), index(layout.ring));
  return {barrierAddress(Handover::Full, split, at),
          LLVM::PtrToIntOp::create(b, b.getI32Type(), advance(sharedMemory, to))};
}

/// Says how much will come to a barrier's place.
void KernelEmitter::expect(Value barrier, int64_t bytes) {
  assembly("mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;", "r,r,~{memory}", {}, {barrier, word(bytes)});
}

/// Begins to copy a part of what a place will hold.
void KernelEmitter::fetch(const RingPlace &place, int64_t offset, Value from, int64_t bytes) {
  Value to = arith::AddIOp::create(b, place.address, word(offset));
  assembly("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1], $2, [$3];",
           "r,l,r,r,~{memory}", {}, {to, from, word(bytes), place.full});
}

void KernelEmitter::repeat(Value count, function_ref<void(Value)> body) {
  auto each = scf::ForOp::create(b, index(0), count, index(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(each.getBody());
  body(each.getInductionVar());
}

/// Fetches what a phase projects in a step, for all tiles. Weights that are streamed come first, as many as there are
/// places for, before what others give is waited for.
Value KernelEmitter::emitFetchPart(unsigned number, Value count, const IRMapping &step, Value flip) {
  const PhaseLayout &phase = layout.phases[number];
  if (phase.gates == 0)
    return flip;
  auto each = scf::ForOp::create(b, firstTile, endTile, index(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(each.getBody());
  Value tile = each.getInductionVar(), stage = getStage(number, count, tile);
  int64_t streamed = phase.getNumStreamed() / layout.stageGroups, weightBytes = layout.stageGroups * phase.slotBytes;
  for (const Projection &projection : loop.phases[number].projections) {
    unsigned exchange = *projection.exchange;
    const ExchangeLayout &exchanged = layout.exchanges[exchange];
    int64_t stageWords = layout.stageGroups * ProductFormat::kGroupWords;
    int64_t bytes = 4 * stageWords * exchanged.format.getNumPlanes() * plan.getNumRows();
    int64_t stages = exchanged.rowWords / stageWords / plan.splits;
    auto fetchWeights = [&](Value i) {
      RingPlace place = getEmptyPlace(add(stage, i));
      expect(place.full, bytes + weightBytes);
      fetch(place, layout.exchangedBytes, streamedAddress(number, i), weightBytes);
    };
    int64_t ahead = std::min(streamed, layout.ringPlaces);
    repeat(index(ahead), fetchWeights);

    Value slot = getProjectedSlot(projection, count);
    // The first slot is written where it is read.
    Value written = loop.exchanges[exchange].initial ? add(slot, index(1)) : slot;
    written = arith::IndexCastOp::create(b, b.getI32Type(), mul(written, plan.unitBlocks));
    assembly("{ .reg .pred p; .reg .b32 v; wait: ld.acquire.gpu.global.b32 v, [$0]; sub.s32 v, v, $1; "
             "setp.lt.s32 p, v, 0; @p bra wait; fence.proxy.async.global; }",
             "l,r,~{memory}", {}, {counterAddress(exchange, tile), written});
    Value from = exchangedTile(exchange, slot, tile);
    auto fetchExchanged = [&](Value i, const RingPlace &place) {
      fetch(place, 0, advance(from, mul(add(mul(i, plan.splits), split), bytes)), bytes);
    };
    repeat(index(ahead), [&](Value i) { fetchExchanged(i, getPlace(add(stage, i))); });
    repeat(index(streamed - ahead), [&](Value i) {
      i = add(i, index(ahead));
      fetchWeights(i);
      fetchExchanged(i, getPlace(add(stage, i)));
    });
    repeat(index(stages - streamed), [&](Value i) {
      i = add(i, index(streamed));
      RingPlace place = getEmptyPlace(add(stage, i));
      expect(place.full, bytes);
      fetchExchanged(i, place);
    });
    stage = add(stage, index(stages));
    // Those of the first projection alone are streamed.
    streamed = 0;
  }
  return flip;
}

/// Of a matrix in shared memory, at an offset: the address; what lies between fours of words, and between eights
/// of its rows; all by 16 bytes.
Value KernelEmitter::getDescriptor(Value offset, int64_t rows) {
  Value at = LLVM::PtrToIntOp::create(b, b.getI64Type(), advance(sharedMemory, offset));
  at = arith::ShRUIOp::create(b, at, arith::ConstantIntOp::create(b, 4, 64));
  return arith::OrIOp::create(b, at, arith::ConstantIntOp::create(b, rows << 16 | int64_t(8) << 32, 64));
}

/// Puts a lane's words of a slot, [plane][tile][word][half of the tile], where `wgmma` finds them:
/// [plane][four of words][tile][row][word].
void KernelEmitter::storeMatrix(unsigned number, Value memory, ArrayRef<Value> words) {
  int64_t tiles = layout.phases[number].productTiles, rows = KernelPlan::kGroupProducts * tiles;
  for (auto [i, value] : llvm::enumerate(words)) {
    int64_t plane = i / (8 * tiles), m = i / 8 % tiles, four = i / 2 % 4, half = i % 2;
    Value row = add(mul(unitWarp, 16), add(index(KernelPlan::kGroupProducts * m + 8 * half), laneRow));
    Value line = add(index((plane * 4 + four) * rows), row);
    LLVM::StoreOp::create(b, value, advance(memory, mul(add(mul(line, 4), laneColumn), 4)), /*alignment=*/4);
  }
}

/// Stores a lane's words of a slot: as a matrix or, if they are split late, as the lane has them.
void KernelEmitter::storeSlotWeights(unsigned number, unsigned s, ArrayRef<Value> words) {
  const Slot &slot = layout.phases[number].slots[s];
  Value memory;
  if (slot.isStreamed)
    memory = advance(streamedAddress(number, index(s / layout.stageGroups)),
                     index(s % layout.stageGroups * layout.phases[number].slotBytes));
  else
    memory = advance(sharedMemory, add(index(*slot.place), mul(split, 4 * words.size() * kGroupThreads)));
  if (slot.isLate)
    storeFours(advance(memory, mul(rem(thread, kGroupThreads), 16)), 16 * kGroupThreads, words);
  else
    storeMatrix(number, memory, words);
}

/// Where a slot's weights lie in shared memory: those that are streamed at a place of the ring, those that are split
/// late `behind` bytes behind the slot's, as a loop goes over them.
Value KernelEmitter::getSlotOffset(unsigned number, unsigned s, Value place, Value behind) {
  const Slot &slot = layout.phases[number].slots[s];
  const Projection &projection = loop.phases[number].projections[slot.projection];
  if (slot.isStreamed) {
    Value inRing = mul(add(mul(split, layout.ringPlaces), place), layout.stageBytes);
    int64_t inStage = s % layout.stageGroups * layout.phases[number].slotBytes;
    return add(inRing, index(layout.ring + layout.exchangedBytes + inStage));
  }
  int64_t words = 8 * layout.phases[number].productTiles * getNumWeightPlanes(getFormat(projection, plan), plan);
  return add(add(index(*slot.place), mul(split, 4 * words * kGroupThreads)), behind);
}

/// Weights that are streamed are written, and may be fetched, by another proxy.
void KernelEmitter::meetFetchers(bool fetches) {
  if (layout.streamedBytes == 0)
    return;
  if (!fetches)
    assembly("fence.acq_rel.gpu; fence.proxy.async.global;", "~{memory}", {}, {});
  constexpr int64_t kBarrier = 7;
  int64_t threads = plan.getNumProductThreads() + 32 * plan.splits;
  NVVM::BarrierOp::create(b, Type(), word(kBarrier), word(threads), NVVM::BarrierReductionAttr(), Value());
  if (fetches)
    assembly("fence.proxy.async.global;", "~{memory}", {}, {});
}

/// What warps of a group have stored of the weights is there for all; `wgmma` reads it by another proxy.
void KernelEmitter::meetProducts() {
  meetFetchers(/*fetches=*/false);
  assembly("fence.proxy.async.shared::cta;", "~{memory}", {}, {});
  constexpr int64_t kBarrier = 6;
  NVVM::BarrierOp::create(b, Type(), word(kBarrier), word(plan.getNumProductThreads()), NVVM::BarrierReductionAttr(),
                          Value());
}

/// Whether warps ask for an input a tile ahead: a sequence, or what each row has, as its length, which is compared with
/// the step before products are waited for.
bool KernelEmitter::isAskedAhead(const Input &input) {
  return isSequence(loop, input.operand) || (input.axes == kRow && !isWritten(loop, input.operand));
}

/// Of all of a thread's elements of a tile, the inputs that are asked for ahead, or the others.
SmallVector<Value> KernelEmitter::loadTileInputs(unsigned number, Value tile, Value count, bool areAhead) {
  SmallVector<Input> inputs = getInputs(number);
  llvm::erase_if(inputs, [&](const Input &input) { return isAskedAhead(input) != areAhead; });
  return loadTile(number, inputs, /*prefetches=*/areAhead, count, computeStep(count), tile);
}

/// Maps a phase of a step, for all tiles. `ahead` are the elements of the first one that were asked for; returns those
/// of the first one in the next step, which are on their way meanwhile.
SmallVector<Value> KernelEmitter::emitMapTiles(unsigned number, Value count, const IRMapping &step, ValueRange ahead) {
  auto each = scf::ForOp::create(b, firstTile, endTile, index(1), ahead);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(each.getBody());
  Value tile = each.getInductionVar(), nextTile = add(tile, index(1));
  SmallVector<Value> known = loadTileInputs(number, tile, count, /*areAhead=*/false);
  Value isLast = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, nextTile, endTile);
  Value nextCount = arith::SelectOp::create(b, isLast, min(add(count, index(1)), last(steps)), count);
  nextTile = arith::SelectOp::create(b, isLast, firstTile, nextTile);
  SmallVector<Value> next = loadTileInputs(number, nextTile, nextCount, /*areAhead=*/true);

  SmallVector<Item> items;
  for (int64_t i = 0; i < getNumItems(number); ++i)
    items.push_back(getItem(number, i, tile));
  SmallVector<SmallVector<Value>> products(items.size()), results;
  Value buffer = index(0);
  if (int64_t gates = layout.phases[number].gates) {
    meet(Handover::Full, buffer, /*waits=*/true);
    for (auto [item, sums] : llvm::zip_equal(items, products))
      sums = guarded(item.exists, SmallVector<Type>(gates, b.getF32Type()),
                     [&] { return sumProducts(number, item, buffer); });
    meet(Handover::Empty, buffer, /*waits=*/false);
  }
  size_t fromSequences = ahead.size() / items.size(), fromOthers = known.size() / items.size();
  SmallVector<Type> types = llvm::to_vector(PhaseOp(loop.phases[number].op).getYield().getScalars().getTypes());
  for (auto [i, item] : llvm::enumerate(items)) {
    ValueRange sequences = each.getRegionIterArgs().slice(i * fromSequences, fromSequences);
    ValueRange others = ValueRange(known).slice(i * fromOthers, fromOthers);
    SmallVector<Value> inputs;
    for (const Input &input : getInputs(number)) {
      ValueRange &from = isAskedAhead(input) ? sequences : others;
      inputs.push_back(from.front());
      from = from.drop_front();
    }
    results.push_back(guarded(item.exists, types, [&] {
      SmallVector<Value> mapped = mapItem(number, item, products[i], inputs);
      publishResults(number, item, mapped, count);
      return mapped;
    }));
  }
  // Others wait for this, before all is stored.
  for (auto [e, exchange] : llvm::enumerate(loop.exchanges))
    if (exchange.producer == number)
      signal(e, tile);
  for (auto [item, values] : llvm::zip_equal(items, results))
    guarded(item.exists, {}, [&]() -> SmallVector<Value> {
      storeItem(number, item, values, step);
      return {};
    });
  // A loop without values has its terminator.
  if (!next.empty())
    scf::YieldOp::create(b, next);
  return each.getResults();
}

void KernelEmitter::emitMapSteps() {
  SmallVector<Value> carried;
  SmallVector<size_t> sizes;
  SmallVector<unsigned> numbers = getOwnPhases();
  for (unsigned number : numbers) {
    // Where no step is left, of one that there is.
    SmallVector<Value> first = loadTileInputs(number, firstTile, min(begin, last(steps)), /*areAhead=*/true);
    sizes.push_back(first.size());
    carried.append(first);
  }
  size_t numInputs = carried.size();
  carried.append(beginTiles(/*isAlone=*/false));
  scf::ForOp time = createTimeLoop(carried);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(time.getBody());
  Value count = add(time.getInductionVar(), begin);
  SmallVector<Value> tiles = leaveTiles(count, time.getRegionIterArgs().drop_front(numInputs), /*isAlone=*/false);
  IRMapping step = computeStep(count);
  ValueRange rest = time.getRegionIterArgs().take_front(numInputs);
  SmallVector<Value> next;
  for (auto [number, size] : llvm::zip_equal(numbers, sizes)) {
    next.append(emitMapTiles(number, count, step, rest.take_front(size)));
    rest = rest.drop_front(size);
  }
  next.append(tiles);
  if (!next.empty())
    scf::YieldOp::create(b, next);
  endTiles();
}

/// The place of a stage in the ring, when it is there.
Value KernelEmitter::waitForStage(Value stage) {
  Value place = rem(stage, layout.ringPlaces);
  Value parity = arith::IndexCastOp::create(b, b.getI32Type(), rem(div(stage, layout.ringPlaces), 2));
  waitForBarrier(barrierAddress(Handover::Full, split, place), parity);
  return place;
}

/// Multiplies a stage whose weights are loaded or split now; those in shared memory lie so many bytes behind their
/// slot's.
void KernelEmitter::multiplyStage(unsigned number, unsigned slot, Value stage, Value behind, Accumulators &sums) {
  Value place = waitForStage(stage);
  int64_t atOnce = layout.phases[number].slotsAtOnce;
  // While some are split, those before are multiplied.
  for (int64_t i = 0; i < layout.stageGroups; i += atOnce)
    multiplySlots(number, slot + i, atOnce, place, behind, /*pending=*/i + atOnce < layout.stageGroups ? 1 : 0, sums);
  releaseStage(place);
}

static SmallVector<Value> flatten(ArrayRef<SmallVector<Value>> sums) {
  SmallVector<Value> values;
  for (const SmallVector<Value> &some : sums)
    values.append(some);
  return values;
}

/// The sums of a group's warp, [product tile][row tile].
KernelEmitter::Accumulators KernelEmitter::multiplyStages(unsigned number, Value count, Value tile) {
  const PhaseLayout &phase = layout.phases[number];
  Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0));
  const size_t numTiles = phase.productTiles * plan.rowTiles;
  const Accumulators none(phase.chains * numTiles, SmallVector<Value>(4, zero));
  Accumulators sums = none;
  Value first = getStage(number, count, tile), before;
  // Tensor cores cut off what they add up, so f32 adds up short sums of theirs, but for those of small parts.
  auto startAnew = [&](const Accumulators &all) {
    Accumulators some = none;
    std::copy(all.begin() + numTiles, all.end(), some.begin() + numTiles);
    return some;
  };
  auto addUp = [&](Accumulators &all, Accumulators some) {
    for (size_t i = 0; i < numTiles; ++i)
      for (auto [sum, part] : llvm::zip_equal(some[i], all[i]))
        sum = arith::AddFOp::create(b, part, sum);
    all = std::move(some);
  };
  auto assign = [](Accumulators &all, ValueRange values) {
    for (auto [i, value] : llvm::enumerate(values))
      all[i / 4][i % 4] = value;
  };
  // Where sums are of a stage each, that is a loop: else the assembler would keep all of them until the end.
  unsigned slot = 0;
  auto multiplyInLoop = [&](int64_t slots, int64_t slotBytes) {
    if (slots == 0)
      return;
    auto each = scf::ForOp::create(b, index(0), index(slots / layout.stageGroups), index(1), flatten(sums));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(each.getBody());
    assign(sums, each.getRegionIterArgs());
    bool isLate = phase.slots[slot].isLate;
    Accumulators some = isLate ? startAnew(sums) : sums;
    Value stage = add(add(first, index(slot / layout.stageGroups)), each.getInductionVar());
    multiplyStage(number, slot, stage, mul(each.getInductionVar(), layout.stageGroups * slotBytes), some);
    if (isLate)
      addUp(sums, some);
    scf::YieldOp::create(b, flatten(isLate ? sums : some));
    assign(sums, each.getResults());
    slot += slots;
  };
  multiplyInLoop(phase.getNumStreamed(), 0);
  if (int64_t looped = phase.getNumLooped(layout.stageGroups))
    multiplyInLoop(looped, phase.getLoopedBytes());
  Accumulators ofRest;
  for (; slot < phase.slots.size(); slot += layout.stageGroups) {
    Value stage = add(first, index(slot / layout.stageGroups));
    if (phase.slots[slot].isLate) {
      if (ofRest.empty())
        ofRest = startAnew(sums);
      multiplyStage(number, slot, stage, index(0), ofRest);
      continue;
    }
    // While a stage is multiplied, the next is waited for.
    Value place = waitForStage(stage);
    bool isLast = slot + layout.stageGroups == int64_t(phase.slots.size());
    multiplySlots(number, slot, layout.stageGroups, place, index(0), isLast ? 0 : 1, sums);
    if (before)
      releaseStage(before);
    before = place;
  }
  if (before)
    releaseStage(before);
  if (!ofRest.empty())
    addUp(sums, ofRest);
  addChains(number, sums);
  return sums;
}

/// Says that the warp has done with a place of the ring.
void KernelEmitter::releaseStage(Value place) {
  Value lane = arith::IndexCastOp::create(b, b.getI32Type(), rem(thread, 32));
  assembly("{ .reg .pred p; setp.eq.u32 p, $1, 0; @p mbarrier.arrive.shared::cta.b64 _, [$0]; }", "r,r,~{memory}", {},
           {barrierAddress(Handover::Empty, split, place), lane});
}

/// The parts of a slot's weights, in registers, one plane after the other.
SmallVector<Value> KernelEmitter::getParts(ValueRange words, const ProductFormat &format) {
  SmallVector<SmallVector<Value>> planes(format.getNumPlanes());
  Value half = LLVM::LoadOp::create(b, b.getI32Type(), advance(sharedMemory, index(layout.half)), /*alignment=*/4,
                                    /*isVolatile=*/true);
  for (Value whole : words)
    for (auto [plane, part] : llvm::zip_equal(planes, format.splitWord(b, whole, half)))
      plane.push_back(part);
  return flatten(planes);
}

/// Multiplies the weights of `count` slots of a stage with what lies at a place of the ring, but for the products of
/// the last `pending` calls, which have begun; weights that are split late lie `behind` bytes behind the slot's. One
/// block of instructions, as nothing may come between.
void KernelEmitter::multiplySlots(unsigned number, unsigned firstSlot, int64_t count, Value place, Value behind,
                                  int64_t pending, Accumulators &accumulators) {
  const PhaseLayout &phase = layout.phases[number];
  const Projection &projection = loop.phases[number].projections[phase.slots[firstSlot].projection];
  ProductFormat format = getFormat(projection, plan);
  int64_t sumsOfTile = 4 * plan.rowTiles, sumsOfChain = phase.productTiles * sumsOfTile;
  int64_t numSums = phase.chains * sumsOfChain;
  auto range = [](int64_t first, int64_t count) {
    std::string text = "{";
    for (int64_t i = first; i < first + count; ++i)
      text += (i == first ? "$" : ", $") + std::to_string(i);
    return text + "}";
  };
  SmallVector<Value> operands;
  std::string constraints;
  // Sums are written before the last weight is read.
  for (int64_t i = 0; i < numSums; ++i)
    constraints += "=&f,";
  // Weights: a slot's words in registers, or the descriptor of the matrix.
  int64_t weightRows = KernelPlan::kGroupProducts * phase.productTiles;
  struct Weights {
    int64_t operand;
    bool isMatrix;
  };
  SmallVector<Weights> ofSlots;
  for (int64_t i = 0; i < count; ++i) {
    const Slot &slot = phase.slots[firstSlot + i];
    bool isInMemory = slot.place || slot.isStreamed;
    ofSlots.push_back({numSums + int64_t(operands.size()), isInMemory && !slot.isLate});
    SmallVector<Value> words;
    if (!isInMemory) {
      words = weights[{number, unsigned(firstSlot + i)}];
    } else {
      Value offset = getSlotOffset(number, firstSlot + i, place, behind);
      if (!slot.isLate) {
        operands.push_back(getDescriptor(offset, weightRows));
        continue;
      }
      offset = add(offset, mul(rem(thread, kGroupThreads), 16));
      words = loadFours(sharedMemory, offset, 16 * kGroupThreads, 8 * phase.productTiles);
    }
    operands.append(slot.isLate ? getParts(words, format) : words);
  }
  int64_t projected = numSums + operands.size();
  Value inRing = mul(add(mul(split, layout.ringPlaces), place), layout.stageBytes);
  operands.push_back(getDescriptor(add(inRing, index(layout.ring)), plan.getNumRows()));
  for (Value operand : operands)
    constraints += operand.getType().isInteger(64) ? "l," : "r,";
  for (int64_t i = 0; i < numSums; ++i)
    constraints += std::to_string(i) + (i + 1 < numSums ? "," : "");
  for (const SmallVector<Value> &sums : accumulators)
    operands.append(sums);

  std::string text = "{ .reg .b64 d, w; wgmma.fence.sync.aligned; ";
  // By 16 bytes, as descriptors count.
  auto advanceDescriptor = [&](StringRef to, int64_t from, int64_t offset) {
    text += llvm::formatv("add.s64 {0}, ${1}, {2}; ", to, from, offset).str();
  };
  int64_t stageFours = layout.stageGroups * ProductFormat::kGroupWords / 4;
  int64_t inStage = firstSlot % layout.stageGroups;
  for (auto [weightPlane, operandPlane] : format.getTerms())
    for (auto [i, ofSlot] : llvm::enumerate(ofSlots))
      for (int64_t half = 0; half < 2; ++half) {
        int64_t four = operandPlane * stageFours + 4 * (inStage + i) + 2 * half;
        advanceDescriptor("d", projected, four * plan.getNumRows());
        for (int64_t m = 0; m < phase.productTiles; ++m) {
          std::string weight = "w";
          if (ofSlot.isMatrix)
            advanceDescriptor("w", ofSlot.operand,
                              (4 * weightPlane + 2 * half) * weightRows + KernelPlan::kGroupProducts * m);
          else
            weight = range(ofSlot.operand + 8 * (weightPlane * phase.productTiles + m) + 4 * half, 4);
          int64_t chain = getChain(phase, /*slot=*/0, weightPlane, operandPlane);
          text += llvm::formatv("{0} {1}, {2}, d, {3}; ", format.getWarpGroupProduct(plan.getNumRows()),
                                range(chain * sumsOfChain + m * sumsOfTile, sumsOfTile), weight,
                                format.getWarpGroupConstants(ofSlot.isMatrix ? 2 : 1))
                      .str();
        }
      }
  text += llvm::formatv("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned {0}; }", pending).str();
  auto type = LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(numSums, b.getF32Type()));
  Value result = assembly(text, constraints, type, operands);
  for (int64_t i = 0; i < numSums; ++i)
    accumulators[i / 4][i % 4] = LLVM::ExtractValueOp::create(b, result, ArrayRef<int64_t>{i});
}
