//===- InitAll.cpp - Registers everything of this project -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/InitAll.h"

#include "lstm/Conversion/Passes.h"
#include "lstm/Dialect/LSTM/IR/LSTM.h"
#include "lstm/Dialect/LSTM/TransformOps/LSTMTransformOps.h"
#include "lstm/Dialect/LSTM/Transforms/Passes.h"
#include "lstm/Dialect/LSTM/Transforms/Transforms.h"
#include "lstm/Pipelines/Pipelines.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"

void mlir::lstm::registerDialect(DialectRegistry &registry) {
  registry.insert<LSTMDialect>();
  registerBufferizableOpInterfaceExternalModels(registry);
  registerTransformDialectExtension(registry);
}

void mlir::lstm::registerAllDialects(DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registerDialect(registry);
}

void mlir::lstm::registerPasses() {
  registerLSTMPasses();
  registerLSTMConversionPasses();
  registerLSTMPipelines();
}

void mlir::lstm::registerAllPasses() {
  mlir::registerAllPasses();
  lstm::registerPasses();
}
