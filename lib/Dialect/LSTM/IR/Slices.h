//===- Slices.h - Slices of tensors and memrefs -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_LIB_DIALECT_LSTM_IR_SLICES_H
#define LSTM_LIB_DIALECT_LSTM_IR_SLICES_H

#include "lstm/Dialect/LSTM/IR/LSTM.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace mlir::lstm {

/// The sizes of a ranked tensor or memref.
inline SmallVector<OpFoldResult> getMixedSizes(OpBuilder &builder, Location loc, Value value) {
  return isa<MemRefType>(value.getType()) ? memref::getMixedSizes(builder, loc, value)
                                          : tensor::getMixedSizes(builder, loc, value);
}

/// A slice of a ranked tensor or memref. The dimensions `drop` have size 1 and vanish.
inline Value createSlice(OpBuilder &builder, Location loc, Value value, ArrayRef<OpFoldResult> offsets,
                         ArrayRef<OpFoldResult> sizes, ArrayRef<int64_t> drop = {}) {
  SmallVector<OpFoldResult> strides(offsets.size(), builder.getIndexAttr(1));
  SmallVector<int64_t> shape;
  for (auto [i, size] : llvm::enumerate(sizes))
    if (!llvm::is_contained(drop, static_cast<int64_t>(i)))
      shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  if (auto type = dyn_cast<MemRefType>(value.getType())) {
    MemRefType sliced = memref::SubViewOp::inferRankReducedResultType(shape, type, offsets, sizes, strides);
    return memref::SubViewOp::create(builder, loc, sliced, value, offsets, sizes, strides);
  }
  auto sliced = RankedTensorType::get(shape, getElementTypeOrSelf(value));
  return tensor::ExtractSliceOp::create(builder, loc, sliced, value, offsets, sizes, strides);
}

/// Where weight W[k, gate, unit] stands, plain or packed.
inline SmallVector<Value> getWeightIndices(OpBuilder &builder, Location loc, Value weight, Value k, Value gate,
                                           Value unit) {
  WeightLayout layout = WeightLayout::get(cast<ShapedType>(weight.getType()));
  if (!layout.isPacked())
    return {k, gate, unit};
  AffineExpr d0 = builder.getAffineDimExpr(0);
  auto apply = [&](AffineExpr expr, Value operand) -> Value {
    return affine::AffineApplyOp::create(builder, loc, AffineMap::get(1, 0, expr), operand);
  };
  return {apply(d0.floorDiv(layout.blockUnits), unit), apply(d0.floorDiv(layout.blockGates), gate), k,
          apply(d0 % layout.blockGates, gate), apply(d0 % layout.blockUnits, unit)};
}

} // namespace mlir::lstm

#endif // LSTM_LIB_DIALECT_LSTM_IR_SLICES_H
