//===- LSTMToGPUKernel.cpp - Recurrences to kernels ------------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/Conversion/Passes.h"

#include "RecurrentKernel.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::lstm {
#define GEN_PASS_DEF_CONVERTLSTMTOGPUKERNELPASS
#include "lstm/Conversion/Passes.h.inc"
} // namespace mlir::lstm

using namespace mlir;
using namespace mlir::lstm;

/// Replaces the loop. Memory is allocated before what the function's entry block has of it,
/// and the work stands in a region, so that lstm-plan-memory takes all its buffers to be in
/// use together.
static void convert(RewriterBase &rewriter, const RecurrentLoop &loop, const KernelPlan &plan,
                    int64_t siblings) {
  scf::ForOp source = loop.loop;
  Location loc = source.getLoc();
  Block *entry = &source->getParentOfType<FunctionOpInterface>().getFunctionBody().front();
  rewriter.setInsertionPoint(entry->findAncestorOpInBlock(*source));
  Value steps = source.getUpperBound();
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  Value words = rewriter.createOrFold<arith::AddIOp>(loc, steps, one);
  words = rewriter.createOrFold<arith::MulIOp>(
      loc, words, getValueOrCreateConstantIndexOp(rewriter, loc, loop.rows));
  words = rewriter.createOrFold<arith::MulIOp>(
      loc, words, arith::ConstantIndexOp::create(rewriter, loc, getExchangeWords(loop, plan)));
  auto type = MemRefType::get({ShapedType::kDynamic}, rewriter.getI32Type());
  Value memory = memref::AllocOp::create(rewriter, loc, type, words);

  rewriter.setInsertionPoint(source);
  auto region = scf::ExecuteRegionOp::create(rewriter, loc, TypeRange());
  rewriter.createBlock(&region.getRegion());
  emitRecurrentKernel(rewriter, loop, plan, siblings, memory);
  rewriter.setInsertionPointToEnd(&region.getRegion().front());
  scf::YieldOp::create(rewriter, loc);
  rewriter.eraseOp(source);
}

namespace {
struct ConvertLSTMToGPUKernelPass
    : public lstm::impl::ConvertLSTMToGPUKernelPassBase<ConvertLSTMToGPUKernelPass> {
  using Base::Base;
  void getDependentDialects(DialectRegistry &registry) const override {
    Base::getDependentDialects(registry);
    registerSynchronizationEffects(registry);
  }
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (loop->hasAttr("lstm.kernel"))
        loops.push_back(loop);
    });
    for (scf::ForOp source : loops) {
      std::string reason;
      FailureOr<RecurrentLoop> loop = matchRecurrentLoop(source, reason);
      KernelPlan plan{unitBlocks, rowTiles, splits, mapWarps, static_cast<ProductFormat::Float32>(mode.getValue())};
      if (succeeded(loop) && getKernelSize(*loop, plan)) {
        int64_t siblings = 1;
        convert(rewriter, *loop, plan, siblings);
        ++numKernels;
        continue;
      }
      if (reason.empty())
        reason = "no plan fits";
      source->removeAttr("lstm.kernel");
      remark::missed(source.getLoc(), remark::RemarkOpts::name("RecurrentKernel").category(getArgument()))
          << reason;
    }
  }
};
} // namespace
