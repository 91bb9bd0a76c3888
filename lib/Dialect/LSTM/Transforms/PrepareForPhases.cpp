//===- PrepareForPhases.cpp - Makes a body ready for phases -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PrepareForPhases.h"

#include "ScalarBuilder.h"
#include "lstm/Dialect/LSTM/Transforms/BodyUtils.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"

using namespace mlir;
using namespace mlir::lstm;

using ValuePair = std::pair<Value, Value>;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// The last two dimensions of `value` as one.
static Value collapseGates(OpBuilder &b, Location loc, Value value) {
  SmallVector<ReassociationIndices> groups;
  int64_t rank = typeOf(value).getRank();
  for (int64_t i = 0; i < rank - 2; ++i)
    groups.push_back({i});
  groups.push_back({rank - 2, rank - 1});
  return tensor::CollapseShapeOp::create(b, loc, value, groups);
}

/// The sizes of `value`, static where its type says so.
static SmallVector<OpFoldResult> getTypedSizes(OpBuilder &b, Value value) {
  SmallVector<OpFoldResult> sizes = getSizes(b, value.getLoc(), value);
  for (auto [i, size] : llvm::enumerate(sizes))
    if (typeOf(value).isDynamicDim(i))
      size = getValueOrCreateConstantIndexOp(b, value.getLoc(), size);
  return sizes;
}

FailureOr<Value> lstm::widenGate(RewriterBase &rewriter, GateOp gate) {
  RankedTensorType type = gate.getResultType();
  if (type.getRank() != 3 || !llvm::all_equal(gate.getActivations()) || !gate.getScaleLhs().empty() ||
      llvm::any_of(gate.getAddends(), [](Value v) { return typeOf(v).getRank() < 2; }))
    return rewriter.notifyMatchFailure(gate, "has no form as a matrix");
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(gate);
  Location loc = gate.getLoc();
  SmallVector<OpFoldResult> sizes = getTypedSizes(rewriter, gate.getResult());
  SmallVector<ValuePair> dots;
  SmallVector<Value> addends;
  for (auto [a, w] : gate.getDots())
    dots.push_back({a, collapseGates(rewriter, loc, w)});
  for (Value addend : gate.getAddends())
    addends.push_back(collapseGates(rewriter, loc, addend));
  int64_t units = type.isDynamicDim(2) ? ShapedType::kDynamic : type.getDimSize(1) * type.getDimSize(2);
  auto wideType = RankedTensorType::get({type.getDimSize(0), units}, type.getElementType());
  Value wide = GateOp::create(rewriter, loc, wideType, gate.getActivation(), dots, ArrayRef<ValuePair>(),
                              addends, gate.getClipAttr());
  Value view = tensor::ExpandShapeOp::create(rewriter, loc, type, wide,
                                             ArrayRef<ReassociationIndices>{{0}, {1, 2}}, sizes);
  rewriter.replaceOp(gate, view);
  return view;
}

/// Offsets, sizes and strides of gate `g` of a value of these sizes.
static auto getGateSlice(OpBuilder &b, SmallVector<OpFoldResult> sizes, int64_t g) {
  SmallVector<OpFoldResult> offsets(3, b.getIndexAttr(0)), strides(3, b.getIndexAttr(1));
  offsets[1] = b.getIndexAttr(g);
  sizes[1] = b.getIndexAttr(1);
  return std::tuple(offsets, sizes, strides);
}

Value lstm::stackGates(OpBuilder &b, Value like, ValueRange gates) {
  SmallVector<OpFoldResult> sizes = getTypedSizes(b, like);
  SmallVector<Value> dynamic;
  SmallVector<int64_t> shape;
  dispatchIndexOpFoldResults(sizes, dynamic, shape);
  Value stack = tensor::EmptyOp::create(b, like.getLoc(), like.getType(), dynamic);
  for (auto [g, gate] : llvm::enumerate(gates)) {
    auto [offsets, gateSizes, strides] = getGateSlice(b, sizes, g);
    stack = tensor::InsertSliceOp::create(b, like.getLoc(), gate, stack, offsets, gateSizes, strides);
  }
  return stack;
}

/// A copy of `value` [B, G, H], put together from its gates.
static Value restack(OpBuilder &b, Value value) {
  RankedTensorType type = typeOf(value);
  SmallVector<OpFoldResult> sizes = getTypedSizes(b, value);
  auto part = RankedTensorType::get({type.getDimSize(0), type.getDimSize(2)}, type.getElementType());
  SmallVector<Value> gates;
  for (int64_t g = 0; g < type.getDimSize(1); ++g) {
    auto [offsets, gateSizes, strides] = getGateSlice(b, sizes, g);
    gates.push_back(tensor::ExtractSliceOp::create(b, value.getLoc(), part, value, offsets, gateSizes, strides));
  }
  return stackGates(b, value, gates);
}

/// Whether `user`, which stands in the body, needs `value` in memory.
static bool needsInMemory(Operation *user, Value value) {
  if (!isProduct(user) && !isScalarWork(user))
    return true;
  return llvm::is_contained(getMaterialOperands(user), value);
}

void lstm::prepareForPhases(RewriterBase &rewriter, RecurrenceOp op) {
  OpBuilder::InsertionGuard guard(rewriter);
  Block *body = op.getBodyBlock();
  body->walk([&](tensor::DimOp dim) {
    std::optional<int64_t> number = dim.getConstantIndex();
    if (!number || !isa<RankedTensorType>(dim.getSource().getType()))
      return;
    SizeOrigin origin = getSizeOrigin(dim.getSource(), *number);
    if (origin.constant || isDefinedOutside(origin.root, op)) {
      rewriter.setInsertionPoint(op);
      OpFoldResult size = getSize(rewriter, dim.getLoc(), dim.getSource(), *number);
      rewriter.replaceOp(dim, getValueOrCreateConstantIndexOp(rewriter, dim.getLoc(), size));
    }
  });
  for (auto named : llvm::to_vector(body->getOps<linalg::LinalgOp>()))
    if (!isa<linalg::GenericOp, linalg::FillOp, linalg::BroadcastOp>(named) && linalg::isElementwise(named)) {
      rewriter.setInsertionPoint(named);
      (void)linalg::generalizeNamedOp(rewriter, named);
    }

  for (Operation &inner : llvm::make_early_inc_range(body->without_terminator())) {
    if (inner.getNumResults() != 1 || (!isProduct(&inner) && !isScalarWork(&inner)) ||
        typeOf(inner.getResult(0)).getRank() != 3)
      continue;
    Value value = inner.getResult(0);
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : value.getUses()) {
      Operation *user = body->findAncestorOpInBlock(*use.getOwner());
      if (user != use.getOwner() || needsInMemory(user, value))
        uses.push_back(&use);
    }
    if (uses.empty())
      continue;
    if (auto gate = dyn_cast<GateOp>(inner); gate && succeeded(widenGate(rewriter, gate)))
      continue;
    rewriter.setInsertionPointAfter(&inner);
    Value stack = restack(rewriter, value);
    for (OpOperand *use : uses)
      rewriter.modifyOpInPlace(use->getOwner(), [&] { use->set(stack); });
  }
}
