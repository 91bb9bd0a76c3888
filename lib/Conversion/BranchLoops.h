//===- BranchLoops.h - Independent parts of a loop --------------*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_LIB_CONVERSION_BRANCHLOOPS_H
#define LSTM_LIB_CONVERSION_BRANCHLOOPS_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::lstm {

/// Whether a loop's body has parts of which none reads or writes what another one writes.
bool hasIndependentParts(scf::ForOp loop);

/// Makes a loop of each, on a branch of its own. Returns how many there are; one stays as it is.
size_t splitIntoBranches(RewriterBase &rewriter, scf::ForOp loop);

} // namespace mlir::lstm

#endif // LSTM_LIB_CONVERSION_BRANCHLOOPS_H
