//===- InitAll.cpp - Registers everything of this project -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/InitAll.h"

#include "lstm/Conversion/Passes.h"
#include "lstm/Dialect/CuBLAS/IR/CuBLAS.h"
#include "lstm/Dialect/LSTM/IR/LSTM.h"
#include "lstm/Dialect/LSTM/TransformOps/LSTMTransformOps.h"
#include "lstm/Dialect/LSTM/Transforms/Passes.h"
#include "lstm/Dialect/LSTM/Transforms/Transforms.h"
#include "lstm/Pipelines/Pipelines.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"

#include <mutex>

void mlir::lstm::registerDialect(DialectRegistry &registry) {
  registry.insert<LSTMDialect, cublas::CuBLASDialect>();
  registerBufferizableOpInterfaceExternalModels(registry);
  registerTransformDialectExtension(registry);
}

void mlir::lstm::registerAllDialects(DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  // lstm-compile-kernels translates to LLVM IR.
  mlir::registerAllGPUToLLVMIRTranslations(registry);
  registerDialect(registry);
}

// The registry of passes is one for the process. Two threads must not fill it at
// once, and where MLIR is built with assertions it does not take a pipeline twice.
void mlir::lstm::registerPasses() {
  static std::once_flag once;
  std::call_once(once, [] {
    registerLSTMPasses();
    registerLSTMConversionPasses();
    registerLSTMPipelines();
  });
}

void mlir::lstm::registerAllPasses() {
  static std::once_flag once;
  std::call_once(once, mlir::registerAllPasses);
  lstm::registerPasses();
}
