//===- RecurrenceOp.cpp - lstm.recurrence: assembly, verification, interfaces -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpAssembly.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::lstm;

RankedTensorType RecurrenceOp::getElementOf(Type stacked) {
  auto type = cast<RankedTensorType>(stacked);
  return RankedTensorType::get(type.getShape().drop_front(), type.getElementType());
}

static int64_t numDirections(RecurrenceOp op) {
  return op.getSequences().size() + op.getInitArgs().size() + op.getOuts().size();
}

void RecurrenceOp::build(OpBuilder &builder, OperationState &state, ValueRange sequences,
                         ValueRange initArgs, Value lengths, Value steps, ValueRange outs,
                         ArrayRef<bool> reversed, ArrayRef<bool> unmasked) {
  state.addOperands(sequences);
  state.addOperands(initArgs);
  if (lengths)
    state.addOperands(lengths);
  if (steps)
    state.addOperands(steps);
  state.addOperands(outs);
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.operandSegmentSizes = {int32_t(sequences.size()), int32_t(initArgs.size()),
                                    int32_t(bool(lengths)), int32_t(bool(steps)),
                                    int32_t(outs.size())};
  SmallVector<bool> none(sequences.size() + initArgs.size() + outs.size(), false);
  properties.reversed = builder.getDenseBoolArrayAttr(reversed.empty() ? ArrayRef(none) : reversed);
  properties.unmasked = builder.getDenseBoolArrayAttr(
      unmasked.empty() ? ArrayRef(none).take_front(initArgs.size()) : unmasked);
  state.addTypes(outs.getTypes());
  state.addTypes(initArgs.getTypes());
  Block &body = state.addRegion()->emplaceBlock();
  for (Type type : sequences.getTypes())
    body.addArgument(getElementOf(type), state.location);
  for (Type type : initArgs.getTypes())
    body.addArgument(type, state.location);
}

LogicalResult RecurrenceOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                             ValueRange operands, DictionaryAttr,
                                             OpaqueProperties properties, RegionRange,
                                             SmallVectorImpl<Type> &types) {
  ArrayRef<int32_t> sizes = properties.as<Properties *>()->operandSegmentSizes;
  llvm::append_range(types, operands.take_back(sizes[4]).getTypes());
  llvm::append_range(types, operands.slice(sizes[0], sizes[1]).getTypes());
  return success();
}

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

namespace {
/// One clause `name(prefix %arg = %operand, … : types)`.
struct Bindings {
  SmallVector<OpAsmParser::Argument> args;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> types;
  SmallVector<bool> reversed, unmasked;
};
} // namespace

/// Parses a clause if its keyword stands there. `binds` tells whether operands
/// have region arguments.
static ParseResult parseClause(OpAsmParser &parser, StringRef keyword, bool binds, bool masks,
                               Bindings &into) {
  if (failed(parser.parseOptionalKeyword(keyword)))
    return success();
  auto parseOne = [&]() -> ParseResult {
    into.unmasked.push_back(masks && succeeded(parser.parseOptionalKeyword("unmasked")));
    into.reversed.push_back(succeeded(parser.parseOptionalKeyword("reverse")));
    if (binds && (parser.parseArgument(into.args.emplace_back()) || parser.parseEqual()))
      return failure();
    return parser.parseOperand(into.operands.emplace_back());
  };
  return failure(parser.parseLParen() || parser.parseCommaSeparatedList(parseOne) ||
                 parser.parseColonTypeList(into.types) || parser.parseRParen());
}

// recurrence ::= `lstm.recurrence` over? init? (`lengths` `(` len `:` type `)`)?
//                (`steps` `(` n `:` `index` `)`)? `reverse`? outs? (`attributes` dict)? region
ParseResult RecurrenceOp::parse(OpAsmParser &parser, OperationState &result) {
  Bindings sequences, states, outs;
  OpAsmParser::UnresolvedOperand lengths, steps;
  Type lengthsType, stepsType;
  SMLoc loc = parser.getCurrentLocation();
  if (parseClause(parser, "over", true, false, sequences) ||
      parseClause(parser, "init", true, true, states))
    return failure();
  auto parseSingle = [&](StringRef keyword, OpAsmParser::UnresolvedOperand &operand, Type &type) {
    if (failed(parser.parseOptionalKeyword(keyword)))
      return success();
    return LogicalResult(failure(parser.parseLParen() || parser.parseOperand(operand) ||
                                 parser.parseColonType(type) || parser.parseRParen()));
  };
  if (failed(parseSingle("lengths", lengths, lengthsType)) ||
      failed(parseSingle("steps", steps, stepsType)))
    return failure();
  bool reverse = succeeded(parser.parseOptionalKeyword("reverse"));
  if (parseClause(parser, "outs", false, false, outs))
    return failure();

  Builder &builder = parser.getBuilder();
  SMLoc operandLoc = loc;
  if (sequences.types.size() != sequences.operands.size() ||
      states.types.size() != states.operands.size() || outs.types.size() != outs.operands.size())
    return parser.emitError(loc, "expected one type for each operand of a clause");
  if (parser.resolveOperands(sequences.operands, sequences.types, operandLoc, result.operands) ||
      parser.resolveOperands(states.operands, states.types, operandLoc, result.operands) ||
      (lengthsType && parser.resolveOperand(lengths, lengthsType, result.operands)) ||
      (stepsType && parser.resolveOperand(steps, stepsType, result.operands)) ||
      parser.resolveOperands(outs.operands, outs.types, operandLoc, result.operands))
    return failure();
  for (auto [arg, type] : llvm::zip(sequences.args, sequences.types)) {
    auto sequence = dyn_cast<RankedTensorType>(type);
    if (!sequence || sequence.getRank() == 0)
      return parser.emitError(loc, "expected a sequence of type tensor<T x ...>, but got ") << type;
    arg.type = getElementOf(sequence);
  }
  for (auto [arg, type] : llvm::zip(states.args, states.types))
    arg.type = type;

  Properties &properties = result.getOrAddProperties<Properties>();
  properties.operandSegmentSizes = {
      int32_t(sequences.operands.size()), int32_t(states.operands.size()),
      int32_t(bool(lengthsType)), int32_t(bool(stepsType)), int32_t(outs.operands.size())};
  SmallVector<bool> reversed;
  for (const Bindings *group : {&sequences, &states, &outs})
    for (bool flag : group->reversed)
      reversed.push_back(flag || reverse);
  properties.reversed = builder.getDenseBoolArrayAttr(reversed);
  properties.unmasked = builder.getDenseBoolArrayAttr(states.unmasked);
  result.addTypes(outs.types);
  result.addTypes(states.types);
  SmallVector<OpAsmParser::Argument> args = std::move(sequences.args);
  llvm::append_range(args, states.args);
  return failure(parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
                 parser.parseRegion(*result.addRegion(), args));
}

void RecurrenceOp::print(OpAsmPrinter &printer) {
  bool allReversed = numDirections(*this) > 0 && llvm::all_of(getReversed(), [](bool r) { return r; });
  unsigned direction = 0;
  auto printClause = [&](StringRef keyword, ValueRange args, ValueRange operands,
                         ArrayRef<bool> unmasked) {
    if (operands.empty())
      return;
    printer << " " << keyword << "(";
    llvm::interleaveComma(llvm::seq<size_t>(0, operands.size()), printer, [&](size_t i) {
      if (!unmasked.empty() && unmasked[i])
        printer << "unmasked ";
      if (getReversed()[direction++] && !allReversed)
        printer << "reverse ";
      if (!args.empty())
        printer << args[i] << " = ";
      printer << operands[i];
    });
    printer << " : " << operands.getTypes() << ")";
  };
  printClause("over", getSequenceArgs(), getSequences(), {});
  printClause("init", getRegionIterArgs(), getInitArgs(), getUnmasked());
  if (Value lengths = getLengths())
    printer << " lengths(" << lengths << " : " << lengths.getType() << ")";
  if (Value steps = getSteps())
    printer << " steps(" << steps << " : " << steps.getType() << ")";
  if (allReversed)
    printer << " reverse";
  printClause("outs", {}, getOuts(), {});
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {getOperandSegmentSizesAttrName(), getReversedAttrName(), getUnmaskedAttrName()});
  printer << " ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

void RecurrenceOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  for (BlockArgument arg : region.getArguments())
    setName(arg, arg.getArgNumber() < getSequences().size() ? "x" : "s");
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

namespace {
/// Compares sizes that must be equal, and remembers the first static one.
struct SizeCheck {
  RecurrenceOp op;
  StringRef what, label;
  int64_t known = ShapedType::kDynamic;
  std::string knownFrom = {};

  LogicalResult add(int64_t size, const Twine &from) {
    if (ShapedType::isDynamic(size))
      return success();
    if (ShapedType::isDynamic(known)) {
      known = size;
      knownFrom = from.str();
      return success();
    }
    if (size == known)
      return success();
    return op.emitOpError() << "expects " << from << " to have " << what << " " << known << " as "
                            << knownFrom << ", but got " << size << " (" << label << ")";
  }
};
} // namespace

static std::string numbered(StringRef kind, size_t i) { return (kind + " #" + Twine(i)).str(); }

LogicalResult RecurrenceOp::verify() {
  if (getSequences().empty() == !getSteps())
    return emitOpError() << "expects either 'over' or 'steps', but got "
                         << (getSteps() ? "both" : "neither") << " (recurrence_c1)";
  if (int64_t(getReversed().size()) != numDirections(*this))
    return emitOpError() << "expects 'reversed' to have " << numDirections(*this)
                         << " elements, one for each sequence, state and output, but got "
                         << getReversed().size() << " (recurrence_c2)";
  if (getUnmasked().size() != getInitArgs().size())
    return emitOpError() << "expects 'unmasked' to have " << getInitArgs().size()
                         << " elements, one for each state, but got " << getUnmasked().size()
                         << " (recurrence_c2)";
  auto expectTimeAxis = [&](ValueRange values, StringRef kind) -> LogicalResult {
    for (auto [i, value] : llvm::enumerate(values))
      if (cast<RankedTensorType>(value.getType()).getRank() == 0)
        return emitOpError() << "expects " << kind << " #" << i << " to have a time axis, but got "
                             << value.getType() << " (recurrence_c3)";
    return success();
  };
  if (failed(expectTimeAxis(getSequences(), "sequence")) ||
      failed(expectTimeAxis(getOuts(), "output")))
    return failure();

  auto lengthsType = getLengths() ? cast<RankedTensorType>(getLengths().getType()) : RankedTensorType();
  if (lengthsType && (lengthsType.getRank() != 1 || !lengthsType.getElementType().isInteger(32)))
    return emitOpError() << "expects 'lengths' to be tensor<B x i32>, but got " << lengthsType
                         << " (recurrence_c4)";

  SizeCheck time{*this, "time size", "recurrence_c5"}, batch{*this, "batch", "recurrence_c6"};
  if (lengthsType && failed(batch.add(lengthsType.getDimSize(0), "'lengths'")))
    return failure();
  for (auto [i, value] : llvm::enumerate(getSequences())) {
    auto type = cast<RankedTensorType>(value.getType());
    if (failed(time.add(type.getDimSize(0), numbered("sequence", i))) ||
        (type.getRank() > 1 && failed(batch.add(type.getDimSize(1), numbered("sequence", i)))))
      return failure();
  }
  if (std::optional<int64_t> steps = getSteps() ? getConstantIntValue(getSteps()) : std::nullopt) {
    if (*steps < 0)
      return emitOpError() << "expects 'steps' to be at least 0, but got " << *steps
                           << " (recurrence_c1)";
    if (failed(time.add(*steps, "'steps'")))
      return failure();
  }
  for (auto [i, value] : llvm::enumerate(getInitArgs())) {
    if (isStateUnmasked(i))
      continue;
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (lengthsType && (!type || type.getRank() == 0))
      return emitOpError() << "expects state #" << i
                           << " to be a tensor with a batch dimension, or 'unmasked', since there "
                              "are 'lengths', but got "
                           << value.getType() << " (recurrence_c7)";
    if (type && type.getRank() > 0 && failed(batch.add(type.getDimSize(0), numbered("state", i))))
      return failure();
  }
  for (auto [i, value] : llvm::enumerate(getOuts())) {
    auto type = cast<RankedTensorType>(value.getType());
    if (failed(time.add(type.getDimSize(0), numbered("output", i))))
      return failure();
    if (!lengthsType)
      continue;
    if (type.getRank() < 2)
      return emitOpError() << "expects output #" << i
                           << " to have a batch dimension, since there are 'lengths', but got "
                           << type << " (recurrence_c7)";
    if (failed(batch.add(type.getDimSize(1), numbered("output", i))))
      return failure();
  }
  DenseIntElementsAttr constant;
  if (getLengths() && matchPattern(getLengths(), m_Constant(&constant)) &&
      !ShapedType::isDynamic(time.known))
    for (auto [row, value] : llvm::enumerate(constant.getValues<APInt>()))
      if (value.getSExtValue() < 0 || value.getSExtValue() > time.known)
        return emitOpError() << "expects lengths[" << row << "] to be in 0..." << time.known
                             << ", but got " << value.getSExtValue() << " (recurrence_c8)";
  return success();
}

LogicalResult RecurrenceOp::verifyRegions() {
  size_t numArgs = getSequences().size() + getInitArgs().size();
  if (getBody().getNumArguments() != numArgs)
    return emitOpError() << "expects " << numArgs
                         << " region arguments, one for each sequence and state, but got "
                         << getBody().getNumArguments() << " (recurrence_c9)";
  for (auto [i, arg] : llvm::enumerate(getSequenceArgs()))
    if (arg.getType() != getElementOf(getSequences()[i].getType()))
      return emitOpError() << "expects region argument #" << i << " to have type "
                           << getElementOf(getSequences()[i].getType()) << ", but got "
                           << arg.getType() << " (recurrence_c9)";
  for (auto [i, arg] : llvm::enumerate(getRegionIterArgs()))
    if (arg.getType() != getInitArgs()[i].getType())
      return emitOpError() << "expects region argument #" << getSequences().size() + i
                           << " to have the type " << getInitArgs()[i].getType()
                           << " of its state, but got " << arg.getType() << " (recurrence_c9)";
  auto yield = getBodyBlock()->empty() ? YieldOp() : dyn_cast<YieldOp>(getBodyBlock()->back());
  if (!yield || !yield.getScalars().empty())
    return emitOpError("expects its body to end with 'lstm.yield state(...) out(...)' (recurrence_c10)");
  if (yield.getState().size() != getInitArgs().size())
    return emitOpError() << "expects its body to yield " << getInitArgs().size()
                         << " states, but got " << yield.getState().size() << " (recurrence_c10)";
  if (yield.getOutputs().size() != getOuts().size())
    return emitOpError() << "expects its body to yield " << getOuts().size() << " outputs, but got "
                         << yield.getOutputs().size() << " (recurrence_c10)";
  for (auto [i, pair] : llvm::enumerate(llvm::zip(yield.getState(), getInitArgs()))) {
    auto [next, init] = pair;
    if (next.getType() != init.getType())
      return emitOpError() << "expects state #" << i << " to be yielded as " << init.getType()
                           << ", but got " << next.getType() << " (recurrence_c11)";
  }
  for (auto [i, pair] : llvm::enumerate(llvm::zip(yield.getOutputs(), getOuts()))) {
    auto [step, out] = pair;
    if (step.getType() != getElementOf(out.getType()))
      return emitOpError() << "expects output #" << i << " to be yielded as "
                           << getElementOf(out.getType()) << ", but got " << step.getType()
                           << " (recurrence_c11)";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Interfaces and accessors
//===----------------------------------------------------------------------===//

YieldOp RecurrenceOp::getYield() { return cast<YieldOp>(getBodyBlock()->getTerminator()); }

bool RecurrenceOp::isUniform() { return llvm::all_equal(getReversed()); }

int64_t RecurrenceOp::getStaticSteps() {
  for (ValueRange group : {ValueRange(getSequences()), ValueRange(getOuts())})
    for (Value value : group)
      if (int64_t size = cast<RankedTensorType>(value.getType()).getDimSize(0);
          !ShapedType::isDynamic(size))
        return size;
  if (getSteps())
    return getConstantIntValue(getSteps()).value_or(ShapedType::kDynamic);
  return ShapedType::kDynamic;
}

int64_t RecurrenceOp::getStaticBatch() {
  auto known = [](Value value, int64_t dim) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && type.getRank() > dim ? type.getDimSize(dim) : ShapedType::kDynamic;
  };
  if (getLengths())
    if (int64_t size = known(getLengths(), 0); !ShapedType::isDynamic(size))
      return size;
  for (Value value : getSequences())
    if (int64_t size = known(value, 1); !ShapedType::isDynamic(size))
      return size;
  for (auto [i, value] : llvm::enumerate(getInitArgs()))
    if (int64_t size = known(value, 0); !isStateUnmasked(i) && !ShapedType::isDynamic(size))
      return size;
  return ShapedType::kDynamic;
}

OpFoldResult RecurrenceOp::getMixedSteps(OpBuilder &builder) {
  if (int64_t steps = getStaticSteps(); !ShapedType::isDynamic(steps))
    return builder.getIndexAttr(steps);
  if (getSteps())
    return getSteps();
  return tensor::getMixedSize(builder, getLoc(), getSequences()[0], 0);
}

SmallVector<Region *> RecurrenceOp::getLoopRegions() { return {&getBody()}; }

MutableArrayRef<OpOperand> RecurrenceOp::getInitsMutable() {
  return (*this)->getOpOperands().slice(getSequences().size(), getInitArgs().size());
}

std::optional<ResultRange> RecurrenceOp::getLoopResults() { return getFinals(); }

std::optional<MutableArrayRef<OpOperand>> RecurrenceOp::getYieldedValuesMutable() {
  YieldOp yield = getYield();
  return yield->getOpOperands().slice(yield.getScalars().size(), yield.getState().size());
}

OperandRange RecurrenceOp::getEntrySuccessorOperands(RegionSuccessor) { return getInitArgs(); }

void RecurrenceOp::getSuccessorRegions(RegionBranchPoint, SmallVectorImpl<RegionSuccessor> &regions) {
  // T may be 0, so the body may be skipped.
  regions.push_back(RegionSuccessor(&getBody(), getRegionIterArgs()));
  regions.push_back(RegionSuccessor(getOperation(), getFinals()));
}

LogicalResult RecurrenceOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &shapes) {
  for (Value out : getOuts())
    shapes.push_back(tensor::getMixedSizes(builder, getLoc(), out));
  for (Value init : getInitArgs())
    if (isa<RankedTensorType>(init.getType()))
      shapes.push_back(tensor::getMixedSizes(builder, getLoc(), init));
    else
      shapes.emplace_back();
  return success();
}
