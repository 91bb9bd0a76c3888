//===- VectorMath.cpp - Math operations on vectors of f32 ------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions that activations are made of, of which exp and tanh decide the
// speed of nearly every cell. Others stay as they are, for the library.
//
//===----------------------------------------------------------------------===//

#include "VectorizeBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::lstm;

namespace {

/// Short names for what the expansions are made of. All values have the type of
/// the operation's operand or that type with elements i32.
class FloatMath {
public:
  FloatMath(OpBuilder &b, Location loc, VectorType type)
      : b(b), loc(loc), type(type), intType(type.clone(b.getI32Type())) {}

  Value constant(double value) {
    return arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(type, b.getF32FloatAttr(static_cast<float>(value))));
  }
  Value intConstant(int32_t value) {
    return arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(intType, b.getI32IntegerAttr(value)));
  }
  Value add(Value l, Value r) { return arith::AddFOp::create(b, loc, l, r); }
  Value sub(Value l, Value r) { return arith::SubFOp::create(b, loc, l, r); }
  Value mul(Value l, Value r) { return arith::MulFOp::create(b, loc, l, r); }
  Value div(Value l, Value r) { return arith::DivFOp::create(b, loc, l, r); }
  Value fma(Value l, Value r, Value s) { return vector::FMAOp::create(b, loc, l, r, s); }
  Value bits(Value x) { return arith::BitcastOp::create(b, loc, intType, x); }
  Value fromBits(Value x) { return arith::BitcastOp::create(b, loc, type, x); }
  Value andBits(Value x, int32_t mask) {
    return andInt(bits(x), mask);
  }
  Value andInt(Value x, int32_t mask) {
    return arith::AndIOp::create(b, loc, x, intConstant(mask));
  }
  Value shiftLeft(Value x, int32_t by) {
    return arith::ShLIOp::create(b, loc, x, intConstant(by));
  }
  Value shiftRight(Value x, int32_t by) {
    return arith::ShRSIOp::create(b, loc, x, intConstant(by));
  }
  Value addInt(Value l, Value r) { return arith::AddIOp::create(b, loc, l, r); }
  Value subInt(Value l, Value r) { return arith::SubIOp::create(b, loc, l, r); }

  /// Clamps to `low`...`high`; NaN stays NaN, as ordered comparisons with it fail.
  Value clamp(Value x, double low, double high) { return atMost(atLeast(x, low), high); }
  Value atLeast(Value x, double low) { return choose(arith::CmpFPredicate::OLT, x, low); }
  Value atMost(Value x, double high) { return choose(arith::CmpFPredicate::OGT, x, high); }

  /// sum_i coefficients[i] x^i
  Value polynomial(Value x, ArrayRef<double> coefficients) {
    Value sum = constant(coefficients.back());
    for (double c : llvm::reverse(coefficients.drop_back()))
      sum = fma(sum, x, constant(c));
    return sum;
  }

  /// x = n ln 2 + r with n a whole number and |r| at most ln(2) / 2.
  struct Reduced {
    Value n; // i32
    Value r;
  };
  Reduced reduce(Value x) {
    // Adding this rounds to a whole number, which then stands in the low bits.
    // Unlike a conversion to integer this is defined for NaN.
    Value magic = constant(12582912.0);
    Value t = fma(x, constant(1.4426950408889634), magic);
    Value n = sub(t, magic);
    // ln 2 in two parts, so that the product with n does not lose bits.
    Value r = fma(n, constant(-0.693147182464599609375), x);
    r = fma(n, constant(1.904654299957767e-09), r);
    return {subInt(bits(t), bits(magic)), r};
  }

  Value compare(arith::CmpFPredicate predicate, Value l, Value r) {
    return arith::CmpFOp::create(b, loc, predicate, l, r);
  }
  Value select(Value condition, Value l, Value r) {
    return arith::SelectOp::create(b, loc, condition, l, r);
  }
  Value toFloat(Value n) { return arith::SIToFPOp::create(b, loc, type, n); }

  /// 2^n for n in -126...127
  Value powerOfTwo(Value n) { return fromBits(shiftLeft(addInt(n, intConstant(127)), 23)); }

private:
  Value choose(arith::CmpFPredicate predicate, Value x, double bound) {
    Value limit = constant(bound);
    return select(compare(predicate, x, limit), limit, x);
  }

  OpBuilder &b;
  Location loc;
  VectorType type, intType;
};

/// e^x, denormal and infinite results included.
Value expandExp(FloatMath &m, Value x) {
  // Beyond these the result is 0 and infinity all the same.
  auto [n, r] = m.reduce(m.clamp(x, -105.0, 89.0));
  // Minimax over |r| <= ln(2) / 2, relative error 3.1e-9.
  Value p = m.polynomial(r, {1.0, 1.0, 0.49999993451708435, 0.1666652068983302, 0.04166838736126115,
                             0.008368709824171195, 0.0013814613260779772});
  // 2^n alone may be no normal number.
  Value half = m.shiftRight(n, 1);
  return m.mul(m.mul(p, m.powerOfTwo(half)), m.powerOfTwo(m.subInt(n, half)));
}

/// e^x - 1 for x in -25...89
Value expandExpM1InRange(FloatMath &m, Value x) {
  auto [n, r] = m.reduce(x);
  // e^r - 1 = r + r^2 h(r); minimax, error of h 6.2e-8.
  Value h = m.polynomial(r, {0.5000000026934363, 0.16666577005951352, 0.04166637524904468,
                             0.008363175255474937, 0.0013941113663705255});
  Value q = m.fma(m.mul(r, r), h, r);
  // With half of 2^n there is no infinity before the result is one.
  Value scale = m.powerOfTwo(m.subInt(n, m.intConstant(1)));
  Value half = m.fma(scale, q, m.sub(scale, m.constant(0.5)));
  return m.add(half, half);
}

Value expandExpM1(FloatMath &m, Value x) {
  return expandExpM1InRange(m, m.clamp(x, -25.0, 89.0));
}

/// (e^2|x| - 1) / (e^2|x| + 1) with the sign of x; exactly 1 from 9.2 on.
Value expandTanh(FloatMath &m, Value x) {
  Value sign = m.andBits(x, INT32_MIN);
  Value magnitude = m.atMost(m.fromBits(m.andBits(x, INT32_MAX)), 9.2);
  Value e = expandExpM1InRange(m, m.add(magnitude, magnitude));
  Value t = m.div(e, m.add(e, m.constant(2.0)));
  return m.fromBits(m.addInt(m.bits(t), sign));
}

/// ln x; NaN for x < 0, -infinity for 0.
Value expandLog(FloatMath &m, Value x) {
  double infinity = std::numeric_limits<double>::infinity();
  double nan = std::numeric_limits<double>::quiet_NaN();
  // A denormal number is made a normal one first.
  Value isSmall = m.compare(arith::CmpFPredicate::OLT, x, m.constant(0x1p-126));
  Value normal = m.select(isSmall, m.mul(x, m.constant(0x1p24)), x);
  Value bias = m.select(isSmall, m.constant(-24.0), m.constant(0.0));
  // x = (1 + f) 2^e with 1 + f from sqrt(1/2) to sqrt(2).
  int32_t sqrtHalf = 0x3f3504f3;
  Value offset = m.subInt(m.bits(normal), m.intConstant(sqrtHalf));
  Value e = m.add(m.toFloat(m.shiftRight(offset, 23)), bias);
  Value mantissa = m.addInt(m.andInt(offset, 0x007fffff), m.intConstant(sqrtHalf));
  Value f = m.sub(m.fromBits(mantissa), m.constant(1.0));
  // ln(1 + f) = f - f^2 / 2 + f^3 p(f), with p as in the Cephes library.
  Value p = m.polynomial(f, {3.3333331174e-1, -2.4999993993e-1, 2.0000714765e-1, -1.6668057665e-1,
                             1.4249322787e-1, -1.2420140846e-1, 1.1676998740e-1, -1.1514610310e-1,
                             7.0376836292e-2});
  Value square = m.mul(f, f);
  Value tail = m.fma(m.mul(square, f), p, m.mul(e, m.constant(-2.12194440e-4)));
  tail = m.fma(square, m.constant(-0.5), tail);
  Value result = m.fma(e, m.constant(0.693359375), m.add(f, tail));
  result = m.select(m.compare(arith::CmpFPredicate::OEQ, x, m.constant(infinity)), x, result);
  result = m.select(m.compare(arith::CmpFPredicate::OEQ, x, m.constant(0.0)),
                    m.constant(-infinity), result);
  // Unordered or below 0.
  Value isOutside = m.compare(arith::CmpFPredicate::ULT, x, m.constant(0.0));
  return m.select(isOutside, m.constant(nan), result);
}

/// ln(1 + x), with what 1 + x loses in rounding put back.
Value expandLog1p(FloatMath &m, Value x) {
  Value one = m.constant(1.0);
  Value u = m.add(x, one);
  Value lost = m.sub(x, m.sub(u, one));
  // 0 for x = -1, NaN for infinity.
  Value isAnyLost = m.compare(arith::CmpFPredicate::ONE, lost, m.constant(0.0));
  Value correction = m.select(isAnyLost, m.div(lost, u), m.constant(0.0));
  return m.add(expandLog(m, u), correction);
}

template <typename Op, Value (*expand)(FloatMath &, Value)>
struct ExpandOnVector : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    if (!type || !type.getElementType().isF32())
      return rewriter.notifyMatchFailure(op, "not a vector of f32");
    FloatMath math(rewriter, op.getLoc(), type);
    rewriter.replaceOp(op, expand(math, op.getOperand()));
    return success();
  }
};

} // namespace

void lstm::populateVectorMathPatterns(RewritePatternSet &patterns) {
  populateMathF32ExpansionPatterns(patterns, [](StringRef) { return true; }, /*benefit=*/2);
  patterns.add<ExpandOnVector<math::ExpOp, expandExp>, ExpandOnVector<math::ExpM1Op, expandExpM1>,
               ExpandOnVector<math::TanhOp, expandTanh>, ExpandOnVector<math::LogOp, expandLog>,
               ExpandOnVector<math::Log1pOp, expandLog1p>>(patterns.getContext());
  // Upstream's other approximations are wrong where x is denormal or large.
  populatePolynomialApproximateErfPattern(patterns);
  // Without them a conversion from f32 to bf16 becomes a call for each lane.
  arith::populateExpandBFloat16Patterns(patterns);
}
