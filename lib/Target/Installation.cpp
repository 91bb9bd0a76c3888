//===- Installation.cpp - Files that come with the tools -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/Target/Installation.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::lstm;

llvm::Expected<std::string> lstm::findBesideTool(ArrayRef<StringRef> candidates) {
  static int anchor;
  SmallString<256> root(llvm::sys::fs::getMainExecutable("lstm", &anchor));
  llvm::sys::path::remove_filename(root);
  llvm::sys::path::remove_filename(root);
  for (StringRef candidate : candidates) {
    SmallString<256> path(root);
    llvm::sys::path::append(path, candidate);
    if (llvm::sys::fs::exists(path))
      return path.str().str();
  }
  return llvm::createStringError("no runtime in '" + root + "': expected '" +
                                 llvm::join(candidates, "' or '") + "'");
}

llvm::Expected<std::string> lstm::findCUDARuntime() {
  return findBesideTool(
      {"lib/liblstm_cuda_runtime.so", LSTM_INSTALL_LIBDIR "/liblstm_cuda_runtime.so"});
}
