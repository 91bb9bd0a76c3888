//===- Activations.cpp - Activations in arith and math ops ----------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/Dialect/LSTM/Transforms/Activations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::lstm;

Value lstm::buildFloatConstant(OpBuilder &b, Location loc, Value like, double value) {
  Type type = like.getType();
  TypedAttr scalar = b.getFloatAttr(getElementTypeOrSelf(type), value);
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped)
    return arith::ConstantOp::create(b, loc, scalar);
  if (shaped.hasStaticShape())
    return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(shaped, scalar));
  SmallVector<Value> sizes;
  for (int64_t i = 0; i < shaped.getRank(); ++i)
    if (shaped.isDynamicDim(i))
      sizes.push_back(tensor::DimOp::create(b, loc, like, i));
  return tensor::SplatOp::create(b, loc, type, arith::ConstantOp::create(b, loc, scalar), sizes);
}

Value lstm::buildClip(OpBuilder &b, Location loc, double clip, Value x) {
  x = arith::MinimumFOp::create(b, loc, x, buildFloatConstant(b, loc, x, clip));
  return arith::MaximumFOp::create(b, loc, x, buildFloatConstant(b, loc, x, -clip));
}

Value lstm::buildFloatCast(OpBuilder &b, Location loc, Value x, Type type) {
  unsigned from = getElementTypeOrSelf(x.getType()).getIntOrFloatBitWidth();
  unsigned to = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  if (x.getType() == type)
    return x;
  if (from < to)
    return arith::ExtFOp::create(b, loc, type, x);
  if (from > to)
    return arith::TruncFOp::create(b, loc, type, x);
  // Between f16 and bf16, neither of which holds the other.
  Type wide = b.getF32Type();
  if (auto shaped = dyn_cast<ShapedType>(type))
    wide = shaped.clone(wide);
  return arith::TruncFOp::create(b, loc, type, arith::ExtFOp::create(b, loc, wide, x));
}

Value lstm::buildActivation(OpBuilder &b, Location loc, ActivationAttr act, Value x) {
  double alpha = act.getAlphaValue(), beta = act.getBetaValue();
  auto constant = [&](double value) { return buildFloatConstant(b, loc, x, value); };
  auto add = [&](Value l, Value r) -> Value { return arith::AddFOp::create(b, loc, l, r); };
  auto mul = [&](Value l, Value r) -> Value { return arith::MulFOp::create(b, loc, l, r); };
  auto div = [&](Value l, Value r) -> Value { return arith::DivFOp::create(b, loc, l, r); };
  auto exp = [&](Value v) -> Value { return math::ExpOp::create(b, loc, v); };
  auto neg = [&](Value v) -> Value { return arith::NegFOp::create(b, loc, v); };
  auto abs = [&](Value v) -> Value { return math::AbsFOp::create(b, loc, v); };
  // Comparisons are ordered: NaN takes the second value, which is made of x.
  auto less = [&](Value l, Value r) -> Value {
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, l, r);
  };
  auto select = [&](Value c, Value l, Value r) -> Value {
    return arith::SelectOp::create(b, loc, c, l, r);
  };

  switch (act.getKind()) {
  case ActivationKind::Identity:
    return x;
  case ActivationKind::Sigmoid: {
    // Where e^-x overflows this is 1 / inf = 0, the right limit.
    Value one = constant(1);
    return div(one, add(one, exp(neg(x))));
  }
  case ActivationKind::Tanh:
    return math::TanhOp::create(b, loc, x);
  case ActivationKind::Relu:
    return arith::MaximumFOp::create(b, loc, x, constant(0));
  case ActivationKind::HardSigmoid: {
    Value line = add(mul(constant(alpha), x), constant(beta));
    Value low = arith::MinimumFOp::create(b, loc, line, constant(1));
    return arith::MaximumFOp::create(b, loc, low, constant(0));
  }
  case ActivationKind::LeakyRelu:
    return select(less(x, constant(0)), mul(constant(alpha), x), x);
  case ActivationKind::Elu:
    return select(less(x, constant(0)), mul(constant(alpha), math::ExpM1Op::create(b, loc, x)), x);
  case ActivationKind::Softsign:
    return div(x, add(constant(1), abs(x)));
  case ActivationKind::Softplus: {
    // log(1 + e^x) = max(x, 0) + log(1 + e^-|x|): nothing overflows.
    Value positive = arith::MaximumFOp::create(b, loc, x, constant(0));
    return add(positive, math::Log1pOp::create(b, loc, exp(neg(abs(x)))));
  }
  case ActivationKind::Affine:
    return add(mul(constant(alpha), x), constant(beta));
  case ActivationKind::ThresholdedRelu:
    return select(less(x, constant(alpha)), constant(0), x);
  case ActivationKind::ScaledTanh:
    return mul(constant(alpha), math::TanhOp::create(b, loc, mul(constant(beta), x)));
  case ActivationKind::Gelu: {
    Value erf = math::ErfOp::create(b, loc, mul(x, constant(0.70710678118654752440)));
    return mul(mul(x, constant(0.5)), add(constant(1), erf));
  }
  case ActivationKind::Exp:
    return exp(x);
  }
  llvm_unreachable("all activations are covered");
}
