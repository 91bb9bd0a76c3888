//===- CuBLASToRuntime.cpp - Products to calls of the runtime --------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/Conversion/CuBLAS.h"
#include "lstm/Conversion/Passes.h"

#include "lstm-runtime/cuda.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::lstm {
#define GEN_PASS_DEF_CONVERTCUBLASTORUNTIMEPASS
#include "lstm/Conversion/Passes.h.inc"
} // namespace mlir::lstm

using namespace mlir;
using namespace mlir::lstm;

static constexpr StringLiteral kGemm = "lstmCudaGemm";

static int32_t getDtype(Type type) {
  if (type.isF64())
    return LSTM_F64;
  if (type.isF32())
    return LSTM_F32;
  return type.isF16() ? LSTM_F16 : LSTM_BF16;
}

static int32_t getCompute(cublas::ComputeType type) {
  switch (type) {
  case cublas::ComputeType::F32:
    return LSTM_COMPUTE_F32;
  case cublas::ComputeType::TF32:
    return LSTM_COMPUTE_TF32;
  case cublas::ComputeType::F64:
    return LSTM_COMPUTE_F64;
  }
  llvm_unreachable("no other compute type");
}

namespace {
/// Builds the arguments of a call.
struct ArgumentBuilder {
  ArgumentBuilder(RewriterBase &rewriter, Location loc)
      : rewriter(rewriter), loc(loc), pointer(LLVM::LLVMPointerType::get(rewriter.getContext())) {}

  void add(Value value) { values.push_back(value); }
  void addI32(int32_t value) { add(constant(rewriter.getI32IntegerAttr(value))); }
  void addI64(int64_t value) { add(constant(rewriter.getI64IntegerAttr(value))); }
  void addF64(const APFloat &value) { add(constant(rewriter.getF64FloatAttr(value.convertToDouble()))); }
  void addSize(Value memref, int64_t dim) {
    int64_t size = cast<MemRefType>(memref.getType()).getDimSize(dim);
    if (!ShapedType::isDynamic(size))
      return addI64(size);
    Value index = arith::ConstantIndexOp::create(rewriter, loc, dim);
    add(toI64(memref::DimOp::create(rewriter, loc, memref, index)));
  }

  /// Address of the first element, leading dimension, stride between matrices.
  void addMatrix(Value memref) {
    auto type = cast<MemRefType>(memref.getType());
    auto [strides, offset] = type.getStridesAndOffset();
    memref::ExtractStridedMetadataOp metadata;
    if (ShapedType::isDynamic(offset) || llvm::any_of(strides, ShapedType::isDynamic))
      metadata = memref::ExtractStridedMetadataOp::create(rewriter, loc, memref);

    Value address = memref::ExtractAlignedPointerAsIndexOp::create(rewriter, loc, memref);
    if (offset != 0) {
      Value elements = ShapedType::isDynamic(offset)
                           ? Value(metadata.getOffset())
                           : arith::ConstantIndexOp::create(rewriter, loc, offset).getResult();
      Value size = arith::ConstantIndexOp::create(rewriter, loc, type.getElementTypeBitWidth() / 8);
      Value bytes = arith::MulIOp::create(rewriter, loc, elements, size);
      address = arith::AddIOp::create(rewriter, loc, address, bytes);
    }
    add(LLVM::IntToPtrOp::create(rewriter, loc, pointer, toI64(address)));

    auto addStride = [&](int64_t dim) {
      if (ShapedType::isDynamic(strides[dim]))
        add(toI64(metadata.getStrides()[dim]));
      else
        addI64(strides[dim]);
    };
    int64_t rank = type.getRank();
    // The stride of a matrix of one row can be anything, a leading dimension cannot.
    if (type.getDimSize(rank - 2) == 1)
      addSize(memref, rank - 1);
    else
      addStride(rank - 2);
    if (rank == 3)
      addStride(0);
    else
      addI64(0);
  }

  Value toI64(Value index) {
    return arith::IndexCastOp::create(rewriter, loc, rewriter.getI64Type(), index);
  }
  Value constant(TypedAttr value) { return arith::ConstantOp::create(rewriter, loc, value); }

  RewriterBase &rewriter;
  Location loc;
  Type pointer;
  SmallVector<Value> values;
};
} // namespace

template <typename Op>
static LogicalResult convert(RewriterBase &rewriter, Op op) {
  OperandRange dependencies = op.getAsyncDependencies();
  if (dependencies.size() > 1)
    return op.emitOpError("expects at most 1 dependency, which becomes the stream, but got ")
           << dependencies.size();

  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  ArgumentBuilder arguments(rewriter, op.getLoc());
  Type pointer = arguments.pointer;
  Value stream =
      dependencies.empty()
          ? LLVM::ZeroOp::create(rewriter, op.getLoc(), pointer).getResult()
          : UnrealizedConversionCastOp::create(rewriter, op.getLoc(), pointer, dependencies.front())
                .getResult(0);

  MemRefType a = op.getA().getType(), c = op.getC().getType();
  int64_t rank = c.getRank();
  arguments.add(stream);
  arguments.addI32(getDtype(a.getElementType()));
  arguments.addI32(getDtype(c.getElementType()));
  arguments.addI32(getCompute(op.getComputeType()));
  arguments.addI32(op.getTransposeA());
  arguments.addI32(op.getTransposeB());
  arguments.addSize(op.getC(), rank - 2);
  arguments.addSize(op.getC(), rank - 1);
  arguments.addSize(op.getA(), op.getTransposeA() ? rank - 2 : rank - 1);
  arguments.addF64(op.getAlpha());
  arguments.addMatrix(op.getA());
  arguments.addMatrix(op.getB());
  arguments.addF64(op.getBeta());
  arguments.addMatrix(op.getC());
  if (rank == 3)
    arguments.addSize(op.getC(), 0);
  else
    arguments.addI64(1);

  SmallVector<Type> types = llvm::to_vector(ValueRange(arguments.values).getTypes());
  FailureOr<LLVM::LLVMFuncOp> callee =
      LLVM::lookupOrCreateFn(rewriter, op->template getParentOfType<ModuleOp>(), kGemm, types,
                             LLVM::LLVMVoidType::get(rewriter.getContext()));
  if (failed(callee))
    return failure();
  LLVM::CallOp::create(rewriter, op.getLoc(), *callee, arguments.values);

  if (Value token = op.getAsyncToken()) {
    Value after = dependencies.empty() ? UnrealizedConversionCastOp::create(rewriter, op.getLoc(),
                                                                            token.getType(), stream)
                                             .getResult(0)
                                       : dependencies.front();
    rewriter.replaceAllUsesWith(token, after);
  }
  rewriter.eraseOp(op);
  return success();
}

LogicalResult lstm::convertCuBLASToRuntime(RewriterBase &rewriter, cublas::GemmOp op) {
  return convert(rewriter, op);
}
LogicalResult lstm::convertCuBLASToRuntime(RewriterBase &rewriter, cublas::GemmStridedBatchedOp op) {
  return convert(rewriter, op);
}

namespace {
struct ConvertCuBLASToRuntime : lstm::impl::ConvertCuBLASToRuntimePassBase<ConvertCuBLASToRuntime> {
  using ConvertCuBLASToRuntimePassBase::ConvertCuBLASToRuntimePassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    auto convertAll = [&](auto op) {
      return failed(convertCuBLASToRuntime(rewriter, op)) ? WalkResult::interrupt() : WalkResult::advance();
    };
    if (getOperation().walk([&](cublas::GemmOp op) { return convertAll(op); }).wasInterrupted() ||
        getOperation().walk([&](cublas::GemmStridedBatchedOp op) { return convertAll(op); }).wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
