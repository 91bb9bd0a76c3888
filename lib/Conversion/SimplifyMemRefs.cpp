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
#include "mlir/Dialect/MemRef/IR/MemRef.h"
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
      }
    });
  }
};
} // namespace
