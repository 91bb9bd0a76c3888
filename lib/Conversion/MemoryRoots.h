//===- MemoryRoots.h - Which memory an operation touches -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_LIB_CONVERSION_MEMORYROOTS_H
#define LSTM_LIB_CONVERSION_MEMORYROOTS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::lstm {

/// The memref that `view` is a view of: an allocation, a global or an argument of a
/// function. Null if it is not known.
Value getMemoryRoot(Value view);

/// Whether `size` is known to be that of dimension `dim` of `memref`.
bool isSizeOf(Value size, Value memref, int64_t dim);

/// The dimension of the source that dimension `dim` of a slice is all of.
std::optional<int64_t> getSourceDim(memref::SubViewOp slice, int64_t dim);

/// The dimension of the root of `view` that dimension `dim` of `view` is, with all of its
/// elements in their order; none if it is part of one or several.
std::optional<int64_t> getRootDim(Value view, int64_t dim);

/// What some operations read and write.
class Accesses {
public:
  Accesses() = default;
  /// Those of an operation and of all in its regions. `getSharedDim` says along which dimension
  /// of a memref that an operation accesses each thread of a team touches its own elements;
  /// these don't conflict with those of other operations shared along the same dimension.
  explicit Accesses(Operation *op, function_ref<std::optional<int64_t>(Operation *, Value)> getSharedDim =
                                       [](Operation *, Value) { return std::nullopt; });

  bool mayWrite() const { return !written.empty(); }
  /// Whether it matters which one comes first.
  bool conflictsWith(const Accesses &other) const;
  /// Whether `view` may be written.
  bool mayWrite(Value view) const;
  void add(const Accesses &other);

private:
  /// A null value stands for any memory; the number is the dimension of the root that is shared
  /// out, or that of the whole.
  static constexpr int64_t kWhole = -1;
  using Set = llvm::SmallDenseSet<std::pair<Value, int64_t>>;
  static bool meets(const Set &l, const Set &r);
  Set read, written;
};

/// `count` rows of a memref from `first` on.
Value sliceRows(OpBuilder &b, Location loc, Value memref, Value first, Value count);

} // namespace mlir::lstm

#endif // LSTM_LIB_CONVERSION_MEMORYROOTS_H
