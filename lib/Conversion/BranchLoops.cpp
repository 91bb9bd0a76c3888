//===- BranchLoops.cpp - Independent parts of a loop side by side ----------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/Conversion/Passes.h"

#include "BranchLoops.h"
#include "CUDARuntime.h"
#include "MemoryRoots.h"
#include "RecurrentLoop.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/EquivalenceClasses.h"

namespace mlir::lstm {
#define GEN_PASS_DEF_LSTMBRANCHLOOPSPASS
#include "lstm/Conversion/Passes.h.inc"
} // namespace mlir::lstm

using namespace mlir;
using namespace mlir::lstm;

/// The operations of a loop's body with effects, in sets of which none depends on another,
/// in the order of their first operations.
static SmallVector<SmallVector<Operation *>> findParts(scf::ForOp loop) {
  SmallVector<std::pair<Operation *, Accesses>> work;
  llvm::EquivalenceClasses<Operation *> classes;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (isPure(&op))
      continue;
    Accesses accesses(&op);
    classes.insert(&op);
    for (auto &[other, otherAccesses] : work)
      if (accesses.conflictsWith(otherAccesses))
        classes.unionSets(&op, other);
    work.push_back({&op, accesses});
  }
  // What a result of an operation with effects leads to, also through pure operations.
  for (auto &[op, accesses] : work) {
    SmallVector<Operation *> users(op->getUsers());
    llvm::SmallPtrSet<Operation *, 8> seen;
    while (!users.empty()) {
      Operation *user = loop.getBody()->findAncestorOpInBlock(*users.pop_back_val());
      if (!user || !seen.insert(user).second)
        continue;
      if (isPure(user))
        llvm::append_range(users, user->getUsers());
      else if (!user->hasTrait<OpTrait::IsTerminator>())
        classes.unionSets(op, user);
    }
  }
  SmallVector<SmallVector<Operation *>> parts;
  llvm::SmallDenseMap<Operation *, unsigned> numbers;
  for (auto &[op, accesses] : work) {
    auto [at, isNew] = numbers.try_emplace(classes.getLeaderValue(op), parts.size());
    if (isNew)
      parts.emplace_back();
    parts[at->second].push_back(op);
  }
  return parts;
}

bool lstm::hasIndependentParts(scf::ForOp loop) { return findParts(loop).size() > 1; }

/// Erases an operation and what is computed from it, which is pure.
static void eraseWithUsers(RewriterBase &rewriter, Operation *op) {
  while (!op->use_empty())
    eraseWithUsers(rewriter, *op->user_begin());
  rewriter.eraseOp(op);
}

/// A loop for each part, each on a branch of its own. They stand in one region, so that
/// they count as one operation to what plans memory: their buffers are in use together.
size_t lstm::splitIntoBranches(RewriterBase &rewriter, scf::ForOp loop) {
  SmallVector<SmallVector<Operation *>> parts = findParts(loop);
  if (parts.size() < 2)
    return parts.size();
  Location loc = loop.getLoc();
  rewriter.setInsertionPoint(loop);
  auto region = scf::ExecuteRegionOp::create(rewriter, loc, TypeRange());
  rewriter.createBlock(&region.getRegion());
  // Other branches start behind what branch 0 has been given: its own part is the last.
  for (size_t i = 1; i <= parts.size(); ++i) {
    size_t number = i % parts.size();
    Value branch = arith::ConstantIntOp::create(rewriter, loc, number, 64);
    callRuntime(rewriter, loc, "lstmCudaSetBranch", Type(), branch);
    IRMapping mapping;
    rewriter.clone(*loop, mapping);
    for (auto [other, otherPart] : llvm::enumerate(parts))
      if (other != number)
        for (Operation *op : llvm::reverse(otherPart))
          eraseWithUsers(rewriter, mapping.lookup(op));
  }
  callRuntime(rewriter, loc, "lstmCudaJoin", Type(), {});
  scf::YieldOp::create(rewriter, loc);
  rewriter.eraseOp(loop);
  return parts.size();
}

/// Whether one kernel can run the parts of a loop.
static bool hasParts(scf::ForOp loop) {
  std::string reason;
  FailureOr<RecurrentLoop> recurrent = matchRecurrentLoop(loop, reason);
  return succeeded(recurrent) && recurrent->numParts > 1;
}

namespace {
struct LSTMBranchLoopsPass : public lstm::impl::LSTMBranchLoopsPassBase<LSTMBranchLoopsPass> {
  using Base::Base;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (loop.getNumResults() == 0)
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops) {
      // Loops around loops stay, and those in waves: branches do not nest.
      bool hasBranches = loop.getBody()->walk([](scf::ExecuteRegionOp) {
                           return WalkResult::interrupt();
                         }).wasInterrupted();
      if (hasBranches || loop->getParentOfType<scf::ExecuteRegionOp>() || (kernels && hasParts(loop)))
        continue;
      Location loc = loop.getLoc();
      size_t count = splitIntoBranches(rewriter, loop);
      if (count < 2)
        continue;
      remark::passed(loc, remark::RemarkOpts::name("BranchLoops").category("lstm-branch-loops"))
          << std::to_string(count) + " parts of the loop run side by side";
      ++numLoops;
    }
  }
};
} // namespace
