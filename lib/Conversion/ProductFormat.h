//===- ProductFormat.h - What tensor cores multiply -------------*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operands of mma.sync with 32-bit accumulators. A value is held as a word, or as the
// sum of two words of less precision each, "planes": the large part and what it leaves.
// Products of planes are summed, but for that of the two small ones.
//
// Fragments are those of the PTX ISA, "Matrix Fragments for mma.m16n8k16/m16n8k8", with
// the sum over k in another order, so that four words of a lane follow each other in
// memory: a lane q of a quad holds k = 4 q w ... 4 q w + 4 w - 1 of 16 w (w: elements of a
// word), of which the first product takes the words 0 and 1, the second one 2 and 3.
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_LIB_CONVERSION_PRODUCTFORMAT_H
#define LSTM_LIB_CONVERSION_PRODUCTFORMAT_H

#include "lstm/Conversion/Float32Mode.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::lstm {

/// A PTX instruction. Upstream's operations of the NVVM dialect do not say their effects,
/// which buffer deallocation wants to know.
Value emitAssembly(ImplicitLocOpBuilder &b, StringRef text, StringRef constraints, Type result,
                   ValueRange operands, bool hasEffects);

class ProductFormat {
public:
  /// With `singleRows`, f32 is multiplied without tensor cores, for one row: the first of a lane's accumulators.
  ProductFormat(Type element, Float32Mode mode, bool singleRows);

  /// Elements in a word of a plane.
  int64_t getWordElements() const { return name == "tf32" || name == "f32" ? 1 : 2; }
  /// Words that a lane reads at once, of two products.
  static constexpr int64_t kLaneWords = 4;
  /// Words and elements along k that two products take.
  static constexpr int64_t kGroupWords = 4 * kLaneWords;
  int64_t getGroupSize() const { return kGroupWords * getWordElements(); }
  int64_t getNumPlanes() const { return planes; }
  /// Whether products of parts are as exact as those of f32.
  bool isFloat32() const { return getWordElements() == 1 && planes > 1; }
  /// Products of two planes, numbers of the weight's and of the operand's.
  ArrayRef<std::pair<unsigned, unsigned>> getTerms() const;

  /// The words, one a plane, of as many elements as a word holds.
  SmallVector<Value> pack(ImplicitLocOpBuilder &b, ValueRange elements) const;

  /// The word of an f32 that splitWord() takes. NaN is one that it leaves so: a NaN of nothing but ones it would carry
  /// over to 0, and one whose ones are all dropped would become an infinity.
  static Value packWhole(ImplicitLocOpBuilder &b, Value element);

  /// The words, one a plane, of an f32 that is a word: as pack() has them, but in fewer instructions, as the assembler
  /// does not know that products don't read the lower bits of the small one.
  SmallVector<Value> splitWord(ImplicitLocOpBuilder &b, Value word, Value half) const;
  /// What splitWord() adds: half of the last bit that is kept.
  static constexpr int32_t kHalf = 0x1000;

  /// accumulators (4 x f32) + weights (4 words) * operand (2 words).
  SmallVector<Value> multiply(ImplicitLocOpBuilder &b, ValueRange weights, ValueRange operand,
                              ValueRange accumulators) const;

  /// `wgmma` of a warp group with so many columns, without operands, and the constants behind them: sums and
  /// products as they are, and, of 16 bits, that k is the inner dimension of each matrix in shared memory.
  std::string getWarpGroupProduct(int64_t columns) const;
  std::string getWarpGroupConstants(int64_t matrices) const {
    std::string constants = "1, 1, 1";
    for (int64_t i = 0; i < matrices && getWordElements() == 2; ++i)
      constants += ", 0";
    return constants;
  }

private:
  Type element;
  /// In the names of instructions.
  StringRef name;
  unsigned planes = 1;
};

} // namespace mlir::lstm

#endif // LSTM_LIB_CONVERSION_PRODUCTFORMAT_H
