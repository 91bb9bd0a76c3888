//===- CuBLAS.h - The cublas dialect -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_DIALECT_CUBLAS_IR_CUBLAS_H
#define LSTM_DIALECT_CUBLAS_IR_CUBLAS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::cublas {

/// Whether a product of matrices of `input` has a type of its own in cuBLAS that
/// is added up in `output`: f64, f32, f16 and bf16 in their own type, the
/// latter two in f32 as well.
bool isSupported(Type input, Type output);

} // namespace mlir::cublas

#include "lstm/Dialect/CuBLAS/IR/CuBLASDialect.h.inc"
#include "lstm/Dialect/CuBLAS/IR/CuBLASEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "lstm/Dialect/CuBLAS/IR/CuBLASAttrs.h.inc"

#define GET_OP_CLASSES
#include "lstm/Dialect/CuBLAS/IR/CuBLASOps.h.inc"

#endif // LSTM_DIALECT_CUBLAS_IR_CUBLAS_H
