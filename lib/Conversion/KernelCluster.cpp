//===- KernelCluster.cpp - Exchange between blocks of a cluster -----------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks of a cluster write what is projected into each other's shared memory, where a barrier for each tile and slot
// counts the bytes that have come: each warp its part in words that count themselves as soon as it has it, or, where
// that is much, the block all of it by one copy to each other block.
//
// There are buffers for two slots: who has received slot s + 1 of all may send s + 2 into the place of s, which all
// have read before they sent s + 1 (see isForCluster).
//
// So it is with partial folds of rows (KernelRowValues.cpp), of which a block gives one: what counts is how many words
// come, each of which takes a cycle or two.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::lstm;

/// Where words of a block lie in the buffer of a tile and slot, in each block's shared memory.
Value KernelEmitter::bufferOffset(unsigned exchange, Value tile, Value slot, unsigned plane, Value sender,
                                  Value inBlock) {
  const ExchangeLayout &place = layout.exchanges[exchange];
  Value line = add(mul(getPair(tile, slot), plan.unitBlocks), sender);
  line = add(mul(line, place.format.getNumPlanes()), index(plane));
  return add(mul(add(mul(line, place.blockWords), inBlock), 4), index(place.buffer));
}

/// Which one a tile and slot are of [tile][slot % 2].
Value KernelEmitter::getPair(Value tile, Value slot) {
  Value number = b.createOrFold<arith::SubIOp>(tile, firstTile);
  return add(mul(number, KernelLayout::kClusterSlots), rem(slot, KernelLayout::kClusterSlots));
}

/// Of words in a block's part of a slot and plane: those of a row that one of its warps maps.
Value KernelEmitter::wordInBlock(const ExchangeLayout &place, Value sender, Value tileRow) {
  Value part = mul(rem(tileRow, plan.splits), place.splitWords);
  return add(mul(sender, place.warpWords), add(part, mul(div(tileRow, plan.splits), place.warpRowWords)));
}

/// The barrier that counts the bytes of a tile and slot that have come; relative to the block's shared memory.
Value KernelEmitter::arrivalOffset(unsigned exchange, Value tile, Value slot) {
  return add(mul(getPair(tile, slot), 8), index(layout.exchanges[exchange].barriers));
}

Value KernelEmitter::getSharedAddress(Value offset) {
  return LLVM::PtrToIntOp::create(b, b.getI32Type(), advance(sharedMemory, offset));
}

/// Says that all of a tile and slot will come.
void KernelEmitter::expectSlot(unsigned exchange, Value tile, Value slot) {
  expect(getSharedAddress(arrivalOffset(exchange, tile, slot)),
         plan.unitBlocks * layout.exchanges[exchange].getSentBytes(plan));
}

/// All blocks expect the first slots; then they may send to each other.
void KernelEmitter::beginCluster() {
  Value zeros = arith::ConstantOp::create(b, b.getZeroAttr(VectorType::get(4, b.getI32Type())));
  LLVM::StoreOp::create(b, zeros, advance(sharedMemory, index(layout.zeros)), /*alignment=*/16);
  auto forEach = [&](function_ref<void(unsigned, Value, int64_t)> body) {
    for (unsigned e : getOwnExchanges())
      for (int64_t n = 0; n < plan.rowTiles; ++n)
        for (int64_t slot = 0; slot < KernelLayout::kClusterSlots; ++slot)
          body(e, add(firstTile, index(n)), slot);
  };
  auto forEachFold = [&](function_ref<void(unsigned, Value, Value)> body) {
    for (unsigned fold : getReadFolds())
      for (int64_t n = 0; n < plan.rowTiles; ++n)
        for (int64_t slot = 0; slot < KernelLayout::kClusterSlots; ++slot)
          body(fold, add(firstTile, index(n)), index(slot));
  };
  auto initialize = [&](Value offset) {
    assembly("mbarrier.init.shared::cta.b64 [$0], 1;", "r,~{memory}", {}, getSharedAddress(offset));
  };
  guarded(isFirst(thread), {}, [&]() -> SmallVector<Value> {
    forEach([&](unsigned e, Value tile, int64_t slot) { initialize(arrivalOffset(e, tile, index(slot))); });
    forEachFold([&](unsigned fold, Value tile, Value slot) { initialize(foldArrivalOffset(fold, tile, slot)); });
    assembly("fence.mbarrier_init.release.cluster;", "~{memory}", {}, {});
    forEach([&](unsigned e, Value tile, int64_t slot) {
      // Nothing comes of a state that was not there before.
      if (slot == 0 && !loop.exchanges[e].initial)
        assembly("mbarrier.arrive.shared::cta.b64 _, [$0];", "r,~{memory}", {},
                 getSharedAddress(arrivalOffset(e, tile, index(slot))));
      expectSlot(e, tile, index(slot));
    });
    forEachFold([&](unsigned fold, Value tile, Value slot) { expectFold(fold, tile, slot); });
    return {};
  });
  meetCluster();
}

/// No block may end while others write to it.
void KernelEmitter::meetCluster() {
  assembly("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;", "~{memory}", {}, {});
}

/// The address of four words of a slot.
Value KernelEmitter::slotAddress(const Request &request, unsigned plane) {
  unsigned exchange = *request.projection->exchange;
  const ExchangeLayout &place = layout.exchanges[exchange];
  Value first = mul(request.chunk, ProductFormat::kLaneWords);
  int64_t blockRowWords = place.warpRowWords * plan.unitWarps;
  Value sender = div(first, blockRowWords), inRow = rem(first, blockRowWords);
  Value inBlock =
      add(wordInBlock(place, div(inRow, place.warpRowWords), request.tileRow), rem(inRow, place.warpRowWords));
  Value offset = bufferOffset(exchange, request.tile, request.step, plane, sender, inBlock);
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

/// Waits for what a phase projects of a tile, and expects the slots that come in the places of those that it is the
/// last to read.
void KernelEmitter::receive(unsigned number, Value count, Value tile) {
  SmallVector<std::pair<unsigned, bool>> received;
  for (const Projection &projection : loop.phases[number].projections) {
    if (!projection.exchange)
      continue;
    unsigned exchange = *projection.exchange;
    Value slot = getProjectedSlot(projection, count);
    std::pair<unsigned, bool> key = {exchange, projection.isOfPreviousStep};
    if (!llvm::is_contained(received, key))
      waitForBarrier(getSharedAddress(arrivalOffset(exchange, tile, slot)),
                     arith::IndexCastOp::create(b, b.getI32Type(), rem(div(slot, KernelLayout::kClusterSlots), 2)));
    received.push_back(key);
    if (isLastRead(number, projection))
      guarded(isFirst(thread), {}, [&]() -> SmallVector<Value> {
        expectSlot(exchange, tile, slot);
        return {};
      });
  }
}

/// The products of the lane's elements, by element: those of its accumulators, to which the other warps
/// that share out k add theirs, through shared memory as [unit warp][odd row][unit][lane][gate].
SmallVector<SmallVector<Value>> KernelEmitter::exchangeSums(unsigned number, const Accumulators &accumulators,
                                                            Value flip) {
  const PhaseLayout &phase = layout.phases[number];
  // Of the lane's even or odd row, and one of its units.
  auto getProduct = [&](int64_t odd, int64_t unit, int64_t gate) {
    int64_t product = unit * phase.gates + gate;
    return accumulators[product / 2][product % 2 * 2 + odd];
  };
  SmallVector<SmallVector<Value>> products(getNumItems(number));
  if (plan.splits == 1) {
    for (auto [i, all] : llvm::enumerate(products))
      for (int64_t gate = 0; gate < phase.gates; ++gate)
        all.push_back(getProduct(i % getLaneRows(), i / getLaneRows(), gate));
    return products;
  }
  // Each of two warps has the even or the odd rows, and gives the other one the others; or both have all.
  int64_t width = phase.gates % 4 == 0 ? 4 : phase.gates % 2 == 0 ? 2 : 1;
  Type type = width == 1 ? Type(b.getF32Type()) : VectorType::get(width, b.getF32Type());
  Value lane = rem(thread, 32);
  auto getPlace = [&](Value odd, int64_t unit, int64_t gate) {
    Value line = add(mul(add(mul(odd, phase.getLaneUnits()), index(unit)), 32), lane);
    // In the same place for all phases: what other warps do at the same time may be of another one.
    Value first = add(mul(flip, layout.sumBytes), mul(unitWarp, layout.sumBytes / plan.unitWarps));
    return advance(sharedMemory, add(first, mul(add(mul(line, phase.gates), index(gate)), 4)));
  };
  Value isOdd = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, split, index(1));
  auto select = [&](int64_t unit, int64_t gate, bool isOwn) -> Value {
    if (plan.singleRows)
      return getProduct(0, unit, gate);
    Value even = getProduct(0, unit, gate), odd = getProduct(1, unit, gate);
    return arith::SelectOp::create(b, isOdd, isOwn ? odd : even, isOwn ? even : odd);
  };
  for (int64_t unit = 0; unit < phase.getLaneUnits(); ++unit)
    for (int64_t gate = 0; gate < phase.gates; gate += width) {
      Value stored = LLVM::UndefOp::create(b, type);
      for (int64_t j = 0; j < width; ++j) {
        Value product = select(unit, gate + j, /*isOwn=*/false);
        stored = width == 1 ? product : LLVM::InsertElementOp::create(b, stored, product, word(j));
      }
      Value other = b.createOrFold<arith::SubIOp>(index(1), split);
      LLVM::StoreOp::create(b, stored, getPlace(other, unit, gate), 4 * width);
    }
  Value barrier = arith::IndexCastOp::create(b, b.getI32Type(), add(unitWarp, index(1)));
  NVVM::BarrierOp::create(b, Type(), barrier, word(32 * plan.splits), NVVM::BarrierReductionAttr(), Value());
  for (auto [unit, all] : llvm::enumerate(products))
    for (int64_t gate = 0; gate < phase.gates; gate += width) {
      Value loaded = LLVM::LoadOp::create(b, type, getPlace(split, unit, gate), 4 * width);
      for (int64_t j = 0; j < width; ++j) {
        Value part = width == 1 ? loaded : LLVM::ExtractElementOp::create(b, loaded, word(j)).getResult();
        all.push_back(arith::AddFOp::create(b, select(unit, gate + j, /*isOwn=*/true), part));
      }
    }
  return products;
}

/// Puts one of the lane's elements where a slot of its tile is sent from.
void KernelEmitter::stage(unsigned exchange, Value slot, const Item &item, Value value) {
  const ExchangeLayout &place = layout.exchanges[exchange];
  value = getPublished(item, value);
  int64_t wordElements = place.format.getWordElements(), warpUnits = place.warpRowWords * wordElements;
  SmallVector<Value> parts(wordElements, value);
  if (wordElements == 2)
    parts[1] = arith::ConstantOp::create(b, b.getZeroAttr(value.getType()));
  Value first = mul(wordInBlock(place, div(item.blockUnit, warpUnits), item.tileRow), 4);
  first = add(first, mul(rem(item.blockUnit, warpUnits), 4 / wordElements));
  for (auto [plane, bits] : llvm::enumerate(place.format.pack(b, parts))) {
    Value stored = bits;
    if (wordElements == 2)
      stored = arith::TruncIOp::create(b, b.getI16Type(), stored);
    Value at = add(add(first, index(4 * plane * place.blockWords)), stagingOffset(exchange, item.tile, slot));
    LLVM::StoreOp::create(b, stored, advance(sharedMemory, at), /*alignment=*/4 / wordElements);
  }
}

/// Who is sent slot s + 1 of all has sent s: what was staged for that is written over.
Value KernelEmitter::stagingOffset(unsigned exchange, Value tile, Value slot) {
  const ExchangeLayout &place = layout.exchanges[exchange];
  return add(mul(getPair(tile, slot), place.getBlockBytes()), index(place.staging));
}

/// Where the shared memory of a block of the cluster begins.
Value KernelEmitter::getPeerMemory(Value peer) {
  Value number = arith::IndexCastOp::create(b, b.getI32Type(), peer);
  // Without effects, so that it leaves the loop.
  return emitAssembly(b, "mapa.shared::cluster.u32 $0, $1, $2;", "=r,r,r", b.getI32Type(),
                      {getSharedAddress(index(0)), number}, /*hasEffects=*/false);
}

Value KernelEmitter::getPeerAddress(Value peer, Value offset) {
  return arith::AddIOp::create(b, getPeerMemory(peer), arith::IndexCastOp::create(b, b.getI32Type(), offset));
}

/// Whether what a phase has given is read in the same step.
bool KernelEmitter::isReadInStep(unsigned exchange) {
  return llvm::any_of(loop.phases, [&](const PhaseInLoop &phase) {
    return llvm::any_of(phase.projections, [&](const Projection &projection) {
      return projection.exchange == exchange && !projection.isOfPreviousStep;
    });
  });
}

/// Sends what is staged of exchanges to all blocks of the cluster.
void KernelEmitter::send(ArrayRef<unsigned> exchanges, Value tile, Value slot) {
  if (exchanges.empty())
    return;
  auto isCopied = [&](unsigned exchange) { return layout.exchanges[exchange].isCopied; };
  if (llvm::any_of(exchanges, isCopied)) {
    assembly("fence.proxy.async.shared::cta;", "~{memory}", {}, {});
    NVVM::BarrierOp::create(b, Type(), word(0), word(plan.getNumThreads()), NVVM::BarrierReductionAttr(), Value());
  } else {
    assembly("bar.warp.sync 0xffffffff;", "~{memory}", {}, {});
  }
  for (unsigned exchange : exchanges) {
    // What no one reads any more is not sent: its reader may have ended.
    Value isRead;
    if (!isReadInStep(exchange))
      isRead = isLess(slot, b.createOrFold<arith::SubIOp>(end, begin));
    guarded(isRead, {}, [&]() -> SmallVector<Value> {
      if (isCopied(exchange))
        copyBlock(exchange, tile, slot);
      else
        sendWords(exchange, tile, slot);
      return {};
    });
  }
}

/// Does something for each of `count` pieces, by `workers` of which this is one.
void KernelEmitter::shareOut(Value worker, int64_t workers, int64_t count, function_ref<void(Value)> body) {
  for (int64_t first = 0; first < count; first += workers) {
    Value number = add(worker, index(first));
    guarded(first + workers > count ? isLess(number, index(count)) : Value(), {}, [&]() -> SmallVector<Value> {
      body(number);
      return {};
    });
  }
}

/// What the block has staged, with one copy to each block, by the first lanes of warps.
void KernelEmitter::copyBlock(unsigned exchange, Value tile, Value slot) {
  const ExchangeLayout &place = layout.exchanges[exchange];
  guarded(isFirst(rem(thread, 32)), {}, [&]() -> SmallVector<Value> {
    shareOut(warp, plan.getNumThreads() / 32, plan.unitBlocks, [&](Value peer) {
      assembly("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [$0], [$1], $2, [$3];",
               "r,r,r,r,~{memory}", {},
               {getPeerAddress(peer, bufferOffset(exchange, tile, slot, /*plane=*/0, block, index(0))),
                getSharedAddress(stagingOffset(exchange, tile, slot)), word(place.getBlockBytes()),
                getPeerAddress(peer, arrivalOffset(exchange, tile, slot))});
    });
    return {};
  });
}

/// What the warp has staged, four words of it by a lane.
void KernelEmitter::sendWords(unsigned exchange, Value tile, Value slot) {
  const ExchangeLayout &place = layout.exchanges[exchange];
  int64_t fours = plan.getWarpRows() * place.warpRowWords / 4;
  Value part = mul(unitWarp, place.warpWords);
  if (!plan.singleRows)
    part = add(part, mul(split, place.splitWords));
  // Two warps that have the same share it out.
  int64_t workers = plan.singleRows ? 32 * plan.splits : 32;
  Value worker = rem(thread, workers);
  for (unsigned plane = 0; plane < place.format.getNumPlanes(); ++plane)
    shareOut(worker, workers, plan.unitBlocks * fours, [&](Value number) {
      Value peer = div(number, fours), inBlock = add(part, mul(rem(number, fours), 4));
      Value staged = mul(add(inBlock, index(plane * place.blockWords)), 4);
      SmallVector<Value> operands = {
          getPeerAddress(peer, bufferOffset(exchange, tile, slot, plane, block, inBlock)),
          getPeerAddress(peer, arrivalOffset(exchange, tile, slot))};
      Value first = add(staged, stagingOffset(exchange, tile, slot));
      operands.append(loadFours(sharedMemory, first, /*distance=*/0, /*count=*/4));
      assembly("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [$0], {$2, $3, $4, $5}, [$1];",
               "r,r,r,r,r,r,~{memory}", {}, operands);
    });
}

/// Where a partial fold lies in each block's shared memory.
Value KernelEmitter::foldOffset(unsigned fold, Value tile, Value slot, int64_t plane, Value tileRow, Value partial) {
  const FoldLayout &place = layout.folds.at(fold);
  Value line = add(mul(getPair(tile, slot), plan.unitBlocks), partial);
  Value row = add(mul(rem(tileRow, plan.splits), plan.getWarpRows()), div(tileRow, plan.splits));
  Value inBlock = add(mul(row, place.planes), index(plane));
  return add(mul(add(mul(line, place.blockWords), inBlock), 4), index(place.buffer));
}

/// Where a part of the block's partial fold lies.
Value KernelEmitter::partOffset(unsigned fold, Value tile, Value slot, int64_t plane, Value tileRow, Value part) {
  const FoldLayout &place = layout.folds.at(fold);
  Value line = add(mul(getPair(tile, slot), place.planes), index(plane));
  line = add(mul(line, KernelPlan::kTileRows), tileRow);
  return add(mul(add(mul(line, place.getPartWords()), part), 4), index(place.staging));
}

/// The barrier that counts the bytes of a tile's partial folds.
Value KernelEmitter::foldArrivalOffset(unsigned fold, Value tile, Value slot) {
  return add(mul(getPair(tile, slot), 8), index(layout.folds.at(fold).barriers));
}

void KernelEmitter::expectFold(unsigned fold, Value tile, Value slot) {
  expect(getSharedAddress(foldArrivalOffset(fold, tile, slot)), layout.folds.at(fold).getReceivedBytes());
}

/// The last stage of a step that needs a fold; none if nothing does.
std::optional<unsigned> KernelEmitter::getLastReader(unsigned fold) {
  std::optional<unsigned> last;
  for (auto [number, stage] : llvm::enumerate(loop.stages))
    if (llvm::is_contained(loop.getFolds(loop.getRowValuesOf(stage)), fold))
      last = number;
  return last;
}

SmallVector<unsigned> KernelEmitter::getReadFolds() {
  SmallVector<unsigned> folds;
  for (const MapStage &stage : loop.stages)
    for (unsigned fold : stage.folds)
      if (getLastReader(fold))
        folds.push_back(fold);
  return folds;
}

/// Waits for the partial folds that a stage needs of a tile, and expects those that come in the place of what it is the
/// last to read.
void KernelEmitter::receiveFolds(const MapStage &stage, Value count, Value tile) {
  Value slot = getSlot(count);
  Value parity = arith::IndexCastOp::create(b, b.getI32Type(), rem(div(slot, KernelLayout::kClusterSlots), 2));
  for (unsigned fold : loop.getFolds(loop.getRowValuesOf(stage))) {
    waitForBarrier(getSharedAddress(foldArrivalOffset(fold, tile, slot)), parity);
    if (getLastReader(fold) == unsigned(&stage - loop.stages.begin()))
      guarded(isFirst(thread), {}, [&]() -> SmallVector<Value> {
        expectFold(fold, tile, slot);
        return {};
      });
  }
}

/// Which part of the block's partial fold an element is in: lanes with several units have a part of each.
Value KernelEmitter::getPart(unsigned fold, const Item &item) {
  const FoldLayout &place = layout.folds.at(fold);
  int64_t laneUnits = place.parts / plan.unitWarps;
  return add(mul(div(item.blockUnit, place.lanes * laneUnits), laneUnits), rem(item.blockUnit, laneUnits));
}

/// How many elements it is of, as f32: a part has every `laneUnits`th unit of a warp.
Value KernelEmitter::getElementsOfPart(unsigned fold, Value part) {
  const RowValue &value = loop.rowValues[fold];
  const FoldLayout &place = layout.folds.at(fold);
  int64_t laneUnits = place.parts / plan.unitWarps;
  Value all = index(value.units);
  Value first = add(mul(div(part, laneUnits), place.lanes * laneUnits), rem(part, laneUnits));
  first = add(mul(block, place.units), first);
  Value left = b.createOrFold<arith::SubIOp>(all, min(first, all));
  left = min(div(add(left, index(laneUnits - 1)), laneUnits), index(place.lanes));
  Value units = arith::UIToFPOp::create(b, b.getF32Type(), arith::IndexCastOp::create(b, b.getI32Type(), left));
  return arith::MulFOp::create(
      b, units, arith::ConstantOp::create(b, b.getF32FloatAttr(value.isPerGate ? 1 : value.gates)));
}

/// Puts a part of the block's partial fold, which all lanes that have units of the row know, where the block's warps
/// find it.
void KernelEmitter::stagePart(unsigned fold, int64_t plane, const Item &item, Value count, Value bits) {
  guarded(isFirst(laneRow), {}, [&]() -> SmallVector<Value> {
    Value at = partOffset(fold, item.tile, getSlot(count), plane, item.tileRow, getPart(fold, item));
    LLVM::StoreOp::create(b, bits, advance(sharedMemory, at), /*alignment=*/4);
    return {};
  });
}

/// The block's partial fold of a row, one word a plane.
SmallVector<Value> KernelEmitter::mergeParts(unsigned fold, Value tile, Value slot, Value tileRow) {
  const RowValue &value = loop.rowValues[fold];
  const FoldLayout &place = layout.folds.at(fold);
  auto load = [&](int64_t plane) {
    SmallVector<Value> parts;
    for (int64_t first = 0; first < place.parts; first += 4) {
      Value at = partOffset(fold, tile, slot, plane, tileRow, index(first));
      Value four =
          LLVM::LoadOp::create(b, VectorType::get(4, b.getF32Type()), advance(sharedMemory, at), /*alignment=*/16);
      for (int64_t i = 0; i < std::min<int64_t>(4, place.parts - first); ++i)
        parts.push_back(LLVM::ExtractElementOp::create(b, four, word(i)));
    }
    return parts;
  };
  SmallVector<Value> words;
  auto append = [&](Value scalar) { words.push_back(arith::BitcastOp::create(b, b.getI32Type(), scalar)); };
  for (int64_t g = 0; g < value.getSize(); ++g) {
    if (!value.isSumOfSquares()) {
      SmallVector<Value> parts = load(g);
      Value sum = parts.front();
      for (Value part : ArrayRef(parts).drop_front())
        sum = combine(value, sum, part);
      append(sum);
      continue;
    }
    SmallVector<Value> means = load(2 * g), squares = load(2 * g + 1), elements;
    Moments moments;
    if (hasEvenPartials(fold)) {
      moments = mergeMoments(means, squares, place.lanes * (value.isPerGate ? 1 : value.gates));
    } else {
      for (int64_t part = 0; part < place.parts; ++part)
        elements.push_back(getElementsOfPart(fold, index(part)));
      moments = mergeMoments(means, squares, elements);
    }
    append(moments.mean);
    append(moments.squares);
  }
  return words;
}

/// Gives all blocks the block's partial folds of the rows that a lane has elements of; warps with the same rows, and
/// their lanes, share out the blocks.
void KernelEmitter::sendFold(unsigned fold, ArrayRef<Item> items, Value slot) {
  const FoldLayout &place = layout.folds.at(fold);
  Value barrier = add(split, index(KernelLayout::kFoldBarrier));
  barrier = arith::IndexCastOp::create(b, b.getI32Type(), barrier);
  NVVM::BarrierOp::create(b, Type(), barrier, word(32 * plan.unitWarps), NVVM::BarrierReductionAttr(), Value());
  Value worker = add(mul(unitWarp, place.lanes), laneRow);
  for (const Item &item : items.take_front(getLaneRows())) {
    SmallVector<Value> words = mergeParts(fold, item.tile, slot, item.tileRow);
    shareOut(worker, plan.unitWarps * place.lanes, plan.unitBlocks, [&](Value peer) {
      Value arrival = getPeerAddress(peer, foldArrivalOffset(fold, item.tile, slot));
      bool arePairs = words.size() % 2 == 0;
      for (size_t plane = 0; plane < words.size(); plane += arePairs ? 2 : 1) {
        Value at = getPeerAddress(peer, foldOffset(fold, item.tile, slot, plane, item.tileRow, block));
        constexpr StringLiteral kSend = "st.async.shared::cluster.mbarrier::complete_tx::bytes.";
        if (arePairs)
          assembly((kSend + "v2.b32 [$0], {$2, $3}, [$1];").str(), "r,r,r,r,~{memory}", {},
                   {at, arrival, words[plane], words[plane + 1]});
        else
          assembly((kSend + "b32 [$0], $2, [$1];").str(), "r,r,r,~{memory}", {}, {at, arrival, words[plane]});
      }
    });
  }
}
