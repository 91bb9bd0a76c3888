//===- SplitGates.cpp - Gates of phases that are side by side ------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SplitGates.h"

#include "lstm/Dialect/LSTM/IR/LSTM.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::lstm;

/// The view [row, gate, unit] of rows [row, gates * units].
static memref::ExpandShapeOp getGatesView(Value rows) {
  for (Operation *user : rows.getUsers())
    if (auto expand = dyn_cast<memref::ExpandShapeOp>(user);
        expand && expand.getReassociationIndices() == SmallVector<ReassociationIndices>{{0}, {1, 2}} &&
        !ShapedType::isDynamic(expand.getResultType().getDimSize(1)) &&
        !ShapedType::isDynamic(expand.getResultType().getDimSize(2)))
      return expand;
  return {};
}

/// Sizes without an operation in the loop that asks a memref for them.
static SmallVector<OpFoldResult> getSizes(RewriterBase &rewriter, scf::ForOp loop, Value memref) {
  OpBuilder::InsertionGuard guard(rewriter);
  if (loop.isDefinedOutsideOfLoop(memref))
    rewriter.setInsertionPoint(loop);
  else if (auto slice = memref.getDefiningOp<memref::SubViewOp>()) {
    SmallVector<OpFoldResult> sizes;
    for (auto [dim, size] : llvm::enumerate(slice.getMixedSizes()))
      if (!slice.getDroppedDims().test(dim))
        sizes.push_back(size);
    return sizes;
  }
  return memref::getMixedSizes(rewriter, memref.getLoc(), memref);
}

/// Splits the last dimension of a memref into gates and units.
static Value expandGates(RewriterBase &rewriter, scf::ForOp loop, Value memref, int64_t gates, int64_t units) {
  auto type = cast<MemRefType>(memref.getType());
  int64_t rank = type.getRank();
  if (auto collapse = memref.getDefiningOp<memref::CollapseShapeOp>()) {
    ArrayRef<int64_t> shape = collapse.getSrcType().getShape();
    if (collapse.getSrcType().getRank() == rank + 1 && shape[rank - 1] == gates && shape[rank] == units)
      return collapse.getSrc();
  }
  SmallVector<OpFoldResult> sizes = getSizes(rewriter, loop, memref);
  SmallVector<int64_t> shape(type.getShape().drop_back());
  sizes.pop_back();
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0; dim < rank - 1; ++dim)
    groups.push_back({dim});
  groups.push_back({rank - 1, rank});
  for (int64_t size : {gates, units}) {
    shape.push_back(size);
    sizes.push_back(rewriter.getIndexAttr(size));
  }
  return memref::ExpandShapeOp::create(rewriter, memref.getLoc(), shape, memref, groups, sizes);
}

namespace {
class Splitter {
public:
  Splitter(RewriterBase &rewriter, scf::ForOp loop, PhaseOp phase)
      : rewriter(rewriter), loop(loop), phase(phase), loc(phase.getLoc()) {}

  void run();

private:
  bool canSplit();
  Value splitWeight(Value weight);
  void splitBody(PhaseOp to);

  RewriterBase &rewriter;
  scf::ForOp loop;
  PhaseOp phase;
  Location loc;
  int64_t gates = 0, units = 0;
  SmallVector<Value> views;
};
} // namespace

bool Splitter::canSplit() {
  if (phase.getWeights().empty() || phase.getNumGates() != 1)
    return false;
  for (Value weight : phase.getWeights()) {
    auto type = cast<MemRefType>(weight.getType());
    if (type.getRank() != 3 || !type.hasStaticShape() || !type.getLayout().isIdentity() ||
        !loop.isDefinedOutsideOfLoop(weight))
      return false;
  }
  for (Value out : phase.getOuts()) {
    memref::ExpandShapeOp view = getGatesView(out);
    if (!view || !loop.isDefinedOutsideOfLoop(view))
      return false;
    ArrayRef<int64_t> shape = view.getResultType().getShape();
    if (gates != 0 && (shape[1] != gates || shape[2] != units))
      return false;
    gates = shape[1];
    units = shape[2];
    views.push_back(view);
  }
  for (auto [input, axes] : llvm::zip_equal(phase.getInputs(), phase.getAxes()))
    if (axes & kGate || (axes & kUnit && cast<MemRefType>(input.getType()).getShape().back() != gates * units))
      return false;
  return true;
}

Value Splitter::splitWeight(Value weight) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(loop);
  Value matrix =
      memref::CollapseShapeOp::create(rewriter, loc, weight, ArrayRef<ReassociationIndices>{{0}, {1, 2}});
  return expandGates(rewriter, loop, matrix, gates, units);
}

/// The same scalar work for each gate.
void Splitter::splitBody(PhaseOp to) {
  OpBuilder::InsertionGuard guard(rewriter);
  Block *from = phase.getBodyBlock();
  Block *body = rewriter.createBlock(&to.getBody());
  auto addArguments = [&](Type type, int64_t count) {
    SmallVector<Value> added;
    for (int64_t i = 0; i < count; ++i)
      added.push_back(body->addArgument(type, loc));
    return added;
  };
  SmallVector<SmallVector<Value>> arguments;
  for (BlockArgument argument : from->getArguments()) {
    int64_t input = argument.getArgNumber() - phase.getNumAccumulators();
    bool isWhole = input >= 0 && input < int64_t(phase.getInputs().size()) && !(phase.getAxes()[input] & kUnit);
    arguments.push_back(addArguments(argument.getType(), isWhole ? 1 : gates));
  }
  SmallVector<SmallVector<Value>> yielded(phase.getOuts().size());
  for (int64_t g = 0; g < gates; ++g) {
    IRMapping mapping;
    for (auto [argument, gateArguments] : llvm::zip_equal(from->getArguments(), arguments))
      mapping.map(argument, gateArguments.size() == 1 ? gateArguments.front() : gateArguments[g]);
    for (Operation &inner : from->without_terminator())
      rewriter.clone(inner, mapping);
    for (auto [values, scalar] : llvm::zip_equal(yielded, phase.getYield().getScalars()))
      values.push_back(mapping.lookupOrDefault(scalar));
  }
  SmallVector<Value> all;
  for (ArrayRef<Value> values : yielded)
    all.append(values.begin(), values.end());
  YieldOp::create(rewriter, loc, all, ValueRange(), ValueRange());
}

void Splitter::run() {
  if (!canSplit())
    return;
  rewriter.setInsertionPoint(phase);
  SmallVector<Value> weights, inputs, outs;
  SmallVector<int32_t> axes(phase.getAxes());
  for (Value weight : phase.getWeights())
    weights.push_back(splitWeight(weight));
  for (auto [input, axis] : llvm::zip_equal(phase.getInputs(), axes)) {
    inputs.push_back(axis & kUnit ? expandGates(rewriter, loop, input, gates, units) : input);
    if (axis & kUnit)
      axis |= kGate;
  }
  for (Value view : views) {
    SmallVector<OpFoldResult> sizes = getSizes(rewriter, loop, view);
    SmallVector<OpFoldResult> offsets(3, rewriter.getIndexAttr(0)), strides(3, rewriter.getIndexAttr(1));
    sizes[1] = rewriter.getIndexAttr(1);
    for (int64_t g = 0; g < gates; ++g) {
      offsets[1] = rewriter.getIndexAttr(g);
      int64_t shape[] = {cast<MemRefType>(view.getType()).getDimSize(0), units};
      MemRefType type = memref::SubViewOp::inferRankReducedResultType(
          shape, cast<MemRefType>(view.getType()), offsets, sizes, strides);
      outs.push_back(memref::SubViewOp::create(rewriter, loc, type, view, offsets, sizes, strides));
    }
  }
  auto split = PhaseOp::create(rewriter, loc, phase.getStates(), weights, inputs, axes, outs);
  splitBody(split);
  rewriter.eraseOp(phase);
}

void lstm::splitGates(RewriterBase &rewriter, scf::ForOp loop) {
  for (PhaseOp phase : llvm::make_early_inc_range(loop.getBody()->getOps<PhaseOp>()))
    Splitter(rewriter, loop, phase).run();
  // Views of gates side by side.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*loop.getBody())))
    if (isOpTriviallyDead(&op))
      rewriter.eraseOp(&op);
}
