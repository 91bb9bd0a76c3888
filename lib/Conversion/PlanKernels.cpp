//===- PlanKernels.cpp - Which recurrences become kernels ------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/Conversion/Passes.h"
#include "lstm/Dialect/LSTM/IR/LSTM.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::lstm {
#define GEN_PASS_DEF_LSTMPLANKERNELSPASS
#include "lstm/Conversion/Passes.h.inc"
} // namespace mlir::lstm

using namespace mlir;
using namespace mlir::lstm;

namespace {
struct LSTMPlanKernelsPass : public lstm::impl::LSTMPlanKernelsPassBase<LSTMPlanKernelsPass> {
  void runOnOperation() override {
    getOperation().walk([&](PhaseOp phase) {
      if (auto loop = dyn_cast<scf::ForOp>(phase->getParentOp()))
        loop->setAttr("lstm.kernel", UnitAttr::get(&getContext()));
    });
  }
};
} // namespace
