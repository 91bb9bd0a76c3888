//===- RecurrentLoop.cpp - Loops that one kernel can run -------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecurrentLoop.h"

#include "MemoryRoots.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::lstm;

namespace {
class Matcher {
public:
  Matcher(scf::ForOp loop, scf::ForOp twin, std::string &reason) : twin(twin), reason(reason) {
    result.loop = loop;
  }

  FailureOr<RecurrentLoop> run();

private:
  LogicalResult reject(const Twine &text) {
    reason = text.str();
    return failure();
  }
  LogicalResult matchBody();
  LogicalResult matchPhase(PhaseOp op);
  LogicalResult matchRowInputs(PhaseInLoop &phase);
  LogicalResult matchRowMemory();
  LogicalResult matchRowOperation(Operation *op);
  LogicalResult addStages();
  void findParts();
  void findSumsOfSquares(MapStage &stage);
  LogicalResult matchInputs(unsigned number);
  LogicalResult matchOperands(const RowValue &value);
  LogicalResult matchProjections(unsigned number);

  struct Writer {
    unsigned phase, output;
    Value view;
  };
  /// What writes to the memory that `view` is in.
  ArrayRef<Writer> getWriters(Value view) {
    auto at = writers.find(getMemoryRoot(view));
    return at == writers.end() ? ArrayRef<Writer>() : ArrayRef<Writer>(at->second);
  }

  RecurrentLoop result;
  scf::ForOp twin;
  std::string &reason;
  llvm::MapVector<Value, SmallVector<Writer, 2>> writers;
  /// Memory of row values, with the number of the one that it holds, if there is one yet.
  DenseMap<Value, std::optional<unsigned>> rowMemory;
  /// What the memory has been set to, for a reduction to begin with.
  DenseMap<Value, TypedAttr> initials;
  /// Phases and folds as they follow each other, by their numbers.
  struct Ordered {
    bool isPhase;
    unsigned number;
  };
  SmallVector<Ordered> order;
};
} // namespace

SmallVector<SmallVector<unsigned>> RecurrentLoop::getSegments() const {
  SmallVector<SmallVector<unsigned>> segments(1);
  auto waitsFor = [&](const MapStage &stage, const MapStage &before) {
    if (stage.hasPhase && before.hasPhase)
      for (const Projection &projection : phases[stage.phase].projections)
        if (projection.exchange && !projection.isOfPreviousStep &&
            exchanges[*projection.exchange].producer == before.phase)
          return true;
    SmallVector<unsigned> folds = getFolds(getRowValuesOf(stage));
    return llvm::any_of(before.folds, [&](unsigned fold) { return llvm::is_contained(folds, fold); });
  };
  for (auto [number, stage] : llvm::enumerate(stages)) {
    if (llvm::any_of(segments.back(), [&](unsigned before) { return waitsFor(stage, stages[before]); }))
      segments.emplace_back();
    segments.back().push_back(number);
  }
  return segments;
}

SmallVector<unsigned> RecurrentLoop::getRowValuesOf(const MapStage &stage) const {
  llvm::SetVector<unsigned> needed;
  if (stage.hasPhase)
    for (std::optional<unsigned> number : phases[stage.phase].rowInputs)
      if (number)
        needed.insert(*number);
  for (unsigned fold : stage.folds)
    needed.insert_range(rowValues[fold].getRowValuesOfElements());
  return needed.takeVector();
}

SmallVector<unsigned> RecurrentLoop::getFolds(ArrayRef<unsigned> numbers) const {
  llvm::SetVector<unsigned> all(llvm::from_range, numbers);
  for (unsigned i = 0; i < all.size(); ++i)
    for (const RowOperand &operand : rowValues[all[i]].operands)
      if (operand.rowValue && (!rowValues[all[i]].isFold() || rowValues[all[i]].isSumOfSquares()))
        all.insert(*operand.rowValue);
  llvm::SetVector<unsigned> folds;
  for (unsigned number : all)
    if (rowValues[number].isFold())
      folds.insert(rowValues[number].squares.value_or(number));
  SmallVector<unsigned> inOrder = folds.takeVector();
  llvm::sort(inOrder);
  return inOrder;
}

/// Whether row 0 and unit 0 of a view are those of its memory.
static bool startsAtOrigin(Value view) {
  while (auto slice = view.getDefiningOp<memref::SubViewOp>()) {
    SmallVector<OpFoldResult> offsets = slice.getMixedOffsets();
    for (OpFoldResult offset : ArrayRef(offsets).take_back(2))
      if (!isConstantIntValue(offset, 0))
        return false;
    view = slice.getSource();
  }
  return true;
}

/// The dimension of the source that dimension `dim` of a slice lies along.
static int64_t getDimOfSource(memref::SubViewOp slice, int64_t dim) {
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  for (int64_t source = 0;; ++source)
    if (!dropped.test(source) && dim-- == 0)
      return source;
}

std::optional<ElementPlace> lstm::getElementPlace(Value view) {
  ElementPlace place{view, 0, cast<MemRefType>(view.getType()).getRank() - 1};
  if (place.unitDim == 0)
    return std::nullopt;
  for (;;) {
    if (auto cast = place.base.getDefiningOp<memref::CastOp>()) {
      place.base = cast.getSource();
      continue;
    }
    auto slice = place.base.getDefiningOp<memref::SubViewOp>();
    if (!slice)
      return place;
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    place.rowDim = getDimOfSource(slice, place.rowDim);
    place.unitDim = getDimOfSource(slice, place.unitDim);
    for (int64_t dim = 0; dim < place.rowDim; ++dim)
      place.before.push_back(slice.getMixedOffsets()[dim]);
    for (int64_t dim : {place.rowDim, place.unitDim})
      if (!isConstantIntValue(slice.getMixedOffsets()[dim], 0) ||
          !isConstantIntValue(slice.getMixedStrides()[dim], 1))
        return std::nullopt;
    for (int64_t dim = place.rowDim + 1; dim < place.unitDim; ++dim) {
      std::optional<int64_t> gate = getConstantIntValue(slice.getMixedOffsets()[dim]);
      if (!gate || !isConstantIntValue(slice.getMixedStrides()[dim], 1) || (!dropped.test(dim) && *gate != 0))
        return std::nullopt;
      if (dropped.test(dim))
        place.gate = *gate;
    }
    place.base = slice.getSource();
  }
}

bool lstm::isSlotAfter(Value view, Value count, int64_t steps) {
  auto slice = view.getDefiningOp<memref::SubViewOp>();
  if (!slice || slice.getSourceType().getDimSize(0) != 2 || !slice.isDynamicOffset(0) ||
      !startsAtOrigin(view))
    return false;
  auto apply = slice.getDynamicOffset(0).getDefiningOp<affine::AffineApplyOp>();
  if (!apply || apply.getMapOperands().size() != 1 || apply.getMapOperands()[0] != count)
    return false;
  // Canonicalization writes the map in several ways: its values tell.
  auto evaluate = [&](int64_t t) {
    SmallVector<Attribute> values;
    Attribute known = Builder(view.getContext()).getIndexAttr(t);
    bool isKnown = succeeded(apply.getAffineMap().constantFold(known, values));
    return isKnown ? cast<IntegerAttr>(values.front()).getInt() : -1;
  };
  return llvm::all_of(llvm::seq<int64_t>(8), [&](int64_t t) { return evaluate(t) == (t + steps) % 2; });
}

/// The slot of a state with two of them, relative to the step; -1: another view.
static int64_t getSlot(Value view, scf::ForOp loop) {
  for (int64_t slot : {0, 1})
    if (isSlotAfter(view, loop.getInductionVar(), slot))
      return slot;
  return -1;
}

LogicalResult Matcher::matchPhase(PhaseOp op) {
  auto type = cast<MemRefType>(op.getOuts().front().getType());
  PhaseInLoop phase{op, type.getShape().back(), {}, {}};
  if (failed(matchRowInputs(phase)))
    return failure();
  for (Value out : op.getOuts()) {
    Value root = getMemoryRoot(out);
    if (!root || rowMemory.contains(root))
      return reject("a phase writes to memory of unknown origin");
    writers[root].push_back({unsigned(result.phases.size()),
                             unsigned(llvm::find(op.getOuts(), out) - op.getOuts().begin()), out});
  }
  if (ShapedType::isDynamic(phase.units))
    return reject("the number of units is not static");
  if (!result.phases.empty()) {
    Value first = result.phases.front().op.getOuts().front();
    if (failed(verifyCompatibleDims({cast<MemRefType>(first.getType()).getDimSize(0),
                                     type.getDimSize(0)})))
      return reject("phases have different numbers of rows");
  }
  for (Operation &inner : op.getBodyBlock()->without_terminator())
    if (!isPure(&inner) || inner.getNumRegions() != 0)
      return reject("'" + inner.getName().getStringRef() + "' stands in the body of a phase");
  order.push_back({/*isPhase=*/true, unsigned(result.phases.size())});
  result.phases.push_back(phase);
  return success();
}

LogicalResult Matcher::matchRowInputs(PhaseInLoop &phase) {
  PhaseOp op = phase.op;
  phase.rowInputs.resize(op.getInputs().size());
  for (auto [i, input] : llvm::enumerate(op.getInputs())) {
    auto at = isa<MemRefType>(input.getType()) ? rowMemory.find(getMemoryRoot(input)) : rowMemory.end();
    if (at == rowMemory.end())
      continue;
    if (!at->second)
      return reject("a value of a row is read before it is made");
    const RowValue &value = result.rowValues[*at->second];
    if (op.getAxes()[i] != (value.isPerGate ? kRow | kGate : kRow) ||
        (value.isPerGate && op.getNumGates() != value.gates) || input != linalg::LinalgOp(value.op).getDpsInits()[0])
      return reject("a phase reads a value of a row as something else");
    phase.rowInputs[i] = *at->second;
  }
  return success();
}

/// Whether an operation writes to memory of row values.
static bool isRowOperation(Operation *op) { return isa<linalg::LinalgOp, memref::CopyOp>(op); }

static Value getTarget(Operation *op) {
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    return copy.getTarget();
  return cast<linalg::LinalgOp>(op).getDpsInits()[0];
}

/// Finds the memory of row values, which must be seen by the loop alone.
LogicalResult Matcher::matchRowMemory() {
  for (Operation &op : result.loop.getBody()->without_terminator()) {
    if (!isRowOperation(&op))
      continue;
    Value target = getTarget(&op);
    if (!target.getDefiningOp<memref::AllocOp>())
      return reject("'" + op.getName().getStringRef() + "' stands in the step");
    for (Operation *user : target.getUsers())
      if (!result.loop->isProperAncestor(user) && !(twin && twin->isProperAncestor(user)) &&
          !isa<memref::DeallocOp>(user))
        return reject("'" + op.getName().getStringRef() + "' writes what is used outside of the steps");
    rowMemory[target];
  }
  return success();
}

/// What all elements of `memref` are in all steps; null if it is not known.
static TypedAttr getFillOf(Value memref) {
  TypedAttr value;
  for (Operation *user : memref.getUsers()) {
    if (auto copy = dyn_cast<memref::CopyOp>(user); copy && copy.getTarget() != memref)
      continue;
    if (isa<memref::DeallocOp, memref::DimOp>(user))
      continue;
    auto fill = dyn_cast<linalg::FillOp>(user);
    if (!fill || value || !matchPattern(fill.value(), m_Constant(&value)))
      return {};
  }
  return value;
}

LogicalResult Matcher::matchRowOperation(Operation *op) {
  Value target = getTarget(op);
  if (auto copy = dyn_cast<memref::CopyOp>(op)) {
    initials[target] = getFillOf(copy.getSource());
    return success();
  }
  if (auto fill = dyn_cast<linalg::FillOp>(op)) {
    TypedAttr value;
    matchPattern(fill.value(), m_Constant(&value));
    initials[target] = value;
    return success();
  }
  bool isTooEarly = false;
  auto getRowValue = [&](Value operand) -> std::optional<unsigned> {
    auto at = isa<MemRefType>(operand.getType()) ? rowMemory.find(operand) : rowMemory.end();
    if (at == rowMemory.end())
      return std::nullopt;
    isTooEarly |= !at->second;
    return at->second;
  };
  FailureOr<RowValue> value = matchRowValue(cast<linalg::LinalgOp>(op), initials.lookup(target), getRowValue, reason);
  if (failed(value))
    return failure();
  if (isTooEarly)
    return reject("a value of a row is read before it is made");
  initials.erase(target);
  if (value->isFold())
    order.push_back({/*isPhase=*/false, unsigned(result.rowValues.size())});
  rowMemory[target] = result.rowValues.size();
  result.rowValues.push_back(*value);
  return success();
}

/// Folds join the stage before them, unless they need row values of it, or other threads.
LogicalResult Matcher::addStages() {
  for (auto [isPhase, number] : order) {
    if (isPhase) {
      result.stages.push_back({number, /*hasPhase=*/true, {}});
      continue;
    }
    const RowValue &value = result.rowValues[number];
    auto isOfUnits = [&](const PhaseInLoop &phase) { return phase.units == value.units; };
    const auto *phase = llvm::find_if(result.phases, isOfUnits);
    if (phase == result.phases.end())
      return reject("a reduction is over another number of units than a phase has");
    SmallVector<unsigned> needed = result.getFolds(value.getRowValuesOfElements());
    MapStage *last = result.stages.empty() ? nullptr : &result.stages.back();
    if (last && isOfUnits(result.phases[last->phase]) &&
        llvm::none_of(needed, [&](unsigned fold) { return llvm::is_contained(last->folds, fold); }))
      last->folds.push_back(number);
    else
      result.stages.push_back({unsigned(phase - result.phases.begin()), /*hasPhase=*/false, {number}});
  }
  for (MapStage &stage : result.stages)
    findSumsOfSquares(stage);
  return success();
}

/// The element that a fold is of without any mapping; null if it is of something else.
static Value getElement(const RowValue &value) {
  auto argument = dyn_cast<BlockArgument>(value.isSumOfSquares() ? value.element : value.mapped);
  return argument ? value.operands[argument.getArgNumber()].value : Value();
}

/// Sums of a stage that need no exchange of their own.
void Matcher::findSumsOfSquares(MapStage &stage) {
  auto isInSquares = [&](unsigned number) {
    RowValue &sum = result.rowValues[number];
    if (sum.isSumOfSquares() || !isa<arith::AddFOp>(sum.combiner) || !getElement(sum))
      return false;
    for (unsigned other : stage.folds) {
      const RowValue &squares = result.rowValues[other];
      if (squares.isSumOfSquares() && getElement(squares) == getElement(sum) &&
          std::pair(squares.gates, squares.isPerGate) == std::pair(sum.gates, sum.isPerGate))
        sum.squares = other;
    }
    return sum.squares.has_value();
  };
  llvm::erase_if(stage.folds, isInSquares);
}

LogicalResult Matcher::matchBody() {
  if (failed(matchRowMemory()))
    return failure();
  for (Operation &op : result.loop.getBody()->without_terminator()) {
    if (auto phase = dyn_cast<PhaseOp>(op)) {
      if (failed(matchPhase(phase)))
        return failure();
      continue;
    }
    if (isRowOperation(&op)) {
      if (failed(matchRowOperation(&op)))
        return failure();
      continue;
    }
    bool isView = isa<memref::SubViewOp, memref::CastOp, memref::ExpandShapeOp>(op);
    auto isMemRef = [](Type type) { return isa<BaseMemRefType>(type); };
    if (!isPure(&op) || op.getNumRegions() != 0 ||
        (!isView && llvm::any_of(op.getOperandTypes(), isMemRef)))
      return reject("'" + op.getName().getStringRef() + "' stands in the step");
  }
  if (result.phases.empty())
    return reject("there is no phase in the step");
  return success();
}

/// Elements that the loop writes have to be read by the thread that wrote them.
LogicalResult Matcher::matchInputs(unsigned number) {
  const PhaseInLoop &phase = result.phases[number];
  auto hasUnitsOf = [&](const Writer &writer) {
    return result.phases[writer.phase].units == phase.units;
  };
  auto isOwn = [&](Value view, const Writer &writer) {
    std::optional<ElementPlace> read = getElementPlace(view), written = getElementPlace(writer.view);
    return view == writer.view || (read && written && read->hasElementsOf(*written));
  };
  PhaseOp op = phase.op;
  for (auto [input, axes] : llvm::zip_equal(op.getInputs(), op.getAxes()))
    for (const Writer &writer : isa<MemRefType>(input.getType()) ? getWriters(input) : ArrayRef<Writer>())
      if ((axes & kRowUnit) != kRowUnit || !hasUnitsOf(writer) || !isOwn(input, writer))
        return reject("a phase reads what the loop writes at other places than its own");
  for (Value out : op.getOuts())
    if (!llvm::all_of(getWriters(out), hasUnitsOf))
      return reject("phases of different widths write to the same memory");
  return success();
}

/// So do those of reductions; row values have been matched in order.
LogicalResult Matcher::matchOperands(const RowValue &value) {
  for (const RowOperand &operand : value.operands) {
    if (operand.rowValue || !isa<MemRefType>(operand.value.getType()))
      continue;
    for (const Writer &writer : getWriters(operand.value)) {
      std::optional<ElementPlace> read = getElementPlace(operand.value), written = getElementPlace(writer.view);
      if (!value.isFold() || (operand.axes & kRowUnit) != kRowUnit || !read || !written ||
          !read->hasElementsOf(*written) || result.phases[writer.phase].units != value.units)
        return reject("an operation on rows reads what the loop writes at other places than its own");
    }
    if (rowMemory.contains(getMemoryRoot(operand.value)))
      return reject("an operation on rows reads a part of row values");
  }
  return success();
}

LogicalResult Matcher::matchProjections(unsigned number) {
  PhaseOp op = result.phases[number].op;
  for (auto [operand, weight] : llvm::zip_equal(op.getStates(), op.getWeights())) {
    auto type = cast<MemRefType>(operand.getType());
    auto weightType = cast<MemRefType>(weight.getType());
    if (!weightType.hasStaticShape() || weightType.getRank() != 3)
      return reject("a weight has not three static sizes");
    if (!result.loop.isDefinedOutsideOfLoop(weight) || !getWriters(weight).empty())
      return reject("a weight changes between steps");
    Type element = type.getElementType();
    if (element != weightType.getElementType() ||
        !(element.isBF16() || element.isF16() || element.isF32()) ||
        !op.getAccumulatorType().isF32())
      return reject("tensor cores have no product of such elements");

    Projection projection{operand, weight, {}, false};
    ArrayRef<Writer> sources = getWriters(operand);
    if (!sources.empty()) {
      if (sources.size() != 1)
        return reject("what a phase projects is written by several phases");
      const Writer &writer = sources.front();
      int64_t slot = getSlot(operand, result.loop), written = getSlot(writer.view, result.loop);
      bool isSame = operand == writer.view;
      if (!isSame && !(slot == 0 && written == 1))
        return reject("what a phase projects is a part of what another one writes");
      if (type.getDimSize(1) != result.phases[writer.phase].units)
        return reject("what a phase projects is a part of what another one writes");
      projection.isOfPreviousStep = !isSame || number <= writer.phase;
      unsigned exchange = 0;
      while (exchange < result.exchanges.size() &&
             (result.exchanges[exchange].producer != writer.phase ||
              result.exchanges[exchange].output != writer.output))
        ++exchange;
      if (exchange == result.exchanges.size())
        result.exchanges.push_back({writer.phase, writer.output, Value()});
      if (projection.isOfPreviousStep)
        result.exchanges[exchange].initial = operand;
      projection.exchange = exchange;
    }
    result.phases[number].projections.push_back(projection);
  }
  return success();
}

/// Phases that need each other are of one part. Each part has to be recurrent: what only follows another one, as a
/// layer without a state, is not worth blocks of its own.
void Matcher::findParts() {
  size_t count = result.phases.size();
  // Lanes that fold rows may be those of any phase with as many units.
  if (!result.rowValues.empty())
    return;
  std::vector<llvm::SmallBitVector> leadsTo(count, llvm::SmallBitVector(count));
  for (PhaseInLoop &phase : result.phases)
    for (const Projection &projection : phase.projections)
      if (projection.exchange)
        leadsTo[result.exchanges[*projection.exchange].producer].set(&phase - result.phases.begin());
  for (auto [number, phase] : llvm::enumerate(result.phases)) {
    PhaseOp op = phase.op;
    auto share = [&](Value view) {
      for (const Writer &writer : isa<MemRefType>(view.getType()) ? getWriters(view) : ArrayRef<Writer>()) {
        if (writer.phase == number)
          continue;
        leadsTo[writer.phase].set(number);
        leadsTo[number].set(writer.phase);
      }
    };
    for (Value input : op.getInputs())
      share(input);
    for (Value out : op.getOuts())
      share(out);
  }
  for (size_t through = 0; through < count; ++through)
    for (llvm::SmallBitVector &ends : leadsTo)
      if (ends.test(through))
        ends |= leadsTo[through];
  std::vector<unsigned> parts(count);
  unsigned numParts = 0;
  for (size_t i = 0; i < count; ++i) {
    if (!leadsTo[i].test(i))
      return;
    parts[i] = numParts;
    for (size_t j = 0; j < i; ++j)
      if (leadsTo[i].test(j) && leadsTo[j].test(i))
        parts[i] = parts[j];
    numParts += parts[i] == numParts;
  }
  result.numParts = numParts;
  for (auto [phase, part] : llvm::zip_equal(result.phases, parts))
    phase.part = part;
  for (const PhaseInLoop &phase : result.phases)
    for (const Projection &projection : phase.projections)
      result.hasLinkedParts |=
          projection.exchange && result.phases[result.exchanges[*projection.exchange].producer].part != phase.part;
}

FailureOr<RecurrentLoop> Matcher::run() {
  if (result.loop.getNumResults() != 0)
    return reject("the step has results");
  if (!isConstantIntValue(result.loop.getStep(), 1))
    return reject("the steps do not count by 1");
  // A chunk's end is the least of two, of which one is known before the chunks.
  result.maxSteps = result.loop.getUpperBound();
  auto chunks = result.loop->getParentOfType<scf::ForOp>();
  if (auto end = result.maxSteps.getDefiningOp<arith::MinUIOp>())
    if (chunks && chunks.isDefinedOutsideOfLoop(end.getRhs()))
      result.maxSteps = end.getRhs();
  if (failed(matchBody()))
    return failure();
  for (unsigned i = 0; i < result.phases.size(); ++i)
    if (failed(matchInputs(i)) || failed(matchProjections(i)))
      return failure();
  for (const RowValue &value : result.rowValues)
    if (failed(matchOperands(value)))
      return failure();
  if (failed(addStages()))
    return failure();
  if (result.exchanges.empty())
    return reject("no phase projects what the loop writes");
  findParts();

  Value out = result.phases.front().op.getOuts().front();
  auto type = cast<MemRefType>(out.getType());
  if (!type.isDynamicDim(0)) {
    result.rows = OpBuilder(result.loop).getIndexAttr(type.getDimSize(0));
    return result;
  }
  while (auto slice = out.getDefiningOp<memref::SubViewOp>()) {
    if (!result.loop->isProperAncestor(slice))
      break;
    result.rows = slice.getMixedSizes()[getDimOfSource(slice, 0)];
    if (auto rows = dyn_cast<Value>(result.rows); rows && result.loop.isDefinedOutsideOfLoop(rows))
      return result;
    return reject("the number of rows is computed in the loop");
  }
  if (!result.loop.isDefinedOutsideOfLoop(out))
    return reject("an output is not a slice");
  OpBuilder b(result.loop);
  result.rows = memref::getMixedSize(b, result.loop.getLoc(), out, 0);
  return result;
}

FailureOr<RecurrentLoop> lstm::matchRecurrentLoop(scf::ForOp loop, std::string &reason, scf::ForOp twin) {
  return Matcher(loop, twin, reason).run();
}

bool lstm::isForCluster(const RecurrentLoop &loop) {
  for (auto [number, phase] : llvm::enumerate(loop.phases))
    for (const Projection &projection : phase.projections)
      if (projection.exchange && projection.isOfPreviousStep &&
          number > loop.exchanges[*projection.exchange].producer)
        return false;
  for (const MapStage &stage : loop.stages) {
    const auto &projections = loop.phases[stage.phase].projections;
    if (stage.hasPhase && llvm::any_of(projections, [](const Projection &p) { return p.exchange.has_value(); }))
      break;
    if (!stage.folds.empty())
      return false;
  }
  return true;
}

bool lstm::isForSingleRows(const RecurrentLoop &loop) {
  // Lanes that fold a row's units are a part of a warp, where no others are.
  return loop.rowValues.empty() && llvm::all_of(loop.phases, [](const PhaseInLoop &phase) {
    return llvm::all_of(phase.projections, [](const Projection &projection) {
      return cast<MemRefType>(projection.weight.getType()).getElementType().isF32();
    });
  });
}

bool lstm::isForWarpGroups(const RecurrentLoop &loop) {
  return loop.rowValues.empty() && isForCluster(loop) && llvm::all_of(loop.phases, [](const PhaseInLoop &phase) {
           return llvm::all_of(phase.projections, [](const Projection &p) { return p.exchange.has_value(); });
         });
}

/// What writes to the memory of a view.
static SmallVector<Source> getWriters(const RecurrentLoop &loop, Value view) {
  SmallVector<Source> writers;
  for (auto [number, phase] : llvm::enumerate(loop.phases))
    for (auto [output, out] : llvm::enumerate(PhaseOp(phase.op).getOuts()))
      if (getMemoryRoot(out) == getMemoryRoot(view))
        writers.push_back({unsigned(number), unsigned(output), false});
  return writers;
}

bool lstm::isWritten(const RecurrentLoop &loop, Value view) { return !getWriters(loop, view).empty(); }

std::optional<Source> lstm::getSource(const RecurrentLoop &loop, unsigned number, Value view) {
  SmallVector<Source> writers = getWriters(loop, view);
  if (writers.size() != 1)
    return std::nullopt;
  Source source = writers.front();
  Value written = PhaseOp(loop.phases[source.producer].op).getOuts()[source.output];
  bool isSame = view == written;
  if (!isSame && !(getSlot(view, loop.loop) == 0 && getSlot(written, loop.loop) == 1))
    return std::nullopt;
  source.isOfPreviousStep = !isSame || number <= source.producer;
  return source;
}

std::optional<Source> lstm::getGateSource(const RecurrentLoop &loop, unsigned number, Value view, int64_t gate) {
  std::optional<Source> last;
  std::optional<ElementPlace> read = getElementPlace(view);
  for (const Source &writer : getWriters(loop, view)) {
    Value out = PhaseOp(loop.phases[writer.producer].op).getOuts()[writer.output];
    std::optional<ElementPlace> written = getElementPlace(out);
    if (writer.producer < number && read && written && written->isGateOf(*read, gate))
      last = writer;
  }
  return last;
}

bool lstm::isState(const RecurrentLoop &loop, Value view) {
  return scf::ForOp(loop.loop).isDefinedOutsideOfLoop(view) || getSlot(view, loop.loop) >= 0;
}

bool lstm::isSequence(const RecurrentLoop &loop, Value input) {
  auto type = dyn_cast<MemRefType>(input.getType());
  return type && type.getElementType().isIntOrFloat() && type.getElementTypeBitWidth() == 32 &&
         !scf::ForOp(loop.loop).isDefinedOutsideOfLoop(input) && !isWritten(loop, input);
}
