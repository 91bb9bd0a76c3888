//===- CProgram.h - Calls programs through their C interface -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_TOOLS_LSTM_RUN_CPROGRAM_H
#define LSTM_TOOLS_LSTM_RUN_CPROGRAM_H

#include "Code.h"
#include "Program.h"
#include "Session.h"

namespace mlir::lstm::run {

/// The entries of a program for this machine. `threads` is the size of its team, 0 the
/// default.
llvm::Expected<std::unique_ptr<Program>> createCPUProgram(std::unique_ptr<Code> code,
                                                          const ProgramTable &table,
                                                          int64_t threads);

/// The entries of a program for a GPU. Arguments are copied there before the first call, and
/// the results back after the last one. Calls are timed in ten batches, one after the
/// other: a batch ends with a wait for the device, and its calls share its time.
llvm::Expected<std::unique_ptr<Program>> createGPUProgram(std::unique_ptr<Code> code,
                                                          const ProgramTable &table,
                                                          std::unique_ptr<Session> session);

} // namespace mlir::lstm::run

#endif // LSTM_TOOLS_LSTM_RUN_CPROGRAM_H
