//===- Runner.h - Compiles and calls a function -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_TOOLS_LSTM_RUN_RUNNER_H
#define LSTM_TOOLS_LSTM_RUN_RUNNER_H

#include "Array.h"

#include "lstm/Target/Signature.h"

namespace mlir {
class ExecutionEngine;
namespace lstm::run {

/// Microseconds since the first call.
double now();

/// A function in this machine's code.
class CompiledFunction {
public:
  /// Compiles `@name` of a module in the LLVM dialect, which had this signature
  /// on tensors.
  static llvm::Expected<std::unique_ptr<CompiledFunction>>
  compile(ModuleOp module, StringRef name, const Signature &signature, bool optimize);

  ~CompiledFunction();

  /// Calls the function `repeat` times with the same arguments, and appends the
  /// microseconds of each call. The arguments match the signature. Returns the
  /// last call's results.
  llvm::Expected<std::vector<NamedArray>> call(ArrayRef<Array> arguments, int64_t repeat,
                                               std::vector<double> &times);

private:
  CompiledFunction() = default;

  Signature signature;
  std::unique_ptr<ExecutionEngine> engine;
  /// Takes the addresses of the C interface's arguments, then the result's.
  void (*entry)(void **) = nullptr;
};

} // namespace lstm::run
} // namespace mlir

#endif // LSTM_TOOLS_LSTM_RUN_RUNNER_H
