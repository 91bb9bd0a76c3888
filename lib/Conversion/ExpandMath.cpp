//===- ExpandMath.cpp - Math operations without calls ----------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions that activations are made of, of which the sigmoid and tanh
// decide the speed of nearly every cell. `accurate` evaluates the same formulas
// in f64, where their rounding errors do not count.
//
//===----------------------------------------------------------------------===//

#include "lstm/Conversion/ExpandMath.h"

#include "FloatMath.h"
#include "lstm/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

#include <limits>

namespace mlir::lstm {
#define GEN_PASS_DEF_LSTMEXPANDMATHPASS
#include "lstm/Conversion/Passes.h.inc"
} // namespace mlir::lstm

using namespace mlir;
using namespace mlir::lstm;

// Coefficients are minimax ones unless something else is said.

/// e^r for |r| <= ln(2) / 2, relative error 3.1e-9.
static const double kExp[] = {1.0, 1.0, 0.49999993451708435, 0.1666652068983302,
                              0.04166838736126115, 0.008368709824171195, 0.0013814613260779772};
/// The same one degree lower, 7.5e-8.
static const double kFastExp[] = {1.00000007, 0.99999969, 0.499988905, 0.166675784,
                                  0.0419158766, 0.00829758394};
/// (e^r - 1 - r) / r^2 there, error 6.2e-8.
static const double kExpM1[] = {0.5000000026934363, 0.16666577005951352, 0.04166637524904468,
                                0.008363175255474937, 0.0013941113663705255};
/// tanh x = x p(x^2) / q(x^2) up to 9.02, relative error 2.1e-8; both times a
/// factor with which f32 rounds them well.
static const double kTanhNumerator[] = {1.77709615, 0.237770453, 0.00620923517, 3.65788219e-05,
                                        2.36692692e-08};
static const double kTanhDenominator[] = {1.77709615, 0.830135524, 0.0459753834, 0.000583437155,
                                          1.37938537e-06};

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// e^x for x in -88...88 (f64: in 700 either way); 0 at the lower end.
static Value expandExpInRange(FloatMath &m, Value x, ArrayRef<double> coefficients = kExp) {
  auto [n, r, biased] = m.reduce(x);
  return m.mul(m.polynomial(r, coefficients), m.powerOfTwo(biased));
}

/// e^x, denormal and infinite results included.
static Value expandExp(FloatMath &m, Value x) {
  // Beyond these the result is 0 and infinity all the same.
  x = m.clamp(x, -105.0, 89.0);
  if (m.isF64())
    return expandExpInRange(m, x);
  auto [n, r, biased] = m.reduce(x);
  // 2^n alone may be no normal number: n and twice the bias, in two halves.
  Value sum = m.subInt(biased, m.intConstant(llvm::bit_cast<int32_t>(0x1.8p23f) - m.bias()));
  Value half = m.shiftRight(sum, 1);
  Value scaled = m.mul(m.polynomial(r, kExp), m.powerOfTwo(half));
  return m.mul(scaled, m.powerOfTwo(m.subInt(sum, half)));
}

/// e^x = 2^n (1 + q)
static std::pair<Value, Value> splitExp(FloatMath &m, Value x, bool isSmall) {
  auto [n, r, biased] = m.reduce(x, isSmall);
  Value q = m.fma(m.mul(r, r), m.polynomial(r, kExpM1), r);
  return {biased, q};
}

static Value expandExpM1(FloatMath &m, Value x) {
  auto [biased, q] = splitExp(m, m.clamp(x, -25.0, 89.0), /*isSmall=*/false);
  // With half of 2^n there is no infinity before the result is one.
  Value scale = m.powerOfTwo(m.subInt(biased, m.intConstant(1)));
  Value half = m.fma(scale, q, m.sub(scale, m.constant(0.5)));
  return m.add(half, half);
}

/// 1 / (1 + e^-x) = e^x / (1 + e^x); 0 where that is below the normal numbers.
static Value expandSigmoid(FloatMath &m, Value x, ArrayRef<double> coefficients = kExp) {
  // From 17.4 on it is 1.
  Value e = expandExpInRange(m, m.clamp(x, m.isF64() ? -105.0 : -88.0, 30.0), coefficients);
  return m.quotient(e, m.add(e, m.constant(1.0)));
}

static Value expandFastSigmoid(FloatMath &m, Value x) { return expandSigmoid(m, x, kFastExp); }

/// (e^2|x| - 1) / (e^2|x| + 1) with the sign of x; exactly 1 from 9.2 on.
static Value expandTanh(FloatMath &m, Value x) {
  Value magnitude = m.atMost(m.magnitude(x), 9.2);
  auto [biased, q] = splitExp(m, m.add(magnitude, magnitude), /*isSmall=*/true);
  Value scale = m.powerOfTwo(biased);
  Value e = m.fma(scale, q, m.sub(scale, m.constant(1.0)));
  return m.withSign(m.quotient(e, m.add(e, m.constant(2.0))), x);
}

static Value expandFastTanh(FloatMath &m, Value x) {
  x = m.clamp(x, -9.02, 9.02);
  Value square = m.mul(x, x);
  Value quotient =
      m.quotient(m.mul(x, m.polynomial(square, kTanhNumerator)), m.polynomial(square, kTanhDenominator));
  return m.hasQuotientsByReciprocals() ? m.withSign(m.magnitude(quotient), x) : quotient;
}

/// ln x; NaN for x < 0, -infinity for 0.
static Value expandLog(FloatMath &m, Value x) {
  double infinity = std::numeric_limits<double>::infinity();
  double nan = std::numeric_limits<double>::quiet_NaN();
  // A denormal number is made a normal one first.
  Value isSmall = m.compare(arith::CmpFPredicate::OLT, x, m.constant(0x1p-126));
  Value normal = m.select(isSmall, m.mul(x, m.constant(0x1p24)), x);
  Value bias = m.select(isSmall, m.constant(-24.0), m.constant(0.0));
  // x = (1 + f) 2^e with 1 + f from sqrt(1/2) to sqrt(2).
  int64_t mantissaBits = m.mantissaBits();
  Value sqrtHalf = m.bits(m.constant(0.70710678118654752440));
  Value offset = m.subInt(m.bits(normal), sqrtHalf);
  Value e = m.add(m.toFloat(m.shiftRight(offset, mantissaBits)), bias);
  Value mantissa = m.addInt(m.andInt(offset, (int64_t(1) << mantissaBits) - 1), sqrtHalf);
  Value f = m.sub(m.fromBits(mantissa), m.constant(1.0));
  // ln(1 + f) = f - f^2 / 2 + f^3 p(f), with p as in the Cephes library.
  Value p = m.polynomial(f, {3.3333331174e-1, -2.4999993993e-1, 2.0000714765e-1, -1.6668057665e-1,
                             1.4249322787e-1, -1.2420140846e-1, 1.1676998740e-1, -1.1514610310e-1,
                             7.0376836292e-2});
  Value square = m.mul(f, f);
  Value tail = m.fma(m.mul(square, f), p, m.mul(e, m.constant(-2.12194440054690583e-4)));
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
static Value expandLog1p(FloatMath &m, Value x) {
  Value one = m.constant(1.0);
  Value u = m.add(x, one);
  Value lost = m.sub(x, m.sub(u, one));
  // 0 for x = -1, NaN for infinity.
  Value isAnyLost = m.compare(arith::CmpFPredicate::ONE, lost, m.constant(0.0));
  Value correction = m.select(isAnyLost, m.div(lost, u), m.constant(0.0));
  return m.add(expandLog(m, u), correction);
}

static Value expandErf(FloatMath &m, Value x) {
  // x + x p(x^2), relative error 1.8e-8.
  Value p = m.polynomial(m.mul(x, x), {0.128379148, -0.376124811, 0.112816825, -0.0267617199,
                                       0.00498594064, -0.000595374187});
  Value near = m.fma(p, x, x);
  // 1 - e^(-|x| p(|x|)), relative error 7.4e-10. At 3.93 it is 1.
  Value t = m.atMost(m.magnitude(x), 3.93);
  p = m.polynomial(t, {-1.12864849, -0.635151318, -0.106236874, 0.02376206, -0.00364245752,
                       0.000322803461, -1.12312641e-05});
  Value e = expandExpInRange(m, m.mul(t, p));
  Value far = m.withSign(m.sub(m.constant(1.0), e), x);
  return m.select(m.compare(arith::CmpFPredicate::OGT, t, m.constant(0.925)), far, near);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

namespace {

using Expand = Value (*)(FloatMath &, Value);

/// What a function becomes; null where it is the library's.
struct Expansion {
  Expand fast = nullptr;
  Expand usual = nullptr;
};

} // namespace

static Expansion getExpansion(Operation *op) {
  return llvm::TypeSwitch<Operation *, Expansion>(op)
      .Case([](math::TanhOp) { return Expansion{expandFastTanh, expandTanh}; })
      .Case([](math::ExpOp) { return Expansion{expandExp, expandExp}; })
      .Case([](math::ExpM1Op) { return Expansion{expandExpM1, expandExpM1}; })
      .Case([](math::LogOp) { return Expansion{expandLog, expandLog}; })
      .Case([](math::Log1pOp) { return Expansion{expandLog1p, expandLog1p}; })
      .Case([](math::ErfOp) { return Expansion{expandErf, expandErf}; })
      .Default([](Operation *) { return Expansion(); });
}

/// x where `op` is 1 / (1 + e^-x), as activations are built; null otherwise.
static Value matchSigmoid(arith::DivFOp op) {
  auto sum = op.getRhs().getDefiningOp<arith::AddFOp>();
  if (!sum || !matchPattern(op.getLhs(), m_OneFloat()))
    return {};
  for (auto [one, power] : {std::pair(sum.getLhs(), sum.getRhs()), {sum.getRhs(), sum.getLhs()}}) {
    auto exp = power.getDefiningOp<math::ExpOp>();
    auto negation = exp ? exp.getOperand().getDefiningOp<arith::NegFOp>() : arith::NegFOp();
    if (negation && matchPattern(one, m_OneFloat()))
      return negation.getOperand();
  }
  return {};
}

/// The function of `x` in f32 or f64, in `x`'s own type.
static Value expandIn(FloatType element, OpBuilder &b, Location loc, Value x, Expand expand, bool usesReciprocals) {
  Type type = x.getType();
  if (getElementTypeOrSelf(type) == element) {
    FloatMath math(b, loc, type, usesReciprocals);
    return expand(math, x);
  }
  auto shaped = dyn_cast<ShapedType>(type);
  Type wide = shaped ? Type(shaped.clone(element)) : element;
  FloatMath math(b, loc, wide, usesReciprocals);
  Value result = expand(math, arith::ExtFOp::create(b, loc, wide, x));
  return arith::TruncFOp::create(b, loc, type, result);
}

/// The value of `op`, a function of `x`, without a call; null where it is left to
/// the library.
static Value expandOp(OpBuilder &b, Operation *op, Value x, Expansion by, MathAccuracy accuracy, bool usesReciprocals) {
  Location loc = op->getLoc();
  Type element = getElementTypeOrSelf(x.getType());
  bool isNarrow = element.isF16() || element.isBF16();
  if (!by.usual || !(isNarrow || element.isF32()))
    return {};
  // A few units in the last place of f32 are nothing in f16 and bf16.
  if (isNarrow || accuracy == MathAccuracy::Fast)
    return expandIn(b.getF32Type(), b, loc, x, by.fast, usesReciprocals);
  bool isAccurate = accuracy == MathAccuracy::Accurate;
  return expandIn(isAccurate ? b.getF64Type() : b.getF32Type(), b, loc, x, by.usual, usesReciprocals);
}

int64_t lstm::expandMath(RewriterBase &rewriter, Operation *root, MathAccuracy accuracy, bool usesReciprocals) {
  int64_t numExpanded = 0;
  auto replace = [&](Operation *op, Value x, Expansion by) {
    rewriter.setInsertionPoint(op);
    Value result = expandOp(rewriter, op, x, by, accuracy, usesReciprocals);
    if (!result)
      return;
    ++numExpanded;
    SmallVector<Operation *> dead = {op};
    rewriter.replaceAllUsesWith(op->getResult(0), result);
    // What only the old form needed: it must not be expanded on its own.
    while (!dead.empty()) {
      Operation *last = dead.pop_back_val();
      if (!isOpTriviallyDead(last))
        continue;
      for (Value operand : last->getOperands())
        if (Operation *producer = operand.getDefiningOp())
          if (!llvm::is_contained(dead, producer))
            dead.push_back(producer);
      rewriter.eraseOp(last);
    }
  };
  // Sigmoids first: their exponentials go with them.
  Expand sigmoid = [](FloatMath &m, Value x) { return expandSigmoid(m, x); };
  SmallVector<arith::DivFOp> quotients;
  root->walk([&](arith::DivFOp op) { quotients.push_back(op); });
  for (arith::DivFOp op : quotients)
    if (Value x = matchSigmoid(op))
      replace(op, x, {expandFastSigmoid, sigmoid});
  SmallVector<Operation *> functions;
  root->walk([&](Operation *op) {
    if (getExpansion(op).usual)
      functions.push_back(op);
  });
  for (Operation *op : functions)
    replace(op, op->getOperand(0), getExpansion(op));
  return numExpanded;
}

namespace {
struct LSTMExpandMathPass : lstm::impl::LSTMExpandMathPassBase<LSTMExpandMathPass> {
  using LSTMExpandMathPassBase::LSTMExpandMathPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    numExpanded += expandMath(rewriter, getOperation(), accuracy, usesReciprocals);
  }
};
} // namespace
