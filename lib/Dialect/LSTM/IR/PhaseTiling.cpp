//===- PhaseTiling.cpp - TilingInterface of lstm.phase -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Slices.h"
#include "lstm/Dialect/LSTM/IR/LSTM.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::lstm;

// A phase has two loops, over rows and units. A tile finishes all its gates, so
// any result's tile is the tile of the loops.

SmallVector<utils::IteratorType> PhaseOp::getLoopIteratorTypes() {
  return {utils::IteratorType::parallel, utils::IteratorType::parallel};
}

SmallVector<Range> PhaseOp::getIterationDomain(OpBuilder &builder) {
  OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
  SmallVector<OpFoldResult> sizes = getMixedSizes(builder, getLoc(), getOuts().front());
  return {Range{zero, sizes[0], one}, Range{zero, sizes[1], one}};
}

FailureOr<TilingResult> PhaseOp::getTiledImplementation(OpBuilder &builder, ArrayRef<OpFoldResult> offsets,
                                                        ArrayRef<OpFoldResult> sizes) {
  enum Loop { Rows, Units, Whole };
  Location loc = getLoc();
  TilingResult result;
  auto tile = [&](Value value, ArrayRef<Loop> loops) -> Value {
    SmallVector<OpFoldResult> sliceOffsets(loops.size(), builder.getIndexAttr(0));
    SmallVector<OpFoldResult> sliceSizes = getMixedSizes(builder, loc, value);
    for (auto [i, loop] : llvm::enumerate(loops)) {
      if (loop == Whole)
        continue;
      sliceOffsets[i] = offsets[loop];
      sliceSizes[i] = sizes[loop];
    }
    Value slice = createSlice(builder, loc, value, sliceOffsets, sliceSizes);
    result.generatedSlices.push_back(slice.getDefiningOp());
    return slice;
  };

  SmallVector<Value> states, weights, inputs, outs;
  for (Value state : getStates())
    states.push_back(tile(state, {Rows, Whole}));
  for (Value weight : getWeights()) {
    WeightLayout layout = WeightLayout::get(cast<ShapedType>(weight.getType()));
    if (!layout.isPacked()) {
      weights.push_back(tile(weight, {Whole, Whole, Units}));
      continue;
    }
    // A tile starts where a block does.
    auto offset = getConstantIntValue(offsets[Units]);
    if (!offset || *offset % layout.blockUnits != 0)
      return emitOpError("cannot be tiled over units where its weights are packed, but from whole blocks of ")
             << layout.blockUnits << " on";
    AffineExpr size = builder.getAffineSymbolExpr(0);
    SmallVector<OpFoldResult> sliceSizes = getMixedSizes(builder, loc, weight);
    SmallVector<OpFoldResult> sliceOffsets(sliceSizes.size(), builder.getIndexAttr(0));
    sliceOffsets[0] = builder.getIndexAttr(*offset / layout.blockUnits);
    sliceSizes[0] = affine::makeComposedFoldedAffineApply(builder, loc, size.ceilDiv(layout.blockUnits), sizes[Units]);
    weights.push_back(createSlice(builder, loc, weight, sliceOffsets, sliceSizes));
    result.generatedSlices.push_back(weights.back().getDefiningOp());
  }
  for (auto [input, axes] : llvm::zip(getInputs(), getAxes())) {
    SmallVector<Loop> loops;
    if (axes & kRow)
      loops.push_back(Rows);
    if (axes & kGate)
      loops.push_back(Whole);
    if (axes & kUnit)
      loops.push_back(Units);
    inputs.push_back(axes ? tile(input, loops) : input);
  }
  for (Value out : getOuts())
    outs.push_back(tile(out, {Rows, Units}));

  auto tiled = PhaseOp::create(builder, loc, states, weights, inputs, getAxes(), outs);
  tiled->setDiscardableAttrs((*this)->getDiscardableAttrDictionary());
  builder.cloneRegionBefore(getBody(), tiled.getBody(), tiled.getBody().begin());
  result.tiledOps.push_back(tiled);
  llvm::append_range(result.tiledValues, tiled.getResults());
  return result;
}

LogicalResult PhaseOp::getResultTilePosition(OpBuilder &, unsigned, ArrayRef<OpFoldResult> offsets,
                                             ArrayRef<OpFoldResult> sizes,
                                             SmallVector<OpFoldResult> &resultOffsets,
                                             SmallVector<OpFoldResult> &resultSizes) {
  resultOffsets.assign(offsets.begin(), offsets.end());
  resultSizes.assign(sizes.begin(), sizes.end());
  return success();
}

LogicalResult PhaseOp::getIterationDomainTileFromResultTile(OpBuilder &, unsigned, ArrayRef<OpFoldResult> offsets,
                                                            ArrayRef<OpFoldResult> sizes,
                                                            SmallVectorImpl<OpFoldResult> &domainOffsets,
                                                            SmallVectorImpl<OpFoldResult> &domainSizes) {
  domainOffsets.assign(offsets.begin(), offsets.end());
  domainSizes.assign(sizes.begin(), sizes.end());
  return success();
}

FailureOr<TilingResult> PhaseOp::generateResultTileValue(OpBuilder &builder, unsigned resultNumber,
                                                         ArrayRef<OpFoldResult> offsets,
                                                         ArrayRef<OpFoldResult> sizes) {
  FailureOr<TilingResult> result = getTiledImplementation(builder, offsets, sizes);
  if (failed(result))
    return failure();
  result->tiledValues = {result->tiledValues[resultNumber]};
  return result;
}

// A phase fuses into the loops of a producer that it uses elementwise.
LogicalResult PhaseOp::getIterationDomainTileFromOperandTiles(OpBuilder &, ArrayRef<unsigned> operandNumbers,
                                                              ArrayRef<SmallVector<OpFoldResult>> offsets,
                                                              ArrayRef<SmallVector<OpFoldResult>> sizes,
                                                              SmallVectorImpl<OpFoldResult> &domainOffsets,
                                                              SmallVectorImpl<OpFoldResult> &domainSizes) {
  for (auto [i, number] : llvm::enumerate(operandNumbers))
    if (!isElementwise((*this)->getOpOperand(number)) || offsets[i] != offsets[0] || sizes[i] != sizes[0])
      return failure();
  domainOffsets.assign(offsets[0].begin(), offsets[0].end());
  domainSizes.assign(sizes[0].begin(), sizes[0].end());
  return success();
}

FailureOr<TilingResult> PhaseOp::getTiledImplementationFromOperandTiles(
    OpBuilder &builder, ArrayRef<unsigned> operandNumbers, ArrayRef<SmallVector<OpFoldResult>> offsets,
    ArrayRef<SmallVector<OpFoldResult>> sizes) {
  SmallVector<OpFoldResult> domainOffsets, domainSizes;
  if (failed(getIterationDomainTileFromOperandTiles(builder, operandNumbers, offsets, sizes, domainOffsets,
                                                    domainSizes)))
    return failure();
  return getTiledImplementation(builder, domainOffsets, domainSizes);
}

/// The product of row `row` of the states with gate `gate` and unit `unit` of the weights.
static Value createScalarProduct(OpBuilder &builder, Location loc, PhaseOp op, Value row, Value gate, Value unit) {
  Type type = op.getAccumulatorType();
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value sum = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  for (auto [state, weight] : llvm::zip(op.getStates(), op.getWeights())) {
    Value size = memref::DimOp::create(builder, loc, state, 1);
    auto loop = scf::ForOp::create(builder, loc, zero, size, one, sum);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    auto load = [&](Value from, ValueRange indices) -> Value {
      Value value = memref::LoadOp::create(builder, loc, from, indices);
      return value.getType() == type ? value : arith::ExtFOp::create(builder, loc, type, value);
    };
    Value k = loop.getInductionVar();
    Value a = load(state, {row, k});
    Value w = load(weight, getWeightIndices(builder, loc, weight, k, gate, unit));
    Value product = arith::MulFOp::create(builder, loc, a, w);
    Value next = arith::AddFOp::create(builder, loc, loop.getRegionIterArg(0), product);
    scf::YieldOp::create(builder, loc, next);
    sum = loop.getResult(0);
  }
  return sum;
}

LogicalResult PhaseOp::generateScalarImplementation(OpBuilder &builder, Location loc, ValueRange ivs) {
  if (!hasPureBufferSemantics())
    return failure();
  Value row = ivs[0], unit = ivs[1];
  SmallVector<Value> gates;
  for (int64_t g = 0, e = getNumGates(); g < e; ++g)
    gates.push_back(arith::ConstantIndexOp::create(builder, loc, g));

  SmallVector<Value> scalars;
  if (!getWeights().empty())
    for (Value gate : gates)
      scalars.push_back(createScalarProduct(builder, loc, *this, row, gate, unit));
  for (auto [input, axes] : llvm::zip(getInputs(), getAxes())) {
    if (!axes) {
      scalars.push_back(input);
      continue;
    }
    for (int64_t g = 0, e = axes & kGate ? gates.size() : 1; g < e; ++g) {
      SmallVector<Value> indices;
      if (axes & kRow)
        indices.push_back(row);
      if (axes & kGate)
        indices.push_back(gates[g]);
      if (axes & kUnit)
        indices.push_back(unit);
      scalars.push_back(memref::LoadOp::create(builder, loc, input, indices));
    }
  }
  for (auto [i, out] : llvm::enumerate(getOuts()))
    scalars.push_back(getOutArgument(i).use_empty() ? Value() : memref::LoadOp::create(builder, loc, out, ivs));

  IRMapping mapping;
  for (auto [arg, scalar] : llvm::zip(getBody().getArguments(), scalars))
    if (scalar)
      mapping.map(arg, scalar);
  for (Operation &op : getBodyBlock()->without_terminator())
    builder.clone(op, mapping);
  for (auto [scalar, out] : llvm::zip(getYield().getScalars(), getOuts()))
    memref::StoreOp::create(builder, loc, mapping.lookup(scalar), out, ivs);
  return success();
}
