//===- ScalarBuilder.cpp - The region of a phase, scalar by scalar -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarBuilder.h"

#include "lstm/Dialect/LSTM/Transforms/Activations.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::lstm;

//===----------------------------------------------------------------------===//
// What scalar work is
//===----------------------------------------------------------------------===//

/// [B, H], or [B, G, H] with static G.
static bool hasRowsAndUnits(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && (tensor.getRank() == 2 || (tensor.getRank() == 3 && !tensor.isDynamicDim(1)));
}

static int64_t numScalars(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() == 3 ? tensor.getDimSize(1) : 1;
}

/// The axes that an indexing map over (row, unit) or (row, gate, unit) reads;
/// none if it does more than leave axes out.
static std::optional<int32_t> getAxes(AffineMap map) {
  int32_t axes = 0;
  unsigned last = map.getNumDims() - 1, previous = 0;
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || (i > 0 && dim.getPosition() <= previous))
      return std::nullopt;
    previous = dim.getPosition();
    axes |= previous == 0 ? kRow : previous == last ? kUnit : kGate;
  }
  return axes;
}

/// All of `source` but for the gate axis: [0, g, 0] [B, n, H] [1, 1, 1].
static bool isGateSlice(tensor::ExtractSliceOp slice) {
  RankedTensorType source = slice.getSourceType(), result = slice.getType();
  if (source.getRank() != 3 || source.isDynamicDim(1) || !slice.hasUnitStride() ||
      ShapedType::isDynamic(slice.getStaticOffsets()[1]) || ShapedType::isDynamic(slice.getStaticSizes()[1]))
    return false;
  if (slice.getStaticOffsets()[0] != 0 || slice.getStaticOffsets()[2] != 0)
    return false;
  if (result.getRank() == 2 ? !slice.getDroppedDims().test(1) : result.getRank() != 3)
    return false;
  auto isWhole = [&](int64_t dim) {
    OpFoldResult size = slice.getMixedSizes()[dim];
    if (auto attr = getConstantIntValue(size))
      return !source.isDynamicDim(dim) && *attr == source.getDimSize(dim);
    // Offset 0, unit stride and a dynamic size: a size other than the source's
    // would be out of bounds or leave rows out, which rows of one batch never do.
    return source.isDynamicDim(dim);
  };
  return isWhole(0) && isWhole(2);
}

static bool isScalarGeneric(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumReductionLoops() != 0 ||
      (op.getNumLoops() != 2 && op.getNumLoops() != 3))
    return false;
  for (OpOperand &operand : op->getOpOperands()) {
    std::optional<int32_t> axes = getAxes(op.getMatchingIndexingMap(&operand));
    if (!axes || (op.isDpsInit(&operand) && !op.getMatchingIndexingMap(&operand).isIdentity()))
      return false;
    if ((*axes & kGate) && numScalars(op.getDpsInits()[0].getType()) == 1)
      return false;
  }
  for (Operation &inner : op.getBody()->without_terminator())
    if (isa<linalg::IndexOp>(inner) || inner.getNumRegions() != 0 || !isMemoryEffectFree(&inner) ||
        llvm::any_of(inner.getOperandTypes(), [](Type t) { return isa<ShapedType>(t); }))
      return false;
  return true;
}

bool lstm::isScalarWork(Operation *op) {
  if (op->getNumResults() == 0 || !isPure(op) || !llvm::all_of(op->getResultTypes(), hasRowsAndUnits))
    return false;
  if (auto gate = dyn_cast<GateOp>(op))
    return gate.getDotLhs().empty();
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return isScalarGeneric(generic);
  if (auto broadcast = dyn_cast<linalg::BroadcastOp>(op))
    return broadcast.hasPureTensorSemantics() && broadcast.getDimensions().size() == 1 &&
           cast<ShapedType>(op->getResult(0).getType()).getRank() == 2;
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return isGateSlice(slice);
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
    return dense && dense.isSplat();
  }
  if (auto fill = dyn_cast<linalg::FillOp>(op))
    return fill.getInputs()[0].getType() == getElementTypeOrSelf(op->getResult(0).getType());
  return isa<tensor::SplatOp, tensor::CastOp>(op) ||
         OpTrait::hasElementwiseMappableTraits(op);
}

SmallVector<Value> lstm::getElementOperands(Operation *op) {
  if (auto fill = dyn_cast<linalg::FillOp>(op))
    return {fill.getInputs()[0]};
  if (auto splat = dyn_cast<tensor::SplatOp>(op))
    return {splat.getInput()};
  if (auto broadcast = dyn_cast<linalg::BroadcastOp>(op))
    return {broadcast.getInput()};
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return {slice.getSource()};
  if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
    SmallVector<Value> values = generic.getDpsInputs();
    for (auto [i, init] : llvm::enumerate(generic.getDpsInits()))
      if (!generic.getRegionOutputArgs()[i].use_empty())
        values.push_back(init);
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(generic.getRegion(), captured);
    llvm::append_range(values, captured);
    return values;
  }
  return SmallVector<Value>(op->getOperands());
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

SmallVector<Value> ScalarBuilder::getInput(Value value, int32_t axes) {
  for (Input &input : inputs)
    if (input.value == value && input.axes == axes)
      return input.scalars;
  // Constants need not enter.
  if (Attribute attr; axes == 0 && matchPattern(value, m_Constant(&attr)))
    return {arith::ConstantOp::create(b, value.getLoc(), cast<TypedAttr>(attr))};
  int64_t count = axes & kGate ? cast<RankedTensorType>(value.getType()).getDimSize(axes & kRow ? 1 : 0) : 1;
  Type element = getElementTypeOrSelf(value.getType());
  SmallVector<Value> scalars;
  for (int64_t i = 0; i < count; ++i)
    scalars.push_back(UnrealizedConversionCastOp::create(b, value.getLoc(), element, ValueRange()).getResult(0));
  inputs.push_back({value, axes, scalars});
  return scalars;
}

SmallVector<Value> ScalarBuilder::get(Value value) {
  auto found = known.find(value);
  if (found != known.end())
    return found->second;
  Operation *op = value.getDefiningOp();
  if (op && isInside(op)) {
    build(op);
    return known.find(value)->second;
  }
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return getInput(value, 0);
  // A splat needs no operand wherever it stands.
  DenseElementsAttr splat;
  if (matchPattern(value, m_Constant(&splat)) && splat.isSplat()) {
    Value scalar = arith::ConstantOp::create(b, value.getLoc(), cast<TypedAttr>(splat.getSplatValue<Attribute>()));
    return SmallVector<Value>(numScalars(type), scalar);
  }
  return getInput(value, type.getRank() == 3 ? kRow | kGate | kUnit : kRowUnit);
}

void ScalarBuilder::build(Operation *op) {
  if (auto gate = dyn_cast<GateOp>(op))
    return buildGate(gate);
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return buildGeneric(generic);
  Value result = op->getResult(0);
  int64_t count = numScalars(result.getType());
  if (isa<linalg::FillOp, tensor::SplatOp>(op)) {
    Value scalar = get(getElementOperands(op)[0])[0];
    known[result] = SmallVector<Value>(count, scalar);
  } else if (auto broadcast = dyn_cast<linalg::BroadcastOp>(op)) {
    Value input = broadcast.getInput();
    int32_t axes = broadcast.getDimensions()[0] == 0 ? kUnit : kRow;
    known[result] = getInput(input, axes);
  } else if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    SmallVector<Value> all = get(slice.getSource());
    known[result] = llvm::to_vector(
        ArrayRef(all).slice(slice.getStaticOffsets()[1], slice.getStaticSizes()[1]));
  } else if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto dense = cast<DenseElementsAttr>(constant.getValue());
    Value scalar =
        arith::ConstantOp::create(b, op->getLoc(), cast<TypedAttr>(dense.getSplatValue<Attribute>()));
    known[result] = SmallVector<Value>(count, scalar);
  } else if (isa<tensor::CastOp>(op)) {
    SmallVector<Value> scalars = get(op->getOperand(0));
    known[result] = scalars;
  } else {
    SmallVector<Value> scalars = buildElementwise(op);
    known[result] = scalars;
  }
}

SmallVector<Value> ScalarBuilder::buildElementwise(Operation *op) {
  SmallVector<SmallVector<Value>> operands;
  for (Value operand : op->getOperands())
    operands.push_back(get(operand));
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  SmallVector<Value> scalars;
  for (int64_t i = 0, n = numScalars(op->getResult(0).getType()); i < n; ++i) {
    IRMapping mapping;
    for (auto [operand, values] : llvm::zip(op->getOperands(), operands))
      mapping.map(operand, values[values.size() == 1 ? 0 : i]);
    Operation *scalar = b.clone(*op, mapping);
    scalar->getResult(0).setType(element);
    scalars.push_back(scalar->getResult(0));
  }
  return scalars;
}

void ScalarBuilder::buildGate(GateOp gate) {
  Location loc = gate.getLoc();
  FloatType compute = gate.getComputeType();
  int64_t gates = gate.getNumGates(), rank = gate.getResultType().getRank();
  // An operand as one scalar a gate, in the compute type.
  auto operand = [&](Value value) {
    int64_t valueRank = cast<RankedTensorType>(value.getType()).getRank();
    SmallVector<Value> scalars;
    if (valueRank == 1)
      scalars = getInput(value, kUnit);
    else if (valueRank == 2 && rank == 3)
      scalars = getInput(value, kGate | kUnit);
    else
      scalars = get(value);
    for (Value &scalar : scalars)
      scalar = buildFloatCast(b, loc, scalar, compute);
    if (scalars.size() == 1)
      scalars.assign(gates, Value(scalars[0]));
    return scalars;
  };
  // The first operand of a scale is [B, H] where it has rank 2.
  auto scaled = [&](Value value) {
    SmallVector<Value> scalars = get(value);
    for (Value &scalar : scalars)
      scalar = buildFloatCast(b, loc, scalar, compute);
    if (scalars.size() == 1)
      scalars.assign(gates, Value(scalars[0]));
    return scalars;
  };
  SmallVector<Value> sums(gates);
  auto addTo = [&](Value &sum, Value term) {
    sum = sum ? Value(arith::AddFOp::create(b, loc, sum, term)) : term;
  };
  if (gate == product)
    for (auto [sum, z] : llvm::zip(sums, accumulators))
      sum = buildFloatCast(b, loc, z, compute);
  for (auto [s, p] : gate.getScales()) {
    SmallVector<Value> left = scaled(s), right = operand(p);
    for (int64_t g = 0; g < gates; ++g)
      addTo(sums[g], arith::MulFOp::create(b, loc, left[g], right[g]));
  }
  for (Value addend : gate.getAddends()) {
    SmallVector<Value> terms = operand(addend);
    for (int64_t g = 0; g < gates; ++g)
      addTo(sums[g], terms[g]);
  }
  for (int64_t g = 0; g < gates; ++g) {
    if (FloatAttr clip = gate.getClipAttr())
      sums[g] = buildClip(b, loc, clip.getValueAsDouble(), sums[g]);
    sums[g] = buildActivation(b, loc, gate.getActivation(g), sums[g]);
    sums[g] = buildFloatCast(b, loc, sums[g], gate.getResultType().getElementType());
  }
  known[gate.getResult()] = sums;
}

void ScalarBuilder::buildGeneric(linalg::GenericOp op) {
  Block *body = op.getBody();
  int64_t count = numScalars(op.getResult(0).getType());
  SmallVector<SmallVector<Value>> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    SmallVector<Value> scalars;
    if (!op.getMatchingBlockArgument(&operand).use_empty()) {
      auto type = dyn_cast<RankedTensorType>(operand.get().getType());
      int32_t axes = *getAxes(op.getMatchingIndexingMap(&operand));
      bool whole = type && type.getRank() == int64_t(op.getNumLoops());
      scalars = whole ? get(operand.get()) : getInput(operand.get(), axes);
    }
    operands.push_back(scalars);
  }
  SmallVector<SmallVector<Value>> results(op->getNumResults());
  for (int64_t g = 0; g < count; ++g) {
    IRMapping mapping;
    for (auto [operand, scalars] : llvm::zip(op->getOpOperands(), operands))
      if (!scalars.empty())
        mapping.map(op.getMatchingBlockArgument(&operand), scalars[scalars.size() == 1 ? 0 : g]);
    for (Operation &inner : body->without_terminator()) {
      for (Value used : inner.getOperands())
        if (used.getParentBlock() != body && !mapping.contains(used))
          mapping.map(used, get(used)[0]);
      b.clone(inner, mapping);
    }
    for (auto [i, yielded] : llvm::enumerate(body->getTerminator()->getOperands())) {
      if (yielded.getParentBlock() != body && !mapping.contains(yielded))
        mapping.map(yielded, get(yielded)[0]);
      results[i].push_back(mapping.lookup(yielded));
    }
  }
  for (auto [value, scalars] : llvm::zip(op->getResults(), results))
    known[value] = scalars;
}
