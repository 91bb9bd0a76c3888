//===- Passes.h - Passes on the lstm dialect -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_DIALECT_LSTM_TRANSFORMS_PASSES_H
#define LSTM_DIALECT_LSTM_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::lstm {

#define GEN_PASS_DECL
#include "lstm/Dialect/LSTM/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "lstm/Dialect/LSTM/Transforms/Passes.h.inc"

} // namespace mlir::lstm

#endif // LSTM_DIALECT_LSTM_TRANSFORMS_PASSES_H
