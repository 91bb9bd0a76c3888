//===- Parts.h - What pipelines have in common -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_LIB_PIPELINES_PARTS_H
#define LSTM_LIB_PIPELINES_PARTS_H

#include "lstm/Dialect/LSTM/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"

namespace mlir::lstm {

void addCleanup(OpPassManager &pm);

/// Arithmetic on bf16 and f16 in f32: not every machine, and not every run-time
/// library, has it.
void addFloatEmulation(OpPassManager &pm);

/// `lstm-to-phases`; `hoistAddends` is the option `addends` of lstm-hoist-input-projections,
/// and the opposite of its option `reductions`. With `stacking`, layers become one recurrence.
void addPhases(OpPassManager &pm, bool hoistAddends,
               std::optional<LSTMStackRecurrencesPassOptions> stacking = std::nullopt);

/// Scans and linalg operations on tensors to loops on memrefs, allocations outside of the
/// loops where they can be; no deallocation yet.
void addBufferization(OpPassManager &pm);

} // namespace mlir::lstm

#endif // LSTM_LIB_PIPELINES_PARTS_H
