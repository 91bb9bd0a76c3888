//===- Link.h - Links a shared library -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_TOOLS_LSTM_COMPILE_LINK_H
#define LSTM_TOOLS_LSTM_COMPILE_LINK_H

#include "lstm/Target/Lowering.h"

#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"
#include "llvm/TargetParser/Triple.h"

namespace mlir::lstm::compile {

/// Makes a shared library of an object and the runtime, which is found beside the
/// tool: the archive for this machine's triple, else its sources. `compiler` is the C
/// compiler to do it with; if empty, one for the triple is looked for. A program for GPUs
/// gets the shared runtime instead, which the loader finds in the library's own folder.
llvm::Error linkLibrary(StringRef object, StringRef output, const llvm::Triple &triple,
                        StringRef compiler, Platform platform);

} // namespace mlir::lstm::compile

#endif // LSTM_TOOLS_LSTM_COMPILE_LINK_H
