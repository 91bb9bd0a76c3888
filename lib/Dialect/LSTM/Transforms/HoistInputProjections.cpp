//===- HoistInputProjections.cpp - What does not depend on the state leaves the loop -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/Dialect/LSTM/Transforms/BodyUtils.h"
#include "lstm/Dialect/LSTM/Transforms/Passes.h"
#include "lstm/Dialect/LSTM/Transforms/Transforms.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlir::lstm {
#define GEN_PASS_DEF_LSTMHOISTINPUTPROJECTIONSPASS
#include "lstm/Dialect/LSTM/Transforms/Passes.h.inc"
} // namespace mlir::lstm

#define DEBUG_TYPE "lstm-hoist-input-projections"

using namespace mlir;
using namespace mlir::lstm;

using ValuePair = std::pair<Value, Value>;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

static int64_t staticSize(OpFoldResult size) {
  return getConstantIntValue(size).value_or(ShapedType::kDynamic);
}

namespace {
/// Hoists from one recurrence.
class Hoister {
public:
  Hoister(RewriterBase &rewriter, RecurrenceOp op, int64_t minDepth, bool addends, bool reductions,
          bool lookups)
      : rewriter(rewriter), op(op), minDepth(minDepth), addends(addends), reductions(reductions),
        lookups(lookups) {}

  HoistResult run() {
    for (GateOp gate : llvm::to_vector(op.getBodyBlock()->getOps<GateOp>()))
      split(gate);
    classify();
    if (needed.empty())
      return result;
    rewriter.setInsertionPoint(op);
    for (Operation &inner : llvm::make_early_inc_range(op.getBodyBlock()->without_terminator()))
      if (needed.contains(&inner))
        hoist(&inner);
    addSequences();
    return result;
  }

private:
  RewriterBase &rewriter;
  RecurrenceOp op;
  int64_t minDepth;
  bool addends, reductions, lookups;
  HoistResult result;
  /// Values of the body that depend on sequence elements (and on values from
  /// above) alone: the direction of those elements.
  DenseMap<Value, bool> directions;
  /// Operations worth hoisting, and what they need.
  SmallPtrSet<Operation *, 16> needed;
  /// For a value of the body: its stack over all steps, in front of the loop.
  IRMapping stacked;

  bool isInvariant(Value value) { return isDefinedOutside(value, op); }

  /// Whether a product costs more than storing and loading its result.
  bool isDeep(ValuePair dot) {
    SizeOrigin depth = getSizeOrigin(dot.second, 0);
    return !depth.constant || *depth.constant >= minDepth;
  }

  /// A gate that mixes what depends on the sequence with what does not: its
  /// products with sequence elements, and biases, become a gate of their own.
  void split(GateOp gate) {
    auto onSequence = [&](Value v) { return dependsOnSequenceOnly(v); };
    SmallVector<ValuePair> movedDots, keptDots, keptScales = gate.getScales();
    for (ValuePair dot : gate.getDots())
      (onSequence(dot.first) && isInvariant(dot.second) && isDeep(dot) ? movedDots : keptDots).push_back(dot);
    if (movedDots.empty())
      return;
    int64_t rank = gate.getResultType().getRank();
    SmallVector<Value> movedAddends, keptAddends;
    for (Value addend : gate.getAddends()) {
      bool moves = typeOf(addend).getRank() < rank ? isInvariant(addend) : onSequence(addend);
      (moves ? movedAddends : keptAddends).push_back(addend);
    }
    if (keptDots.empty() && keptScales.empty() && keptAddends.empty()) {
      // It depends on the sequence altogether. Without its biases it is the product alone, which takes
      // neither another pass nor another buffer.
      bool isSum = gate.isPlainSum() && gate.getResultType().getElementType() == gate.getComputeType();
      if (addends || movedAddends.empty() || !isSum)
        return;
    }
    if (!addends) {
      movedAddends.clear();
      keptAddends = llvm::to_vector(gate.getAddends());
    }
    rewriter.setInsertionPoint(gate);
    auto type = gate.getResultType().clone(gate.getComputeType());
    auto moved = GateOp::create(rewriter, gate.getLoc(), type,
                                ActivationAttr::get(rewriter.getContext(), ActivationKind::Identity),
                                movedDots, ArrayRef<ValuePair>(), movedAddends);
    keptAddends.push_back(moved);
    rewriter.modifyOpInPlace(gate, [&] {
      gate.getDotLhsMutable().assign(llvm::map_to_vector(keptDots, [](ValuePair p) { return p.first; }));
      gate.getDotRhsMutable().assign(llvm::map_to_vector(keptDots, [](ValuePair p) { return p.second; }));
      gate.getAddendsMutable().assign(keptAddends);
    });
  }

  bool dependsOnSequenceOnly(Value value) { return getDirection(value).has_value(); }

  /// The direction of the sequence elements on which `value` depends alone.
  std::optional<bool> getDirection(Value value) {
    if (auto arg = dyn_cast<BlockArgument>(value)) {
      if (arg.getOwner() != op.getBodyBlock() || arg.getArgNumber() >= op.getSequences().size())
        return std::nullopt;
      return op.isSequenceReversed(arg.getArgNumber());
    }
    auto known = directions.find(value);
    if (known != directions.end())
      return known->second;
    Operation *inner = value.getDefiningOp();
    if (inner->getBlock() != op.getBodyBlock())
      return std::nullopt;
    std::optional<bool> direction = getDirection(inner);
    if (direction)
      for (Value v : inner->getResults())
        directions[v] = *direction;
    return direction;
  }

  std::optional<bool> getDirection(Operation *inner) {
    std::optional<bool> direction;
    for (Value operand : inner->getOperands()) {
      if (isInvariant(operand) || isScratch(operand))
        continue;
      std::optional<bool> other = getDirection(operand);
      if (!other || (direction && *direction != *other))
        return std::nullopt;
      direction = other;
    }
    return direction && canStack(inner) ? direction : std::nullopt;
  }

  /// A destination whose contents are not read, or are a constant.
  bool isScratch(Value value) {
    Operation *inner = value.getDefiningOp();
    if (!inner || inner->getBlock() != op.getBodyBlock())
      return false;
    if (isa<tensor::EmptyOp>(inner))
      return llvm::all_of(inner->getOperands(), [&](Value v) { return isSizeOutside(v); });
    auto fill = dyn_cast<linalg::FillOp>(inner);
    return fill && isInvariant(fill.getInputs()[0]) &&
           (isInvariant(fill.getOutputs()[0]) || isScratch(fill.getOutputs()[0]));
  }

  bool isSizeOutside(Value size) {
    SizeOrigin origin = getSizeOrigin(OpFoldResult(size));
    return origin.constant || isInvariant(origin.root);
  }

  /// Whether there is a form of `inner` for all steps at once.
  bool canStack(Operation *inner) {
    if (auto gate = dyn_cast<GateOp>(inner)) {
      auto fits = [&](Value v, bool perRow) { return perRow != isInvariant(v); };
      int64_t rank = gate.getResultType().getRank();
      return llvm::all_of(gate.getDots(), [&](ValuePair p) { return fits(p.first, true) && fits(p.second, false); }) &&
             llvm::all_of(gate.getScales(),
                          [&](ValuePair p) {
                            return fits(p.first, true) && typeOf(p.first).getRank() == rank &&
                                   fits(p.second, typeOf(p.second).getRank() == rank);
                          }) &&
             llvm::all_of(gate.getAddends(), [&](Value v) { return fits(v, typeOf(v).getRank() == rank); });
    }
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(inner)) {
      if (!linalgOp.hasPureTensorSemantics() || inner->getNumRegions() != 1)
        return false;
      llvm::SetVector<Value> captured;
      getUsedValuesDefinedAbove(inner->getRegion(0), captured);
      return llvm::all_of(captured, [&](Value v) { return isInvariant(v); }) &&
             llvm::all_of(inner->getOperands(), [&](Value v) { return isa<RankedTensorType>(v.getType()) || isInvariant(v); });
    }
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(inner))
      return llvm::all_of(inner->getOperands().drop_front(), [&](Value v) { return isSizeOutside(v); });
    // Elementwise operations: all tensors run over time.
    return OpTrait::hasElementwiseMappableTraits(inner) && isPure(inner) && inner->getNumResults() == 1 &&
           isa<RankedTensorType>(inner->getResult(0).getType()) &&
           llvm::all_of(inner->getOperands(), [&](Value v) {
             return isa<RankedTensorType>(v.getType()) ? !isInvariant(v) || isSplatConstant(v) : isInvariant(v);
           });
  }

  static bool isSplatConstant(Value value) {
    DenseElementsAttr attr;
    return matchPattern(value, m_Constant(&attr)) && attr.isSplat();
  }

  /// Whether doing `inner` for all steps at once saves work: products do, with `reductions` all
  /// that is reduced, and with `lookups` what is looked up in a table. Elementwise work is free
  /// where the step does its own.
  bool isWorthHoisting(Operation *inner) {
    if (auto gate = dyn_cast<GateOp>(inner))
      return llvm::any_of(gate.getDots(), [&](ValuePair dot) { return isDeep(dot); });
    auto linalgOp = dyn_cast<linalg::LinalgOp>(inner);
    if (!linalgOp)
      return false;
    if (linalgOp.getNumReductionLoops() > 0)
      return reductions || linalg::isaContractionOpInterface(linalgOp);
    return lookups && linalgOp->getNumRegions() == 1 &&
           !linalgOp->getRegion(0).getOps<tensor::ExtractOp>().empty();
  }

  void classify() {
    SmallVector<Operation *> work;
    for (Operation &inner : op.getBodyBlock()->without_terminator())
      if (inner.getNumResults() > 0 && isWorthHoisting(&inner) && dependsOnSequenceOnly(inner.getResult(0)))
        work.push_back(&inner);
    while (!work.empty()) {
      Operation *inner = work.pop_back_val();
      if (!needed.insert(inner).second)
        continue;
      for (Value operand : inner->getOperands())
        if (Operation *producer = operand.getDefiningOp();
            producer && producer->getBlock() == op.getBodyBlock() && getDirection(operand))
          work.push_back(producer);
    }
  }

  //===--------------------------------------------------------------------===//
  // Stacking
  //===--------------------------------------------------------------------===//

  OpFoldResult getSteps() { return op.getMixedSteps(rewriter); }

  /// The stack of a value of the body.
  Value getStack(Value value) {
    if (Value known = stacked.lookupOrNull(value))
      return known;
    auto arg = cast<BlockArgument>(value);
    return op.getSequences()[arg.getArgNumber()];
  }

  /// [T, B, ...] as [T * B, ...].
  Value collapse(Value stack) {
    SmallVector<ReassociationIndices> groups = {{0, 1}};
    for (int64_t i = 2, rank = typeOf(stack).getRank(); i < rank; ++i)
      groups.push_back({i});
    return tensor::CollapseShapeOp::create(rewriter, op.getLoc(), stack, groups);
  }

  /// [T * B, ...] as [T, B, ...] of shape `sizes`.
  Value expand(Value rows, ArrayRef<OpFoldResult> sizes) {
    SmallVector<ReassociationIndices> groups = {{0, 1}};
    for (int64_t i = 2, rank = sizes.size(); i < rank; ++i)
      groups.push_back({i});
    auto type = RankedTensorType::get(llvm::map_to_vector(sizes, staticSize), typeOf(rows).getElementType());
    return tensor::ExpandShapeOp::create(rewriter, op.getLoc(), type, rows, groups, sizes);
  }

  SmallVector<OpFoldResult> getStackedSizes(Value value) {
    SmallVector<OpFoldResult> sizes = getSizes(rewriter, op.getLoc(), value);
    sizes.insert(sizes.begin(), getSteps());
    return sizes;
  }

  /// A value of the body in the type that its users there expect.
  void setStack(Value value, Value stack) { stacked.map(value, stack); }

  void hoist(Operation *inner) {
    if (auto gate = dyn_cast<GateOp>(inner))
      hoistGate(gate);
    else if (auto linalgOp = dyn_cast<linalg::LinalgOp>(inner))
      hoistLinalg(linalgOp);
    else if (auto slice = dyn_cast<tensor::ExtractSliceOp>(inner))
      hoistSlice(slice);
    else
      hoistElementwise(inner);
    ++result.hoisted;
    remark::passed(inner->getLoc(), remark::RemarkOpts::name("Hoist").category(DEBUG_TYPE))
        << remark::add("done for all steps in front of the loop");
  }

  void hoistGate(GateOp gate) {
    // Rows of all steps are rows of one product.
    auto rows = [&](Value v) { return isInvariant(v) ? v : collapse(getStack(v)); };
    SmallVector<OpFoldResult> sizes = getStackedSizes(gate.getResult());
    SmallVector<ValuePair> dots, scales;
    for (auto [a, w] : gate.getDots())
      dots.push_back({rows(a), w});
    for (auto [s, p] : gate.getScales())
      scales.push_back({rows(s), rows(p)});
    SmallVector<Value> addends = llvm::map_to_vector(gate.getAddends(), rows);
    SmallVector<int64_t> shape = llvm::map_to_vector(ArrayRef(sizes).drop_front(), staticSize);
    bool known = !ShapedType::isDynamic(shape[0]) && !ShapedType::isDynamic(staticSize(sizes[0]));
    shape[0] = known ? shape[0] * staticSize(sizes[0]) : ShapedType::kDynamic;
    auto type = RankedTensorType::get(shape, gate.getResultType().getElementType());
    auto all = GateOp::create(rewriter, gate.getLoc(), type, gate.getActivation(), dots, scales, addends,
                              gate.getClipAttr());
    all.setActivationsAttr(gate.getActivationsAttr());
    setStack(gate.getResult(), expand(all.getResult(), sizes));
  }

  void hoistElementwise(Operation *inner) {
    auto resultType = typeOf(inner->getResult(0));
    SmallVector<OpFoldResult> sizes = getStackedSizes(inner->getResult(0));
    SmallVector<int64_t> shape = llvm::map_to_vector(sizes, staticSize);
    IRMapping mapping;
    for (Value operand : inner->getOperands()) {
      if (!isa<RankedTensorType>(operand.getType()))
        continue;
      if (!isInvariant(operand)) {
        mapping.map(operand, castTo(getStack(operand), shape));
        continue;
      }
      DenseElementsAttr splat;
      matchPattern(operand, m_Constant(&splat));
      auto element = cast<TypedAttr>(splat.getSplatValue<Attribute>());
      Value scalar = arith::ConstantOp::create(rewriter, inner->getLoc(), element);
      SmallVector<Value> dynamic;
      SmallVector<int64_t> unused;
      dispatchIndexOpFoldResults(sizes, dynamic, unused);
      mapping.map(operand, tensor::SplatOp::create(
                               rewriter, inner->getLoc(),
                               RankedTensorType::get(shape, element.getType()), scalar, dynamic));
    }
    Operation *all = rewriter.clone(*inner, mapping);
    all->getResult(0).setType(RankedTensorType::get(shape, resultType.getElementType()));
    setStack(inner->getResult(0), all->getResult(0));
  }

  Value castTo(Value value, ArrayRef<int64_t> shape) {
    auto type = RankedTensorType::get(shape, typeOf(value).getElementType());
    return value.getType() == type ? value
                                   : Value(tensor::CastOp::create(rewriter, op.getLoc(), type, value));
  }

  void hoistSlice(tensor::ExtractSliceOp slice) {
    Location loc = slice.getLoc();
    OpFoldResult zero = rewriter.getIndexAttr(0), one = rewriter.getIndexAttr(1);
    auto outside = [&](ArrayRef<OpFoldResult> values, OpFoldResult first) {
      SmallVector<OpFoldResult> all = {first};
      for (OpFoldResult value : values) {
        SizeOrigin origin = getSizeOrigin(value);
        all.push_back(origin.constant  ? OpFoldResult(rewriter.getIndexAttr(*origin.constant))
                      : origin.dim < 0 ? OpFoldResult(origin.root)
                                       : tensor::getMixedSize(rewriter, loc, origin.root, origin.dim));
      }
      return all;
    };
    Value source = getStack(slice.getSource());
    SmallVector<OpFoldResult> sizes = outside(slice.getMixedSizes(), getSteps());
    SmallVector<int64_t> shape;
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    for (auto [i, size] : llvm::enumerate(sizes))
      if (i == 0 || !dropped[i - 1])
        shape.push_back(staticSize(size));
    auto type = RankedTensorType::get(shape, slice.getType().getElementType());
    setStack(slice.getResult(),
             tensor::ExtractSliceOp::create(rewriter, loc, type, source, outside(slice.getMixedOffsets(), zero),
                                            sizes, outside(slice.getMixedStrides(), one)));
  }

  /// The destination of a stacked linalg operation.
  Value stackInit(Value init, RankedTensorType type) {
    Location loc = op.getLoc();
    if (!isInvariant(init) && !isScratch(init))
      return getStack(init);
    SmallVector<OpFoldResult> sizes = getStackedSizes(init);
    Value empty = tensor::EmptyOp::create(rewriter, loc, sizes, type.getElementType());
    if (init.getDefiningOp<tensor::EmptyOp>())
      return empty;
    if (auto fill = init.getDefiningOp<linalg::FillOp>())
      return linalg::FillOp::create(rewriter, loc, fill.getInputs()[0], empty).getResult(0);
    return linalg::BroadcastOp::create(rewriter, loc, init, empty, ArrayRef<int64_t>{0})->getResult(0);
  }

  /// The operation with one more, outermost, parallel loop.
  void hoistLinalg(linalg::LinalgOp inner) {
    MLIRContext *context = rewriter.getContext();
    SmallVector<AffineMap> maps;
    SmallVector<Value> inputs, inits;
    SmallVector<Type> types;
    for (OpOperand &operand : inner->getOpOperands()) {
      AffineMap map = inner.getMatchingIndexingMap(&operand).shiftDims(1);
      bool isInit = inner.isDpsInit(&operand);
      Value value = operand.get();
      if (isInit) {
        value = stackInit(value, typeOf(value));
        types.push_back(value.getType());
      } else if (!isInvariant(value)) {
        value = getStack(value);
      }
      if (isInit || !isInvariant(operand.get()))
        map = map.insertResult(getAffineDimExpr(0, context), 0);
      maps.push_back(map);
      (isInit ? inits : inputs).push_back(value);
    }
    SmallVector<utils::IteratorType> iterators = {utils::IteratorType::parallel};
    llvm::append_range(iterators, inner.getIteratorTypesArray());
    auto all = linalg::GenericOp::create(rewriter, inner.getLoc(), types, inputs, inits, maps, iterators);
    rewriter.cloneRegionBefore(inner->getRegion(0), all.getRegion(), all.getRegion().begin());
    all.walk([&](linalg::IndexOp index) { index.setDim(index.getDim() + 1); });
    for (auto [value, stack] : llvm::zip(inner->getResults(), all->getResults()))
      setStack(value, stack);
  }

  /// What the rest of the body needs of the hoisted values becomes sequences.
  void addSequences() {
    SmallVector<Value> values, sequences;
    SmallVector<bool> reversed;
    for (Operation &inner : op.getBodyBlock()->without_terminator())
      if (needed.contains(&inner))
        for (Value value : inner.getResults())
          if (llvm::any_of(value.getUsers(), [&](Operation *user) {
                return !needed.contains(op.getBodyBlock()->findAncestorOpInBlock(*user));
              })) {
            SmallVector<int64_t> shape(typeOf(value).getShape());
            values.push_back(value);
            sequences.push_back(stacked.lookup(value));
            reversed.push_back(*getDirection(value));
          }
    size_t old = op.getSequences().size();
    op = appendSequences(rewriter, op, sequences, reversed);
    rewriter.setInsertionPointToStart(op.getBodyBlock());
    for (auto [value, arg] : llvm::zip(values, op.getSequenceArgs().drop_front(old))) {
      Value element = arg;
      if (element.getType() != value.getType())
        element = tensor::CastOp::create(rewriter, op.getLoc(), value.getType(), element);
      rewriter.replaceAllUsesWith(value, element);
    }
    for (Operation &inner : llvm::make_early_inc_range(llvm::reverse(*op.getBodyBlock())))
      if (needed.contains(&inner) && isOpTriviallyDead(&inner))
        rewriter.eraseOp(&inner);
  }
};
} // namespace

FailureOr<HoistResult> lstm::hoistInputProjections(RewriterBase &rewriter, RecurrenceOp op,
                                                   int64_t maxTableRows, int64_t minDepth,
                                                   bool addends, bool reductions, bool lookups) {
  OpBuilder::InsertionGuard guard(rewriter);
  moveLoopInvariantCode(op);
  unsigned projected = projectLookups(rewriter, op, maxTableRows);
  HoistResult result = Hoister(rewriter, op, minDepth, addends, reductions, lookups).run();
  result.lookups = projected;
  return result;
}

FailureOr<HoistResult> lstm::hoistInputProjections(RewriterBase &rewriter, Operation *root,
                                                   int64_t maxTableRows, int64_t minDepth,
                                                   bool addends, bool reductions, bool lookups) {
  SmallVector<RecurrenceOp> recurrences;
  root->walk([&](RecurrenceOp op) { recurrences.push_back(op); });
  HoistResult total;
  for (RecurrenceOp op : recurrences) {
    FailureOr<HoistResult> result =
        hoistInputProjections(rewriter, op, maxTableRows, minDepth, addends, reductions, lookups);
    if (failed(result))
      return failure();
    total.hoisted += result->hoisted;
    total.lookups += result->lookups;
  }
  return total;
}

namespace {
struct LSTMHoistInputProjectionsPass
    : public lstm::impl::LSTMHoistInputProjectionsPassBase<LSTMHoistInputProjectionsPass> {
  using LSTMHoistInputProjectionsPassBase::LSTMHoistInputProjectionsPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    FailureOr<HoistResult> result =
        hoistInputProjections(rewriter, getOperation(), maxTableRows, minDepth, addends, reductions, lookups);
    if (failed(result))
      return signalPassFailure();
    numHoisted += result->hoisted;
    numLookups += result->lookups;
  }
};
} // namespace
