//===- GPUOptions.h - How programs for GPUs are made -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_TOOLS_GPUOPTIONS_H
#define LSTM_TOOLS_GPUOPTIONS_H

#include "lstm/Pipelines/Pipelines.h"
#include "lstm/Target/Lowering.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"

#include <memory>

namespace mlir::lstm {

/// The options of tools that compile for GPUs; they mean nothing without --target=cuda.
class GPUOptions {
  template <typename T>
  using Option = llvm::cl::opt<T>;

public:
  llvm::cl::OptionCategory category{"options of --target=cuda"};

  llvm::cl::list<std::string> chips{
      "chip", llvm::cl::cat(category), llvm::cl::value_desc("sm_90"),
      llvm::cl::desc("GPU; may be repeated, the program then holds code for each (default: sm_90a, for PTX sm_90)")};
  Option<GPUFormat> format{
      "gpu-format", llvm::cl::cat(category), llvm::cl::init(GPUFormat::Auto),
      llvm::cl::desc("Code for GPUs (default: auto)"),
      llvm::cl::values(clEnumValN(GPUFormat::Auto, "auto", "cubin where ptxas is found, else PTX"),
                       clEnumValN(GPUFormat::Cubin, "cubin", "machine code"),
                       clEnumValN(GPUFormat::PTX, "ptx", "text for the driver"))};
  Option<GPUStrategy> strategy{
      "strategy", llvm::cl::cat(category), llvm::cl::init(GPUStrategy::Auto),
      llvm::cl::desc("How recurrences run on a GPU (default: auto)"),
      llvm::cl::values(
          clEnumValN(GPUStrategy::Auto, "auto", "persistent or library, whichever is predicted to be faster"),
          clEnumValN(GPUStrategy::Naive, "naive", "every operation as it stands, no graph"),
          clEnumValN(GPUStrategy::Library, "library", "cuBLAS and one kernel a phase, in a graph"),
          clEnumValN(GPUStrategy::Persistent, "persistent", "one kernel for all steps, where it can be"))};
  llvm::cl::list<int64_t> kernelPlan{
      "kernel-plan", llvm::cl::cat(category), llvm::cl::CommaSeparated,
      llvm::cl::value_desc("blocks,tiles,splits,warps[,0 groups|1 clusters|2 warp groups[,1 single rows]]"),
      llvm::cl::desc("Layout of persistent kernels (default: by a model of what they cost)")};
  Option<std::string> kernelPlans{
      "kernel-plans", llvm::cl::cat(category), llvm::cl::value_desc("file"),
      llvm::cl::desc("Layouts of persistent kernels that were measured by 'python -m lstm_mlir.tune'")};
  Option<std::string> kernelCandidates{
      "kernel-candidates", llvm::cl::cat(category), llvm::cl::value_desc("file"),
      llvm::cl::desc("Write layouts of persistent kernels that are worth measuring")};
  Option<Float32Mode> float32{
      "f32-mode", llvm::cl::cat(category), llvm::cl::init(Float32Mode::Exact),
      llvm::cl::desc("Products of f32 on tensor cores (default: exact)"),
      llvm::cl::values(clEnumValN(Float32Mode::Exact, "exact", "as exact as f32; tf32 with --allow-tf32"),
                       clEnumValN(Float32Mode::BF16x3, "bf16x3", "relative error 1e-5"),
                       clEnumValN(Float32Mode::TF32, "tf32", "10 bits of mantissa"))};
  Option<bool> allowTF32{"allow-tf32", llvm::cl::cat(category),
                         llvm::cl::desc("Products of f32 on a GPU with 10 bits of mantissa")};
  Option<bool> graph{"graph", llvm::cl::init(true), llvm::cl::cat(category),
                     llvm::cl::desc("Let a call become a CUDA graph (default: true)")};
  Option<int64_t> indexBitwidth{
      "index-bitwidth", llvm::cl::init(64), llvm::cl::cat(category), llvm::cl::value_desc("32|64"),
      llvm::cl::desc("Bits of an index in kernels: 32 is for arrays below 2^31 elements "
                     "(default: 64)")};
  Option<int64_t> chunks{
      "chunks", llvm::cl::init(8), llvm::cl::cat(category), llvm::cl::value_desc("N"),
      llvm::cl::desc("Parts of the steps by which stacked layers follow each other (default: 8; "
                     "1: one layer after the other)")};
  Option<int64_t> stackedBytes{
      "stacked-bytes", llvm::cl::init(16 << 20), llvm::cl::cat(category), llvm::cl::value_desc("N"),
      llvm::cl::desc("Most bytes of weights of layers that one kernel runs, each a step behind the one before "
                     "(default: 16777216; 0: none)")};
  Option<bool> overlapProjections{
      "overlap-projections", llvm::cl::cat(category),
      llvm::cl::desc("Project the inputs of some steps beside the steps before")};
  Option<std::string> toolkit{
      "toolkit", llvm::cl::cat(category), llvm::cl::value_desc("folder"),
      llvm::cl::desc("CUDA toolkit (default: CUDA_ROOT, CUDA_HOME, CUDA_PATH, that of ptxas in "
                     "PATH, or /usr/local/cuda)")};

  std::vector<const llvm::cl::Option *> getAll() const {
    return {std::addressof(chips), &format, &strategy, std::addressof(kernelPlan), &kernelPlans,
            &kernelCandidates, &float32,
            &allowTF32, &graph, &indexBitwidth, &chunks, &stackedBytes, &overlapProjections, &toolkit};
  }

  /// What is wrong with the options for this platform; empty if nothing is.
  std::string check(Platform platform) const {
    for (const llvm::cl::Option *option : getAll())
      if (platform == Platform::CPU && option->getNumOccurrences())
        return ("--" + option->ArgStr + " is for --target=cuda").str();
    if (indexBitwidth != 32 && indexBitwidth != 64)
      return "expects --index-bitwidth to be 32 or 64, but got " + std::to_string(indexBitwidth);
    if (chunks < 1)
      return "expects --chunks to be at least 1, but got " + std::to_string(chunks);
    if (stackedBytes < 0)
      return "expects --stacked-bytes not to be negative, but got " + std::to_string(stackedBytes);
    if (!toolkit.empty() && !llvm::sys::fs::is_directory(toolkit))
      return "--toolkit: there is no folder '" + toolkit.getValue() + "'";
    return "";
  }

  /// Into those of the pipeline. Without `optimize` every operation stays as it stands.
  void get(LSTMToNVVMOptions &options, bool optimize) const {
    options.chips = chips;
    options.format = format;
    options.strategy = optimize ? strategy : GPUStrategy::Naive;
    options.kernelPlan = llvm::to_vector(kernelPlan);
    options.kernelPlans = kernelPlans.getValue();
    options.kernelCandidates = kernelCandidates.getValue();
    options.float32 = float32.getValue();
    options.allowTF32 = allowTF32.getValue();
    options.graph = graph.getValue();
    options.indexBitwidth = indexBitwidth.getValue();
    options.chunks = chunks.getValue();
    options.stackedBytes = stackedBytes.getValue();
    options.overlapProjections = overlapProjections.getValue();
    options.toolkit = toolkit.getValue();
  }
};

} // namespace mlir::lstm

#endif // LSTM_TOOLS_GPUOPTIONS_H
