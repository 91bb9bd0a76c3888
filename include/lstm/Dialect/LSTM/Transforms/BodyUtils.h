//===- BodyUtils.h - Questions about the body of a recurrence -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_DIALECT_LSTM_TRANSFORMS_BODYUTILS_H
#define LSTM_DIALECT_LSTM_TRANSFORMS_BODYUTILS_H

#include "lstm/Dialect/LSTM/IR/LSTM.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::lstm {

/// Whether `value` is defined outside of the body of `op`.
bool isDefinedOutside(Value value, RecurrenceOp op);

/// Makes `value` available in front of `point` by moving the pure operations that
/// it needs there. Fails, and moves nothing, if it depends on something else.
LogicalResult makeAvailableBefore(RewriterBase &rewriter, Value value, Operation *point);

/// Where a size comes from: a constant, or dimension `dim` of `root`, or the
/// index `root` itself (dim = -1). Two sizes with equal origins are equal.
struct SizeOrigin {
  Value root;
  int64_t dim = -1;
  std::optional<int64_t> constant;
  bool operator==(const SizeOrigin &other) const {
    return constant == other.constant && root == other.root && dim == other.dim;
  }
};

/// Follows dimension `dim` of the tensor `value` to its origin: through gates,
/// phases and elementwise operations to their operands, through the arguments of
/// recurrences to their operands, through `tensor.empty` and reshapes to sizes.
SizeOrigin getSizeOrigin(Value value, int64_t dim);

/// The same for an index.
SizeOrigin getSizeOrigin(OpFoldResult index);

/// The size of dimension `dim` of `value` at the builder's insertion point, as a
/// constant or from its origin, which is outside of a recurrence wherever
/// possible.
OpFoldResult getSize(OpBuilder &builder, Location loc, Value value, int64_t dim);

/// All sizes of `value`, likewise.
SmallVector<OpFoldResult> getSizes(OpBuilder &builder, Location loc, Value value);

/// Whether a slice has lost dimension `dim`, and no other one. Where several sizes are 1, types do not
/// tell which dimension is lost, and it is the same whichever it is.
bool dropsDim(tensor::ExtractSliceOp slice, int64_t dim);

/// Replaces `op` by one with more sequences, and moves the body. The new
/// arguments stand behind the old sequence arguments.
RecurrenceOp appendSequences(RewriterBase &rewriter, RecurrenceOp op, ValueRange sequences,
                             ArrayRef<bool> reversed);

} // namespace mlir::lstm

#endif // LSTM_DIALECT_LSTM_TRANSFORMS_BODYUTILS_H
