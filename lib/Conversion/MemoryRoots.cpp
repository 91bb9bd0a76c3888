//===- MemoryRoots.cpp - Which memory an operation touches -----------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryRoots.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace mlir::lstm;

Value lstm::getMemoryRoot(Value view) {
  while (Operation *op = view.getDefiningOp()) {
    if (auto source = dyn_cast<ViewLikeOpInterface>(op)) {
      view = source.getViewSource();
      continue;
    }
    if (auto cast = dyn_cast<arith::BitcastOp>(op)) {
      view = cast.getIn();
      continue;
    }
    return hasEffect<MemoryEffects::Allocate>(op, view) || isa<memref::GetGlobalOp>(op) ? view : Value();
  }
  bool isArgument = isa<FunctionOpInterface>(cast<BlockArgument>(view).getOwner()->getParentOp());
  return isArgument ? view : Value();
}

bool lstm::isSizeOf(Value size, Value memref, int64_t dim) {
  if (int64_t known = cast<MemRefType>(memref.getType()).getDimSize(dim); !ShapedType::isDynamic(known))
    return getConstantIntValue(size) == known;
  if (auto query = size.getDefiningOp<memref::DimOp>(); query && query.getSource() == memref)
    return query.getConstantIndex() == dim;
  if (auto alloc = memref.getDefiningOp<memref::AllocOp>())
    return alloc.getMixedSizes()[dim] == OpFoldResult(size);
  if (auto expansion = memref.getDefiningOp<memref::ExpandShapeOp>())
    return expansion.getMixedOutputShape()[dim] == OpFoldResult(size);
  if (auto view = memref.getDefiningOp<memref::SubViewOp>()) {
    llvm::SmallBitVector dropped = view.getDroppedDims();
    int64_t number = 0;
    for (auto [i, extent] : llvm::enumerate(view.getMixedSizes()))
      if (!dropped.test(i) && number++ == dim)
        return extent == OpFoldResult(size);
  }
  return false;
}

std::optional<int64_t> lstm::getSourceDim(memref::SubViewOp view, int64_t dim) {
  llvm::SmallBitVector dropped = view.getDroppedDims();
  int64_t number = 0;
  for (int64_t i = 0, e = view.getSourceType().getRank(); i < e; ++i) {
    if (dropped.test(i) || number++ != dim)
      continue;
    OpFoldResult size = view.getMixedSizes()[i];
    bool isWhole = view.getSourceType().isDynamicDim(i)
                       ? isa<Value>(size) && isSizeOf(cast<Value>(size), view.getSource(), i)
                       : getConstantIntValue(size) == view.getSourceType().getDimSize(i);
    bool isPlain = getConstantIntValue(view.getMixedOffsets()[i]) == 0 &&
                   getConstantIntValue(view.getMixedStrides()[i]) == 1;
    return isWhole && isPlain ? std::optional(i) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<int64_t> lstm::getRootDim(Value view, int64_t dim) {
  Value root = getMemoryRoot(view);
  while (view != root) {
    Operation *op = view.getDefiningOp();
    if (!op)
      return std::nullopt;
    std::optional<int64_t> source;
    if (auto slice = dyn_cast<memref::SubViewOp>(op)) {
      source = getSourceDim(slice, dim);
    } else if (auto expansion = dyn_cast<memref::ExpandShapeOp>(op)) {
      for (auto [i, group] : llvm::enumerate(expansion.getReassociationIndices()))
        if (group == ReassociationIndices{dim})
          source = i;
    } else if (auto collapse = dyn_cast<memref::CollapseShapeOp>(op)) {
      if (ReassociationIndices group = collapse.getReassociationIndices()[dim]; group.size() == 1)
        source = group.front();
    } else if (isa<memref::CastOp, arith::BitcastOp>(op)) {
      source = dim;
    }
    if (!source)
      return std::nullopt;
    dim = *source;
    view = op->getOperand(0);
  }
  return dim;
}

Accesses::Accesses(Operation *op,
                   function_ref<std::optional<int64_t>(Operation *, Value)> getSharedDim) {
  op->walk([&](Operation *inner) {
    if (isMemoryEffectFree(inner))
      return;
    if (auto interface = dyn_cast<MemoryEffectOpInterface>(inner)) {
      SmallVector<MemoryEffects::EffectInstance> effects;
      interface.getEffects(effects);
      for (const MemoryEffects::EffectInstance &effect : effects) {
        std::pair<Value, int64_t> accessed(Value(), kWhole);
        if (Value value = effect.getValue()) {
          accessed.first = getMemoryRoot(value);
          if (std::optional<int64_t> dim = getSharedDim(inner, value); dim && accessed.first)
            accessed.second = getRootDim(value, *dim).value_or(kWhole);
        }
        if (isa<MemoryEffects::Read>(effect.getEffect()))
          read.insert(accessed);
        else
          written.insert(accessed);
      }
    } else if (!inner->hasTrait<OpTrait::HasRecursiveMemoryEffects>()) {
      read.insert({Value(), kWhole});
      written.insert({Value(), kWhole});
    }
  });
}

bool Accesses::meets(const Set &l, const Set &r) {
  auto meet = [](std::pair<Value, int64_t> a, std::pair<Value, int64_t> b) {
    if (a.first != b.first)
      return !a.first || !b.first;
    return a.second != b.second || a.second == kWhole;
  };
  return llvm::any_of(l, [&](auto a) { return llvm::any_of(r, [&](auto b) { return meet(a, b); }); });
}

bool Accesses::conflictsWith(const Accesses &other) const {
  return meets(written, other.written) || meets(written, other.read) || meets(read, other.written);
}

bool Accesses::mayWrite(Value view) const { return meets(written, Set({{getMemoryRoot(view), kWhole}})); }

void Accesses::add(const Accesses &other) {
  read.insert_range(other.read);
  written.insert_range(other.written);
}

Value lstm::sliceRows(OpBuilder &b, Location loc, Value memref, Value first, Value count) {
  SmallVector<OpFoldResult> sizes = memref::getMixedSizes(b, loc, memref);
  SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0)), strides(sizes.size(), b.getIndexAttr(1));
  offsets.front() = getAsOpFoldResult(first);
  sizes.front() = getAsOpFoldResult(count);
  return memref::SubViewOp::create(b, loc, memref, offsets, sizes, strides);
}
