//===- CuBLASOps.td - Operations of the cublas dialect -----*- tablegen -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_DIALECT_CUBLAS_IR_CUBLASOPS_TD
#define LSTM_DIALECT_CUBLAS_IR_CUBLASOPS_TD

include "lstm/Dialect/CuBLAS/IR/CuBLASAttrs.td"
include "mlir/Dialect/GPU/IR/GPUBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class CuBLAS_Op<string mnemonic, list<Trait> traits = []>
    : Op<CuBLAS_Dialect, mnemonic, traits>;

/// A product of matrices, or of a batch of them.
class CuBLAS_Product<string mnemonic> : CuBLAS_Op<mnemonic,
    [GPU_AsyncOpInterface, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let arguments = (ins Variadic<GPU_AsyncToken>:$asyncDependencies,
                       AnyMemRef:$a, AnyMemRef:$b, AnyMemRef:$c,
                       UnitAttr:$transpose_a, UnitAttr:$transpose_b,
                       DefaultValuedAttr<F64Attr, "1.0">:$alpha,
                       DefaultValuedAttr<F64Attr, "0.0">:$beta,
                       OptionalAttr<CuBLAS_ComputeTypeAttr>:$compute);
  let results = (outs Optional<GPU_AsyncToken>:$asyncToken);
  let assemblyFormat = [{
    custom<AsyncDependencies>(type($asyncToken), $asyncDependencies)
    `ins` `(` $a `,` $b `:` type($a) `,` type($b) `)` `outs` `(` $c `:` type($c) `)`
    (`transpose_a` $transpose_a^)? (`transpose_b` $transpose_b^)?
    (`alpha` $alpha^)? (`beta` $beta^)? (`compute` $compute^)? attr-dict
  }];
  let builders = [
    /// A product that waits for nothing.
    OpBuilder<(ins "::mlir::Value":$a, "::mlir::Value":$b, "::mlir::Value":$c,
                   "bool":$transposeA, "bool":$transposeB, CArg<"double", "1.0">:$alpha,
                   CArg<"double", "0.0">:$beta,
                   CArg<"std::optional<::mlir::cublas::ComputeType>", "std::nullopt">:$compute), [{
      build($_builder, $_state, /*asyncToken=*/::mlir::Type(), /*asyncDependencies=*/{}, a, b, c,
            transposeA, transposeB, ::llvm::APFloat(alpha), ::llvm::APFloat(beta),
            compute ? ::mlir::cublas::ComputeTypeAttr::get($_builder.getContext(), *compute) : nullptr);
    }]>];
  let extraClassDeclaration = [{
    /// What it is computed in: the attribute, or f64 for f64 and f32 for the others.
    ::mlir::cublas::ComputeType getComputeType();
  }];
  let extraClassDefinition = [{
    ::mlir::cublas::ComputeType $cppClass::getComputeType() {
      bool isF64 = getA().getType().getElementType().isF64();
      return getCompute().value_or(isF64 ? ComputeType::F64 : ComputeType::F32);
    }
  }];
  let hasVerifier = 1;
}

def CuBLAS_GemmOp : CuBLAS_Product<"gemm"> {
  let summary = "C = alpha op(A) op(B) + beta C";
  let description = [{
    op(A) is m x k, op(B) k x n and C m x n; with `transpose_a` A lies as k x m, with
    `transpose_b` B as n x k. The last dimension of each has stride 1. Where beta is 0,
    the default, C is not read. alpha is 1 by default. C must not overlap A or B.

    A and B have the same element type, C too; f16 and bf16 may go to a C of f32. f64 is
    computed in f64, all else in f32; `compute tf32` lets products of f32 be rounded
    to TF32.

    ```mlir
    func.func @add_product(%a: memref<?x80xf32>, %w: memref<512x80xf32>,
                           %c: memref<?x512xf32, strided<[1024, 1], offset: ?>>) {
      cublas.gemm ins(%a, %w : memref<?x80xf32>, memref<512x80xf32>)
          outs(%c : memref<?x512xf32, strided<[1024, 1], offset: ?>>) transpose_b beta 1.0 compute tf32
      return
    }
    ```
  }];
}

def CuBLAS_GemmStridedBatchedOp : CuBLAS_Product<"gemm_strided_batched"> {
  let summary = "C[i] = alpha op(A[i]) op(B[i]) + beta C[i]";
  let description = [{
    As `cublas.gemm` on each matrix of a batch, which is dimension 0. A stride of 0
    between the matrices of A or B stands for one matrix for all.

    ```mlir
    func.func @products(%a: memref<7x?x80xbf16>, %b: memref<7x80x64xbf16>, %c: memref<7x?x64xf32>,
                        %before: !gpu.async.token) -> !gpu.async.token {
      %after = cublas.gemm_strided_batched async [%before]
          ins(%a, %b : memref<7x?x80xbf16>, memref<7x80x64xbf16>) outs(%c : memref<7x?x64xf32>)
      return %after : !gpu.async.token
    }
    ```
  }];
}

#endif // LSTM_DIALECT_CUBLAS_IR_CUBLASOPS_TD
