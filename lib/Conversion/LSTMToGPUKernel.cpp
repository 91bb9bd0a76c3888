//===- LSTMToGPUKernel.cpp - Recurrences to kernels ------------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/Conversion/Passes.h"

#include "BranchLoops.h"
#include "ByteSize.h"
#include "CUDARuntime.h"
#include "KernelLayout.h"
#include "KernelPlanAttr.h"
#include "RecurrentKernel.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::lstm {
#define GEN_PASS_DEF_CONVERTLSTMTOGPUKERNELPASS
#include "lstm/Conversion/Passes.h.inc"
} // namespace mlir::lstm

using namespace mlir;
using namespace mlir::lstm;

namespace {
/// Replaces a loop by kernels, of which the number of rows chooses one.
class LoopConversion {
public:
  LoopConversion(RewriterBase &rewriter, const RecurrentLoop &loop, ArrayRef<PlannedRows> planned,
                 int64_t siblings, KernelOptions options)
      : rewriter(rewriter), loop(loop), source(loop.loop), loc(source.getLoc()), planned(planned),
        siblings(siblings), options(options) {}

  void run();

private:
  Value index(int64_t value) { return arith::ConstantIndexOp::create(rewriter, loc, value); }
  Value compare(arith::CmpIPredicate predicate, Value l, Value r) {
    return rewriter.createOrFold<arith::CmpIOp>(loc, predicate, l, r);
  }
  Value allocate();
  Value getAlignment();
  Value guard(Value condition, const KernelPlan &plan, DistinctAttr kernel);

  RewriterBase &rewriter;
  const RecurrentLoop &loop;
  scf::ForOp source;
  Location loc;
  ArrayRef<PlannedRows> planned;
  int64_t siblings;
  KernelOptions options;
  Value rows;
};
} // namespace

/// What blocks exchange: of each step of a launch, and of what was before the first; nothing for numbers
/// of rows that no kernel is for; null if that is all.
Value LoopConversion::allocate() {
  Value count;
  int64_t maxRows = 0;
  auto multiply = [&](Value l, Value r) { return rewriter.createOrFold<arith::MulIOp>(loc, l, r); };
  for (const PlannedRows &part : planned) {
    if (!part.plan || part.plan->isCluster())
      continue;
    KernelLayout layout(loop, *part.plan);
    Value words;
    if (part.plan->hasWarpGroups()) {
      Value tiles = rewriter.createOrFold<arith::CeilDivUIOp>(loc, rows, index(part.plan->getNumRows()));
      words = multiply(tiles, index(layout.getTileWords(part.plan->getNumRows())));
      int64_t streamedBytes = 0;
      for (unsigned p = 0; p < getNumParts(loop, *part.plan); ++p)
        streamedBytes += KernelLayout(loop, *part.plan, p).streamedBytes;
      words = rewriter.createOrFold<arith::AddIOp>(loc, words, index(part.plan->unitBlocks * streamedBytes / 4));
    } else {
      Value slots = getNumSlots(rewriter, loop, *part.plan);
      words = multiply(multiply(slots, rows), index(layout.exchangeWords));
      if (part.plan->perStep)
        words = rewriter.createOrFold<arith::AddIOp>(loc, words,
                                                     index(part.plan->unitBlocks * layout.streamedBytes / 4));
    }
    count = count ? rewriter.createOrFold<arith::MaxUIOp>(loc, count, words) : words;
    maxRows = part.maxRows;
  }
  if (!count)
    return {};
  if (maxRows != planned.back().maxRows)
    count = rewriter.createOrFold<arith::SelectOp>(
        loc, compare(arith::CmpIPredicate::ule, rows, index(maxRows)), count, index(0));
  // A size that is known counts in the plan of the memory.
  return memref::AllocOp::create(rewriter, loc, {getAsOpFoldResult(count)}, rewriter.getI32Type());
}

/// Whether weights begin at multiples of what a lane loads at once; null if that is one element.
Value LoopConversion::getAlignment() {
  llvm::MapVector<Value, int64_t> bytes;
  for (const PlannedRows &part : planned)
    if (part.plan)
      for (const PhaseInLoop &phase : loop.phases)
        for (const Projection &projection : phase.projections) {
          PhaseLayout shape = KernelLayout(loop, *part.plan).phases[&phase - loop.phases.begin()];
          int64_t width = getWeightVectorSize(projection, shape.getLaneUnits());
          Type element = cast<MemRefType>(projection.weight.getType()).getElementType();
          int64_t &most = bytes[projection.weight];
          most = std::max(most, width == 1 ? 1 : width * getByteWidth(element));
        }
  Value fits;
  for (auto [weight, multiple] : bytes) {
    if (multiple == 1)
      continue;
    Value address = getDevicePointer(rewriter, loc, weight);
    address = LLVM::PtrToIntOp::create(rewriter, loc, rewriter.getI64Type(), address);
    Value mask = arith::ConstantIntOp::create(rewriter, loc, multiple - 1, 64);
    Value rest = arith::AndIOp::create(rewriter, loc, address, mask);
    Value zero = arith::ConstantIntOp::create(rewriter, loc, 0, 64);
    Value isMultiple = compare(arith::CmpIPredicate::eq, rest, zero);
    fits = fits ? arith::AndIOp::create(rewriter, loc, fits, isMultiple).getResult() : isMultiple;
  }
  return fits;
}

/// Where the condition holds, whether the device has place for the kernel, as the driver says.
Value LoopConversion::guard(Value condition, const KernelPlan &plan, DistinctAttr kernel) {
  auto asks = scf::IfOp::create(rewriter, loc, rewriter.getI1Type(), condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(asks.elseBlock());
  scf::YieldOp::create(rewriter, loc, arith::ConstantIntOp::create(rewriter, loc, 0, 1).getResult());
  rewriter.setInsertionPointToStart(asks.thenBlock());
  auto constant = [&](int64_t value, int64_t width) -> Value {
    return arith::ConstantIntOp::create(rewriter, loc, value, width);
  };
  // lstm-lower-launches knows the kernel by the mark.
  Value unknown = LLVM::ZeroOp::create(rewriter, loc, LLVM::LLVMPointerType::get(rewriter.getContext()));
  Value threads = constant(plan.getNumThreads(), 64);
  Value clusterBlocks = constant(plan.isCluster() ? plan.unitBlocks : 0, 64);
  Value fits = callRuntime(rewriter, loc, "lstmCudaFits", rewriter.getI32Type(),
                           {unknown, threads, clusterBlocks, constant(getSharedBytes(loop, plan), 32)});
  fits.getDefiningOp()->setAttr(kLaunchedKernelAttrName, kernel);
  scf::YieldOp::create(rewriter, loc, compare(arith::CmpIPredicate::ne, fits, constant(0, 32)));
  return asks.getResult(0);
}

void LoopConversion::run() {
  // Memory is allocated before what the function's entry block has of the loop, if its size is
  // known there, and the work stands in a region, so that lstm-plan-memory takes all its buffers
  // to be in use together.
  auto function = source->getParentOfType<FunctionOpInterface>();
  Operation *ancestor = function.getFunctionBody().front().findAncestorOpInBlock(*source);
  DominanceInfo dominance(function);
  auto isKnown = [&](OpFoldResult size) {
    auto value = dyn_cast<Value>(size);
    return !value || dominance.properlyDominates(value, ancestor);
  };
  bool isOutside = ancestor && isKnown(loop.maxSteps) && isKnown(loop.rows);
  SmallVector<FinalState> states;
  if (isOutside)
    states = findFinalStates(loop, ancestor);
  FinalPlaces finals = claimFinalStates(rewriter, loop, states, ancestor);
  RaggedParts ragged = findRaggedParts(loop);
  rewriter.setInsertionPoint(isOutside ? ancestor : source);
  rows = getValueOrCreateConstantIndexOp(rewriter, loc, loop.rows);
  Value memory = allocate();

  rewriter.setInsertionPoint(source);
  auto region = scf::ExecuteRegionOp::create(rewriter, loc, TypeRange());
  rewriter.createBlock(&region.getRegion());
  scf::YieldOp::create(rewriter, loc);
  rewriter.setInsertionPoint(region.getRegion().front().getTerminator());
  Value device = callRuntime(rewriter, loc, "lstmCudaGetMultiprocessors", rewriter.getI64Type(), {});
  device = arith::IndexCastOp::create(rewriter, loc, rewriter.getIndexType(), device);
  Value share = arith::DivUIOp::create(rewriter, loc, device, index(siblings));
  Value isAligned = getAlignment();
  int64_t least = -1;
  for (const PlannedRows &part : planned) {
    int64_t before = std::exchange(least, part.maxRows);
    if (!part.plan)
      continue;
    unsigned numParts = getNumParts(loop, *part.plan);
    Value shareOfPart = rewriter.createOrFold<arith::DivUIOp>(loc, share, index(numParts));
    Value isFor;
    auto require = [&](Value condition) {
      isFor = isFor ? arith::AndIOp::create(rewriter, loc, isFor, condition).getResult() : condition;
    };
    // Blocks wait for each other: a group has to be there at the same time.
    if (!part.plan->perStep)
      require(compare(arith::CmpIPredicate::uge, shareOfPart, index(part.plan->unitBlocks)));
    if (isAligned)
      require(isAligned);
    if (before >= 0)
      require(compare(arith::CmpIPredicate::ugt, rows, index(before)));
    if (&part != &planned.back())
      require(compare(arith::CmpIPredicate::ule, rows, index(part.maxRows)));
    if (!isFor)
      isFor = arith::ConstantIntOp::create(rewriter, loc, 1, 1);
    auto kernel = DistinctAttr::create(rewriter.getUnitAttr());
    isFor = guard(isFor, *part.plan, kernel);
    auto choice = scf::IfOp::create(rewriter, loc, isFor, /*withElseRegion=*/true);
    rewriter.setInsertionPointToStart(choice.thenBlock());
    emitRecurrentKernel(rewriter, loop, *part.plan, options, shareOfPart, memory, finals, ragged, kernel);
    rewriter.setInsertionPointToStart(choice.elseBlock());
  }
  rewriter.moveOpBefore(source, rewriter.getInsertionBlock(), rewriter.getInsertionPoint());
  rewriter.setInsertionPointAfter(source);
  copyFinalStates(rewriter, states, finals);
  source->removeAttr(kKernelAttrName);
  if (loop.numParts > 1)
    splitIntoBranches(rewriter, source);
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
    FailureOr<KernelTarget> target = getKernelTarget(getOperation(), chips);
    if (failed(target))
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    SmallVector<scf::ForOp> loops;
    llvm::SmallDenseMap<Region *, int64_t> siblings;
    getOperation().walk([&](scf::ForOp loop) {
      if (!loop->hasAttr(kKernelAttrName))
        return;
      loops.push_back(loop);
      ++siblings[loop->getParentRegion()];
    });
    for (scf::ForOp source : loops) {
      bool isBranch = isa<scf::ExecuteRegionOp>(source->getParentOp());
      if (failed(convert(rewriter, source, *target, isBranch ? siblings[source->getParentRegion()] : 1)))
        return signalPassFailure();
    }
  }

  LogicalResult convert(RewriterBase &rewriter, scf::ForOp source, const KernelTarget &target,
                        int64_t siblings) {
    FailureOr<SmallVector<PlannedRows>> planned = getPlans(source);
    if (failed(planned))
      return failure();
    bool hasKernel = llvm::any_of(*planned, [](const PlannedRows &part) { return part.plan; });
    if (hasKernel) {
      std::string reason;
      FailureOr<RecurrentLoop> loop = matchRecurrentLoop(source, reason);
      if (failed(loop))
        return source.emitError("cannot become a kernel: ") << reason;
      for (const PlannedRows &part : *planned)
        if (auto [kind, reason] = part.plan ? getMismatch(*loop, *part.plan) : Mismatch(); !reason.empty())
          return source.emitError("has a plan for ") << kind << " in 'lstm.kernel', but " << reason;
      for (const PlannedRows &part : *planned)
        if (StringRef imbalance = part.plan ? getImbalance(KernelLayout(*loop, *part.plan), *part.plan) : "";
            !imbalance.empty())
          return source.emitError("has a plan in 'lstm.kernel', but ") << imbalance;
      for (const PlannedRows &part : *planned)
        if (part.plan && !fits(*loop, *part.plan, target))
          return source.emitError("has a plan in 'lstm.kernel' that takes more than a "
                                  "multiprocessor has: ")
                 << source->getAttr(kKernelAttrName);
      // Since there are clusters.
      bool beginsEarly = target.clusterBlocks != 0;
      LoopConversion(rewriter, *loop, *planned, siblings, {approximates, beginsEarly}).run();
      ++numKernels;
      return success();
    }
    source->removeAttr(kKernelAttrName);
    return success();
  }
};
} // namespace
