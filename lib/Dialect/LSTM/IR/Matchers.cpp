//===- Matchers.cpp - Small questions about values -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/Dialect/LSTM/IR/Matchers.h"

#include "lstm/Dialect/LSTM/IR/LSTM.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

/// Scalar or splat zero. A negative zero is one as well: as a term it changes
/// nothing but the sign of a zero.
static bool isZeroConstant(Value value) {
  return matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_NegZeroFloat()) ||
         matchPattern(value, m_Zero());
}

bool lstm::isZeroTensor(Value value) {
  if (isZeroConstant(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (auto splat = dyn_cast_or_null<tensor::SplatOp>(op))
    return isZeroConstant(splat.getInput());
  if (auto fill = dyn_cast_or_null<linalg::FillOp>(op))
    return isZeroConstant(fill.getInputs()[0]);
  if (isa_and_nonnull<tensor::CastOp, tensor::ExtractSliceOp, tensor::ExpandShapeOp,
                      tensor::CollapseShapeOp>(op))
    return isZeroTensor(op->getOperand(0));
  return false;
}
