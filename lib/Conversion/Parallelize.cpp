//===- Parallelize.cpp - Loops with phases for a team of threads -----------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A team starts once for a whole recurrence, not once a step: all threads run the
// time loop. Control flow and what has no effects is computed by each; phases and
// linalg operations are shared out; one thread does what else there is. A barrier
// stands before what conflicts with anything since the last one.
//
// What is shared out by rows touches no other rows: none need wait for another one as
// long as all that follows is shared out by the same rows. Phases with products may be
// shared out by units or by rows, which is known at run time, so both are looked at, and
// some barriers are for one of them only.
//
// Where a step consists of groups of phases that have nothing to do with each other, such
// as the directions of a layer, and there are as many threads as groups, each thread does
// a group alone, and none waits before the end of the loop.
//
//===----------------------------------------------------------------------===//

#include "lstm/Conversion/Parallelize.h"
#include "MemoryRoots.h"
#include "PhaseTile.h"
#include "VectorizeReduction.h"
#include "WorkSharing.h"
#include "lstm/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "llvm/ADT/IntEqClasses.h"

namespace mlir::lstm {
#define GEN_PASS_DEF_LSTMPARALLELIZEPASS
#include "lstm/Conversion/Passes.h.inc"
} // namespace mlir::lstm

using namespace mlir;
using namespace mlir::lstm;

//===----------------------------------------------------------------------===//
// What threads can do together
//===----------------------------------------------------------------------===//

static bool isControlFlow(Operation *op) {
  return isa<scf::ForOp, scf::IfOp, scf::WhileOp, scf::IndexSwitchOp>(op);
}

/// Whether every thread computes `op` for itself.
static bool isReplicated(Operation *op) {
  return op->getNumRegions() == 0 &&
         (isMemoryEffectFree(op) || op->hasTrait<OpTrait::IsTerminator>() || isa<memref::LoadOp>(op));
}

/// Whether rows, the outermost loop of `op`, can be shared out.
static bool isSharedByRows(linalg::LinalgOp op) {
  if (!op.hasPureBufferSemantics() || op.getNumLoops() == 0 ||
      op.getIteratorTypesArray().front() != utils::IteratorType::parallel)
    return false;
  return llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
    return op.getMatchingIndexingMap(&init).isFunctionOfDim(0);
  });
}

static bool isShared(Operation *op) {
  if (auto phase = dyn_cast<PhaseOp>(op))
    return !findNotVectorizable(phase);
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return linalgOp && isSharedByRows(linalgOp);
}

/// The first operation in `op`, itself included, that a team cannot run; null if
/// there is none.
static Operation *findObstacle(Operation *op) {
  if (isControlFlow(op)) {
    for (Region &region : op->getRegions())
      for (Operation &inner : region.getOps())
        if (Operation *obstacle = findObstacle(&inner))
          return obstacle;
    return nullptr;
  }
  if (isReplicated(op) || isShared(op))
    return nullptr;
  // One thread can do it if nobody else needs a value of it. Who allocates or
  // frees does so for all.
  bool isLocal = isa<MemoryEffectOpInterface>(op) &&
                 !hasEffect<MemoryEffects::Allocate>(op) && !hasEffect<MemoryEffects::Free>(op);
  return op->getNumResults() == 0 && isLocal ? nullptr : op;
}

/// Whether a team is of use for `op`.
static bool hasProduct(Operation *op) {
  return op->walk([](PhaseOp phase) {
             return phase.getWeights().empty() || findNotVectorizable(phase)
                        ? WalkResult::advance()
                        : WalkResult::interrupt();
           }).wasInterrupted();
}

//===----------------------------------------------------------------------===//
// Work and barriers
//===----------------------------------------------------------------------===//

namespace {
/// What has been accessed where phases with products are shared out by units, and where by rows.
struct TeamAccesses {
  TeamAccesses() = default;
  explicit TeamAccesses(Operation *op);
  void add(const TeamAccesses &other) {
    byUnits.add(other.byUnits);
    byRows.add(other.byRows);
  }
  Accesses byUnits, byRows;
};

class Team {
public:
  Team(RewriterBase &b, ParallelOp parallel) : b(b), parallel(parallel) {}
  void run();

private:
  /// Shares out what `block` does. `pending` is what has been accessed since the last
  /// barrier, before and after.
  void run(Block &block, TeamAccesses &pending);
  void runControlFlow(Operation *op, TeamAccesses &pending);
  void buildSharesUnits();
  void waitFor(Location loc, bool ifByUnits, bool ifByRows);
  void waitFor(Location loc, TeamAccesses &pending, const TeamAccesses &accesses);
  void shareRows(linalg::LinalgOp op);
  void doAlone(Operation *op);

  RewriterBase &b;
  ParallelOp parallel;
  /// Whether phases with products are shared out by units; null if they always are.
  Value sharesUnits;
  /// Whether phases with owners have them, by the number of owners.
  llvm::SmallDenseMap<int64_t, Value> isOwnedBy;
  /// The opposite for the loop at hand; null outside of loops that may be owned.
  Value isNotOwned;
};
} // namespace

/// The dimension of `memref` whose elements are those of the rows that `op` is shared out by.
static std::optional<int64_t> getRowDim(Operation *op, Value memref, bool byRows) {
  SmallVector<std::optional<int64_t>> dims;
  if (auto phase = dyn_cast<PhaseOp>(op)) {
    if (!phase.getWeights().empty() && !(byRows && mayShareRows(phase)))
      return std::nullopt;
    for (auto [state, weight] : llvm::zip_equal(phase.getStates(), phase.getWeights())) {
      if (state == memref)
        dims.push_back(0);
      if (weight == memref)
        dims.push_back(std::nullopt);
    }
    for (auto [input, axes] : llvm::zip_equal(phase.getInputs(), phase.getAxes()))
      if (input == memref)
        dims.push_back(axes & kRow ? std::optional<int64_t>(0) : std::nullopt);
    if (llvm::is_contained(phase.getOuts(), memref))
      dims.push_back(0);
  } else if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op); linalgOp && isSharedByRows(linalgOp)) {
    for (OpOperand &operand : op->getOpOperands()) {
      if (operand.get() != memref)
        continue;
      AffineMap map = linalgOp.getMatchingIndexingMap(&operand);
      dims.push_back(map.getResultPosition(getAffineDimExpr(0, op->getContext())));
    }
  }
  return !dims.empty() && llvm::all_equal(dims) ? dims.front() : std::nullopt;
}

TeamAccesses::TeamAccesses(Operation *op)
    : byUnits(op, [](Operation *op, Value memref) { return getRowDim(op, memref, /*byRows=*/false); }),
      byRows(op, [](Operation *op, Value memref) { return getRowDim(op, memref, /*byRows=*/true); }) {}

/// Gives the groups of phases that a loop consists of an owner each; they must have as much work.
static void setOwners(scf::ForOp loop) {
  SmallVector<PhaseOp> phases;
  for (Operation &op : *loop.getBody()) {
    auto phase = dyn_cast<PhaseOp>(op);
    if (phase && !phase.getWeights().empty() && !findNotVectorizable(phase))
      phases.push_back(phase);
    else if (op.getNumRegions() != 0 || !isMemoryEffectFree(&op))
      return;
  }
  llvm::IntEqClasses groups(phases.size());
  for (auto [i, phase] : llvm::enumerate(phases))
    for (size_t j = 0; j < i; ++j)
      if (Accesses(phase).conflictsWith(Accesses(phases[j])))
        groups.join(i, j);
  groups.compress();
  unsigned numGroups = groups.getNumClasses();
  SmallVector<SmallVector<Type>> work(numGroups);
  for (auto [i, phase] : llvm::enumerate(phases))
    llvm::append_range(work[groups[i]], phase.getWeights().getTypes());
  if (numGroups < 2 || !llvm::all_equal(work))
    return;
  for (auto [i, phase] : llvm::enumerate(phases))
    setOwner(phase, {groups[i], numGroups});
}

/// The number of those who own phases in `op`, a loop; 0 if there is none.
static int64_t getNumOwners(Operation *op) {
  if (!isa<scf::ForOp>(op))
    return 0;
  for (PhaseOp phase : op->getRegion(0).getOps<PhaseOp>())
    if (std::optional<Owner> owner = getOwner(phase))
      return owner->numOwners;
  return 0;
}

/// Finds out whether any phase of the region that may be shared out by rows is not. One with
/// an owner is not, if others may still be.
void Team::buildSharesUnits() {
  llvm::SetVector<std::pair<Value, int64_t>> sizes;
  parallel.walk([&](PhaseOp phase) {
    if (phase.getWeights().empty() || findNotVectorizable(phase) || !mayShareRows(phase))
      return;
    // Others are waited for in any case.
    Value out = phase.getOuts().front();
    if (std::optional<int64_t> dim = getRootDim(out, 0))
      sizes.insert({getMemoryRoot(out), *dim});
  });
  Location loc = parallel.getLoc();
  b.setInsertionPointToStart(&parallel.getBody().front());
  for (auto [root, dim] : sizes) {
    Value rows = memref::DimOp::create(b, loc, root, dim);
    Value condition = lstm::buildSharesUnits(b, loc, parallel, rows);
    sharesUnits = sharesUnits ? arith::OrIOp::create(b, loc, sharesUnits, condition) : condition;
  }
  llvm::SmallSetVector<int64_t, 2> numOwners;
  parallel.walk([&](scf::ForOp loop) { numOwners.insert(getNumOwners(loop)); });
  for (int64_t number : numOwners) {
    if (number == 0)
      continue;
    Value condition = buildIsOwned(b, loc, parallel, number);
    isOwnedBy[number] = condition;
    if (sharesUnits)
      sharesUnits = arith::OrIOp::create(b, loc, sharesUnits, condition);
  }
}

void Team::run() {
  parallel.walk(setOwners);
  buildSharesUnits();
  TeamAccesses pending;
  run(parallel.getBody().front(), pending);
}

/// A barrier where it is needed.
void Team::waitFor(Location loc, bool ifByUnits, bool ifByRows) {
  if (!sharesUnits)
    ifByRows = ifByUnits;
  if (!ifByUnits && !ifByRows)
    return;
  Value condition = ifByRows ? Value() : sharesUnits;
  if (isNotOwned)
    condition = condition ? arith::AndIOp::create(b, loc, condition, isNotOwned) : isNotOwned;
  OpBuilder::InsertionGuard guard(b);
  if (condition)
    b.setInsertionPointToStart(
        scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false).thenBlock());
  BarrierOp::create(b, loc);
}

void Team::waitFor(Location loc, TeamAccesses &pending, const TeamAccesses &accesses) {
  bool ifByUnits = pending.byUnits.conflictsWith(accesses.byUnits);
  bool ifByRows = pending.byRows.conflictsWith(accesses.byRows);
  waitFor(loc, ifByUnits, ifByRows);
  if (ifByUnits || ifByRows)
    pending.byUnits = Accesses();
  if (ifByRows)
    pending.byRows = Accesses();
}

void Team::run(Block &block, TeamAccesses &pending) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (isControlFlow(&op)) {
      runControlFlow(&op, pending);
      continue;
    }
    TeamAccesses accesses(&op);
    b.setInsertionPoint(&op);
    waitFor(op.getLoc(), pending, accesses);
    pending.add(accesses);
    if (isReplicated(&op) || isa<PhaseOp>(op))
      continue;
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op); linalgOp && isSharedByRows(linalgOp))
      shareRows(linalgOp);
    else
      doAlone(&op);
  }
}

void Team::runControlFlow(Operation *op, TeamAccesses &pending) {
  b.setInsertionPoint(op);
  TeamAccesses all(op);
  waitFor(op->getLoc(), pending, all);
  Value isOwned = isOwnedBy.lookup(getNumOwners(op));
  if (isOwned) {
    Value one = arith::ConstantOp::create(b, op->getLoc(), b.getBoolAttr(true));
    isNotOwned = arith::XOrIOp::create(b, op->getLoc(), isOwned, one);
  }
  TeamAccesses after = pending;
  // An iteration waits for the one before, unless it touches its own rows alone.
  bool isByRows = !all.byRows.conflictsWith(all.byRows);
  for (Region &region : op->getRegions()) {
    if (region.empty())
      continue;
    TeamAccesses inside;
    Block &block = region.front();
    run(block, inside);
    // A branch that writes waits itself, so that who does not take it need not.
    bool ifByUnits = inside.byUnits.mayWrite(), ifByRows = inside.byRows.mayWrite() && !isByRows;
    b.setInsertionPoint(block.getTerminator());
    waitFor(op->getLoc(), ifByUnits, ifByRows);
    if (!ifByUnits)
      after.byUnits.add(inside.byUnits);
    if (!ifByRows)
      after.byRows.add(inside.byRows);
  }
  pending = after;
  if (isOwned) {
    isNotOwned = {};
    b.setInsertionPointAfter(op);
    auto choice = scf::IfOp::create(b, op->getLoc(), isOwned, /*withElseRegion=*/false);
    b.setInsertionPointToStart(choice.thenBlock());
    BarrierOp::create(b, op->getLoc());
  }
}

/// Moves what is loaded again and again out of the loops of a linalg operation: back
/// ends do not know that what is written is other memory.
static void hoistLoads(ArrayRef<Operation *> loops) {
  Accesses accesses(loops.front());
  auto isInvariant = [&](Operation *op) {
    auto load = dyn_cast<memref::LoadOp>(op);
    return load ? !accesses.mayWrite(load.getMemRef()) : isMemoryEffectFree(op) && isSpeculatable(op);
  };
  for (Operation *op : llvm::reverse(loops.drop_front())) {
    auto loop = cast<scf::ForOp>(op);
    moveLoopInvariantCode(
        loop.getLoopRegions(),
        [&](Value value, Region *) { return loop.isDefinedOutsideOfLoop(value); },
        [&](Operation *inner, Region *) { return isInvariant(inner); },
        [&](Operation *inner, Region *) { loop.moveOutOfLoop(inner); });
  }
}

void Team::shareRows(linalg::LinalgOp op) {
  Location loc = op.getLoc();
  b.setInsertionPoint(op);
  scf::ForOp loop = vectorizeReduction(b, op);
  if (!loop) {
    FailureOr<linalg::LinalgLoops> loops = linalg::linalgOpToLoops(b, op);
    if (failed(loops) || loops->empty())
      return doAlone(op);
    b.eraseOp(op);
    loop = cast<scf::ForOp>(loops->front());
    hoistLoads(*loops);
  }
  b.setInsertionPoint(loop);
  auto [first, last] = buildShare(b, loc, parallel, loop.getUpperBound());
  loop.setLowerBound(first);
  loop.setUpperBound(last);
}

void Team::doAlone(Operation *op) {
  Location loc = op->getLoc();
  b.setInsertionPoint(op);
  Value zero = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(0));
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, parallel.getThread(), zero);
  auto choice = scf::IfOp::create(b, loc, isFirst, /*withElseRegion=*/false);
  b.moveOpBefore(op, choice.thenBlock()->getTerminator());
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// Makes `ops`, consecutive ones of a block, a parallel region.
static void makeRegion(RewriterBase &b, ArrayRef<Operation *> ops) {
  b.setInsertionPoint(ops.front());
  auto parallel = ParallelOp::create(b, ops.front()->getLoc());
  Block &body = parallel.getBody().front();
  for (Operation *op : ops) {
    // What has no effects stays outside: who comes after may use it.
    if (isMemoryEffectFree(op) && op->getNumRegions() == 0)
      b.moveOpBefore(op, parallel);
    else
      b.moveOpBefore(op, body.getTerminator());
  }
  // Copies are shared out as other operations on rows.
  parallel.walk([&](memref::CopyOp copy) {
    if (cast<BaseMemRefType>(copy.getTarget().getType()).getRank() == 0)
      return;
    b.setInsertionPoint(copy);
    b.replaceOpWithNewOp<linalg::CopyOp>(copy, copy.getSource(), copy.getTarget());
  });
  Team(b, parallel).run();
}

/// The regions of one block, and of the blocks in what a team cannot run as a whole.
static int64_t parallelizeBlock(RewriterBase &b, Block &block) {
  int64_t numRegions = 0;
  SmallVector<Operation *> run;
  auto finish = [&] {
    while (!run.empty() && !hasProduct(run.back()))
      run.pop_back();
    auto *first = llvm::find_if(run, hasProduct);
    if (first != run.end()) {
      makeRegion(b, ArrayRef(first, run.end()));
      ++numRegions;
    }
    run.clear();
  };
  for (Operation &op : llvm::make_early_inc_range(block)) {
    bool isPlain = isMemoryEffectFree(&op) && op.getNumRegions() == 0;
    Operation *obstacle = findObstacle(&op);
    // A value that comes from memory or from a loop stays in the region.
    bool isUsed = !isPlain && op.getNumResults() != 0;
    if (!obstacle && !isUsed && !op.hasTrait<OpTrait::IsTerminator>()) {
      run.push_back(&op);
      continue;
    }
    finish();
    if (!isControlFlow(&op) || !hasProduct(&op))
      continue;
    int64_t numInside = 0;
    for (Region &region : op.getRegions())
      if (!region.empty())
        numInside += parallelizeBlock(b, region.front());
    if (numInside == 0 && obstacle)
      remark::missed(obstacle->getLoc(),
                     remark::RemarkOpts::name("NotParallel").category("lstm-parallelize"))
          << ("a team of threads cannot run " + obstacle->getName().getStringRef()).str();
    numRegions += numInside;
  }
  finish();
  return numRegions;
}

int64_t lstm::parallelize(RewriterBase &b, FunctionOpInterface function) {
  if (function.isExternal() || !function.getFunctionBody().hasOneBlock())
    return 0;
  return parallelizeBlock(b, function.getFunctionBody().front());
}

namespace {
struct LSTMParallelizePass : lstm::impl::LSTMParallelizePassBase<LSTMParallelizePass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    numRegions += parallelize(rewriter, getOperation());
  }
};
} // namespace
