//===- GPUPipeline.cpp - From tensors to GPUs ------------------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/Pipelines/Pipelines.h"

#include "Parts.h"

#include "lstm/Conversion/Passes.h"
#include "lstm/Dialect/LSTM/Transforms/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace mlir::lstm;

/// The number of a chip such as sm_90a; 0 if it has none.
static int64_t getCapability(StringRef chip) {
  int64_t number = 0;
  chip.consume_front("sm_");
  return chip.consumeInteger(10, number) ? 0 : number;
}

static bool hasAssembler(const LSTMToNVVMOptions &options) {
  return llvm::sys::fs::can_execute(findCUDAToolkit(options.toolkit) + "/bin/ptxas");
}

static bool isText(const LSTMToNVVMOptions &options) {
  return options.format == GPUFormat::PTX || (options.format == GPUFormat::Auto && !hasAssembler(options));
}

/// Machine code is for one generation anyway, so it may use all that this has; drivers compile text for later ones.
static SmallVector<std::string> getChips(const LSTMToNVVMOptions &options) {
  if (options.chips.empty())
    return {isText(options) ? "sm_90" : "sm_90a"};
  return SmallVector<std::string>(options.chips.begin(), options.chips.end());
}

/// Of the least of the chips.
static int64_t getCapability(const LSTMToNVVMOptions &options) {
  int64_t least = std::numeric_limits<int64_t>::max();
  for (const std::string &chip : getChips(options))
    least = std::min(least, getCapability(chip));
  return least;
}

/// Since when there are clusters of blocks.
static constexpr int64_t kClusterCapability = 90;

/// Since when tensor cores multiply bf16 and TF32.
static constexpr int64_t kTensorCoreCapability = 80;

/// Whether recurrences may become kernels.
static bool plansKernels(const LSTMToNVVMOptions &options) {
  if (options.strategy != GPUStrategy::Auto && options.strategy != GPUStrategy::Persistent)
    return false;
  return getCapability(options) >= kTensorCoreCapability;
}

static bool roundsToTF32(const LSTMToNVVMOptions &options) {
  return options.float32 == Float32Mode::TF32 || options.allowTF32;
}

/// Whether large products of f32 become several of bf16.
static bool splitsProducts(const LSTMToNVVMOptions &options) {
  return options.strategy != GPUStrategy::Naive && !roundsToTF32(options) &&
         getCapability(options) >= kTensorCoreCapability;
}

/// Which layers one kernel runs. Three products instead of one for f32 take longer than the next layer's latency.
static std::optional<LSTMStackRecurrencesPassOptions> getStacking(const LSTMToNVVMOptions &options) {
  if (!plansKernels(options) || options.stackedBytes == 0)
    return std::nullopt;
  LSTMStackRecurrencesPassOptions stacking;
  stacking.maxBytes = options.stackedBytes;
  stacking.float32 = roundsToTF32(options);
  return stacking;
}

/// Cells on tensors to scans of products and elementwise operations.
static void addTensors(OpPassManager &pm, const LSTMToNVVMOptions &options) {
  pm.addPass(createLSTMAllowInliningPass());
  pm.addPass(createInlinerPass());
  pm.addPass(createSymbolDCEPass());
  if (options.runtimeChecks)
    pm.addPass(createLSTMGenerateChecksPass());
  bool isNaive = options.strategy == GPUStrategy::Naive;
  if (isNaive)
    pm.addPass(createLSTMDecomposeCellsPass());
  else
    addPhases(pm, /*hoistAddends=*/false, getStacking(options));
  ConvertLSTMToLinalgPassOptions gatesOnly;
  gatesOnly.phases = false;
  pm.addPass(createConvertLSTMToLinalgPass(gatesOnly));
  pm.addPass(createConvertElementwiseToLinalgPass());
  if (!isNaive)
    pm.addPass(createLinalgElementwiseOpFusionPass());
  // No CSE here: a fill that starts two chains of destinations is a copy more.
  pm.addPass(createCanonicalizerPass());
  LSTMLowerRecurrencePassOptions destinations;
  destinations.separate = plansKernels(options);
  pm.addPass(createLSTMLowerRecurrencePass(destinations));
  ConvertLSTMToLinalgPassOptions phases;
  phases.scans = !plansKernels(options);
  pm.addPass(createConvertLSTMToLinalgPass(phases));
  pm.addPass(createCanonicalizerPass());
}

/// Work on memrefs to kernels and calls of libraries.
static void addWork(OpPassManager &pm, const LSTMToNVVMOptions &options) {
  LSTMWavefrontPassOptions waves;
  waves.chunks = options.chunks;
  waves.overlapProjections = options.overlapProjections;
  if (options.strategy == GPUStrategy::Library)
    pm.addPass(createLSTMWavefrontPass(waves));
  LSTMBranchLoopsPassOptions branches;
  branches.kernels = plansKernels(options);
  if (options.strategy != GPUStrategy::Naive)
    pm.addPass(createLSTMBranchLoopsPass(branches));
  if (plansKernels(options)) {
    LSTMPlanKernelsPassOptions plan;
    plan.plan.assign(options.kernelPlan.begin(), options.kernelPlan.end());
    plan.plansFile = options.kernelPlans;
    plan.candidatesFile = options.kernelCandidates;
    SmallVector<std::string> chips = getChips(options);
    plan.chips.assign(chips.begin(), chips.end());
    plan.always = options.strategy == GPUStrategy::Persistent;
    plan.float32 = options.float32;
    if (options.allowTF32 && options.float32 == Float32Mode::Exact)
      plan.float32 = Float32Mode::TF32;
    pm.addPass(createLSTMPlanKernelsPass(plan));
    LSTMWavefrontPassOptions launches = waves;
    launches.kernels = true;
    pm.addPass(createLSTMWavefrontPass(launches));
    ConvertLSTMToGPUKernelPassOptions kernels;
    kernels.approximates = options.activations != MathAccuracy::Accurate;
    kernels.chips.assign(chips.begin(), chips.end());
    pm.addPass(createConvertLSTMToGPUKernelPass(kernels));
    pm.addPass(createLSTMBranchLoopsPass());
    // Passes for the host would walk the kernels again and again, each of several that do the same.
    pm.addPass(createCSEPass());
    pm.addPass(createLSTMOutlineKernelsPass());
    pm.nest<gpu::GPUModuleOp>().addNestedPass<gpu::GPUFuncOp>(createCanonicalizerPass());
    // What is left goes the way of the library.
    ConvertLSTMToLinalgPassOptions rest;
    rest.deallocate = false;
    pm.addPass(createConvertLSTMToLinalgPass(rest));
    pm.addNestedPass<func::FuncOp>(bufferization::createBufferHoistingPass());
    pm.addNestedPass<func::FuncOp>(bufferization::createBufferLoopHoistingPass());
    // Loops that became kernels have their chunks.
    pm.addPass(createLSTMWavefrontPass(waves));
  }
  ConvertLinalgToCuBLASPassOptions products;
  products.allowTF32 = options.allowTF32;
  pm.addPass(createConvertLinalgToCuBLASPass(products));
  if (splitsProducts(options))
    pm.addPass(createLSTMSplitProductsPass());
  // Sizes that are the same have to be the same value.
  pm.addNestedPass<func::FuncOp>(createCSEPass());
  pm.addNestedPass<func::FuncOp>(createLSTMPlanMemoryPass());
  bufferization::buildBufferDeallocationPipeline(pm.nest<func::FuncOp>());
  pm.addPass(createConvertBufferizationToMemRefPass());
  pm.addPass(createLSTMSimplifyMemRefsPass());
  LSTMExpandMathPassOptions math;
  math.accuracy = options.activations;
  math.usesReciprocals = true;
  pm.addPass(createLSTMExpandMathPass(math));
  pm.addPass(createConvertLinalgToGPUPass());
  pm.addPass(createConvertCuBLASToRuntimePass());
  ConvertLSTMToCUDARuntimePassOptions host;
  host.graph = options.graph && options.strategy != GPUStrategy::Naive;
  pm.addPass(createConvertLSTMToCUDARuntimePass(host));
  addCleanup(pm.nest<func::FuncOp>());
}

/// The code of kernels.
static void addKernels(OpPassManager &pm, const LSTMToNVVMOptions &options) {
  pm.addPass(createLSTMOutlineKernelsPass());
  for (const std::string &chip : getChips(options)) {
    GpuNVVMAttachTargetOptions target;
    target.chip = chip;
    target.features = options.features;
    if (options.features.empty() && getCapability(chip) >= kClusterCapability)
      target.features = "+ptx81"; // What kernels use of clusters.
    target.optLevel = 3;
    pm.addPass(createGpuNVVMAttachTarget(target));
  }
  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>();
  OpPassManager &structured = kernels.nest<gpu::GPUFuncOp>();
  addCleanup(structured);
  structured.addPass(createLowerAffinePass());
  structured.addPass(createLoopInvariantCodeMotionPass());
  structured.addPass(createSCFToControlFlowPass());
  ConvertGpuOpsToNVVMOpsOptions nvvm;
  nvvm.indexBitwidth = options.indexBitwidth;
  kernels.addPass(createConvertGpuOpsToNVVMOps(nvvm));
  // Instructions that LLVM has no intrinsic for.
  OpPassManager &lowered = kernels.nest<LLVM::LLVMFuncOp>();
  lowered.addPass(createConvertNVVMToLLVMPass());
  addCleanup(lowered);
  lowered.addPass(createReconcileUnrealizedCastsPass());

  std::string toolkit = findCUDAToolkit(options.toolkit);
  LSTMCheckGPUTargetPassOptions check;
  check.toolkit = toolkit;
  check.text = isText(options);
  pm.addPass(createLSTMCheckGPUTargetPass(check));
  LSTMCompileKernelsPassOptions binary;
  binary.toolkit = toolkit;
  binary.text = isText(options);
  pm.addPass(createLSTMCompileKernelsPass(binary));
  LSTMLowerLaunchesPassOptions launches;
  launches.indexBitwidth = options.indexBitwidth;
  pm.addPass(createLSTMLowerLaunchesPass(launches));
}

/// The host's code to the LLVM dialect.
static void addHost(OpPassManager &pm) {
  ConvertLSTMToLLVMPassOptions checks;
  checks.checkFailed = "lstmCudaCheckFailed";
  pm.addPass(createConvertLSTMToLLVMPass(checks));
  addFloatEmulation(pm);
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  addCleanup(pm);
  pm.addPass(createLoopInvariantCodeMotionPass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createConvertToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  addCleanup(pm);
}

void lstm::buildLSTMToNVVMPipeline(OpPassManager &pm, const LSTMToNVVMOptions &options) {
  addTensors(pm, options);
  addBufferization(pm);
  addWork(pm, options);
  addKernels(pm, options);
  addHost(pm);
}
