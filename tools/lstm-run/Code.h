//===- Code.h - Machine code with a C interface -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_TOOLS_LSTM_RUN_CODE_H
#define LSTM_TOOLS_LSTM_RUN_CODE_H

#include "lstm/Target/CInterface.h"

namespace mlir::lstm::run {

/// What lstm-compile makes, in memory.
class Code {
public:
  virtual ~Code() = default;

  /// The address of a function; fails if there is none.
  virtual llvm::Expected<void *> lookup(StringRef symbol) const = 0;
};

/// Whether a file is a shared library, by its content or its name.
bool isLibrary(StringRef path);

/// Reads the table of a library, which is not loaded for it.
llvm::Expected<ProgramTable> readLibraryTable(StringRef path, MLIRContext *context);

/// Loads a library. The run-time library of a program for GPUs is loaded before.
llvm::Expected<std::unique_ptr<Code>> loadLibrary(StringRef path);

/// Compiles a module in the LLVM dialect that has its C interface.
llvm::Expected<std::unique_ptr<Code>> compileCode(ModuleOp module, bool optimize);

} // namespace mlir::lstm::run

#endif // LSTM_TOOLS_LSTM_RUN_CODE_H
