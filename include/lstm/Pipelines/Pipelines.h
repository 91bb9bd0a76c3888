//===- Pipelines.h - Pipelines -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_PIPELINES_PIPELINES_H
#define LSTM_PIPELINES_PIPELINES_H

#include "lstm/Conversion/Float32Mode.h"
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

/// How programs for GPUs are made.
enum class GPUStrategy {
  /// One kernel for all steps of a recurrence where that is predicted to be faster, else
  /// libraries.
  Auto,
  /// Every operation as it stands, one product and one kernel each: what others are
  /// compared with.
  Naive,
  /// Products by cuBLAS, one kernel a phase, the whole call in a graph.
  Library,
  /// One kernel for all steps of each recurrence that can be one.
  Persistent
};

/// What is made for a GPU: a cubin needs ptxas, PTX is compiled by the driver.
enum class GPUFormat { Auto, Cubin, PTX };

/// Options of `lstm-to-nvvm`.
struct LSTMToNVVMOptions : public PassPipelineOptions<LSTMToNVVMOptions> {
  ListOption<std::string> chips{*this, "chip",
                                llvm::cl::desc("GPUs that code is made for (sm_90a for machine code, sm_90 for PTX)")};
  Option<std::string> features{*this, "features",
                               llvm::cl::desc("PTX version, such as +ptx81 (+ptx81, or what older chips have)"),
                               llvm::cl::init("")};
  Option<GPUFormat> format{*this, "format", llvm::cl::desc("What the program holds"),
                           llvm::cl::init(GPUFormat::Auto),
                           llvm::cl::values(clEnumValN(GPUFormat::Auto, "auto", "a cubin where ptxas is found, else PTX"),
                                            clEnumValN(GPUFormat::Cubin, "cubin", "machine code"),
                                            clEnumValN(GPUFormat::PTX, "ptx", "text for the driver"))};
  Option<GPUStrategy> strategy{
      *this, "strategy", llvm::cl::desc("How recurrences run"), llvm::cl::init(GPUStrategy::Auto),
      llvm::cl::values(
          clEnumValN(GPUStrategy::Auto, "auto", "persistent or library, whichever is predicted to be faster"),
          clEnumValN(GPUStrategy::Naive, "naive", "every operation as it stands, no graph"),
          clEnumValN(GPUStrategy::Library, "library", "cuBLAS and one kernel a phase, in a graph"),
          clEnumValN(GPUStrategy::Persistent, "persistent", "one kernel for all steps, where it can be"))};
  ListOption<int64_t> kernelPlan{*this, "kernel-plan",
                                 llvm::cl::desc("Layout of persistent kernels: unit blocks, row tiles, splits, map warps, 1 for clusters, 2 for warp groups or 3 for a kernel a step, 1 for single rows")};
  Option<std::string> kernelPlans{*this, "kernel-plans", llvm::cl::desc("File of measured layouts of persistent kernels"),
                                  llvm::cl::init("")};
  Option<std::string> kernelCandidates{*this, "kernel-candidates",
                                       llvm::cl::desc("File to write layouts to that are worth measuring"),
                                       llvm::cl::init("")};
  Option<Float32Mode> float32{
      *this, "f32-mode", llvm::cl::desc("Products of f32 on tensor cores"),
      llvm::cl::init(Float32Mode::Exact),
      llvm::cl::values(clEnumValN(Float32Mode::Exact, "exact", "as exact as f32 (tf32 with allow-tf32)"),
                       clEnumValN(Float32Mode::BF16x3, "bf16x3", "relative error 1e-5"),
                       clEnumValN(Float32Mode::TF32, "tf32", "10 bits of mantissa"))};
  Option<bool> allowTF32{*this, "allow-tf32", llvm::cl::desc("Products of f32 with 10 bits of mantissa"),
                         llvm::cl::init(false)};
  Option<bool> graph{*this, "graph", llvm::cl::desc("Let a call become a CUDA graph"),
                     llvm::cl::init(true)};
  Option<int64_t> chunks{*this, "chunks",
                         llvm::cl::desc("Parts of the steps by which stacked layers follow each other (1: one "
                                        "after the other)"),
                         llvm::cl::init(8)};
  Option<int64_t> stackedBytes{*this, "stacked-bytes",
                               llvm::cl::desc("Most bytes of weights of layers that one kernel runs, each a step behind the one "
                                              "before (0: none)"),
                               llvm::cl::init(16 << 20)};
  Option<bool> overlapProjections{*this, "overlap-projections",
                                  llvm::cl::desc("Project the inputs of some steps beside the steps before"),
                                  llvm::cl::init(false)};
  Option<int64_t> indexBitwidth{*this, "index-bitwidth",
                                llvm::cl::desc("Bits of an index in kernels: 32 for arrays below 2^31 elements, else 64"),
                                llvm::cl::init(64)};
  Option<std::string> toolkit{*this, "toolkit",
                              llvm::cl::desc("Folder of the CUDA toolkit (CUDA_ROOT, CUDA_HOME, CUDA_PATH, "
                                             "that of ptxas in PATH, or /usr/local/cuda)"),
                              llvm::cl::init("")};
  Option<MathAccuracy> activations{
      *this, "activations", llvm::cl::desc("Worst error of exp, tanh, sigmoid, ... on f32"),
      llvm::cl::init(MathAccuracy::Default),
      llvm::cl::values(clEnumValN(MathAccuracy::Fast, "fast", "5.5 ulp"),
                       clEnumValN(MathAccuracy::Default, "default", "2.5 ulp"),
                       clEnumValN(MathAccuracy::Accurate, "accurate", "1 ulp"))};
  Option<bool> runtimeChecks{*this, "runtime-checks",
                             llvm::cl::desc("Check batch, lengths and sizes at run time"),
                             llvm::cl::init(true)};
};

/// The folder of the CUDA toolkit, as the option `toolkit` says; empty if there is none.
std::string findCUDAToolkit(StringRef given);

/// L0 or L1 to L2: decompose, inline, fuse, hoist, form phases.
void buildLSTMToPhasesPipeline(OpPassManager &pm);

/// The part of `lstm-to-llvm` that works on tensors, before bufferization: the
/// functions that there are after it are those of the compiled module.
void buildLSTMOptimizePipeline(OpPassManager &pm, const LSTMToLLVMOptions &options);

/// The rest of it.
void buildLSTMLowerPipeline(OpPassManager &pm, const LSTMToLLVMOptions &options);

/// Functions on tensors, on any rung, to the LLVM dialect for a CPU.
void buildLSTMToLLVMPipeline(OpPassManager &pm, const LSTMToLLVMOptions &options);

/// Functions on tensors, on any rung, to the LLVM dialect for the host of a GPU, with the
/// GPU's code in it. Tensors are on the device; see lstm-runtime/cuda.h for how the
/// functions are called.
void buildLSTMToNVVMPipeline(OpPassManager &pm, const LSTMToNVVMOptions &options);

/// Registers `lstm-to-phases`, `lstm-to-llvm` and `lstm-to-nvvm`.
void registerLSTMPipelines();

} // namespace mlir::lstm

#endif // LSTM_PIPELINES_PIPELINES_H
