//===- KernelMemory.cpp - Addresses in a kernel -------------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "ByteSize.h"
#include "CUDARuntime.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::lstm;

/// Whether a condition holds in some lane of the warp.
Value KernelEmitter::isAny(Value condition) {
  Value bits = arith::ExtUIOp::create(b, b.getI32Type(), condition);
  Value any = assembly("{ .reg .pred p; setp.ne.u32 p, $1, 0; vote.sync.any.pred p, p, -1; "
                       "selp.u32 $0, 1, 0, p; }",
                       "=r,r", b.getI32Type(), bits);
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, any, word(0));
}

SmallVector<Value> KernelEmitter::guarded(Value condition, TypeRange types,
                                          function_ref<SmallVector<Value>()> body) {
  if (!condition)
    return body();
  auto branch = scf::IfOp::create(b, types, condition, /*withElseRegion=*/!types.empty());
  {
    OpBuilder::InsertionGuard guard(b);
    if (types.empty()) {
      b.setInsertionPointToStart(branch.thenBlock());
      body();
    } else {
      b.setInsertionPointToStart(branch.thenBlock());
      scf::YieldOp::create(b, body());
      b.setInsertionPointToStart(branch.elseBlock());
      SmallVector<Value> zeros;
      for (Type type : types)
        zeros.push_back(arith::ConstantOp::create(b, b.getZeroAttr(type)));
      scf::YieldOp::create(b, zeros);
    }
  }
  return branch.getResults();
}

Value KernelEmitter::advance(Value pointer, Value bytes) {
  Value offset = arith::IndexCastOp::create(b, b.getI64Type(), bytes);
  return LLVM::GEPOp::create(b, pointer.getType(), b.getI8Type(), pointer,
                             ArrayRef<LLVM::GEPArg>(offset));
}

/// The address of an element of a view, which is made in the loop or outside of it.
Value KernelEmitter::address(Value memref, ArrayRef<Value> indices, const IRMapping &step) {
  auto resolve = [&](OpFoldResult value) -> Value {
    if (auto constant = getConstantIntValue(value))
      return index(*constant);
    return step.lookupOrDefault(cast<Value>(value));
  };
  SmallVector<Value> at(indices);
  while (!source.isDefinedOutsideOfLoop(memref)) {
    Operation *op = memref.getDefiningOp();
    if (auto slice = dyn_cast<memref::SubViewOp>(op)) {
      llvm::SmallBitVector dropped = slice.getDroppedDims();
      SmallVector<Value> whole;
      auto next = at.begin();
      for (auto [dim, offset] : llvm::enumerate(slice.getMixedOffsets())) {
        Value position = resolve(offset);
        if (!dropped.test(dim))
          position = add(position, mul(*next++, resolve(slice.getMixedStrides()[dim])));
        whole.push_back(position);
      }
      at = whole;
    } else if (auto expand = dyn_cast<memref::ExpandShapeOp>(op)) {
      SmallVector<Value> whole;
      for (const ReassociationIndices &group : expand.getReassociationIndices()) {
        Value position = at[group.front()];
        for (int64_t dim : ArrayRef(group).drop_front())
          position = add(mul(position, resolve(expand.getMixedOutputShape()[dim])), at[dim]);
        whole.push_back(position);
      }
      at = whole;
    }
    memref = op->getOperand(0);
  }
  Memory &memory = memories[memref];
  if (!memory.pointer) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(launch);
    auto metadata = memref::ExtractStridedMetadataOp::create(b, memref);
    memory.strides = metadata.getConstifiedMixedStrides();
    Value pointer = getDevicePointer(b, b.getLoc(), memref);
    b.setInsertionPointToStart(&launch.getBody().front());
    memory.pointer = LLVM::AddrSpaceCastOp::create(b, global, pointer);
  }
  Value offset = index(0);
  for (auto [position, stride] : llvm::zip_equal(at, memory.strides))
    offset = add(offset, mul(position, getValueOrCreateConstantIndexOp(b, b.getLoc(), stride)));
  int64_t bytes = getByteWidth(cast<MemRefType>(memref.getType()).getElementType());
  return advance(memory.pointer, mul(offset, bytes));
}

/// [step slot][plane][row][word] of an exchange.
Value KernelEmitter::exchangeAddress(unsigned exchange, Value slot, unsigned plane, Value row,
                                     Value word) {
  const ExchangeLayout &place = layout.exchanges[exchange];
  Value before = mul(mul(slots, rows), place.before);
  Value line = add(mul(slot, place.format.getNumPlanes()), index(plane));
  Value offset = add(before, add(mul(add(mul(line, rows), row), place.rowWords), word));
  return advance(exchangeMemory, mul(offset, 4));
}

/// What the loop computes of its count, for another value of it.
IRMapping KernelEmitter::computeStep(Value count) {
  IRMapping step;
  step.map(source.getInductionVar(), count);
  for (Operation &op : source.getBody()->without_terminator())
    if (!isa<PhaseOp, linalg::LinalgOp, memref::CopyOp>(op) &&
        llvm::none_of(op.getResultTypes(), llvm::IsaPred<BaseMemRefType>))
      b.clone(op, step);
  return step;
}
