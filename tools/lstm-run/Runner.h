//===- Runner.h - Compiles and calls a function -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_TOOLS_LSTM_RUN_RUNNER_H
#define LSTM_TOOLS_LSTM_RUN_RUNNER_H

#include "Program.h"

#include "lstm/Target/Signature.h"

namespace mlir {
class ExecutionEngine;
namespace lstm::run {

/// Functions that are compiled for this machine and can be called.
class CompiledModule : public Program {
public:
  /// Compiles a module in the LLVM dialect, whose functions had these signatures on
  /// tensors.
  static llvm::Expected<std::unique_ptr<CompiledModule>>
  compile(ModuleOp module, ArrayRef<Signature> functions, bool optimize);

  ~CompiledModule() override;

  llvm::Expected<std::vector<NamedArray>> call(size_t number, ArrayRef<const Array *> arguments,
                                               int64_t repeat, std::vector<double> &times) override;

private:
  CompiledModule() = default;

  std::vector<Signature> functions;
  std::unique_ptr<ExecutionEngine> engine;
  /// Each takes the addresses of the C interface's arguments, then the result's.
  std::vector<void (*)(void **)> entries;
};

} // namespace lstm::run
} // namespace mlir

#endif // LSTM_TOOLS_LSTM_RUN_RUNNER_H
