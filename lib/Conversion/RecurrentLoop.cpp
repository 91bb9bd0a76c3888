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
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::lstm;

namespace {
class Matcher {
public:
  Matcher(scf::ForOp loop, std::string &reason) : reason(reason) { result.loop = loop; }

  FailureOr<RecurrentLoop> run();

private:
  LogicalResult reject(const Twine &text) {
    reason = text.str();
    return failure();
  }
  LogicalResult matchBody();
  LogicalResult matchPhase(PhaseOp op);
  LogicalResult matchInputs(unsigned number);
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
  std::string &reason;
  llvm::MapVector<Value, SmallVector<Writer, 2>> writers;
};
} // namespace

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

/// The slot of a state with two of them, relative to the step; -1: another view.
static int64_t getSlot(Value view, scf::ForOp loop) {
  auto slice = view.getDefiningOp<memref::SubViewOp>();
  if (!slice || slice.getSourceType().getDimSize(0) != 2 || !slice.isDynamicOffset(0) ||
      !startsAtOrigin(view))
    return -1;
  auto apply = slice.getDynamicOffset(0).getDefiningOp<affine::AffineApplyOp>();
  if (!apply || apply.getMapOperands().size() != 1 ||
      apply.getMapOperands()[0] != loop.getInductionVar())
    return -1;
  // Canonicalization writes the map in several ways: its values tell.
  auto evaluate = [&](int64_t t) {
    SmallVector<Attribute> values;
    Attribute count = Builder(loop.getContext()).getIndexAttr(t);
    bool isKnown = succeeded(apply.getAffineMap().constantFold(count, values));
    return isKnown ? cast<IntegerAttr>(values.front()).getInt() : -1;
  };
  for (int64_t slot : {0, 1})
    if (llvm::all_of(llvm::seq<int64_t>(8), [&](int64_t t) { return evaluate(t) == (t + slot) % 2; }))
      return slot;
  return -1;
}

LogicalResult Matcher::matchPhase(PhaseOp op) {
  auto type = cast<MemRefType>(op.getOuts().front().getType());
  PhaseInLoop phase{op, type.getShape().back(), {}};
  for (Value out : op.getOuts()) {
    Value root = getMemoryRoot(out);
    if (!root)
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
  result.phases.push_back(phase);
  return success();
}

LogicalResult Matcher::matchBody() {
  for (Operation &op : result.loop.getBody()->without_terminator()) {
    if (auto phase = dyn_cast<PhaseOp>(op)) {
      if (failed(matchPhase(phase)))
        return failure();
      continue;
    }
    bool isView = isa<memref::SubViewOp, memref::CastOp>(op);
    auto isMemRef = [](Type type) { return isa<BaseMemRefType>(type); };
    if (!isPure(&op) || op.getNumRegions() != 0 ||
        (!isView && llvm::any_of(op.getOperandTypes(), isMemRef)))
      return reject("'" + op.getName().getStringRef() + "' stands in the step");
  }
  return success(!result.phases.empty());
}

/// Elements that the loop writes have to be read by the thread that wrote them.
LogicalResult Matcher::matchInputs(unsigned number) {
  const PhaseInLoop &phase = result.phases[number];
  auto hasUnitsOf = [&](const Writer &writer) {
    return result.phases[writer.phase].units == phase.units;
  };
  auto isOwn = [&](Value view, const Writer &writer) {
    return view == writer.view || (startsAtOrigin(view) && startsAtOrigin(writer.view));
  };
  PhaseOp op = phase.op;
  for (auto [input, axes] : llvm::zip_equal(op.getInputs(), op.getAxes()))
    for (const Writer &writer : isa<MemRefType>(input.getType()) ? getWriters(input) : ArrayRef<Writer>())
      if (axes != (kRow | kUnit) || !hasUnitsOf(writer) || !isOwn(input, writer))
        return reject("a phase reads what the loop writes at other places than its own");
  for (Value out : op.getOuts())
    if (!llvm::all_of(getWriters(out), hasUnitsOf))
      return reject("phases of different widths write to the same memory");
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
  if (result.exchanges.empty())
    return reject("no phase projects what the loop writes");

  Value out = result.phases.front().op.getOuts().front();
  auto type = cast<MemRefType>(out.getType());
  if (!type.isDynamicDim(0)) {
    result.rows = OpBuilder(result.loop).getIndexAttr(type.getDimSize(0));
    return result;
  }
  while (auto slice = out.getDefiningOp<memref::SubViewOp>()) {
    if (!result.loop->isProperAncestor(slice))
      break;
    // The two last dimensions of every view are rows and units.
    result.rows = slice.getMixedSizes()[slice.getSourceType().getRank() - 2];
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

FailureOr<RecurrentLoop> lstm::matchRecurrentLoop(scf::ForOp loop, std::string &reason) {
  return Matcher(loop, reason).run();
}

bool lstm::isForCluster(const RecurrentLoop &loop) {
  for (auto [number, phase] : llvm::enumerate(loop.phases))
    for (const Projection &projection : phase.projections)
      if (projection.exchange && projection.isOfPreviousStep &&
          number > loop.exchanges[*projection.exchange].producer)
        return false;
  return true;
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

bool lstm::isSequence(const RecurrentLoop &loop, Value input) {
  auto type = dyn_cast<MemRefType>(input.getType());
  return type && type.getElementType().isIntOrFloat() && type.getElementTypeBitWidth() == 32 &&
         !scf::ForOp(loop.loop).isDefinedOutsideOfLoop(input) && !isWritten(loop, input);
}
