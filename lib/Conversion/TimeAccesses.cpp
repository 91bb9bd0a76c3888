//===- TimeAccesses.cpp - What is touched step by step ---------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TimeAccesses.h"
#include "MemoryRoots.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::lstm;

bool lstm::isStep(memref::SubViewOp view) {
  auto isZero = [](OpFoldResult value) { return getConstantIntValue(value) == 0; };
  auto isOne = [](OpFoldResult value) { return getConstantIntValue(value) == 1; };
  SmallVector<OpFoldResult> offsets = view.getMixedOffsets(), sizes = view.getMixedSizes();
  return llvm::all_of(ArrayRef(offsets).drop_front(), isZero) && isOne(sizes.front()) &&
         llvm::all_of(view.getMixedStrides(), isOne);
}

bool lstm::isCountOf(scf::ForOp loop, OpFoldResult index, bool reversed) {
  auto value = dyn_cast<Value>(index);
  if (!value)
    return false;
  if (!reversed)
    return value == loop.getInductionVar();
  auto apply = value.getDefiningOp<affine::AffineApplyOp>();
  if (!apply)
    return false;
  // T - 1 - t, with T an operand or a constant.
  auto constant = getConstantIntValue(loop.getUpperBound());
  OpBuilder b(loop.getContext());
  AffineMap map = apply.getAffineMap();
  SmallVector<AffineExpr> dims, symbols;
  AffineExpr count = b.getAffineDimExpr(0), size = b.getAffineDimExpr(1);
  for (auto [i, operand] : llvm::enumerate(apply.getMapOperands())) {
    AffineExpr expr;
    if (operand == loop.getInductionVar())
      expr = count;
    else if (operand == loop.getUpperBound())
      expr = size;
    else
      return false;
    (i < map.getNumDims() ? dims : symbols).push_back(expr);
  }
  AffineExpr actual = map.getResult(0).replaceDimsAndSymbols(dims, symbols);
  if (constant)
    actual = actual.replace(size, b.getAffineConstantExpr(*constant));
  AffineExpr last = constant ? b.getAffineConstantExpr(*constant - 1) : size - 1;
  return simplifyAffineExpr(actual - (last - count), 2, 0) == b.getAffineConstantExpr(0);
}

bool lstm::spansRoot(Value view) {
  Value root = getMemoryRoot(view);
  if (!root || !isa<MemRefType>(root.getType()) || cast<MemRefType>(view.getType()).getRank() == 0)
    return false;
  while (view != root) {
    Operation *op = view.getDefiningOp();
    if (auto slice = dyn_cast<memref::SubViewOp>(op)) {
      if (getSourceDim(slice, 0) != 0)
        return false;
    } else if (!isa<memref::ExpandShapeOp, memref::CollapseShapeOp, memref::CastOp>(op)) {
      return false;
    }
    view = op->getOperand(0);
  }
  return true;
}

bool TimeAccesses::add(Value root, Access access) {
  auto [at, isNew] = accesses.try_emplace(root, access);
  if (isNew)
    return true;
  Access &earlier = at->second;
  if ((access.isWritten || earlier.isWritten) &&
      (access.order != earlier.order || access.order == TimeOrder::Any))
    return false;
  if (access.order != earlier.order)
    earlier.order = TimeOrder::Any;
  earlier.isWritten |= access.isWritten;
  return true;
}

bool TimeAccesses::add(const TimeAccesses &later) {
  return llvm::all_of(later, [&](auto &entry) { return add(entry.first, entry.second); });
}

/// How a step of `loop` comes to `view`.
static TimeOrder getOrder(scf::ForOp loop, Value view) {
  while (Operation *op = view.getDefiningOp()) {
    if (!loop->isAncestor(op))
      break;
    auto slice = dyn_cast<memref::SubViewOp>(op);
    if (slice && loop.isDefinedOutsideOfLoop(slice.getSource())) {
      Value source = slice.getSource();
      if (!isStep(slice) || !spansRoot(source) || !isSizeOf(loop.getUpperBound(), source, 0))
        break;
      OpFoldResult index = slice.getMixedOffsets().front();
      if (isCountOf(loop, index, /*reversed=*/false))
        return TimeOrder::Forward;
      if (isCountOf(loop, index, /*reversed=*/true))
        return TimeOrder::Backward;
      break;
    }
    auto source = dyn_cast<ViewLikeOpInterface>(op);
    if (!source)
      break;
    view = source.getViewSource();
  }
  return TimeOrder::Any;
}

std::optional<TimeAccesses> lstm::getTimeAccesses(ArrayRef<scf::ForOp> loops) {
  // Within a step, from one to the next, and on their branches, the loops keep their own order.
  llvm::MapVector<Value, TimeAccesses::Access> found;
  auto addEffects = [&](scf::ForOp loop, Operation *op) {
    if (isMemoryEffectFree(op))
      return WalkResult::advance();
    auto interface = dyn_cast<MemoryEffectOpInterface>(op);
    if (!interface)
      return op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ? WalkResult::advance()
                                                                : WalkResult::interrupt();
    SmallVector<MemoryEffects::EffectInstance> effects;
    interface.getEffects(effects);
    for (const MemoryEffects::EffectInstance &effect : effects) {
      Value root = effect.getValue() ? getMemoryRoot(effect.getValue()) : Value();
      if (!root || !loop.isDefinedOutsideOfLoop(root))
        return WalkResult::interrupt();
      bool isWritten = !isa<MemoryEffects::Read>(effect.getEffect());
      TimeOrder order = getOrder(loop, effect.getValue());
      auto [at, isNew] = found.try_emplace(root, TimeAccesses::Access{order, isWritten});
      if (!isNew && at->second.order != order)
        at->second.order = TimeOrder::Any;
      at->second.isWritten |= isWritten;
    }
    return WalkResult::advance();
  };
  for (scf::ForOp loop : loops)
    if (loop.getBody()->walk([&](Operation *op) { return addEffects(loop, op); }).wasInterrupted())
      return std::nullopt;
  TimeAccesses accesses;
  for (auto &[root, access] : found)
    accesses.add(root, access);
  return accesses;
}

std::optional<unsigned> lstm::getRowLoop(linalg::LinalgOp op) {
  if (!op.hasPureBufferSemantics() || op.hasIndexSemantics() || op.getNumDpsInits() == 0)
    return std::nullopt;
  AffineMap first = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (first.getNumResults() == 0)
    return std::nullopt;
  auto dim = dyn_cast<AffineDimExpr>(first.getResult(0));
  if (!dim || op.getIteratorTypesArray()[dim.getPosition()] != utils::IteratorType::parallel)
    return std::nullopt;
  unsigned loop = dim.getPosition();
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    bool isRow = isRowOperand(op, operand, loop);
    if ((map.isFunctionOfDim(loop) && !isRow) || (op.isDpsInit(&operand) && !isRow))
      return std::nullopt;
  }
  return loop;
}

bool lstm::isRowOperand(linalg::LinalgOp op, OpOperand &operand, unsigned rowLoop) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  AffineExpr row = getAffineDimExpr(rowLoop, op.getContext());
  return isa<MemRefType>(operand.get().getType()) && map.getNumResults() != 0 && map.getResult(0) == row &&
         llvm::none_of(map.getResults().drop_front(),
                       [&](AffineExpr expr) { return expr.isFunctionOfDim(rowLoop); });
}
