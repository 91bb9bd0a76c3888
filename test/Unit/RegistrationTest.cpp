//===- RegistrationTest.cpp - Unit tests of registration and pipelines -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnitTest.h"

#include "lstm/Pipelines/Pipelines.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace mlir::lstm;

namespace {
TEST(RegistrationTest, MayBeRepeated) {
  DialectRegistry registry;
  for (int i = 0; i < 2; ++i) {
    registerDialect(registry);
    registerAllDialects(registry);
    registerPasses();
    lstm::registerAllPasses();
  }
  MLIRContext context(registry);
  context.appendDialectRegistry(registry);
  EXPECT_TRUE(context.getOrLoadDialect<LSTMDialect>());
  EXPECT_TRUE(PassInfo::lookup("lstm-decompose-cells"));
  EXPECT_TRUE(PassPipelineInfo::lookup("lstm-to-llvm"));
}

TEST(RegistrationTest, EveryPassHasItsName) {
  registerPasses();
  for (StringRef name :
       {"lstm-decompose-cells", "lstm-fuse-gates", "lstm-hoist-input-projections",
        "lstm-form-phases", "lstm-fuse-recurrences", "lstm-generate-checks",
        "lstm-lower-recurrence", "lstm-verify-rung", "convert-lstm-to-linalg",
        "convert-lstm-to-scf", "convert-lstm-to-vector", "convert-lstm-to-llvm"})
    EXPECT_TRUE(PassInfo::lookup(name)) << name.str();
  for (StringRef name : {"lstm-to-phases", "lstm-to-llvm"})
    EXPECT_TRUE(PassPipelineInfo::lookup(name)) << name.str();
}

TEST_F(LSTMTest, PipelineRunsFromItsOptions) {
  DialectRegistry registry;
  registerAllDialects(registry);
  context.appendDialectRegistry(registry);
  module = parseSourceString<ModuleOp>(R"(
    func.func @main(%xs: tensor<?x4x8xf32>, %h0: tensor<4x8xf32>) -> tensor<4x8xf32> {
      %hT = lstm.recurrence over(%x = %xs : tensor<?x4x8xf32>) init(%h = %h0 : tensor<4x8xf32>) {
        %h1 = arith.addf %h, %x : tensor<4x8xf32>
        lstm.yield state(%h1 : tensor<4x8xf32>)
      }
      return %hT : tensor<4x8xf32>
    })", &context);
  ASSERT_TRUE(module);
  PassManager manager(&context);
  LSTMToLLVMOptions options;
  options.optimize = false;
  options.runtimeChecks = false;
  buildLSTMToLLVMPipeline(manager, options);
  ASSERT_TRUE(succeeded(manager.run(*module)));
  module->walk([](Operation *op) {
    EXPECT_TRUE(isa<ModuleOp>(op) || op->getName().getDialectNamespace() == "llvm")
        << op->getName().getStringRef().str();
  });
}
} // namespace
