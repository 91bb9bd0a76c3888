//===- FuseRecurrences.cpp - Independent recurrences become one -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/Dialect/LSTM/Transforms/BodyUtils.h"
#include "lstm/Dialect/LSTM/Transforms/Passes.h"
#include "lstm/Dialect/LSTM/Transforms/Transforms.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/IR/Remarks.h"

namespace mlir::lstm {
#define GEN_PASS_DEF_LSTMFUSERECURRENCESPASS
#include "lstm/Dialect/LSTM/Transforms/Passes.h.inc"
} // namespace mlir::lstm

#define DEBUG_TYPE "lstm-fuse-recurrences"

using namespace mlir;
using namespace mlir::lstm;

/// Whether `op`, or anything in its regions, needs a result of `producer`.
static bool dependsOn(Operation *op, Operation *producer) {
  SmallVector<Operation *> work = {op};
  SmallPtrSet<Operation *, 32> seen;
  while (!work.empty()) {
    Operation *next = work.pop_back_val();
    if (next == producer)
      return true;
    if (!seen.insert(next).second)
      continue;
    next->walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        if (Operation *definition = operand.getDefiningOp())
          if (Operation *ancestor = producer->getBlock()->findAncestorOpInBlock(*definition);
              ancestor && ancestor != next)
            work.push_back(ancestor);
    });
  }
  return false;
}

/// Where the number of steps comes from: all of these are equal.
static SmallVector<SizeOrigin> getStepOrigins(RecurrenceOp op) {
  SmallVector<SizeOrigin> origins;
  if (Value steps = op.getSteps())
    origins.push_back(getSizeOrigin(OpFoldResult(steps)));
  for (Value sequence : op.getSequences())
    origins.push_back(getSizeOrigin(sequence, 0));
  for (Value out : op.getOuts())
    origins.push_back(getSizeOrigin(out, 0));
  return origins;
}

FailureOr<RecurrenceOp> lstm::fuseRecurrences(RewriterBase &rewriter, RecurrenceOp first, RecurrenceOp second) {
  if (first->getBlock() != second->getBlock() || !first->isBeforeInBlock(second))
    return rewriter.notifyMatchFailure(second, "does not stand behind the other in one block");
  if (first.getLengths() != second.getLengths())
    return rewriter.notifyMatchFailure(second, "has other lengths");
  SmallVector<SizeOrigin> ours = getStepOrigins(first), theirs = getStepOrigins(second);
  bool sameSteps = llvm::any_of(ours, [&](const SizeOrigin &a) {
    return llvm::any_of(theirs, [&](const SizeOrigin &b) { return a == b; });
  });
  if (!sameSteps)
    return rewriter.notifyMatchFailure(second, "is not known to have the same number of steps");
  if (dependsOn(second, first))
    return rewriter.notifyMatchFailure(second, "depends on the other");
  if (!isMemoryEffectFree(first) || !isMemoryEffectFree(second))
    return rewriter.notifyMatchFailure(second, "has side effects");

  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(second);
  auto join = [](auto &&a, auto &&b) {
    SmallVector<Value> all(a.begin(), a.end());
    llvm::append_range(all, b);
    return all;
  };
  SmallVector<Value> sequences = join(first.getSequences(), second.getSequences()),
                     inits = join(first.getInitArgs(), second.getInitArgs()),
                     outs = join(first.getOuts(), second.getOuts());
  SmallVector<bool> reversed, unmasked(first.getUnmasked());
  llvm::append_range(unmasked, second.getUnmasked());
  // Flags of sequences, then of states, then of outputs.
  for (int group = 0; group < 3; ++group)
    for (RecurrenceOp op : {first, second}) {
      size_t n = op.getSequences().size(), m = op.getInitArgs().size(), begin[] = {0, n, n + m};
      size_t size[] = {n, m, op.getOuts().size()};
      llvm::append_range(reversed, op.getReversed().slice(begin[group], size[group]));
    }
  Value steps = sequences.empty() ? first.getSteps() : Value();
  auto fused = RecurrenceOp::create(rewriter, rewriter.getFusedLoc({first.getLoc(), second.getLoc()}), sequences,
                                    inits, first.getLengths(), steps, outs, reversed, unmasked);

  // Both bodies, one behind the other.
  Block *body = fused.getBodyBlock();
  SmallVector<Value> states, outputs;
  unsigned sequence = 0, state = sequences.size();
  for (RecurrenceOp op : {first, second}) {
    SmallVector<Value> args;
    for (size_t i = 0; i < op.getSequences().size(); ++i)
      args.push_back(body->getArgument(sequence++));
    for (size_t i = 0; i < op.getInitArgs().size(); ++i)
      args.push_back(body->getArgument(state++));
    rewriter.mergeBlocks(op.getBodyBlock(), body, args);
    auto yield = cast<YieldOp>(body->back());
    llvm::append_range(states, yield.getState());
    llvm::append_range(outputs, yield.getOutputs());
    rewriter.eraseOp(yield);
  }
  rewriter.setInsertionPointToEnd(body);
  YieldOp::create(rewriter, fused.getLoc(), ValueRange(), states, outputs);

  size_t n = first.getOuts().size(), m = second.getOuts().size(), k = first.getInitArgs().size();
  ResultRange results = fused.getResults();
  auto pick = [&](size_t out, size_t outCount, size_t init, size_t initCount) {
    SmallVector<Value> values(results.slice(out, outCount));
    llvm::append_range(values, results.slice(n + m + init, initCount));
    return values;
  };
  SmallVector<Value> ofFirst = pick(0, n, 0, k), ofSecond = pick(n, m, k, second.getInitArgs().size());
  rewriter.replaceOp(first, ofFirst);
  rewriter.replaceOp(second, ofSecond);
  // What used the first stood in front of the second.
  sortTopologically(fused->getBlock());
  remark::passed(fused.getLoc(), remark::RemarkOpts::name("FuseRecurrences").category(DEBUG_TYPE))
      << remark::add("made one loop of two recurrences");
  return fused;
}

static bool fuseOnePair(RewriterBase &rewriter, Block *block) {
  auto all = llvm::to_vector(block->getOps<RecurrenceOp>());
  for (size_t i = 0; i < all.size(); ++i)
    for (size_t j = i + 1; j < all.size(); ++j)
      if (succeeded(fuseRecurrences(rewriter, all[i], all[j])))
        return true;
  return false;
}

unsigned lstm::fuseRecurrences(RewriterBase &rewriter, Operation *root) {
  SmallVector<Block *> blocks;
  root->walk([&](Block *block) {
    if (!block->getOps<RecurrenceOp>().empty())
      blocks.push_back(block);
  });
  unsigned count = 0;
  for (Block *block : blocks)
    while (fuseOnePair(rewriter, block))
      ++count;
  return count;
}

namespace {
struct LSTMFuseRecurrencesPass : public lstm::impl::LSTMFuseRecurrencesPassBase<LSTMFuseRecurrencesPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    numFused += fuseRecurrences(rewriter, getOperation());
  }
};
} // namespace
