//===- GPUModuleToBinary.cpp - Kernels to what a GPU runs -----------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's pass, but for instructions that are written as assembly and that all lanes of a warp have to reach together,
// as bar.arrive. LLVM has to be told that they are convergent, else it makes two of one where a branch before and a branch
// behind have the same condition; the LLVM dialect has no word for that.
//
//===----------------------------------------------------------------------===//

#include "lstm/Conversion/Passes.h"

#include "mlir/Dialect/GPU/IR/CompilationInterfaces.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace mlir::lstm {
#define GEN_PASS_DEF_LSTMGPUMODULETOBINARYPASS
#include "lstm/Conversion/Passes.h.inc"
} // namespace mlir::lstm

using namespace mlir;
using namespace mlir::lstm;

static void markConvergent(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *call = dyn_cast<llvm::CallInst>(&instruction);
      auto *assembly = call ? dyn_cast<llvm::InlineAsm>(call->getCalledOperand()) : nullptr;
      if (!assembly)
        continue;
      StringRef text = assembly->getAsmString();
      if (llvm::any_of(ArrayRef<StringRef>{"bar.", "barrier.", ".sync", ".aligned"},
                       [&](StringRef part) { return text.contains(part); }))
        call->setConvergent();
    }
}

namespace {
struct LSTMGPUModuleToBinaryPass : public lstm::impl::LSTMGPUModuleToBinaryPassBase<LSTMGPUModuleToBinaryPass> {
  using Base::Base;

  void runOnOperation() override {
    gpu::TargetOptions options(toolkit, /*librariesToLink=*/{}, /*cmdOptions=*/"", /*elfSection=*/"",
                               text ? gpu::CompilationTarget::Assembly : gpu::CompilationTarget::Binary,
                               /*getSymbolTableCallback=*/{}, markConvergent);
    if (failed(gpu::transformGpuModulesToBinaries(getOperation(), nullptr, options)))
      signalPassFailure();
  }
};
} // namespace
