//===- CuBLASAttrs.td - The cublas dialect and its attributes -*- tablegen -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_DIALECT_CUBLAS_IR_CUBLASATTRS_TD
#define LSTM_DIALECT_CUBLAS_IR_CUBLASATTRS_TD

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def CuBLAS_Dialect : Dialect {
  let name = "cublas";
  let cppNamespace = "::mlir::cublas";
  let summary = "Calls of NVIDIA's cuBLAS";
  let description = [{
    One operation a call of the library, on memrefs in memory of the device. Matrices
    are in row-major order; what is between two rows, or two matrices of a batch, is
    said by the strides of the memref.

    A call is enqueued, and nothing waits for its end. With `async` it depends on the
    work of a token and gives one, as the operations of the `gpu` dialect do; without,
    it is enqueued behind what the program has enqueued before.

    The meaning, constraint by constraint, is in `docs/Spec.md`.
  }];
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::gpu::GPUDialect"];
  let extraClassDeclaration = [{
    void registerAttributes();
  }];
}

def CuBLAS_ComputeType : I32EnumAttr<"ComputeType", "what products are computed in", [
    I32EnumAttrCase<"F32", 0, "f32">,
    I32EnumAttrCase<"TF32", 1, "tf32">,
    I32EnumAttrCase<"F64", 2, "f64">]> {
  let cppNamespace = "::mlir::cublas";
  let genSpecializedAttr = 0;
}

def CuBLAS_ComputeTypeAttr : EnumAttr<CuBLAS_Dialect, CuBLAS_ComputeType, "compute_type">;

#endif // LSTM_DIALECT_CUBLAS_IR_CUBLASATTRS_TD
