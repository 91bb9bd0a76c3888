//===- ForwardCopies.h - Phases that write what is copied -------*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_LIB_CONVERSION_FORWARDCOPIES_H
#define LSTM_LIB_CONVERSION_FORWARDCOPIES_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::lstm {

/// Lets phases of a step write themselves what the step copies of their results, as gates that are put together.
void forwardCopies(RewriterBase &rewriter, scf::ForOp loop);

} // namespace mlir::lstm

#endif // LSTM_LIB_CONVERSION_FORWARDCOPIES_H
