//===- GenerateChecks.cpp - Run-time checks of sizes and lengths -----------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sizes are traced to where they come from (a state's batch to that of its
// initial value, a gate's to that of its operands), so that a check of what the
// body does stands in front of the loop, and needs none where the origins agree.
//
//===----------------------------------------------------------------------===//

#include "lstm/Dialect/LSTM/Transforms/Passes.h"
#include "lstm/Dialect/LSTM/Transforms/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/Support/FormatVariadic.h"

namespace mlir::lstm {
#define GEN_PASS_DEF_LSTMGENERATECHECKSPASS
#include "lstm/Dialect/LSTM/Transforms/Passes.h.inc"
} // namespace mlir::lstm

using namespace mlir;
using namespace mlir::lstm;

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

namespace {
/// A constant, a dimension of a tensor, or a value of type index.
struct Size {
  static Size constant(int64_t value) { return {Value(), value}; }
  static Size of(Value index) { return {index, -1}; }

  Value source;
  /// The constant, the dimension, or -1 for a value of type index.
  int64_t number;

  bool isConstant() const { return !source; }
  std::pair<const void *, int64_t> getKey() const { return {source.getAsOpaquePointer(), number}; }
};

/// Tensors or values that must have a size in common, with what they are called.
struct Group {
  struct Member {
    std::string name;
    Size size;
  };
  std::string role;
  SmallVector<Member> members;

  void add(const llvm::Twine &name, Value v, int64_t dim) {
    if (v)
      members.push_back({name.str(), {v, dim}});
  }
};
} // namespace

static std::optional<Size> fromFoldResult(OpFoldResult size) {
  if (std::optional<int64_t> value = getConstantIntValue(size))
    return Size::constant(*value);
  return Size::of(cast<Value>(size));
}

/// The size of a result as the operation's own shape reification gives it.
static std::optional<Size> getReified(OpResult result, int64_t dim) {
  auto op = dyn_cast<ReifyRankedShapedTypeOpInterface>(result.getOwner());
  if (!op)
    return std::nullopt;
  OpBuilder b(op);
  Operation *before = op->getPrevNode();
  ReifiedRankedShapedTypeDims shapes;
  std::optional<Size> size;
  LogicalResult reified = op.reifyResultShapes(b, shapes);
  SmallVector<Operation *> created;
  for (Operation *it = op->getPrevNode(); it != before; it = it->getPrevNode())
    created.push_back(it);
  if (succeeded(reified)) {
    size = fromFoldResult(shapes[result.getResultNumber()][dim]);
    if (!size->isConstant()) {
      Operation *def = size->source.getDefiningOp();
      auto source = dyn_cast_if_present<tensor::DimOp>(def);
      if (source && source.getConstantIndex())
        size = Size{source.getSource(), *source.getConstantIndex()};
      else if (llvm::is_contained(created, def))
        size = std::nullopt;
    }
  }
  for (Operation *it : created)
    if (it->use_empty())
      it->erase();
  return size;
}

/// What `size` is taken from, if anything.
static std::optional<Size> getOrigin(Size size) {
  auto [source, dim] = size;
  if (size.isConstant())
    return std::nullopt;
  if (dim < 0) {
    if (std::optional<int64_t> value = getConstantIntValue(source))
      return Size::constant(*value);
    if (auto op = source.getDefiningOp<tensor::DimOp>(); op && op.getConstantIndex())
      return Size{op.getSource(), *op.getConstantIndex()};
    return std::nullopt;
  }
  auto type = dyn_cast<RankedTensorType>(source.getType());
  if (!type || dim >= type.getRank())
    return std::nullopt;
  if (!type.isDynamicDim(dim))
    return Size::constant(type.getDimSize(dim));

  if (auto arg = dyn_cast<BlockArgument>(source)) {
    auto recurrence = dyn_cast<RecurrenceOp>(arg.getOwner()->getParentOp());
    if (!recurrence)
      return std::nullopt;
    unsigned i = arg.getArgNumber(), numSequences = recurrence.getSequences().size();
    if (i < numSequences)
      return Size{recurrence.getSequences()[i], dim + 1};
    return Size{recurrence.getInitArgs()[i - numSequences], dim};
  }
  auto result = cast<OpResult>(source);
  Operation *op = result.getOwner();
  if (auto recurrence = dyn_cast<RecurrenceOp>(op)) {
    unsigned i = result.getResultNumber(), numOuts = recurrence.getOuts().size();
    return Size{i < numOuts ? recurrence.getOuts()[i] : recurrence.getInitArgs()[i - numOuts], dim};
  }
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return Size::of(empty.getDynamicSize(dim));
  if (auto cast = dyn_cast<tensor::CastOp>(op)) {
    if (isa<RankedTensorType>(cast.getSource().getType()))
      return Size{cast.getSource(), dim};
    return std::nullopt;
  }
  if (auto destinationStyle = dyn_cast<DestinationStyleOpInterface>(op))
    return Size{destinationStyle.getTiedOpOperand(result)->get(), dim};
  if (OpTrait::hasElementwiseMappableTraits(op)) {
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        return Size{operand, dim};
    return std::nullopt;
  }
  return getReified(result, dim);
}

static Size trace(Size size) {
  while (std::optional<Size> origin = getOrigin(size))
    size = *origin;
  return size;
}

//===----------------------------------------------------------------------===//
// What must agree
//===----------------------------------------------------------------------===//

static int64_t rankOf(Value v) { return cast<RankedTensorType>(v.getType()).getRank(); }

static SmallVector<Group> getGroups(GateOp op) {
  Group batch{"batch", {}}, units{"number of units", {}};
  SmallVector<Group> groups;
  RankedTensorType type = op.getResultType();
  if (!type.isDynamicDim(0))
    batch.members.push_back({"the result", Size::constant(type.getDimSize(0))});
  if (!type.isDynamicDim(type.getRank() - 1))
    units.members.push_back({"the result", Size::constant(type.getShape().back())});
  for (auto [i, dot] : llvm::enumerate(op.getDots())) {
    std::string number = std::to_string(i);
    auto [a, weight] = dot;
    Group inputs{"number of inputs", {}};
    inputs.add("the left side of dot #" + number, a, 1);
    inputs.add("the weight of dot #" + number, weight, 0);
    groups.push_back(inputs);
    batch.add("the left side of dot #" + number, a, 0);
    units.add("the weight of dot #" + number, weight, rankOf(weight) - 1);
  }
  auto addElementwise = [&](const llvm::Twine &name, Value v, bool isScaled) {
    if (isScaled || rankOf(v) == type.getRank())
      batch.add(name, v, 0);
    units.add(name, v, rankOf(v) - 1);
  };
  for (auto [i, scale] : llvm::enumerate(op.getScales())) {
    addElementwise("the left side of scale #" + llvm::Twine(i), scale.first, true);
    addElementwise("the right side of scale #" + llvm::Twine(i), scale.second, false);
  }
  for (auto [i, v] : llvm::enumerate(op.getAddends()))
    addElementwise("add #" + llvm::Twine(i), v, false);
  groups.push_back(batch);
  groups.push_back(units);
  return groups;
}

static SmallVector<Group> getGroups(CellOp op) {
  Group batch{"batch", {}}, inputs{"number of inputs", {}}, states{"state size", {}},
      units{"number of units", {}};
  batch.add("'input'", op.getInput(), 0);
  batch.add("'state'", op.getState(), 0);
  batch.add("'cell'", op.getCell(), 0);
  inputs.add("'input'", op.getInput(), 1);
  inputs.add("the input weight", op.getInputWeight(), 0);
  units.add("'cell'", op.getCell(), 1);
  units.add("the input weight", op.getInputWeight(), 2);
  units.add("the state weight", op.getStateWeight(), 2);
  units.add("'bias'", op.getBias(), 1);
  units.add("'peephole'", op.getPeephole(), 1);
  units.add("'projection'", op.getProjection(), 0);
  Group &stateSize = op.getProjection() ? states : units;
  stateSize.add("'state'", op.getState(), 1);
  stateSize.add("the state weight", op.getStateWeight(), 0);
  states.add("'projection'", op.getProjection(), 1);
  return {batch, inputs, states, units};
}

/// Of a GRU or RNN cell: the state has as many units as the weights.
template <typename CellT>
static SmallVector<Group> getPlainGroups(CellT op, Value recurrentBias) {
  Group batch{"batch", {}}, inputs{"number of inputs", {}}, units{"number of units", {}};
  batch.add("'input'", op.getInput(), 0);
  batch.add("'state'", op.getState(), 0);
  inputs.add("'input'", op.getInput(), 1);
  inputs.add("the input weight", op.getInputWeight(), 0);
  units.add("'state'", op.getState(), 1);
  units.add("the input weight", op.getInputWeight(), rankOf(op.getInputWeight()) - 1);
  units.add("the state weight", op.getStateWeight(), 0);
  units.add("the state weight", op.getStateWeight(), rankOf(op.getStateWeight()) - 1);
  if (Value bias = op.getBias())
    units.add("'bias'", bias, rankOf(bias) - 1);
  units.add("'recurrent_bias'", recurrentBias, 1);
  return {batch, inputs, units};
}

static SmallVector<Group> getGroups(PhaseOp op) {
  // On memrefs everything has been checked.
  if (op->getNumResults() == 0)
    return {};
  Group rows{"number of rows", {}}, units{"number of units", {}};
  SmallVector<Group> groups;
  for (auto [i, state] : llvm::enumerate(op.getStates())) {
    Value weight = op.getWeights()[i];
    Group inputs{"number of inputs", {}};
    inputs.add("state #" + llvm::Twine(i), state, 1);
    WeightLayout layout = WeightLayout::get(cast<ShapedType>(weight.getType()));
    inputs.add("weight #" + llvm::Twine(i), weight, layout.depthDim);
    groups.push_back(inputs);
    rows.add("state #" + llvm::Twine(i), state, 0);
    if (!layout.isPacked())
      units.add("weight #" + llvm::Twine(i), weight, 2);
  }
  for (auto [i, out] : llvm::enumerate(op.getOuts())) {
    rows.add("output #" + llvm::Twine(i), out, 0);
    units.add("output #" + llvm::Twine(i), out, 1);
  }
  for (auto [i, input] : llvm::enumerate(op.getInputs())) {
    int32_t axes = op.getAxes()[i];
    if (axes & kRow)
      rows.add("input #" + llvm::Twine(i), input, 0);
    if (axes & kUnit)
      units.add("input #" + llvm::Twine(i), input, rankOfAxes(axes) - 1);
  }
  groups.push_back(rows);
  groups.push_back(units);
  return groups;
}

static SmallVector<Group> getGroups(RecurrenceOp op) {
  Group steps{"number of steps", {}}, batch{"batch", {}};
  for (auto [i, v] : llvm::enumerate(op.getSequences())) {
    steps.add("sequence #" + llvm::Twine(i), v, 0);
    if (rankOf(v) > 1)
      batch.add("sequence #" + llvm::Twine(i), v, 1);
  }
  for (auto [i, v] : llvm::enumerate(op.getInitArgs()))
    if (auto type = dyn_cast<RankedTensorType>(v.getType());
        type && type.getRank() > 0 && !op.isStateUnmasked(i))
      batch.add("state #" + llvm::Twine(i), v, 0);
  batch.add("'lengths'", op.getLengths(), 0);
  for (auto [i, v] : llvm::enumerate(op.getOuts())) {
    steps.add("output #" + llvm::Twine(i), v, 0);
    if (op.getLengths() && rankOf(v) > 1)
      batch.add("output #" + llvm::Twine(i), v, 1);
  }
  steps.add("'steps'", op.getSteps(), -1);
  return {steps, batch};
}

/// What a step yields against where it goes.
static SmallVector<Group> getYieldGroups(RecurrenceOp op) {
  SmallVector<Group> groups;
  YieldOp yield = op.getYield();
  auto add = [&](const llvm::Twine &name, Value from, Value to, int64_t firstDim) {
    auto type = dyn_cast<RankedTensorType>(from.getType());
    for (int64_t dim = 0; type && dim < type.getRank(); ++dim) {
      Group group{("size of dimension #" + llvm::Twine(dim)).str(), {}};
      group.add(name, to, dim + firstDim);
      group.add("the next value of " + name, from, dim);
      groups.push_back(group);
    }
  };
  for (auto [i, v] : llvm::enumerate(yield.getState()))
    add("state #" + llvm::Twine(i), v, op.getInitArgs()[i], 0);
  for (auto [i, v] : llvm::enumerate(yield.getOutputs()))
    add("output #" + llvm::Twine(i), v, op.getOuts()[i], 1);
  return groups;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

namespace {
class CheckGenerator {
public:
  explicit CheckGenerator(RewriterBase &rewriter) : rewriter(rewriter) {}

  /// For `root` and all operations in it.
  void generateNested(Operation *root);
  unsigned getNumChecks() const { return numChecks; }

private:
  void generate(Operation *op);
  void checkGroups(Operation *op, Operation *at, ArrayRef<Group> groups);
  void checkEqual(Operation *op, Operation *at, const Group &group,
                  const Group::Member &expected, const Group::Member &actual);
  void checkSteps(RecurrenceOp op);
  void checkLengths(RecurrenceOp op);

  /// The outermost place for a check that `at` needs of these values: in front of
  /// the recurrences around `at` that they do not depend on, and at the start of
  /// the function if it depends on arguments alone.
  void setInsertionPoint(Operation *at, ArrayRef<Value> values);
  Value materialize(Location loc, Size size);
  void emit(Operation *op, Value condition, const llvm::Twine &message, ValueRange values);

  RewriterBase &rewriter;
  unsigned numChecks = 0;
  /// What is known to be equal in a block.
  llvm::DenseMap<Block *, llvm::EquivalenceClasses<std::pair<const void *, int64_t>>> known;
  /// What stood at the start of a function before the first check there.
  llvm::DenseMap<Block *, Operation *> starts;
};
} // namespace

void CheckGenerator::setInsertionPoint(Operation *at, ArrayRef<Value> values) {
  while (auto recurrence = dyn_cast<RecurrenceOp>(at->getParentOp())) {
    if (llvm::any_of(values, [&](Value v) {
          return v && recurrence.getBody().isAncestor(v.getParentRegion());
        }))
      break;
    at = recurrence;
  }
  Block *block = at->getBlock();
  bool isEntry = isa<FunctionOpInterface>(block->getParentOp()) && block->isEntryBlock();
  if (isEntry && llvm::all_of(values, [](Value v) { return !v || isa<BlockArgument>(v); }))
    at = starts.try_emplace(block, &block->front()).first->second;
  rewriter.setInsertionPoint(at);
}

Value CheckGenerator::materialize(Location loc, Size size) {
  if (size.isConstant())
    return arith::ConstantIndexOp::create(rewriter, loc, size.number);
  if (size.number < 0)
    return size.source;
  return tensor::DimOp::create(rewriter, loc, size.source, size.number);
}

void CheckGenerator::emit(Operation *op, Value condition, const llvm::Twine &message,
                          ValueRange values) {
  CheckOp::create(rewriter, op->getLoc(), condition,
                  rewriter.getStringAttr("'" + op->getName().getStringRef() + "' op " + message),
                  values);
  ++numChecks;
}

void CheckGenerator::checkEqual(Operation *op, Operation *at, const Group &group,
                                const Group::Member &expected, const Group::Member &actual) {
  Size a = trace(expected.size), b = trace(actual.size);
  if (a.getKey() == b.getKey())
    return;
  setInsertionPoint(at, {a.source, b.source});
  auto &equal = known[rewriter.getInsertionBlock()];
  if (equal.isEquivalent(a.getKey(), b.getKey()))
    return;
  equal.unionSets(a.getKey(), b.getKey());
  Location loc = op->getLoc();
  Value want = materialize(loc, a), have = materialize(loc, b);
  Value same = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq, want, have);
  emit(op, same, "expects " + actual.name + " to have " + group.role + " {0}, but got {1}",
       {want, have});
}

void CheckGenerator::checkGroups(Operation *op, Operation *at, ArrayRef<Group> groups) {
  for (const Group &group : groups) {
    if (group.members.empty())
      continue;
    // A size that is known says what is expected.
    const Group::Member *expected = llvm::find_if(
        group.members, [](const Group::Member &m) { return trace(m.size).isConstant(); });
    if (expected == group.members.end())
      expected = group.members.begin();
    for (const Group::Member &member : group.members)
      if (&member != expected)
        checkEqual(op, at, group, *expected, member);
  }
}

void CheckGenerator::checkSteps(RecurrenceOp op) {
  if (!op.getSteps())
    return;
  // A dimension of a tensor, or a constant that the verifier has seen.
  Size steps = trace(Size::of(op.getSteps()));
  if (steps.isConstant() || steps.number >= 0)
    return;
  setInsertionPoint(op, {steps.source});
  Value zero = arith::ConstantIndexOp::create(rewriter, op.getLoc(), 0);
  Value ok = arith::CmpIOp::create(rewriter, op.getLoc(), arith::CmpIPredicate::sge, steps.source,
                                   zero);
  emit(op, ok, "expects 'steps' to be 0 or more, but got {0}", {steps.source});
}

void CheckGenerator::checkLengths(RecurrenceOp op) {
  Value lengths = op.getLengths();
  if (!lengths)
    return;
  Location loc = op.getLoc();
  Size steps;
  if (!op.getSequences().empty())
    steps = trace({op.getSequences()[0], 0});
  else
    steps = trace(Size::of(op.getSteps()));
  setInsertionPoint(op, {lengths, steps.source});
  Value number = materialize(loc, steps);
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  Value rows = materialize(loc, trace({lengths, 0}));
  auto loop = scf::ForOp::create(rewriter, loc, zero, rows, one);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(loop.getBody());
  Value row = loop.getInductionVar();
  Value length = tensor::ExtractOp::create(rewriter, loc, lengths, row);
  length = arith::IndexCastOp::create(rewriter, loc, rewriter.getIndexType(), length);
  // A negative length is a huge one without a sign.
  Value ok = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ule, length, number);
  emit(op, ok, "expects lengths[{0}] to be in 0...{1}, but got {2}", {row, number, length});
}

void CheckGenerator::generate(Operation *op) {
  OpBuilder::InsertionGuard guard(rewriter);
  if (auto recurrence = dyn_cast<RecurrenceOp>(op)) {
    checkGroups(op, op, getGroups(recurrence));
    checkSteps(recurrence);
    checkLengths(recurrence);
    checkGroups(op, recurrence.getYield(), getYieldGroups(recurrence));
  } else if (auto gate = dyn_cast<GateOp>(op)) {
    checkGroups(op, op, getGroups(gate));
  } else if (auto cell = dyn_cast<CellOp>(op)) {
    checkGroups(op, op, getGroups(cell));
  } else if (auto cell = dyn_cast<GRUCellOp>(op)) {
    checkGroups(op, op, getPlainGroups(cell, cell.getRecurrentBias()));
  } else if (auto cell = dyn_cast<RNNCellOp>(op)) {
    checkGroups(op, op, getPlainGroups(cell, Value()));
  } else if (auto phase = dyn_cast<PhaseOp>(op)) {
    checkGroups(op, op, getGroups(phase));
  }
}

void CheckGenerator::generateNested(Operation *root) {
  SmallVector<Operation *> ops;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa_and_nonnull<LSTMDialect>(op->getDialect()))
      ops.push_back(op);
  });
  for (Operation *op : ops)
    generate(op);
}

unsigned lstm::generateChecks(RewriterBase &rewriter, RecurrenceOp op) {
  CheckGenerator generator(rewriter);
  generator.generateNested(op);
  return generator.getNumChecks();
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct LSTMGenerateChecksPass
    : public lstm::impl::LSTMGenerateChecksPassBase<LSTMGenerateChecksPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    CheckGenerator generator(rewriter);
    generator.generateNested(getOperation());
    numChecks += generator.getNumChecks();
  }
};
} // namespace
