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

/// The length of the longest row of the block's tiles: lanes share out the rows.
Value KernelEmitter::getLongest() {
  Value first = mul(firstTile, plan.getNumRows()), behind = min(mul(endTile, plan.getNumRows()), rows);
  auto each = scf::ForOp::create(b, add(first, rem(thread, 32)), behind, index(32), ValueRange(word(0)));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(each.getBody());
    Value place = address(ragged->lengths, each.getInductionVar(), IRMapping());
    Value length = LLVM::LoadOp::create(b, b.getI32Type(), place);
    scf::YieldOp::create(b, ValueRange(arith::MaxSIOp::create(b, each.getRegionIterArg(0), length)));
  }
  Value longest = each.getResult(0);
  for (int64_t distance = 16; distance > 0; distance /= 2) {
    Value other = gpu::ShuffleOp::create(b, longest, word(distance), word(32), gpu::ShuffleMode::XOR).getShuffleResult();
    longest = arith::MaxSIOp::create(b, longest, other);
  }
  // Said so that the assembler knows that lanes have the same: else, in loops of so many steps, it keeps in each lane's
  // registers what is the same for all.
  longest = gpu::ShuffleOp::create(b, longest, word(0), word(32), gpu::ShuffleMode::IDX).getShuffleResult();
  return min(arith::IndexCastUIOp::create(b, b.getIndexType(), longest), loop.maxSteps);
}

/// Leaves the steps in which some row lives.
void KernelEmitter::skipEnded() {
  Value longest = getLongest();
  auto clamp = [&](Value step) -> Value { return arith::MaxUIOp::create(b, allBegin, min(step, allEnd)); };
  if (ragged->isForward)
    end = clamp(longest);
  else
    begin = clamp(b.createOrFold<arith::SubIOp>(loop.maxSteps, longest));
}

/// What the block gives in steps in which none of its rows lives: a state that has two places gets the other one in the
/// first of them.
void KernelEmitter::emitEnded(Value first, Value last) {
  guarded(isLess(first, last), {}, [&]() -> SmallVector<Value> {
    IRMapping firstStep = computeStep(first);
    auto each = scf::ForOp::create(b, firstTile, endTile, index(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(each.getBody());
    for (unsigned number : getOwnPhases()) {
      PhaseOp op = loop.phases[number].op;
      for (int64_t i = 0; i < getNumItems(number); ++i) {
        Item item = getItem(number, i, each.getInductionVar());
        guarded(conjoin(item.exists, conjoin(item.isRow, item.isUnit)), {}, [&]() -> SmallVector<Value> {
          for (auto [output, out] : llvm::enumerate(op.getOuts())) {
            auto found = ragged->results.find({number, unsigned(output)});
            if (found == ragged->results.end() || !found->second.state)
              continue;
            Type element = cast<MemRefType>(out.getType()).getElementType();
            if (element.isIndex())
              element = b.getI64Type();
            Value kept = LLVM::LoadOp::create(b, element, address(found->second.state, {item.row, item.unit}, firstStep));
            LLVM::StoreOp::create(b, kept, address(out, {item.row, item.unit}, firstStep));
            auto final = finals.find({number, unsigned(output)});
            if (final == finals.end())
              continue;
            Value isAll = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, last, loop.maxSteps);
            guarded(isAll, {}, [&]() -> SmallVector<Value> {
              LLVM::StoreOp::create(b, kept, address(final->second, {item.row, item.unit}, firstStep));
              return {};
            });
          }
          auto time = scf::ForOp::create(b, first, last, index(1));
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
          return {};
        });
      }
    }
    return {};
  });
}

void KernelEmitter::emitEndedBefore() {
  if (ragged && !ragged->isForward)
    emitEnded(allBegin, begin);
}

void KernelEmitter::emitEndedBehind() {
  if (ragged && ragged->isForward)
    emitEnded(end, allEnd);
}
