//===- OutlineKernels.cpp - Launches to functions of one module ------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/Conversion/Passes.h"

#include "CUDARuntime.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Utils/GPUUtils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlir::lstm {
#define GEN_PASS_DEF_LSTMOUTLINEKERNELSPASS
#include "lstm/Conversion/Passes.h.inc"
} // namespace mlir::lstm

using namespace mlir;
using namespace mlir::lstm;

/// Constants are computed where they are used: as parameters they would hide from the
/// compiler what a size or a stride is.
static bool isSinkable(Operation *op) { return op->hasTrait<OpTrait::ConstantLike>(); }

/// Fused products to an instruction, where convert-gpu-to-nvvm would call libdevice.
static void lowerFusedProducts(gpu::GPUModuleOp kernels) {
  kernels.walk([](math::FmaOp op) {
    if (!op.getType().isF32() && !op.getType().isF64())
      return;
    OpBuilder b(op);
    op.replaceAllUsesWith(LLVM::FMAOp::create(b, op.getLoc(), op.getType(), op.getOperands()).getResult());
    op.erase();
  });
}

/// Whether two kernels do the same.
static bool isSame(gpu::GPUFuncOp l, gpu::GPUFuncOp r) {
  return l.getFunctionType() == r.getFunctionType() &&
         l.getKnownBlockSizeAttr() == r.getKnownBlockSizeAttr() &&
         OperationEquivalence::isRegionEquivalentTo(&l.getBody(), &r.getBody(),
                                                    OperationEquivalence::IgnoreLocations);
}

namespace {
struct LSTMOutlineKernelsPass
    : public lstm::impl::LSTMOutlineKernelsPassBase<LSTMOutlineKernelsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<gpu::LaunchOp> launches;
    module.walk([&](gpu::LaunchOp launch) { launches.push_back(launch); });
    if (launches.empty() && module.getOps<gpu::GPUModuleOp>().empty())
      return;
    gpu::GPUModuleOp kernels = getKernels(module);
    SymbolTable symbols(kernels);
    for (gpu::LaunchOp launch : launches)
      if (failed(outline(launch, kernels, symbols)))
        return signalPassFailure();
    lowerFusedProducts(kernels);
  }

  /// The module that launches outlined before are in, too.
  gpu::GPUModuleOp getKernels(ModuleOp module) {
    auto known = module.getOps<gpu::GPUModuleOp>();
    if (!known.empty())
      return *known.begin();
    OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
    auto kernels = gpu::GPUModuleOp::create(b, module.getLoc(), "kernels");
    if (Attribute layout = module->getAttr(DLTIDialect::kDataLayoutAttrName))
      kernels->setAttr(DLTIDialect::kDataLayoutAttrName, layout);
    SymbolTable(module).insert(kernels);
    module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(), b.getUnitAttr());
    return kernels;
  }

  LogicalResult outline(gpu::LaunchOp launch, gpu::GPUModuleOp kernels, SymbolTable &symbols) {
    // What nobody needs would be a parameter.
    IRRewriter rewriter(launch);
    (void)runRegionDCE(rewriter, launch->getRegions());
    if (failed(sinkOperationsIntoLaunchOp(launch, isSinkable)))
      return launch.emitOpError("cannot be outlined");
    auto function = launch->getParentOfType<FunctionOpInterface>();
    std::string name = (function.getName() + "_kernel").str();
    SmallVector<Value> operands;
    gpu::GPUFuncOp kernel = outlineKernelFunc(launch, name, operands);
    // A multiprocessor's registers are shared out anew by such kernels, so one block has them all.
    if (launch->hasAttr("lstm.alone"))
      kernel->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(), Builder(launch).getI32IntegerAttr(1));
    auto others = kernels.getOps<gpu::GPUFuncOp>();
    auto same = llvm::find_if(others, [&](gpu::GPUFuncOp other) { return isSame(kernel, other); });
    gpu::GPUFuncOp known = same == others.end() ? kernel : *same;
    if (known != kernel) {
      kernel.erase();
    } else {
      symbols.insert(kernel);
      ++numKernels;
    }
    OpBuilder b(launch);
    auto call = gpu::LaunchFuncOp::create(b, launch.getLoc(), known,
                                          launch.getGridSizeOperandValues(),
                                          launch.getBlockSizeOperandValues(),
                                          launch.getDynamicSharedMemorySize(), operands,
                                          /*asyncTokenType=*/Type(), /*asyncDependencies=*/ValueRange(),
                                          launch.getClusterSizeOperandValues());
    for (StringRef mark : {StringRef("lstm.together"), StringRef("lstm.early"), StringRef(kLaunchedKernelAttrName)})
      if (Attribute value = launch->getAttr(mark))
        call->setAttr(mark, value);
    launch.erase();
    return success();
  }
};
} // namespace
