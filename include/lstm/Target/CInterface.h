//===- CInterface.h - Functions that C calls -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_TARGET_CINTERFACE_H
#define LSTM_TARGET_CINTERFACE_H

#include "lstm/Target/Signature.h"

#include "mlir/IR/BuiltinOps.h"

namespace mlir::lstm {

/// What C sees of a module. The names of all functions begin with `prefix`, and
/// `@f` becomes `prefix_f`; what begins with `prefix` already keeps its name.
struct CInterface {
  std::string prefix;
  std::vector<Signature> entries;

  /// The C function of an entry, or of an auxiliary such as "free".
  std::string getSymbol(StringRef name) const;

  /// Fails if two functions would have one name, or if C has no way to pass an argument.
  LogicalResult verify(ModuleOp module) const;
};

/// A text as a C identifier: what C does not allow becomes '_'.
std::string getCIdentifier(StringRef text);

/// Adds the C functions to a module in the LLVM dialect whose entries had these
/// signatures on tensors. They call the runtime (lstm-runtime/cpu.h); nothing else
/// remains visible from outside.
LogicalResult addCInterface(ModuleOp module, const CInterface &interface);

/// Writes the header that declares them; it includes standard headers only.
void writeCHeader(const CInterface &interface, raw_ostream &os);

} // namespace mlir::lstm

#endif // LSTM_TARGET_CINTERFACE_H
