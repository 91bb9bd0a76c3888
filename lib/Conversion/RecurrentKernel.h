//===- RecurrentKernel.h - A recurrence in one kernel -----------*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_LIB_CONVERSION_RECURRENTKERNEL_H
#define LSTM_LIB_CONVERSION_RECURRENTKERNEL_H

#include "FinalStates.h"
#include "KernelPlan.h"
#include "RaggedSteps.h"

namespace mlir::lstm {

struct KernelOptions {
  /// Whether functions come from the special function unit if all products are of f16 and bf16, or rounded to TF32.
  bool approximates = false;
  /// Whether kernels may begin before the one before them has ended (sm_90).
  bool beginsEarly = false;
};

/// How many slots each exchange has in memory, without warp groups: one for each step of a launch and one for what was
/// before, or, in a kernel a step, two.
Value getNumSlots(OpBuilder &b, const RecurrentLoop &loop, const KernelPlan &plan);

/// Launches a kernel that does what the loop, which stays, does, on a share of the device's multiprocessors (an index).
/// `exchangeMemory` are `KernelLayout::exchangeWords` * rows * `getNumSlots` words, and behind them the weights of a
/// kernel a step. The last step writes states to `finals`, too; steps in which no row of a block lives are left out.
/// Launches are marked with `kernel`.
void emitRecurrentKernel(RewriterBase &rewriter, const RecurrentLoop &loop, const KernelPlan &plan,
                         KernelOptions options, Value multiprocessors, Value exchangeMemory, const FinalPlaces &finals,
                         const RaggedParts &ragged, DistinctAttr kernel);

/// Buffer deallocation wants to know the effects of barriers, which upstream does not say.
void registerSynchronizationEffects(DialectRegistry &registry);

} // namespace mlir::lstm

#endif // LSTM_LIB_CONVERSION_RECURRENTKERNEL_H
