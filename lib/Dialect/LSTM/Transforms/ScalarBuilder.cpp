//===- ScalarBuilder.cpp - The region of a phase, scalar by scalar -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarBuilder.h"

#include "lstm/Dialect/LSTM/Transforms/Activations.h"
#include "lstm/Dialect/LSTM/Transforms/BodyUtils.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::lstm;

//===----------------------------------------------------------------------===//
// What scalar work is
//===----------------------------------------------------------------------===//

/// [B, H], or [B, G, H] with static G. Values known to be empty stay as they
/// are: nothing is computed for them, and they have no slices.
static bool hasRowsAndUnits(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && !llvm::is_contained(tensor.getShape(), 0) && (tensor.getRank() == 2 || (tensor.getRank() == 3 && !tensor.isDynamicDim(1)));
}

static int64_t numScalars(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() == 3 ? tensor.getDimSize(1) : 1;
}

/// The axes that an indexing map over (row, unit) or (row, gate, unit) reads;
/// none if it does more than leave axes out.
static std::optional<int32_t> getMapAxes(AffineMap map) {
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
  if (result.getRank() != 3 && !dropsDim(slice, 1))
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
    std::optional<int32_t> axes = getMapAxes(op.getMatchingIndexingMap(&operand));
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

/// How a gate reads an operand.
static int32_t getGateAxes(GateOp gate, Value value, bool isScaled) {
  int64_t rank = gate.getResultType().getRank(), valueRank = cast<RankedTensorType>(value.getType()).getRank();
  if (valueRank == rank)
    return rank == 3 ? kRow | kGate | kUnit : kRowUnit;
  if (valueRank == 1)
    return kUnit;
  return isScaled ? kRowUnit : kGate | kUnit;
}

/// Calls `visit` with each operand that counts and its axes; 0 for a product's operands.
static void visitOperands(Operation *op, llvm::function_ref<void(Value, int32_t)> visit) {
  constexpr int32_t whole = kRow | kGate | kUnit;
  if (auto gate = dyn_cast<GateOp>(op)) {
    for (auto [a, w] : gate.getDots()) {
      visit(a, 0);
      visit(w, 0);
    }
    for (auto [s, p] : gate.getScales()) {
      visit(s, getGateAxes(gate, s, true));
      visit(p, getGateAxes(gate, p, false));
    }
    for (Value addend : gate.getAddends())
      visit(addend, getGateAxes(gate, addend, false));
  } else if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
    for (OpOperand &operand : generic->getOpOperands())
      if (!generic.getMatchingBlockArgument(&operand).use_empty())
        visit(operand.get(), *getMapAxes(generic.getMatchingIndexingMap(&operand)));
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(generic.getRegion(), captured);
    for (Value value : captured)
      visit(value, 0);
  } else if (auto fill = dyn_cast<linalg::FillOp>(op)) {
    visit(fill.getInputs()[0], 0);
  } else if (auto splat = dyn_cast<tensor::SplatOp>(op)) {
    visit(splat.getInput(), 0);
  } else if (auto broadcast = dyn_cast<linalg::BroadcastOp>(op)) {
    visit(broadcast.getInput(), kUnit);
  } else if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    visit(slice.getSource(), whole);
  } else {
    for (Value operand : op->getOperands())
      visit(operand, isa<RankedTensorType>(operand.getType()) ? whole : 0);
  }
}

static bool isElementAxes(int32_t axes) { return (axes & kRowUnit) == kRowUnit; }

SmallVector<Value> lstm::getElementOperands(Operation *op) {
  SmallVector<Value> values;
  visitOperands(op, [&](Value value, int32_t axes) {
    if (isElementAxes(axes))
      values.push_back(value);
  });
  return values;
}

SmallVector<Value> lstm::getMaterialOperands(Operation *op) {
  SmallVector<Value> values;
  visitOperands(op, [&](Value value, int32_t axes) {
    if (!isElementAxes(axes))
      values.push_back(value);
  });
  return values;
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

void ScalarBuilder::addAccumulators(GateOp gate) {
  product = gate;
  numGates = gate.getNumGates();
  for (int64_t g = 0, n = gate.getNumGates(); g < n; ++g)
    block->addArgument(gate.getComputeType(), gate.getLoc());
}

SmallVector<Value> ScalarBuilder::getInput(Value value, int32_t inputAxes) {
  // Constants need not enter.
  if (Attribute attr; inputAxes == 0 && matchPattern(value, m_Constant(&attr)))
    return {arith::ConstantOp::create(b, value.getLoc(), cast<TypedAttr>(attr))};
  for (auto [input, other, scalars] : llvm::zip(inputs, axes, arguments))
    if (input == value && other == inputAxes)
      return scalars;
  int64_t count = 1;
  SmallVector<Value> scalars;
  // A tensor of rank 0 enters as its element.
  if (inputAxes == 0 && isa<RankedTensorType>(value.getType())) {
    auto [element, isNew] = elements.try_emplace(value);
    if (isNew)
      element->second = tensor::ExtractOp::create(outside, value.getLoc(), value, ValueRange());
    return getInput(element->second, 0);
  }
  if (inputAxes & kGate) {
    count = cast<RankedTensorType>(value.getType()).getDimSize(inputAxes & kRow ? 1 : 0);
    if (numGates == 0)
      numGates = count;
    if (count != numGates) {
      for (int64_t g = 0; g < count; ++g)
        llvm::append_range(scalars, getInput(sliceGate(value, inputAxes, g), inputAxes & ~kGate));
      return scalars;
    }
  }
  for (int64_t i = 0; i < count; ++i)
    scalars.push_back(block->addArgument(getElementTypeOrSelf(value.getType()), value.getLoc()));
  inputs.push_back(value);
  axes.push_back(inputAxes);
  arguments.push_back(scalars);
  return scalars;
}

Value ScalarBuilder::sliceGate(Value value, int32_t inputAxes, int64_t g) {
  Location loc = value.getLoc();
  int64_t axis = inputAxes & kRow ? 1 : 0;
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(outside, loc, value);
  SmallVector<OpFoldResult> offsets(sizes.size(), outside.getIndexAttr(0)),
      strides(sizes.size(), outside.getIndexAttr(1));
  offsets[axis] = outside.getIndexAttr(g);
  sizes[axis] = outside.getIndexAttr(1);
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + axis);
  // The same slice serves all its uses in this phase.
  auto slice = tensor::ExtractSliceOp::create(outside, loc, RankedTensorType::get(shape, type.getElementType()),
                                              value, offsets, sizes, strides);
  for (Value input : inputs)
    if (auto known = input.getDefiningOp<tensor::ExtractSliceOp>();
        known && OperationEquivalence::isEquivalentTo(known, slice, OperationEquivalence::IgnoreLocations)) {
      slice.erase();
      return known;
    }
  return slice;
}

SmallVector<Value> ScalarBuilder::get(Value value) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  if (Operation *op = value.getDefiningOp(); op && isInside(op)) {
    if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
      buildGeneric(generic);
      return known.find(value)->second;
    }
    SmallVector<Value> scalars = build(op);
    known[value] = scalars;
    return scalars;
  }
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return getInput(value, 0);
  // A splat needs no operand wherever it stands.
  DenseElementsAttr splat;
  if (matchPattern(value, m_Constant(&splat)) && splat.isSplat())
    return SmallVector<Value>(
        numScalars(type),
        arith::ConstantOp::create(b, value.getLoc(), cast<TypedAttr>(splat.getSplatValue<Attribute>())));
  return getInput(value, type.getRank() == 3 ? kRow | kGate | kUnit : kRowUnit);
}

SmallVector<Value> ScalarBuilder::build(Operation *op) {
  if (auto gate = dyn_cast<GateOp>(op))
    return buildGate(gate);
  int64_t count = numScalars(op->getResult(0).getType());
  if (isa<linalg::FillOp, tensor::SplatOp>(op))
    return SmallVector<Value>(count, get(op->getOperand(0))[0]);
  if (auto broadcast = dyn_cast<linalg::BroadcastOp>(op))
    return getInput(broadcast.getInput(), broadcast.getDimensions()[0] == 0 ? kUnit : kRow);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    // Of an operand with another number of gates only the slice enters.
    Operation *source = slice.getSource().getDefiningOp();
    bool enters = !source || !isInside(source);
    if (enters && slice.getType().getRank() == 2 && slice.getSourceType().getDimSize(1) != numGates)
      return getInput(slice, kRowUnit);
    SmallVector<Value> all = get(slice.getSource());
    return llvm::to_vector(ArrayRef(all).slice(slice.getStaticOffsets()[1], slice.getStaticSizes()[1]));
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto dense = cast<DenseElementsAttr>(constant.getValue());
    return SmallVector<Value>(count, arith::ConstantOp::create(b, op->getLoc(),
                                                              cast<TypedAttr>(dense.getSplatValue<Attribute>())));
  }
  if (isa<tensor::CastOp>(op))
    return get(op->getOperand(0));
  return buildElementwise(op);
}

SmallVector<Value> ScalarBuilder::buildElementwise(Operation *op) {
  SmallVector<SmallVector<Value>> operands;
  for (Value operand : op->getOperands())
    operands.push_back(get(operand));
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  SmallVector<Value> scalars;
  for (int64_t g = 0, n = numScalars(op->getResult(0).getType()); g < n; ++g) {
    IRMapping mapping;
    for (auto [operand, values] : llvm::zip(op->getOperands(), operands))
      mapping.map(operand, values[values.size() == 1 ? 0 : g]);
    Operation *scalar = b.clone(*op, mapping);
    scalar->getResult(0).setType(element);
    scalars.push_back(scalar->getResult(0));
  }
  return scalars;
}

SmallVector<Value> ScalarBuilder::buildGate(GateOp gate) {
  Location loc = gate.getLoc();
  FloatType compute = gate.getComputeType();
  int64_t gates = gate.getNumGates();
  // An operand as one scalar a gate, in the compute type.
  auto scalarsOf = [&](Value value, bool isScaled) {
    int32_t valueAxes = getGateAxes(gate, value, isScaled);
    SmallVector<Value> scalars = isElementAxes(valueAxes) ? get(value) : getInput(value, valueAxes);
    for (Value &scalar : scalars)
      scalar = buildFloatCast(b, loc, scalar, compute);
    if (scalars.size() == 1)
      scalars.assign(gates, Value(scalars[0]));
    return scalars;
  };
  SmallVector<Value> sums(gates);
  auto addTo = [&](int64_t g, Value term) {
    sums[g] = sums[g] ? Value(arith::AddFOp::create(b, loc, sums[g], term)) : term;
  };
  if (gate == product)
    for (int64_t g = 0; g < gates; ++g)
      addTo(g, block->getArgument(g));
  for (auto [s, p] : gate.getScales()) {
    SmallVector<Value> left = scalarsOf(s, true), right = scalarsOf(p, false);
    for (int64_t g = 0; g < gates; ++g)
      addTo(g, arith::MulFOp::create(b, loc, left[g], right[g]));
  }
  for (Value addend : gate.getAddends()) {
    SmallVector<Value> terms = scalarsOf(addend, false);
    for (int64_t g = 0; g < gates; ++g)
      addTo(g, terms[g]);
  }
  for (int64_t g = 0; g < gates; ++g) {
    if (FloatAttr clip = gate.getClipAttr())
      sums[g] = buildClip(b, loc, clip.getValueAsDouble(), sums[g]);
    sums[g] = buildActivation(b, loc, gate.getActivation(g), sums[g]);
    sums[g] = buildFloatCast(b, loc, sums[g], gate.getResultType().getElementType());
  }
  return sums;
}

void ScalarBuilder::buildGeneric(linalg::GenericOp op) {
  Block *body = op.getBody();
  SmallVector<SmallVector<Value>> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    operands.emplace_back();
    if (op.getMatchingBlockArgument(&operand).use_empty())
      continue;
    int32_t operandAxes = *getMapAxes(op.getMatchingIndexingMap(&operand));
    operands.back() = isElementAxes(operandAxes) ? get(operand.get()) : getInput(operand.get(), operandAxes);
  }
  SmallVector<SmallVector<Value>> results(op->getNumResults());
  for (int64_t g = 0, n = numScalars(op.getResult(0).getType()); g < n; ++g) {
    IRMapping mapping;
    for (auto [operand, scalars] : llvm::zip(op->getOpOperands(), operands))
      if (!scalars.empty())
        mapping.map(op.getMatchingBlockArgument(&operand), scalars[scalars.size() == 1 ? 0 : g]);
    auto mapCaptured = [&](ValueRange values) {
      for (Value used : values)
        if (used.getParentBlock() != body && !mapping.contains(used))
          mapping.map(used, get(used)[0]);
    };
    for (Operation &inner : body->without_terminator()) {
      mapCaptured(inner.getOperands());
      b.clone(inner, mapping);
    }
    mapCaptured(body->getTerminator()->getOperands());
    for (auto [i, yielded] : llvm::enumerate(body->getTerminator()->getOperands()))
      results[i].push_back(mapping.lookup(yielded));
  }
  for (auto [value, scalars] : llvm::zip(op->getResults(), results))
    known[value] = scalars;
}
