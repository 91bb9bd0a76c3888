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
  Value group = add(mul(warp, perWarp), index(slot.number));
  return add(mul(group, 4), laneColumn);
}

Value KernelEmitter::getRequestAddress(const Request &request, unsigned plane) {
  return exchangeAddress(*request.projection->exchange, request.step, plane, request.row,
                         mul(request.chunk, ProductFormat::kLaneWords));
}

/// The words, one group a plane, of what a block writes, which may not be there yet.
SmallVector<Value> KernelEmitter::askFor(const Request &request) {
  auto type =
      LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(4, b.getI32Type()));
  SmallVector<Value> words;
  for (unsigned plane = 0; plane < request.format.getNumPlanes(); ++plane) {
    Value place = getRequestAddress(request, plane);
    // A weak load may give a stale value for ever.
    Value four = assembly("ld.relaxed.gpu.global.v4.b32 {$0, $1, $2, $3}, [$4];", "=r,=r,=r,=r,l",
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
  Request request{&projection, format, Value(), Value(), getChunk(slot, format, projection), Value()};
  Value row = add(mul(tile, plan.getNumRows()), add(laneRow, index(KernelPlan::kTileRows * fragment.n)));
  // Rows that do not exist repeat the last one.
  request.row = min(row, last(rows));
  if (!projection.exchange)
    return request;
  request.step = projection.isOfPreviousStep ? getSlot(count) : add(getSlot(count), index(1));
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

/// Asks again for what is missing until all lanes have their words. All fragments are asked
/// for at the same time: one after the other, each would take the time of a journey.
SmallVector<Value> KernelEmitter::waitFor(unsigned number, ArrayRef<Fragment> fragments, Value count,
                                          Value tile, ValueRange asked) {
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
  SmallVector<Type> carried(waiting.size() + places.size(), b.getI32Type());
  auto wait = scf::WhileOp::create(
      b, carried, waiting,
      [&](OpBuilder &, Location, ValueRange all) {
        SmallVector<Value> results(all);
        Value anyMissing;
        for (size_t i = 0; i < places.size(); ++i) {
          Value largest = all[4 * i];
          for (Value other : all.slice(4 * i + 1, 3))
            largest = arith::MaxUIOp::create(b, largest, other);
          Value missing = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, largest, word(-1));
          anyMissing = anyMissing ? arith::OrIOp::create(b, anyMissing, missing).getResult() : missing;
          results.push_back(arith::ExtUIOp::create(b, b.getI32Type(), missing));
        }
        scf::ConditionOp::create(b, isAny(anyMissing), results);
      },
      [&](OpBuilder &, Location, ValueRange all) {
        SmallVector<Value> again;
        for (size_t i = 0; i < places.size(); ++i)
          again.append(askAgain(addresses[i], all[4 * places.size() + i], all.slice(4 * i, 4)));
        scf::YieldOp::create(b, again);
      });
  b.setInsertionPointAfter(wait);
  for (auto [i, at] : llvm::enumerate(places))
    for (unsigned j = 0; j < 4; ++j) {
      Value value = wait.getResult(4 * i + j);
      words[at + j] = insides[i] ? arith::SelectOp::create(b, insides[i], value, word(0)).getResult() : value;
    }
  return words;
}

/// Four words, anew where they are missing.
SmallVector<Value> KernelEmitter::askAgain(Value address, Value missing, ValueRange known) {
  auto type = LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(4, b.getI32Type()));
  SmallVector<Value> operands = {address, missing};
  llvm::append_range(operands, known);
  Value four = assembly("{ .reg .pred p; setp.ne.u32 p, $5, 0; "
                        "@p ld.relaxed.gpu.global.v4.b32 {$0, $1, $2, $3}, [$4]; }",
                        "=r,=r,=r,=r,l,r,0,1,2,3", type, operands);
  SmallVector<Value> words;
  for (int64_t i = 0; i < 4; ++i)
    words.push_back(LLVM::ExtractValueOp::create(b, four, ArrayRef<int64_t>{i}));
  return words;
}

/// Multiplies for one phase of a step and all tiles. Returns which buffer of sums comes next.
Value KernelEmitter::emitProductPart(unsigned number, Value count, const IRMapping &step, Value flip) {
  const PhaseLayout &phase = layout.phases[number];
  if (phase.gates == 0)
    return flip;
  SmallVector<Fragment> fragments;
  for (unsigned s = 0; s < phase.slots.size(); ++s)
    for (int64_t n = 0; n < plan.rowTiles; ++n)
      fragments.push_back({s, n});
  auto each = scf::ForOp::create(b, firstTile, endTile, index(1), ValueRange(flip));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(each.getBody());
  Value tile = each.getInductionVar();
  flip = each.getRegionIterArg(0);
  Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0));
  Accumulators sums(phase.productTiles * plan.rowTiles, SmallVector<Value>(4, zero));
  for (ArrayRef<Fragment> rest = fragments; !rest.empty();) {
    ArrayRef<Fragment> part = rest.take_front(phase.inFlight);
    rest = rest.drop_front(part.size());
    multiply(number, part, ask(number, part, count, step, tile), count, tile, sums);
  }
  storeSums(number, sums, flip);
  meet(Handover::Full, flip, /*waits=*/false);
  scf::YieldOp::create(b, b.createOrFold<arith::SubIOp>(index(1), flip));
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
          SmallVector<Value> &sum = accumulators[m * plan.rowTiles + fragment.n];
          sum = request.format.multiply(
              b, ValueRange(slotWeights).slice(8 * (weightPlane * phase.productTiles + m) + 4 * i, 4),
              words.slice(4 * operandPlane + 2 * i, 2), sum);
        }
  }
}

/// [warp][row][product]: a lane has the rows 2 q and 2 q + 1 of products r and r + 8.
void KernelEmitter::storeSums(unsigned number, const Accumulators &accumulators, Value flip) {
  const PhaseLayout &phase = layout.phases[number];
  meet(Handover::Empty, flip, /*waits=*/true);
  Value sums = advance(sharedMemory, mul(flip, layout.sumBytes));
  Value base = add(mul(warp, plan.getNumRows()), mul(laneColumn, 2));
  Value lane = advance(sums, mul(add(mul(base, phase.getRowStride()), laneRow), 4));
  for (int64_t m = 0; m < phase.productTiles; ++m)
    for (int64_t n = 0; n < plan.rowTiles; ++n)
      for (int64_t i = 0; i < 4; ++i) {
        int64_t offset = (KernelPlan::kTileRows * n + i % 2) * phase.getRowStride() + 16 * m + i / 2 * 8;
        LLVM::StoreOp::create(b, accumulators[m * plan.rowTiles + n][i],
                              advance(lane, index(4 * offset)));
      }
}
