//===- InitAll.h - Registers everything of this project -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_INITALL_H
#define LSTM_INITALL_H

namespace mlir {
class DialectRegistry;
namespace lstm {

/// Adds the dialects lstm and cublas, lstm's bufferization models and transform operations.
/// A compiler that embeds the dialect calls this beside its own registrations.
void registerDialect(DialectRegistry &registry);

/// `registerDialect`, and all dialects and extensions of upstream MLIR.
void registerAllDialects(DialectRegistry &registry);

/// Registers this project's passes and pipelines by their names.
void registerPasses();

/// `registerPasses`, and all passes of upstream MLIR.
void registerAllPasses();

} // namespace lstm
} // namespace mlir

#endif // LSTM_INITALL_H
