//===- LinalgToGPU.h - Operations on memrefs to kernels -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_CONVERSION_LINALGTOGPU_H
#define LSTM_CONVERSION_LINALGTOGPU_H

#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::lstm {

/// Replaces an operation on memrefs by a `gpu.launch`: a thread for each point of the
/// parallel loops. Reductions whose parts can be combined in any order get a warp for each
/// point, others are done by its thread. Fails, with an error, if the body holds what no
/// kernel can.
LogicalResult convertLinalgToGPU(RewriterBase &rewriter, linalg::LinalgOp op);

/// A loop on the host that does nothing but read memory and check what it reads becomes
/// a kernel with a thread for each iteration. Fails for any other.
LogicalResult convertCheckLoopToGPU(RewriterBase &rewriter, scf::ForOp loop);

/// The store of a scalar that the host has becomes a kernel of one thread.
LogicalResult convertStoreToGPU(RewriterBase &rewriter, memref::StoreOp op);

} // namespace mlir::lstm

#endif // LSTM_CONVERSION_LINALGTOGPU_H
