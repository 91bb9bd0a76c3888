//===- Library.h - Shared libraries that are opened at run time -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_LIB_RUNTIME_CUDA_LIBRARY_H
#define LSTM_LIB_RUNTIME_CUDA_LIBRARY_H

#include <initializer_list>

namespace lstm::cuda {

/// A function that is to be found in a library.
struct Symbol {
  const char *name;
  void **address;
};

/// Opens the file that the environment variable names or else the first of these that is
/// there, and finds the symbols. Returns null, or what is wrong, which stays valid.
const char *openLibrary(const char *variable, std::initializer_list<const char *> files,
                        std::initializer_list<Symbol> symbols);

} // namespace lstm::cuda

#endif // LSTM_LIB_RUNTIME_CUDA_LIBRARY_H
