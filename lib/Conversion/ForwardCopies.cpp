//===- ForwardCopies.cpp - Phases that write what is copied ----------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ForwardCopies.h"

#include "MemoryRoots.h"
#include "RecurrentLoop.h"

#include "lstm/Dialect/LSTM/IR/LSTM.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::lstm;

/// Whether two views of one memory are parts of different gates.
static bool areOtherGates(Value l, Value r) {
  std::optional<ElementPlace> left = getElementPlace(l), right = getElementPlace(r);
  return left && right && left->hasElementsOf(*right) && left->gate >= 0 && right->gate >= 0 &&
         left->gate != right->gate;
}

/// The phase that has written the source of a copy, if it may write the target, too: nothing touches that in
/// between.
static PhaseOp findWriter(memref::CopyOp copy) {
  Value from = getMemoryRoot(copy.getSource()), to = getMemoryRoot(copy.getTarget());
  if (!from || !to || from == to)
    return {};
  for (Operation *op = copy->getPrevNode(); op; op = op->getPrevNode()) {
    if (isMemoryEffectFree(op))
      continue;
    auto phase = dyn_cast<PhaseOp>(op);
    bool isWriter = phase && llvm::is_contained(phase.getOuts(), copy.getSource());
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<MemRefType>(operand.get().getType()))
        continue;
      Value root = getMemoryRoot(operand.get());
      bool isOut = phase && phase.isDpsInit(&operand);
      bool isRead = (phase && !isOut) || (isa<memref::CopyOp>(op) && operand.getOperandNumber() == 0);
      if (!root || (root == to && !(isWriter && isOut && areOtherGates(operand.get(), copy.getTarget()))) ||
          (root == from && !isRead && operand.get() != copy.getSource()) || (root == from && !isRead && !isWriter))
        return {};
    }
    if (isWriter)
      return phase;
  }
  return {};
}

/// Moves a view before `op`. Returns whether that is possible.
static bool hoistView(RewriterBase &rewriter, Value view, Operation *op) {
  Operation *slice = view.getDefiningOp();
  if (!slice || slice->getBlock() != op->getBlock() || slice->isBeforeInBlock(op))
    return true;
  if (!isa<memref::SubViewOp>(slice) ||
      !llvm::all_of(slice->getOperands(), [&](Value operand) { return hoistView(rewriter, operand, op); }))
    return false;
  rewriter.moveOpBefore(slice, op);
  return true;
}

/// One more destination of what a phase writes to `out`.
static void addOut(RewriterBase &rewriter, PhaseOp phase, unsigned out, Value target) {
  rewriter.setInsertionPoint(phase);
  SmallVector<Value> outs(phase.getOuts());
  outs.push_back(target);
  auto wider = PhaseOp::create(rewriter, phase.getLoc(), phase.getStates(), phase.getWeights(), phase.getInputs(),
                               phase.getAxes(), outs);
  rewriter.inlineRegionBefore(phase.getBody(), wider.getBody(), wider.getBody().end());
  Type element = cast<MemRefType>(target.getType()).getElementType();
  wider.getBodyBlock()->addArgument(element, phase.getLoc());
  YieldOp yield = wider.getYield();
  rewriter.modifyOpInPlace(yield, [&] { yield.getScalarsMutable().append(yield.getScalars()[out]); });
  rewriter.eraseOp(phase);
}

void lstm::forwardCopies(RewriterBase &rewriter, scf::ForOp loop) {
  for (memref::CopyOp copy : llvm::make_early_inc_range(loop.getBody()->getOps<memref::CopyOp>())) {
    PhaseOp phase = findWriter(copy);
    if (!phase || !hoistView(rewriter, copy.getTarget(), phase))
      continue;
    unsigned out = llvm::find(phase.getOuts(), copy.getSource()) - phase.getOuts().begin();
    addOut(rewriter, phase, out, copy.getTarget());
    rewriter.eraseOp(copy);
  }
}
