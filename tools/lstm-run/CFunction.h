//===- CFunction.h - Calls C functions of compiled programs -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_TOOLS_LSTM_RUN_CFUNCTION_H
#define LSTM_TOOLS_LSTM_RUN_CFUNCTION_H

#include "Array.h"

#include "lstm-runtime/tensor.h"
#include "lstm/Target/Signature.h"

#include <ffi.h>

namespace mlir::lstm::run {

/// What a program's own checks refuse, as it says it: a whole diagnostic.
class CheckFailed : public llvm::ErrorInfo<CheckFailed> {
public:
  explicit CheckFailed(std::string text) : text(std::move(text)) {}

  void log(raw_ostream &os) const override { os << text; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

  static char ID;

private:
  std::string text;
};

/// The error of a status with the run-time's message; success if it is LSTM_OK.
llvm::Error toError(int32_t status, const char *message);

/// A call of an entry: the memory of what it takes and gives.
class CCall {
public:
  /// `leading` come before the arguments: a session and a stream. The arguments are passed
  /// where they are, in row-major order; no result has a place yet.
  CCall(void *function, const Signature &signature, ArrayRef<const Array *> arguments,
        ArrayRef<void *> leading = {});
  CCall(const CCall &) = delete;

  /// The arguments and the results; a scalar's is not used.
  MutableArrayRef<lstm_tensor> getArguments() { return getTensors().take_front(numArguments); }
  MutableArrayRef<lstm_tensor> getResults() { return getTensors().drop_front(numArguments); }

  /// The status.
  int32_t run();

  /// Copies a result, which is in memory of the host.
  llvm::Expected<NamedArray> readResult(size_t number) const;

private:
  MutableArrayRef<lstm_tensor> getTensors() { return tensors; }

  void *function;
  const Signature &signature;
  size_t numArguments;
  std::vector<lstm_tensor> tensors;
  std::vector<uint64_t> scalars;
  /// What is passed by address, and the addresses of all that is passed.
  std::vector<void *> pointers, values;
  std::vector<ffi_type *> types;
  ffi_cif interface;
};

} // namespace mlir::lstm::run

#endif // LSTM_TOOLS_LSTM_RUN_CFUNCTION_H
