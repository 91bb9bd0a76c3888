//===- ExpandMath.h - Math operations without calls -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_CONVERSION_EXPANDMATH_H
#define LSTM_CONVERSION_EXPANDMATH_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::lstm {

/// How exact expanded math operations on f32 are; docs/Performance.md has the
/// worst errors.
enum class MathAccuracy { Fast, Default, Accurate };

/// Computes exp, expm1, tanh, log, log1p, erf and the sigmoid 1 / (1 + e^-x) in
/// `root` without calls, on f32, f16 and bf16 (through f32), scalars and vectors
/// alike. NaN stays NaN; f64 is left to the library. With `usesReciprocals`, their
/// quotients are products with an approximate reciprocal, made exact again. Returns how
/// many it expanded.
int64_t expandMath(RewriterBase &rewriter, Operation *root, MathAccuracy accuracy, bool usesReciprocals = false);

} // namespace mlir::lstm

#endif // LSTM_CONVERSION_EXPANDMATH_H
