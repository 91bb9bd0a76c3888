//===- CPUTarget.h - CPUs that code is generated for -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_TARGET_CPUTARGET_H
#define LSTM_TARGET_CPUTARGET_H

#include "mlir/Support/LLVM.h"
#include "llvm/Passes/OptimizationLevel.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

namespace mlir::lstm {

/// A CPU by its names in LLVM.
struct CPUTarget {
  llvm::Triple triple;
  std::string cpu;
  std::string features;

  /// From what a user writes. No triple is this machine's. No CPU, or "native", is
  /// this machine's, too; for another triple it is "generic". `features` is a list such as
  /// "+avx2,-fma". Fails if LLVM does not know one of these, or cannot generate code for it.
  static llvm::Expected<CPUTarget> get(StringRef triple, StringRef cpu, StringRef features);

  /// Whether the code runs on machines of this triple.
  static bool isHost(const llvm::Triple &triple);

  std::unique_ptr<llvm::TargetMachine> createMachine(llvm::CodeGenOptLevel level) const;
};

/// The width of the machine's vector registers.
int64_t getVectorBits(const llvm::TargetMachine &machine);

/// LLVM's own pipeline, without unrolling and interleaving of loops and without SLP
/// vectorization: what is hot comes tiled for the registers, and they would only
/// multiply the time to compile.
void optimizeModule(llvm::Module &module, llvm::TargetMachine *machine,
                    llvm::OptimizationLevel level = llvm::OptimizationLevel::O3);

/// Writes assembly or an object.
llvm::Error emitCode(llvm::Module &module, llvm::TargetMachine &machine,
                     llvm::CodeGenFileType type, llvm::raw_pwrite_stream &os);

} // namespace mlir::lstm

#endif // LSTM_TARGET_CPUTARGET_H
