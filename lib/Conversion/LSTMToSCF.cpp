//===- LSTMToSCF.cpp - Scans on memrefs to scf.for -------------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/Conversion/Passes.h"
#include "lstm/Dialect/LSTM/IR/LSTM.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::lstm {
#define GEN_PASS_DEF_CONVERTLSTMTOSCFPASS
#include "lstm/Conversion/Passes.h.inc"
} // namespace mlir::lstm

using namespace mlir;
using namespace mlir::lstm;

/// v[index, ...] of the given type.
static Value slice(OpBuilder &b, Location loc, Value v, MemRefType type, Value index,
                   ArrayRef<OpFoldResult> sizes) {
  if (llvm::is_contained(type.getShape(), 0)) {
    // Upstream verifies that a slice starts inside of what it is a slice of, and
    // here nothing is inside. Nothing is read or written either.
    auto [strides, offset] = type.getStridesAndOffset();
    auto known = [&](int64_t value) -> OpFoldResult {
      if (!ShapedType::isDynamic(value))
        return b.getIndexAttr(value);
      return arith::ConstantIndexOp::create(b, loc, 0).getResult();
    };
    return memref::ReinterpretCastOp::create(b, loc, type, v, known(offset), sizes.drop_front(),
                                             llvm::map_to_vector(strides, known));
  }
  SmallVector<OpFoldResult> extents(sizes), strides(sizes.size(), b.getIndexAttr(1));
  SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0));
  offsets[0] = index;
  extents[0] = b.getIndexAttr(1);
  return memref::SubViewOp::create(b, loc, type, v, offsets, extents, strides);
}

static LogicalResult lowerScan(RewriterBase &rewriter, ScanOp scan) {
  if (scan->getNumResults())
    return scan.emitOpError("expects memrefs: bufferize first");
  Location loc = scan.getLoc();
  rewriter.setInsertionPoint(scan);
  AffineExpr d0 = rewriter.getAffineDimExpr(0), d1 = rewriter.getAffineDimExpr(1);
  auto apply = [&](AffineExpr expr, ValueRange operands) -> Value {
    return affine::AffineApplyOp::create(rewriter, loc, AffineMap::get(operands.size(), 0, expr),
                                         operands);
  };
  SmallVector<ScanOp::Source> sources = scan.getSources();
  SmallVector<SmallVector<OpFoldResult>> sizes;
  for (ScanOp::Source &source : sources)
    sizes.push_back(source.isWhole() ? SmallVector<OpFoldResult>()
                                     : memref::getMixedSizes(rewriter, loc, source.operand));
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  auto loop = scf::ForOp::create(rewriter, loc, zero, scan.getSteps(), one);
  loop->setDiscardableAttrs(scan->getDiscardableAttrDictionary());

  rewriter.setInsertionPointToStart(loop.getBody());
  Value count = loop.getInductionVar(), backwards, read, write;
  SmallVector<Value> args = {count};
  for (auto [source, size] : llvm::zip(sources, sizes)) {
    Value index = count;
    switch (source.kind) {
    case ScanOp::Source::StateInPlace:
      args.push_back(source.operand);
      continue;
    case ScanOp::Source::StateRead:
      index = read = read ? read : apply(d0 % 2, {count});
      break;
    case ScanOp::Source::StateWrite:
      index = write = write ? write : apply((d0 + 1) % 2, {count});
      break;
    case ScanOp::Source::Sequence:
    case ScanOp::Source::Output:
      if (source.reversed)
        index = backwards = backwards ? backwards : apply(d1 - d0 - 1, {count, scan.getSteps()});
      break;
    }
    auto type = cast<MemRefType>(scan.getBody().getArgument(args.size()).getType());
    args.push_back(slice(rewriter, loc, source.operand, type, index, size));
  }
  rewriter.eraseOp(scan.getBodyBlock()->getTerminator());
  rewriter.inlineBlockBefore(scan.getBodyBlock(), loop.getBody()->getTerminator(), args);
  rewriter.eraseOp(scan);
  return success();
}

namespace {
struct ConvertLSTMToSCFPass : public lstm::impl::ConvertLSTMToSCFPassBase<ConvertLSTMToSCFPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<ScanOp> ops;
    getOperation()->walk([&](ScanOp op) { ops.push_back(op); });
    for (ScanOp op : ops)
      if (failed(lowerScan(rewriter, op)))
        return signalPassFailure();
  }
};
} // namespace
