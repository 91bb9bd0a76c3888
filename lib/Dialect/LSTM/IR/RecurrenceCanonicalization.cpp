//===- RecurrenceCanonicalization.cpp - Canonical recurrences -----*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/Dialect/LSTM/IR/LSTM.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::lstm;

//===----------------------------------------------------------------------===//
// Dropping sequences, states and outputs
//===----------------------------------------------------------------------===//

/// Replaces `op` by one that has only the sequences, states and outputs that the
/// masks name. A body argument that goes must have no use but in what goes too;
/// a state that goes may leave a replacement for its final value.
static RecurrenceOp keepOnly(PatternRewriter &rewriter, RecurrenceOp op, const BitVector &sequences,
                             const BitVector &states, const BitVector &outs,
                             ArrayRef<Value> finalReplacements = {}) {
  SmallVector<Value> newSequences, newInits, newOuts;
  SmallVector<bool> reversed, unmasked;
  for (int i : sequences.set_bits()) {
    newSequences.push_back(op.getSequences()[i]);
    reversed.push_back(op.isSequenceReversed(i));
  }
  for (int i : states.set_bits()) {
    newInits.push_back(op.getInitArgs()[i]);
    reversed.push_back(op.isStateReversed(i));
    unmasked.push_back(op.isStateUnmasked(i));
  }
  for (int i : outs.set_bits()) {
    newOuts.push_back(op.getOuts()[i]);
    reversed.push_back(op.isOutputReversed(i));
  }
  Value steps = op.getSteps();
  if (newSequences.empty() && !steps)
    steps = getValueOrCreateConstantIndexOp(rewriter, op.getLoc(), op.getMixedSteps(rewriter));

  auto result = RecurrenceOp::create(rewriter, op.getLoc(), newSequences, newInits, op.getLengths(),
                                     steps, newOuts, reversed, unmasked);
  result->setDiscardableAttrs(op->getDiscardableAttrDictionary());

  // The body: what goes is cut from the yield first, then its arguments.
  YieldOp yield = op.getYield();
  SmallVector<Value> yieldedStates, yieldedOuts;
  for (int i : states.set_bits())
    yieldedStates.push_back(yield.getState()[i]);
  for (int i : outs.set_bits())
    yieldedOuts.push_back(yield.getOutputs()[i]);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(yield);
  rewriter.replaceOpWithNewOp<YieldOp>(yield, ValueRange(), yieldedStates, yieldedOuts);
  unsigned next = 0;
  for (auto [i, arg] : llvm::enumerate(op.getSequenceArgs()))
    if (sequences[i])
      rewriter.replaceAllUsesWith(arg, result.getBody().getArgument(next++));
  for (auto [i, arg] : llvm::enumerate(op.getRegionIterArgs()))
    rewriter.replaceAllUsesWith(
        arg, states[i] ? Value(result.getBody().getArgument(next++)) : Value(op.getInitArgs()[i]));
  Block *from = op.getBodyBlock(), *to = result.getBodyBlock();
  to->getOperations().splice(to->end(), from->getOperations());

  SmallVector<Value> replacements;
  unsigned nextResult = 0;
  for (unsigned i = 0; i < op.getOuts().size(); ++i)
    replacements.push_back(outs[i] ? Value(result.getResult(nextResult++)) : Value(op.getOuts()[i]));
  for (unsigned i = 0; i < op.getInitArgs().size(); ++i) {
    if (states[i])
      replacements.push_back(result.getResult(nextResult++));
    else
      replacements.push_back(finalReplacements.empty() || !finalReplacements[i]
                                 ? Value(op.getInitArgs()[i])
                                 : finalReplacements[i]);
  }
  rewriter.replaceOp(op, replacements);
  return result;
}

static BitVector allOf(size_t n) { return BitVector(n, true); }

/// Dead outputs, and dead states: those that reach no used result. Also
/// sequences that the body does not use.
static LogicalResult dropDead(RecurrenceOp op, PatternRewriter &rewriter) {
  YieldOp yield = op.getYield();
  BitVector sequences(op.getSequences().size()), states(op.getInitArgs().size()),
      outs(op.getOuts().size());
  // Which operations and arguments a used result needs: a backward walk over the
  // body that goes around the loop through the states.
  llvm::SetVector<Value> work;
  SmallPtrSet<Operation *, 32> seen;
  Block *body = op.getBodyBlock();
  auto need = [&](Value value) { work.insert(value); };
  auto needState = [&](unsigned i) {
    if (!states[i]) {
      states.set(i);
      need(yield.getState()[i]);
    }
  };
  for (auto [i, output] : llvm::enumerate(op.getOutputs()))
    if (!output.use_empty()) {
      outs.set(i);
      need(yield.getOutputs()[i]);
    }
  for (auto [i, final] : llvm::enumerate(op.getFinals()))
    if (!final.use_empty())
      needState(i);
  for (Operation &inner : body->without_terminator())
    if (!isMemoryEffectFree(&inner) && seen.insert(&inner).second)
      inner.walk([&](Operation *nested) { llvm::for_each(nested->getOperands(), need); });
  for (size_t next = 0; next < work.size(); ++next) {
    Value value = work[next];
    if (auto arg = dyn_cast<BlockArgument>(value)) {
      if (arg.getOwner() != body)
        continue;
      unsigned number = arg.getArgNumber();
      if (number < op.getSequences().size())
        sequences.set(number);
      else
        needState(number - op.getSequences().size());
      continue;
    }
    Operation *owner = body->findAncestorOpInBlock(*value.getDefiningOp());
    if (owner && seen.insert(owner).second)
      owner->walk([&](Operation *nested) { llvm::for_each(nested->getOperands(), need); });
  }
  if (sequences.all() && states.all() && outs.all())
    return rewriter.notifyMatchFailure(op, "has nothing dead");
  if (outs.none() && states.none() && seen.empty())
    return rewriter.notifyMatchFailure(op, "is dead altogether");

  // What only dead values need goes before its arguments do.
  for (Operation &inner : llvm::make_early_inc_range(llvm::reverse(*body)))
    if (!seen.contains(&inner) && &inner != yield) {
      inner.dropAllUses();
      rewriter.eraseOp(&inner);
    }
  keepOnly(rewriter, op, sequences, states, outs);
  return success();
}

/// A state that each step hands on unchanged is its initial value.
static LogicalResult replaceInvariantStates(RecurrenceOp op, PatternRewriter &rewriter) {
  BitVector states = allOf(op.getInitArgs().size());
  YieldOp yield = op.getYield();
  for (auto [i, arg] : llvm::enumerate(op.getRegionIterArgs()))
    if (yield.getState()[i] == arg || yield.getState()[i] == op.getInitArgs()[i])
      states.reset(i);
  if (states.all())
    return rewriter.notifyMatchFailure(op, "has no invariant state");
  keepOnly(rewriter, op, allOf(op.getSequences().size()), states, allOf(op.getOuts().size()));
  return success();
}

//===----------------------------------------------------------------------===//
// Lengths
//===----------------------------------------------------------------------===//

/// Lengths that are a constant equal to T in every element say nothing. (With
/// one row, or where T is not known, they do say something.)
static LogicalResult dropFullLengths(RecurrenceOp op, PatternRewriter &rewriter) {
  int64_t steps = op.getStaticSteps();
  DenseIntElementsAttr constant;
  if (!op.getLengths() || ShapedType::isDynamic(steps) ||
      !matchPattern(op.getLengths(), m_Constant(&constant)))
    return rewriter.notifyMatchFailure(op, "has no constant lengths");
  if (!llvm::all_of(constant.getValues<APInt>(),
                    [&](const APInt &length) { return length.getSExtValue() == steps; }))
    return rewriter.notifyMatchFailure(op, "has a length other than the number of steps");
  rewriter.modifyOpInPlace(op, [&] { op.getLengthsMutable().clear(); });
  return success();
}

//===----------------------------------------------------------------------===//
// Few steps
//===----------------------------------------------------------------------===//

/// Whether `value` is known to have no elements.
static bool isEmpty(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && llvm::is_contained(type.getShape(), 0);
}

/// T = 0: outputs are empty, states the initial ones. So are they where all of
/// them are empty, as with B = 0.
static LogicalResult foldNoSteps(RecurrenceOp op, PatternRewriter &rewriter) {
  bool empty = isMemoryEffectFree(op) && llvm::all_of(op.getOuts(), isEmpty) &&
               llvm::all_of(op.getInitArgs(), isEmpty);
  if (op.getStaticSteps() != 0 && !empty)
    return rewriter.notifyMatchFailure(op, "has steps");
  SmallVector<Value> values(op.getOuts());
  llvm::append_range(values, op.getInitArgs());
  rewriter.replaceOp(op, values);
  return success();
}

/// T = 1 without lengths: the body on the initial states, where terms with a
/// zero state then fold.
static LogicalResult inlineSingleStep(RecurrenceOp op, PatternRewriter &rewriter) {
  if (op.getStaticSteps() != 1 || op.getLengths())
    return rewriter.notifyMatchFailure(op, "has other than one step, or lengths");
  Location loc = op.getLoc();
  auto sliceOf = [&](Value stacked) {
    auto sizes = tensor::getMixedSizes(rewriter, loc, stacked);
    sizes[0] = rewriter.getIndexAttr(1);
    SmallVector<OpFoldResult> offsets(sizes.size(), rewriter.getIndexAttr(0)),
        strides(sizes.size(), rewriter.getIndexAttr(1));
    return std::tuple(offsets, sizes, strides);
  };
  SmallVector<Value> args;
  for (Value sequence : op.getSequences()) {
    auto [offsets, sizes, strides] = sliceOf(sequence);
    args.push_back(tensor::ExtractSliceOp::create(rewriter, loc,
                                                  RecurrenceOp::getElementOf(sequence.getType()),
                                                  sequence, offsets, sizes, strides));
  }
  llvm::append_range(args, op.getInitArgs());
  YieldOp yield = op.getYield();
  SmallVector<Value> outputs(yield.getOutputs()), states(yield.getState());
  Block *body = op.getBodyBlock();
  for (auto [arg, value] : llvm::zip(body->getArguments(), args)) {
    rewriter.replaceAllUsesWith(arg, value);
    for (SmallVector<Value> *list : {&outputs, &states})
      llvm::replace(*list, Value(arg), value);
  }
  rewriter.eraseOp(yield);
  rewriter.inlineBlockBefore(body, op, args);
  rewriter.setInsertionPoint(op);
  SmallVector<Value> results;
  for (auto [output, out] : llvm::zip(outputs, op.getOuts())) {
    auto [offsets, sizes, strides] = sliceOf(out);
    results.push_back(tensor::InsertSliceOp::create(rewriter, loc, output, out, offsets, sizes, strides));
  }
  llvm::append_range(results, states);
  rewriter.replaceOp(op, results);
  return success();
}

void RecurrenceOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(dropDead);
  patterns.add(replaceInvariantStates);
  patterns.add(dropFullLengths);
  patterns.add(foldNoSteps);
  patterns.add(inlineSingleStep);
}
