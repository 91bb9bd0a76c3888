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

/// What some operations read and write.
class Accesses {
public:
  Accesses() = default;
  /// Those of an operation and of all in its regions.
  explicit Accesses(Operation *op);

  bool mayWrite() const { return !written.empty(); }
  /// Whether it matters which one comes first.
  bool conflictsWith(const Accesses &other) const;
  /// Whether `view` may be written.
  bool mayWrite(Value view) const;
  void add(const Accesses &other);

private:
  /// A null value stands for any memory.
  using Set = llvm::SmallDenseSet<Value>;
  static bool meets(const Set &l, const Set &r);
  Set read, written;
};

} // namespace mlir::lstm

#endif // LSTM_LIB_CONVERSION_MEMORYROOTS_H
