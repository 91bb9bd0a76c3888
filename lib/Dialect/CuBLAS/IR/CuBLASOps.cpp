//===- CuBLASOps.cpp - Operations of the cublas dialect -------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/Dialect/CuBLAS/IR/CuBLAS.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::cublas;

bool cublas::isSupported(Type input, Type output) {
  bool isHalf = input.isF16() || input.isBF16();
  return (input == output && (isHalf || input.isF32() || input.isF64())) || (isHalf && output.isF32());
}

//===----------------------------------------------------------------------===//
// Syntax of asynchronous operations, as the gpu dialect has it
//===----------------------------------------------------------------------===//

/// `async`? (`[` tokens `]`)?
static ParseResult parseAsyncDependencies(OpAsmParser &parser, Type &tokenType,
                                          SmallVectorImpl<OpAsmParser::UnresolvedOperand> &dependencies) {
  if (succeeded(parser.parseOptionalKeyword("async")))
    tokenType = parser.getBuilder().getType<gpu::AsyncTokenType>();
  return parser.parseOperandList(dependencies, OpAsmParser::Delimiter::OptionalSquare);
}

static void printAsyncDependencies(OpAsmPrinter &printer, Operation *, Type tokenType,
                                   OperandRange dependencies) {
  if (tokenType)
    printer << "async";
  if (dependencies.empty())
    return;
  if (tokenType)
    printer << ' ';
  printer << '[';
  llvm::interleaveComma(dependencies, printer);
  printer << ']';
}

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

/// Whether two sizes, as far as they are static, are the same.
static bool isCompatible(int64_t l, int64_t r) {
  return ShapedType::isDynamic(l) || ShapedType::isDynamic(r) || l == r;
}

static std::string sizeToString(int64_t size) {
  return ShapedType::isDynamic(size) ? "?" : std::to_string(size);
}

/// Layout of an operand: the last dimension is contiguous, and rows lie apart.
static LogicalResult verifyLayout(Operation *op, MemRefType type, StringRef name, bool written) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)) || strides.back() != 1)
    return op->emitOpError("expects ")
           << name << " with a last dimension of stride 1, but got " << type << " (gemm_c3)";
  int64_t rows = type.getShape().end()[-2], columns = type.getShape().back(), leading = strides.end()[-2];
  int64_t least = ShapedType::isDynamic(columns) ? 0 : columns;
  // A matrix of one row has no next one.
  if (rows != 1 && !ShapedType::isDynamic(leading) && leading < least)
    return op->emitOpError("expects a stride between the rows of ")
           << name << " of at least " << least << ", but got " << leading << " (gemm_c5)";
  if (written && strides.size() == 3 && strides.front() == 0 && type.getDimSize(0) != 1)
    return op->emitOpError("expects a stride between the matrices of ")
           << name << " other than 0, but got " << type << " (gemm_c7)";
  return success();
}

/// Constraints of both products; the labels are those of docs/Spec.md.
template <typename Op>
static LogicalResult verifyProduct(Op op, int64_t rank) {
  static constexpr StringLiteral kNames[] = {"A", "B", "C"};
  MemRefType types[] = {op.getA().getType(), op.getB().getType(), op.getC().getType()};
  for (auto [type, name] : llvm::zip_equal(types, kNames))
    if (type.getRank() != rank)
      return op.emitOpError("expects ")
             << name << " of rank " << rank << ", but got " << type << " (gemm_c1)";
  auto [a, b, c] = types;
  if (a.getElementType() != b.getElementType() || !isSupported(a.getElementType(), c.getElementType()))
    return op.emitOpError("expects A and B of one type of f64, f32, f16 and bf16, and C of it or f32 beside "
                          "f16 and bf16, but got ")
           << a.getElementType() << ", " << b.getElementType() << " and " << c.getElementType()
           << " (gemm_c2)";
  for (auto [type, name] : llvm::zip_equal(types, kNames))
    if (failed(verifyLayout(op, type, name, /*written=*/name == "C")))
      return failure();

  auto verifySize = [&](StringRef size, StringRef first, int64_t l, StringRef second,
                        int64_t r) -> LogicalResult {
    if (isCompatible(l, r))
      return success();
    return op.emitOpError("expects the same ")
           << size << " in " << first << " and " << second << ", but got " << sizeToString(l) << " and "
           << sizeToString(r) << " (gemm_c4)";
  };
  int64_t row = rank - 2, column = rank - 1;
  auto [m, kOfA] = op.getTransposeA() ? std::pair(column, row) : std::pair(row, column);
  auto [kOfB, n] = op.getTransposeB() ? std::pair(column, row) : std::pair(row, column);
  if (failed(verifySize("m", "A", a.getDimSize(m), "C", c.getDimSize(row))) ||
      failed(verifySize("n", "B", b.getDimSize(n), "C", c.getDimSize(column))) ||
      failed(verifySize("k", "A", a.getDimSize(kOfA), "B", b.getDimSize(kOfB))))
    return failure();
  if (rank == 3 && (failed(verifySize("batch", "A", a.getDimSize(0), "C", c.getDimSize(0))) ||
                    failed(verifySize("batch", "B", b.getDimSize(0), "C", c.getDimSize(0))) ||
                    failed(verifySize("batch", "A", a.getDimSize(0), "B", b.getDimSize(0)))))
    return failure();

  ComputeType compute = op.getComputeType();
  Type element = a.getElementType();
  if ((compute == ComputeType::F64) != element.isF64() || (compute == ComputeType::TF32 && !element.isF32()))
    return op.emitOpError("expects a compute type of f64 for f64, f32 or tf32 for f32, and f32 for f16 and "
                          "bf16, but got ")
           << stringifyComputeType(compute) << " for " << element << " (gemm_c6)";
  return success();
}

LogicalResult GemmOp::verify() { return verifyProduct(*this, /*rank=*/2); }
LogicalResult GemmStridedBatchedOp::verify() { return verifyProduct(*this, /*rank=*/3); }

//===----------------------------------------------------------------------===//
// Effects
//===----------------------------------------------------------------------===//

template <typename Op>
static void getProductEffects(Op op, SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &op.getAMutable());
  effects.emplace_back(MemoryEffects::Read::get(), &op.getBMutable());
  if (!op.getBeta().isZero())
    effects.emplace_back(MemoryEffects::Read::get(), &op.getCMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &op.getCMutable());
}

void GemmOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  getProductEffects(*this, effects);
}

void GemmStridedBatchedOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  getProductEffects(*this, effects);
}

#define GET_OP_CLASSES
#include "lstm/Dialect/CuBLAS/IR/CuBLASOps.cpp.inc"
