//===- Parallelize.h - Loops with phases for a team of threads -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_CONVERSION_PARALLELIZE_H
#define LSTM_CONVERSION_PARALLELIZE_H

#include "lstm/Dialect/LSTM/IR/LSTM.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::lstm {

/// Puts the operations of `function` from the first phase, or loop with phases, to
/// the last into `lstm.parallel`, as far as threads can run them together, with
/// barriers where they need them. Expects memrefs. Returns the number of regions.
int64_t parallelize(RewriterBase &rewriter, FunctionOpInterface function);

} // namespace mlir::lstm

#endif // LSTM_CONVERSION_PARALLELIZE_H
