//===- Times.h - What compiling and running take -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_TOOLS_LSTM_RUN_TIMES_H
#define LSTM_TOOLS_LSTM_RUN_TIMES_H

#include "Array.h"

namespace mlir::lstm::run {

/// Microseconds since the first call.
double now();

/// Microseconds.
struct Times {
  double parse = 0, passes = 0, jit = 0;
  std::vector<double> packing, calls;

  double getMedian() const;
};

/// Prints the median time of a call, and of a step: the first argument of rank 3 or more
/// is taken to be a sequence.
void printTimes(const Times &times, ArrayRef<Array> arguments, raw_ostream &os);

/// Writes all of them as JSON.
llvm::Error writeTimes(const Times &times, StringRef path);

} // namespace mlir::lstm::run

#endif // LSTM_TOOLS_LSTM_RUN_TIMES_H
