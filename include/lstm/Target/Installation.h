//===- Installation.h - Files that come with the tools -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_TARGET_INSTALLATION_H
#define LSTM_TARGET_INSTALLATION_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"

namespace mlir::lstm {

/// The first of these files and folders that there is, relative to the folder above that
/// of the running tool: where it is built or where it is installed. Fails if there is none.
llvm::Expected<std::string> findBesideTool(ArrayRef<StringRef> candidates);

/// liblstm_cuda_runtime.so, likewise.
llvm::Expected<std::string> findCUDARuntime();

} // namespace mlir::lstm

#endif // LSTM_TARGET_INSTALLATION_H
