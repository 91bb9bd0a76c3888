//===- RowValue.h - Values of rows in loops ---------------------*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_LIB_CONVERSION_ROWVALUE_H
#define LSTM_LIB_CONVERSION_ROWVALUE_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::lstm {

/// What an operation that makes a row value reads.
struct RowOperand {
  Value value;
  /// Bit set of `Axes`.
  int32_t axes;
  /// The number of the row value that it is; none: memory or a scalar.
  std::optional<unsigned> rowValue;
};

/// A value for each row, or for each row and gate, as the mean of a row's units: a fold of
/// elements (row, gate, unit) over units and, unless there is one for each gate, over gates; or a
/// map of other row values.
struct RowValue {
  linalg::LinalgOp op;
  SmallVector<RowOperand> operands;
  /// Gates of what is folded or mapped, 1 if there is no such axis; units of what is folded.
  int64_t gates = 1, units = 0;
  bool isPerGate = false;
  /// A value of the operation's body: what is folded, or what the map gives.
  Value mapped;
  /// Of a fold: the operation of the body that combines two values, and what the fold begins with.
  Operation *combiner = nullptr;
  TypedAttr initial;
  /// A sum of squares of (element - center), where the center is the same for all of a row: it can be
  /// summed without the center.
  Value element, center;
  /// A sum that comes from the means of parts of that row value, a sum of squares of the same elements.
  std::optional<unsigned> squares;

  bool isFold() const { return combiner; }
  bool isSumOfSquares() const { return center != nullptr; }
  int64_t getSize() const { return isPerGate ? gates : 1; }
  /// Row values that `value`, of the body, depends on.
  SmallVector<unsigned> getRowValuesOf(Value value) const;
  /// Those that are needed to fold the elements.
  SmallVector<unsigned> getRowValuesOfElements() const {
    return getRowValuesOf(isSumOfSquares() ? element : mapped);
  }
};

/// Recognizes an operation that makes a row value. `initial` is what its output holds before, null
/// if it is not known; `getRowValue` says which memory holds row values. Else `reason` says what is in
/// the way.
FailureOr<RowValue> matchRowValue(linalg::LinalgOp op, TypedAttr initial,
                                  function_ref<std::optional<unsigned>(Value)> getRowValue,
                                  std::string &reason);

} // namespace mlir::lstm

#endif // LSTM_LIB_CONVERSION_ROWVALUE_H
