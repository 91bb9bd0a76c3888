//===- UnitTest.h - Common parts of the unit tests -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_TEST_UNIT_UNITTEST_H
#define LSTM_TEST_UNIT_UNITTEST_H

#include "lstm/Dialect/LSTM/IR/LSTM.h"
#include "lstm/InitAll.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

namespace mlir::lstm {

/// A context with the dialects, and a function with arguments to build in.
class LSTMTest : public ::testing::Test {
protected:
  LSTMTest() : builder(&context), loc(UnknownLoc::get(&context)) {
    DialectRegistry registry;
    registerDialect(registry);
    registry.insert<func::FuncDialect, linalg::LinalgDialect>();
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    module = ModuleOp::create(loc);
  }

  /// A tensor of f32, or of `element`; -1 stands for a dynamic size.
  RankedTensorType tensor(ArrayRef<int64_t> shape, Type element = {}) {
    SmallVector<int64_t> sizes = llvm::map_to_vector(
        shape, [](int64_t size) { return size < 0 ? ShapedType::kDynamic : size; });
    return RankedTensorType::get(sizes, element ? element : builder.getF32Type());
  }

  /// Makes a function with arguments of these types and leaves the builder in it.
  SmallVector<Value> startFunction(TypeRange types) {
    builder.setInsertionPointToEnd(module->getBody());
    auto func = func::FuncOp::create(builder, loc, "f", builder.getFunctionType(types, {}));
    Block *entry = func.addEntryBlock();
    builder.setInsertionPointToEnd(entry);
    func::ReturnOp::create(builder, loc);
    builder.setInsertionPointToStart(entry);
    return SmallVector<Value>(entry->getArguments());
  }

  /// Whether the module verifies; messages are dropped.
  bool verifies() {
    ScopedDiagnosticHandler handler(&context, [](Diagnostic &) { return success(); });
    return succeeded(verify(*module));
  }

  ActivationAttr activation(ActivationKind kind) { return ActivationAttr::get(&context, kind); }

  MLIRContext context;
  OpBuilder builder;
  Location loc;
  OwningOpRef<ModuleOp> module;
};

} // namespace mlir::lstm

#endif // LSTM_TEST_UNIT_UNITTEST_H
