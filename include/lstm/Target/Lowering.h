//===- Lowering.h - Functions to the LLVM dialect -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_TARGET_LOWERING_H
#define LSTM_TARGET_LOWERING_H

#include "lstm/Target/Signature.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace mlir::lstm {

struct LSTMToLLVMOptions;
struct LSTMToNVVMOptions;

/// Where compiled functions have their tensors.
enum class Platform { CPU, CUDA };

/// The first half of `lstm-to-llvm`, on tensors. `functions` are what is visible from
/// outside; with `options.splitPacking` some of them get companions `@f_pack` and
/// `@f_packed`, public as well.
LogicalResult optimizeFunctions(ModuleOp module, ArrayRef<func::FuncOp> functions,
                                const LSTMToLLVMOptions &options);

/// The second half, to the LLVM dialect.
LogicalResult lowerFunctions(ModuleOp module, const LSTMToLLVMOptions &options);

/// `lstm-to-nvvm`. `functions` are what is visible from outside.
LogicalResult lowerFunctionsForGPU(ModuleOp module, ArrayRef<func::FuncOp> functions,
                                   const LSTMToNVVMOptions &options);

/// Passes of the user's instead of both. `pipeline` is one of `builtin.module(...)`.
LogicalResult runPipeline(ModuleOp module, ArrayRef<func::FuncOp> functions, StringRef pipeline);

/// The 8-byte words of a memref descriptor: two pointers, offset, sizes, strides.
size_t getDescriptorWords(const Port &port);

/// The type that a function has in the LLVM dialect: a memref's descriptor as
/// single arguments, the results in one structure. On a GPU it has no results: it asks for
/// the tensors' places, and the scalars' addresses follow the arguments.
LLVM::LLVMFunctionType getLoweredType(const Signature &signature, MLIRContext *context,
                                      Platform platform = Platform::CPU);

} // namespace mlir::lstm

#endif // LSTM_TARGET_LOWERING_H
