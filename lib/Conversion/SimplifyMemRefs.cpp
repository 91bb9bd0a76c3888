//===- SimplifyMemRefs.cpp - Copies and shapes on memrefs ------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/Conversion/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::lstm {
#define GEN_PASS_DEF_LSTMSIMPLIFYMEMREFSPASS
#include "lstm/Conversion/Passes.h.inc"
} // namespace mlir::lstm

using namespace mlir;
using namespace mlir::lstm;

/// Replaces `op`, whose result has a layout of strides.
static void expand(RewriterBase &rewriter, memref::ExpandShapeOp op) {
  Location loc = op.getLoc();
  MemRefType type = op.getResultType();
  auto [staticStrides, staticOffset] = type.getStridesAndOffset();
  auto metadata = memref::ExtractStridedMetadataOp::create(rewriter, loc, op.getSrc());
  SmallVector<OpFoldResult> sizes = op.getMixedOutputShape(), strides(type.getRank());
  AffineExpr product = rewriter.getAffineSymbolExpr(0) * rewriter.getAffineSymbolExpr(1);
  for (auto [dim, group] : llvm::enumerate(op.getReassociationIndices())) {
    OpFoldResult stride = metadata.getStrides()[dim];
    for (int64_t i : llvm::reverse(group)) {
      // What the type knows must stand in the operation.
      strides[i] = ShapedType::isDynamic(staticStrides[i])
                       ? stride
                       : OpFoldResult(rewriter.getIndexAttr(staticStrides[i]));
      if (i != group.front())
        stride = affine::makeComposedFoldedAffineApply(rewriter, loc, product,
                                                       {strides[i], sizes[i]});
    }
  }
  OpFoldResult offset = ShapedType::isDynamic(staticOffset)
                            ? OpFoldResult(metadata.getOffset())
                            : OpFoldResult(rewriter.getIndexAttr(staticOffset));
  rewriter.replaceOpWithNewOp<memref::ReinterpretCastOp>(op, type, metadata.getBaseBuffer(),
                                                         offset, sizes, strides);
}

/// Whether a group of the source's dimensions holds several dynamic sizes.
static bool expandsSeveral(memref::ExpandShapeOp op) {
  ArrayRef<int64_t> shape = op.getResultType().getShape();
  return llvm::any_of(op.getReassociationIndices(), [&](ArrayRef<int64_t> group) {
    return llvm::count_if(group, [&](int64_t i) { return ShapedType::isDynamic(shape[i]); }) > 1;
  });
}

/// Whether a copy from or to `v` can be that of one piece of memory.
static bool isContiguous(Value v) {
  auto type = dyn_cast<MemRefType>(v.getType());
  return !type || type.getLayout().isIdentity() ||
         memref::isStaticShapeAndContiguousRowMajor(type);
}

/// Whether `type` has elements of a floating-point type that back ends may lack.
static bool hasNarrowFloats(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isBF16() || element.isF16();
}

/// The same memory, or bits, as i16.
static Value viewAsIntegers(RewriterBase &rewriter, Location loc, Value value) {
  Type i16 = rewriter.getI16Type(), type = value.getType();
  Type view = i16;
  if (auto memref = dyn_cast<MemRefType>(type))
    view = MemRefType(MemRefType::Builder(memref).setElementType(i16));
  else if (auto vector = dyn_cast<VectorType>(type))
    view = vector.clone(i16);
  return arith::BitcastOp::create(rewriter, loc, view, value);
}

/// A transfer of narrow floats as one of i16.
static void transferIntegers(RewriterBase &rewriter, VectorTransferOpInterface op) {
  Location loc = op.getLoc();
  Value memory = viewAsIntegers(rewriter, loc, op.getBase());
  AffineMapAttr map = AffineMapAttr::get(op.getPermutationMap());
  if (auto read = dyn_cast<vector::TransferReadOp>(op.getOperation())) {
    VectorType type = read.getVectorType();
    Value padding = viewAsIntegers(rewriter, loc, read.getPadding());
    Value integers = vector::TransferReadOp::create(
        rewriter, loc, type.clone(rewriter.getI16Type()), memory, op.getIndices(), map, padding,
        op.getMask(), op.getInBounds());
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, type, integers);
    return;
  }
  auto write = cast<vector::TransferWriteOp>(op.getOperation());
  Value integers = viewAsIntegers(rewriter, loc, write.getVector());
  vector::TransferWriteOp::create(rewriter, loc, /*result=*/Type(), integers, memory,
                                  op.getIndices(), map, op.getMask(), op.getInBounds());
  rewriter.eraseOp(op);
}

namespace {
struct LSTMSimplifyMemRefsPass
    : public lstm::impl::LSTMSimplifyMemRefsPassBase<LSTMSimplifyMemRefsPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](Operation *op) {
      rewriter.setInsertionPoint(op);
      if (auto expansion = dyn_cast<memref::ExpandShapeOp>(op)) {
        if (expandsSeveral(expansion) && expansion.getResultType().isStrided())
          expand(rewriter, expansion);
      } else if (auto copy = dyn_cast<memref::CopyOp>(op)) {
        if (!isContiguous(copy.getSource()) || !isContiguous(copy.getTarget()))
          rewriter.replaceOpWithNewOp<linalg::CopyOp>(copy, copy.getSource(), copy.getTarget());
      } else if (auto transfer = dyn_cast<VectorTransferOpInterface>(op)) {
        if (isa<MemRefType>(transfer.getShapedType()) && hasNarrowFloats(transfer.getShapedType()))
          transferIntegers(rewriter, transfer);
      }
    });
  }
};
} // namespace
