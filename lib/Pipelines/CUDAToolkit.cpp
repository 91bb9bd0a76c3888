//===- CUDAToolkit.cpp - Where ptxas and libdevice are ---------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/Pipelines/Pipelines.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

using namespace mlir;

std::string lstm::findCUDAToolkit(StringRef given) {
  if (!given.empty())
    return given.str();
  for (const char *variable : {"CUDA_ROOT", "CUDA_HOME", "CUDA_PATH"})
    if (std::optional<std::string> folder = llvm::sys::Process::GetEnv(variable);
        folder && llvm::sys::fs::is_directory(*folder))
      return *folder;
  if (llvm::ErrorOr<std::string> ptxas = llvm::sys::findProgramByName("ptxas")) {
    SmallString<128> real;
    if (!llvm::sys::fs::real_path(*ptxas, real)) {
      StringRef folder = llvm::sys::path::parent_path(llvm::sys::path::parent_path(real));
      if (llvm::sys::fs::is_directory(folder + "/nvvm/libdevice"))
        return folder.str();
    }
  }
  for (StringRef folder : {"/usr/local/cuda", "/usr/lib/cuda"})
    if (llvm::sys::fs::is_directory(folder))
      return folder.str();
  return "";
}
