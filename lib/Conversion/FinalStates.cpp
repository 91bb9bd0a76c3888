//===- FinalStates.cpp - What a loop leaves of its states -----------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FinalStates.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::lstm;

/// Whether `slot` is, of a state's two, the one that is current after all steps.
static bool isLastSlot(memref::SubViewOp slot, Value steps) {
  if (std::optional<int64_t> count = getConstantIntValue(steps))
    return isConstantIntValue(slot.getMixedOffsets().front(), *count % 2);
  return isSlotAfter(slot, steps, /*steps=*/0);
}

/// Whether all uses of `memory` but the copy come behind it.
static bool isUnusedBefore(Value memory, memref::CopyOp copy) {
  return llvm::all_of(memory.getUsers(), [&](Operation *user) {
    Operation *inBlock = copy->getBlock()->findAncestorOpInBlock(*user);
    return inBlock && (user == copy || copy->isBeforeInBlock(inBlock));
  });
}

/// Whether a view is used behind `ancestor`, by what may write there.
static bool isUsedBehind(Operation *view, Operation *ancestor) {
  return isa<ViewLikeOpInterface>(view) && llvm::any_of(view->getUsers(), [&](Operation *user) {
           Operation *inBlock = ancestor->getBlock()->findAncestorOpInBlock(*user);
           return !inBlock || ancestor->isBeforeInBlock(inBlock) || isUsedBehind(user, ancestor);
         });
}

/// The copy of a state's last slot behind `ancestor`; null if there is none, or something else happens to the state.
static FinalState findCopy(memref::SubViewOp written, Value steps, Operation *ancestor) {
  FinalState found{};
  Operation *state = written.getSource().getDefiningOp<memref::AllocOp>();
  if (!state)
    return {};
  for (Operation *user : state->getUsers()) {
    Operation *inBlock = ancestor->getBlock()->findAncestorOpInBlock(*user);
    if (!inBlock)
      return {};
    if (inBlock == ancestor)
      continue;
    if (inBlock->isBeforeInBlock(ancestor)) {
      if (isUsedBehind(user, ancestor))
        return {};
      continue;
    }
    auto slot = dyn_cast<memref::SubViewOp>(user);
    if (!slot || found.slot || !slot->hasOneUse() || !isLastSlot(slot, steps) ||
        slot.getType().getShape() != written.getType().getShape() ||
        slot.getMixedSizes() != written.getMixedSizes() || slot.getMixedStrides() != written.getMixedStrides() ||
        ArrayRef(slot.getMixedOffsets()).drop_front() != ArrayRef(written.getMixedOffsets()).drop_front())
      return {};
    found.slot = slot;
    found.copy = dyn_cast<memref::CopyOp>(*slot->user_begin());
    if (!found.copy || found.copy.getSource() != slot || found.copy->getBlock() != ancestor->getBlock())
      return {};
  }
  return found;
}

SmallVector<FinalState> lstm::findFinalStates(const RecurrentLoop &loop, Operation *ancestor) {
  SmallVector<FinalState> states;
  for (auto [number, phase] : llvm::enumerate(loop.phases))
    for (auto [output, out] : llvm::enumerate(PhaseOp(phase.op).getOuts())) {
      auto written = out.getDefiningOp<memref::SubViewOp>();
      if (!written || !isSlotAfter(written, scf::ForOp(loop.loop).getInductionVar(), /*steps=*/1))
        continue;
      FinalState state = findCopy(written, loop.maxSteps, ancestor);
      if (!state.copy)
        continue;
      auto target = state.copy.getTarget().getDefiningOp<memref::AllocOp>();
      auto isKnown = [&](Value size) {
        Operation *op = size.getDefiningOp();
        return !op || (op->getBlock() == ancestor->getBlock() && op->isBeforeInBlock(ancestor));
      };
      if (!target || target->getBlock() != ancestor->getBlock() || !target.getType().getLayout().isIdentity() ||
          !llvm::all_of(target.getDynamicSizes(), isKnown) || !isUnusedBefore(target, state.copy))
        continue;
      state.phase = number;
      state.output = output;
      states.push_back(state);
    }
  return states;
}

FinalPlaces lstm::claimFinalStates(RewriterBase &rewriter, const RecurrentLoop &loop, ArrayRef<FinalState> states,
                                   Operation *ancestor) {
  OpBuilder::InsertionGuard guard(rewriter);
  FinalPlaces places;
  for (FinalState state : states) {
    Operation *target = state.copy.getTarget().getDefiningOp();
    if (ancestor->isBeforeInBlock(target))
      rewriter.moveOpBefore(target, ancestor);
    places[{state.phase, state.output}] = state.copy.getTarget();
    rewriter.setInsertionPoint(state.copy);
    Location loc = state.copy.getLoc();
    Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
    Value isEmpty = rewriter.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, loop.maxSteps, zero);
    auto choice = scf::IfOp::create(rewriter, loc, isEmpty, /*withElseRegion=*/false);
    rewriter.moveOpBefore(state.copy, choice.thenBlock()->getTerminator());
  }
  return places;
}

void lstm::copyFinalStates(RewriterBase &rewriter, ArrayRef<FinalState> states, const FinalPlaces &places) {
  for (FinalState state : states) {
    IRMapping mapping;
    for (OpFoldResult offset : state.slot.getMixedOffsets())
      if (auto apply = dyn_cast_if_present<affine::AffineApplyOp>(
              isa<Value>(offset) ? cast<Value>(offset).getDefiningOp() : nullptr))
        rewriter.clone(*apply, mapping);
    Operation *slot = rewriter.clone(*state.slot, mapping);
    memref::CopyOp::create(rewriter, state.copy.getLoc(), slot->getResult(0), places.at({state.phase, state.output}));
  }
}
