//===- LowerRecurrence.cpp - Recurrences to scans --------------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every value that a step yields gets a destination of its own: the state's
// buffer, the other slot of it, or the slice of a stacked output. The chain of
// operations that makes the value is rooted in that destination; where there is
// none, the value is copied there. So whatever bufferization decides, no two
// yielded values share a buffer.
//
//===----------------------------------------------------------------------===//

#include "lstm/Dialect/LSTM/Transforms/Passes.h"
#include "lstm/Dialect/LSTM/Transforms/Transforms.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/TypeUtilities.h"

namespace mlir::lstm {
#define GEN_PASS_DEF_LSTMLOWERRECURRENCEPASS
#include "lstm/Dialect/LSTM/Transforms/Passes.h.inc"
} // namespace mlir::lstm

using namespace mlir;
using namespace mlir::lstm;

//===----------------------------------------------------------------------===//
// Changes to a phase
//===----------------------------------------------------------------------===//

/// The phase in `block` that makes `v`, or null.
static PhaseOp getPhase(Value v, Block *block) {
  auto phase = v.getDefiningOp<PhaseOp>();
  return phase && phase->getBlock() == block ? phase : PhaseOp();
}

/// Makes `v` an input without a gate axis, unless it is one already; returns
/// its scalar in the region.
static Value addInput(RewriterBase &rewriter, PhaseOp phase, Value v, int32_t axes) {
  for (auto [i, input] : llvm::enumerate(phase.getInputs()))
    if (input == v && phase.getAxes()[i] == axes)
      return phase.getBody().getArgument(phase.getInputArgumentIndex(i));
  unsigned position = phase.getOutArgument(0).getArgNumber();
  rewriter.modifyOpInPlace(phase, [&] {
    phase.getInputsMutable().append(v);
    SmallVector<int32_t> all(phase.getAxes());
    all.push_back(axes);
    phase.setAxes(all);
    phase.getBody().insertArgument(position, getElementTypeOrSelf(v), phase.getLoc());
  });
  return phase.getBody().getArgument(position);
}

/// Lets result `i` be computed into `destination`.
static void setDestination(RewriterBase &rewriter, PhaseOp phase, unsigned i, Value destination) {
  OpOperand &out = phase.getOutsMutable()[i];
  if (out.get() == destination)
    return;
  if (phase.isRead(out)) {
    Value old = addInput(rewriter, phase, out.get(), kRowUnit);
    rewriter.replaceAllUsesWith(phase.getOutArgument(i), old);
  }
  rewriter.modifyOpInPlace(phase, [&] { phase.getOutsMutable()[i].set(destination); });
}

/// Returns a phase that gives result `i` once more, as its last result.
static PhaseOp duplicateResult(RewriterBase &rewriter, PhaseOp phase, unsigned i) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(phase);
  Location loc = phase.getLoc();
  Value out = phase.getOuts()[i];
  SmallVector<Value> outs(phase.getOuts());
  outs.push_back(tensor::EmptyOp::create(rewriter, loc, tensor::getMixedSizes(rewriter, loc, out),
                                         getElementTypeOrSelf(out)));
  auto twice = PhaseOp::create(rewriter, loc, phase.getStates(), phase.getWeights(),
                               phase.getInputs(), phase.getAxes(), outs);
  twice->setDiscardableAttrs(phase->getDiscardableAttrDictionary());
  rewriter.inlineRegionBefore(phase.getBody(), twice.getBody(), twice.getBody().end());
  twice.getBody().addArgument(getElementTypeOrSelf(out), loc);
  YieldOp yield = twice.getYield();
  rewriter.modifyOpInPlace(yield,
                           [&] { yield.getScalarsMutable().append(yield.getScalars()[i]); });
  rewriter.replaceOp(phase, twice.getResults().drop_back());
  return twice;
}

//===----------------------------------------------------------------------===//
// Who writes a value, and where to
//===----------------------------------------------------------------------===//

static bool isRead(OpOperand &init) {
  Operation *op = init.getOwner();
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return linalgOp.payloadUsesValueFromOperand(&init);
  if (auto phase = dyn_cast<PhaseOp>(op))
    return phase.isRead(init);
  return true;
}

/// Whether element i of `operand` serves only element i of the result whose
/// destination is `init`.
static bool isElementwise(OpOperand &operand, OpOperand &init) {
  auto op = cast<DestinationStyleOpInterface>(operand.getOwner());
  if (op.isDpsInit(&operand))
    return false;
  if (auto phase = dyn_cast<PhaseOp>(*op))
    return phase.isElementwise(operand);
  auto linalgOp = dyn_cast<linalg::LinalgOp>(*op);
  return linalgOp && linalgOp.getNumLoops() == linalgOp.getNumParallelLoops() &&
         linalgOp.getMatchingIndexingMap(&init).isPermutation() &&
         linalgOp.getMatchingIndexingMap(&operand) == linalgOp.getMatchingIndexingMap(&init);
}

/// The operand at the start of the chain of destinations that leads to `v`: what
/// it holds is not read, or is not only the chain's. Null if `v` is not made into
/// a destination in `block`.
static OpOperand *getRoot(Value v, Block *block) {
  OpOperand *root = nullptr;
  while (auto op = v.getDefiningOp<DestinationStyleOpInterface>()) {
    if (op->getBlock() != block || (root && !v.hasOneUse()))
      break;
    root = op.getTiedOpOperand(cast<OpResult>(v));
    if (!isRead(*root))
      break;
    v = root->get();
  }
  return root;
}

static bool holdsNothing(OpOperand &root) {
  return !isRead(root) || root.get().getDefiningOp<tensor::EmptyOp>();
}

/// Calls `fn` on every use of `v` and of views of it.
static void forEachUse(Value v, llvm::function_ref<void(OpOperand &)> fn) {
  SmallVector<Value> worklist = {v};
  while (!worklist.empty())
    for (OpOperand &use : worklist.pop_back_val().getUses()) {
      if (isa<tensor::ExtractSliceOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp,
              tensor::CastOp>(use.getOwner()))
        worklist.push_back(use.getOwner()->getResult(0));
      else
        fn(use);
    }
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

namespace {
class Lowering {
public:
  Lowering(RewriterBase &rewriter, RecurrenceOp op)
      : rewriter(rewriter), op(op), loc(op.getLoc()), body(op.getBodyBlock()),
        numStates(op.getInitArgs().size()) {}

  FailureOr<ScanOp> run();

private:
  /// Positions of yielded values: states, then outputs.
  bool isState(unsigned slot) { return slot < numStates; }
  bool isReversed(unsigned slot) {
    return isState(slot) ? op.isStateReversed(slot) : op.isOutputReversed(slot - numStates);
  }
  bool isMasked(unsigned slot);
  /// Whether the value at `slot` is the first one of its kind, so that the
  /// operation that makes it may make it into this slot's destination.
  bool isFirst(unsigned slot);
  bool isRowwise(OpOperand &use, bool reversed);
  void duplicatePhaseResults();
  bool canUpdateInPlace(unsigned state);

  Value apply(AffineExpr expr, ValueRange operands) {
    return affine::AffineApplyOp::create(
        rewriter, loc, AffineMap::get(operands.size(), 0, expr), operands);
  }
  /// The step at which `slot` is, as an integer of the type of the lengths.
  Value getStep(unsigned slot);
  Value cast(Value v, Type type) {
    return v.getType() == type ? v : tensor::CastOp::create(rewriter, loc, type, v).getResult();
  }
  Value buildLive(OpBuilder &b, Value step, Value length) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, step, length);
  }
  Value buildMask(OpBuilder &b, Value live, Value v, Value other);
  void maskPhaseResult(PhaseOp phase, unsigned i, unsigned slot, Value old);
  Value maskInto(Value v, unsigned slot, Value old, Value destination);
  Value computeInto(Value v, unsigned slot, Value old, Value destination);

  Value makeSlots(Value init);
  Value readSlot(Value slots, Type type);

  RewriterBase &rewriter;
  RecurrenceOp op;
  Location loc;
  Block *body;
  unsigned numStates;
  YieldOp yield;
  Value steps;
  Value count;
  Value stepOf[2];
  /// Whether the row lives, in a phase and a direction.
  llvm::DenseMap<std::pair<Operation *, unsigned>, Value> liveInPhase;
};
} // namespace

bool Lowering::isMasked(unsigned slot) {
  if (!op.getLengths() || (isState(slot) && op.isStateUnmasked(slot)))
    return false;
  auto type = dyn_cast<RankedTensorType>(yield->getOperand(slot).getType());
  return type && type.getRank() > 0;
}

bool Lowering::isFirst(unsigned slot) {
  return !llvm::is_contained(yield->getOperands().take_front(slot), yield->getOperand(slot));
}

/// Whether a row of the used value affects that row alone of values that are
/// masked in the same way, so that nothing sees what its padded rows hold.
bool Lowering::isRowwise(OpOperand &use, bool reversed) {
  if (use.getOwner() == yield)
    return isMasked(use.getOperandNumber()) && isReversed(use.getOperandNumber()) == reversed;
  auto phase = dyn_cast<PhaseOp>(use.getOwner());
  if (!phase || phase->getBlock() != body || llvm::is_contained(phase.getWeights(), use.get()))
    return false;
  for (auto [input, axes] : llvm::zip(phase.getInputs(), phase.getAxes()))
    if (input == use.get() && !(axes & kRow))
      return false;
  return llvm::all_of(phase->getUses(), [&](OpOperand &next) { return isRowwise(next, reversed); });
}

/// Makes each yielded result of a phase a result of its own, with no use beside
/// the yield that a mask would change.
void Lowering::duplicatePhaseResults() {
  for (unsigned slot = 0; slot < yield->getNumOperands(); ++slot) {
    Value v = yield->getOperand(slot);
    PhaseOp phase = getPhase(v, body);
    if (!phase)
      continue;
    // Other slots get results of their own.
    bool isSeen = isMasked(slot) && llvm::any_of(v.getUses(), [&](OpOperand &use) {
                    return use.getOwner() != yield && !isRowwise(use, isReversed(slot));
                  });
    if (isFirst(slot) && !isSeen)
      continue;
    phase = duplicateResult(rewriter, phase, llvm::cast<OpResult>(v).getResultNumber());
    rewriter.modifyOpInPlace(yield,
                             [&] { yield->setOperand(slot, phase.getResults().back()); });
  }
}

/// Whether everything that reads the old value of a state does so before the
/// next one is written, or reads just the element that it writes.
bool Lowering::canUpdateInPlace(unsigned state) {
  Value v = yield.getState()[state], old = op.getRegionIterArgs()[state];
  // A scalar is read at the start of a step and written at its end; of a state
  // without elements there is no slice to take.
  auto type = dyn_cast<RankedTensorType>(v.getType());
  if (v == old || !type || llvm::is_contained(type.getShape(), 0))
    return true;

  // The operation that writes first; null: a mask or a copy in front of the yield.
  OpOperand *root = nullptr;
  if (PhaseOp phase = getPhase(v, body))
    root = phase.getTiedOpOperand(llvm::cast<OpResult>(v));
  else if (!isMasked(state) && isFirst(state))
    root = getRoot(v, body);
  Operation *writer = root ? root->getOwner() : nullptr;
  bool isCopied = root && !isa<PhaseOp>(writer) && !holdsNothing(*root) && root->get() != old;

  bool result = true;
  forEachUse(old, [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (user == yield)
      result = false;
    else if (user == writer)
      result &= !isCopied && (&use == root || (use.get() == old && isElementwise(use, *root)));
    else if (writer) {
      Operation *ancestor = body->findAncestorOpInBlock(*user);
      result &= ancestor != writer && ancestor->isBeforeInBlock(writer);
    }
  });
  return result;
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

Value Lowering::getStep(unsigned slot) {
  bool reversed = isReversed(slot);
  if (Value step = stepOf[reversed])
    return step;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(count.getParentBlock());
  Value step = count;
  if (reversed) {
    AffineExpr d0 = rewriter.getAffineDimExpr(0), d1 = rewriter.getAffineDimExpr(1);
    step = apply(d1 - d0 - 1, {count, steps});
  }
  Type type = getElementTypeOrSelf(op.getLengths());
  return stepOf[reversed] = arith::IndexCastOp::create(rewriter, loc, type, step);
}

/// `v` while the row lives, else `other`, or 0 where that is null.
Value Lowering::buildMask(OpBuilder &b, Value live, Value v, Value other) {
  if (!other)
    other = arith::ConstantOp::create(b, loc, b.getZeroAttr(v.getType()));
  return arith::SelectOp::create(b, loc, live, v, other);
}

void Lowering::maskPhaseResult(PhaseOp phase, unsigned i, unsigned slot, Value old) {
  Value length = addInput(rewriter, phase, op.getLengths(), kRow);
  Value step = addInput(rewriter, phase, getStep(slot), 0);
  Value other;
  if (isState(slot))
    other = phase.getOuts()[i] == old ? Value(phase.getOutArgument(i))
                                      : addInput(rewriter, phase, old, kRowUnit);
  OpBuilder::InsertionGuard guard(rewriter);
  YieldOp end = phase.getYield();
  rewriter.setInsertionPoint(end);
  Value &live = liveInPhase[{phase, isReversed(slot)}];
  if (!live)
    live = buildLive(rewriter, step, length);
  Value masked = buildMask(rewriter, live, end.getScalars()[i], other);
  rewriter.modifyOpInPlace(end, [&] { end.getScalarsMutable()[i].set(masked); });
}

Value Lowering::maskInto(Value v, unsigned slot, Value old, Value destination) {
  int64_t rank = llvm::cast<RankedTensorType>(v.getType()).getRank();
  AffineMap all = rewriter.getMultiDimIdentityMap(rank);
  AffineMap row = AffineMap::get(rank, 0, rewriter.getAffineDimExpr(0));
  SmallVector<Value> inputs = {v, op.getLengths()};
  SmallVector<AffineMap> maps = {all, row};
  if (isState(slot) && old != destination) {
    inputs.push_back(old);
    maps.push_back(all);
  }
  maps.push_back(all);
  Value step = getStep(slot);
  auto generic = linalg::GenericOp::create(
      rewriter, loc, destination.getType(), inputs, destination, maps,
      SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
      [&](OpBuilder &b, Location, ValueRange args) {
        // The last argument but for an output: the old state, as an input or as
        // what stood in the destination.
        Value other = isState(slot) ? args[2] : Value();
        linalg::YieldOp::create(b, loc, buildMask(b, buildLive(b, step, args[1]), args[0], other));
      });
  return generic.getResult(0);
}

//===----------------------------------------------------------------------===//
// Destinations
//===----------------------------------------------------------------------===//

/// Makes the yielded value `v` be computed into `destination`, with its mask.
Value Lowering::computeInto(Value v, unsigned slot, Value old, Value destination) {
  if (v == destination)
    return v;
  if (!isa<RankedTensorType>(v.getType()))
    return tensor::InsertOp::create(rewriter, loc, v, destination, ValueRange());
  Type type = destination.getType();
  bool masked = isMasked(slot) && v != old;

  if (PhaseOp phase = getPhase(v, yield->getBlock())) {
    unsigned i = llvm::cast<OpResult>(v).getResultNumber();
    {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPoint(phase);
      setDestination(rewriter, phase, i, cast(destination, v.getType()));
    }
    if (masked)
      maskPhaseResult(phase, i, slot, old);
    return cast(v, type);
  }
  if (masked)
    return maskInto(v, slot, old, destination);

  OpOperand *root = isFirst(slot) ? getRoot(v, yield->getBlock()) : nullptr;
  if (!root)
    return linalg::CopyOp::create(rewriter, loc, v, destination).getResult(0);
  if (root->get() == destination)
    return v;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(root->getOwner());
  Value start = cast(destination, root->get().getType());
  if (!holdsNothing(*root))
    start = linalg::CopyOp::create(rewriter, loc, root->get(), start).getResult(0);
  rewriter.modifyOpInPlace(root->getOwner(), [&] { root->set(start); });
  rewriter.setInsertionPoint(yield);
  return cast(v, type);
}

/// A buffer `[2, ...]` that holds `init` in slot 0.
Value Lowering::makeSlots(Value init) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, init);
  sizes.insert(sizes.begin(), rewriter.getIndexAttr(2));
  Value slots = tensor::EmptyOp::create(rewriter, loc, sizes, getElementTypeOrSelf(init));
  sizes[0] = rewriter.getIndexAttr(1);
  SmallVector<OpFoldResult> offsets(sizes.size(), rewriter.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(sizes.size(), rewriter.getIndexAttr(1));
  return tensor::InsertSliceOp::create(rewriter, loc, init, slots, offsets, sizes, strides);
}

/// The slot that the last step has written.
Value Lowering::readSlot(Value slots, Type type) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, slots);
  sizes[0] = rewriter.getIndexAttr(1);
  SmallVector<OpFoldResult> offsets(sizes.size(), rewriter.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(sizes.size(), rewriter.getIndexAttr(1));
  offsets[0] = apply(rewriter.getAffineDimExpr(0) % 2, {steps});
  return tensor::ExtractSliceOp::create(rewriter, loc, llvm::cast<RankedTensorType>(type), slots,
                                        offsets, sizes, strides);
}

FailureOr<ScanOp> Lowering::run() {
  for (auto [i, type] : llvm::enumerate(op.getInitArgs().getTypes()))
    if (!isa<RankedTensorType>(type) && !TensorType::isValidElementType(type))
      return op.emitOpError("expects state #")
             << i << " to be a ranked tensor or a scalar to be lowered, but got " << type;
  yield = op.getYield();
  duplicatePhaseResults();
  rewriter.setInsertionPoint(op);
  steps = getValueOrCreateConstantIndexOp(rewriter, loc, op.getMixedSteps(rewriter));

  SmallVector<bool> twoSlots, reversed;
  SmallVector<Value> states;
  for (auto [i, init] : llvm::enumerate(op.getInitArgs())) {
    twoSlots.push_back(!canUpdateInPlace(i));
    if (!isa<RankedTensorType>(init.getType()))
      init = tensor::FromElementsOp::create(rewriter, loc, RankedTensorType::get({}, init.getType()),
                                            init);
    states.push_back(twoSlots.back() ? makeSlots(init) : init);
  }
  for (unsigned i = 0; i < op.getSequences().size(); ++i)
    reversed.push_back(op.isSequenceReversed(i));
  for (unsigned i = 0; i < op.getOuts().size(); ++i)
    reversed.push_back(op.isOutputReversed(i));
  auto scan = ScanOp::create(rewriter, loc, steps, op.getSequences(), states, op.getOuts(),
                             twoSlots, reversed);
  scan->setDiscardableAttrs(op->getDiscardableAttrDictionary());

  // Move the body and give the values of a step their destinations.
  Block *to = scan.getBodyBlock();
  count = to->getArgument(0);
  rewriter.setInsertionPointToStart(to);
  unsigned argument = 1;
  SmallVector<Value> args;
  for (unsigned i = 0; i < op.getSequences().size(); ++i)
    args.push_back(to->getArgument(argument++));
  for (auto [type, two] : llvm::zip(op.getInitArgs().getTypes(), twoSlots)) {
    Value arg = to->getArgument(argument);
    argument += two ? 2 : 1;
    if (!isa<RankedTensorType>(type))
      arg = tensor::ExtractOp::create(rewriter, loc, arg, ValueRange());
    args.push_back(arg);
  }
  rewriter.inlineBlockBefore(body, to, to->end(), args);
  rewriter.setInsertionPoint(yield);
  // The yield keeps its values until all have their destinations.
  SmallVector<Value> values(yield->getOperands());
  SmallVector<BlockArgument> destinations = scan.getDestinations();
  for (auto [slot, v] : llvm::enumerate(values)) {
    Value old = isState(slot) ? args[op.getSequences().size() + slot] : Value();
    values[slot] = computeInto(v, slot, old, destinations[slot]);
  }
  rewriter.modifyOpInPlace(yield, [&] { yield->setOperands(values); });

  rewriter.setInsertionPointAfter(scan);
  SmallVector<Value> replacements(scan.getResults().drop_front(numStates));
  for (auto [i, type] : llvm::enumerate(op.getInitArgs().getTypes())) {
    Value final = scan.getResult(i);
    if (twoSlots[i])
      final = readSlot(final, type);
    else if (!isa<RankedTensorType>(type))
      final = tensor::ExtractOp::create(rewriter, loc, final, ValueRange());
    replacements.push_back(final);
  }
  rewriter.replaceOp(op, replacements);
  return scan;
}

FailureOr<ScanOp> lstm::lowerRecurrence(RewriterBase &rewriter, RecurrenceOp op) {
  return Lowering(rewriter, op).run();
}

/// Gives each result of a phase that has no destination yet, and results that are put together, an empty
/// tensor of their own: bufferization may put those that share one into the same memory, where they are
/// not needed together.
static void separateResults(RewriterBase &rewriter, ScanOp scan) {
  for (Operation &op : llvm::make_early_inc_range(scan.getBodyBlock()->without_terminator())) {
    if (!isa<PhaseOp, tensor::InsertSliceOp>(op))
      continue;
    for (OpOperand &operand : op.getOpOperands())
      if (auto empty = operand.get().getDefiningOp<tensor::EmptyOp>()) {
        rewriter.setInsertionPoint(empty);
        Operation *own = rewriter.clone(*empty);
        rewriter.modifyOpInPlace(&op, [&] { operand.set(own->getResult(0)); });
      }
  }
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct LSTMLowerRecurrencePass
    : public lstm::impl::LSTMLowerRecurrencePassBase<LSTMLowerRecurrencePass> {
  using Base::Base;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<RecurrenceOp> ops;
    getOperation()->walk([&](RecurrenceOp op) { ops.push_back(op); });
    for (RecurrenceOp op : ops) {
      FailureOr<ScanOp> scan = lowerRecurrence(rewriter, op);
      if (failed(scan))
        return signalPassFailure();
      if (separate)
        separateResults(rewriter, *scan);
      int64_t two = llvm::count(scan->getTwoSlots(), true);
      numTwoSlots += two;
      numInPlace += scan->getTwoSlots().size() - two;
    }
  }
};
} // namespace
