//===- ScanOp.cpp - Assembly and verification of lstm.scan -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/Dialect/LSTM/IR/LSTM.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::lstm;

static bool isTensor(Value value) { return isa<RankedTensorType>(value.getType()); }

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

Type ScanOp::getSliceType(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasRank() || shaped.getRank() == 0)
    return {};
  ArrayRef<int64_t> shape = shaped.getShape().drop_front();
  if (isa<RankedTensorType>(type))
    return RankedTensorType::get(shape, shaped.getElementType());
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref || !memref.isStrided())
    return {};
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(memref.getStridesAndOffset(strides, offset)))
    return {};
  // The step is not known, so neither is the offset.
  auto layout = StridedLayoutAttr::get(type.getContext(), ShapedType::kDynamic, ArrayRef(strides).drop_front());
  return MemRefType::get(shape, memref.getElementType(), layout, memref.getMemorySpace());
}

// Also asked while an operation that is not valid is printed.
SmallVector<ScanOp::Source> ScanOp::getSources() {
  ArrayRef<bool> reversed = getReversed();
  auto isReversed = [&](size_t i) { return i < reversed.size() && reversed[i]; };
  size_t flag = 0;
  SmallVector<Source> sources;
  for (Value sequence : getSequences())
    sources.push_back({sequence, Source::Sequence, isReversed(flag++)});
  for (auto [state, twoSlots] : llvm::zip(getStates(), getTwoSlots())) {
    sources.push_back({state, twoSlots ? Source::StateRead : Source::StateInPlace, false});
    if (twoSlots)
      sources.push_back({state, Source::StateWrite, false});
  }
  for (Value out : getOuts())
    sources.push_back({out, Source::Output, isReversed(flag++)});
  return sources;
}

SmallVector<BlockArgument> ScanOp::getDestinations() {
  SmallVector<BlockArgument> destinations;
  for (auto [source, arg] : llvm::zip(getSources(), getBody().getArguments().drop_front()))
    if (source.isDestination())
      destinations.push_back(arg);
  return destinations;
}

/// The type of the region argument for `source`.
static Type getArgumentType(const ScanOp::Source &source) {
  Type type = source.operand.getType();
  return source.isWhole() ? type : ScanOp::getSliceType(type);
}

void ScanOp::build(OpBuilder &builder, OperationState &state, Value steps, ValueRange sequences, ValueRange states,
                   ValueRange outs, ArrayRef<bool> twoSlots, ArrayRef<bool> reversed) {
  state.addOperands(steps);
  for (ValueRange group : {sequences, states, outs})
    state.addOperands(group);
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.operandSegmentSizes = {1, static_cast<int32_t>(sequences.size()), static_cast<int32_t>(states.size()),
                                    static_cast<int32_t>(outs.size())};
  properties.twoSlots = builder.getDenseBoolArrayAttr(twoSlots);
  properties.reversed = builder.getDenseBoolArrayAttr(reversed);
  for (ValueRange group : {states, outs})
    for (Value value : group)
      if (isTensor(value))
        state.addTypes(value.getType());

  Block &body = state.addRegion()->emplaceBlock();
  body.addArgument(builder.getIndexType(), state.location);
  for (Value sequence : sequences)
    body.addArgument(getSliceType(sequence.getType()), sequence.getLoc());
  for (auto [value, two] : llvm::zip(states, twoSlots))
    for (int i = 0; i < (two ? 2 : 1); ++i)
      body.addArgument(two ? getSliceType(value.getType()) : value.getType(), value.getLoc());
  for (Value out : outs)
    body.addArgument(getSliceType(out.getType()), out.getLoc());
}

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

// scan  ::= `lstm.scan` %t `to` steps (`over` `(` slice (`,` slice)* `:` types `)`)?
//           (`states` `(` state (`,` state)* `:` types `)`)?
//           (`outs` `(` slice (`,` slice)* `:` types `)`)? (`attributes` dict)? region
// slice ::= `reverse`? %x `=` operand
// state ::= %c (`->` %to)? `=` operand
ParseResult ScanOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  SmallVector<OpAsmParser::Argument> args(1);
  OpAsmParser::UnresolvedOperand steps;
  SmallVector<bool> twoSlots, reversed;
  SmallVector<int32_t> segments = {1};
  args.front().type = builder.getIndexType();
  if (parser.parseArgument(args.front()) || parser.parseKeyword("to") || parser.parseOperand(steps) ||
      parser.resolveOperand(steps, builder.getIndexType(), result.operands))
    return failure();

  auto parseGroup = [&](StringRef name, bool isState) -> ParseResult {
    segments.push_back(0);
    if (failed(parser.parseOptionalKeyword(name)))
      return success();
    SmallVector<OpAsmParser::UnresolvedOperand> operands;
    SmallVector<Type> types;
    SmallVector<int> numArgs;
    size_t firstArg = args.size();
    SMLoc loc = parser.getCurrentLocation();
    auto parseAssignment = [&]() -> ParseResult {
      if (!isState)
        reversed.push_back(succeeded(parser.parseOptionalKeyword("reverse")));
      if (parser.parseArgument(args.emplace_back()))
        return failure();
      bool two = isState && succeeded(parser.parseOptionalArrow());
      if (two && parser.parseArgument(args.emplace_back()))
        return failure();
      if (isState)
        twoSlots.push_back(two);
      numArgs.push_back(two ? 2 : 1);
      return failure(parser.parseEqual() || parser.parseOperand(operands.emplace_back()));
    };
    if (parser.parseLParen() || parser.parseCommaSeparatedList(parseAssignment) ||
        parser.parseColonTypeList(types) || parser.parseRParen() ||
        parser.resolveOperands(operands, types, loc, result.operands))
      return failure();
    segments.back() = operands.size();
    for (auto [i, type, n] : llvm::enumerate(types, numArgs)) {
      Type argType = isState && n == 1 ? type : getSliceType(type);
      if (!argType)
        return parser.emitError(loc, "expects '")
               << name << "' operand #" << i << " to have a dimension to slice, and strides if it is a memref, "
               << "but got type " << type << " (scan_c2)";
      for (int j = 0; j < n; ++j)
        args[firstArg++].type = argType;
      if (name != "over" && isa<RankedTensorType>(type))
        result.addTypes(type);
    }
    return success();
  };
  if (parseGroup("over", false) || parseGroup("states", true) || parseGroup("outs", false) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  Properties &properties = result.getOrAddProperties<Properties>();
  llvm::copy(segments, properties.operandSegmentSizes.begin());
  properties.twoSlots = builder.getDenseBoolArrayAttr(twoSlots);
  properties.reversed = builder.getDenseBoolArrayAttr(reversed);
  return parser.parseRegion(*result.addRegion(), args);
}

void ScanOp::print(OpAsmPrinter &printer) {
  SmallVector<Source> sources = getSources();
  Block::BlockArgListType args = getBody().getArguments();
  printer << " " << args.front() << " to " << getSteps();
  size_t next = 0;
  auto printGroup = [&](StringRef name, OperandRange operands) {
    if (operands.empty())
      return;
    printer << " " << name << "(";
    llvm::interleaveComma(operands, printer, [&](Value operand) {
      if (sources[next].reversed)
        printer << "reverse ";
      printer << args[1 + next];
      if (sources[next].kind == Source::StateRead)
        printer << " -> " << args[1 + ++next];
      printer << " = " << operand;
      ++next;
    });
    printer << " : " << operands.getTypes() << ")";
  };
  printGroup("over", getSequences());
  printGroup("states", getStates());
  printGroup("outs", getOuts());
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(), {getOperandSegmentSizesAttrName(), getTwoSlotsAttrName(), getReversedAttrName()});
  printer << " ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

void ScanOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  if (region.args_empty())
    return;
  setName(region.getArgument(0), "t");
  for (auto [source, arg] : llvm::zip(getSources(), region.getArguments().drop_front())) {
    switch (source.kind) {
    case Source::Sequence:
      setName(arg, "x");
      break;
    case Source::StateInPlace:
      setName(arg, "c");
      break;
    case Source::StateRead:
      setName(arg, "h");
      break;
    case Source::StateWrite:
      setName(arg, "to");
      break;
    case Source::Output:
      setName(arg, "y");
      break;
    }
  }
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// The name of an operand behind `steps`, for messages.
static std::string getOperandName(ScanOp op, OpOperand &operand) {
  // (A range's own first index is not defined where the range is empty.)
  size_t number = operand.getOperandNumber() - 1;
  for (auto [range, name] : {std::pair(op.getSequences(), "over"), std::pair(op.getStates(), "states")}) {
    if (number < range.size())
      return ("'" + Twine(name) + "' operand #" + Twine(number)).str();
    number -= range.size();
  }
  return ("'outs' operand #" + Twine(number)).str();
}

static LogicalResult verifyOperands(ScanOp op) {
  MutableArrayRef<OpOperand> operands = op->getOpOperands().drop_front();
  int64_t time = ShapedType::kDynamic;
  for (OpOperand &operand : operands) {
    Type type = operand.get().getType();
    if (isTensor(operand.get()) != isTensor(operands.front().get()))
      return op.emitOpError("expects tensors only or memrefs only, but ")
             << getOperandName(op, operand) << " has type " << type << " and " << getOperandName(op, operands.front())
             << " has type " << operands.front().get().getType() << " (scan_c1)";
    size_t state = operand.getOperandNumber() - 1 - op.getSequences().size();
    bool isState = state < op.getStates().size(); // wraps around for a sequence
    if (isState && !op.getTwoSlots()[state])
      continue;
    if (!ScanOp::getSliceType(type))
      return op.emitOpError("expects ")
             << getOperandName(op, operand) << " to have a dimension to slice, and strides if it is a memref, "
             << "but got type " << type << " (scan_c2)";
    int64_t size = cast<ShapedType>(type).getDimSize(0);
    if (isState) {
      if (size != 2)
        return op.emitOpError("expects ")
               << getOperandName(op, operand) << " to have 2 slots on dim #0, but got type " << type << " (scan_c5)";
      continue;
    }
    if (ShapedType::isDynamic(time))
      time = size;
    if (!ShapedType::isDynamic(size) && size != time)
      return op.emitOpError("expects ")
             << getOperandName(op, operand) << " to have " << time << " steps, but got " << size << " (scan_c6)";
  }
  return success();
}

LogicalResult ScanOp::verify() {
  if (getTwoSlots().size() != getStates().size())
    return emitOpError("expects one 'twoSlots' flag for each of ")
           << getStates().size() << " states, but got " << getTwoSlots().size() << " (scan_c3)";
  if (getReversed().size() != getSequences().size() + getOuts().size())
    return emitOpError("expects one 'reversed' flag for each of ")
           << getSequences().size() + getOuts().size() << " sequences and outputs, but got " << getReversed().size()
           << " (scan_c4)";
  if (failed(verifyOperands(*this)))
    return failure();
  MutableOperandRange inits = getDpsInitsMutable();
  for (unsigned i = 0; i < inits.size(); ++i)
    for (unsigned j = 0; j < i; ++j)
      if (!isTensor(inits[i].get()) && inits[i].get() == inits[j].get())
        return emitOpError("expects states and outputs to be distinct buffers, but ")
               << getOperandName(*this, inits[j]) << " and " << getOperandName(*this, inits[i])
               << " are the same (scan_c9)";
  return success();
}

LogicalResult ScanOp::verifyRegions() {
  SmallVector<Type> expected = {IndexType::get(getContext())};
  for (const Source &source : getSources())
    expected.push_back(getArgumentType(source));
  if (getBody().getArgumentTypes() != TypeRange(expected))
    return emitOpError("expects region arguments (")
           << expected << "), but got (" << getBody().getArgumentTypes() << ") (scan_c7)";

  auto yield = dyn_cast<YieldOp>(getBodyBlock()->getTerminator());
  if (!yield || !yield.getScalars().empty())
    return emitOpError("expects its region to end with lstm.yield of states and outputs (scan_c8)");
  SmallVector<Type> states, outputs;
  if (hasPureTensorSemantics())
    for (auto [i, destination] : llvm::enumerate(getDestinations()))
      (i < getStates().size() ? states : outputs).push_back(destination.getType());
  if (yield.getState().getTypes() != TypeRange(states) || yield.getOutputs().getTypes() != TypeRange(outputs))
    return emitOpError("expects to yield states (")
           << states << ") and outputs (" << outputs << "), but got (" << yield.getState().getTypes() << ") and ("
           << yield.getOutputs().getTypes() << ") (scan_c8)";
  return success();
}

//===----------------------------------------------------------------------===//
// Interfaces
//===----------------------------------------------------------------------===//

// Besides what the region does: its effects are on region arguments, which alias
// analysis does not follow to the operands.
void ScanOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  for (OpOperand &operand : (*this)->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    effects.emplace_back(MemoryEffects::Read::get(), &operand, SideEffects::DefaultResource::get());
    if (isDpsInit(&operand))
      effects.emplace_back(MemoryEffects::Write::get(), &operand, SideEffects::DefaultResource::get());
  }
}

LogicalResult ScanOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &shapes) {
  for (Value init : getDpsInits())
    if (isTensor(init))
      shapes.push_back(tensor::getMixedSizes(builder, getLoc(), init));
  return success();
}
