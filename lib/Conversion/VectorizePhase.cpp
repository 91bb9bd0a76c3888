//===- VectorizePhase.cpp - The loops of one phase -------------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A phase with products becomes
//
//   for u in units step vectors * lanes:
//     panel = W[:, :, u ...], copied into one piece if enough rows use it
//     for r in rows step tile rows:
//       accumulators = for k: a[r + i, k] * panel[k, g, j]
//       for each vector j, for each row i: body, stored
//
// and what remains of units takes the same with masks, what remains of rows a
// lower tile. Without products rows are the outer loop.
//
//===----------------------------------------------------------------------===//

#include "VectorizePhase.h"
#include "VectorizeBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::lstm;

namespace {

/// Rows, and vectors of units, of one tile.
struct Tile {
  int64_t rows, vectors;
};

/// Some consecutive vectors of units, from unit `first` on.
struct Units {
  Value first;
  SmallVector<UnitVector> vectors;
  /// How many units are left from `first` on; null: they fill all vectors.
  Value left = {};
};

/// The part of a weight that the tiles of one `Units` use.
struct Panel {
  Value memref;
  /// Where the units begin in `memref`.
  Value first;
  /// Beyond the last unit there are zeros.
  bool isPadded;
};

class PhaseVectorizer {
public:
  PhaseVectorizer(RewriterBase &b, PhaseOp phase, const VectorTarget &target);
  void run();

private:
  // Index arithmetic, folded.
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  Value add(Value l, Value r) { return b.createOrFold<arith::AddIOp>(loc, l, r); }
  Value add(Value l, int64_t r) { return r == 0 ? l : add(l, index(r)); }
  Value sub(Value l, Value r) { return b.createOrFold<arith::SubIOp>(loc, l, r); }
  Value roundDown(Value value, int64_t to) {
    return sub(value, b.createOrFold<arith::RemSIOp>(loc, value, index(to)));
  }
  bool isAtLeast(Value value, int64_t bound) {
    auto constant = getConstantIntValue(value);
    return constant && *constant >= bound;
  }

  /// The vector whose first unit is number `offset` of `left` that are left.
  UnitVector getUnitVector(Value left, Value offset);
  void forLoop(Value from, Value to, int64_t step, function_ref<void(Value)> body);
  void forEachUnits(function_ref<void(const Units &)> body);
  void forEachRowTile(function_ref<void(Value, int64_t)> body);

  void emitLoops();
  int64_t getMaxVectors();
  /// Vectors that make the most of the registers where there is one tile of rows.
  int64_t getVectorsForRows(int64_t rows);

  void allocatePackBuffers();
  void preparePanels(const Units &units);
  Panel packPanel(unsigned pair, const Units &units);

  SmallVector<Value> emitProducts(Value row, int64_t rows, const Units &units);
  void emitSteps(unsigned pair, Value k, int64_t steps, Value row, int64_t rows,
                 const Units &units, SmallVectorImpl<Value> &accumulators);
  void emitBody(Value row, int64_t height, Value unit, UnitVector vector,
                function_ref<Value(Value, int64_t)> accumulatorOf);
  void emitTile(Value row, int64_t height, const Units &units);
  void allocateScratch();
  Value loadInput(unsigned input, int64_t gate, Value row, Value unit, UnitVector vector);

  unsigned numPairs() { return phase.getStates().size(); }
  /// The size that dimension `dims[i]` of `values[i]` has for all i: a constant
  /// where one of the types tells.
  Value sizeOf(ValueRange values, ArrayRef<int64_t> dims);

  RewriterBase &b;
  PhaseOp phase;
  /// The phase, or the branch that all its loops are in.
  Operation *anchor;
  Location loc;
  /// Type in which products are summed: that of the accumulators, at least f32.
  FloatType sumType = {};
  int64_t lanes, numGates;
  int64_t maxAccumulators;
  Tile tile;
  Value rows, units;
  SmallVector<Value> depths;
  /// A buffer for a panel of each pair; null: used where it stands.
  SmallVector<Value> packBuffers;
  /// Whether there are rows enough to pack, an i1; null: always.
  Value isPacked;
  SmallVector<Panel> panels;
  /// Accumulators of a tile: [vectors, rows, gates, lanes].
  Value scratch;
};

} // namespace

//===----------------------------------------------------------------------===//
// Shape of the tile
//===----------------------------------------------------------------------===//

Value PhaseVectorizer::sizeOf(ValueRange values, ArrayRef<int64_t> dims) {
  for (auto [value, dim] : llvm::zip_equal(values, dims))
    if (auto type = cast<MemRefType>(value.getType()); !type.isDynamicDim(dim))
      return index(type.getDimSize(dim));
  return memref::DimOp::create(b, loc, values.front(), dims.front());
}

/// The type whose vectors fill a register: that in which products are summed,
/// else the widest float; at least f32.
static FloatType getRegisterType(PhaseOp phase) {
  FloatType widest = Float32Type::get(phase.getContext());
  TypeRange types = phase.getBody().getArgumentTypes();
  if (int64_t count = phase.getNumAccumulators())
    types = types.take_front(count);
  for (Type type : types)
    if (auto floatType = dyn_cast<FloatType>(type))
      if (floatType.getWidth() > widest.getWidth())
        widest = floatType;
  return widest;
}

PhaseVectorizer::PhaseVectorizer(RewriterBase &b, PhaseOp phase, const VectorTarget &target)
    : b(b), phase(phase), anchor(phase), loc(phase.getLoc()) {
  b.setInsertionPoint(phase);
  sumType = getRegisterType(phase);
  lanes = std::max<int64_t>(1, target.bits / sumType.getWidth());
  numGates = phase.getNumAccumulators();
  maxAccumulators = target.getNumAccumulators();

  SmallVector<Value> rowSized(phase.getOuts()), unitSized(phase.getOuts());
  SmallVector<int64_t> rowDims(rowSized.size(), 0), unitDims(unitSized.size(), 1);
  for (auto [state, weight] : llvm::zip_equal(phase.getStates(), phase.getWeights())) {
    rowSized.push_back(state);
    rowDims.push_back(0);
    unitSized.push_back(weight);
    unitDims.push_back(2);
    depths.push_back(sizeOf({state, weight}, {1, 0}));
  }
  rows = sizeOf(rowSized, rowDims);
  units = sizeOf(unitSized, unitDims);

  tile = {1, 1};
  if (numGates == 0)
    return;
  // A step of k loads gates * vectors of W and broadcasts rows of a: with few
  // gates more vectors keep the loads below the products.
  int64_t wanted = maxAccumulators >= 24 ? 4 : 2;
  tile.vectors = std::max<int64_t>(1, wanted / numGates);
  tile.rows = target.rows > 0 ? target.rows
                              : std::max<int64_t>(1, maxAccumulators / (numGates * tile.vectors));
  if (auto count = getConstantIntValue(rows)) {
    // Tiles of equal height; if there is one, wide instead.
    int64_t numTiles = std::max<int64_t>(1, llvm::divideCeil(*count, tile.rows));
    tile.rows = std::max<int64_t>(1, llvm::divideCeil(*count, numTiles));
    if (numTiles == 1)
      tile.vectors = getVectorsForRows(tile.rows);
  }
  tile.vectors = std::min(tile.vectors, getMaxVectors());
}

int64_t PhaseVectorizer::getMaxVectors() {
  auto count = getConstantIntValue(units);
  return count ? std::max<int64_t>(1, llvm::divideCeil(*count, lanes)) : maxAccumulators;
}

int64_t PhaseVectorizer::getVectorsForRows(int64_t rows) {
  return std::clamp<int64_t>(maxAccumulators / (numGates * rows), 1, getMaxVectors());
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void PhaseVectorizer::forLoop(Value from, Value to, int64_t step, function_ref<void(Value)> body) {
  if (auto first = getConstantIntValue(from), last = getConstantIntValue(to); first && last) {
    if (*first >= *last)
      return;
    if (*last - *first <= step)
      return body(from);
  }
  auto loop = scf::ForOp::create(b, loc, from, to, index(step));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

UnitVector PhaseVectorizer::getUnitVector(Value left, Value offset) {
  UnitVector vector{lanes};
  if (!left)
    return vector;
  Value count = sub(left, offset);
  if (isAtLeast(count, lanes))
    return vector;
  vector.count = b.createOrFold<arith::MinSIOp>(loc, count, index(lanes));
  auto maskType = VectorType::get(lanes, b.getI1Type());
  vector.mask = vector::CreateMaskOp::create(b, loc, maskType, vector.count);
  return vector;
}

void PhaseVectorizer::forEachUnits(function_ref<void(const Units &)> body) {
  int64_t step = tile.vectors * lanes;
  Value full = roundDown(units, step);
  forLoop(index(0), full, step, [&](Value u) {
    body({u, SmallVector<UnitVector>(tile.vectors, UnitVector{lanes})});
  });

  Value rest = sub(units, full);
  auto constantRest = getConstantIntValue(rest);
  if (constantRest && *constantRest == 0)
    return;
  OpBuilder::InsertionGuard guard(b);
  if (!constantRest) {
    Value isAny = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, rest, index(0));
    auto ifOp = scf::IfOp::create(b, loc, isAny, /*withElseRegion=*/false);
    b.setInsertionPointToStart(ifOp.thenBlock());
  }
  Units last{full, {}, rest};
  for (int64_t j = 0; j < tile.vectors; ++j) {
    if (constantRest && *constantRest <= j * lanes)
      break;
    last.vectors.push_back(getUnitVector(last.left, index(j * lanes)));
  }
  body(last);
}

void PhaseVectorizer::forEachRowTile(function_ref<void(Value, int64_t)> body) {
  Value full = roundDown(rows, tile.rows);
  forLoop(index(0), full, tile.rows, [&](Value row) { body(row, tile.rows); });
  if (tile.rows == 1)
    return;
  Value rest = sub(rows, full);
  if (auto count = getConstantIntValue(rest)) {
    if (*count > 0)
      body(full, *count);
    return;
  }
  forLoop(full, rows, 1, [&](Value row) { body(row, 1); });
}

//===----------------------------------------------------------------------===//
// Panels of weights
//===----------------------------------------------------------------------===//

/// The outermost loop or branch around `place` that `value`, if there is one, is
/// defined outside of; `place` itself if there is none.
static Operation *hoistAbove(Operation *place, Value value) {
  while (isa<scf::ForOp, scf::WhileOp, scf::IfOp>(place->getParentOp()) &&
         !(value && place->getParentOp()->isAncestor(value.getParentRegion()->getParentOp())))
    place = place->getParentOp();
  return place;
}

void PhaseVectorizer::allocatePackBuffers() {
  packBuffers.assign(numPairs(), Value());
  isPacked = Value();
  // A copy must pay for itself.
  int64_t minRows = 4 * tile.rows;
  auto constantRows = getConstantIntValue(rows);
  bool isWorthIt = constantRows ? *constantRows >= minRows : tile.rows > 1;
  bool isAnyPacked = false, isAnyContiguous = false;
  for (unsigned p = 0; p < numPairs(); ++p) {
    Value weight = phase.getWeights()[p];
    isAnyContiguous |= hasContiguousUnits(weight);
    if (!isWorthIt && hasContiguousUnits(weight))
      continue;
    auto weightType = cast<MemRefType>(weight.getType());
    auto depth = getConstantIntValue(depths[p]);
    auto type = MemRefType::get(
        {depth.value_or(ShapedType::kDynamic), numGates, tile.vectors * lanes},
        weightType.getElementType(), MemRefLayoutAttrInterface(), weightType.getMemorySpace());
    Operation *place = hoistAbove(anchor, weight);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(place);
    SmallVector<Value> sizes;
    if (!depth)
      sizes.push_back(memref::DimOp::create(b, loc, weight, 0));
    packBuffers[p] =
        memref::AllocOp::create(b, loc, type, sizes, b.getI64IntegerAttr(/*alignment=*/64));
    b.setInsertionPointAfter(place);
    memref::DeallocOp::create(b, loc, packBuffers[p]);
    isAnyPacked = true;
  }
  if (isAnyPacked && isAnyContiguous && !constantRows)
    isPacked = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, rows, index(minRows));
}

/// The memref type with elements like `memref`'s of which only the rank and the
/// unit stride of the last dimension are known.
static MemRefType getGeneralType(Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<int64_t> shape(type.getRank(), ShapedType::kDynamic), strides = shape;
  strides.back() = 1;
  auto layout = StridedLayoutAttr::get(type.getContext(), ShapedType::kDynamic, strides);
  return MemRefType::get(shape, type.getElementType(), layout, type.getMemorySpace());
}

Panel PhaseVectorizer::packPanel(unsigned pair, const Units &units) {
  Value weight = phase.getWeights()[pair], buffer = packBuffers[pair];
  forLoop(index(0), depths[pair], 1, [&](Value k) {
    forLoop(index(0), index(numGates), 1, [&](Value g) {
      for (auto [j, vector] : llvm::enumerate(units.vectors)) {
        Value from = add(units.first, j * lanes);
        Value loaded = loadUnits(b, loc, weight, {k, g, from}, vector);
        storeUnits(b, loc, loaded, buffer, {k, g, index(j * lanes)}, UnitVector{lanes});
      }
    });
  });
  return {buffer, index(0), /*isPadded=*/true};
}

void PhaseVectorizer::preparePanels(const Units &units) {
  panels.clear();
  for (unsigned p = 0; p < numPairs(); ++p) {
    Value weight = phase.getWeights()[p];
    if (!packBuffers[p]) {
      panels.push_back({weight, units.first, /*isPadded=*/false});
      continue;
    }
    if (!isPacked || !hasContiguousUnits(weight)) {
      panels.push_back(packPanel(p, units));
      continue;
    }
    // One product loop serves both: the panel is a copy or a part of W.
    MemRefType general = getGeneralType(weight);
    auto choice = scf::IfOp::create(b, loc, TypeRange{general}, isPacked, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    Panel packed = packPanel(p, units);
    Value copy = memref::CastOp::create(b, loc, general, packed.memref);
    scf::YieldOp::create(b, loc, copy);
    b.setInsertionPointToStart(choice.elseBlock());
    Value size = index(0);
    for (const UnitVector &vector : units.vectors)
      size = add(size, vector.count ? vector.count : index(lanes));
    Value part = memref::SubViewOp::create(
        b, loc, weight, {b.getIndexAttr(0), b.getIndexAttr(0), units.first},
        {depths[p], b.getIndexAttr(numGates), size},
        {b.getIndexAttr(1), b.getIndexAttr(1), b.getIndexAttr(1)});
    part = memref::CastOp::create(b, loc, general, part);
    scf::YieldOp::create(b, loc, part);
    b.setInsertionPointAfter(choice);
    panels.push_back({choice.getResult(0), index(0), /*isPadded=*/false});
  }
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Adds what `steps` steps from k on contribute. Step s adds to sum number s
/// modulo the number of sums.
void PhaseVectorizer::emitSteps(unsigned pair, Value k, int64_t steps, Value row, int64_t rows,
                                const Units &units, SmallVectorImpl<Value> &accumulators) {
  const Panel &panel = panels[pair];
  Value state = phase.getStates()[pair];
  int64_t numVectors = units.vectors.size();
  int64_t numWeights = numGates * numVectors;
  int64_t tileSize = rows * numWeights;
  int64_t numSums = accumulators.size() / tileSize;
  for (int64_t s = 0; s < steps; ++s) {
    Value at = add(k, s);
    auto loadFactor = [&](int64_t i) {
      Value scalar = loadElement(b, loc, state, {add(row, i), at});
      return broadcastTo(b, loc, castFloat(b, loc, scalar, sumType), lanes);
    };
    auto loadWeight = [&](int64_t w) {
      int64_t gate = w / numVectors, j = w % numVectors;
      UnitVector read = panel.isPadded ? UnitVector{lanes} : units.vectors[j];
      Value loaded = loadUnits(b, loc, panel.memref,
                               {at, index(gate), add(panel.first, j * lanes)}, read);
      return castFloat(b, loc, loaded, sumType);
    };
    // The fewer of the two stay in registers while each of the others passes by.
    bool keepsWeights = numWeights <= rows;
    int64_t numKept = keepsWeights ? numWeights : rows;
    int64_t numPassing = keepsWeights ? rows : numWeights;
    SmallVector<Value> kept;
    for (int64_t n = 0; n < numKept; ++n)
      kept.push_back(keepsWeights ? loadWeight(n) : loadFactor(n));
    int64_t first = (s % numSums) * tileSize;
    for (int64_t m = 0; m < numPassing; ++m) {
      Value passing = keepsWeights ? loadFactor(m) : loadWeight(m);
      for (auto [n, other] : llvm::enumerate(kept)) {
        int64_t position = keepsWeights ? m * numWeights + n : n * numWeights + m;
        Value &sum = accumulators[first + position];
        sum = vector::FMAOp::create(b, loc, passing, other, sum);
      }
    }
  }
}

/// The accumulators of a tile, in the order row, gate, vector.
SmallVector<Value> PhaseVectorizer::emitProducts(Value row, int64_t rows, const Units &units) {
  auto type = VectorType::get(lanes, sumType);
  int64_t tileSize = rows * numGates * units.vectors.size();
  // Few accumulators would wait for each other: let several steps of k have
  // their own.
  int64_t numSums = std::clamp<int64_t>(maxAccumulators / tileSize, 1, 4);
  int64_t steps = std::max<int64_t>(numSums, 2);
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  SmallVector<Value> accumulators(numSums * tileSize, zero);

  for (unsigned p = 0; p < numPairs(); ++p) {
    auto loopOverK = [&](Value from, Value to, int64_t step, MutableArrayRef<Value> carried) {
      if (auto first = getConstantIntValue(from), last = getConstantIntValue(to);
          first && last && *first >= *last)
        return;
      auto loop = scf::ForOp::create(b, loc, from, to, index(step), carried);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      SmallVector<Value> next(loop.getRegionIterArgs());
      emitSteps(p, loop.getInductionVar(), step, row, rows, units, next);
      scf::YieldOp::create(b, loc, next);
      llvm::copy(loop.getResults(), carried.begin());
    };
    Value full = roundDown(depths[p], steps);
    loopOverK(index(0), full, steps, accumulators);
    loopOverK(full, depths[p], 1, MutableArrayRef(accumulators).take_front(tileSize));
  }

  for (int64_t s = 1; s < numSums; ++s)
    for (int64_t i = 0; i < tileSize; ++i)
      accumulators[i] =
          arith::AddFOp::create(b, loc, accumulators[i], accumulators[s * tileSize + i]);
  accumulators.truncate(tileSize);
  return accumulators;
}

//===----------------------------------------------------------------------===//
// One tile
//===----------------------------------------------------------------------===//

Value PhaseVectorizer::loadInput(unsigned input, int64_t gate, Value row, Value unit,
                                 UnitVector vector) {
  Value operand = phase.getInputs()[input];
  if (!isa<MemRefType>(operand.getType()))
    return operand;
  int32_t axes = phase.getAxes()[input];
  SmallVector<Value> indices;
  if (axes & kRow)
    indices.push_back(row);
  if (axes & kGate)
    indices.push_back(index(gate));
  if (!(axes & kUnit))
    return loadElement(b, loc, operand, indices);
  indices.push_back(unit);
  return loadUnits(b, loc, operand, indices, vector);
}

/// The body on `height` rows of one vector of units. `accumulatorOf` gives the
/// accumulator of a row of the tile and a gate.
void PhaseVectorizer::emitBody(Value row, int64_t height, Value unit, UnitVector vector,
                               function_ref<Value(Value, int64_t)> accumulatorOf) {
  Block::BlockArgListType args = phase.getBody().getArguments();
  SmallVector<Value> shared(args.size());
  auto loadInputs = [&](bool withRow, Value row, MutableArrayRef<Value> values) {
    for (unsigned input = 0; input < phase.getInputs().size(); ++input) {
      int32_t axes = phase.getAxes()[input];
      if (static_cast<bool>(axes & kRow) != withRow)
        continue;
      int64_t first = phase.getInputArgumentIndex(input);
      int64_t count = axes & kGate ? phase.getNumGates() : 1;
      for (int64_t g = 0; g < count; ++g)
        if (!args[first + g].use_empty())
          values[first + g] = loadInput(input, g, row, unit, vector);
    }
  };
  // What does not depend on the row is loaded once.
  loadInputs(/*withRow=*/false, Value(), shared);
  forLoop(index(0), index(height), 1, [&](Value i) {
    Value thisRow = add(row, i);
    SmallVector<Value> values(shared);
    for (int64_t g = 0; g < numGates; ++g)
      if (!args[g].use_empty())
        values[g] = castFloat(b, loc, accumulatorOf(i, g), cast<FloatType>(args[g].getType()));
    loadInputs(/*withRow=*/true, thisRow, values);
    for (auto [o, out] : llvm::enumerate(phase.getOuts()))
      if (BlockArgument old = phase.getOutArgument(o); !old.use_empty())
        values[old.getArgNumber()] = loadUnits(b, loc, out, {thisRow, unit}, vector);
    SmallVector<Value> results = vectorizeBody(b, phase, values, lanes);
    for (auto [out, result] : llvm::zip_equal(phase.getOuts(), results))
      storeUnits(b, loc, result, out, {thisRow, unit}, vector);
  });
}

void PhaseVectorizer::emitTile(Value row, int64_t height, const Units &units) {
  SmallVector<Value> accumulators;
  if (numGates > 0)
    accumulators = emitProducts(row, height, units);
  int64_t numVectors = units.vectors.size();
  if (height * numVectors == 1) {
    emitBody(row, height, units.first, units.vectors.front(),
             [&](Value, int64_t g) { return accumulators[g]; });
    return;
  }

  // One copy of the body is enough: it gets the accumulators by way of memory.
  for (int64_t i = 0; i < height; ++i)
    for (int64_t g = 0; g < numGates; ++g)
      for (int64_t j = 0; j < numVectors; ++j)
        vector::StoreOp::create(b, loc, accumulators[(i * numGates + g) * numVectors + j], scratch,
                                ValueRange{index(j), index(i), index(g), index(0)});
  forLoop(index(0), index(numVectors), 1, [&](Value j) {
    Value offset = b.createOrFold<arith::MulIOp>(loc, j, index(lanes));
    bool isFull = llvm::none_of(units.vectors, [](UnitVector v) { return v.mask != nullptr; });
    UnitVector vector = isFull ? UnitVector{lanes} : getUnitVector(units.left, offset);
    emitBody(row, height, add(units.first, offset), vector, [&](Value i, int64_t g) -> Value {
      return vector::LoadOp::create(b, loc, VectorType::get(lanes, sumType), scratch,
                                    ValueRange{j, i, index(g), index(0)});
    });
  });
}

void PhaseVectorizer::allocateScratch() {
  if (tile.rows * tile.vectors == 1)
    return;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(hoistAbove(anchor, Value()));
  auto type = MemRefType::get({tile.vectors, tile.rows, numGates, lanes}, sumType);
  scratch = memref::AllocaOp::create(b, loc, type, b.getI64IntegerAttr(/*alignment=*/64));
}

void PhaseVectorizer::emitLoops() {
  if (numGates > 0) {
    allocatePackBuffers();
    allocateScratch();
    forEachUnits([&](const Units &units) {
      preparePanels(units);
      forEachRowTile([&](Value row, int64_t height) { emitTile(row, height, units); });
    });
    return;
  }
  forEachRowTile([&](Value row, int64_t height) {
    forEachUnits([&](const Units &units) { emitTile(row, height, units); });
  });
}

void PhaseVectorizer::run() {
  if (getConstantIntValue(rows) || tile.rows == 1) {
    emitLoops();
  } else {
    // Rows that do not fill one tile get wide tiles of one row.
    Value isFew = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, rows, index(tile.rows));
    auto choice = scf::IfOp::create(b, loc, isFew, /*withElseRegion=*/true);
    anchor = choice;
    b.setInsertionPointToStart(choice.elseBlock());
    emitLoops();
    tile = {1, getVectorsForRows(1)};
    b.setInsertionPointToStart(choice.thenBlock());
    emitLoops();
  }
  b.eraseOp(phase);
}

void lstm::vectorizePhase(RewriterBase &rewriter, PhaseOp phase, const VectorTarget &target) {
  PhaseVectorizer(rewriter, phase, target).run();
}
