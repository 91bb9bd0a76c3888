//===- Program.h - What can be called on arrays -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_TOOLS_LSTM_RUN_PROGRAM_H
#define LSTM_TOOLS_LSTM_RUN_PROGRAM_H

#include "Array.h"

namespace mlir::lstm::run {

/// Compiled functions.
class Program {
public:
  virtual ~Program() = default;

  /// Calls a function `repeat` times with the same arguments, and appends the
  /// microseconds of each call. The arguments match the signature. Returns the
  /// last call's results.
  virtual llvm::Expected<std::vector<NamedArray>> call(size_t number,
                                                       ArrayRef<const Array *> arguments,
                                                       int64_t repeat,
                                                       std::vector<double> &times) = 0;
};

} // namespace mlir::lstm::run

#endif // LSTM_TOOLS_LSTM_RUN_PROGRAM_H
