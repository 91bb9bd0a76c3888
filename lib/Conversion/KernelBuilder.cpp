//===- KernelBuilder.cpp - Elementwise kernels -----------------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"

#include "CUDARuntime.h"

#include "lstm/Dialect/LSTM/IR/LSTM.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/CallInterfaces.h"

using namespace mlir;
using namespace mlir::lstm;

/// What stands in memory for an element: `index` has 64 bits there, whatever it has in
/// the kernel.
static Type getStoredType(Type element) {
  return element.isIndex() ? IntegerType::get(element.getContext(), 64) : element;
}

KernelBuilder::KernelBuilder(RewriterBase &rewriter, Location loc, ArrayRef<OpFoldResult> sizes,
                             int64_t threads)
    : rewriter(rewriter), loc(loc) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  };
  Value one = constant(1);
  Value total = constant(threads);
  for (OpFoldResult size : sizes)
    total = rewriter.createOrFold<arith::MulIOp>(loc, total, getIndex(size));
  Value blockSize = constant(kBlockSize);
  Value blocks = rewriter.createOrFold<arith::CeilDivUIOp>(loc, total, blockSize);
  launch = gpu::LaunchOp::create(rewriter, loc, blocks, one, one, blockSize, one, one);

  Block *block = &launch.getBody().front();
  rewriter.setInsertionPointToStart(block);
  gpu::TerminatorOp::create(rewriter, loc);
  rewriter.setInsertionPointToStart(block);
  Value id = arith::AddIOp::create(
      rewriter, loc, arith::MulIOp::create(rewriter, loc, launch.getBlockIds().x, constant(kBlockSize)),
      launch.getThreadIds().x);
  Value inside = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ult, id, total);
  auto branch = scf::IfOp::create(rewriter, loc, inside, /*withElseRegion=*/false);
  body = branch.thenBlock();
  rewriter.setInsertionPointToStart(body);
  if (threads > 1) {
    lane = arith::RemUIOp::create(rewriter, loc, id, constant(threads));
    id = arith::DivUIOp::create(rewriter, loc, id, constant(threads));
  }
  point.resize(sizes.size());
  for (size_t i = sizes.size(); i-- > 0;) {
    if (i == 0) {
      point[i] = id;
      break;
    }
    Value size = getIndex(sizes[i]);
    point[i] = arith::RemUIOp::create(rewriter, loc, id, size);
    id = arith::DivUIOp::create(rewriter, loc, id, size);
  }
}

Value KernelBuilder::getIndex(OpFoldResult size) {
  return getValueOrCreateConstantIndexOp(rewriter, loc, size);
}

const KernelBuilder::View &KernelBuilder::getView(Value memref) {
  auto [at, isNew] = views.try_emplace(memref);
  View &view = at->second;
  if (!isNew)
    return view;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(launch);
  auto metadata = memref::ExtractStridedMetadataOp::create(rewriter, loc, memref);
  view.sizes = metadata.getConstifiedMixedSizes();
  view.strides = metadata.getConstifiedMixedStrides();
  view.pointer = getDevicePointer(rewriter, loc, memref);
  return view;
}

Value KernelBuilder::getAddress(const View &view, Type element, ValueRange indices) {
  Value offset;
  for (auto [index, stride] : llvm::zip_equal(indices, view.strides)) {
    Value term = index;
    if (!isConstantIntValue(stride, 1))
      term = arith::MulIOp::create(rewriter, loc, index, getIndex(stride));
    offset = offset ? Value(arith::AddIOp::create(rewriter, loc, offset, term)) : term;
  }
  if (!offset)
    return view.pointer;
  offset = arith::IndexCastOp::create(rewriter, loc, rewriter.getI64Type(), offset);
  return LLVM::GEPOp::create(rewriter, loc, view.pointer.getType(), element, view.pointer,
                             ArrayRef<LLVM::GEPArg>(offset));
}

Value KernelBuilder::load(Value memref, ValueRange indices) {
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  Type stored = getStoredType(element);
  Value address = getAddress(getView(memref), stored, indices);
  Value value = LLVM::LoadOp::create(rewriter, loc, stored, address);
  return stored == element ? value : arith::IndexCastOp::create(rewriter, loc, element, value);
}

void KernelBuilder::store(Value value, Value memref, ValueRange indices) {
  Type stored = getStoredType(value.getType());
  if (stored != value.getType())
    value = arith::IndexCastOp::create(rewriter, loc, stored, value);
  LLVM::StoreOp::create(rewriter, loc, value, getAddress(getView(memref), stored, indices));
}

LogicalResult KernelBuilder::lowerBody() {
  SmallVector<memref::LoadOp> loads;
  SmallVector<CheckOp> checks;
  Operation *foreign = nullptr;
  body->walk([&](Operation *op) {
    if (auto load = dyn_cast<memref::LoadOp>(op))
      loads.push_back(load);
    else if (auto check = dyn_cast<CheckOp>(op))
      checks.push_back(check);
    else if (isa<memref::MemRefDialect>(op->getDialect()) ||
             isa<CallOpInterface>(op) ||
             llvm::any_of(op->getOperandTypes(), llvm::IsaPred<BaseMemRefType>))
      foreign = op;
  });
  if (foreign)
    return foreign->emitOpError("cannot stand in the body of an operation that becomes a kernel");

  for (memref::LoadOp op : loads) {
    rewriter.setInsertionPoint(op);
    // What data says is not trusted: a bad length is reported, but must not fault before.
    SmallVector<Value> indices;
    Value isEmpty;
    const View &view = getView(op.getMemRef());
    for (auto [index, size] : llvm::zip_equal(op.getIndices(), view.sizes)) {
      if (isa<Value>(size)) {
        Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
        Value none = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq, getIndex(size), zero);
        isEmpty = isEmpty ? Value(arith::OrIOp::create(rewriter, loc, isEmpty, none)) : none;
      }
      Value last = arith::SubIOp::create(rewriter, loc, getIndex(size),
                                         arith::ConstantIndexOp::create(rewriter, loc, 1));
      indices.push_back(arith::MinUIOp::create(rewriter, loc, index, last));
    }
    if (!isEmpty) {
      rewriter.replaceOp(op, load(op.getMemRef(), indices));
      continue;
    }
    // Nothing is in bounds of what may be empty.
    auto branch = scf::IfOp::create(rewriter, loc, op.getType(), isEmpty, /*withElseRegion=*/true);
    rewriter.setInsertionPointToStart(branch.thenBlock());
    Value nothing = arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(op.getType()));
    scf::YieldOp::create(rewriter, loc, nothing);
    rewriter.setInsertionPointToStart(branch.elseBlock());
    Value value = load(op.getMemRef(), indices);
    scf::YieldOp::create(rewriter, loc, value);
    rewriter.replaceOp(op, branch.getResult(0));
  }
  for (CheckOp op : checks)
    lowerDeviceCheck(rewriter, op, launch);
  return success();
}

LogicalResult KernelBuilder::finish() {
  LogicalResult result = lowerBody();
  rewriter.setInsertionPointAfter(launch);
  return result;
}
