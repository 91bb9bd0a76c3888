//===- CuBLASDialect.cpp - The cublas dialect -----------------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/Dialect/CuBLAS/IR/CuBLAS.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::cublas;

#include "lstm/Dialect/CuBLAS/IR/CuBLASDialect.cpp.inc"
#include "lstm/Dialect/CuBLAS/IR/CuBLASEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "lstm/Dialect/CuBLAS/IR/CuBLASAttrs.cpp.inc"

void CuBLASDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "lstm/Dialect/CuBLAS/IR/CuBLASAttrs.cpp.inc"
      >();
}

void CuBLASDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "lstm/Dialect/CuBLAS/IR/CuBLASOps.cpp.inc"
      >();
}
