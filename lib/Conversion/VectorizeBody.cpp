//===- VectorizeBody.cpp - A phase's scalar work on vectors of units -------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorizeBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::lstm;

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

bool lstm::hasContiguousUnits(Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  Type element = type.getElementType();
  // In memory an i1 takes a byte, in a vector a bit.
  bool wholeBytes = element.isIndex() || element.getIntOrFloatBitWidth() % 8 == 0;
  return wholeBytes && type.isLastDimUnitStride();
}

/// `memref`, or if its elements are bf16, the same memory as i16. Back ends
/// without bf16 turn one that is carried from block to block, or picked from a
/// vector, into an f32 and round it with a call.
static Value viewAsIntegers(OpBuilder &b, Location loc, Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  if (!type.getElementType().isBF16())
    return memref;
  MemRefType view = MemRefType::Builder(type).setElementType(b.getI16Type());
  return arith::BitcastOp::create(b, loc, view, memref);
}

/// The bits of `value`, a scalar or vector, as `element`s.
static Value viewAs(OpBuilder &b, Location loc, Value value, Type element) {
  if (getElementTypeOrSelf(value.getType()) == element)
    return value;
  auto vector = dyn_cast<VectorType>(value.getType());
  return arith::BitcastOp::create(b, loc, vector ? Type(vector.clone(element)) : element, value);
}

Value lstm::loadElement(OpBuilder &b, Location loc, Value memref, ValueRange indices) {
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  Value loaded = memref::LoadOp::create(b, loc, viewAsIntegers(b, loc, memref), indices);
  return viewAs(b, loc, loaded, element);
}

/// Loops over the lanes that have a unit; `body` gets the lane, the index of its
/// element and the value carried, and returns the next one (or null).
static Value forEachUnit(OpBuilder &b, Location loc, ValueRange indices, UnitVector units,
                         Value init,
                         function_ref<Value(OpBuilder &, Value, ValueRange, Value)> body) {
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value end = units.count ? units.count : arith::ConstantIndexOp::create(b, loc, units.lanes);
  auto loop = scf::ForOp::create(
      b, loc, zero, end, one, init ? ValueRange(init) : ValueRange(),
      [&](OpBuilder &b, Location loc, Value lane, ValueRange carried) {
        SmallVector<Value> at(indices);
        at.back() = b.createOrFold<arith::AddIOp>(loc, at.back(), lane);
        Value next = body(b, lane, at, carried.empty() ? Value() : carried.front());
        scf::YieldOp::create(b, loc, next ? ValueRange(next) : ValueRange());
      });
  return init ? loop.getResult(0) : Value();
}

Value lstm::loadUnits(OpBuilder &b, Location loc, Value memref, ValueRange indices,
                      UnitVector units) {
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  Value from = viewAsIntegers(b, loc, memref);
  auto type = VectorType::get(units.lanes, cast<MemRefType>(from.getType()).getElementType());
  Value loaded;
  if (hasContiguousUnits(memref) && !units.mask) {
    loaded = vector::LoadOp::create(b, loc, type, from, indices);
  } else {
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
    if (hasContiguousUnits(memref))
      loaded = vector::MaskedLoadOp::create(b, loc, type, from, indices, units.mask, zero);
    else
      loaded = forEachUnit(b, loc, indices, units, zero,
                           [&](OpBuilder &b, Value lane, ValueRange at, Value carried) -> Value {
                             Value scalar = memref::LoadOp::create(b, loc, from, at);
                             return vector::InsertOp::create(b, loc, scalar, carried,
                                                             ArrayRef<OpFoldResult>{lane});
                           });
  }
  return viewAs(b, loc, loaded, element);
}

void lstm::storeUnits(OpBuilder &b, Location loc, Value vector, Value memref, ValueRange indices,
                      UnitVector units) {
  Value to = viewAsIntegers(b, loc, memref);
  Value stored =
      viewAs(b, loc, vector, cast<MemRefType>(to.getType()).getElementType());
  if (hasContiguousUnits(memref) && !units.mask) {
    vector::StoreOp::create(b, loc, stored, to, indices);
    return;
  }
  if (hasContiguousUnits(memref)) {
    vector::MaskedStoreOp::create(b, loc, to, indices, units.mask, stored);
    return;
  }
  forEachUnit(b, loc, indices, units, /*init=*/Value(),
              [&](OpBuilder &b, Value lane, ValueRange at, Value) -> Value {
                Value scalar =
                    vector::ExtractOp::create(b, loc, stored, ArrayRef<OpFoldResult>{lane});
                memref::StoreOp::create(b, loc, scalar, to, at);
                return {};
              });
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value lstm::broadcastTo(OpBuilder &b, Location loc, Value value, int64_t lanes) {
  if (isa<VectorType>(value.getType()))
    return value;
  auto type = VectorType::get(lanes, value.getType());
  TypedAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    return arith::ConstantOp::create(b, loc, SplatElementsAttr::get(type, Attribute(constant)));
  return vector::BroadcastOp::create(b, loc, type, value);
}

Value lstm::castFloat(OpBuilder &b, Location loc, Value value, FloatType type) {
  Type from = getElementTypeOrSelf(value.getType());
  if (from == type)
    return value;
  auto like = [&](Type element) -> Type {
    auto vector = dyn_cast<VectorType>(value.getType());
    return vector ? Type(vector.clone(element)) : element;
  };
  unsigned width = from.getIntOrFloatBitWidth();
  // Neither of f16 and bf16 holds the other, and only what leads between bf16
  // and f32 is expanded.
  Type f32 = b.getF32Type();
  if (width == type.getWidth() || (from.isBF16() && type != f32) || (type.isBF16() && from != f32))
    return castFloat(b, loc, castFloat(b, loc, value, b.getF32Type()), type);
  if (width < type.getWidth())
    return arith::ExtFOp::create(b, loc, like(type), value);
  return arith::TruncFOp::create(b, loc, like(type), value);
}

//===----------------------------------------------------------------------===//
// The body
//===----------------------------------------------------------------------===//

SmallVector<Value> lstm::vectorizeBody(OpBuilder &b, Block &body, ArrayRef<Value> args,
                                       int64_t lanes) {
  IRMapping mapping;
  for (auto [arg, value] : llvm::zip_equal(body.getArguments(), args))
    if (value)
      mapping.map(arg, value);

  // Makes the vector of a uniform value when it is first needed.
  DenseMap<Value, Value> broadcasts;
  auto vectorOf = [&](Value value) {
    Value scalar = mapping.lookupOrDefault(value);
    Value &vector = broadcasts[scalar];
    if (!vector)
      vector = broadcastTo(b, value.getLoc(), scalar, lanes);
    return vector;
  };

  auto isNarrow = [](Type type) { return type.isF16() || type.isBF16(); };
  for (Operation &op : body.without_terminator()) {
    if (op.hasTrait<OpTrait::ConstantLike>()) {
      b.clone(op, mapping);
      continue;
    }
    bool isUniform = llvm::none_of(op.getOperands(), [&](Value operand) {
      return isa<VectorType>(mapping.lookupOrDefault(operand).getType());
    });
    auto operandOf = [&](Value value) {
      return isUniform ? mapping.lookupOrDefault(value) : vectorOf(value);
    };
    if (isa<arith::ExtFOp, arith::TruncFOp>(op)) {
      auto type = cast<FloatType>(op.getResult(0).getType());
      mapping.map(op.getResult(0), castFloat(b, op.getLoc(), operandOf(op.getOperand(0)), type));
      continue;
    }
    // Few machines compute in f16 or bf16: each operation is done in f32, and its
    // result rounded.
    bool isWidened = !isa<arith::SelectOp, arith::BitcastOp>(op) &&
                     (llvm::any_of(op.getOperandTypes(), isNarrow) ||
                      llvm::any_of(op.getResultTypes(), isNarrow));
    IRMapping operands;
    for (Value operand : op.getOperands()) {
      Value value = operandOf(operand);
      if (isWidened && isNarrow(operand.getType()))
        value = castFloat(b, op.getLoc(), value, b.getF32Type());
      operands.map(operand, value);
    }
    Operation *copy = op.clone(operands);
    for (Value result : copy->getResults()) {
      Type type = result.getType();
      if (isWidened && isNarrow(type))
        type = b.getF32Type();
      result.setType(isUniform ? type : VectorType::get(lanes, type));
    }
    b.insert(copy);
    for (auto [old, result] : llvm::zip_equal(op.getResults(), copy->getResults())) {
      auto type = dyn_cast<FloatType>(old.getType());
      mapping.map(old, type ? castFloat(b, op.getLoc(), result, type) : Value(result));
    }
  }
  return llvm::map_to_vector(body.getTerminator()->getOperands(), vectorOf);
}
