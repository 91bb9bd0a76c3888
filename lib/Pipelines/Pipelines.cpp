//===- Pipelines.cpp - Pipelines -------------------------------------------===//
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
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::lstm;

void lstm::addCleanup(OpPassManager &pm) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

void lstm::addPhases(OpPassManager &pm, bool hoistAddends, std::optional<LSTMStackRecurrencesPassOptions> stacking) {
  pm.addPass(createInlinerPass());
  pm.addPass(createSymbolDCEPass());
  pm.addPass(createLSTMDecomposeCellsPass());
  addCleanup(pm);
  pm.addPass(createLoopInvariantCodeMotionPass());
  pm.addPass(createLSTMFuseGatesPass());
  addCleanup(pm);
  if (stacking) {
    // Sizes of a layer's results would be what the next one needs of it besides its steps.
    pm.addPass(memref::createResolveRankedShapeTypeResultDimsPass());
    addCleanup(pm);
    pm.addPass(createLSTMStackRecurrencesPass(*stacking));
    addCleanup(pm);
  }
  LSTMHoistInputProjectionsPassOptions hoist;
  hoist.addends = hoistAddends;
  // One is for machines where a step's operations are kernels, the other for the rest.
  hoist.reductions = !hoistAddends;
  hoist.lookups = !hoistAddends;
  pm.addPass(createLSTMHoistInputProjectionsPass(hoist));
  // What is left in the loop and what has left it fuse on their own.
  pm.addPass(createLSTMFuseGatesPass());
  pm.addPass(createLSTMFuseRecurrencesPass());
  addCleanup(pm);
  pm.addPass(createLSTMFormPhasesPass());
  addCleanup(pm);
  // Projected tables, out of loops that the author wrote around recurrences.
  pm.addPass(createLoopInvariantCodeMotionPass());
}

void lstm::buildLSTMToPhasesPipeline(OpPassManager &pm) { addPhases(pm, /*hoistAddends=*/true); }

/// Moves allocations, and the sizes that they depend on, out of loops.
static void addHoisting(OpPassManager &pm) {
  addCleanup(pm);
  pm.addPass(createLoopInvariantCodeMotionPass());
  pm.addNestedPass<func::FuncOp>(bufferization::createBufferHoistingPass());
  pm.addNestedPass<func::FuncOp>(bufferization::createBufferLoopHoistingPass());
}

void lstm::addBufferization(OpPassManager &pm) {
  pm.addPass(createLSTMProtectArgumentsPass());
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  bufferize.functionBoundaryTypeConversion = bufferization::LayoutMapOption::IdentityLayoutMap;
  bufferize.allowReturnAllocsFromLoops = true;
  pm.addPass(bufferization::createOneShotBufferizePass(bufferize));
  addCleanup(pm);
  // Deallocation does not know scans, so they go first; what is in their bodies
  // can only be hoisted out of loops.
  pm.addPass(createConvertLSTMToSCFPass());
  addHoisting(pm);
}

/// L2, with gates where nothing has made phases of them, to phases with packed weights
/// and linalg operations.
static void addPacking(OpPassManager &pm, const LSTMToLLVMOptions &options) {
  ConvertLSTMToLinalgPassOptions gatesOnly;
  gatesOnly.phases = false;
  pm.addPass(createConvertLSTMToLinalgPass(gatesOnly));
  pm.addPass(createConvertElementwiseToLinalgPass());
  if (options.optimize) {
    pm.addPass(createLinalgElementwiseOpFusionPass());
    LSTMPackWeightsPassOptions pack;
    pack.vectorBits = options.vectorBits;
    pm.addPass(createLSTMPackWeightsPass(pack));
    if (options.splitPacking)
      pm.addPass(createLSTMSplitPackingPass());
  }
}

/// Tensors to loops on memrefs.
static void addLoops(OpPassManager &pm, const LSTMToLLVMOptions &options) {
  if (options.optimize)
    pm.addPass(createLSTMLowerPacksPass());
  // No CSE here: a fill that starts two chains of destinations is a copy more.
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createLSTMLowerRecurrencePass());
  if (!options.optimize)
    pm.addPass(createConvertLSTMToLinalgPass());
  pm.addPass(createCanonicalizerPass());

  addBufferization(pm);
  bufferization::buildBufferDeallocationPipeline(pm);

  if (options.optimize) {
    pm.addNestedPass<func::FuncOp>(createLSTMChunkProjectionsPass());
    if (options.parallel)
      pm.addNestedPass<func::FuncOp>(createLSTMParallelizePass());
    LSTMExpandMathPassOptions math;
    math.accuracy = options.activations;
    pm.addPass(createLSTMExpandMathPass(math));
    ConvertLSTMToVectorPassOptions vectorize;
    vectorize.vectorBits = options.vectorBits;
    pm.addPass(createConvertLSTMToVectorPass(vectorize));
    // What has no vector form. Its scratch is allocated and freed where it stands.
    pm.addPass(createConvertLSTMToLinalgPass());
  }
}

void lstm::addFloatEmulation(OpPassManager &pm) {
  math::MathExtendToSupportedTypesOptions extend;
  extend.targetTypeStr = "f32";
  pm.addPass(math::createMathExtendToSupportedTypes(extend));
  arith::ArithEmulateUnsupportedFloatsOptions emulate;
  emulate.sourceTypeStrs = {"bf16", "f16"};
  emulate.targetTypeStr = "f32";
  pm.addPass(arith::createArithEmulateUnsupportedFloats(emulate));
  arith::ArithExpandOpsPassOptions expand;
  expand.includeBf16 = true;
  pm.addPass(arith::createArithExpandOpsPass(expand));
}

static void addLLVM(OpPassManager &pm) {
  pm.addPass(createConvertBufferizationToMemRefPass());
  pm.addPass(createLSTMSimplifyMemRefsPass());
  pm.addPass(createConvertLSTMToLLVMPass());
  pm.addPass(createConvertLinalgToLoopsPass());
  addFloatEmulation(pm);
  pm.addPass(createConvertVectorToSCFPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  addCleanup(pm);
  pm.addPass(createLoopInvariantCodeMotionPass());
  pm.addPass(createSCFToControlFlowPass());
  ConvertMathToLLVMPassOptions math;
  math.approximateLog1p = false;
  pm.addPass(createConvertMathToLLVMPass(math));
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createConvertToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createLSTMOutlineParallelPass());
}

void lstm::buildLSTMOptimizePipeline(OpPassManager &pm, const LSTMToLLVMOptions &options) {
  pm.addPass(createInlinerPass());
  pm.addPass(createSymbolDCEPass());
  if (options.runtimeChecks)
    pm.addPass(createLSTMGenerateChecksPass());
  if (options.optimize)
    buildLSTMToPhasesPipeline(pm);
  else
    pm.addPass(createLSTMDecomposeCellsPass());
  addPacking(pm, options);
}

void lstm::buildLSTMLowerPipeline(OpPassManager &pm, const LSTMToLLVMOptions &options) {
  addLoops(pm, options);
  addLLVM(pm);
}

void lstm::buildLSTMToLLVMPipeline(OpPassManager &pm, const LSTMToLLVMOptions &options) {
  buildLSTMOptimizePipeline(pm, options);
  buildLSTMLowerPipeline(pm, options);
}

void lstm::registerLSTMPipelines() {
  PassPipelineRegistration<>("lstm-to-phases",
                             "Cells and gates on tensors to phases (L0 or L1 to L2)",
                             buildLSTMToPhasesPipeline);
  PassPipelineRegistration<LSTMToLLVMOptions>(
      "lstm-to-llvm", "Functions on tensors to the LLVM dialect for a CPU",
      buildLSTMToLLVMPipeline);
  PassPipelineRegistration<LSTMToNVVMOptions>(
      "lstm-to-nvvm", "Functions on tensors to the LLVM dialect for a GPU and its host",
      buildLSTMToNVVMPipeline);
}
