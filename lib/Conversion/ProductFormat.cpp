//===- ProductFormat.cpp - What tensor cores multiply ----------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProductFormat.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::lstm;

Value lstm::emitAssembly(ImplicitLocOpBuilder &b, StringRef text, StringRef constraints,
                         Type result, ValueRange operands, bool hasEffects) {
  auto op = LLVM::InlineAsmOp::create(b, result ? TypeRange(result) : TypeRange(), operands, text,
                                      constraints, hasEffects, /*is_align_stack=*/false,
                                      LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
  return result ? op.getResult(0) : Value();
}

ProductFormat::ProductFormat(Type element, Float32Mode mode, bool singleRows) : element(element) {
  if (element.isF32() && singleRows) {
    name = "f32";
    return;
  }
  if (element.isBF16() || (element.isF32() && mode == Float32Mode::BF16x3))
    name = "bf16";
  else
    name = element.isF16() ? "f16" : "tf32";
  planes = element.isF32() && mode != Float32Mode::TF32 ? 2 : 1;
}

ArrayRef<std::pair<unsigned, unsigned>> ProductFormat::getTerms() const {
  // The small ones first, as they are summed.
  static constexpr std::pair<unsigned, unsigned> terms[] = {{1, 0}, {0, 1}, {0, 0}};
  return planes == 1 ? ArrayRef(terms).take_back() : ArrayRef(terms);
}

/// An element as the low bits of a word.
static Value toWord(ImplicitLocOpBuilder &b, Value element) {
  Type type = element.getType();
  Type bits = b.getIntegerType(type.getIntOrFloatBitWidth());
  Value word = arith::BitcastOp::create(b, bits, element);
  return bits == b.getI32Type() ? word : arith::ExtUIOp::create(b, b.getI32Type(), word).getResult();
}

SmallVector<Value> ProductFormat::pack(ImplicitLocOpBuilder &b, ValueRange elements) const {
  SmallVector<Value> words, rest(elements);
  for (unsigned plane = 0; plane < planes; ++plane) {
    SmallVector<Value> parts;
    for (Value &value : rest) {
      Value part = value, rounded = value;
      if (name == "tf32") {
        Value bits = emitAssembly(b, "cvt.rna.tf32.f32 $0, $1;", "=r,f", b.getI32Type(), value,
                                  /*hasEffects=*/false);
        part = rounded = arith::BitcastOp::create(b, b.getF32Type(), bits);
      } else if (element.isF32() && name == "bf16") {
        part = arith::TruncFOp::create(b, b.getBF16Type(), value);
        rounded = arith::ExtFOp::create(b, b.getF32Type(), part);
      }
      parts.push_back(toWord(b, part));
      if (plane + 1 == planes)
        continue;
      // Of an infinity nothing is left.
      Value left = arith::SubFOp::create(b, value, rounded);
      Value isNumber = arith::CmpFOp::create(b, arith::CmpFPredicate::ORD, left, left);
      Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0));
      value = arith::SelectOp::create(b, isNumber, left, zero);
    }
    Value word = parts.front();
    if (parts.size() == 2) {
      Value high = arith::ShLIOp::create(b, parts[1], arith::ConstantIntOp::create(b, 16, 32));
      word = arith::OrIOp::create(b, word, high);
    }
    words.push_back(word);
  }
  return words;
}

Value ProductFormat::packWhole(ImplicitLocOpBuilder &b, Value element) {
  constexpr int64_t kNaN = 0x7fc00000;
  Value isNaN = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, element, element);
  return arith::SelectOp::create(b, isNaN, arith::ConstantIntOp::create(b, kNaN, 32), toWord(b, element));
}

SmallVector<Value> ProductFormat::splitWord(ImplicitLocOpBuilder &b, Value word, Value half) const {
  assert(getWordElements() == 1 && "words are f32");
  auto constant = [&](int64_t bits) { return arith::ConstantIntOp::create(b, bits, 32); };
  if (planes == 1)
    return {word};
  // To 10 bits behind the point, ties away from zero.
  Value large = arith::AddIOp::create(b, word, half);
  large = arith::AndIOp::create(b, large, constant(int32_t(-2 * kHalf)));
  Value value = arith::BitcastOp::create(b, b.getF32Type(), word);
  Value rounded = arith::BitcastOp::create(b, b.getF32Type(), large);
  Value left = arith::SubFOp::create(b, value, rounded);
  // Of an infinity nothing is left.
  Value isNumber = arith::CmpFOp::create(b, arith::CmpFPredicate::ORD, left, left);
  Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0));
  left = arith::SelectOp::create(b, isNumber, left, zero);
  return {large, arith::BitcastOp::create(b, b.getI32Type(), left)};
}

SmallVector<Value> ProductFormat::multiply(ImplicitLocOpBuilder &b, ValueRange weights,
                                           ValueRange operand, ValueRange accumulators) const {
  if (name == "f32") {
    // Of rows r and r + 8 of the weights, two words each.
    SmallVector<Value> sums(accumulators);
    auto get = [&](Value word) { return arith::BitcastOp::create(b, b.getF32Type(), word); };
    for (int64_t i = 0; i < 4; ++i)
      sums[i % 2 * 2] = LLVM::FMAOp::create(b, get(weights[i]), get(operand[i / 2]), sums[i % 2 * 2]);
    return sums;
  }
  auto result = LLVM::LLVMStructType::getLiteral(b.getContext(),
                                                 SmallVector<Type>(4, b.getF32Type()));
  std::string text =
      llvm::formatv("mma.sync.aligned.m16n8k{0}.row.col.f32.{1}.{1}.f32 {{$0, $1, $2, $3}, "
                    "{{$4, $5, $6, $7}, {{$8, $9}, {{$10, $11, $12, $13};",
                    8 * getWordElements(), name);
  SmallVector<Value> operands(weights);
  llvm::append_range(operands, operand);
  llvm::append_range(operands, accumulators);
  Value product = emitAssembly(b, text, "=f,=f,=f,=f,r,r,r,r,r,r,0,1,2,3", result, operands,
                               /*hasEffects=*/false);
  SmallVector<Value> sums;
  for (int64_t i = 0; i < 4; ++i)
    sums.push_back(LLVM::ExtractValueOp::create(b, product, ArrayRef<int64_t>{i}));
  return sums;
}

std::string ProductFormat::getWarpGroupProduct(int64_t columns) const {
  return llvm::formatv("wgmma.mma_async.sync.aligned.m64n{0}k{1}.f32.{2}.{2}", columns, 8 * getWordElements(),
                       name)
      .str();
}
