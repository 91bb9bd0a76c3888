//===- KernelRagged.cpp - Rows that end in a kernel -----------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks of a group have the same rows, and so they know without asking how many steps the longest of them has. In the
// others, which come behind, or before if time runs backwards, nothing is multiplied or exchanged: states stay, and
// outputs are constants, by the masks of the phases. So the slots of exchanges count from the first step in which a row
// lives.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

using namespace mlir;
using namespace mlir::lstm;

/// Of the phases that the blocks of a part do. Parts that wait for each other have to skip the same steps.
const RaggedSteps *KernelEmitter::getRagged(unsigned part) {
  bool isOne = loop.hasLinkedParts || getNumParts(loop, plan) == 1;
  const std::optional<RaggedSteps> &found = isOne ? allRagged.all : allRagged.parts[part];
  return found ? &*found : nullptr;
}

/// The length of the longest row of tiles from `first` on: lanes share out the rows, or one that is alone has them all.
Value KernelEmitter::getLongest(Value first, Value behind, bool isAlone) {
  first = mul(first, plan.getNumRows());
  behind = min(mul(behind, plan.getNumRows()), rows);
  if (!isAlone)
    first = add(first, rem(thread, 32));
  auto each = scf::ForOp::create(b, first, behind, index(isAlone ? 1 : 32), ValueRange(word(0)));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(each.getBody());
    Value place = address(ragged->lengths, each.getInductionVar(), IRMapping());
    Value length = LLVM::LoadOp::create(b, b.getI32Type(), place);
    scf::YieldOp::create(b, ValueRange(arith::MaxSIOp::create(b, each.getRegionIterArg(0), length)));
  }
  Value longest = each.getResult(0);
  for (int64_t distance = isAlone ? 0 : 16; distance > 0; distance /= 2) {
    auto other = gpu::ShuffleOp::create(b, longest, word(distance), word(32), gpu::ShuffleMode::XOR);
    longest = arith::MaxSIOp::create(b, longest, other.getShuffleResult());
  }
  // Said so that the assembler knows that lanes have the same: else, in loops of so many steps, it keeps in each lane's
  // registers what is the same for all.
  if (!isAlone)
    longest = gpu::ShuffleOp::create(b, longest, word(0), word(32), gpu::ShuffleMode::IDX).getShuffleResult();
  return min(arith::IndexCastUIOp::create(b, b.getIndexType(), longest), loop.maxSteps);
}

/// Leaves the steps in which some row lives.
void KernelEmitter::skipEnded() {
  Value longest = getLongest(firstTile, endTile, /*isAlone=*/false);
  if (ragged->isForward)
    end = clampToLaunch(longest);
  else
    begin = clampToLaunch(b.createOrFold<arith::SubIOp>(loop.maxSteps, longest));
}

Value KernelEmitter::clampToLaunch(Value step) { return arith::MaxUIOp::create(b, allBegin, min(step, allEnd)); }

/// Of the tiles that a block does one after the other, those at the end are left out as soon as all of their rows have
/// ended. Where time runs backwards, and in clusters, whose tiles share barriers, they are done as long as the others.
bool KernelEmitter::leavesTiles() { return ragged && ragged->isForward && !plan.isCluster() && !plan.perStep; }

/// What a loop over steps carries for that: behind the last tile that is done, when that one ends, and how many tiles
/// have been done in all steps before.
SmallVector<Value> KernelEmitter::beginTiles(bool isAlone) {
  if (!leavesTiles())
    return {};
  return {endTile, getLongest(last(endTile), endTile, isAlone), index(0)};
}

/// At the begin of a step: leaves tiles that have ended. Returns what the next step gets.
SmallVector<Value> KernelEmitter::leaveTiles(Value count, ValueRange carried, bool isAlone) {
  if (!leavesTiles())
    return {};
  // Some tile is left, as the steps are those in which one of the block's rows lives.
  auto left = scf::WhileOp::create(
      b, carried.take_front(2).getTypes(), carried.take_front(2),
      [&](OpBuilder &, Location, ValueRange now) {
        Value hasEnded = arith::CmpIOp::create(b, arith::CmpIPredicate::ule, now[1], count);
        scf::ConditionOp::create(b, hasEnded, now);
      },
      [&](OpBuilder &, Location, ValueRange now) {
        Value behind = last(now[0]);
        scf::YieldOp::create(b, ValueRange{behind, getLongest(last(behind), behind, isAlone)});
      });
  b.setInsertionPointAfter(left);
  endTile = left.getResult(0);
  tilesBefore = carried[2];
  return {endTile, left.getResult(1), add(tilesBefore, b.createOrFold<arith::SubIOp>(endTile, firstTile))};
}

void KernelEmitter::endTiles() {
  endTile = allEndTile;
  tilesBefore = Value();
}

/// What the block gives in steps from `first` on in which none of its rows lives: a state that has two places gets the
/// other one in the first of them.
void KernelEmitter::emitEnded(Value first, Value behind, Value tile) {
  guarded(isLess(first, behind), {}, [&]() -> SmallVector<Value> {
    IRMapping firstStep = computeStep(first);
    for (unsigned number : getOwnPhases()) {
      PhaseOp op = loop.phases[number].op;
      for (int64_t i = 0; i < getNumItems(number); ++i) {
        Item item = getItem(number, i, tile);
        guarded(conjoin(item.exists, conjoin(item.isRow, item.isUnit)), {}, [&]() -> SmallVector<Value> {
          for (auto [output, out] : llvm::enumerate(op.getOuts())) {
            auto found = ragged->results.find({number, unsigned(output)});
            if (found == ragged->results.end() || !found->second.state)
              continue;
            Type element = cast<MemRefType>(out.getType()).getElementType();
            if (element.isIndex())
              element = b.getI64Type();
            Value from = address(found->second.state, {item.row, item.unit}, firstStep);
            Value kept = LLVM::LoadOp::create(b, element, from);
            LLVM::StoreOp::create(b, kept, address(out, {item.row, item.unit}, firstStep));
            auto final = finals.find({number, unsigned(output)});
            if (final == finals.end())
              continue;
            Value isAll = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, behind, loop.maxSteps);
            guarded(isAll, {}, [&]() -> SmallVector<Value> {
              LLVM::StoreOp::create(b, kept, address(final->second, {item.row, item.unit}, firstStep));
              return {};
            });
          }
          auto time = scf::ForOp::create(b, first, behind, index(1));
          OpBuilder::InsertionGuard guard(b);
          b.setInsertionPointToStart(time.getBody());
          IRMapping step = computeStep(time.getInductionVar());
          for (auto [output, out] : llvm::enumerate(op.getOuts())) {
            auto found = ragged->results.find({number, unsigned(output)});
            if (found == ragged->results.end() || !found->second.constant)
              continue;
            Value constant = arith::ConstantOp::create(b, found->second.constant);
            if (constant.getType().isIndex())
              constant = arith::IndexCastOp::create(b, b.getI64Type(), constant);
            LLVM::StoreOp::create(b, constant, address(out, {item.row, item.unit}, step));
          }
          b.setInsertionPointAfter(time);
          emitFinalOfEnded(number, item, behind);
          return {};
        });
      }
    }
    return {};
  });
}

/// Final states that are not kept, where the last step is one in which no row lives: what is in the last step's place.
void KernelEmitter::emitFinalOfEnded(unsigned number, const Item &item, Value behind) {
  for (auto [output, out] : llvm::enumerate(PhaseOp(loop.phases[number].op).getOuts())) {
    auto found = ragged->results.find({number, unsigned(output)});
    auto final = finals.find({number, unsigned(output)});
    if (found == ragged->results.end() || found->second.state || final == finals.end())
      continue;
    Type element = cast<MemRefType>(out.getType()).getElementType();
    if (element.isIndex())
      element = b.getI64Type();
    Value isAll = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, behind, loop.maxSteps);
    guarded(isAll, {}, [&]() -> SmallVector<Value> {
      IRMapping step = computeStep(last(behind));
      Value value = LLVM::LoadOp::create(b, element, address(out, {item.row, item.unit}, step));
      LLVM::StoreOp::create(b, value, address(final->second, {item.row, item.unit}, step));
      return {};
    });
  }
}

void KernelEmitter::emitEndedBefore() {
  if (!ragged || ragged->isForward)
    return;
  auto each = scf::ForOp::create(b, firstTile, endTile, index(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(each.getBody());
  emitEnded(allBegin, begin, each.getInductionVar());
}

/// From the last tile on, as one ends when it and those behind it have.
void KernelEmitter::emitEndedBehind() {
  if (!ragged || !ragged->isForward)
    return;
  Value count = b.createOrFold<arith::SubIOp>(endTile, firstTile);
  auto each = scf::ForOp::create(b, index(0), count, index(1), ValueRange(leavesTiles() ? index(0) : end));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(each.getBody());
  Value behind = b.createOrFold<arith::SubIOp>(endTile, each.getInductionVar()), tile = last(behind);
  Value ended = each.getRegionIterArg(0);
  if (leavesTiles())
    ended = arith::MaxUIOp::create(b, ended, getLongest(tile, behind, /*isAlone=*/false));
  emitEnded(clampToLaunch(ended), allEnd, tile);
  scf::YieldOp::create(b, ended);
}
