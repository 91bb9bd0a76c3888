//===- FloatMath.h - Building blocks of elementary functions -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_LIB_CONVERSION_FLOATMATH_H
#define LSTM_LIB_CONVERSION_FLOATMATH_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace mlir::lstm {

/// Short names for what elementary functions are made of. Values have the type
/// `type`, f32 or f64 or a vector of one, or that type with integers as wide.
class FloatMath {
public:
  FloatMath(OpBuilder &b, Location loc, Type type, bool usesReciprocals)
      : b(b), loc(loc), type(type), usesReciprocals(usesReciprocals),
        element(cast<FloatType>(getElementTypeOrSelf(type))), intElement(b.getIntegerType(element.getWidth())) {
    auto shaped = dyn_cast<ShapedType>(type);
    intType = shaped ? Type(shaped.clone(intElement)) : intElement;
  }

  bool isF64() const { return element.isF64(); }
  bool hasQuotientsByReciprocals() const { return usesReciprocals && !isF64(); }

  //===--------------------------------------------------------------------===//
  // Floats
  //===--------------------------------------------------------------------===//

  Value constant(double value) {
    return makeConstant(type, isF64() ? b.getF64FloatAttr(value)
                                      : b.getF32FloatAttr(static_cast<float>(value)));
  }
  Value add(Value l, Value r) { return arith::AddFOp::create(b, loc, l, r); }
  Value sub(Value l, Value r) { return arith::SubFOp::create(b, loc, l, r); }
  Value mul(Value l, Value r) { return arith::MulFOp::create(b, loc, l, r); }
  Value div(Value l, Value r) { return arith::DivFOp::create(b, loc, l, r); }

  /// l / r, where neither r nor the quotient is close to the end of f32's range: an
  /// approximate reciprocal and a step of Newton's method are as exact, and no branch
  /// keeps instructions on both sides of it apart. Of a zero, the step loses the sign.
  Value quotient(Value l, Value r) {
    if (!hasQuotientsByReciprocals())
      return div(l, r);
    Value reciprocal = arith::DivFOp::create(b, loc, constant(1.0), r, arith::FastMathFlags::afn);
    Value near = mul(l, reciprocal);
    Value left = fma(arith::NegFOp::create(b, loc, r), near, l);
    return fma(left, reciprocal, near);
  }

  /// l * r + s, fused where the machine can (see convert-lstm-to-llvm).
  Value fma(Value l, Value r, Value s) {
    return math::FmaOp::create(b, loc, l, r, s, arith::FastMathFlags::contract);
  }

  /// sum_i coefficients[i] x^i
  Value polynomial(Value x, ArrayRef<double> coefficients) {
    Value sum = constant(coefficients.back());
    for (double c : llvm::reverse(coefficients.drop_back()))
      sum = fma(sum, x, constant(c));
    return sum;
  }

  Value compare(arith::CmpFPredicate predicate, Value l, Value r) {
    return arith::CmpFOp::create(b, loc, predicate, l, r);
  }
  Value select(Value condition, Value l, Value r) {
    return arith::SelectOp::create(b, loc, condition, l, r);
  }

  /// Clamps to `low`...`high`; NaN stays NaN, as ordered comparisons with it fail.
  Value clamp(Value x, double low, double high) { return atMost(atLeast(x, low), high); }
  Value atLeast(Value x, double low) { return bound(arith::CmpFPredicate::OLT, x, low); }
  Value atMost(Value x, double high) { return bound(arith::CmpFPredicate::OGT, x, high); }

  //===--------------------------------------------------------------------===//
  // Their bits
  //===--------------------------------------------------------------------===//

  Value intConstant(int64_t value) {
    return makeConstant(intType, b.getIntegerAttr(intElement, value));
  }
  Value bits(Value x) { return arith::BitcastOp::create(b, loc, intType, x); }
  Value fromBits(Value x) { return arith::BitcastOp::create(b, loc, type, x); }
  Value andInt(Value x, int64_t mask) {
    return arith::AndIOp::create(b, loc, x, intConstant(mask));
  }
  Value shiftLeft(Value x, int64_t by) {
    return arith::ShLIOp::create(b, loc, x, intConstant(by));
  }
  Value shiftRight(Value x, int64_t by) {
    return arith::ShRSIOp::create(b, loc, x, intConstant(by));
  }
  Value addInt(Value l, Value r) { return arith::AddIOp::create(b, loc, l, r); }
  Value subInt(Value l, Value r) { return arith::SubIOp::create(b, loc, l, r); }
  Value toFloat(Value n) { return arith::SIToFPOp::create(b, loc, type, n); }

  Value magnitude(Value x) { return fromBits(andInt(bits(x), ~signBit())); }
  /// `x`, which is not negative, with the sign of `sign`.
  Value withSign(Value x, Value sign) {
    Value bit = andInt(bits(sign), signBit());
    return fromBits(arith::OrIOp::create(b, loc, bits(x), bit));
  }

  //===--------------------------------------------------------------------===//
  // Powers of two
  //===--------------------------------------------------------------------===//

  /// x = n ln 2 + r with n a whole number and |r| at most ln(2) / 2.
  struct Reduced {
    Value n; // as a float
    Value r;
    Value biased; // an integer; in its low bits n + the exponent's bias
  };

  /// With `isSmall`, |n| is below 32, and r's error counts the less the larger n.
  Reduced reduce(Value x, bool isSmall = false) {
    // Adding this rounds to a whole number, which then stands in the low bits.
    // Unlike a conversion to integer this is defined for NaN.
    Value magic = constant((isF64() ? 0x1.8p52 : 0x1.8p23) + bias());
    Value t = fma(x, constant(1.4426950408889634), magic);
    Value n = sub(t, magic);
    Value r;
    if (isF64() || isSmall) {
      r = fma(n, constant(-0.69314718055994530942), x);
    } else {
      // ln 2 in two parts, of which the first has few bits: its product with n
      // is exact on machines without a fused operation, too.
      r = fma(n, constant(-0.693359375), x);
      r = fma(n, constant(2.12194440054690583e-4), r);
    }
    return {n, r, bits(t)};
  }

  /// 2^n from the biased n; 0 where n is the negative bias.
  Value powerOfTwo(Value biased) { return fromBits(shiftLeft(biased, mantissaBits())); }

  int64_t mantissaBits() const { return isF64() ? 52 : 23; }
  int64_t bias() const { return isF64() ? 1023 : 127; }

private:
  Value makeConstant(Type type, TypedAttr value) {
    if (auto shaped = dyn_cast<ShapedType>(type))
      value = SplatElementsAttr::get(shaped, Attribute(value));
    return arith::ConstantOp::create(b, loc, value);
  }
  Value bound(arith::CmpFPredicate predicate, Value x, double limit) {
    Value at = constant(limit);
    return select(compare(predicate, x, at), at, x);
  }
  int64_t signBit() const { return isF64() ? INT64_MIN : INT32_MIN; }

  OpBuilder &b;
  Location loc;
  Type type, intType;
  bool usesReciprocals;
  FloatType element;
  IntegerType intElement;
};

} // namespace mlir::lstm

#endif // LSTM_LIB_CONVERSION_FLOATMATH_H
