//===- VectorizeBody.h - A phase's scalar work on vectors of units -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_LIB_CONVERSION_VECTORIZEBODY_H
#define LSTM_LIB_CONVERSION_VECTORIZEBODY_H

#include "lstm/Dialect/LSTM/IR/LSTM.h"

#include "mlir/IR/PatternMatch.h"

namespace mlir::lstm {

/// A vector of consecutive units, of which the first `count` exist. Where all
/// do, `count` and `mask` are null.
struct UnitVector {
  int64_t lanes;
  Value mask = {};
  Value count = {};
};

/// Loads one element.
Value loadElement(OpBuilder &b, Location loc, Value memref, ValueRange indices);

/// Loads the units from `indices` on; lanes without a unit hold zero. A memref
/// whose units are strided, or not whole bytes, is read one element at a time.
Value loadUnits(OpBuilder &b, Location loc, Value memref, ValueRange indices, UnitVector units);

/// Stores the lanes that have a unit.
void storeUnits(OpBuilder &b, Location loc, Value vector, Value memref, ValueRange indices,
                UnitVector units);

/// Whether vector loads and stores along the last dimension are possible.
bool hasContiguousUnits(Value memref);

/// `value`, or the vector that holds it in each lane.
Value broadcastTo(OpBuilder &b, Location loc, Value value, int64_t lanes);

/// `value`, a float or a vector of floats, with element type `type`.
Value castFloat(OpBuilder &b, Location loc, Value value, FloatType type);

/// `body`, of a phase or linalg operation, on vectors of units. `args` stand for its
/// arguments; each is a vector, a scalar that holds for all units, or null where it has
/// no use. Returns a vector for each value that the body yields.
SmallVector<Value> vectorizeBody(OpBuilder &b, Block &body, ArrayRef<Value> args, int64_t lanes);

} // namespace mlir::lstm

#endif // LSTM_LIB_CONVERSION_VECTORIZEBODY_H
