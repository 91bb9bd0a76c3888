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

/// The operands of scalar work, or of a gate with products, that it reads element
/// by element, so that their scalars may come from the same phase.
SmallVector<Value> getElementOperands(Operation *op);

/// The operands of which it needs more than the element at hand, or which have
/// fewer axes: those must be in memory. Products' operands, weights, biases. The
/// destination of a fill, of which nothing but the shape counts, is in neither list.
SmallVector<Value> getMaterialOperands(Operation *op);

/// Builds the block of one phase and collects what enters it.
class ScalarBuilder {
public:
  /// Fills `block`, whose arguments it makes. `isInside` says whether an
  /// operation's scalars are computed in this phase. Slices of operands are made
  /// by `outside`, in front of the phase.
  ScalarBuilder(OpBuilder &outside, Block *block, llvm::function_ref<bool(Operation *)> isInside)
      : b(outside.getContext()), outside(outside), block(block), isInside(isInside) {
    b.setInsertionPointToEnd(block);
  }

  /// Makes the accumulators of `product`, of its compute type. Must come first.
  void addAccumulators(GateOp product);

  /// The scalars of `value`: one, or one for each gate of `[B, G, H]`.
  SmallVector<Value> get(Value value);

  /// What enters the phase, with its axes, in the order of the block's arguments.
  ArrayRef<Value> getInputs() const { return inputs; }
  ArrayRef<int32_t> getAxes() const { return axes; }

private:
  OpBuilder b;
  OpBuilder &outside;
  Block *block;
  llvm::function_ref<bool(Operation *)> isInside;
  GateOp product;
  /// G of the phase: of its product, else of its first operand with a gate axis.
  int64_t numGates = 0;
  SmallVector<Value> inputs;
  SmallVector<int32_t> axes;
  SmallVector<SmallVector<Value>> arguments;
  DenseMap<Value, SmallVector<Value>> known;
  DenseMap<Value, Value> elements; // of tensors of rank 0

  SmallVector<Value> getInput(Value value, int32_t inputAxes);
  /// Gate `g` of an operand that has another number of gates than the phase.
  Value sliceGate(Value value, int32_t inputAxes, int64_t g);
  SmallVector<Value> build(Operation *op);
  SmallVector<Value> buildGate(GateOp gate);
  SmallVector<Value> buildElementwise(Operation *op);
  void buildGeneric(linalg::GenericOp op);
};

} // namespace mlir::lstm

#endif // LSTM_LIB_DIALECT_LSTM_TRANSFORMS_SCALARBUILDER_H
