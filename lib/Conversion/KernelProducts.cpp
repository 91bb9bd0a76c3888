//===- KernelProducts.cpp - Products of a kernel ------------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

using namespace mlir;
using namespace mlir::lstm;

/// Which `kLaneWords` words of a row the lane reads.
Value KernelEmitter::getChunk(const Slot &slot, ProductFormat format, const Projection &projection) {
  int64_t depth = cast<MemRefType>(projection.weight.getType()).getDimSize(0);
  int64_t perWarp =
      llvm::divideCeil(llvm::divideCeil(depth, format.getGroupSize()), plan.splits);
  Value group = add(mul(split, perWarp), index(slot.number));
  return add(mul(group, 4), laneColumn);
}

/// Which word of k a lane multiplies as its word `w` of a slot: four neighbours, as they are read at once,
/// or, with warp groups, as `wgmma` has them.
Value KernelEmitter::getLaneWord(const Slot &slot, const Projection &projection, int64_t w) {
  if (!plan.hasWarpGroups())
    return add(mul(getChunk(slot, getFormat(projection, plan), projection), ProductFormat::kLaneWords), index(w));
  int64_t stageGroups = layout.stageGroups;
  Value stage = add(index(slot.number / stageGroups * plan.splits), split);
  Value group = add(mul(stage, stageGroups), index(slot.number % stageGroups));
  return add(mul(group, ProductFormat::kGroupWords), add(index(4 * w), laneColumn));
}

Value KernelEmitter::getRequestAddress(const Request &request, unsigned plane) {
  return exchangeAddress(*request.projection->exchange, request.step, plane, request.row,
                         mul(request.chunk, ProductFormat::kLaneWords));
}

/// A weak load may give a stale value for ever.
static constexpr StringLiteral kLoad = "ld.relaxed.gpu.global.v4.b32";

/// The words, one group a plane, of what a block writes, which may not be there yet; in a cluster, they are.
SmallVector<Value> KernelEmitter::askFor(const Request &request) {
  auto type =
      LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(4, b.getI32Type()));
  SmallVector<Value> words;
  for (unsigned plane = 0; plane < request.format.getNumPlanes(); ++plane) {
    if (plan.isCluster()) {
      Value four = LLVM::LoadOp::create(b, VectorType::get(4, b.getI32Type()), slotAddress(request, plane),
                                        /*alignment=*/16);
      for (int64_t i = 0; i < 4; ++i)
        words.push_back(LLVM::ExtractElementOp::create(b, four, word(i)));
      continue;
    }
    Value place = getRequestAddress(request, plane);
    Value four = assembly((kLoad + " {$0, $1, $2, $3}, [$4];").str(), "=r,=r,=r,=r,l",
                          type, place);
    for (int64_t i = 0; i < 4; ++i)
      words.push_back(LLVM::ExtractValueOp::create(b, four, ArrayRef<int64_t>{i}));
  }
  return words;
}

/// The words, one group a plane, of an operand that no block writes.
SmallVector<Value> KernelEmitter::readOperand(const Projection &projection, const IRMapping &step,
                                              Value row, Value chunk) {
  ProductFormat format = getFormat(projection, plan);
  Type element = cast<MemRefType>(projection.operand.getType()).getElementType();
  int64_t depth = cast<MemRefType>(projection.weight.getType()).getDimSize(0);
  SmallVector<SmallVector<Value>> words(format.getNumPlanes());
  for (int64_t w = 0; w < ProductFormat::kLaneWords; ++w) {
    SmallVector<Value> parts;
    for (int64_t i = 0; i < format.getWordElements(); ++i) {
      Value k = add(mul(chunk, ProductFormat::kLaneWords * format.getWordElements()),
                    index(w * format.getWordElements() + i));
      Value place = address(projection.operand, {row, min(k, index(depth - 1))}, step);
      Value part = LLVM::LoadOp::create(b, element, place);
      Value zero = arith::ConstantOp::create(b, b.getZeroAttr(element));
      parts.push_back(arith::SelectOp::create(b, isLess(k, index(depth)), part, zero));
    }
    for (auto [plane, value] : llvm::enumerate(format.pack(b, parts)))
      words[plane].push_back(value);
  }
  SmallVector<Value> all;
  for (SmallVector<Value> &plane : words)
    all.append(plane);
  return all;
}

/// Where a lane finds a fragment of what is projected.
KernelEmitter::Request KernelEmitter::getRequest(unsigned number, const Fragment &fragment, Value count,
                                                 Value tile) {
  const Slot &slot = layout.phases[number].slots[fragment.slot];
  const Projection &projection = loop.phases[number].projections[slot.projection];
  ProductFormat format = getFormat(projection, plan);
  Request request{&projection, format, Value(), Value(), getChunk(slot, format, projection), Value(),
                  plan.singleRows ? index(fragment.n) : add(laneRow, index(KernelPlan::kTileRows * fragment.n)), tile};
  Value row = add(mul(tile, plan.getNumRows()), request.tileRow);
  // Rows that do not exist repeat the last one.
  request.row = min(row, last(rows));
  if (!projection.exchange)
    return request;
  request.step = getProjectedSlot(projection, count);
  int64_t chunks = layout.exchanges[*projection.exchange].rowWords / ProductFormat::kLaneWords;
  int64_t depth = cast<MemRefType>(projection.weight.getType()).getDimSize(0);
  int64_t perWarp = llvm::divideCeil(llvm::divideCeil(depth, format.getGroupSize()), plan.splits);
  if (4 * perWarp * plan.splits > chunks) {
    request.isInside = isLess(request.chunk, index(chunks));
    request.chunk = min(request.chunk, index(chunks - 1));
  }
  return request;
}

/// The words of fragments, which may not be there yet.
SmallVector<Value> KernelEmitter::ask(unsigned number, ArrayRef<Fragment> fragments, Value count,
                                      const IRMapping &step, Value tile) {
  SmallVector<Value> words;
  for (const Fragment &fragment : fragments) {
    Request request = getRequest(number, fragment, count, tile);
    words.append(request.projection->exchange
                     ? askFor(request)
                     : readOperand(*request.projection, step, request.row, request.chunk));
  }
  return words;
}

/// Asks again for what is missing, of four words at each address, until all lanes have theirs. All are
/// asked for at the same time: one after the other, each would take the time of a journey.
SmallVector<Value> KernelEmitter::askUntilThere(ArrayRef<Value> addresses, ValueRange asked,
                                                function_ref<Value(size_t, ValueRange)> isMissing) {
  // The words, and at which addresses some are missing.
  SmallVector<Type> carried(5 * addresses.size(), b.getI32Type());
  auto wait = scf::WhileOp::create(
      b, carried, asked,
      [&](OpBuilder &, Location, ValueRange all) {
        SmallVector<Value> results(all);
        Value anyMissing;
        for (size_t i = 0; i < addresses.size(); ++i) {
          Value missing = isMissing(i, all.slice(4 * i, 4));
          anyMissing = anyMissing ? arith::OrIOp::create(b, anyMissing, missing).getResult() : missing;
          results.push_back(arith::ExtUIOp::create(b, b.getI32Type(), missing));
        }
        scf::ConditionOp::create(b, isAny(anyMissing), results);
      },
      [&](OpBuilder &, Location, ValueRange all) {
        SmallVector<Value> again;
        for (auto [i, address] : llvm::enumerate(addresses))
          again.append(askAgain(address, all[4 * addresses.size() + i], all.slice(4 * i, 4)));
        scf::YieldOp::create(b, again);
      });
  b.setInsertionPointAfter(wait);
  SmallVector<Value> words(wait.getResults());
  words.resize(4 * addresses.size());
  return words;
}

/// The words of fragments, when they are there.
SmallVector<Value> KernelEmitter::waitFor(unsigned number, ArrayRef<Fragment> fragments, Value count,
                                          Value tile, ValueRange asked) {
  if (plan.isCluster())
    return SmallVector<Value>(asked);
  SmallVector<Value> addresses, insides;
  SmallVector<unsigned> places;
  unsigned place = 0;
  for (const Fragment &fragment : fragments) {
    Request request = getRequest(number, fragment, count, tile);
    for (unsigned plane = 0; plane < request.format.getNumPlanes(); ++plane) {
      if (request.projection->exchange) {
        addresses.push_back(getRequestAddress(request, plane));
        insides.push_back(request.isInside);
        places.push_back(place);
      }
      place += ProductFormat::kLaneWords;
    }
  }
  SmallVector<Value> words(asked);
  if (addresses.empty())
    return words;
  SmallVector<Value> waiting;
  for (unsigned at : places)
    waiting.append(words.begin() + at, words.begin() + at + ProductFormat::kLaneWords);
  SmallVector<Value> found = waiting;
  if (!plan.perStep)
    found = askUntilThere(addresses, waiting, [&](size_t, ValueRange four) -> Value {
      Value largest = four.front();
      for (Value other : four.drop_front())
        largest = arith::MaxUIOp::create(b, largest, other);
      return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, largest, word(-1));
    });
  for (auto [i, at] : llvm::enumerate(places))
    for (unsigned j = 0; j < 4; ++j) {
      Value value = found[4 * i + j];
      words[at + j] = insides[i] ? arith::SelectOp::create(b, insides[i], value, word(0)).getResult() : value;
    }
  return words;
}

/// Four words, anew where they are missing.
SmallVector<Value> KernelEmitter::askAgain(Value address, Value missing, ValueRange known) {
  auto type = LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(4, b.getI32Type()));
  SmallVector<Value> operands = {address, missing};
  llvm::append_range(operands, known);
  Value four = assembly(("{ .reg .pred p; setp.ne.u32 p, $5, 0; @p " + kLoad + " {$0, $1, $2, $3}, [$4]; }").str(),
                        "=r,=r,=r,=r,l,r,0,1,2,3", type, operands);
  SmallVector<Value> words;
  for (int64_t i = 0; i < 4; ++i)
    words.push_back(LLVM::ExtractValueOp::create(b, four, ArrayRef<int64_t>{i}));
  return words;
}

/// Adds up what lanes of a quad have summed of a single row, each of other k.
void KernelEmitter::addLanes(Accumulators &accumulators) {
  for (SmallVector<Value> &sums : accumulators)
    for (int64_t i : {0, 2})
      for (int64_t distance : {1, 2}) {
        auto other = gpu::ShuffleOp::create(b, sums[i], word(distance), word(32), gpu::ShuffleMode::XOR);
        sums[i] = arith::AddFOp::create(b, sums[i], other.getShuffleResult());
      }
}

/// Adds up the chains.
void KernelEmitter::addChains(unsigned number, Accumulators &accumulators) {
  const PhaseLayout &phase = layout.phases[number];
  size_t count = phase.productTiles * plan.getTilesAtOnce();
  for (size_t i = count; i < accumulators.size(); ++i)
    for (auto [sum, part] : llvm::zip_equal(accumulators[i % count], accumulators[i]))
      sum = arith::AddFOp::create(b, sum, part);
  accumulators.resize(count);
  if (plan.singleRows)
    addLanes(accumulators);
}

/// The sums of a warp, [chain][product tile][row tile]; those of a cluster, which has something else to do meanwhile,
/// are not added up yet.
KernelEmitter::Accumulators KernelEmitter::multiplyTile(unsigned number, Value count, const IRMapping &step,
                                                        Value tile) {
  const PhaseLayout &phase = layout.phases[number];
  SmallVector<Fragment> fragments;
  for (unsigned s = 0; s < phase.slots.size(); ++s)
    for (int64_t n = 0; n < plan.getTilesAtOnce(); ++n)
      fragments.push_back({s, n});
  Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0));
  Accumulators sums(phase.chains * phase.productTiles * plan.getTilesAtOnce(), SmallVector<Value>(4, zero));
  if (plan.isCluster())
    receive(number, count, tile);
  for (ArrayRef<Fragment> rest = fragments; !rest.empty();) {
    ArrayRef<Fragment> part = rest.take_front(phase.inFlight);
    rest = rest.drop_front(part.size());
    multiply(number, part, ask(number, part, count, step, tile), count, tile, sums);
  }
  if (!plan.isCluster())
    addChains(number, sums);
  return sums;
}

/// Multiplies for one phase of a step and all tiles. Returns which buffer of sums comes next.
Value KernelEmitter::emitProductPart(unsigned number, Value count, const IRMapping &step, Value flip) {
  const PhaseLayout &phase = layout.phases[number];
  if (phase.gates == 0)
    return flip;
  if (!plan.hasWarpGroups() && getFirstProduct() == number && getLastProducer())
    meetPublished(/*waits=*/true);
  auto each = scf::ForOp::create(b, firstTile, endTile, index(1), ValueRange(flip));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(each.getBody());
  Value tile = each.getInductionVar();
  flip = each.getRegionIterArg(0);
  storeSums(number,
            plan.hasWarpGroups() ? multiplyStages(number, count, tile) : multiplyTile(number, count, step, tile),
            flip);
  meet(Handover::Full, flip, /*waits=*/false);
  scf::YieldOp::create(b, getNextBuffer(flip));
  return each.getResult(0);
}

void KernelEmitter::multiply(unsigned number, ArrayRef<Fragment> fragments, ValueRange asked,
                             Value count, Value tile, Accumulators &accumulators) {
  const PhaseLayout &phase = layout.phases[number];
  SmallVector<Value> all = waitFor(number, fragments, count, tile, asked);
  ValueRange rest(all);
  for (const Fragment &fragment : fragments) {
    Request request = getRequest(number, fragment, count, tile);
    int64_t numWords = ProductFormat::kLaneWords * request.format.getNumPlanes();
    ValueRange words = rest.take_front(numWords);
    rest = rest.drop_front(numWords);
    SmallVector<Value> slotWeights = getSlotWeights(number, fragment.slot);
    // Products of one sum wait for each other: they are not neighbours.
    for (auto [weightPlane, operandPlane] : request.format.getTerms())
      for (int64_t i = 0; i < 2; ++i)
        for (int64_t m = 0; m < phase.productTiles; ++m) {
          int64_t chain = plan.isCluster() ? (2 * fragment.slot + i) % phase.chains
                                           : getChain(phase, fragment.slot, weightPlane, operandPlane);
          SmallVector<Value> &sum = accumulators[(chain * phase.productTiles + m) * plan.getTilesAtOnce() + fragment.n];
          sum = request.format.multiply(
              b, ValueRange(slotWeights).slice(8 * (weightPlane * phase.productTiles + m) + 4 * i, 4),
              words.slice(4 * operandPlane + 2 * i, 2), sum);
        }
  }
}

/// Stores the partial sums of the warp: a lane has the rows 2 q and 2 q + 1, or a quad the single one, and of each the
/// products of its units, one after the other.
void KernelEmitter::storeSums(unsigned number, const Accumulators &accumulators, Value flip) {
  const PhaseLayout &phase = layout.phases[number];
  meet(Handover::Empty, flip, /*waits=*/true);
  int64_t width = phase.getSumVectorSize();
  Type type = width == 1 ? Type(b.getF32Type()) : VectorType::get(width, b.getF32Type());
  auto storeRow = [&](int64_t n, int64_t i, Value row) {
    for (int64_t first = 0; first < phase.getLaneProducts(); first += width) {
      Value stored = LLVM::UndefOp::create(b, type);
      for (int64_t product = first; product < first + width; ++product) {
        Value sum = accumulators[product / 2 * plan.getTilesAtOnce() + n][product % 2 * 2 + i];
        stored = width == 1 ? sum : LLVM::InsertElementOp::create(b, stored, sum, word(product - first));
      }
      Value lane = add(mul(unitWarp, 8), laneRow);
      LLVM::StoreOp::create(b, stored, sumAddress(number, flip, split, row, lane, index(first)), 4 * width);
    }
  };
  if (plan.singleRows) {
    guarded(isFirst(laneColumn), {}, [&]() -> SmallVector<Value> {
      for (int64_t n = 0; n < plan.getTilesAtOnce(); ++n)
        storeRow(n, 0, index(n));
      return {};
    });
    return;
  }
  for (int64_t n = 0; n < plan.getTilesAtOnce(); ++n)
    for (int64_t i = 0; i < 2; ++i)
      storeRow(n, i, add(mul(laneColumn, 2), index(KernelPlan::kTileRows * n + i)));
}

/// Where partial sums lie: [buffer][warp][row][lane row][product].
Value KernelEmitter::sumAddress(unsigned number, Value flip, Value split, Value row, Value lane,
                                Value product) {
  const PhaseLayout &phase = layout.phases[number];
  if (phase.swapsSums()) {
    Value swapped = mul(rem(lane, 2), 4);
    product = b.createOrFold<arith::XOrIOp>(product, swapped);
  }
  Value line = add(mul(split, plan.getNumRows()), row);
  Value place = add(add(mul(line, phase.getRowStride()), mul(lane, phase.getLaneProducts())), product);
  return advance(sharedMemory, add(mul(flip, layout.sumBytes), mul(place, 4)));
}
