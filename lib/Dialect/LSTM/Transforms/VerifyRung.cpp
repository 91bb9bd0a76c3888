//===- VerifyRung.cpp - What belongs on a rung -----------------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/Dialect/LSTM/IR/LSTM.h"
#include "lstm/Dialect/LSTM/Transforms/Passes.h"

#include "mlir/Interfaces/CallInterfaces.h"
#include "llvm/ADT/StringSwitch.h"

namespace mlir::lstm {
#define GEN_PASS_DEF_LSTMVERIFYRUNGPASS
#include "lstm/Dialect/LSTM/Transforms/Passes.h.inc"
} // namespace mlir::lstm

using namespace mlir;
using namespace mlir::lstm;

/// Whether `op` has a place on the rung of that number.
static bool belongs(Operation *op, unsigned rung) {
  bool isCell = isa<RecurrentCellOpInterface>(op);
  switch (rung) {
  case 0:
    return !isa<PhaseOp, ScanOp>(op);
  case 1:
    if (isCell || isa<PhaseOp, ScanOp>(op))
      return false;
    if (!op->getParentOfType<RecurrenceOp>())
      return true;
    return !isa<CallOpInterface>(op) &&
           llvm::none_of(op->getResultTypes(), llvm::IsaPred<BaseMemRefType>);
  case 2:
    return !isCell && !isa<GateOp, ScanOp>(op);
  case 3:
    return !isCell && !isa<GateOp, RecurrenceOp>(op);
  default:
    return !isa_and_nonnull<LSTMDialect>(op->getDialect());
  }
}

namespace {
struct LSTMVerifyRungPass : public lstm::impl::LSTMVerifyRungPassBase<LSTMVerifyRungPass> {
  using Base::Base;
  void runOnOperation() override {
    int number = llvm::StringSwitch<int>(rung)
                     .Case("L0", 0).Case("L1", 1).Case("L2", 2).Case("L3", 3).Case("L4", 4)
                     .Default(-1);
    if (number < 0) {
      getOperation()->emitError() << "there is no rung '" << rung
                                  << "': expects L0, L1, L2, L3 or L4";
      return signalPassFailure();
    }
    WalkResult result = getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (belongs(op, number))
        return WalkResult::advance();
      op->emitOpError() << "does not belong on rung " << rung;
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
