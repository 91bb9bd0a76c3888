//===- KernelBuilder.h - Elementwise kernels -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_LIB_CONVERSION_KERNELBUILDER_H
#define LSTM_LIB_CONVERSION_KERNELBUILDER_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::lstm {

/// Builds one `gpu.launch` over a linear space of points. Memory is reached by pointers
/// and strides, not by memrefs: a kernel gets one pointer for each memref and those strides
/// that are not constant.
class KernelBuilder {
public:
  /// The threads of a block.
  static constexpr int64_t kBlockSize = 128;
  static constexpr int64_t kWarpSize = 32;

  /// Begins a kernel before the insertion point of `rewriter`, for `sizes` points of
  /// `threads` threads each (1 or a warp).
  KernelBuilder(RewriterBase &rewriter, Location loc, ArrayRef<OpFoldResult> sizes,
                int64_t threads = 1);

  /// The coordinates of this thread's point; valid in the body, where the insertion point
  /// now is.
  ArrayRef<Value> getPoint() const { return point; }
  /// The thread's number in its point.
  Value getLane() const { return lane; }

  Value load(Value memref, ValueRange indices);
  void store(Value value, Value memref, ValueRange indices);

  /// A value that the host computes.
  Value getIndex(OpFoldResult size);

  /// Replaces what only the host has in the operations from the body's begin on:
  /// `memref.load` (its indices, which may depend on data, are kept in bounds; there is a
  /// zero where the memref is empty) and
  /// `lstm.check`, and `math.fma`, which is an instruction. Ends the kernel; the insertion point is behind it.
  LogicalResult finish();

private:
  struct View {
    Value pointer;
    SmallVector<OpFoldResult> sizes, strides;
  };
  const View &getView(Value memref);
  Value getAddress(const View &view, Type element, ValueRange indices);
  LogicalResult lowerBody();

  RewriterBase &rewriter;
  Location loc;
  gpu::LaunchOp launch;
  Block *body;
  SmallVector<Value> point;
  Value lane;
  llvm::MapVector<Value, View> views;
};

} // namespace mlir::lstm

#endif // LSTM_LIB_CONVERSION_KERNELBUILDER_H
