//===- ChunkProjections.cpp - Hoisted projections a few steps at a time ----===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryRoots.h"
#include "TimeAccesses.h"
#include "lstm/Conversion/Passes.h"
#include "lstm/Dialect/LSTM/IR/LSTM.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::lstm {
#define GEN_PASS_DEF_LSTMCHUNKPROJECTIONSPASS
#include "lstm/Conversion/Passes.h.inc"
} // namespace mlir::lstm

using namespace mlir;
using namespace mlir::lstm;

namespace {
/// A projection of all steps, and the loop that reads it step by step.
struct Projection {
  PhaseOp phase;
  memref::AllocOp buffer;
  memref::DeallocOp dealloc;
  /// `[T * B, N]` as `[T, B, ...]`.
  memref::ExpandShapeOp expanded;
  memref::SubViewOp step;
  scf::ForOp loop;
  /// Whether step t of the loop reads row T - 1 - t.
  bool reversed = false;
};
} // namespace

/// Says why the projection of a loop stays whole: its memory grows with the steps.
static std::nullopt_t refuse(PhaseOp phase, StringRef reason) {
  remark::missed(phase.getLoc(),
                 remark::RemarkOpts::name("NotChunked").category("lstm-chunk-projections"))
      << reason;
  return std::nullopt;
}

/// The loop that `phase` serves, if it is a projection of all of its steps.
static std::optional<Projection> match(PhaseOp phase) {
  if (phase->getNumResults() != 0 || phase.getOuts().size() != 1 || phase.getWeights().empty())
    return std::nullopt;
  Projection found;
  found.phase = phase;
  found.buffer = phase.getOuts().front().getDefiningOp<memref::AllocOp>();
  if (!found.buffer || found.buffer->getBlock() != phase->getBlock())
    return std::nullopt;
  for (Operation *user : found.buffer->getUsers()) {
    if (auto dealloc = dyn_cast<memref::DeallocOp>(user); dealloc && !found.dealloc)
      found.dealloc = dealloc;
    else if (auto expanded = dyn_cast<memref::ExpandShapeOp>(user); expanded && !found.expanded)
      found.expanded = expanded;
    else if (user != phase)
      return std::nullopt;
  }
  if (!found.expanded || found.expanded.getReassociationIndices().front() != ReassociationIndices{0, 1})
    return std::nullopt;
  for (Operation *user : found.expanded->getUsers()) {
    if (auto dim = dyn_cast<memref::DimOp>(user); dim && dim.getConstantIndex())
      continue;
    auto view = dyn_cast<memref::SubViewOp>(user);
    if (!view || found.step || !isStep(view))
      return refuse(phase, "its result is read otherwise than once, step by step");
    found.step = view;
  }
  if (!found.step)
    return std::nullopt;
  // The chunk's rows have another stride.
  if (!llvm::all_of(found.step->getUsers(), llvm::IsaPred<PhaseOp, linalg::LinalgOp, memref::DimOp>))
    return refuse(phase, "its result is read by other than phases and linalg operations");
  found.loop = dyn_cast<scf::ForOp>(found.step->getParentOp());
  if (!found.loop || found.loop->getBlock() != phase->getBlock() || !phase->isBeforeInBlock(found.loop) ||
      found.loop.getNumResults() != 0 || getConstantIntValue(found.loop.getLowerBound()) != 0 ||
      getConstantIntValue(found.loop.getStep()) != 1)
    return refuse(phase, "its result is read by other than a time loop that follows it");
  OpFoldResult index = found.step.getMixedOffsets().front();
  found.reversed = isCountOf(found.loop, index, /*reversed=*/true);
  if (!found.reversed && !isCountOf(found.loop, index, /*reversed=*/false))
    return refuse(phase, "the loop that reads its result does not count through the steps");

  // Nothing that the phase reads may change before the loop ends.
  Accesses later;
  for (Operation *op = phase->getNextNode(); op != found.loop->getNextNode(); op = op->getNextNode())
    later.add(Accesses(op));
  for (OpOperand &operand : phase->getOpOperands())
    if (isa<MemRefType>(operand.get().getType()) && !phase.isDpsInit(&operand) && later.mayWrite(operand.get()))
      return refuse(phase, "what it reads may be written before the loop that reads its result ends");
  return found;
}

namespace {
/// Rewrites the projections of one loop.
class Chunker {
public:
  Chunker(RewriterBase &b, scf::ForOp loop, ArrayRef<Projection> projections)
      : b(b), loc(loop.getLoc()), loop(loop), projections(projections) {}
  void run(int64_t minRows);

private:
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  Value minimum(Value l, Value r) { return b.createOrFold<arith::MinSIOp>(loc, l, r); }
  Value maximum(Value l, Value r) { return b.createOrFold<arith::MaxSIOp>(loc, l, r); }
  Value sub(Value l, Value r) { return b.createOrFold<arith::SubIOp>(loc, l, r); }
  Value mul(Value l, Value r) { return b.createOrFold<arith::MulIOp>(loc, l, r); }
  /// Size of dimension `dim` of the projection as `[T, B, ...]`.
  Value sizeOf(Projection projection, int64_t dim) {
    return getValueOrCreateConstantIndexOp(b, loc, projection.expanded.getMixedOutputShape()[dim]);
  }

  RewriterBase &b;
  Location loc;
  scf::ForOp loop;
  ArrayRef<Projection> projections;
};
} // namespace

void Chunker::run(int64_t minRows) {
  // All that the chunks need stands before the loop.
  b.setInsertionPoint(loop);
  Value steps = loop.getUpperBound();
  Value batch = maximum(sizeOf(projections.front(), 1), index(1));
  Value wanted = b.createOrFold<arith::CeilDivSIOp>(loc, index(minRows), batch);
  Value chunk = maximum(minimum(wanted, steps), index(1));
  SmallVector<Value> buffers, views;
  for (Projection projection : projections) {
    Value rows = mul(chunk, sizeOf(projection, 1));
    MemRefType type = projection.buffer.getType();
    auto staticRows = getConstantIntValue(rows);
    SmallVector<int64_t> shape(type.getShape());
    shape[0] = staticRows.value_or(ShapedType::kDynamic);
    SmallVector<Value> sizes;
    if (!staticRows)
      sizes.push_back(rows);
    // Rows a power of two apart would share a few sets of the cache.
    int64_t padding = llvm::divideCeil(64 * 8, type.getElementTypeBitWidth());
    OpFoldResult width = b.getIndexAttr(type.getDimSize(1));
    if (type.isDynamicDim(1)) {
      Value size = projection.buffer.getDynamicSizes().back();
      width = size;
      sizes.push_back(arith::AddIOp::create(b, loc, size, index(padding)));
    } else {
      shape[1] += padding;
    }
    MemRefType chunkType = MemRefType::Builder(type).setShape(shape);
    buffers.push_back(
        memref::AllocOp::create(b, loc, chunkType, sizes, projection.buffer.getAlignmentAttr()));
    OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
    SmallVector<OpFoldResult> offsets = {zero, zero}, strides = {one, one};
    SmallVector<OpFoldResult> extents = {getAsOpFoldResult(rows), width};
    views.push_back(memref::SubViewOp::create(b, loc, buffers.back(), offsets, extents, strides));
  }

  // The loop over chunks, with that over its steps inside.
  auto chunks = scf::ForOp::create(b, loc, index(0), steps, chunk);
  chunks->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  b.moveOpBefore(loop, chunks.getBody()->getTerminator());
  b.setInsertionPoint(loop);
  Value first = chunks.getInductionVar();
  Value count = minimum(chunk, sub(steps, first));
  Value end = arith::AddIOp::create(b, loc, first, count);
  Value backwards = sub(steps, end);
  b.modifyOpInPlace(loop, [&] {
    loop.setLowerBound(first);
    loop.setUpperBound(end);
  });
  for (auto [i, projection] : llvm::enumerate(SmallVector<Projection>(projections))) {
    Value buffer = buffers[i], view = views[i];
    b.setInsertionPoint(loop);
    PhaseOp phase = projection.phase;
    SmallVector<OpFoldResult> sizes = projection.expanded.getMixedOutputShape();
    ArrayRef<OpFoldResult> allSizes(sizes);
    Value size = sizeOf(projection, 1);
    Value firstRow = mul(projection.reversed ? backwards : first, size), rows = mul(count, size);
    SmallVector<Value> states, inputs;
    for (Value state : phase.getStates())
      states.push_back(sliceRows(b, loc, state, firstRow, rows));
    for (auto [input, axes] : llvm::zip_equal(phase.getInputs(), phase.getAxes()))
      inputs.push_back(axes & kRow ? sliceRows(b, loc, input, firstRow, rows) : input);
    Value out = sliceRows(b, loc, view, index(0), rows);
    auto part = PhaseOp::create(b, phase.getLoc(), states, phase.getWeights(), inputs, phase.getAxes(), out);
    part->setDiscardableAttrs(phase->getDiscardableAttrDictionary());
    b.inlineRegionBefore(phase.getBody(), part.getBody(), part.getBody().end());

    // The step's part of the buffer, [C, B, ...].
    b.setInsertionPoint(projection.step);
    Value step = sub(loop.getInductionVar(), first);
    Value slot = projection.reversed ? sub(sub(count, index(1)), step) : step;
    Value own = sliceRows(b, loc, view, mul(slot, size), size);
    SmallVector<ReassociationIndices> groups = projection.expanded.getReassociationIndices();
    groups.front() = {0};
    for (ReassociationIndices &group : MutableArrayRef(groups).drop_front())
      for (int64_t &dim : group)
        --dim;
    ArrayRef<OpFoldResult> shape = allSizes.drop_front();
    SmallVector<int64_t> staticShape;
    SmallVector<Value> dynamicShape;
    dispatchIndexOpFoldResults(shape, dynamicShape, staticShape);
    FailureOr<MemRefType> expandedType =
        memref::ExpandShapeOp::computeExpandedType(cast<MemRefType>(own.getType()), staticShape, groups);
    assert(succeeded(expandedType) && "rows are contiguous");
    Value expanded = memref::ExpandShapeOp::create(b, loc, *expandedType, own, groups, shape);
    b.replaceOp(projection.step, expanded);

    // The old one goes.
    for (Operation *user : llvm::make_early_inc_range(projection.expanded->getUsers())) {
      auto dim = cast<memref::DimOp>(user);
      b.setInsertionPoint(dim);
      b.replaceOp(dim, sizeOf(projection, *dim.getConstantIndex()));
    }
    b.eraseOp(projection.expanded);
    b.eraseOp(phase);
    if (projection.dealloc)
      b.eraseOp(projection.dealloc);
    b.eraseOp(projection.buffer);
    b.setInsertionPointAfter(chunks);
    memref::DeallocOp::create(b, loc, buffer);
  }
}

namespace {
struct LSTMChunkProjectionsPass : lstm::impl::LSTMChunkProjectionsPassBase<LSTMChunkProjectionsPass> {
  using LSTMChunkProjectionsPassBase::LSTMChunkProjectionsPassBase;

  void runOnOperation() override {
    llvm::MapVector<Operation *, SmallVector<Projection>> projectionsOf;
    getOperation()->walk([&](PhaseOp phase) {
      if (std::optional<Projection> projection = match(phase))
        projectionsOf[projection->loop].push_back(*projection);
    });
    IRRewriter rewriter(&getContext());
    for (auto &[loop, projections] : projectionsOf) {
      Chunker(rewriter, cast<scf::ForOp>(loop), projections).run(rows);
      numChunked += projections.size();
    }
  }
};
} // namespace
