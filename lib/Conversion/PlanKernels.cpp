//===- PlanKernels.cpp - Which recurrences become kernels, and how ---------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/Conversion/Passes.h"

#include "ForwardCopies.h"
#include "KernelLayout.h"
#include "KernelPlanAttr.h"
#include "KernelPlanFile.h"
#include "SplitGates.h"

#include "mlir/IR/Remarks.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InterleavedRange.h"

namespace mlir::lstm {
#define GEN_PASS_DEF_LSTMPLANKERNELSPASS
#include "lstm/Conversion/Passes.h.inc"
} // namespace mlir::lstm

using namespace mlir;
using namespace mlir::lstm;

/// As "2 tiles of 8 rows", of which a cluster's blocks do one after the other, or "tiles of single rows".
static std::string describeTiles(const KernelPlan &plan) {
  std::string text = "tiles of ";
  if (plan.isCluster() && plan.rowTiles > 1)
    text = llvm::formatv("{0} tiles of ", plan.rowTiles);
  if (plan.getNumRows() > 1)
    text += llvm::formatv("{0} ", plan.getNumRows()).str();
  return text + (plan.singleRows ? "single rows" : "rows");
}

static std::string describe(const RecurrentLoop &loop, ArrayRef<PlannedRows> planned) {
  std::string text;
  int64_t least = 0;
  for (const PlannedRows &part : planned) {
    bool isLast = &part == &planned.back();
    if (!text.empty())
      text += "; ";
    if (planned.size() > 1)
      text += isLast ? llvm::formatv("more than {0} rows: ", least).str()
                     : llvm::formatv("up to {0} rows: ", part.maxRows).str();
    if (part.plan)
      text += llvm::formatv("{0}, {1} of {2} blocks, {3}, {4} {5} {6} warps",
                            part.plan->perStep ? "a kernel a step" : "one kernel",
                            part.plan->isCluster() ? "clusters" : "groups", part.plan->unitBlocks,
                            describeTiles(*part.plan), part.plan->splits,
                            part.plan->isCluster()       ? "x"
                            : part.plan->hasWarpGroups() ? "x 4 +"
                                                         : "+",
                            part.plan->isCluster() ? part.plan->unitWarps : part.plan->mapWarps);
    else
      text += "libraries";
    if (unsigned numParts = part.plan ? getNumParts(loop, *part.plan) : 1; numParts > 1)
      text += llvm::formatv(" for each of {0} parts", numParts);
    if (part.measured)
      text += llvm::formatv(", chosen by measuring: {0:f1} us a call with {1} rows",
                            part.measured->microseconds, part.measured->rows);
    else
      text += llvm::formatv(", {0:f2} us a step with {1} rows, most of it {2}", part.prediction.microseconds,
                            part.prediction.rows, part.prediction.bound);
    least = part.maxRows;
  }
  return text;
}

namespace {
struct LSTMPlanKernelsPass : public lstm::impl::LSTMPlanKernelsPassBase<LSTMPlanKernelsPass> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    auto isUpTo = [&](size_t i, int64_t most) { return plan.size() <= i || (plan[i] >= 0 && plan[i] <= most); };
    bool isPlan = plan.size() >= 4 && plan.size() <= 6 && isUpTo(4, 3) && isUpTo(5, 1) &&
                  llvm::all_of(ArrayRef<int64_t>(plan).take_front(4), [](int64_t n) { return n >= 1; });
    if (!plan.empty() && !isPlan)
      return emitError(UnknownLoc::get(context))
             << "lstm-plan-kernels: expects plan to be four positive numbers "
                "(unit blocks, row tiles, splits, map warps), 1 for clusters, 2 for warp groups or 3 for a kernel a "
                "step, and 1 for single rows, but got "
             << llvm::interleaved_array(plan);
    if (count < 1)
      return emitError(UnknownLoc::get(context))
             << "lstm-plan-kernels: expects count to be positive, but got " << count.getValue();
    if (plansFile.empty())
      return success();
    llvm::Expected<KernelPlans> read = readKernelPlans(plansFile);
    if (!read)
      return emitError(UnknownLoc::get(context)) << "lstm-plan-kernels: " << llvm::toString(read.takeError());
    measured = std::move(*read);
    return success();
  }

  void runOnOperation() override {
    FailureOr<KernelTarget> target = getKernelTarget(getOperation(), chips);
    if (failed(target))
      return signalPassFailure();
    llvm::SetVector<Operation *> loops;
    getOperation().walk([&](PhaseOp phase) {
      if (isa<scf::ForOp>(phase->getParentOp()))
        loops.insert(phase->getParentOp());
    });
    // Loops of one region, by lstm-branch-loops, run side by side.
    SmallVector<int64_t> siblings;
    for (Operation *op : loops)
      siblings.push_back(llvm::count_if(loops, [&](Operation *other) {
        return other == op || (isa<scf::ExecuteRegionOp>(op->getParentOp()) &&
                               other->getParentRegion() == op->getParentRegion());
      }));
    for (auto [op, count] : llvm::zip_equal(loops, siblings)) {
      target->siblings = count;
      if (failed(decide(cast<scf::ForOp>(op), *target)))
        return signalPassFailure();
    }
    DenseSet<Block *> steps;
    getOperation().walk([&](PhaseOp phase) {
      if (!isa<scf::ForOp>(phase->getParentOp()) && steps.insert(phase->getBlock()).second)
        remark::missed(phase.getLoc(), getRemarkOpts())
            << "libraries: the step stands in no loop, as there is one alone";
    });
    if (candidatesFile.empty())
      return;
    if (llvm::Error error = writeKernelCandidates(candidatesFile, candidates)) {
      emitError(UnknownLoc::get(&getContext())) << "lstm-plan-kernels: " << llvm::toString(std::move(error));
      signalPassFailure();
    }
  }

  remark::RemarkOpts getRemarkOpts() { return remark::RemarkOpts::name("PlanKernels").category(getArgument()); }

  LogicalResult checkFits(const RecurrentLoop &loop, const KernelPlan &plan, const KernelTarget &target) {
    scf::ForOp source = loop.loop;
    SmallVector<int64_t> numbers = {plan.unitBlocks, plan.rowTiles, plan.splits, plan.mapWarps};
    if (plan.isCluster()) {
      numbers.back() = plan.unitWarps;
      numbers.push_back(1);
    }
    if (plan.hasWarpGroups())
      numbers.push_back(2);
    if (plan.perStep)
      numbers.push_back(3);
    if (plan.singleRows) {
      numbers.resize(5);
      numbers.push_back(1);
    }
    if (auto [kind, reason] = getMismatch(loop, plan); !reason.empty())
      return source.emitError() << "lstm-plan-kernels: plan " << llvm::interleaved_array(numbers) << " is for " << kind
                                << ", but " << reason;
    if (plan.hasWarpGroups() && !target.hasWarpGroups)
      return source.emitError() << "lstm-plan-kernels: plan " << llvm::interleaved_array(numbers)
                                << " is for warp groups, which sm_90a alone has, but the GPU is " << target.chip;
    KernelLayout layout(loop, plan);
    if (StringRef imbalance = getImbalance(layout, plan); !imbalance.empty())
      return source.emitError() << "lstm-plan-kernels: plan " << llvm::interleaved_array(numbers)
                                << " is not for this recurrence: " << imbalance;
    if (fits(loop, plan, target))
      return success();
    unsigned numParts = getNumParts(loop, plan);
    for (unsigned part = 1; part < numParts; ++part) {
      KernelSize other = KernelLayout(loop, plan, part).size;
      layout.size.registers = std::max(layout.size.registers, other.registers);
      layout.size.sharedBytes = std::max(layout.size.sharedBytes, other.sharedBytes);
    }
    InFlightDiagnostic error = source.emitError();
    error << "lstm-plan-kernels: plan " << llvm::interleaved_array(numbers) << " takes " << plan.getNumThreads()
          << " threads of " << layout.size.registers << " registers and " << layout.size.sharedBytes
          << " bytes of shared memory, and has groups of " << plan.unitBlocks << " blocks, but there are "
          << std::min(plan.getMaxRegisters(), target.registers / plan.getNumThreads()) << " registers, "
          << target.sharedBytes << " bytes of shared memory and ";
    if (plan.perStep)
      return error << "any number of blocks";
    if (plan.isCluster())
      return error << target.clusterBlocks << " blocks of a cluster";
    return error << target.getShare() / numParts << " multiprocessors";
  }

  /// Those that were measured for the recurrence; empty if none were.
  FailureOr<SmallVector<PlannedRows>> getMeasured(const RecurrentLoop &loop, StringRef key,
                                                  const KernelTarget &target) {
    auto found = measured.find(key);
    if (found == measured.end())
      return SmallVector<PlannedRows>();
    SmallVector<PlannedRows> planned = found->second;
    if (std::optional<int64_t> rows = getConstantIntValue(loop.rows)) {
      PlannedRows part = *llvm::find_if(planned, [&](const PlannedRows &p) { return *rows <= p.maxRows; });
      part.maxRows = std::numeric_limits<int64_t>::max();
      planned = {part};
    }
    for (PlannedRows &part : planned)
      if (part.plan) {
        part.plan->float32 = float32;
        if (failed(checkFits(loop, *part.plan, target)))
          return failure();
      }
    return planned;
  }

  /// Decides about a loop; one with reductions or copies takes another form as a kernel.
  LogicalResult decide(scf::ForOp source, const KernelTarget &target) {
    if (source.getBody()->getOps<linalg::LinalgOp>().empty() && source.getBody()->getOps<memref::CopyOp>().empty())
      return LogicalResult(choosePlans(source, /*twin=*/{}, target));
    IRRewriter rewriter(source);
    auto candidate = cast<scf::ForOp>(rewriter.clone(*source));
    forwardCopies(rewriter, candidate);
    splitGates(rewriter, candidate);
    FailureOr<bool> hasKernel = choosePlans(candidate, source, target);
    rewriter.eraseOp(succeeded(hasKernel) && *hasKernel ? source : candidate);
    return LogicalResult(hasKernel);
  }

  /// Marks a loop with its plans. Returns whether one is a kernel. Of the loop and its twin one will stay.
  FailureOr<bool> choosePlans(scf::ForOp source, scf::ForOp twin, const KernelTarget &target) {
    std::string reason;
    FailureOr<RecurrentLoop> loop = matchRecurrentLoop(source, reason, twin);
    auto options = getRemarkOpts();
    if (failed(loop)) {
      remark::missed(source.getLoc(), options) << "libraries: " + reason;
      return false;
    }
    std::string key = getRecurrenceKey(*loop, float32, target);
    if (!candidatesFile.empty() && !candidates.contains(key))
      candidates[key] = findCandidates(*loop, float32, target, count);
    FailureOr<SmallVector<PlannedRows>> planned = getMeasured(*loop, key, target);
    if (failed(planned))
      return failure();
    if (!plan.empty()) {
      int64_t kind = plan.size() > 4 ? plan[4] : 0;
      KernelPlan given{plan[0], plan[1], plan[2], kind == 1 ? 0 : plan[3], float32};
      given.singleRows = plan.size() > 5 ? plan[5] : 0;
      given.perStep = kind == 3;
      if (kind == 1 || kind == 2)
        given.unitWarps = kind == 1 ? plan[3] : KernelPlan::kGroupWarps;
      if (failed(checkFits(*loop, given, target)))
        return failure();
      PlannedRows part{std::numeric_limits<int64_t>::max(), given,
                       predictKernel(*loop, given, target,
                                     getConstantIntValue(loop->rows).value_or(KernelPlan::kTileRows))};
      planned->assign({part});
    } else if (planned->empty()) {
      planned = planKernels(*loop, float32, target, /*considersLibraries=*/!always);
    }
    source->setAttr(kKernelAttrName, toAttribute(&getContext(), *planned));
    bool hasKernel = llvm::any_of(*planned, [](const PlannedRows &part) { return part.plan; });
    numRecurrences += hasKernel;
    if (hasKernel)
      remark::passed(source.getLoc(), options) << describe(*loop, *planned);
    else
      remark::missed(source.getLoc(), options) << describe(*loop, *planned);
    return hasKernel;
  }

  KernelPlans measured;
  KernelCandidates candidates;
};
} // namespace
