//===- ScalarBuilder.h - The region of a phase, scalar by scalar -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_LIB_DIALECT_LSTM_TRANSFORMS_SCALARBUILDER_H
#define LSTM_LIB_DIALECT_LSTM_TRANSFORMS_SCALARBUILDER_H

#include "lstm/Dialect/LSTM/IR/LSTM.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::lstm {

/// Whether `op`, on tensors of one row and unit each (`[B, H]`, or `[B, G, H]`
/// with static G), can become scalar work in a phase: gates without products,
/// arith and math operations, parallel `linalg.generic`, broadcasts, constants,
/// slices along the gate axis.
bool isScalarWork(Operation *op);

/// The operands of `op` that scalar work reads element by element. Others (as
/// the destination of a fill) carry only a shape.
SmallVector<Value> getElementOperands(Operation *op);

/// Builds the region of one phase and collects what enters it.
class ScalarBuilder {
public:
  /// `isInside` says whether an operation's scalars are computed in this phase.
  ScalarBuilder(OpBuilder &builder, llvm::function_ref<bool(Operation *)> isInside)
      : b(builder), isInside(isInside) {}

  /// Gives the scalars of `product` before its other terms and its activation.
  void setAccumulators(GateOp product, ValueRange scalars) {
    this->product = product;
    accumulators.assign(scalars.begin(), scalars.end());
  }

  /// The scalars of `value`: one, or one for each gate of `[B, G, H]`.
  SmallVector<Value> get(Value value);

  /// What enters the phase, with its axes, in the order of its first use, and a
  /// placeholder for each scalar of it.
  struct Input {
    Value value;
    int32_t axes;
    SmallVector<Value> scalars;
  };
  SmallVector<Input> &getInputs() { return inputs; }

private:
  OpBuilder &b;
  llvm::function_ref<bool(Operation *)> isInside;
  GateOp product;
  SmallVector<Value> accumulators;
  SmallVector<Input> inputs;
  DenseMap<Value, SmallVector<Value>> known;

  /// The scalars of an operand of the phase.
  SmallVector<Value> getInput(Value value, int32_t axes);
  void build(Operation *op);
  void buildGate(GateOp gate);
  void buildGeneric(linalg::GenericOp op);
  SmallVector<Value> buildElementwise(Operation *op);
};

} // namespace mlir::lstm

#endif // LSTM_LIB_DIALECT_LSTM_TRANSFORMS_SCALARBUILDER_H
