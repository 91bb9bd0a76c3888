//===- FormPhases.cpp - Gates and elementwise work to phases -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PrepareForPhases.h"
#include "ScalarBuilder.h"
#include "lstm/Dialect/LSTM/Transforms/BodyUtils.h"
#include "lstm/Dialect/LSTM/Transforms/Passes.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/IR/Remarks.h"

namespace mlir::lstm {
#define GEN_PASS_DEF_LSTMFORMPHASESPASS
#include "lstm/Dialect/LSTM/Transforms/Passes.h.inc"
} // namespace mlir::lstm

#define DEBUG_TYPE "lstm-form-phases"

using namespace mlir;
using namespace mlir::lstm;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

//===----------------------------------------------------------------------===//
// One phase
//===----------------------------------------------------------------------===//

/// A product's weight as [K, G, H].
static Value getPhaseWeight(RewriterBase &rewriter, GateOp gate, Value weight, RecurrenceOp recurrence) {
  if (typeOf(weight).getRank() == 3)
    return weight;
  OpBuilder::InsertionGuard guard(rewriter);
  if (recurrence && isDefinedOutside(weight, recurrence))
    rewriter.setInsertionPoint(recurrence);
  Location loc = gate.getLoc();
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, weight);
  sizes.insert(sizes.begin() + 1, rewriter.getIndexAttr(1));
  RankedTensorType type = typeOf(weight);
  return tensor::ExpandShapeOp::create(
      rewriter, loc, RankedTensorType::get({type.getDimSize(0), 1, type.getDimSize(1)}, type.getElementType()),
      weight, ArrayRef<ReassociationIndices>{{0}, {1, 2}}, sizes);
}

/// Makes a phase at the insertion point that computes `values`, with `product`
/// (or null) and what `isInside` names in its region.
static PhaseOp makePhase(RewriterBase &rewriter, Location loc, GateOp product, ArrayRef<Value> values,
                         llvm::function_ref<bool(Operation *)> isInside, RecurrenceOp recurrence) {
  auto block = std::make_unique<Block>();
  ScalarBuilder scalars(rewriter, block.get(), isInside);
  SmallVector<Value> states, weights;
  if (product) {
    scalars.addAccumulators(product);
    for (auto [a, w] : product.getDots()) {
      states.push_back(a);
      weights.push_back(getPhaseWeight(rewriter, product, w, recurrence));
    }
  }
  // A value [B, G, H] leaves gate by gate.
  SmallVector<Value> yielded, outs;
  for (Value value : values) {
    RankedTensorType type = typeOf(value);
    SmallVector<Value> dynamic;
    for (int64_t dim : {int64_t(0), type.getRank() - 1})
      if (type.isDynamicDim(dim))
        dynamic.push_back(getValueOrCreateConstantIndexOp(rewriter, loc, getSize(rewriter, loc, value, dim)));
    auto outType =
        RankedTensorType::get({type.getDimSize(0), type.getShape().back()}, type.getElementType());
    for (Value scalar : scalars.get(value)) {
      yielded.push_back(scalar);
      outs.push_back(tensor::EmptyOp::create(rewriter, loc, outType, dynamic));
    }
  }
  for (Value out : outs)
    block->addArgument(typeOf(out).getElementType(), loc);
  auto phase = PhaseOp::create(rewriter, loc, states, weights, scalars.getInputs(), scalars.getAxes(), outs);
  phase.getBody().push_back(block.release());
  OpBuilder atEnd = OpBuilder::atBlockEnd(phase.getBodyBlock());
  YieldOp::create(atEnd, loc, yielded, ValueRange(), ValueRange());
  return phase;
}

//===----------------------------------------------------------------------===//
// Which phase an operation belongs to
//===----------------------------------------------------------------------===//

namespace {
/// A phase to be: its position among all, and what it holds.
struct Cluster {
  GateOp product; // or null
  /// The product, or the first operation found: its rows and units are the phase's.
  Operation *anchor;
  SmallVector<Operation *> members = {};
};

/// Distributes the operations of a body over phases.
///
/// Each product has a level: 1, or one more than the level of the phase that
/// makes its operand. Scalar work has the level of its latest operand, and
/// belongs to the phase that makes it. Operations that no phase can hold run
/// between levels. So the number of levels, and of phases, is minimal: a phase
/// is begun only where a product needs what the phase before has finished.
class PhasePlan {
public:
  explicit PhasePlan(RecurrenceOp op) : body(op.getBodyBlock()) {
    for (Operation &inner : body->without_terminator())
      place(&inner);
    for (Operation &inner : llvm::reverse(body->without_terminator()))
      if (places.contains(&inner) && places[&inner].cluster < 0 && places[&inner].level > 0)
        settle(&inner);
    for (Operation &inner : body->without_terminator())
      if (auto it = places.find(&inner); it != places.end() && it->second.level > 0)
        levels[it->second.level][it->second.cluster].members.push_back(&inner);
  }

  /// The phases, in the order in which they run.
  SmallVector<Cluster *> getClusters() {
    SmallVector<Cluster *> all;
    for (auto &[level, clusters] : levels)
      for (Cluster &cluster : clusters)
        all.push_back(&cluster);
    return all;
  }

  /// Scalar work on sequence elements and initial values alone is done wherever
  /// it is needed, and views are looked through.
  bool isDoneAnywhere(Operation *op) {
    auto it = places.find(op);
    return views.contains(op) || (it != places.end() && it->second.level == 0);
  }

private:
  /// cluster < 0: not yet known.
  struct Place {
    int level = 0, cluster = -1;
  };
  Block *body;
  DenseMap<Operation *, Place> places;    // products and scalar work
  DenseMap<Operation *, int> finished;    // others: the level after which they run
  SmallPtrSet<Operation *, 16> views;     // those of the others that phases look through
  std::map<int, SmallVector<Cluster>> levels;

  /// The level at which scalar work may read `value`.
  int readableAt(Value value) {
    Operation *op = value.getDefiningOp();
    if (auto it = places.find(op); op && it != places.end())
      return it->second.level;
    if (auto it = finished.find(op); op && it != finished.end())
      return it->second == 0 ? 0 : it->second + 1;
    return 0;
  }

  /// The level at which a product may read all of `value`.
  int inMemoryAt(Value value) {
    Operation *op = value.getDefiningOp();
    if (op && places.contains(op))
      return places[op].level + 1;
    return readableAt(value);
  }

  bool isNeededInMemory(Operation *op) {
    return llvm::any_of(op->getResults(), [&](Value value) {
      return llvm::any_of(value.getUsers(), [&](Operation *user) {
        Operation *ancestor = body->findAncestorOpInBlock(*user);
        return ancestor != user || (!isProduct(user) && !isScalarWork(user)) ||
               llvm::is_contained(getMaterialOperands(user), value);
      });
    });
  }

  /// A slice, cast or repetition of what no phase makes: where it is needed in
  /// memory it stays as it is.
  bool isView(Operation *op) {
    return isa<tensor::ExtractSliceOp, tensor::CastOp, tensor::SplatOp, linalg::FillOp, linalg::BroadcastOp,
               arith::ConstantOp>(op) &&
           isScalarWork(op) && llvm::none_of(getElementOperands(op), [&](Value value) {
             return value.getDefiningOp() && places.contains(value.getDefiningOp());
           });
  }

  void place(Operation *op) {
    bool product = isProduct(op);
    if (isView(op))
      views.insert(op);
    if (views.contains(op) || (!product && !isScalarWork(op))) {
      int after = 0;
      op->walk([&](Operation *nested) {
        for (Value operand : nested->getOperands()) {
          Operation *producer = operand.getDefiningOp();
          if (!producer || producer->getBlock() != body)
            continue;
          after = std::max(after, places.contains(producer) ? places[producer].level : finished[producer]);
        }
      });
      finished[op] = after;
      return;
    }
    Place place;
    SmallVector<Value> elements = getElementOperands(op);
    for (Value value : elements)
      place.level = std::max(place.level, readableAt(value));
    for (Value value : getMaterialOperands(op))
      place.level = std::max(place.level, inMemoryAt(value));
    if (place.level == 0 && (product || isNeededInMemory(op)))
      place.level = 1;
    if (product) {
      SmallVector<Cluster> &clusters = levels[place.level];
      place.cluster = clusters.size();
      clusters.push_back({cast<GateOp>(op), op});
    } else if (place.level > 0) {
      for (Value value : elements)
        if (auto it = places.find(value.getDefiningOp());
            value.getDefiningOp() && it != places.end() && it->second.level == place.level)
          place.cluster = std::max(place.cluster, it->second.cluster);
    }
    places[op] = place;
  }

  /// Finds a phase for scalar work that depends on no other of its level: that
  /// of its users, else any over the same rows and units, else one of its own.
  void settle(Operation *op) {
    Place &place = places[op];
    for (Operation *user : op->getUsers())
      if (auto it = places.find(user); it != places.end() && it->second.level == place.level)
        place.cluster = place.cluster < 0 ? it->second.cluster : std::min(place.cluster, it->second.cluster);
    if (place.cluster >= 0)
      return;
    SmallVector<Cluster> &clusters = levels[place.level];
    auto typeOfResult = [](Operation *other) { return typeOf(other->getResult(0)); };
    for (auto [i, cluster] : llvm::enumerate(clusters)) {
      RankedTensorType mine = typeOfResult(op), other = typeOfResult(cluster.anchor);
      if (!ShapedType::isDynamic(mine.getShape().back()) && mine.getShape().back() == other.getShape().back() &&
          mine.getDimSize(0) == other.getDimSize(0)) {
        place.cluster = i;
        return;
      }
    }
    place.cluster = clusters.size();
    clusters.push_back({GateOp(), op});
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// A body
//===----------------------------------------------------------------------===//

FailureOr<unsigned> lstm::formPhases(RewriterBase &rewriter, RecurrenceOp op) {
  OpBuilder::InsertionGuard guard(rewriter);
  prepareForPhases(rewriter, op);
  Block *body = op.getBodyBlock();
  PhasePlan plan(op);
  DenseMap<Value, Value> made;
  unsigned count = 0;
  for (Cluster *cluster : plan.getClusters()) {
    SmallPtrSet<Operation *, 32> members(cluster->members.begin(), cluster->members.end());
    auto isInside = [&](Operation *inner) { return members.contains(inner) || plan.isDoneAnywhere(inner); };
    // What leaves the phase: what others than its own scalar work use.
    SmallVector<Value> values;
    for (Operation *member : cluster->members)
      for (Value value : member->getResults())
        if (llvm::any_of(value.getUsers(), [&](Operation *user) {
              return !members.contains(user) || llvm::is_contained(getMaterialOperands(user), value);
            }))
          values.push_back(value);
    if (values.empty())
      continue;
    rewriter.setInsertionPoint(op.getYield());
    Location loc = values.back().getLoc();
    PhaseOp phase = makePhase(rewriter, loc, cluster->product, values, isInside, op);
    unsigned result = 0;
    for (Value value : values) {
      if (typeOf(value).getRank() == 2) {
        made[value] = phase.getResult(result++);
        continue;
      }
      // Another phase reads [B, G, H]: put it together.
      int64_t gates = typeOf(value).getDimSize(1);
      made[value] = stackGates(rewriter, value, phase.getResults().slice(result, gates));
      result += gates;
    }
    ++count;
    remark::passed(loc, remark::RemarkOpts::name("FormPhases").category(DEBUG_TYPE))
        << remark::add("phase with {0} products and {1} results", phase.getStates().size(),
                       phase.getNumResults());
  }
  for (auto [value, result] : made)
    rewriter.replaceAllUsesWith(value, result);
  for (Operation &inner : llvm::make_early_inc_range(llvm::reverse(*body)))
    if (isOpTriviallyDead(&inner))
      rewriter.eraseOp(&inner);
  sortTopologically(body);
  return count;
}

FailureOr<PhaseOp> lstm::gateToPhase(RewriterBase &rewriter, GateOp gate) {
  OpBuilder::InsertionGuard guard(rewriter);
  if (gate.getResultType().getRank() == 3)
    if (FailureOr<Value> view = widenGate(rewriter, gate); succeeded(view))
      gate = view->getDefiningOp<tensor::ExpandShapeOp>().getSrc().getDefiningOp<GateOp>();
  rewriter.setInsertionPoint(gate);
  auto isInside = [&](Operation *op) { return op == gate; };
  PhaseOp phase = makePhase(rewriter, gate.getLoc(), isProduct(gate) ? gate : GateOp(), gate.getResult(),
                            isInside, RecurrenceOp());
  if (gate.getResultType().getRank() == 2) {
    rewriter.replaceOp(gate, phase.getResult(0));
    return phase;
  }
  rewriter.replaceOp(gate, stackGates(rewriter, gate.getResult(), phase.getResults()));
  return phase;
}

FailureOr<unsigned> lstm::formPhases(RewriterBase &rewriter, Operation *root, bool includeFunctions) {
  unsigned total = 0;
  SmallVector<RecurrenceOp> recurrences;
  root->walk([&](RecurrenceOp op) { recurrences.push_back(op); });
  for (RecurrenceOp op : recurrences) {
    FailureOr<unsigned> count = formPhases(rewriter, op);
    if (failed(count))
      return failure();
    total += *count;
  }
  if (!includeFunctions)
    return total;
  SmallVector<GateOp> gates;
  root->walk([&](GateOp gate) { gates.push_back(gate); });
  for (GateOp gate : gates)
    total += succeeded(gateToPhase(rewriter, gate));
  return total;
}

namespace {
struct LSTMFormPhasesPass : public lstm::impl::LSTMFormPhasesPassBase<LSTMFormPhasesPass> {
  using LSTMFormPhasesPassBase::LSTMFormPhasesPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    FailureOr<unsigned> count = formPhases(rewriter, getOperation(), includeFunctions);
    if (failed(count))
      return signalPassFailure();
    numPhases += *count;
  }
};
} // namespace
