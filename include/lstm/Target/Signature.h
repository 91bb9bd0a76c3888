//===- Signature.h - What a function takes and gives -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_TARGET_SIGNATURE_H
#define LSTM_TARGET_SIGNATURE_H

#include "lstm/Target/ElementKind.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace llvm {
class SourceMgr;
} // namespace llvm

namespace mlir::lstm {

/// An argument or a result.
struct Port {
  std::string name;
  /// A ranked tensor or one of its element types.
  Type type;
  ElementKind kind;

  bool isTensor() const { return isa<RankedTensorType>(type); }
  /// The shape, dynamic sizes in it; empty for a scalar.
  ArrayRef<int64_t> getShape() const {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor ? tensor.getShape() : ArrayRef<int64_t>();
  }
};

struct Signature {
  /// The function's.
  std::string name;
  std::vector<Port> arguments, results;
};

/// Reads types and names. A name is the attribute `lstm.name`, else, for an
/// argument, the name that it has in the source, else `argN` or `resultN`. Emits
/// an error for a type that cannot be passed and for a name that stands twice.
FailureOr<Signature> getSignature(func::FuncOp function, llvm::SourceMgr &source);

/// Prints one line per argument and result.
void printSignature(const Signature &signature, raw_ostream &os);

} // namespace mlir::lstm

#endif // LSTM_TARGET_SIGNATURE_H
