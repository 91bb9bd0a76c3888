//===- BodyUtils.cpp - Questions about the body of a recurrence -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/Dialect/LSTM/Transforms/BodyUtils.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::lstm;

bool lstm::isDefinedOutside(Value value, RecurrenceOp op) {
  return !op.getBody().isAncestor(value.getParentRegion());
}

//===----------------------------------------------------------------------===//
// Moving computations up
//===----------------------------------------------------------------------===//

/// Whether `value` can be used at `point` as it stands.
static bool isAvailableBefore(Value value, Operation *point) {
  if (auto arg = dyn_cast<BlockArgument>(value))
    return arg.getOwner()->getParent()->isAncestor(point->getParentRegion());
  Operation *op = value.getDefiningOp();
  Operation *ancestor = op->getBlock()->findAncestorOpInBlock(*point);
  return ancestor && op != ancestor && op->isBeforeInBlock(ancestor);
}

static bool collectMoves(Value value, Operation *point, llvm::SetVector<Operation *> &moves) {
  if (isAvailableBefore(value, point))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || op == point || op->isAncestor(point) || !isPure(op))
    return false;
  if (moves.contains(op))
    return true;
  bool movable = true;
  op->walk([&](Operation *nested) {
    for (Value operand : nested->getOperands())
      if (!op->isAncestor(operand.getParentBlock()->getParentOp()))
        movable &= collectMoves(operand, point, moves);
  });
  if (movable)
    moves.insert(op);
  return movable;
}

LogicalResult lstm::makeAvailableBefore(RewriterBase &rewriter, Value value, Operation *point) {
  llvm::SetVector<Operation *> moves;
  if (!collectMoves(value, point, moves))
    return failure();
  for (Operation *op : moves)
    rewriter.moveOpBefore(op, point);
  return success();
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

SizeOrigin lstm::getSizeOrigin(OpFoldResult index) {
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return {Value(), -1, constant};
  Value value = cast<Value>(index);
  if (auto dim = value.getDefiningOp<tensor::DimOp>())
    if (std::optional<int64_t> number = dim.getConstantIndex())
      return getSizeOrigin(dim.getSource(), *number);
  return {value, -1, std::nullopt};
}

/// Position `dim` of a result of a gate: an operand and its dimension.
static std::pair<Value, int64_t> gateSizeSource(GateOp gate, int64_t dim) {
  int64_t rank = gate.getResultType().getRank();
  bool rows = dim == 0;
  auto rankOf = [](Value v) { return cast<RankedTensorType>(v.getType()).getRank(); };
  for (auto [a, w] : gate.getDots())
    return rows ? std::pair(a, int64_t(0)) : std::pair(w, rank - 1);
  for (auto [s, p] : gate.getScales())
    return {s, rows ? 0 : rankOf(s) - 1};
  for (Value addend : gate.getAddends())
    if (rankOf(addend) == rank)
      return {addend, dim};
  return {};
}

SizeOrigin lstm::getSizeOrigin(Value value, int64_t dim) {
  while (true) {
    auto type = cast<RankedTensorType>(value.getType());
    if (!type.isDynamicDim(dim))
      return {Value(), -1, type.getDimSize(dim)};
    if (auto arg = dyn_cast<BlockArgument>(value)) {
      auto recurrence = dyn_cast<RecurrenceOp>(arg.getOwner()->getParentOp());
      if (!recurrence)
        return {value, dim, std::nullopt};
      unsigned number = arg.getArgNumber(), sequences = recurrence.getSequences().size();
      if (number < sequences) {
        value = recurrence.getSequences()[number];
        ++dim;
      } else {
        value = recurrence.getInitArgs()[number - sequences];
      }
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (auto gate = dyn_cast<GateOp>(op)) {
      auto [source, sourceDim] = gateSizeSource(gate, dim);
      if (!source)
        return {value, dim, std::nullopt};
      value = source;
      dim = sourceDim;
    } else if (auto recurrence = dyn_cast<RecurrenceOp>(op)) {
      unsigned number = cast<OpResult>(value).getResultNumber(), outs = recurrence.getOuts().size();
      value = number < outs ? recurrence.getOuts()[number] : recurrence.getInitArgs()[number - outs];
    } else if (auto cell = dyn_cast<CellOp>(op)) {
      value = value == cell.getNextState() ? cell.getState() : cell.getCell();
    } else if (isa<GRUCellOp>(op)) {
      value = cast<GRUCellOp>(op).getState();
    } else if (isa<RNNCellOp>(op)) {
      value = cast<RNNCellOp>(op).getState();
    } else if (auto dps = dyn_cast<DestinationStyleOpInterface>(op)) {
      value = dps.getTiedOpOperand(cast<OpResult>(value))->get();
    } else if (auto empty = dyn_cast<tensor::EmptyOp>(op)) {
      return getSizeOrigin(OpFoldResult(empty.getDynamicSize(dim)));
    } else if (auto splat = dyn_cast<tensor::SplatOp>(op)) {
      return getSizeOrigin(OpFoldResult(splat.getDynamicSizes()[type.getDynamicDimIndex(dim)]));
    } else if (isa<tensor::CastOp>(op)) {
      value = op->getOperand(0);
    } else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
      return getSizeOrigin(expand.getMixedOutputShape()[dim]);
    } else if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
      ReassociationIndices group = collapse.getReassociationIndices()[dim];
      if (group.size() != 1)
        return {value, dim, std::nullopt};
      value = collapse.getSrc();
      dim = group[0];
    } else if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
      // Dimensions that the result has lost do not count.
      llvm::SmallBitVector dropped = slice.getDroppedDims();
      int64_t sourceDim = -1, left = dim + 1;
      for (int64_t i = 0, e = slice.getSourceType().getRank(); i < e && left; ++i)
        if (!dropped[i]) {
          sourceDim = i;
          --left;
        }
      return getSizeOrigin(slice.getMixedSizes()[sourceDim]);
    } else if (op->hasTrait<OpTrait::Elementwise>() || op->hasTrait<OpTrait::SameOperandsAndResultShape>()) {
      auto shaped = llvm::find_if(op->getOperands(), [&](Value v) {
        auto operandType = dyn_cast<RankedTensorType>(v.getType());
        return operandType && operandType.getRank() == type.getRank();
      });
      if (shaped == op->getOperands().end())
        return {value, dim, std::nullopt};
      value = *shaped;
    } else {
      return {value, dim, std::nullopt};
    }
  }
}

OpFoldResult lstm::getSize(OpBuilder &builder, Location loc, Value value, int64_t dim) {
  SizeOrigin origin = getSizeOrigin(value, dim);
  if (origin.constant)
    return builder.getIndexAttr(*origin.constant);
  if (origin.dim < 0)
    return origin.root;
  return tensor::getMixedSize(builder, loc, origin.root, origin.dim);
}

bool lstm::dropsDim(tensor::ExtractSliceOp slice, int64_t dim) {
  return slice.getType().getRank() + 1 == slice.getSourceType().getRank() && slice.getStaticSizes()[dim] == 1;
}

SmallVector<OpFoldResult> lstm::getSizes(OpBuilder &builder, Location loc, Value value) {
  SmallVector<OpFoldResult> sizes;
  for (int64_t i = 0, rank = cast<RankedTensorType>(value.getType()).getRank(); i < rank; ++i)
    sizes.push_back(getSize(builder, loc, value, i));
  return sizes;
}

//===----------------------------------------------------------------------===//
// Changing a recurrence
//===----------------------------------------------------------------------===//

RecurrenceOp lstm::appendSequences(RewriterBase &rewriter, RecurrenceOp op, ValueRange sequences,
                                   ArrayRef<bool> reversed) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  SmallVector<Value> all(op.getSequences());
  llvm::append_range(all, sequences);
  SmallVector<bool> flags(op.getReversed());
  flags.insert(flags.begin() + op.getSequences().size(), reversed.begin(), reversed.end());
  // The number of steps follows from a sequence as soon as there is one.
  auto result = RecurrenceOp::create(rewriter, op.getLoc(), all, op.getInitArgs(), op.getLengths(),
                                     Value(), op.getOuts(), flags, op.getUnmasked());
  result->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  Block *to = result.getBodyBlock();
  SmallVector<Value> args(to->getArguments().take_front(op.getSequences().size()));
  llvm::append_range(args, to->getArguments().drop_front(all.size()));
  rewriter.mergeBlocks(op.getBodyBlock(), to, args);
  rewriter.replaceOp(op, result.getResults());
  return result;
}
