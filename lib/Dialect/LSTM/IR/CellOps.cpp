//===- CellOps.cpp - lstm.cell, lstm.gru_cell, lstm.rnn_cell -*- C++ -*-===//
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

using ValuePair = std::pair<Value, Value>;

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

namespace {
/// Checks operands of a cell against shapes written with names: each name stands
/// for one size, which the first static operand that has it gives.
class ShapeChecker {
public:
  ShapeChecker(Operation *op, StringRef label) : op(op), label(label) {}

  /// `dims` are names such as "B", or numbers such as "4".
  LogicalResult check(Value value, StringRef operand, ArrayRef<StringRef> dims) {
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getRank() != int64_t(dims.size()))
      return op->emitOpError() << "expects '" << operand << "' to be [" << llvm::join(dims, ", ")
                               << "], but got " << type << " (" << label << "1)";
    for (auto [i, dim] : llvm::enumerate(dims)) {
      int64_t size = type.getDimSize(i), number;
      if (!dim.getAsInteger(10, number)) {
        if (size != number)
          return op->emitOpError() << "expects '" << operand << "' dim #" << i << " to be " << number
                                   << " gates, but got " << sizeToString(size) << " (" << label << "2)";
        continue;
      }
      if (ShapedType::isDynamic(size))
        continue;
      auto [entry, isNew] = known.try_emplace(dim, size, operand);
      if (!isNew && entry->second.first != size)
        return op->emitOpError() << "expects '" << operand << "' dim #" << i << " to be " << dim << " = "
                                 << entry->second.first << " as in '" << entry->second.second
                                 << "', but got " << size << " (" << label << "3)";
    }
    return success();
  }

  LogicalResult checkOptions(FloatAttr clip, std::optional<ArrayAttr> activations, size_t count) {
    if (clip && !(clip.getValueAsDouble() > 0))
      return op->emitOpError() << "expects 'clip' to be greater than 0, but got "
                               << clip.getValueAsDouble() << " (" << label << "4)";
    if (activations && activations->size() != count)
      return op->emitOpError() << "expects " << count << " activations, but got "
                               << activations->size() << " (" << label << "5)";
    return success();
  }

private:
  Operation *op;
  StringRef label;
  llvm::StringMap<std::pair<int64_t, StringRef>> known;
};
} // namespace

LogicalResult CellOp::verify() {
  ShapeChecker shapes(*this, "cell_c");
  StringRef gates = getCoupled() ? "3" : "4", state = getProjection() ? "P" : "H";
  if (failed(shapes.check(getCell(), "cell", {"B", "H"})) ||
      failed(shapes.check(getInput(), "input", {"B", "I"})) ||
      failed(shapes.check(getInputWeight(), "input_weight", {"I", gates, "H"})) ||
      failed(shapes.check(getState(), "state", {"B", state})) ||
      failed(shapes.check(getStateWeight(), "state_weight", {state, gates, "H"})) ||
      (getBias() && failed(shapes.check(getBias(), "bias", {gates, "H"}))) ||
      (getPeephole() &&
       failed(shapes.check(getPeephole(), "peephole", {getCoupled() ? "2" : "3", "H"}))) ||
      (getProjection() && failed(shapes.check(getProjection(), "projection", {"H", "P"}))))
    return failure();
  return shapes.checkOptions(getClipAttr(), getActivations(), 3);
}

LogicalResult GRUCellOp::verify() {
  ShapeChecker shapes(*this, "gru_cell_c");
  if (failed(shapes.check(getState(), "state", {"B", "H"})) ||
      failed(shapes.check(getInput(), "input", {"B", "I"})) ||
      failed(shapes.check(getInputWeight(), "input_weight", {"I", "3", "H"})) ||
      failed(shapes.check(getStateWeight(), "state_weight", {"H", "3", "H"})) ||
      (getBias() && failed(shapes.check(getBias(), "bias", {"3", "H"}))) ||
      (getRecurrentBias() &&
       failed(shapes.check(getRecurrentBias(), "recurrent_bias", {"3", "H"}))))
    return failure();
  return shapes.checkOptions(getClipAttr(), getActivations(), 2);
}

LogicalResult RNNCellOp::verify() {
  ShapeChecker shapes(*this, "rnn_cell_c");
  if (failed(shapes.check(getState(), "state", {"B", "H"})) ||
      failed(shapes.check(getInput(), "input", {"B", "I"})) ||
      failed(shapes.check(getInputWeight(), "input_weight", {"I", "H"})) ||
      failed(shapes.check(getStateWeight(), "state_weight", {"H", "H"})) ||
      (getBias() && failed(shapes.check(getBias(), "bias", {"H"}))))
    return failure();
  return shapes.checkOptions(getClipAttr(), getActivations(), 1);
}

//===----------------------------------------------------------------------===//
// Types and shapes of results: those of the states
//===----------------------------------------------------------------------===//

LogicalResult CellOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                       ValueRange operands, DictionaryAttr attributes,
                                       OpaqueProperties properties, RegionRange regions,
                                       SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  types.push_back(adaptor.getState().getType());
  types.push_back(adaptor.getCell().getType());
  return success();
}

LogicalResult GRUCellOp::inferReturnTypes(MLIRContext *, std::optional<Location>, ValueRange operands,
                                          DictionaryAttr attributes, OpaqueProperties properties,
                                          RegionRange regions, SmallVectorImpl<Type> &types) {
  types.push_back(Adaptor(operands, attributes, properties, regions).getState().getType());
  return success();
}

LogicalResult RNNCellOp::inferReturnTypes(MLIRContext *, std::optional<Location>, ValueRange operands,
                                          DictionaryAttr attributes, OpaqueProperties properties,
                                          RegionRange regions, SmallVectorImpl<Type> &types) {
  types.push_back(Adaptor(operands, attributes, properties, regions).getState().getType());
  return success();
}

LogicalResult CellOp::reifyResultShapes(OpBuilder &b, ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(tensor::getMixedSizes(b, getLoc(), getState()));
  shapes.push_back(tensor::getMixedSizes(b, getLoc(), getCell()));
  return success();
}

LogicalResult GRUCellOp::reifyResultShapes(OpBuilder &b, ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(tensor::getMixedSizes(b, getLoc(), getState()));
  return success();
}

LogicalResult RNNCellOp::reifyResultShapes(OpBuilder &b, ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(tensor::getMixedSizes(b, getLoc(), getState()));
  return success();
}

//===----------------------------------------------------------------------===//
// Decomposition into gates
//===----------------------------------------------------------------------===//

namespace {
/// Builds gates of one cell. Everything is computed at least in f32 and rounded
/// only where a result leaves the cell.
struct GateBuilder {
  OpBuilder &b;
  Location loc;
  FloatType compute;
  FloatAttr clip;

  GateBuilder(OpBuilder &b, Operation *cell, FloatAttr clip)
      : b(b), loc(cell->getLoc()), compute(Float32Type::get(b.getContext())), clip(clip) {
    for (Type type : cell->getOperandTypes())
      if (auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
          element && element.getWidth() > compute.getWidth())
        compute = element;
  }

  /// The type of a gate with the rows and units of `like`.
  RankedTensorType gateType(Value rows, Value units) {
    auto r = cast<RankedTensorType>(rows.getType()), u = cast<RankedTensorType>(units.getType());
    return RankedTensorType::get({r.getDimSize(0), u.getDimSize(u.getRank() - 1)}, compute);
  }

  /// Slice `g` along the gate axis: the second-last dimension.
  Value slice(Value packed, int64_t g) {
    auto type = cast<RankedTensorType>(packed.getType());
    int64_t rank = type.getRank(), axis = rank - 2;
    SmallVector<OpFoldResult> offsets(rank, b.getIndexAttr(0)), strides(rank, b.getIndexAttr(1));
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, packed);
    offsets[axis] = b.getIndexAttr(g);
    sizes[axis] = b.getIndexAttr(1);
    SmallVector<int64_t> shape(type.getShape());
    shape.erase(shape.begin() + axis);
    return tensor::ExtractSliceOp::create(b, loc, RankedTensorType::get(shape, type.getElementType()),
                                          packed, offsets, sizes, strides);
  }

  Value gate(Type type, ActivationAttr act, ArrayRef<ValuePair> dots, ArrayRef<ValuePair> scales,
             ArrayRef<Value> addends, bool clips = true) {
    return GateOp::create(b, loc, type, act, dots, scales, ValueRange(addends),
                          clips ? clip : FloatAttr());
  }

  Value plain(Type type, ArrayRef<ValuePair> dots, ArrayRef<Value> addends) {
    return gate(type, act(ActivationKind::Identity), dots, {}, addends, /*clips=*/false);
  }

  ActivationAttr act(ActivationKind kind) { return ActivationAttr::get(b.getContext(), kind); }

  /// The activation at position `i` of the operation's list, or a default.
  ActivationAttr act(std::optional<ArrayAttr> list, unsigned i, ActivationKind otherwise) {
    return list ? cast<ActivationAttr>((*list)[i]) : act(otherwise);
  }

  /// `value` in another element type.
  Value convert(Value value, Type to) {
    Type from = value.getType();
    if (from == to)
      return value;
    if (getElementTypeOrSelf(from) == getElementTypeOrSelf(to))
      return tensor::CastOp::create(b, loc, to, value);
    auto withElement = cast<RankedTensorType>(from).clone(getElementTypeOrSelf(to));
    unsigned widthFrom = getElementTypeOrSelf(from).getIntOrFloatBitWidth();
    unsigned widthTo = getElementTypeOrSelf(to).getIntOrFloatBitWidth();
    Value converted = widthTo > widthFrom ? Value(arith::ExtFOp::create(b, loc, withElement, value))
                                          : Value(arith::TruncFOp::create(b, loc, withElement, value));
    return convert(converted, to);
  }

  Value mul(Value x, Value y) { return arith::MulFOp::create(b, loc, x, y); }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, loc, x, y); }
};
} // namespace

FailureOr<SmallVector<Value>> CellOp::decomposeCell(OpBuilder &builder) {
  GateBuilder b(builder, *this, getClipAttr());
  ActivationAttr F = b.act(getActivations(), 0, ActivationKind::Sigmoid),
                 G = b.act(getActivations(), 1, ActivationKind::Tanh),
                 A = b.act(getActivations(), 2, ActivationKind::Tanh);
  auto type = RankedTensorType::get(cast<RankedTensorType>(getCell().getType()).getShape(), b.compute);
  Value c = b.convert(getCell(), type);
  bool coupled = getCoupled();
  // Positions of the gates i, f, g, o and of the peepholes of i, f, o.
  enum { I, Forget, Candidate, O };
  auto gate = [&](int position, ActivationAttr act, int peephole, Value seen) {
    int g = coupled && position > Forget ? position - 1 : position;
    SmallVector<ValuePair> dots = {{getInput(), b.slice(getInputWeight(), g)},
                                   {getState(), b.slice(getStateWeight(), g)}};
    SmallVector<ValuePair> scales;
    if (getPeephole() && peephole >= 0)
      scales.push_back({seen, b.slice(getPeephole(), coupled && peephole > 0 ? peephole - 1 : peephole)});
    SmallVector<Value> addends;
    if (getBias())
      addends.push_back(b.slice(getBias(), g));
    return b.gate(type, act, dots, scales, addends);
  };
  Value i = gate(I, F, 0, c);
  Value f = coupled ? b.gate(type, ActivationAttr::get(getContext(), ActivationKind::Affine, -1.0, 1.0),
                             {}, {}, {i}, /*clips=*/false)
                    : gate(Forget, F, 1, c);
  Value g = gate(Candidate, G, -1, {});
  Value c1 = b.add(b.mul(f, c), b.mul(i, g));
  Value o = gate(O, F, 2, c1);
  Value h1 = b.mul(o, b.gate(type, A, {}, {}, {c1}));
  if (Value projection = getProjection())
    h1 = b.plain(b.gateType(h1, projection), {{h1, projection}}, {});
  return SmallVector<Value>{b.convert(h1, getNextState().getType()),
                            b.convert(c1, getNextCell().getType())};
}

FailureOr<SmallVector<Value>> GRUCellOp::decomposeCell(OpBuilder &builder) {
  GateBuilder b(builder, *this, getClipAttr());
  ActivationAttr F = b.act(getActivations(), 0, ActivationKind::Sigmoid),
                 G = b.act(getActivations(), 1, ActivationKind::Tanh);
  auto type = RankedTensorType::get(cast<RankedTensorType>(getState().getType()).getShape(), b.compute);
  Value x = getInput(), h = getState(), wide = b.convert(h, type);
  auto addBias = [&](SmallVector<Value> &addends, Value bias, int64_t g) {
    if (bias)
      addends.push_back(b.slice(bias, g));
  };
  auto gate = [&](int64_t g) {
    SmallVector<Value> addends;
    addBias(addends, getBias(), g);
    addBias(addends, getRecurrentBias(), g);
    return b.gate(type, F, {{x, b.slice(getInputWeight(), g)}, {h, b.slice(getStateWeight(), g)}}, {},
                  addends);
  };
  Value r = gate(0), z = gate(1), n;
  Value Wn = b.slice(getInputWeight(), 2), Un = b.slice(getStateWeight(), 2);
  SmallVector<Value> addends;
  addBias(addends, getBias(), 2);
  if (getResetAfter()) {
    SmallVector<Value> inner;
    addBias(inner, getRecurrentBias(), 2);
    Value q = b.plain(type, {{h, Un}}, inner);
    n = b.gate(type, G, {{x, Wn}}, {{r, q}}, addends);
  } else {
    addBias(addends, getRecurrentBias(), 2);
    n = b.gate(type, G, {{x, Wn}, {b.mul(r, wide), Un}}, {}, addends);
  }
  // (1 - z) n + z h.
  Value h1 = b.add(n, b.mul(z, b.sub(wide, n)));
  return SmallVector<Value>{b.convert(h1, getNextState().getType())};
}

FailureOr<SmallVector<Value>> RNNCellOp::decomposeCell(OpBuilder &builder) {
  GateBuilder b(builder, *this, getClipAttr());
  SmallVector<Value> addends;
  if (getBias())
    addends.push_back(getBias());
  return SmallVector<Value>{b.gate(getNextState().getType(),
                                   b.act(getActivations(), 0, ActivationKind::Tanh),
                                   {{getInput(), getInputWeight()}, {getState(), getStateWeight()}}, {},
                                   addends)};
}
