//===- CuBLAS.h - Contractions to calls of cuBLAS -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_CONVERSION_CUBLAS_H
#define LSTM_CONVERSION_CUBLAS_H

#include "lstm/Dialect/CuBLAS/IR/CuBLAS.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::lstm {

/// Replaces a contraction on memrefs by a product of the cublas dialect, together
/// with the `linalg.fill` of its destination with 0, if there is one. Other operations
/// are left alone: it fails, for contractions with a remark that says why.
LogicalResult convertLinalgToCuBLAS(RewriterBase &rewriter, linalg::LinalgOp op, bool allowTF32);

/// Replace a product by a call of lstmCudaGemm, which is declared if it is not yet.
/// An operation with several dependencies gets a diagnostic.
LogicalResult convertCuBLASToRuntime(RewriterBase &rewriter, cublas::GemmOp op);
LogicalResult convertCuBLASToRuntime(RewriterBase &rewriter, cublas::GemmStridedBatchedOp op);

} // namespace mlir::lstm

#endif // LSTM_CONVERSION_CUBLAS_H
