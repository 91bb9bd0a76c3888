//===- TimeStages.cpp - Loops that follow each other in time --------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TimeStages.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::lstm;

/// What uses the memory of `view`, by any view of it.
static SmallVector<OpOperand *> getAccessesTo(Value view) {
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : view.getUses()) {
    auto other = dyn_cast<ViewLikeOpInterface>(use.getOwner());
    if (other && other.getViewSource() == view)
      uses.append(getAccessesTo(use.getOwner()->getResult(0)));
    else
      uses.push_back(&use);
  }
  return uses;
}

std::optional<OpFoldResult> lstm::divide(OpFoldResult size, Value steps) {
  Builder b(steps.getContext());
  if (!size)
    return std::nullopt;
  if (size == OpFoldResult(steps))
    return b.getIndexAttr(1);
  std::optional<int64_t> knownSize = getConstantIntValue(size), knownSteps = getConstantIntValue(steps);
  if (knownSize && knownSteps && *knownSteps != 0 && *knownSize % *knownSteps == 0)
    return b.getIndexAttr(*knownSize / *knownSteps);
  auto value = dyn_cast<Value>(size);
  auto product = value ? value.getDefiningOp<arith::MulIOp>() : arith::MulIOp();
  if (!product)
    return std::nullopt;
  for (auto [factor, other] : {std::pair(product.getLhs(), product.getRhs()), {product.getRhs(), product.getLhs()}})
    if (factor == steps || (knownSteps && getConstantIntValue(factor) == knownSteps))
      return getAsOpFoldResult(other);
  return std::nullopt;
}

/// The size of the first dimension of a view, in terms of what it is a view of.
static OpFoldResult getRows(Value view) {
  Builder b(view.getContext());
  if (auto known = cast<MemRefType>(view.getType()).getDimSize(0); !ShapedType::isDynamic(known))
    return b.getIndexAttr(known);
  if (auto slice = view.getDefiningOp<memref::SubViewOp>())
    return slice.getMixedSizes().front();
  if (auto expansion = view.getDefiningOp<memref::ExpandShapeOp>())
    return expansion.getMixedOutputShape().front();
  if (auto buffer = view.getDefiningOp<memref::AllocOp>())
    return buffer.getMixedSizes().front();
  return {};
}

std::optional<OpFoldResult> lstm::getRowsOfStep(linalg::LinalgOp op, Value steps) {
  std::optional<unsigned> rowLoop = getRowLoop(op);
  if (!rowLoop || !llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
        return !isRowOperand(op, operand, *rowLoop) || spansRoot(operand.get());
      }))
    return std::nullopt;
  return divide(getRows(op.getDpsInits().front()), steps);
}

/// Whether all views of `view` that stand outside of the loops have rows for each of their steps.
static bool canShrink(Value view, Stage &stage) {
  if (!divide(getRows(view), stage.getSteps()))
    return false;
  return llvm::all_of(view.getUsers(), [&](Operation *user) {
    return !isa<ViewLikeOpInterface>(user) || stage.isInLoops(user) ||
           (isa<memref::SubViewOp, memref::ExpandShapeOp, memref::CollapseShapeOp, memref::CastOp>(user) &&
            canShrink(user->getResult(0), stage));
  });
}

/// Makes feeders of the operations that use `buffer` besides the loops, if all can be, and if
/// it is of no use to others; also of those that feed these.
static void addFeedersOf(memref::AllocOp buffer, TimeOrder order, const TimeAccesses &ofLoops, Stage &stage) {
  Block *block = stage.work->getBlock();
  if (buffer->getBlock() != block || stage.buffers.contains(buffer) || !canShrink(buffer, stage))
    return;
  for (auto &[root, access] : ofLoops)
    if (root == buffer.getResult() && (access.isWritten || access.order != order))
      return;
  llvm::SmallSetVector<Operation *, 4> feeders;
  for (OpOperand *use : getAccessesTo(buffer)) {
    auto op = dyn_cast<linalg::LinalgOp>(use->getOwner());
    if (stage.isInLoops(use->getOwner()))
      continue;
    if (!op || op->getBlock() != block || !op->isBeforeInBlock(stage.work) ||
        !getRowsOfStep(op, stage.getSteps()) || !isRowOperand(op, *use, *getRowLoop(op)))
      return;
    if (stage.contains(op)) {
      if (llvm::any_of(stage.feeders, [&](Feeder &feeder) { return feeder.op == op && feeder.order != order; }))
        return;
      continue;
    }
    // What it fills besides would have to be the stage's, too.
    if (!llvm::all_of(op.getDpsInits(), [&](Value out) { return getMemoryRoot(out) == buffer.getResult(); }))
      return;
    feeders.insert(op);
  }
  if (feeders.empty())
    return;
  stage.buffers.insert(buffer);
  for (Operation *op : feeders)
    stage.feeders.push_back({cast<linalg::LinalgOp>(op), *getRowLoop(cast<linalg::LinalgOp>(op)), order});
  for (Operation *op : feeders)
    for (OpOperand &operand : op->getOpOperands())
      if (Value root = isa<MemRefType>(operand.get().getType()) ? getMemoryRoot(operand.get()) : Value())
        if (auto other = root.getDefiningOp<memref::AllocOp>())
          addFeedersOf(other, order, ofLoops, stage);
}

SmallVector<scf::ForOp, 2> lstm::getTimeLoops(Operation *work) {
  SmallVector<scf::ForOp, 2> loops;
  if (auto loop = dyn_cast<scf::ForOp>(work)) {
    loops.push_back(loop);
  } else if (auto region = dyn_cast<scf::ExecuteRegionOp>(work); region && region.getRegion().hasOneBlock()) {
    for (Operation &op : region.getRegion().front().without_terminator()) {
      auto call = dyn_cast<LLVM::CallOp>(op);
      bool isBranching = call && llvm::is_contained({"lstmCudaSetBranch", "lstmCudaJoin"}, call.getCallee());
      if (auto loop = dyn_cast<scf::ForOp>(op))
        loops.push_back(loop);
      else if (!isBranching && !isa<memref::AllocOp>(op) && !isPure(&op))
        return {};
    }
  }
  bool areTimeLoops = llvm::all_of(loops, [&](scf::ForOp loop) {
    return loop.getNumResults() == 0 && getConstantIntValue(loop.getLowerBound()) == 0 &&
           getConstantIntValue(loop.getStep()) == 1 && loop.getUpperBound() == loops.front().getUpperBound();
  });
  return areTimeLoops ? loops : SmallVector<scf::ForOp, 2>();
}

std::optional<Stage> lstm::getStage(Operation *work) {
  Stage stage;
  stage.loops = getTimeLoops(work);
  stage.work = work;
  std::optional<TimeAccesses> accesses = getTimeAccesses(stage.loops);
  if (!accesses || stage.loops.empty())
    return std::nullopt;
  for (auto &[root, access] : *accesses) {
    auto buffer = root.getDefiningOp<memref::AllocOp>();
    if (buffer && access.order != TimeOrder::Any)
      addFeedersOf(buffer, access.order, *accesses, stage);
  }
  llvm::sort(stage.feeders,
             [](const Feeder &l, const Feeder &r) { return l.op->isBeforeInBlock(r.op); });
  for (const Feeder &feeder : stage.feeders)
    for (OpOperand &operand : feeder.op->getOpOperands()) {
      if (!isa<MemRefType>(operand.get().getType()))
        continue;
      Value root = getMemoryRoot(operand.get());
      linalg::LinalgOp op = feeder.op;
      TimeOrder order = isRowOperand(op, operand, feeder.rowLoop) ? feeder.order : TimeOrder::Any;
      if (!root || !stage.accesses.add(root, {order, op.isDpsInit(&operand)}))
        return std::nullopt;
    }
  if (!stage.accesses.add(*accesses))
    return std::nullopt;
  return stage;
}

/// Divides what stands between the first stage and the last one, which will stand in the
/// place of the last: what depends on no stage may stay before it.
bool Chain::sortOperations() {
  later.clear();
  Accesses ofStages, ofLater;
  Operation *first = stages.front().getFirst();
  for (Stage &stage : stages)
    if (stage.getFirst()->isBeforeInBlock(first))
      first = stage.getFirst();
  for (Operation *op = first; op != stages.back().work->getNextNode(); op = op->getNextNode()) {
    if (isPure(op))
      continue;
    Accesses own(op);
    if (llvm::any_of(stages, [&](const Stage &stage) { return stage.contains(op); })) {
      if (own.conflictsWith(ofLater))
        return false;
      ofStages.add(own);
    } else if (own.conflictsWith(ofStages) || own.conflictsWith(ofLater)) {
      if (op->getNumResults() != 0)
        return false;
      later.push_back(op);
      ofLater.add(own);
    }
  }
  return true;
}

StringRef Chain::add(Stage stage) {
  if (!stages.empty() && stages.front().getSteps() != stage.getSteps())
    return "it is not known to have as many steps as the loop before it";
  // Branches do not nest.
  if (!stages.empty() && (stage.isRegion() || stages.back().isRegion()))
    return "one of them is several loops side by side";
  Chain longer = *this;
  longer.stages.push_back(stage);
  if (!longer.accesses.add(stage.accesses))
    return "its first step needs more of the loop before it than the first step";
  if (!longer.sortOperations())
    return "it needs what is done between it and the loop before it";
  *this = std::move(longer);
  return {};
}
