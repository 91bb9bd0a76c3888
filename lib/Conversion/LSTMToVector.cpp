//===- LSTMToVector.cpp - Phases on memrefs to register-tiled loops --------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorizeBody.h"
#include "VectorizePhase.h"
#include "VectorizeReduction.h"
#include "lstm/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::lstm {
#define GEN_PASS_DEF_CONVERTLSTMTOVECTORPASS
#include "lstm/Conversion/Passes.h.inc"
} // namespace mlir::lstm

using namespace mlir;
using namespace mlir::lstm;

/// Whether `phase` has a form in vectors; says so where not.
static bool isVectorizable(PhaseOp phase) {
  auto missed = [&](Location loc) {
    return remark::missed(loc, remark::RemarkOpts::name("PhaseNotVectorized")
                                   .category("convert-lstm-to-vector"));
  };
  if (auto found = findNotVectorizable(phase)) {
    missed(found->first) << found->second;
    return false;
  }
  if (phase.getNumAccumulators() == 0)
    return true;
  auto isFloat = [](Value memref) {
    return isa<FloatType>(getElementTypeOrSelf(memref));
  };
  if (!isa<FloatType>(phase.getAccumulatorType()) || !llvm::all_of(phase.getStates(), isFloat) ||
      !llvm::all_of(phase.getWeights(), isFloat)) {
    missed(phase.getLoc()) << "products of other than floats";
    return false;
  }
  return true;
}

namespace {

/// Remembers the new operations that may have to be expanded.
struct ExpansionListener : RewriterBase::Listener {
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    if (isa<arith::ExtFOp, arith::TruncFOp>(op))
      ops.push_back(op);
  }
  SmallVector<Operation *> ops;
};

struct ConvertLSTMToVector : lstm::impl::ConvertLSTMToVectorPassBase<ConvertLSTMToVector> {
  using ConvertLSTMToVectorPassBase::ConvertLSTMToVectorPassBase;

  void runOnOperation() override {
    VectorTarget target = VectorTarget::getHost();
    if (vectorBits > 0)
      target.bits = vectorBits;
    target.rows = rows;
    SmallVector<PhaseOp> phases;
    getOperation()->walk([&](PhaseOp phase) {
      if (phase.getNumResults() == 0)
        phases.push_back(phase);
    });

    SmallVector<linalg::LinalgOp> linalgOps;
    getOperation()->walk([&](linalg::LinalgOp op) { linalgOps.push_back(op); });

    ExpansionListener listener;
    IRRewriter rewriter(&getContext(), &listener);
    for (PhaseOp phase : phases) {
      if (!isVectorizable(phase))
        continue;
      vectorizePhase(rewriter, phase, target);
      ++numVectorized;
    }
    for (linalg::LinalgOp op : linalgOps)
      if (vectorizeReduction(rewriter, op))
        ++numReductions;

    // Without them a conversion from f32 to bf16 becomes a call for each lane.
    RewritePatternSet patterns(&getContext());
    arith::populateExpandBFloat16Patterns(patterns);
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    if (failed(applyOpPatternsGreedily(listener.ops, std::move(patterns), config)))
      signalPassFailure();
  }
};

} // namespace
