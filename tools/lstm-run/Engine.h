//===- Engine.h - Compiles for this machine, in memory -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_TOOLS_LSTM_RUN_ENGINE_H
#define LSTM_TOOLS_LSTM_RUN_ENGINE_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace mlir {
class ExecutionEngine;
namespace lstm::run {

/// Ends the process without destructors: generated code is on the stack.
[[noreturn]] void stop();

/// Compiles a module in the LLVM dialect. A `cf.assert` that fails in it prints its message
/// and stops.
llvm::Expected<std::unique_ptr<ExecutionEngine>> createEngine(ModuleOp module, bool optimize);

} // namespace lstm::run
} // namespace mlir

#endif // LSTM_TOOLS_LSTM_RUN_ENGINE_H
