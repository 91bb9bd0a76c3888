//===- ProjectLookups.cpp - A lookup, then a product: a lookup in the product -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/Dialect/LSTM/Transforms/BodyUtils.h"
#include "lstm/Dialect/LSTM/Transforms/Transforms.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::lstm;

using ValuePair = std::pair<Value, Value>;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

namespace {
/// rows[b, k] = table[index(ids[b]), k].
struct Lookup {
  linalg::GenericOp op;
  tensor::ExtractOp extract;
  Value getTable() { return extract.getTensor(); }
};
} // namespace

/// Whether `value` is linalg.index 1 of `op`.
static bool isUnitIndex(Value value) {
  auto index = value.getDefiningOp<linalg::IndexOp>();
  return index && index.getDim() == 1;
}

static std::optional<Lookup> matchLookup(Value value, RecurrenceOp recurrence) {
  auto op = value.getDefiningOp<linalg::GenericOp>();
  if (!op || op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 || op.getNumLoops() != 2 ||
      op.getNumParallelLoops() != 2)
    return std::nullopt;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (!maps[1].isIdentity() || maps[0].getNumResults() != 1 || maps[0].getResult(0) != maps[1].getResult(0))
    return std::nullopt;
  Block *body = op.getBody();
  auto yield = cast<linalg::YieldOp>(body->getTerminator());
  auto extract = yield.getOperand(0).getDefiningOp<tensor::ExtractOp>();
  if (!extract || extract->getBlock() != body || extract.getIndices().size() != 2 ||
      !isUnitIndex(extract.getIndices()[1]) || !isDefinedOutside(extract.getTensor(), recurrence) ||
      !body->getArgument(1).use_empty())
    return std::nullopt;
  // The row may be any function of the id, but not of the position.
  for (Operation &inner : body->without_terminator())
    if (&inner != extract && !isPure(&inner))
      return std::nullopt;
  for (Operation &inner : body->without_terminator())
    if (auto index = dyn_cast<linalg::IndexOp>(inner); index && index.getDim() != 1)
      return std::nullopt;
  auto unitIndexUsedForColumnOnly = llvm::all_of(body->getOps<linalg::IndexOp>(), [&](linalg::IndexOp index) {
    return llvm::all_of(index->getUses(), [&](OpOperand &use) {
      return use.getOwner() == extract.getOperation() && use.getOperandNumber() == 2;
    });
  });
  if (!unitIndexUsedForColumnOnly)
    return std::nullopt;
  return Lookup{op, extract};
}

/// The lookup of the same ids in `table` [V, H] or [V, G, H].
static Value lookUpIn(RewriterBase &rewriter, Lookup lookup, Value table, RankedTensorType type) {
  Location loc = lookup.op.getLoc();
  MLIRContext *context = rewriter.getContext();
  int64_t rank = type.getRank();
  Value ids = lookup.op.getDpsInputOperand(0)->get();
  SmallVector<OpFoldResult> sizes = {getSize(rewriter, loc, ids, 0)};
  for (int64_t i = 1; i < rank; ++i)
    sizes.push_back(getSize(rewriter, loc, table, i));
  Value empty = tensor::EmptyOp::create(rewriter, loc, sizes, type.getElementType());
  SmallVector<AffineMap> maps = {AffineMap::get(rank, 0, getAffineDimExpr(0, context)),
                                 AffineMap::getMultiDimIdentityMap(rank, context)};
  auto result = linalg::GenericOp::create(
      rewriter, loc, TypeRange(empty.getType()), ids, empty, maps,
      SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
      [&](OpBuilder &b, Location, ValueRange args) {
        IRMapping mapping;
        mapping.map(lookup.op.getBody()->getArgument(0), args[0]);
        for (Operation &inner : lookup.op.getBody()->without_terminator())
          if (&inner != lookup.extract && !isa<linalg::IndexOp>(inner))
            b.clone(inner, mapping);
        SmallVector<Value> indices = {mapping.lookupOrDefault(lookup.extract.getIndices()[0])};
        for (int64_t i = 1; i < rank; ++i)
          indices.push_back(linalg::IndexOp::create(b, loc, i));
        linalg::YieldOp::create(b, loc, Value(tensor::ExtractOp::create(b, loc, table, indices)));
      });
  return result.getResult(0);
}

unsigned lstm::projectLookups(RewriterBase &rewriter, RecurrenceOp recurrence, int64_t maxTableRows) {
  OpBuilder::InsertionGuard guard(rewriter);
  unsigned count = 0;
  for (GateOp gate : llvm::to_vector(recurrence.getBodyBlock()->getOps<GateOp>())) {
    SmallVector<Value> lhs, rhs, addends(gate.getAddends());
    FloatType element = gate.getComputeType();
    for (auto [a, w] : gate.getDots()) {
      std::optional<Lookup> lookup =
          isDefinedOutside(w, recurrence) ? matchLookup(a, recurrence) : std::nullopt;
      int64_t rows = lookup ? typeOf(lookup->getTable()).getDimSize(0) : 0;
      // A long table would cost more to project than the steps that use it.
      if (!lookup || (maxTableRows > 0 && (ShapedType::isDynamic(rows) || rows > maxTableRows))) {
        lhs.push_back(a);
        rhs.push_back(w);
        continue;
      }
      SmallVector<int64_t> shape(typeOf(w).getShape());
      shape[0] = rows;
      rewriter.setInsertionPoint(recurrence);
      Value projected = GateOp::create(
          rewriter, gate.getLoc(), RankedTensorType::get(shape, element),
          ActivationAttr::get(rewriter.getContext(), ActivationKind::Identity),
          ValuePair(lookup->getTable(), w), ArrayRef<ValuePair>(), ValueRange());
      rewriter.setInsertionPoint(gate);
      addends.push_back(lookUpIn(rewriter, *lookup, projected, gate.getResultType().clone(element)));
      ++count;
    }
    if (lhs.size() == gate.getDotLhs().size())
      continue;
    rewriter.modifyOpInPlace(gate, [&] {
      gate.getDotLhsMutable().assign(lhs);
      gate.getDotRhsMutable().assign(rhs);
      gate.getAddendsMutable().assign(addends);
    });
  }
  return count;
}
