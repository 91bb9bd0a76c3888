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

/// When, and how, products of f32 become products of bf16.
struct SplitProductsOptions {
  /// The least number of rows, and of multiplications.
  int64_t rows = 1024, multiplications = 1 << 30;
  /// The least number of columns, and of elements in a row of A.
  int64_t width = 256;
  /// How many products of first parts are summed up at once, a multiple of 8.
  int64_t chunk = 512;
};

/// Replaces a product of f32 by products of bf16 that are as exact and faster, where it is
/// large; if that depends on its number of rows, it is asked for at run time. Other products
/// are left alone: it fails, for those that were nearly right with a remark that says why.
LogicalResult splitProduct(RewriterBase &rewriter, cublas::GemmOp product, const SplitProductsOptions &options);

/// Replace a product by a call of lstmCudaGemm, which is declared if it is not yet.
/// An operation with several dependencies gets a diagnostic.
LogicalResult convertCuBLASToRuntime(RewriterBase &rewriter, cublas::GemmOp op);
LogicalResult convertCuBLASToRuntime(RewriterBase &rewriter, cublas::GemmStridedBatchedOp op);

} // namespace mlir::lstm

#endif // LSTM_CONVERSION_CUBLAS_H
