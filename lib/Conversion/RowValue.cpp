//===- RowValue.cpp - Values of rows in loops ------------------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowValue.h"

#include "lstm/Dialect/LSTM/IR/LSTM.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::lstm;

/// The arguments of a body that `value` depends on.
static void collectArguments(Value value, Block *body, llvm::SetVector<BlockArgument> &arguments) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() == body)
      arguments.insert(argument);
    return;
  }
  Operation *op = value.getDefiningOp();
  if (op->getBlock() == body)
    for (Value operand : op->getOperands())
      collectArguments(operand, body, arguments);
}

SmallVector<unsigned> RowValue::getRowValuesOf(Value value) const {
  llvm::SetVector<BlockArgument> arguments;
  collectArguments(value, linalg::LinalgOp(op).getBlock(), arguments);
  SmallVector<unsigned> rowValues;
  for (BlockArgument argument : arguments)
    if (argument.getArgNumber() < operands.size())
      if (std::optional<unsigned> number = operands[argument.getArgNumber()].rowValue)
        rowValues.push_back(*number);
  return rowValues;
}

namespace {
class Matcher {
public:
  Matcher(linalg::LinalgOp op, TypedAttr initial, std::string &reason)
      : op(op), reason(reason), body(op.getBlock()) {
    result.op = op;
    result.initial = initial;
  }

  FailureOr<RowValue> run(function_ref<std::optional<unsigned>(Value)> getRowValue);

private:
  LogicalResult reject(const Twine &text) {
    reason = text.str();
    return failure();
  }
  LogicalResult matchAxes();
  LogicalResult matchBody();
  LogicalResult matchFold();
  void matchSquares();
  /// Whether `value` is the same for all units of a row.
  bool isOfRow(Value value) const;
  /// The axes of an operand; none if they are no such thing, or in another order.
  std::optional<int32_t> getAxes(AffineMap map) const;

  linalg::LinalgOp op;
  std::string &reason;
  Block *body;
  /// Dimensions of the iteration: row, gate, unit; -1: there is none.
  int64_t row = -1, gate = -1, unit = -1;
  RowValue result;
};
} // namespace

std::optional<int32_t> Matcher::getAxes(AffineMap map) const {
  int32_t axes = 0, last = 8;
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim)
      return std::nullopt;
    int64_t position = dim.getPosition();
    int32_t axis = position == row ? kRow : position == gate ? kGate : kUnit;
    if (axis >= last)
      return std::nullopt;
    axes |= last = axis;
  }
  return axes;
}

LogicalResult Matcher::matchAxes() {
  if (op.getNumDpsInits() != 1)
    return reject("an operation on rows has several results");
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap out = maps.back();
  unsigned loops = op.getNumLoops();
  if (!out.isProjectedPermutation() || out.getNumResults() == 0 || out.getNumResults() > 2 || loops > 3)
    return reject("an operation on rows has a result that is not [row] or [row, gate]");
  row = out.getDimPosition(0);
  result.isPerGate = out.getNumResults() == 2;
  if (result.isPerGate)
    gate = out.getDimPosition(1);
  // What is folded is [row, unit] or [row, gate, unit].
  for (AffineMap map : maps)
    if (map.getNumResults() == loops && map.isProjectedPermutation() && out.getNumResults() < loops) {
      unit = map.getDimPosition(loops - 1);
      if (loops == 3)
        gate = map.getDimPosition(1);
    }
  if (out.getNumResults() < loops && unit < 0)
    return reject("a reduction is over something else than units, or gates and units, of elements");

  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  if (gate >= 0)
    result.gates = sizes[gate];
  if (unit >= 0)
    result.units = sizes[unit];
  if (ShapedType::isDynamic(result.gates) || ShapedType::isDynamic(result.units))
    return reject("a reduction is over a number of units that is not static");
  for (OpOperand *operand : op.getDpsInputOperands()) {
    std::optional<int32_t> axes = getAxes(op.getMatchingIndexingMap(operand));
    if (!axes)
      return reject("a reduction reads elements in another order than row, gate, unit");
    result.operands.push_back({operand->get(), *axes, std::nullopt});
  }
  if (getAxes(out) != (result.isPerGate ? kRow | kGate : kRow))
    return reject("an operation on rows has a result that is not [row] or [row, gate]");
  return success();
}

LogicalResult Matcher::matchBody() {
  for (Operation &inner : body->without_terminator())
    if (!isPure(&inner) || inner.getNumRegions() != 0 || isa<linalg::IndexOp>(inner))
      return reject("'" + inner.getName().getStringRef() + "' stands in the body of an operation on rows");
  Value yielded = body->getTerminator()->getOperand(0);
  if (!yielded.getType().isF32())
    return reject("a value of a row is not f32");
  result.mapped = yielded;
  if (unit >= 0)
    return matchFold();
  llvm::SetVector<BlockArgument> arguments;
  collectArguments(yielded, body, arguments);
  if (arguments.contains(body->getArguments().back()))
    return reject("a value of a row is made of what it was before");
  return success();
}

LogicalResult Matcher::matchFold() {
  Operation *combiner = result.mapped.getDefiningOp();
  if (!combiner || combiner->getBlock() != body ||
      !isa<arith::AddFOp, arith::MulFOp, arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
           arith::MinNumFOp>(combiner))
    return reject("a reduction combines by something else than a sum, a product, a maximum or a minimum");
  BlockArgument old = body->getArguments().back();
  if (combiner->getOperand(0) != old && combiner->getOperand(1) != old)
    return reject("a reduction combines something else than what it was before");
  result.combiner = combiner;
  result.mapped = combiner->getOperand(combiner->getOperand(0) == old ? 1 : 0);
  llvm::SetVector<BlockArgument> arguments;
  collectArguments(result.mapped, body, arguments);
  if (arguments.contains(old))
    return reject("a reduction combines something else than what it was before");
  if (!result.initial)
    return reject("a reduction does not begin with a constant");
  matchSquares();
  return success();
}

bool Matcher::isOfRow(Value value) const {
  llvm::SetVector<BlockArgument> arguments;
  collectArguments(value, body, arguments);
  return llvm::all_of(arguments, [&](BlockArgument argument) {
    const RowOperand &operand = result.operands[argument.getArgNumber()];
    return !(operand.axes & kUnit) && (result.isPerGate || !(operand.axes & kGate));
  });
}

/// A variance as the mean of squared distances from a mean.
void Matcher::matchSquares() {
  auto square = result.mapped.getDefiningOp<arith::MulFOp>();
  if (!isa<arith::AddFOp>(result.combiner) || !square || square.getLhs() != square.getRhs())
    return;
  auto difference = square.getLhs().getDefiningOp<arith::SubFOp>();
  if (!difference || difference->getBlock() != body)
    return;
  Value element = difference.getLhs(), center = difference.getRhs();
  if (isOfRow(element))
    std::swap(element, center);
  if (!isOfRow(center) || result.getRowValuesOf(center).empty() || !result.getRowValuesOf(element).empty())
    return;
  result.element = element;
  result.center = center;
}

FailureOr<RowValue> Matcher::run(function_ref<std::optional<unsigned>(Value)> getRowValue) {
  if (failed(matchAxes()))
    return failure();
  for (RowOperand &operand : result.operands)
    operand.rowValue = getRowValue(operand.value);
  if (failed(matchBody()))
    return failure();
  return result;
}

FailureOr<RowValue> lstm::matchRowValue(linalg::LinalgOp op, TypedAttr initial,
                                        function_ref<std::optional<unsigned>(Value)> getRowValue,
                                        std::string &reason) {
  return Matcher(op, initial, reason).run(getRowValue);
}
