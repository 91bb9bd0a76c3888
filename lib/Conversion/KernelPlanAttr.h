//===- KernelPlanAttr.h - Plans as an attribute of loops --------*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_LIB_CONVERSION_KERNELPLANATTR_H
#define LSTM_LIB_CONVERSION_KERNELPLANATTR_H

#include "KernelPlan.h"

namespace mlir::lstm {

/// [{max_rows, unit_blocks, row_tiles, splits, map_warps, f32}]: by number of rows; the last
/// has no `max_rows`, and one without `unit_blocks` is for libraries.
inline constexpr StringLiteral kKernelAttrName = "lstm.kernel";

/// What a plan is known by outside, in that attribute and in files, where what is 0 is left out.
struct PlanField {
  StringLiteral name;
  int64_t KernelPlan::*member;
};
inline constexpr PlanField kPlanFields[] = {{"unit_blocks", &KernelPlan::unitBlocks},
                                            {"row_tiles", &KernelPlan::rowTiles},
                                            {"splits", &KernelPlan::splits},
                                            {"map_warps", &KernelPlan::mapWarps},
                                            {"unit_warps", &KernelPlan::unitWarps},
                                            {"single_rows", &KernelPlan::singleRows},
                                            {"per_step", &KernelPlan::perStep}};

/// Whether a plan has all that it needs: either warps that map or, in a cluster, warps that share
/// out the units; single rows not with warp groups, and a kernel a step with neither of these two.
bool isComplete(const KernelPlan &plan);

StringRef getModeName(Float32Mode mode);

Attribute toAttribute(MLIRContext *context, ArrayRef<PlannedRows> planned);

/// The plans of a loop's attribute, without predictions; a failure is reported.
FailureOr<SmallVector<PlannedRows>> getPlans(scf::ForOp loop);

} // namespace mlir::lstm

#endif // LSTM_LIB_CONVERSION_KERNELPLANATTR_H
