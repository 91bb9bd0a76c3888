//===- myrnn-opt.cpp - Optimizer driver with the lstm and myrnn dialects -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MyRNN.h"

#include "lstm/InitAll.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::lstm::registerAllPasses();
  mlir::DialectRegistry registry;
  mlir::lstm::registerAllDialects(registry);
  registry.insert<myrnn::MyRNNDialect>();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "myrnn optimizer driver\n", registry));
}
