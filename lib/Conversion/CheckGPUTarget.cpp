//===- CheckGPUTarget.cpp - Whether kernels can be compiled ------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/Conversion/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/TargetSelect.h"

namespace mlir::lstm {
#define GEN_PASS_DEF_LSTMCHECKGPUTARGETPASS
#include "lstm/Conversion/Passes.h.inc"
} // namespace mlir::lstm

using namespace mlir;
using namespace mlir::lstm;

/// The GPUs that LLVM knows; null where it has no back end for any.
static std::unique_ptr<llvm::MCSubtargetInfo> getKnownChips() {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTargetMC();
  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  return std::unique_ptr<llvm::MCSubtargetInfo>(
      target ? target->createMCSubtargetInfo(triple, "", "") : nullptr);
}

namespace {
struct LSTMCheckGPUTargetPass : public lstm::impl::LSTMCheckGPUTargetPassBase<LSTMCheckGPUTargetPass> {
  using Base::Base;
  void runOnOperation() override {
    auto kernels = getOperation().getOps<gpu::GPUModuleOp>();
    if (kernels.empty())
      return;
    if (!toolkit.empty() && !llvm::sys::fs::is_directory(toolkit)) {
      emitError(getOperation().getLoc()) << "there is no folder '" << toolkit << "', the CUDA toolkit";
      return signalPassFailure();
    }
    for (gpu::GPUModuleOp module : kernels)
      if (failed(checkChips(module)) || failed(checkFunctions(module)))
        return signalPassFailure();
    explainFormat();
  }

  LogicalResult checkChips(gpu::GPUModuleOp module) {
    std::unique_ptr<llvm::MCSubtargetInfo> known = getKnownChips();
    if (!module.getTargetsAttr())
      return success();
    for (Attribute attribute : module.getTargetsAttr())
      if (auto target = dyn_cast<NVVM::NVVMTargetAttr>(attribute);
          target && known && !known->isCPUStringValid(target.getChip()))
        return emitError(module.getLoc())
               << "unknown GPU '" << target.getChip() << "'; expects one like 'sm_90'";
    return success();
  }

  LogicalResult checkFunctions(gpu::GPUModuleOp module) {
    std::string libdevice = toolkit + "/nvvm/libdevice/libdevice.10.bc";
    if (!toolkit.empty() && llvm::sys::fs::is_regular_file(libdevice))
      return success();
    WalkResult walk = module.walk([&](LLVM::CallOp call) {
      StringRef name = call.getCallee().value_or("");
      if (!name.starts_with("__nv_"))
        return WalkResult::advance();
      InFlightDiagnostic error = emitError(call.getLoc())
                                 << "'" << name << "' is a function of CUDA's libdevice, and there is no ";
      if (toolkit.empty())
        error << "CUDA toolkit";
      else
        error << "'" << libdevice << "'";
      return WalkResult::interrupt();
    });
    return failure(walk.wasInterrupted());
  }

  void explainFormat() {
    std::string assembler = toolkit + "/bin/ptxas";
    bool hasAssembler = !toolkit.empty() && llvm::sys::fs::can_execute(assembler);
    std::string what = text ? "PTX, which the driver compiles: " : "machine code: ";
    if (!text)
      what += "by '" + assembler + "'";
    else if (hasAssembler)
      what += "it was asked for";
    else if (toolkit.empty())
      what += "there is no CUDA toolkit";
    else
      what += "there is no '" + assembler + "'";
    remark::passed(getOperation().getLoc(),
                   remark::RemarkOpts::name("DeviceCode").category(getArgument()))
        << what;
  }
};
} // namespace
