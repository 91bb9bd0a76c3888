//===- Results.h - Printing and comparing results -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_TOOLS_LSTM_RUN_RESULTS_H
#define LSTM_TOOLS_LSTM_RUN_RESULTS_H

#include "Array.h"

namespace mlir::lstm::run {

/// Prints arrays in NumPy's way, the middle of large ones left out.
void printArrays(ArrayRef<NamedArray> arrays, raw_ostream &os);

/// Compares results with the arrays of the same names in a file. Values a and
/// expected b are equal if |a - b| <= tolerance * (1 + |b|), or if both are NaN;
/// integers are equal if they are the same. Fails, with the first place and both values, if some
/// are not; if shapes differ; if an expected array is no result.
llvm::Error compareWithFile(ArrayRef<NamedArray> results, StringRef path, double tolerance);

} // namespace mlir::lstm::run

#endif // LSTM_TOOLS_LSTM_RUN_RESULTS_H
