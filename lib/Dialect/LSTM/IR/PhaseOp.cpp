//===- PhaseOp.cpp - Assembly, verification and canonicalization of lstm.phase -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/Dialect/LSTM/IR/LSTM.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::lstm;

/// The axes in the order in which they stand, with their names.
static constexpr std::pair<int32_t, StringLiteral> axisNames[] = {{kRow, "r"}, {kGate, "g"}, {kUnit, "u"}};

WeightLayout WeightLayout::get(ShapedType type) {
  ArrayRef<int64_t> shape = type.getShape();
  if (shape.size() != 5)
    return {/*depthDim=*/0, shape[0], shape[1], shape[2]};
  int64_t gates = ShapedType::isDynamic(shape[1]) ? shape[1] : shape[1] * shape[3];
  return {/*depthDim=*/2, shape[2], gates, ShapedType::kDynamic, shape[3], shape[4], shape[0]};
}

static WeightLayout getLayout(Value weight) {
  return WeightLayout::get(cast<ShapedType>(weight.getType()));
}

static bool isTensor(Value value) { return isa<RankedTensorType>(value.getType()); }

void PhaseOp::build(OpBuilder &builder, OperationState &state, ValueRange states, ValueRange weights,
                    ValueRange inputs, ArrayRef<int32_t> axes, ValueRange outs) {
  for (ValueRange group : {states, weights, inputs, outs})
    state.addOperands(group);
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.operandSegmentSizes = {static_cast<int32_t>(states.size()), static_cast<int32_t>(weights.size()),
                                    static_cast<int32_t>(inputs.size()), static_cast<int32_t>(outs.size())};
  properties.axes = builder.getDenseI32ArrayAttr(axes);
  for (Value out : outs)
    if (isTensor(out))
      state.addTypes(out.getType());
  state.addRegion();
}

YieldOp PhaseOp::getYield() { return cast<YieldOp>(getBodyBlock()->getTerminator()); }

// Also asked while an operation that is not valid is printed.
int64_t PhaseOp::getNumGates() {
  auto sizeOf = [](Value value, int64_t dim) {
    auto type = dyn_cast<ShapedType>(value.getType());
    return type && type.hasRank() && dim < type.getRank() ? type.getDimSize(dim) : 0;
  };
  if (!getWeights().empty()) {
    auto type = dyn_cast<ShapedType>(getWeights().front().getType());
    bool isWeight = type && type.hasRank() && (type.getRank() == 3 || type.getRank() == 5);
    return isWeight ? WeightLayout::get(type).gates : 0;
  }
  for (auto [input, axes] : llvm::zip(getInputs(), getAxes()))
    if (axes & kGate)
      return sizeOf(input, axes & kRow ? 1 : 0);
  return 0;
}

/// Number of region arguments of input `i`.
static int64_t getNumInputArguments(PhaseOp op, int64_t i) {
  return op.getAxes()[i] & kGate ? op.getNumGates() : 1;
}

int64_t PhaseOp::getInputArgumentIndex(int64_t i) {
  int64_t index = getNumAccumulators();
  for (int64_t j = 0; j < i; ++j)
    index += getNumInputArguments(*this, j);
  return index;
}

BlockArgument PhaseOp::getOutArgument(int64_t i) {
  return getBody().getArgument(getBody().getNumArguments() - getOuts().size() + i);
}

bool PhaseOp::isRead(OpOperand &operand) {
  // Bufferization asks for the effects of a new operation before it has a body.
  return !isDpsInit(&operand) || getBody().empty() ||
         !getOutArgument(operand.getOperandNumber() - getOuts().getBeginOperandIndex()).use_empty();
}

bool PhaseOp::isElementwise(OpOperand &operand) {
  if (isDpsInit(&operand))
    return true;
  size_t numProjected = getStates().size() + getWeights().size();
  return operand.getOperandNumber() >= numProjected && getAxes()[operand.getOperandNumber() - numProjected] == kRowUnit;
}

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

// phase ::= `lstm.phase` (`project` `(` state `,` weights `:` type `,` type `)`)*
//           (`ins` `(` (input (`[` axes `]`)?)+ `:` types `)`)?
//           `outs` `(` operands `:` types `)` (`attributes` dict)? region
ParseResult PhaseOp::parse(OpAsmParser &parser, OperationState &result) {
  using Operand = OpAsmParser::UnresolvedOperand;
  SmallVector<Operand> states, weights, inputs, outs;
  SmallVector<Type> stateTypes, weightTypes, inputTypes, outTypes;
  SmallVector<int32_t> axes;
  SMLoc loc = parser.getCurrentLocation();
  while (succeeded(parser.parseOptionalKeyword("project")))
    if (parser.parseLParen() || parser.parseOperand(states.emplace_back()) || parser.parseComma() ||
        parser.parseOperand(weights.emplace_back()) || parser.parseColon() ||
        parser.parseType(stateTypes.emplace_back()) || parser.parseComma() ||
        parser.parseType(weightTypes.emplace_back()) || parser.parseRParen())
      return failure();

  auto parseAxis = [&]() -> ParseResult {
    SMLoc at = parser.getCurrentLocation();
    StringRef keyword;
    if (parser.parseKeyword(&keyword))
      return failure();
    for (auto [bit, name] : axisNames) {
      if (keyword != name)
        continue;
      // Bits fall from r to u, so no bit may be there that is not above this one.
      if (axes.back() & (2 * bit - 1))
        return parser.emitError(at, "expects axes in the order r, g, u, each once");
      axes.back() |= bit;
      return success();
    }
    return parser.emitError(at) << "expects an axis r (row), g (gate) or u (unit), but got " << keyword;
  };
  auto parseInput = [&]() -> ParseResult {
    axes.push_back(0);
    return failure(parser.parseOperand(inputs.emplace_back()) ||
                   parser.parseCommaSeparatedList(OpAsmParser::Delimiter::OptionalSquare, parseAxis));
  };
  if (succeeded(parser.parseOptionalKeyword("ins")) &&
      (parser.parseLParen() || parser.parseCommaSeparatedList(parseInput) ||
       parser.parseColonTypeList(inputTypes) || parser.parseRParen()))
    return failure();
  // The region is isolated: its names are its own.
  if (parser.parseKeyword("outs") || parser.parseLParen() || parser.parseOperandList(outs) ||
      parser.parseColonTypeList(outTypes) || parser.parseRParen() ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseRegion(*result.addRegion(), {}, /*enableNameShadowing=*/true))
    return failure();

  if (parser.resolveOperands(states, stateTypes, loc, result.operands) ||
      parser.resolveOperands(weights, weightTypes, loc, result.operands) ||
      parser.resolveOperands(inputs, inputTypes, loc, result.operands) ||
      parser.resolveOperands(outs, outTypes, loc, result.operands))
    return failure();
  Properties &properties = result.getOrAddProperties<Properties>();
  properties.operandSegmentSizes = {static_cast<int32_t>(states.size()), static_cast<int32_t>(weights.size()),
                                    static_cast<int32_t>(inputs.size()), static_cast<int32_t>(outs.size())};
  properties.axes = parser.getBuilder().getDenseI32ArrayAttr(axes);
  for (Type type : outTypes)
    if (isa<RankedTensorType>(type))
      result.addTypes(type);
  return success();
}

void PhaseOp::print(OpAsmPrinter &printer) {
  for (auto [state, weight] : llvm::zip(getStates(), getWeights()))
    printer << " project(" << state << ", " << weight << " : " << state.getType() << ", " << weight.getType()
            << ")";
  if (!getInputs().empty()) {
    printer << " ins(";
    llvm::interleaveComma(llvm::zip(getInputs(), getAxes()), printer, [&](auto pair) {
      auto [input, axes] = pair;
      printer << input;
      SmallVector<StringRef> names;
      for (auto [bit, name] : axisNames)
        if (axes & bit)
          names.push_back(name);
      if (!names.empty())
        printer << "[" << llvm::join(names, ", ") << "]";
    });
    printer << " : " << getInputs().getTypes() << ")";
  }
  printer << " outs(" << getOuts() << " : " << getOuts().getTypes() << ")";
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                           {getOperandSegmentSizesAttrName(), getAxesAttrName()});
  printer << " ";
  printer.printRegion(getBody());
}

void PhaseOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  int64_t numArguments = region.getNumArguments(), numAccumulators = getNumAccumulators();
  int64_t firstOut = numArguments - getOuts().size();
  for (int64_t i = 0; i < numArguments; ++i)
    setName(region.getArgument(i), i < numAccumulators ? "z" + std::to_string(i) : i < firstOut ? "x" : "old");
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

namespace {
/// Checks sizes of operands against what others have.
class SizeVerifier {
public:
  SizeVerifier(PhaseOp op) : op(op), gates(op.getNumGates()) {}

  /// A size on the axis of rows, gates or units.
  LogicalResult verify(int32_t axis, int64_t size, const Twine &what) {
    switch (axis) {
    case kRow:
      return verify(rows, size, what, "rows", "phase_c10");
    case kGate:
      if (ShapedType::isDynamic(size) || size < 1)
        return op.emitOpError("expects ") << what << " to have a static number of gates, at least 1, but got "
                                          << toString(size) << " (phase_c8)";
      return verify(gates, size, what, "gates", "phase_c9");
    default:
      return verify(units, size, what, "units", "phase_c11");
    }
  }

  /// The length of the sum that a product is.
  LogicalResult verifyReduction(int64_t state, const WeightLayout &weights, const Twine &what) {
    std::string unit = "elements on dim #" + std::to_string(weights.depthDim);
    return verify(state, weights.depth, what, unit, "phase_c12");
  }

  /// The blocks of packed weights must be those that the units need.
  LogicalResult verifyBlocks(const WeightLayout &weights, const Twine &what) {
    if (ShapedType::isDynamic(units) || ShapedType::isDynamic(weights.numBlocks))
      return success();
    int64_t needed = llvm::divideCeil(units, weights.blockUnits);
    return verify(needed, weights.numBlocks, what, "blocks of units", "phase_c11");
  }

private:
  static std::string toString(int64_t size) {
    return ShapedType::isDynamic(size) ? "?" : std::to_string(size);
  }
  LogicalResult verify(int64_t &known, int64_t size, const Twine &what, StringRef unit, StringRef label) {
    if (ShapedType::isDynamic(known))
      known = size;
    if (ShapedType::isDynamic(size) || size == known)
      return success();
    return op.emitOpError("expects ") << what << " to have " << known << " " << unit << ", but got " << size
                                      << " (" << label << ")";
  }

  PhaseOp op;
  int64_t rows = ShapedType::kDynamic, units = ShapedType::kDynamic, gates;
};
} // namespace

/// Types of operands, apart from their sizes.
static LogicalResult verifyOperandTypes(PhaseOp op) {
  bool onTensors = isTensor(op.getOuts().front());
  for (OpOperand &operand : op->getOpOperands()) {
    Type type = operand.get().getType();
    if (isa<TensorType, BaseMemRefType>(type) && isa<TensorType>(type) != onTensors)
      return op.emitOpError("expects tensors only or memrefs only, but operand #")
             << operand.getOperandNumber() << " has type " << type << " and 'outs' operand #0 has type "
             << op.getOuts().front().getType() << " (phase_c2)";
    if (auto memref = dyn_cast<MemRefType>(type); memref && !memref.isStrided())
      return op.emitOpError("expects memrefs with strided layout, but operand #")
             << operand.getOperandNumber() << " has type " << type << " (phase_c20)";
  }
  for (auto [i, out] : llvm::enumerate(op.getOuts()))
    if (cast<ShapedType>(out.getType()).getRank() != 2)
      return op.emitOpError("expects 'outs' operand #")
             << i << " to have rank 2, but got type " << out.getType() << " (phase_c5)";
  ShapedType firstPacked;
  for (auto [i, state, weight] : llvm::enumerate(op.getStates(), op.getWeights())) {
    auto a = cast<ShapedType>(state.getType()), w = cast<ShapedType>(weight.getType());
    if (a.getRank() != 2 || (w.getRank() != 3 && w.getRank() != 5))
      return op.emitOpError("expects 'project' pair #")
             << i << " to have ranks 2 and 3, or 2 and 5, but got types " << a << " and " << w << " (phase_c6)";
    if (!isa<FloatType>(a.getElementType()) || !isa<FloatType>(w.getElementType()))
      return op.emitOpError("expects 'project' pair #")
             << i << " to have floating-point elements, but got types " << a << " and " << w << " (phase_c13)";
    if (w.getRank() != 5)
      continue;
    if (w.isDynamicDim(3) || w.isDynamicDim(4) || w.getDimSize(3) < 1 || w.getDimSize(4) < 1)
      return op.emitOpError("expects packed weights of 'project' pair #")
             << i << " to have blocks of static size, but got type " << w << " (phase_c21)";
    auto isAnother = [&](ShapedType other) { return other.getShape().take_back(2) != w.getShape().take_back(2); };
    if (firstPacked && isAnother(firstPacked))
      return op.emitOpError("expects all packed weights to have blocks of the same size, but got types ")
             << firstPacked << " and " << w << " (phase_c21)";
    firstPacked = w;
  }
  for (auto [i, input, axes] : llvm::enumerate(op.getInputs(), op.getAxes())) {
    auto type = dyn_cast<ShapedType>(input.getType());
    if (axes == 0 ? static_cast<bool>(type)
                  : !isa<RankedTensorType, MemRefType>(input.getType()) || type.getRank() != rankOfAxes(axes))
      return op.emitOpError("expects 'ins' operand #")
             << i << " with " << rankOfAxes(axes) << " axes to "
             << (axes ? "be a tensor or memref of that rank" : "be a scalar") << ", but got type "
             << input.getType() << " (phase_c7)";
  }
  return success();
}

/// On memrefs: what is written must not be read after that.
static LogicalResult verifyDistinctBuffers(PhaseOp op) {
  for (OpOperand &out : op.getOutsMutable()) {
    if (isTensor(out.get()))
      continue;
    int64_t number = out.getOperandNumber() - op.getOuts().getBeginOperandIndex();
    for (OpOperand &other : op->getOpOperands()) {
      if (other.get() != out.get() || other.getOperandNumber() >= out.getOperandNumber())
        continue;
      if (op.isDpsInit(&other))
        return op.emitOpError("expects 'outs' operands to be distinct buffers, but #")
               << other.getOperandNumber() - op.getOuts().getBeginOperandIndex() << " and #" << number
               << " are the same (phase_c19)";
      if (!op.isElementwise(other))
        return op.emitOpError("expects 'outs' operand #")
               << number << " to be another buffer than operand #" << other.getOperandNumber()
               << ", which is read across rows, gates or units (phase_c18)";
    }
  }
  return success();
}

LogicalResult PhaseOp::verify() {
  if (getOuts().empty())
    return emitOpError("expects at least 1 'outs' operand, but got 0 (phase_c1)");
  if (getStates().size() != getWeights().size())
    return emitOpError("expects as many weights as states to project, but got ")
           << getWeights().size() << " and " << getStates().size() << " (phase_c3)";
  if (getAxes().size() != getInputs().size())
    return emitOpError("expects axes for each of ")
           << getInputs().size() << " 'ins' operands, but got " << getAxes().size() << " (phase_c4)";
  for (int32_t axes : getAxes())
    if (axes < 0 || axes > (kRow | kGate | kUnit))
      return emitOpError("expects axes to be a bit set between 0 and 7, but got ") << axes << " (phase_c4)";
  if (failed(verifyOperandTypes(*this)))
    return failure();

  SizeVerifier sizes(*this);
  auto verifyAxes = [&](Value value, int32_t axes, const Twine &what) -> LogicalResult {
    int64_t dim = 0;
    for (auto [bit, name] : axisNames)
      if (axes & bit)
        if (failed(sizes.verify(bit, cast<ShapedType>(value.getType()).getDimSize(dim++), what)))
          return failure();
    return success();
  };
  for (auto [i, out] : llvm::enumerate(getOuts()))
    if (failed(verifyAxes(out, kRowUnit, "'outs' operand #" + Twine(i))))
      return failure();
  for (auto [i, state, weight] : llvm::enumerate(getStates(), getWeights())) {
    ArrayRef<int64_t> a = cast<ShapedType>(state.getType()).getShape();
    WeightLayout w = getLayout(weight);
    std::string weightName = ("weights of 'project' pair #" + Twine(i)).str();
    if (failed(sizes.verify(kRow, a[0], "state of 'project' pair #" + Twine(i))) ||
        failed(sizes.verifyReduction(a[1], w, weightName)) || failed(sizes.verify(kGate, w.gates, weightName)) ||
        failed(w.isPacked() ? sizes.verifyBlocks(w, weightName) : sizes.verify(kUnit, w.units, weightName)))
      return failure();
  }
  for (auto [i, input, axes] : llvm::enumerate(getInputs(), getAxes()))
    if (failed(verifyAxes(input, axes, "'ins' operand #" + Twine(i))))
      return failure();
  return verifyDistinctBuffers(*this);
}

/// Whether products of `operand` can be summed in `accumulator`.
static bool isWideEnough(Type accumulator, Type operand) {
  return accumulator == operand || cast<FloatType>(accumulator).getWidth() > cast<FloatType>(operand).getWidth();
}

LogicalResult PhaseOp::verifyRegions() {
  SmallVector<Type> expected;
  if (!getWeights().empty()) {
    if (getBody().getNumArguments() == 0 || !isa<FloatType>(getAccumulatorType())) {
      InFlightDiagnostic diag = emitOpError("expects a floating-point accumulator as first region argument, but got ");
      if (getBody().getNumArguments() == 0)
        return diag << "none (phase_c14)";
      return diag << getAccumulatorType() << " (phase_c14)";
    }
    for (ValueRange group : {ValueRange(getStates()), ValueRange(getWeights())})
      for (Value value : group)
        if (Type type = getElementTypeOrSelf(value); !isWideEnough(getAccumulatorType(), type))
          return emitOpError("expects an accumulator of type ")
                 << type << " or a wider one, but got " << getAccumulatorType() << " (phase_c14)";
    expected.append(getNumGates(), getAccumulatorType());
  }
  for (auto [i, input] : llvm::enumerate(getInputs()))
    expected.append(getNumInputArguments(*this, i), getElementTypeOrSelf(input));
  SmallVector<Type> outTypes;
  for (Value out : getOuts())
    outTypes.push_back(getElementTypeOrSelf(out));
  llvm::append_range(expected, outTypes);
  if (getBody().getArgumentTypes() != TypeRange(expected))
    return emitOpError("expects region arguments (")
           << expected << "), but got (" << getBody().getArgumentTypes() << ") (phase_c15)";

  auto yield = dyn_cast<YieldOp>(getBodyBlock()->getTerminator());
  if (!yield || !yield.getState().empty() || !yield.getOutputs().empty())
    return emitOpError("expects its region to end with lstm.yield of scalars (phase_c16)");
  if (yield.getScalars().getTypes() != TypeRange(outTypes))
    return emitOpError("expects to yield (")
           << outTypes << "), but got (" << yield.getScalars().getTypes() << ") (phase_c16)";
  for (Operation &op : *getBodyBlock())
    if (!isMemoryEffectFree(&op))
      return emitOpError("expects operations without memory effects in its region, but got '")
             << op.getName() << "' (phase_c17)";
  return success();
}

//===----------------------------------------------------------------------===//
// Interfaces
//===----------------------------------------------------------------------===//

void PhaseOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  for (OpOperand &operand : (*this)->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    if (isRead(operand))
      effects.emplace_back(MemoryEffects::Read::get(), &operand, SideEffects::DefaultResource::get());
    if (isDpsInit(&operand))
      effects.emplace_back(MemoryEffects::Write::get(), &operand, SideEffects::DefaultResource::get());
  }
}

Speculation::Speculatability PhaseOp::getSpeculatability() {
  return hasPureTensorSemantics() ? Speculation::RecursivelySpeculatable : Speculation::NotSpeculatable;
}

LogicalResult PhaseOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &shapes) {
  for (Value out : getOuts())
    if (isTensor(out))
      shapes.push_back(tensor::getMixedSizes(builder, getLoc(), out));
  return success();
}

//===----------------------------------------------------------------------===//
// Canonicalization
//===----------------------------------------------------------------------===//

/// Erases input `i` with its region arguments, which must not have uses.
static void eraseInput(PhaseOp op, int64_t i) {
  op.getBodyBlock()->eraseArguments(op.getInputArgumentIndex(i), getNumInputArguments(op, i));
  SmallVector<int32_t> axes(op.getAxes());
  axes.erase(axes.begin() + i);
  op.setAxes(axes);
  op.getInputsMutable().erase(i);
}

namespace {
/// Reads an `[r, u]` input that is also an `outs` operand through the latter's
/// argument: only so do tiles on tensors stay in place.
struct ReadInputThroughOut : OpRewritePattern<PhaseOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PhaseOp op, PatternRewriter &rewriter) const override {
    for (auto [i, input, axes] : llvm::enumerate(op.getInputs(), op.getAxes())) {
      auto out = llvm::find(op.getOuts(), input);
      if (axes != kRowUnit || out == op.getOuts().end())
        continue;
      rewriter.modifyOpInPlace(op, [&, i = i] {
        rewriter.replaceAllUsesWith(op.getBody().getArgument(op.getInputArgumentIndex(i)),
                                    op.getOutArgument(out - op.getOuts().begin()));
        eraseInput(op, i);
      });
      return success();
    }
    return failure();
  }
};

/// Drops inputs, and products, that the region does not use.
struct DropUnusedInputs : OpRewritePattern<PhaseOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PhaseOp op, PatternRewriter &rewriter) const override {
    auto isUnused = [&](int64_t first, int64_t count) {
      return llvm::all_of(op.getBody().getArguments().slice(first, count),
                          [](BlockArgument arg) { return arg.use_empty(); });
    };
    if (!op.getWeights().empty() && isUnused(0, op.getNumAccumulators())) {
      rewriter.modifyOpInPlace(op, [&] {
        op.getBodyBlock()->eraseArguments(0, op.getNumAccumulators());
        op.getStatesMutable().clear();
        op.getWeightsMutable().clear();
      });
      return success();
    }
    for (int64_t i = 0, e = op.getInputs().size(); i < e; ++i)
      if (isUnused(op.getInputArgumentIndex(i), getNumInputArguments(op, i))) {
        rewriter.modifyOpInPlace(op, [&] { eraseInput(op, i); });
        return success();
      }
    return failure();
  }
};

/// Merges inputs that are the same value with the same axes.
struct MergeEqualInputs : OpRewritePattern<PhaseOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PhaseOp op, PatternRewriter &rewriter) const override {
    for (int64_t i = 0, e = op.getInputs().size(); i < e; ++i)
      for (int64_t j = 0; j < i; ++j) {
        if (op.getInputs()[i] != op.getInputs()[j] || op.getAxes()[i] != op.getAxes()[j])
          continue;
        rewriter.modifyOpInPlace(op, [&] {
          int64_t from = op.getInputArgumentIndex(i), to = op.getInputArgumentIndex(j);
          for (int64_t k = 0, n = getNumInputArguments(op, i); k < n; ++k)
            rewriter.replaceAllUsesWith(op.getBody().getArgument(from + k), op.getBody().getArgument(to + k));
          eraseInput(op, i);
        });
        return success();
      }
    return failure();
  }
};

/// Drops results that nothing uses, as long as one stays. What their `outs`
/// operands held becomes an input where the region reads it.
struct DropDeadResults : OpRewritePattern<PhaseOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PhaseOp op, PatternRewriter &rewriter) const override {
    auto isDead = [](OpResult result) { return result.use_empty(); };
    if (llvm::none_of(op.getResults(), isDead) || llvm::all_of(op.getResults(), isDead))
      return failure();
    YieldOp yield = op.getYield();
    Block *body = op.getBodyBlock();
    unsigned inputsEnd = body->getNumArguments() - op.getOuts().size();
    SmallVector<Value> inputs(op.getInputs()), outs, scalars, live;
    SmallVector<int32_t> axes(op.getAxes());
    SmallVector<std::pair<Value, BlockArgument>> dead;
    for (auto [i, result] : llvm::enumerate(op.getResults())) {
      if (isDead(result)) {
        dead.emplace_back(op.getOuts()[i], op.getOutArgument(i));
        continue;
      }
      live.push_back(result);
      outs.push_back(op.getOuts()[i]);
      scalars.push_back(yield.getScalars()[i]);
    }
    rewriter.setInsertionPoint(yield);
    rewriter.replaceOpWithNewOp<YieldOp>(yield, scalars, ValueRange{}, ValueRange{});
    for (auto [out, arg] : dead) {
      if (!arg.use_empty()) {
        rewriter.replaceAllUsesWith(arg, body->insertArgument(inputsEnd++, arg.getType(), arg.getLoc()));
        inputs.push_back(out);
        axes.push_back(kRowUnit);
      }
      body->eraseArgument(arg.getArgNumber());
    }
    rewriter.setInsertionPoint(op);
    auto pruned = PhaseOp::create(rewriter, op.getLoc(), op.getStates(), op.getWeights(), inputs, axes, outs);
    pruned->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    rewriter.inlineRegionBefore(op.getBody(), pruned.getBody(), pruned.getBody().end());
    rewriter.replaceAllUsesWith(live, pruned.getResults());
    rewriter.eraseOp(op);
    return success();
  }
};

/// Results without elements are computed by nothing.
struct DropEmptyResults : public OpRewritePattern<PhaseOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PhaseOp op, PatternRewriter &rewriter) const override {
    bool isEmpty = llvm::any_of(op->getResultTypes(), [](Type type) {
      return llvm::is_contained(cast<RankedTensorType>(type).getShape(), 0);
    });
    if (!isEmpty)
      return rewriter.notifyMatchFailure(op, "has elements or may have some");
    rewriter.replaceOp(op, op.getOuts());
    return success();
  }
};
} // namespace

void PhaseOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<DropEmptyResults, ReadInputThroughOut, DropUnusedInputs, MergeEqualInputs, DropDeadResults>(context);
}
