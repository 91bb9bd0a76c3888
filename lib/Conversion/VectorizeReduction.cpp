//===- VectorizeReduction.cpp - Reductions of rows on vectors --------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reduction as `sum[r] += f(z[r, g, u], s[r])` becomes
//
//   for each r:
//     for each g, with partial results of several widths:
//       for each u, 32 at a time, 8 at a time, 1 at a time: partial = partial + f
//     sum[r] = sum[r] + all lanes of all partial results
//
// A vector of 32 is several registers on any machine, so that additions need not wait
// for each other.
//
//===----------------------------------------------------------------------===//

#include "VectorizeReduction.h"
#include "PhaseTile.h"
#include "VectorizeBody.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::lstm;

/// Lanes of the partial results of a row.
static constexpr int64_t widths[] = {32, 8, 1};

namespace {
class ReductionVectorizer {
public:
  ReductionVectorizer(RewriterBase &b, linalg::LinalgOp op)
      : b(b), op(op), loc(op.getLoc()), innermost(op.getNumLoops() - 1) {}

  /// Whether there is a form in vectors.
  bool match();
  scf::ForOp run();

private:
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  bool isAlongInnermost(OpOperand &operand) {
    return op.getMatchingIndexingMap(&operand).isFunctionOfDim(innermost);
  }
  SmallVector<Value> indicesOf(OpOperand &operand);
  Value sizeOf(unsigned dim);
  SmallVector<Value> reduce(unsigned dim, SmallVector<Value> partial);
  SmallVector<Value> reduceInnermost(SmallVector<Value> partial);
  SmallVector<Value> step(ArrayRef<Value> uniform, ValueRange partial, int64_t lanes);

  RewriterBase &b;
  linalg::LinalgOp op;
  Location loc;
  unsigned innermost;
  /// For each result.
  SmallVector<vector::CombiningKind> kinds;
  /// Counts of the loops so far.
  SmallVector<Value> counts;
};
} // namespace

bool ReductionVectorizer::match() {
  if (!op.hasPureBufferSemantics() || op.getNumLoops() < 2 || op.hasIndexSemantics() ||
      op->getNumRegions() != 1 || findNotVectorizable(*op.getBlock()))
    return false;
  // Parallel loops around reductions.
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  if (iterators.front() != utils::IteratorType::parallel ||
      iterators.back() != utils::IteratorType::reduction || !llvm::is_sorted(iterators))
    return false;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    if (!type || !map.isProjectedPermutation())
      return false;
    bool isLast = map.getNumResults() > 0 && map.getResult(map.getNumResults() - 1) ==
                                                 getAffineDimExpr(innermost, op.getContext());
    if (isAlongInnermost(operand) && !(isLast && hasContiguousUnits(operand.get())))
      return false;
    // What the back end may lack is left to the scalars' emulation.
    Type element = type.getElementType();
    if (!element.isF32() && !element.isF64() && !element.isSignlessInteger())
      return false;
  }
  for (auto [i, init] : llvm::enumerate(op.getDpsInitsMutable())) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    for (unsigned dim = 0; dim <= innermost; ++dim)
      if (map.isFunctionOfDim(dim) != (iterators[dim] == utils::IteratorType::parallel))
        return false;
    SmallVector<Operation *> combiners;
    if (!matchReduction(op.getRegionOutputArgs(), i, combiners) || combiners.size() != 1)
      return false;
    std::optional<vector::CombiningKind> kind = linalg::getCombinerOpKind(combiners.front());
    if (!kind || !arith::getNeutralElement(combiners.front()))
      return false;
    kinds.push_back(*kind);
  }
  return true;
}

SmallVector<Value> ReductionVectorizer::indicesOf(OpOperand &operand) {
  return llvm::map_to_vector(op.getMatchingIndexingMap(&operand).getResults(), [&](AffineExpr expr) {
    return counts[cast<AffineDimExpr>(expr).getPosition()];
  });
}

Value ReductionVectorizer::sizeOf(unsigned dim) {
  Value dynamic;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    auto type = cast<MemRefType>(operand.get().getType());
    std::optional<unsigned> position = map.getResultPosition(getAffineDimExpr(dim, op.getContext()));
    if (!position)
      continue;
    if (!type.isDynamicDim(*position))
      return index(type.getDimSize(*position));
    if (!dynamic)
      dynamic = memref::DimOp::create(b, loc, operand.get(), *position);
  }
  return dynamic;
}

/// The partial results after the body's work on `lanes` elements. `uniform` are the scalars
/// that were loaded outside, null for what is loaded here.
SmallVector<Value> ReductionVectorizer::step(ArrayRef<Value> uniform, ValueRange partial, int64_t lanes) {
  SmallVector<Value> args(uniform);
  for (OpOperand *input : op.getDpsInputOperands()) {
    Value &arg = args[input->getOperandNumber()];
    if (arg)
      continue;
    SmallVector<Value> indices = indicesOf(*input);
    arg = lanes == 1 ? loadElement(b, loc, input->get(), indices)
                     : loadUnits(b, loc, input->get(), indices, UnitVector{lanes});
  }
  llvm::append_range(args, partial);
  if (lanes > 1)
    return vectorizeBody(b, *op.getBlock(), args, lanes);
  IRMapping mapping;
  mapping.map(op.getBlock()->getArguments(), args);
  for (Operation &inner : op.getBlock()->without_terminator())
    b.clone(inner, mapping);
  return llvm::map_to_vector(op.getBlock()->getTerminator()->getOperands(),
                             [&](Value value) { return mapping.lookupOrDefault(value); });
}

SmallVector<Value> ReductionVectorizer::reduceInnermost(SmallVector<Value> partial) {
  SmallVector<Value> uniform;
  for (OpOperand *input : op.getDpsInputOperands())
    uniform.push_back(isAlongInnermost(*input) ? Value() : loadElement(b, loc, input->get(), indicesOf(*input)));
  Value size = sizeOf(innermost), from = index(0);
  MutableArrayRef<Value> left(partial);
  for (int64_t lanes : widths) {
    Value rest = b.createOrFold<arith::RemUIOp>(loc, size, index(lanes));
    Value to = b.createOrFold<arith::SubIOp>(loc, size, rest);
    MutableArrayRef<Value> carried = left.take_front(kinds.size());
    left = left.drop_front(kinds.size());
    auto first = getConstantIntValue(from), last = getConstantIntValue(to);
    if (!first || !last || *first < *last) {
      auto loop = scf::ForOp::create(b, loc, from, to, index(lanes), carried);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      counts.push_back(loop.getInductionVar());
      SmallVector<Value> next = step(uniform, loop.getRegionIterArgs(), lanes);
      counts.pop_back();
      scf::YieldOp::create(b, loc, next);
      llvm::copy(loop.getResults(), carried.begin());
    }
    from = to;
  }
  return partial;
}

/// Reduces the loops from `dim` on; the partial results are in the order width, result.
SmallVector<Value> ReductionVectorizer::reduce(unsigned dim, SmallVector<Value> partial) {
  if (dim == innermost)
    return reduceInnermost(std::move(partial));
  auto loop = scf::ForOp::create(b, loc, index(0), sizeOf(dim), index(1), partial);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  counts.push_back(loop.getInductionVar());
  SmallVector<Value> next = reduce(dim + 1, SmallVector<Value>(loop.getRegionIterArgs()));
  counts.pop_back();
  scf::YieldOp::create(b, loc, next);
  return SmallVector<Value>(loop.getResults());
}

scf::ForOp ReductionVectorizer::run() {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(op);
  scf::ForOp outermost;
  unsigned numParallel = op.getNumParallelLoops();
  for (unsigned dim = 0; dim < numParallel; ++dim) {
    auto loop = scf::ForOp::create(b, loc, index(0), sizeOf(dim), index(1));
    outermost = outermost ? outermost : loop;
    counts.push_back(loop.getInductionVar());
    b.setInsertionPointToStart(loop.getBody());
  }

  SmallVector<Value> partial;
  for (int64_t lanes : widths)
    for (unsigned i = 0; i < kinds.size(); ++i) {
      SmallVector<Operation *> combiners;
      matchReduction(op.getRegionOutputArgs(), i, combiners);
      Value neutral = arith::ConstantOp::create(b, loc, *arith::getNeutralElement(combiners.front()));
      partial.push_back(lanes == 1 ? neutral : broadcastTo(b, loc, neutral, lanes));
    }
  partial = reduce(numParallel, std::move(partial));

  for (auto [i, init] : llvm::enumerate(op.getDpsInitsMutable())) {
    SmallVector<Value> indices = indicesOf(init);
    Value result = loadElement(b, loc, init.get(), indices);
    for (auto [w, lanes] : llvm::enumerate(widths)) {
      Value part = partial[w * kinds.size() + i];
      result = lanes == 1 ? vector::makeArithReduction(b, loc, kinds[i], part, result)
                          : vector::ReductionOp::create(b, loc, kinds[i], part, result,
                                                        arith::FastMathFlags::reassoc);
    }
    memref::StoreOp::create(b, loc, result, init.get(), indices);
  }
  b.eraseOp(op);
  return outermost;
}

scf::ForOp lstm::vectorizeReduction(RewriterBase &rewriter, linalg::LinalgOp op) {
  ReductionVectorizer vectorizer(rewriter, op);
  return vectorizer.match() ? vectorizer.run() : scf::ForOp();
}
