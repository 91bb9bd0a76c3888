//===- Pipelines.h - Pipelines -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_PIPELINES_PIPELINES_H
#define LSTM_PIPELINES_PIPELINES_H

#include "lstm/Conversion/ExpandMath.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir::lstm {

/// Options of `lstm-to-llvm`.
struct LSTMToLLVMOptions : public PassPipelineOptions<LSTMToLLVMOptions> {
  Option<bool> optimize{*this, "optimize",
                        llvm::cl::desc("Fuse, hoist, form phases and vectorize; without it every "
                                       "operation is lowered as it stands"),
                        llvm::cl::init(true)};
  Option<int64_t> vectorBits{*this, "vector-bits",
                             llvm::cl::desc("Width of a vector register in bits (0: that of this machine)"),
                             llvm::cl::init(0)};
  Option<bool> parallel{*this, "parallel",
                        llvm::cl::desc("Let a team of threads run what is optimized"),
                        llvm::cl::init(true)};
  Option<bool> splitPacking{*this, "split-packing",
                            llvm::cl::desc("Make @f_pack and @f_packed of each public function @f whose "
                                           "weights are packed"),
                            llvm::cl::init(false)};
  Option<MathAccuracy> activations{
      *this, "activations",
      llvm::cl::desc("Worst error of exp, tanh, sigmoid, ... on f32 when optimizing"),
      llvm::cl::init(MathAccuracy::Default),
      llvm::cl::values(clEnumValN(MathAccuracy::Fast, "fast", "5.5 ulp"),
                       clEnumValN(MathAccuracy::Default, "default", "2.5 ulp"),
                       clEnumValN(MathAccuracy::Accurate, "accurate", "1 ulp"))};
  Option<bool> runtimeChecks{*this, "runtime-checks",
                             llvm::cl::desc("Check batch, lengths and sizes at run time"),
                             llvm::cl::init(true)};
};

/// L0 or L1 to L2: decompose, inline, fuse, hoist, form phases.
void buildLSTMToPhasesPipeline(OpPassManager &pm);

/// The part of `lstm-to-llvm` that works on tensors, before bufferization: the
/// functions that there are after it are those of the compiled module.
void buildLSTMOptimizePipeline(OpPassManager &pm, const LSTMToLLVMOptions &options);

/// The rest of it.
void buildLSTMLowerPipeline(OpPassManager &pm, const LSTMToLLVMOptions &options);

/// Functions on tensors, on any rung, to the LLVM dialect for a CPU.
void buildLSTMToLLVMPipeline(OpPassManager &pm, const LSTMToLLVMOptions &options);

/// Registers `lstm-to-phases` and `lstm-to-llvm`.
void registerLSTMPipelines();

} // namespace mlir::lstm

#endif // LSTM_PIPELINES_PIPELINES_H
