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

/// Brings the module to the LLVM dialect: with `pipeline`, in MLIR's textual form,
/// or with `lstm-to-llvm` if that is empty. Only these functions, and what they
/// call, remain. Their arguments are read, never written.
LogicalResult lowerToLLVM(ModuleOp module, ArrayRef<func::FuncOp> functions, StringRef pipeline,
                          const LSTMToLLVMOptions &options);

/// The 8-byte words of a memref descriptor: two pointers, offset, sizes, strides.
size_t getDescriptorWords(const Port &port);

/// The type that a function has in the LLVM dialect: a memref's descriptor as
/// single arguments, the results in one structure.
LLVM::LLVMFunctionType getLoweredType(const Signature &signature, MLIRContext *context);

} // namespace mlir::lstm

#endif // LSTM_TARGET_LOWERING_H
