//===- SplitGates.h - Gates of phases that are side by side -----*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_LIB_CONVERSION_SPLITGATES_H
#define LSTM_LIB_CONVERSION_SPLITGATES_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::lstm {

/// Where a phase writes rows of gates * units that are read as [row, gate, unit], makes it a phase with
/// gates that writes each gate: what is one product for a library is then made by the threads that map the units.
void splitGates(RewriterBase &rewriter, scf::ForOp loop);

} // namespace mlir::lstm

#endif // LSTM_LIB_CONVERSION_SPLITGATES_H
