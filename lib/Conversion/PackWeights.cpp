//===- PackWeights.cpp - Weights in the order in which tiles read them -----===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `[k, G, units]` becomes `[ceil(units / u), G / g, k, g, u]`: what one tile of a
// phase reads is one contiguous piece, in the order of k, and ends in zeros where
// there are no more units.
//
//===----------------------------------------------------------------------===//

#include "lstm/Conversion/PackWeights.h"
#include "PhaseTile.h"
#include "lstm/Conversion/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace mlir::lstm {
#define GEN_PASS_DEF_LSTMPACKWEIGHTSPASS
#define GEN_PASS_DEF_LSTMLOWERPACKSPASS
#include "lstm/Conversion/Passes.h.inc"
} // namespace mlir::lstm

using namespace mlir;
using namespace mlir::lstm;

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

static constexpr int64_t innerDims[] = {1, 2};
static constexpr int64_t outerPermutation[] = {2, 1, 0};

static Value createPack(RewriterBase &rewriter, Location loc, Value weight, const PhaseTile &tile) {
  Type element = getElementTypeOrSelf(weight);
  SmallVector<OpFoldResult> tiles = {rewriter.getIndexAttr(tile.gates),
                                     rewriter.getIndexAttr(tile.getUnits())};
  SmallVector<OpFoldResult> shape = linalg::PackOp::getResultShape(
      rewriter, loc, tensor::getMixedSizes(rewriter, loc, weight), tiles, innerDims, outerPermutation);
  Value empty = tensor::EmptyOp::create(rewriter, loc, shape, element);
  Value zero = arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(element));
  return linalg::PackOp::create(rewriter, loc, weight, empty, innerDims, tiles, zero, outerPermutation)
      ->getResult(0);
}

/// Whether the rows of `phase`, which stands in no loop, are too few to make up for
/// a copy of its weights.
static bool hasFewRows(PhaseOp phase, int64_t tileRows) {
  int64_t rows = cast<ShapedType>(phase.getOuts().front().getType()).getDimSize(0);
  return !ShapedType::isDynamic(rows) && rows <= tileRows;
}

/// Says why a phase reads its weights as they are.
static LogicalResult refuse(Location loc, StringRef reason) {
  remark::missed(loc, remark::RemarkOpts::name("NotPacked").category("lstm-pack-weights")) << reason;
  return failure();
}

LogicalResult lstm::packWeights(RewriterBase &rewriter, PhaseOp phase, int64_t vectorBits) {
  auto isPlainFloat = [](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && type.getRank() <= 3 && isa<FloatType>(type.getElementType());
  };
  if (phase.getWeights().empty() || !llvm::all_of(phase.getWeights(), isPlainFloat))
    return rewriter.notifyMatchFailure(phase, "has no weights that are plain");
  if (auto found = findNotVectorizable(phase))
    return refuse(found->first, found->second);
  VectorTarget target = VectorTarget::getHost();
  if (vectorBits > 0)
    target.bits = vectorBits;
  PhaseTile tile = PhaseTile::get(phase, target);

  // The outermost loop: everything that it repeats uses the packed weights.
  Operation *outermost = nullptr;
  for (Operation *parent = phase->getParentOp(); parent; parent = parent->getParentOp())
    if (isa<LoopLikeOpInterface, ScanOp>(parent))
      outermost = parent;
  if (!outermost && hasFewRows(phase, tile.rows))
    return rewriter.notifyMatchFailure(phase, "has too few rows");
  if (outermost)
    for (Value weight : phase.getWeights())
      if (outermost->isAncestor(weight.getParentRegion()->getParentOp()))
        return refuse(phase.getLoc(), "its weights are made in the loop that it stands in");

  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(outermost ? outermost : phase.getOperation());
  for (OpOperand &weight : phase.getWeightsMutable()) {
    Value packed = createPack(rewriter, phase.getLoc(), weight.get(), tile);
    rewriter.modifyOpInPlace(phase, [&] { weight.set(packed); });
  }
  return success();
}

int64_t lstm::packWeights(RewriterBase &rewriter, Operation *root, int64_t vectorBits) {
  SmallVector<PhaseOp> phases;
  root->walk([&](PhaseOp phase) { phases.push_back(phase); });
  return llvm::count_if(
      phases, [&](PhaseOp phase) { return succeeded(packWeights(rewriter, phase, vectorBits)); });
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

LogicalResult lstm::lowerPack(RewriterBase &b, linalg::PackOp pack) {
  auto sourceType = dyn_cast<RankedTensorType>(pack.getSource().getType());
  auto destType = dyn_cast<RankedTensorType>(pack.getDest().getType());
  if (!sourceType || !destType || sourceType.getRank() != 3 || destType.getRank() != 5 ||
      pack.getInnerDimsPos() != ArrayRef(innerDims) || pack.getOuterDimsPerm() != ArrayRef(outerPermutation) ||
      destType.isDynamicDim(3) || destType.isDynamicDim(4))
    return b.notifyMatchFailure(pack, "is not how weights are packed");

  Location loc = pack.getLoc();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(pack);
  Value source = pack.getSource(), dest = pack.getDest(), padding = pack.getPaddingValue();
  Type element = sourceType.getElementType();
  // Canonicalized away where nothing is padded.
  if (!padding)
    padding = arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
  int64_t gates = destType.getDimSize(3), units = destType.getDimSize(4);
  bool isWhole = !sourceType.isDynamicDim(2) && sourceType.getDimSize(2) % units == 0;
  auto type = VectorType::get(units, element);
  auto index = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(b, loc, value); };
  auto apply = [&](AffineExpr expr, ValueRange operands) -> Value {
    return affine::makeComposedAffineApply(b, loc, AffineMap::get(operands.size(), 0, expr),
                                           llvm::to_vector_of<OpFoldResult>(operands));
  };
  AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
  Value zero = index(0), one = index(1);
  SmallVector<Value> extents;
  for (int64_t dim : {0, 1, 2})
    extents.push_back(tensor::DimOp::create(b, loc, dest, dim));
  extents.push_back(index(gates));
  SmallVector<Value> zeros(4, zero), ones(4, one);
  scf::LoopNest nest = scf::buildLoopNest(
      b, loc, zeros, extents, ones, dest,
      [&](OpBuilder &b, Location loc, ValueRange ivs, ValueRange carried) -> scf::ValueVector {
        Value block = ivs[0], group = ivs[1], k = ivs[2], gate = ivs[3];
        SmallVector<Value> from = {k, apply(d0 * gates + d1, {group, gate}), apply(d0 * units, {block})};
        SmallVector<Value> to(ivs);
        to.push_back(zero);
        Value read = vector::TransferReadOp::create(b, loc, type, source, from, padding, ArrayRef<bool>{isWhole});
        auto write = vector::TransferWriteOp::create(b, loc, read, carried.front(), to, ArrayRef<bool>{true});
        return {write->getResult(0)};
      });
  b.replaceOp(pack, nest.results.front());
  return success();
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

namespace {
struct LSTMPackWeightsPass : lstm::impl::LSTMPackWeightsPassBase<LSTMPackWeightsPass> {
  using LSTMPackWeightsPassBase::LSTMPackWeightsPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    numPacked += packWeights(rewriter, getOperation(), vectorBits);
  }
};

struct LSTMLowerPacksPass : lstm::impl::LSTMLowerPacksPassBase<LSTMLowerPacksPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::PackOp> packs;
    getOperation()->walk([&](linalg::PackOp pack) { packs.push_back(pack); });
    for (linalg::PackOp pack : packs)
      (void)lowerPack(rewriter, pack);
  }
};
} // namespace
