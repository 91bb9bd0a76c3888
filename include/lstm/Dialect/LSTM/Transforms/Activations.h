//===- Activations.h - Activations in arith and math ops -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_DIALECT_LSTM_TRANSFORMS_ACTIVATIONS_H
#define LSTM_DIALECT_LSTM_TRANSFORMS_ACTIVATIONS_H

#include "lstm/Dialect/LSTM/IR/LSTM.h"

namespace mlir::lstm {

/// A constant of the type of `like`: a float, or a vector or tensor of floats.
Value buildFloatConstant(OpBuilder &b, Location loc, Value like, double value);

/// `act(x)` for a float, or a vector or tensor of floats. NaN stays NaN.
Value buildActivation(OpBuilder &b, Location loc, ActivationAttr act, Value x);

/// `x` clamped to -clip...clip. NaN stays NaN.
Value buildClip(OpBuilder &b, Location loc, double clip, Value x);

/// `x`, a float, in the float type `type`.
Value buildFloatCast(OpBuilder &b, Location loc, Value x, Type type);

} // namespace mlir::lstm

#endif // LSTM_DIALECT_LSTM_TRANSFORMS_ACTIVATIONS_H
