//===- FuseRecurrences.cpp - Recurrences of the same steps become one -*- C++ -*-===//
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
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlir::lstm {
#define GEN_PASS_DEF_LSTMFUSERECURRENCESPASS
#define GEN_PASS_DEF_LSTMSTACKRECURRENCESPASS
#include "lstm/Dialect/LSTM/Transforms/Passes.h.inc"
} // namespace mlir::lstm

#define DEBUG_TYPE "lstm-fuse-recurrences"

using namespace mlir;
using namespace mlir::lstm;

/// Whether `op`, or anything in its regions, needs a result of `producer`, but for some operands.
static bool dependsOn(Operation *op, Operation *producer, const llvm::SmallDenseSet<OpOperand *> &allowed) {
  SmallVector<Operation *> work = {op};
  SmallPtrSet<Operation *, 32> seen;
  while (!work.empty()) {
    Operation *next = work.pop_back_val();
    if (next == producer)
      return true;
    if (!seen.insert(next).second)
      continue;
    next->walk([&](Operation *nested) {
      for (OpOperand &operand : nested->getOpOperands())
        if (Operation *definition = allowed.contains(&operand) ? nullptr : operand.get().getDefiningOp())
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

/// For each sequence of `second` the output of `first` that it is, if any.
using Links = SmallVector<std::optional<unsigned>>;

/// Sequences that `second` reads step by step as `first` gives them. Where a sequence has ended, they are zeros, but
/// not in the body: no state may go on there.
static Links getLinks(RecurrenceOp first, RecurrenceOp second) {
  size_t numSequences = second.getSequences().size();
  Links links(numSequences);
  bool goesOn = second.getLengths() && llvm::any_of(second.getUnmasked(), [](bool is) { return is; });
  for (auto [i, sequence] : llvm::enumerate(second.getSequences())) {
    auto result = dyn_cast<OpResult>(sequence);
    if (!result || result.getOwner() != first || result.getResultNumber() >= first.getOuts().size() || goesOn)
      continue;
    size_t out = first.getSequences().size() + first.getInitArgs().size() + result.getResultNumber();
    if (first.getReversed()[out] == second.getReversed()[i])
      links[i] = result.getResultNumber();
  }
  return links;
}

/// One recurrence with both bodies, one behind the other.
static RecurrenceOp join(RewriterBase &rewriter, RecurrenceOp first, RecurrenceOp second, const Links &links) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(second);
  // What is left of operands of `second`: not what the body of `first` gives. Flags are those of sequences, then of
  // states, then of outputs.
  SmallVector<Value> operands[3];
  SmallVector<bool> flags[3];
  for (RecurrenceOp op : {first, second}) {
    size_t flag = 0;
    ValueRange groups[] = {op.getSequences(), op.getInitArgs(), op.getOuts()};
    for (auto [group, values] : llvm::enumerate(groups))
      for (auto [i, value] : llvm::enumerate(values)) {
        bool isReversed = op.getReversed()[flag++];
        if (op == second && group == 0 && links[i])
          continue;
        operands[group].push_back(value);
        flags[group].push_back(isReversed);
      }
  }
  SmallVector<bool> reversed, unmasked(first.getUnmasked());
  for (ArrayRef<bool> group : flags)
    llvm::append_range(reversed, group);
  llvm::append_range(unmasked, second.getUnmasked());
  auto &[sequences, inits, outs] = operands;
  Value steps = sequences.empty() ? first.getSteps() : Value();
  auto fused = RecurrenceOp::create(rewriter, rewriter.getFusedLoc({first.getLoc(), second.getLoc()}), sequences,
                                    inits, first.getLengths(), steps, outs, reversed, unmasked);

  Block *body = fused.getBodyBlock();
  SmallVector<Value> states, outputs;
  unsigned sequence = 0, state = sequences.size();
  for (RecurrenceOp op : {first, second}) {
    SmallVector<Value> args;
    for (size_t i = 0; i < op.getSequences().size(); ++i)
      args.push_back(op == second && links[i] ? outputs[*links[i]] : body->getArgument(sequence++));
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
  return fused;
}

FailureOr<RecurrenceOp> lstm::fuseRecurrences(RewriterBase &rewriter, RecurrenceOp first, RecurrenceOp second,
                                              bool stacked) {
  if (first->getBlock() != second->getBlock() || !first->isBeforeInBlock(second))
    return rewriter.notifyMatchFailure(second, "does not stand behind the other in one block");
  if (first.getLengths() != second.getLengths())
    return rewriter.notifyMatchFailure(second, "has other lengths");
  Links links = stacked ? getLinks(first, second) : Links(second.getSequences().size());
  bool isStacked = llvm::any_of(links, [](std::optional<unsigned> link) { return link.has_value(); });
  SmallVector<SizeOrigin> ours = getStepOrigins(first), theirs = getStepOrigins(second);
  bool sameSteps = llvm::any_of(ours, [&](const SizeOrigin &a) {
    return llvm::any_of(theirs, [&](const SizeOrigin &b) { return a == b; });
  });
  if (!sameSteps && !isStacked)
    return rewriter.notifyMatchFailure(second, "is not known to have the same number of steps");
  if (stacked && !isStacked)
    return rewriter.notifyMatchFailure(second, "reads nothing that the other gives step by step");
  llvm::SmallDenseSet<OpOperand *> linked;
  for (auto [i, link] : llvm::enumerate(links))
    if (link)
      linked.insert(&second.getSequencesMutable()[i]);
  if (dependsOn(second, first, linked))
    return rewriter.notifyMatchFailure(second, "depends on the other");
  if (!isMemoryEffectFree(first) || !isMemoryEffectFree(second))
    return rewriter.notifyMatchFailure(second, "has side effects");

  RecurrenceOp fused = join(rewriter, first, second, links);
  remark::passed(fused.getLoc(), remark::RemarkOpts::name("FuseRecurrences").category(DEBUG_TYPE))
      << remark::add(isStacked ? "made one loop of two layers" : "made one loop of two recurrences");
  return fused;
}

/// Of what the body of a recurrence reads from outside: weights.
static int64_t getWeightBytes(RecurrenceOp op) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op.getBody(), captured);
  int64_t bytes = 0;
  for (Value value : captured)
    if (auto type = dyn_cast<RankedTensorType>(value.getType()); type && type.hasStaticShape())
      bytes += type.getNumElements() * type.getElementTypeBitWidth() / 8;
  return bytes;
}

using FusePair = function_ref<bool(RecurrenceOp, RecurrenceOp)>;

static bool fuseOnePair(Block *block, FusePair fuse) {
  auto all = llvm::to_vector(block->getOps<RecurrenceOp>());
  for (size_t i = 0; i < all.size(); ++i)
    for (size_t j = i + 1; j < all.size(); ++j)
      if (fuse(all[i], all[j]))
        return true;
  return false;
}

static unsigned fusePairs(Operation *root, FusePair fuse) {
  SmallVector<Block *> blocks;
  root->walk([&](Block *block) {
    if (!block->getOps<RecurrenceOp>().empty())
      blocks.push_back(block);
  });
  unsigned count = 0;
  for (Block *block : blocks)
    while (fuseOnePair(block, fuse))
      ++count;
  return count;
}

unsigned lstm::fuseRecurrences(RewriterBase &rewriter, Operation *root) {
  return fusePairs(root, [&](RecurrenceOp first, RecurrenceOp second) {
    return succeeded(fuseRecurrences(rewriter, first, second));
  });
}

/// Whether rows are reduced, as by a layer norm: all units then wait for each other anyway.
static bool reducesRows(RecurrenceOp op) {
  return op.getBody()
      .walk([](linalg::LinalgOp inner) {
        return inner.getNumReductionLoops() > 0 ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether a state is multiplied with weights. Else a step is cheap, and what is projected for all steps at once is all
/// there is to do.
static bool projectsState(RecurrenceOp op) {
  Block *body = op.getBodyBlock();
  auto isState = [&](auto dot) {
    auto argument = dyn_cast<BlockArgument>(dot.first);
    return argument && argument.getOwner() == body && argument.getArgNumber() >= op.getSequences().size();
  };
  return op.getBody()
      .walk([&](GateOp gate) {
        return llvm::any_of(gate.getDots(), isState) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether all products are of elements of 16 bits, or also of f32.
static bool multipliesShort(RecurrenceOp op, bool orFloat32) {
  auto isShort = [&](auto dot) {
    Type type = getElementTypeOrSelf(dot.first);
    return type == getElementTypeOrSelf(dot.second) &&
           (type.isF16() || type.isBF16() || (orFloat32 && type.isF32()));
  };
  return !op.getBody()
              .walk([&](GateOp gate) {
                return llvm::all_of(gate.getDots(), isShort) ? WalkResult::advance() : WalkResult::interrupt();
              })
              .wasInterrupted();
}

/// How many rows there are, if that is known.
static std::optional<int64_t> getNumRows(RecurrenceOp op) {
  std::optional<int64_t> rows;
  auto look = [&](Value value, int64_t dim) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (type && type.getRank() > dim && !type.isDynamicDim(dim))
      rows = type.getDimSize(dim);
  };
  for (Value out : op.getOuts())
    look(out, 1);
  for (auto [init, isUnmasked] : llvm::zip_equal(op.getInitArgs(), op.getUnmasked()))
    if (!isUnmasked)
      look(init, 0);
  return rows;
}

unsigned lstm::stackRecurrences(RewriterBase &rewriter, Operation *root, const StackingLimits &limits) {
  auto isWithin = [&](RecurrenceOp op) {
    return projectsState(op) && !reducesRows(op) && multipliesShort(op, limits.float32) &&
           getNumRows(op).value_or(0) <= limits.maxRows;
  };
  return fusePairs(root, [&](RecurrenceOp first, RecurrenceOp second) {
    return getWeightBytes(first) + getWeightBytes(second) <= limits.maxBytes && isWithin(first) && isWithin(second) &&
           succeeded(fuseRecurrences(rewriter, first, second, /*stacked=*/true));
  });
}

namespace {
struct LSTMFuseRecurrencesPass : public lstm::impl::LSTMFuseRecurrencesPassBase<LSTMFuseRecurrencesPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    numFused += fuseRecurrences(rewriter, getOperation());
  }
};

struct LSTMStackRecurrencesPass : public lstm::impl::LSTMStackRecurrencesPassBase<LSTMStackRecurrencesPass> {
  using Base::Base;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    numStacked += stackRecurrences(rewriter, getOperation(), {maxBytes, maxRows, float32});
  }
};
} // namespace
