//===- CUDARuntime.h - Calls of the run-time library for GPUs -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions are those of lstm-runtime/cuda.h.
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_LIB_CONVERSION_CUDARUNTIME_H
#define LSTM_LIB_CONVERSION_CUDARUNTIME_H

#include "lstm/Dialect/LSTM/IR/LSTM.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir {
class ModuleOp;
namespace gpu {
class LaunchOp;
} // namespace gpu
namespace lstm {

/// Calls a function of the run-time library, which it declares where need be. An empty
/// `result` is a function that returns nothing.
Value callRuntime(OpBuilder &b, Location loc, StringRef name, Type result, ValueRange arguments);

/// The same distinct attribute of launches of a kernel and of calls of the run-time library that get that kernel as
/// their first argument.
constexpr StringLiteral kLaunchedKernelAttrName = "lstm.launched_kernel";

/// The address of a memref's first element, offset included.
Value getDevicePointer(OpBuilder &b, Location loc, Value memref);

/// Memory at `pointer` as memref<?xi8> of `bytes` elements.
Value getMemRefAt(OpBuilder &b, Location loc, Value pointer, Value bytes);

/// A check in the body of a launch: writes to the session's record where it fails.
void lowerDeviceCheck(RewriterBase &rewriter, CheckOp op, gpu::LaunchOp launch);

} // namespace lstm
} // namespace mlir

#endif // LSTM_LIB_CONVERSION_CUDARUNTIME_H
