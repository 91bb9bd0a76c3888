//===- GateOp.cpp - lstm.gate -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpAssembly.h"
#include "lstm/Dialect/LSTM/IR/Matchers.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::lstm;

using ValuePair = std::pair<Value, Value>;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

//===----------------------------------------------------------------------===//
// Building and accessors
//===----------------------------------------------------------------------===//

void GateOp::build(OpBuilder &builder, OperationState &state, Type result, ActivationAttr activation,
                   ArrayRef<ValuePair> dots, ArrayRef<ValuePair> scales, ValueRange addends,
                   FloatAttr clip) {
  auto firsts = [](ArrayRef<ValuePair> pairs) { return llvm::to_vector(llvm::make_first_range(pairs)); };
  auto seconds = [](ArrayRef<ValuePair> pairs) { return llvm::to_vector(llvm::make_second_range(pairs)); };
  build(builder, state, result, firsts(dots), seconds(dots), firsts(scales), seconds(scales), addends,
        builder.getArrayAttr({activation}), clip);
}

ActivationAttr GateOp::getActivation(int64_t g) {
  ArrayAttr all = getActivations();
  return cast<ActivationAttr>(all[all.size() == 1 ? 0 : g]);
}

bool GateOp::isPlainSum() {
  return !getClip() && llvm::all_of(getActivations().getAsRange<ActivationAttr>(),
                                    [](ActivationAttr act) { return act.isIdentity(); });
}

FloatType GateOp::getComputeType() {
  FloatType widest = Float32Type::get(getContext());
  auto consider = [&](Type type) {
    auto element = cast<FloatType>(getElementTypeOrSelf(type));
    if (element.getWidth() > widest.getWidth())
      widest = element;
  };
  for (Type type : getOperandTypes())
    consider(type);
  consider(getResult().getType());
  return widest;
}

SmallVector<ValuePair> GateOp::getDots() {
  return llvm::map_to_vector(llvm::zip(getDotLhs(), getDotRhs()),
                             [](auto pair) { return ValuePair(std::get<0>(pair), std::get<1>(pair)); });
}

SmallVector<ValuePair> GateOp::getScales() {
  return llvm::map_to_vector(llvm::zip(getScaleLhs(), getScaleRhs()),
                             [](auto pair) { return ValuePair(std::get<0>(pair), std::get<1>(pair)); });
}

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

// gate ::= `lstm.gate` activations (`clip` number)? term* attr-dict `:` type
// term ::= `dot` `(` a `,` W `:` types `)` | `scale` `(` s `,` p `:` types `)` | `add` `(` b `:` type `)`
ParseResult GateOp::parse(OpAsmParser &parser, OperationState &result) {
  using Operand = OpAsmParser::UnresolvedOperand;
  ArrayAttr activations;
  if (parseActivations(parser, activations))
    return failure();
  Properties &properties = result.getOrAddProperties<Properties>();
  properties.activations = activations;
  if (succeeded(parser.parseOptionalKeyword("clip"))) {
    FloatAttr clip;
    if (parseClip(parser, clip))
      return failure();
    properties.clip = clip;
  }
  // Operands of dotLhs, dotRhs, scaleLhs, scaleRhs, addends.
  std::array<SmallVector<Operand>, 5> operands;
  std::array<SmallVector<Type>, 5> types;
  SMLoc loc = parser.getCurrentLocation();
  StringRef term;
  while (succeeded(parser.parseOptionalKeyword(&term, {"dot", "scale", "add"}))) {
    unsigned first = term == "dot" ? 0 : term == "scale" ? 2 : 4, count = term == "add" ? 1 : 2;
    if (parser.parseLParen())
      return failure();
    for (unsigned i = 0; i < count; ++i)
      if ((i && parser.parseComma()) || parser.parseOperand(operands[first + i].emplace_back()))
        return failure();
    if (parser.parseColon())
      return failure();
    for (unsigned i = 0; i < count; ++i)
      if ((i && parser.parseComma()) || parser.parseType(types[first + i].emplace_back()))
        return failure();
    if (parser.parseRParen())
      return failure();
  }
  Type type;
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(type))
    return failure();
  for (unsigned i = 0; i < operands.size(); ++i) {
    if (parser.resolveOperands(operands[i], types[i], loc, result.operands))
      return failure();
    properties.operandSegmentSizes[i] = operands[i].size();
  }
  result.addTypes(type);
  return success();
}

void GateOp::print(OpAsmPrinter &printer) {
  printer << " ";
  printActivations(printer, getActivations());
  if (FloatAttr clip = getClipAttr()) {
    printer << " clip ";
    printClip(printer, *this, clip);
  }
  for (auto [keyword, pairs] : {std::pair(" dot(", getDots()), std::pair(" scale(", getScales())})
    for (auto [lhs, rhs] : pairs)
      printer << keyword << lhs << ", " << rhs << " : " << lhs.getType() << ", " << rhs.getType() << ")";
  for (Value addend : getAddends())
    printer << " add(" << addend << " : " << addend.getType() << ")";
  printer.printOptionalAttrDict((*this)->getAttrs(), {getOperandSegmentSizesAttrName(),
                                                     getActivationsAttrName(), getClipAttrName()});
  printer << " : " << getResult().getType();
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// Whether `shape` is the last dimensions of `whole`.
static bool isSuffix(ArrayRef<int64_t> shape, ArrayRef<int64_t> whole) {
  if (shape.empty() || shape.size() > whole.size())
    return false;
  return llvm::all_of(llvm::zip(shape, whole.take_back(shape.size())), [](auto pair) {
    return areCompatible(std::get<0>(pair), std::get<1>(pair));
  });
}

LogicalResult GateOp::verify() {
  RankedTensorType result = getResultType();
  int64_t rank = result.getRank();
  if (rank != 2 && rank != 3)
    return emitOpError() << "expects a result [B, H] or [B, G, H], but got " << result << " (gate_c1)";
  if (rank == 3 && result.isDynamicDim(1))
    return emitOpError() << "expects a static number of gates, but got " << result << " (gate_c2)";
  int64_t gates = getNumGates(), activations = getActivations().size();
  if (activations != 1 && activations != gates)
    return emitOpError() << "expects 1 or " << gates << " activations, but got " << activations
                         << " (gate_c3)";
  if (getDotLhs().size() != getDotRhs().size() || getScaleLhs().size() != getScaleRhs().size())
    return emitOpError() << "expects the operands of 'dot' and 'scale' in pairs (gate_c4)";
  if (getOperation()->getNumOperands() == 0)
    return emitOpError("expects at least one term (gate_c4)");
  if (FloatAttr clip = getClipAttr(); clip && !(clip.getValueAsDouble() > 0))
    return emitOpError() << "expects 'clip' to be greater than 0, but got " << clip.getValueAsDouble()
                         << " (gate_c5)";
  int64_t rows = result.getDimSize(0), units = result.getDimSize(rank - 1);
  for (auto [i, pair] : llvm::enumerate(getDots())) {
    RankedTensorType a = typeOf(pair.first), w = typeOf(pair.second);
    if (a.getRank() != 2 || w.getRank() != rank)
      return emitOpError() << "expects dot #" << i << " to be [B, K], [K, " << (rank == 3 ? "G, " : "")
                           << "H], but got " << a << ", " << w << " (gate_c6)";
    if (!areCompatible(a.getDimSize(1), w.getDimSize(0)))
      return emitOpError() << "expects dot #" << i << " to have the same K, but got " << a.getDimSize(1)
                           << " and " << w.getDimSize(0) << " (gate_c7)";
    if (!areCompatible(a.getDimSize(0), rows))
      return emitOpError() << "expects dot #" << i << " to have " << rows << " rows, but got "
                           << a.getDimSize(0) << " (gate_c8)";
    if (rank == 3 && w.getDimSize(1) != gates)
      return emitOpError() << "expects dot #" << i << " to have " << gates << " gates, but got "
                           << sizeToString(w.getDimSize(1)) << " (gate_c8)";
    if (!areCompatible(w.getDimSize(rank - 1), units))
      return emitOpError() << "expects dot #" << i << " to have " << units << " units, but got "
                           << w.getDimSize(rank - 1) << " (gate_c8)";
  }
  for (auto [i, pair] : llvm::enumerate(getScales())) {
    RankedTensorType s = typeOf(pair.first), p = typeOf(pair.second);
    bool rowUnit = s.getRank() == 2 && areCompatible(s.getDimSize(0), rows) &&
                   areCompatible(s.getDimSize(1), units);
    if (!rowUnit && !(s.getRank() == rank && isSuffix(s.getShape(), result.getShape())))
      return emitOpError() << "expects the first operand of scale #" << i
                           << " to be [B, H] or to have the shape of the result " << result
                           << ", but got " << s << " (gate_c9)";
    if (!isSuffix(p.getShape(), result.getShape()))
      return emitOpError() << "expects the second operand of scale #" << i
                           << " to have the last dimensions of the result " << result << ", but got "
                           << p << " (gate_c9)";
  }
  for (auto [i, addend] : llvm::enumerate(getAddends()))
    if (!isSuffix(typeOf(addend).getShape(), result.getShape()))
      return emitOpError() << "expects add #" << i << " to have the last dimensions of the result "
                           << result << ", but got " << addend.getType() << " (gate_c10)";
  // A row count that no operand carries could not be known at run time.
  bool carriesRows = !getDotLhs().empty() || !getScaleLhs().empty() ||
                     llvm::any_of(getAddends(), [&](Value v) { return typeOf(v).getRank() == rank; });
  if (!carriesRows)
    return emitOpError("expects a term that has rows: a 'dot', a 'scale' or an 'add' of the shape of "
                       "the result (gate_c11)");
  return success();
}

LogicalResult GateOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &shapes) {
  RankedTensorType type = getResultType();
  int64_t rank = type.getRank();
  Location loc = getLoc();
  SmallVector<OpFoldResult> sizes(rank);
  if (rank == 3)
    sizes[1] = builder.getIndexAttr(getNumGates());
  auto take = [&](int64_t dim, Value from, int64_t fromDim) {
    if (!sizes[dim])
      sizes[dim] = tensor::getMixedSize(builder, loc, from, fromDim);
  };
  for (int64_t dim : {int64_t(0), rank - 1})
    if (!type.isDynamicDim(dim))
      sizes[dim] = builder.getIndexAttr(type.getDimSize(dim));
  for (auto [a, w] : getDots()) {
    take(0, a, 0);
    take(rank - 1, w, rank - 1);
  }
  for (auto [s, p] : getScales()) {
    take(0, s, 0);
    take(rank - 1, s, typeOf(s).getRank() - 1);
  }
  for (Value addend : getAddends()) {
    int64_t addendRank = typeOf(addend).getRank();
    if (addendRank == rank)
      take(0, addend, 0);
    take(rank - 1, addend, addendRank - 1);
  }
  shapes.push_back(std::move(sizes));
  return success();
}

//===----------------------------------------------------------------------===//
// Folding and canonicalization
//===----------------------------------------------------------------------===//

OpFoldResult GateOp::fold(FoldAdaptor) {
  // identity add(x) is x.
  if (isPlainSum() && getOperation()->getNumOperands() == 1 && getAddends().size() == 1 &&
      getAddends()[0].getType() == getResult().getType())
    return getAddends()[0];
  return {};
}

/// Replaces the terms of `gate`.
static void setTerms(PatternRewriter &rewriter, GateOp gate, ArrayRef<ValuePair> dots,
                     ArrayRef<ValuePair> scales, ArrayRef<Value> addends) {
  rewriter.modifyOpInPlace(gate, [&] {
    auto assign = [](MutableOperandRange range, ArrayRef<ValuePair> pairs, bool second) {
      range.assign(llvm::map_to_vector(pairs, [&](ValuePair p) { return second ? p.second : p.first; }));
    };
    assign(gate.getDotLhsMutable(), dots, false);
    assign(gate.getDotRhsMutable(), dots, true);
    assign(gate.getScaleLhsMutable(), scales, false);
    assign(gate.getScaleRhsMutable(), scales, true);
    gate.getAddendsMutable().assign(addends);
  });
}

/// A term with a zero factor, or a zero addend, is lost. (0 times infinity and 0
/// times NaN count as 0 here, as everywhere where a constant operand is folded.)
static LogicalResult dropZeroTerms(GateOp gate, PatternRewriter &rewriter) {
  auto isZeroPair = [](ValuePair pair) { return isZeroTensor(pair.first) || isZeroTensor(pair.second); };
  SmallVector<ValuePair> dots = gate.getDots(), scales = gate.getScales();
  SmallVector<Value> addends(gate.getAddends());
  size_t before = dots.size() + scales.size() + addends.size();
  llvm::erase_if(dots, isZeroPair);
  llvm::erase_if(scales, isZeroPair);
  llvm::erase_if(addends, isZeroTensor);
  size_t after = dots.size() + scales.size() + addends.size();
  if (after == before)
    return rewriter.notifyMatchFailure(gate, "has no zero term");
  int64_t rank = gate.getResultType().getRank();
  bool carriesRows = !dots.empty() || !scales.empty() ||
                     llvm::any_of(addends, [&](Value v) { return typeOf(v).getRank() == rank; });
  if (!carriesRows) {
    // All that is left is the same in each row; a zero of the shape of the
    // result keeps the gate well-formed. It is its own normal form.
    if (after + 1 == before && llvm::any_of(gate.getAddends(), [&](Value v) {
          return typeOf(v).getRank() == rank && isZeroTensor(v);
        }))
      return rewriter.notifyMatchFailure(gate, "needs its zero addend for the rows");
    ReifiedRankedShapedTypeDims shapes;
    if (failed(gate.reifyResultShapes(rewriter, shapes)))
      return failure();
    Type element = gate.getResultType().getElementType();
    Value zero = arith::ConstantOp::create(rewriter, gate.getLoc(), rewriter.getZeroAttr(element));
    SmallVector<Value> dynamic;
    SmallVector<int64_t> shape;
    dispatchIndexOpFoldResults(shapes[0], dynamic, shape);
    Value splat;
    if (dynamic.empty())
      splat = arith::ConstantOp::create(
          rewriter, gate.getLoc(), cast<TypedAttr>(rewriter.getZeroAttr(gate.getResultType())));
    else
      splat = tensor::SplatOp::create(rewriter, gate.getLoc(), gate.getResultType(), zero, dynamic);
    addends.push_back(splat);
  }
  setTerms(rewriter, gate, dots, scales, addends);
  return success();
}

/// identity gates that serve one gate only become part of it.
static LogicalResult mergePlainSums(GateOp gate, PatternRewriter &rewriter) {
  for (auto [i, addend] : llvm::enumerate(gate.getAddends())) {
    auto inner = addend.getDefiningOp<GateOp>();
    if (!inner || !inner.isPlainSum() || !addend.hasOneUse() ||
        inner->getBlock() != gate->getBlock() || inner.getResultType() != gate.getResultType() ||
        inner.getComputeType() != gate.getComputeType() ||
        inner.getResultType().getElementType() != inner.getComputeType())
      continue;
    SmallVector<ValuePair> dots = gate.getDots(), scales = gate.getScales();
    SmallVector<Value> addends(gate.getAddends());
    addends.erase(addends.begin() + i);
    llvm::append_range(dots, inner.getDots());
    llvm::append_range(scales, inner.getScales());
    llvm::append_range(addends, inner.getAddends());
    setTerms(rewriter, gate, dots, scales, addends);
    rewriter.eraseOp(inner);
    return success();
  }
  return rewriter.notifyMatchFailure(gate, "adds no plain sum of its own");
}

/// A result without elements is computed by nothing.
static LogicalResult dropEmptyGate(GateOp gate, PatternRewriter &rewriter) {
  RankedTensorType type = gate.getResultType();
  if (!llvm::is_contained(type.getShape(), 0))
    return rewriter.notifyMatchFailure(gate, "has elements or may have some");
  ReifiedRankedShapedTypeDims shapes;
  if (failed(gate.reifyResultShapes(rewriter, shapes)))
    return failure();
  SmallVector<Value> dynamic;
  for (auto [i, size] : llvm::enumerate(shapes[0]))
    if (type.isDynamicDim(i))
      dynamic.push_back(getValueOrCreateConstantIndexOp(rewriter, gate.getLoc(), size));
  rewriter.replaceOpWithNewOp<tensor::EmptyOp>(gate, type, dynamic);
  return success();
}

void GateOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(dropEmptyGate);
  patterns.add(dropZeroTerms);
  patterns.add(mergePlainSums);
}
