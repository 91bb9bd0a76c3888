//===- RaggedSteps.cpp - Steps in which no row lives ----------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RaggedSteps.h"

#include "MemoryRoots.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::lstm;

/// Whether `time` is the number of the step, or, if the loop runs backwards, that of the last one less it.
static std::optional<bool> isForwardTime(const RecurrentLoop &loop, Value time) {
  if (auto cast = time.getDefiningOp<arith::IndexCastOp>())
    time = cast.getIn();
  Value count = scf::ForOp(loop.loop).getInductionVar();
  if (time == count)
    return true;
  auto apply = time.getDefiningOp<affine::AffineApplyOp>();
  if (!apply)
    return std::nullopt;
  // Canonicalization writes the map in several ways: its values tell.
  for (int64_t steps : {5, 8, 13})
    for (int64_t t : {0, 1, 4}) {
      Builder b(time.getContext());
      std::optional<int64_t> known = getConstantIntValue(loop.maxSteps);
      SmallVector<Attribute> operands, values;
      for (Value operand : apply.getMapOperands()) {
        if (operand != count && operand != loop.maxSteps)
          return std::nullopt;
        operands.push_back(b.getIndexAttr(operand == count ? t : steps));
      }
      if (failed(apply.getAffineMap().constantFold(operands, values)) ||
          cast<IntegerAttr>(values.front()).getInt() != known.value_or(steps) - 1 - t)
        return std::nullopt;
    }
  return false;
}

/// Whether nobody but the loop uses memory, so that what a step leaves there is for that step alone, unless it is read
/// before it is written.
static bool isOfLoop(const RecurrentLoop &loop, Value memory) {
  return llvm::all_of(memory.getUsers(), [&](Operation *user) {
    if (scf::ForOp(loop.loop)->isProperAncestor(user) || isa<memref::DeallocOp, memref::DimOp>(user))
      return true;
    return isa<ViewLikeOpInterface>(user) && isOfLoop(loop, user->getResult(0));
  });
}

namespace {
class Matcher {
public:
  Matcher(const RecurrentLoop &loop) : loop(loop) {}
  bool matchPhase(unsigned number);
  bool isReadBefore(unsigned number, unsigned output, Value root);
  bool keepsStates();
  std::optional<RaggedSteps> result;

private:
  bool matchMask(PhaseOp op, Value condition);
  std::optional<EndedResult> matchEnded(PhaseOp op, unsigned output, Value ended);
  const RecurrentLoop &loop;
};
} // namespace

/// The operand that an argument of a phase's body stands for, if it has no gates; null if it is something else.
static Value getOperand(PhaseOp op, Value scalar) {
  for (auto [i, input] : llvm::enumerate(op.getInputs()))
    if (!(isa<MemRefType>(input.getType()) && op.getAxes()[i] & kGate) &&
        scalar == op.getBody().getArgument(op.getInputArgumentIndex(i)))
      return input;
  return {};
}

/// t < lengths[r].
bool Matcher::matchMask(PhaseOp op, Value condition) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::slt)
    return false;
  Value time = getOperand(op, compare.getLhs()), lengths = getOperand(op, compare.getRhs());
  auto type = lengths ? dyn_cast<MemRefType>(lengths.getType()) : MemRefType();
  if (!time || !type || type.getRank() != 1 || !type.getElementType().isInteger(32) ||
      !scf::ForOp(loop.loop).isDefinedOutsideOfLoop(lengths) || isWritten(loop, lengths))
    return false;
  std::optional<bool> isForward = isForwardTime(loop, time);
  if (!isForward)
    return false;
  if (!result) {
    result.emplace();
    result->lengths = lengths;
    result->isForward = *isForward;
  }
  return result->lengths == lengths && result->isForward == *isForward;
}

std::optional<EndedResult> Matcher::matchEnded(PhaseOp op, unsigned output, Value ended) {
  EndedResult found;
  // What is there stays.
  if (ended == op.getOutArgument(output))
    return found;
  if (matchPattern(ended, m_Constant(&found.constant)))
    return found;
  // A state that is written once stays for all later steps, an output of each step does not.
  found.state = getOperand(op, ended);
  if (!found.state || !isa<MemRefType>(found.state.getType()) || !isState(loop, found.state) ||
      cast<MemRefType>(found.state.getType()).getRank() != 2 || !isState(loop, op.getOuts()[output]))
    return std::nullopt;
  return found;
}

/// Whether what rows keep that have ended is what a step before has left: all that writes there is masked.
bool Matcher::keepsStates() {
  for (const auto &[place, ended] : result->results)
    for (auto [number, phase] : llvm::enumerate(loop.phases))
      for (auto [i, out] : llvm::enumerate(PhaseOp(phase.op).getOuts()))
        if (ended.state && getMemoryRoot(out) == getMemoryRoot(ended.state) &&
            !result->results.contains({unsigned(number), unsigned(i)}))
          return false;
  return true;
}

/// Whether a step reads memory that a phase writes before that, or as it does.
bool Matcher::isReadBefore(unsigned number, unsigned output, Value root) {
  PhaseOp writer = loop.phases[number].op;
  auto isOf = [&](Value operand) { return isa<MemRefType>(operand.getType()) && getMemoryRoot(operand) == root; };
  for (unsigned before = 0; before <= number; ++before) {
    PhaseOp op = loop.phases[before].op;
    if (llvm::any_of(op.getInputs(), isOf) || llvm::any_of(op.getStates(), isOf))
      return true;
  }
  for (const RowValue &value : loop.rowValues)
    if (value.op->isBeforeInBlock(writer) &&
        llvm::any_of(value.operands, [&](const RowOperand &operand) { return operand.value && isOf(operand.value); }))
      return true;
  return !writer.getOutArgument(output).use_empty();
}

bool Matcher::matchPhase(unsigned number) {
  PhaseOp op = loop.phases[number].op;
  for (auto [i, out, value] : llvm::enumerate(op.getOuts(), op.getYield().getScalars())) {
    auto select = value.getDefiningOp<arith::SelectOp>();
    if (!select || !matchMask(op, select.getCondition())) {
      Value root = getMemoryRoot(out);
      if (!root || !root.getDefiningOp<memref::AllocOp>() || !isOfLoop(loop, root) || isReadBefore(number, i, root))
        return false;
      continue;
    }
    std::optional<EndedResult> ended = matchEnded(op, i, select.getFalseValue());
    if (!ended)
      return false;
    result->results[{number, unsigned(i)}] = *ended;
  }
  return true;
}

static std::optional<RaggedSteps> findRaggedSteps(const RecurrentLoop &loop,
                                                  function_ref<bool(const PhaseInLoop &)> isOf) {
  Matcher matcher(loop);
  for (auto [number, phase] : llvm::enumerate(loop.phases))
    if (isOf(phase) && !matcher.matchPhase(number))
      return std::nullopt;
  if (matcher.result && !matcher.keepsStates())
    return std::nullopt;
  return matcher.result;
}

RaggedParts lstm::findRaggedParts(const RecurrentLoop &loop) {
  RaggedParts found;
  found.all = findRaggedSteps(loop, [](const PhaseInLoop &) { return true; });
  for (unsigned part : llvm::seq(loop.numParts))
    found.parts.push_back(findRaggedSteps(loop, [&](const PhaseInLoop &phase) { return phase.part == part; }));
  return found;
}
