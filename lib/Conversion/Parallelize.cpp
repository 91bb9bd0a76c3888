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
//===----------------------------------------------------------------------===//

#include "lstm/Conversion/Parallelize.h"
#include "MemoryRoots.h"
#include "PhaseTile.h"
#include "VectorizeReduction.h"
#include "lstm/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

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
class Team {
public:
  Team(RewriterBase &b, ParallelOp parallel) : b(b), parallel(parallel) {}

  /// Shares out what `block` does. `pending` is what has been accessed since the last
  /// barrier, before and after.
  void run(Block &block, Accesses &pending);

private:
  void runControlFlow(Operation *op, Accesses &pending);
  void shareRows(linalg::LinalgOp op);
  void doAlone(Operation *op);

  RewriterBase &b;
  ParallelOp parallel;
};
} // namespace

void Team::run(Block &block, Accesses &pending) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (isControlFlow(&op)) {
      runControlFlow(&op, pending);
      continue;
    }
    Accesses accesses(&op);
    if (pending.conflictsWith(accesses)) {
      b.setInsertionPoint(&op);
      BarrierOp::create(b, op.getLoc());
      pending = Accesses();
    }
    pending.add(accesses);
    if (isReplicated(&op) || isa<PhaseOp>(op))
      continue;
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op); linalgOp && isSharedByRows(linalgOp))
      shareRows(linalgOp);
    else
      doAlone(&op);
  }
}

void Team::runControlFlow(Operation *op, Accesses &pending) {
  if (pending.conflictsWith(Accesses(op))) {
    b.setInsertionPoint(op);
    BarrierOp::create(b, op->getLoc());
    pending = Accesses();
  }
  Accesses after = pending;
  for (Region &region : op->getRegions()) {
    if (region.empty())
      continue;
    Accesses inside;
    Block &block = region.front();
    run(block, inside);
    // An iteration waits for the one before. A branch that writes waits itself, so
    // that who does not take it need not.
    if (inside.mayWrite()) {
      b.setInsertionPoint(block.getTerminator());
      BarrierOp::create(b, op->getLoc());
      continue;
    }
    after.add(inside);
  }
  pending = after;
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
  auto asIndex = [&](Value word) -> Value {
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), word);
  };
  Value count = asIndex(parallel.getCount()), thread = asIndex(parallel.getThread());
  Value size = loop.getUpperBound();
  Value next = arith::AddIOp::create(b, loc, thread, arith::ConstantIndexOp::create(b, loc, 1));
  auto bound = [&](Value number) -> Value {
    return arith::DivUIOp::create(b, loc, arith::MulIOp::create(b, loc, size, number), count);
  };
  loop.setLowerBound(bound(thread));
  loop.setUpperBound(bound(next));
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
  Accesses pending;
  Team(b, parallel).run(body, pending);
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
