//===- KernelPlanFile.h - Files of plans ------------------------*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// JSON, as docs/Compiling.md describes it: plans that were measured, which compiling reads, and
// candidates to measure, which it writes.
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_LIB_CONVERSION_KERNELPLANFILE_H
#define LSTM_LIB_CONVERSION_KERNELPLANFILE_H

#include "KernelPlan.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

#include <map>

namespace mlir::lstm {

/// What recurrences of the same cost have in common: the GPU, how many run side by side, and of each
/// phase the units and weights, as "sm_90: 40 units of 40x4xbf16".
std::string getRecurrenceKey(const RecurrentLoop &loop, Float32Mode float32,
                             const KernelTarget &target);

/// By key of the recurrence and number of rows.
using KernelPlans = llvm::StringMap<SmallVector<PlannedRows>>;

/// The modes of f32 are left to the reader, as keys name them.
llvm::Expected<KernelPlans> readKernelPlans(StringRef path);

/// Plans by key of the recurrence.
using KernelCandidates = std::map<std::string, SmallVector<KernelPlan>>;

llvm::Error writeKernelCandidates(StringRef path, const KernelCandidates &candidates);

} // namespace mlir::lstm

#endif // LSTM_LIB_CONVERSION_KERNELPLANFILE_H
