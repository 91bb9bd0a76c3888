//===- Arguments.h - Arrays for a function's arguments -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_TOOLS_LSTM_RUN_ARGUMENTS_H
#define LSTM_TOOLS_LSTM_RUN_ARGUMENTS_H

#include "Array.h"

#include "lstm/Target/Signature.h"

namespace mlir::lstm::run {

/// Reads an array for each argument of `@function`. An input is a `.npz`, whose
/// arrays go by name, `NAME=FILE.npy`, or a `.npy` alone: the first of those is
/// the first argument. Fails if an argument lacks its array, an array its
/// argument, or if type or shape do not match.
llvm::Expected<std::vector<Array>> readArguments(ArrayRef<Port> ports, StringRef function,
                                                 ArrayRef<std::string> inputs);

} // namespace mlir::lstm::run

#endif // LSTM_TOOLS_LSTM_RUN_ARGUMENTS_H
