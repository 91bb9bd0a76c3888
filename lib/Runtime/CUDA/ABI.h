//===- ABI.h - What the library shows ---------------------------*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_LIB_RUNTIME_CUDA_ABI_H
#define LSTM_LIB_RUNTIME_CUDA_ABI_H

// All else is hidden.
#pragma GCC visibility push(default)
#include "lstm-runtime/cuda.h"
#pragma GCC visibility pop

#endif // LSTM_LIB_RUNTIME_CUDA_ABI_H
