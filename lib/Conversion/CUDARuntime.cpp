//===- CUDARuntime.cpp - Calls of the run-time library for GPUs ------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CUDARuntime.h"

#include "ByteSize.h"
#include "CheckMessage.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace mlir::lstm;

static Type getPointer(OpBuilder &b) { return LLVM::LLVMPointerType::get(b.getContext()); }

Value lstm::callRuntime(OpBuilder &b, Location loc, StringRef name, Type result,
                        ValueRange arguments) {
  auto module = b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  auto callee = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
  if (!callee) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    Type returned = result ? result : LLVM::LLVMVoidType::get(b.getContext());
    callee = LLVM::LLVMFuncOp::create(
        b, loc, name,
        LLVM::LLVMFunctionType::get(returned, llvm::to_vector(arguments.getTypes())));
  }
  auto call = LLVM::CallOp::create(b, loc, callee, arguments);
  return result ? call.getResult() : Value();
}

Value lstm::getDevicePointer(OpBuilder &b, Location loc, Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  auto toWord = [&](Value index) {
    return arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
  };
  Value address = toWord(memref::ExtractAlignedPointerAsIndexOp::create(b, loc, memref));
  auto [strides, offset] = type.getStridesAndOffset();
  if (offset != 0) {
    auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, memref);
    Value width =
        arith::ConstantIntOp::create(b, loc, getByteWidth(type.getElementType()), 64);
    Value bytes = arith::MulIOp::create(b, loc, toWord(metadata.getOffset()), width);
    address = arith::AddIOp::create(b, loc, address, bytes);
  }
  return LLVM::IntToPtrOp::create(b, loc, getPointer(b), address);
}

Value lstm::getMemRefAt(OpBuilder &b, Location loc, Value pointer, Value bytes) {
  auto type = MemRefType::get({ShapedType::kDynamic}, b.getI8Type());
  LLVMTypeConverter converter(b.getContext());
  auto descriptor = MemRefDescriptor::poison(b, loc, converter.convertType(type));
  auto word = [&](int64_t value) -> Value {
    return LLVM::ConstantOp::create(b, loc, b.getI64Type(), b.getI64IntegerAttr(value));
  };
  descriptor.setAllocatedPtr(b, loc, pointer);
  descriptor.setAlignedPtr(b, loc, pointer);
  descriptor.setOffset(b, loc, word(0));
  descriptor.setSize(b, loc, 0, arith::IndexCastOp::create(b, loc, b.getI64Type(), bytes));
  descriptor.setStride(b, loc, 0, word(1));
  return UnrealizedConversionCastOp::create(b, loc, type, Value(descriptor)).getResult(0);
}

void lstm::lowerDeviceCheck(RewriterBase &rewriter, CheckOp op, gpu::LaunchOp launch) {
  Location loc = op.getLoc();
  Type word = rewriter.getI64Type();
  LLVM::GlobalOp message = getCheckMessage(op);
  rewriter.setInsertionPoint(launch);
  Value record = callRuntime(rewriter, loc, "lstmCudaGetCheck", getPointer(rewriter), {});
  // The host's address of the message: the device only hands it back.
  Value text = LLVM::PtrToIntOp::create(rewriter, loc, word,
                                        LLVM::AddressOfOp::create(rewriter, loc, message));

  rewriter.setInsertionPoint(op);
  Value isTrue = arith::ConstantIntOp::create(rewriter, loc, 1, 1);
  Value fails = arith::XOrIOp::create(rewriter, loc, op.getCondition(), isTrue);
  auto branch = scf::IfOp::create(rewriter, loc, fails, /*withElseRegion=*/false);
  rewriter.setInsertionPointToStart(branch.thenBlock());
  Value zero = arith::ConstantIntOp::create(rewriter, loc, 0, 64);
  auto exchange = LLVM::AtomicCmpXchgOp::create(rewriter, loc, record, zero, text,
                                                LLVM::AtomicOrdering::monotonic,
                                                LLVM::AtomicOrdering::monotonic);
  Value isFirst =
      LLVM::ExtractValueOp::create(rewriter, loc, exchange, ArrayRef<int64_t>{1});
  auto first = scf::IfOp::create(rewriter, loc, isFirst, /*withElseRegion=*/false);
  rewriter.setInsertionPointToStart(first.thenBlock());
  for (auto [i, value] : llvm::enumerate(getCheckValues(rewriter, op))) {
    Value place = LLVM::GEPOp::create(rewriter, loc, getPointer(rewriter), word, record,
                                      ArrayRef<LLVM::GEPArg>(static_cast<int32_t>(i) + 1));
    LLVM::StoreOp::create(rewriter, loc, value, place);
  }
  rewriter.eraseOp(op);
}
