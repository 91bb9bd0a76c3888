//===- PhaseDecomposition.cpp - lstm.phase as linalg operations -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Slices.h"
#include "lstm/Dialect/LSTM/IR/LSTM.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::lstm;

/// Appends the slice of each gate of `value`. A map with a constant in place of
/// the gate would need no slices, but would not vectorize.
static void appendGateSlices(OpBuilder &builder, Location loc, Value value, int64_t gateDim, int64_t numGates,
                             SmallVectorImpl<Value> &slices) {
  SmallVector<OpFoldResult> sizes = getMixedSizes(builder, loc, value);
  SmallVector<OpFoldResult> offsets(sizes.size(), builder.getIndexAttr(0));
  sizes[gateDim] = builder.getIndexAttr(1);
  for (int64_t gate = 0; gate < numGates; ++gate) {
    offsets[gateDim] = builder.getIndexAttr(gate);
    slices.push_back(createSlice(builder, loc, value, offsets, sizes, gateDim));
  }
}

/// The map from (row, unit) to an operand with these axes, its gate axis sliced away.
static AffineMap getElementwiseMap(MLIRContext *context, int32_t axes) {
  SmallVector<AffineExpr> exprs;
  if (axes & kRow)
    exprs.push_back(getAffineDimExpr(0, context));
  if (axes & kUnit)
    exprs.push_back(getAffineDimExpr(1, context));
  return AffineMap::get(2, 0, exprs, context);
}

/// A buffer or tensor of the given sizes for intermediate values.
static Value createScratch(OpBuilder &builder, Location loc, ArrayRef<OpFoldResult> sizes, Type elementType,
                           bool onTensors) {
  if (onTensors)
    return tensor::EmptyOp::create(builder, loc, sizes, elementType);
  SmallVector<int64_t> shape;
  SmallVector<Value> dynamicSizes;
  dispatchIndexOpFoldResults(sizes, dynamicSizes, shape);
  return memref::AllocOp::create(builder, loc, MemRefType::get(shape, elementType), dynamicSizes);
}

/// sum[r, g, u] += state[r, k] * W[k, g, u] with packed weights, whose elements are
/// picked one by one: no map leads from units to blocks that the last unit may not fill.
static Value createPackedProduct(OpBuilder &builder, Location loc, Value state, Value weight, Value sum) {
  AffineExpr row, gate, unit, k;
  MLIRContext *context = builder.getContext();
  bindDims(context, row, gate, unit, k);
  bool onTensors = isa<RankedTensorType>(sum.getType());
  Type type = getElementTypeOrSelf(sum);
  auto parallel = utils::IteratorType::parallel;
  auto generic = linalg::GenericOp::create(
      builder, loc, onTensors ? TypeRange(sum.getType()) : TypeRange(), ValueRange{state}, ValueRange{sum},
      {AffineMap::get(4, 0, {row, k}, context), AffineMap::get(4, 0, {row, gate, unit}, context)},
      {parallel, parallel, parallel, utils::IteratorType::reduction},
      [&](OpBuilder &b, Location loc, ValueRange args) {
        auto index = [&](int64_t dim) -> Value { return linalg::IndexOp::create(b, loc, dim); };
        SmallVector<Value> at = getWeightIndices(b, loc, weight, index(3), index(1), index(2));
        Value w = onTensors ? Value(tensor::ExtractOp::create(b, loc, weight, at))
                            : Value(memref::LoadOp::create(b, loc, weight, at));
        auto extend = [&](Value value) -> Value {
          return value.getType() == type ? value : arith::ExtFOp::create(b, loc, type, value);
        };
        Value product = arith::MulFOp::create(b, loc, extend(args[0]), extend(w));
        Value next = arith::AddFOp::create(b, loc, args[1], product);
        linalg::YieldOp::create(b, loc, next);
      });
  return onTensors ? generic.getResult(0) : sum;
}

/// All products of a phase, summed: `[rows, G, units]`.
static Value createProducts(OpBuilder &builder, PhaseOp op) {
  Location loc = op.getLoc();
  bool onTensors = op.hasPureTensorSemantics();
  Type type = op.getAccumulatorType();
  SmallVector<OpFoldResult> sizes = getMixedSizes(builder, loc, op.getOuts().front());
  sizes.insert(sizes.begin() + 1, builder.getIndexAttr(op.getNumGates()));
  Value sum = createScratch(builder, loc, sizes, type, onTensors);
  Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  auto fill = linalg::FillOp::create(builder, loc, zero, sum);
  if (onTensors)
    sum = fill.getResult(0);

  AffineExpr row, gate, unit, k;
  bindDims(builder.getContext(), row, gate, unit, k);
  ArrayAttr maps = builder.getAffineMapArrayAttr({AffineMap::get(4, 0, {row, k}, builder.getContext()),
                                                  AffineMap::get(4, 0, {k, gate, unit}, builder.getContext()),
                                                  AffineMap::get(4, 0, {row, gate, unit}, builder.getContext())});
  for (auto [state, weight] : llvm::zip(op.getStates(), op.getWeights())) {
    if (WeightLayout::get(cast<ShapedType>(weight.getType())).isPacked()) {
      sum = createPackedProduct(builder, loc, state, weight, sum);
      continue;
    }
    auto contract =
        linalg::ContractOp::create(builder, loc, onTensors ? TypeRange(sum.getType()) : TypeRange(),
                                   ValueRange{state, weight}, ValueRange{sum}, maps);
    if (onTensors)
      sum = contract->getResult(0);
  }
  return sum;
}

FailureOr<SmallVector<Value>> PhaseOp::decomposeOperation(OpBuilder &builder) {
  Location loc = getLoc();
  MLIRContext *context = getContext();
  int64_t numGates = getNumGates();
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  Value products;
  if (!getWeights().empty()) {
    products = createProducts(builder, *this);
    appendGateSlices(builder, loc, products, /*gateDim=*/1, numGates, operands);
    maps.append(numGates, getElementwiseMap(context, kRowUnit));
  }
  for (auto [input, axes] : llvm::zip(getInputs(), getAxes())) {
    AffineMap map = getElementwiseMap(context, axes);
    if (axes & kGate) {
      appendGateSlices(builder, loc, input, axes & kRow ? 1 : 0, numGates, operands);
      maps.append(numGates, map);
    } else {
      operands.push_back(input);
      maps.push_back(map);
    }
  }
  maps.append(getOuts().size(), getElementwiseMap(context, kRowUnit));

  auto generic =
      linalg::GenericOp::create(builder, loc, getResultTypes(), operands, getOuts(), maps, getLoopIteratorTypes());
  generic->setDiscardableAttrs((*this)->getDiscardableAttrDictionary());
  builder.cloneRegionBefore(getBody(), generic.getRegion(), generic.getRegion().begin());
  auto yield = cast<YieldOp>(generic.getBody()->getTerminator());
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(yield);
    linalg::YieldOp::create(builder, loc, yield.getScalars());
    yield.erase();
  }
  if (products && !hasPureTensorSemantics()) {
    // Ours to free: the deallocation pipeline must not do it a second time.
    auto dealloc = memref::DeallocOp::create(builder, loc, products);
    for (Operation *op : {products.getDefiningOp(), dealloc.getOperation()})
      op->setAttr(bufferization::BufferizationDialect::kManualDeallocation, builder.getUnitAttr());
  }
  return SmallVector<Value>(generic.getResults());
}
