//===- AllowInlining.cpp - Functions that may not stay functions -----------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/Conversion/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::lstm {
#define GEN_PASS_DEF_LSTMALLOWINLININGPASS
#include "lstm/Conversion/Passes.h.inc"
} // namespace mlir::lstm

using namespace mlir;

namespace {
struct LSTMAllowInliningPass : public lstm::impl::LSTMAllowInliningPassBase<LSTMAllowInliningPass> {
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (auto function = dyn_cast<func::FuncOp>(op))
        function.setNoInline(false);
      else if (auto call = dyn_cast<func::CallOp>(op))
        call.setNoInline(false);
    });
  }
};
} // namespace
