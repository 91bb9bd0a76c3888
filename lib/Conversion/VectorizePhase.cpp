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
//   for each block of units:
//     for each block of rows, some tiles high:
//       for each group of gates:
//         for each tile of rows:
//           accumulators = for k: a[r + i, k] * W[k, g, u]
//           scratch = accumulators
//       for each row, for each vector of the block: body, stored
//
// so that what the tiles of a block of rows read of W stays in the first-level cache.
// The rows of a block are shared out among as few tiles as can be, of nearly equal
// height. The rest of units is masked in the body alone where weights are packed, as
// they end in zeros.
// In a loop, sweeps over packed weights alternate their direction: what one has read
// last is still in a cache when the next one begins.
// Without products there are rows and vectors of units only.
//
//===----------------------------------------------------------------------===//

#include "VectorizePhase.h"
#include "VectorizeBody.h"
#include "WorkSharing.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::lstm;

namespace {

/// Tiles in a block of rows.
constexpr int64_t tilesPerBlock = 8;

/// How far ahead, in bytes of W, a tile that is the only one, and so reads W once, asks for what
/// comes. Less is late where W comes from the third-level cache, more displaces what is
/// still to be read.
constexpr int64_t prefetchBytes = 6 * 1024;

/// Elements of a cache line.
int64_t getLineElements(MemRefType type) { return 64 * 8 / type.getElementTypeBitWidth(); }

/// What one tile reads of W: a panel of all k, and the one that is read after it.
struct Panel {
  Value block, group;
  /// Numbers of panels in memory.
  Value number, next;
};

/// Which part of the next panel a tile asks for ahead: step `first + k * share / 2^16` while
/// k is computed. Both null: this is the only tile, reads W once, and asks for each step of
/// its own panel, too.
struct Prefetch {
  Value first = {}, share = {};
};

/// How high a tile is, and whether it is the only one of its block.
struct TileKind {
  int64_t height;
  bool isOnly;
  bool operator==(const TileKind &other) const { return height == other.height && isOnly == other.isOnly; }
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
  Value mul(Value l, Value r) { return b.createOrFold<arith::MulIOp>(loc, l, r); }
  Value mul(Value l, int64_t r) { return mul(l, index(r)); }
  Value div(Value l, Value r) { return b.createOrFold<arith::DivUIOp>(loc, l, r); }
  Value div(Value l, int64_t r) { return div(l, index(r)); }
  Value minimum(Value l, Value r) { return b.createOrFold<arith::MinSIOp>(loc, l, r); }
  Value select(Value condition, Value l, Value r) {
    return b.createOrFold<arith::SelectOp>(loc, condition, l, r);
  }
  Value isLess(Value l, Value r) {
    return b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, l, r);
  }
  Value roundDown(Value value, int64_t to) { return mul(div(value, to), to); }
  /// The size that dimension `dims[i]` of `values[i]` has for all i: a constant
  /// where one of the types tells.
  Value sizeOf(ValueRange values, ArrayRef<int64_t> dims);

  /// Whether any weights are packed: where what comes next lies is known of these alone.
  bool prefetches() const {
    return llvm::any_of(flatWeights, [](Value flat) { return bool(flat); });
  }

  void forLoop(Value from, Value to, int64_t step, function_ref<void(Value)> body);
  using Range = std::pair<Value, Value>;
  Range getShare(Value size);
  std::pair<Range, Range> getBlockShare(Value numBlocks);
  SmallVector<TileKind> getTileKinds(int64_t blockRows, bool isWhole);
  void forEachTile(Value count, ArrayRef<TileKind> kinds,
                   function_ref<void(Value, int64_t, const Prefetch &)> body);
  Value getDirection();
  /// The i-th of what a sweep from `first` to `last` reads.
  Value inSweep(Value i, Value first, Value last) {
    return isBackward ? select(isBackward, sub(add(first, add(last, -1)), i), i) : i;
  }
  Panel getPanel(Value block, Value group, Value firstBlock, Value lastBlock);

  void emitProductLoops();
  void emitMapLoops();

  UnitVector getRest(Value left);
  void emitTile(Value firstRow, Value row, int64_t height, const Panel &panel, const Prefetch &prefetch);
  SmallVector<Value> emitProducts(Value row, int64_t height, const Panel &panel, const Prefetch &prefetch);
  void prefetchInputs(Value firstRow, Value count, Value unit);
  void emitPrefetch(unsigned pair, Value k, int64_t steps, const Panel &panel, const Prefetch &prefetch);
  void emitSteps(unsigned pair, Value k, int64_t steps, Value row, int64_t height, Value block,
                 Value group, MutableArrayRef<Value> accumulators);
  Value loadWeights(unsigned pair, Value k, Value block, Value group, int64_t gate, int64_t vector);
  void emitBody(Value row, Value unit, UnitVector vector, function_ref<Value(int64_t)> accumulatorOf);
  Value loadInput(unsigned input, int64_t gate, Value row, Value unit, UnitVector vector);
  void loadRowInputs(Value row);

  RewriterBase &b;
  PhaseOp phase;
  Location loc;
  PhaseTile tile;
  /// Type in which products are summed: that of the accumulators, at least f32.
  FloatType sumType;
  int64_t numGates;
  Value rows, units;
  SmallVector<Value> depths;
  /// Weights as [steps of k of all panels, gates * units]; null where they are not packed.
  SmallVector<Value> flatWeights;
  /// Whether this time W is read backwards; null: it never is.
  Value isBackward;
  /// What inputs without units hold for the row at hand, by input; null where they have units.
  SmallVector<Value> rowInputs;
  /// The accumulators of a tile: [rows, gates, units].
  Value scratch;
};

} // namespace

Value PhaseVectorizer::sizeOf(ValueRange values, ArrayRef<int64_t> dims) {
  for (auto [value, dim] : llvm::zip_equal(values, dims))
    if (auto type = cast<MemRefType>(value.getType()); !type.isDynamicDim(dim))
      return index(type.getDimSize(dim));
  return memref::DimOp::create(b, loc, values.front(), dims.front());
}

PhaseVectorizer::PhaseVectorizer(RewriterBase &b, PhaseOp phase, const VectorTarget &target)
    : b(b), phase(phase), loc(phase.getLoc()), tile(PhaseTile::get(phase, target)),
      sumType(getVectorElementType(phase)), numGates(phase.getNumAccumulators()) {
  b.setInsertionPoint(phase);
  SmallVector<Value> rowSized(phase.getOuts()), unitSized(phase.getOuts());
  SmallVector<int64_t> rowDims(rowSized.size(), 0), unitDims(unitSized.size(), 1);
  for (auto [state, weight] : llvm::zip_equal(phase.getStates(), phase.getWeights())) {
    WeightLayout layout = WeightLayout::get(cast<ShapedType>(weight.getType()));
    rowSized.push_back(state);
    rowDims.push_back(0);
    if (!layout.isPacked()) {
      unitSized.push_back(weight);
      unitDims.push_back(2);
    }
    depths.push_back(sizeOf({state, weight}, {1, layout.depthDim}));
  }
  rows = sizeOf(rowSized, rowDims);
  units = sizeOf(unitSized, unitDims);
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

/// The part of 0...size that this thread does.
PhaseVectorizer::Range PhaseVectorizer::getShare(Value size) {
  auto parallel = phase->getParentOfType<ParallelOp>();
  return parallel ? buildShare(b, loc, parallel, size) : Range(index(0), size);
}

/// The blocks of units, and the rows, that this thread does: all rows of some blocks, some rows
/// of all, or, as its owner or not, all or none.
std::pair<PhaseVectorizer::Range, PhaseVectorizer::Range> PhaseVectorizer::getBlockShare(Value numBlocks) {
  Range allBlocks(index(0), numBlocks), allRows(index(0), rows);
  std::pair<Range, Range> share(getShare(numBlocks), allRows);
  auto choose = [&](Value condition, Range l, Range r) {
    return Range(select(condition, l.first, r.first), select(condition, l.second, r.second));
  };
  auto parallel = phase->getParentOfType<ParallelOp>();
  if (parallel && mayShareRows(phase)) {
    Value byUnits = buildSharesUnits(b, loc, parallel, rows);
    Range someRows = getShare(rows);
    share = {choose(byUnits, share.first, allBlocks), choose(byUnits, allRows, someRows)};
  }
  if (std::optional<Owner> owner = getOwner(phase); owner && parallel) {
    Value isOwned = buildIsOwned(b, loc, parallel, owner->numOwners);
    Value thread = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(owner->thread));
    Value isOwner = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, parallel.getThread(), thread);
    Range blocks(index(0), select(isOwner, numBlocks, index(0)));
    share = {choose(isOwned, blocks, share.first), choose(isOwned, allRows, share.second)};
  }
  return share;
}

/// The kinds of tiles that blocks of `blockRows` rows or less are made of; `isWhole`: blocks of
/// all rows, not of a share that is known at run time.
SmallVector<TileKind> PhaseVectorizer::getTileKinds(int64_t blockRows, bool isWhole) {
  SmallVector<TileKind> kinds;
  auto insert = [&](int64_t height, bool isOnly) {
    TileKind kind{height, isOnly || !prefetches()};
    if (!llvm::is_contained(kinds, kind))
      kinds.push_back(kind);
  };
  auto count = getConstantIntValue(rows);
  if (!count || !isWhole) {
    for (int64_t height = 1; height <= tile.rows; ++height)
      insert(height, /*isOnly=*/true);
    for (int64_t height = (tile.rows + 1) / 2; height <= tile.rows; ++height)
      insert(height, /*isOnly=*/false);
    return kinds;
  }
  for (int64_t block : {*count % blockRows, std::min(*count, blockRows)})
    if (int64_t numTiles = (block + tile.rows - 1) / tile.rows) {
      insert(block / numTiles, numTiles == 1);
      insert((block + numTiles - 1) / numTiles, numTiles == 1);
    }
  return kinds;
}

/// Calls `body` for each tile of a block of `count` rows, with its first row, its height, and what
/// it asks for. Heights differ by one at most, as a low tile reads as much of W as a high one.
void PhaseVectorizer::forEachTile(Value count, ArrayRef<TileKind> kinds,
                                  function_ref<void(Value, int64_t, const Prefetch &)> body) {
  Value numTiles = div(add(count, tile.rows - 1), tile.rows);
  Value low = div(count, numTiles);
  Value numHigh = sub(count, mul(low, numTiles));
  Value share = div(index(1 << 16), numTiles);
  forLoop(index(0), numTiles, 1, [&](Value number) {
    Value row = add(mul(number, low), minimum(number, numHigh));
    auto emit = [&](TileKind kind) {
      if (kind.isOnly)
        return body(row, kind.height, Prefetch());
      // k grows by `depth` in all, of which there are as many shares as tiles.
      body(row, kind.height, Prefetch{div(mul(number, depths.front()), numTiles), share});
    };
    if (kinds.size() == 1)
      return emit(kinds.front());
    // The number of a kind: its height, and more where it is not the only one.
    Value key = select(isLess(number, numHigh), add(low, 1), low);
    if (prefetches())
      key = select(isLess(index(1), numTiles), add(key, tile.rows), key);
    auto numbers = llvm::map_to_vector(kinds.drop_back(), [&](TileKind kind) {
      return kind.isOnly ? kind.height : kind.height + tile.rows;
    });
    auto choice = scf::IndexSwitchOp::create(b, loc, TypeRange(), key, numbers, numbers.size());
    auto emitCase = [&](Region &region, TileKind kind) {
      OpBuilder::InsertionGuard guard(b);
      b.createBlock(&region);
      emit(kind);
      scf::YieldOp::create(b, loc);
    };
    emitCase(choice.getDefaultRegion(), kinds.back());
    for (auto [region, kind] : llvm::zip_equal(choice.getCaseRegions(), kinds.drop_back()))
      emitCase(region, kind);
  });
}

/// Every second time that the loop around the phase comes here.
Value PhaseVectorizer::getDirection() {
  auto loop = phase->getParentOfType<scf::ForOp>();
  if (!loop || !prefetches())
    return {};
  Value number = sub(loop.getInductionVar(), loop.getLowerBound());
  if (getConstantIntValue(loop.getStep()) != 1)
    number = div(number, loop.getStep());
  Value isOdd = arith::AndIOp::create(b, loc, number, index(1));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, isOdd, index(0));
}

Panel PhaseVectorizer::getPanel(Value block, Value group, Value firstBlock, Value lastBlock) {
  int64_t numGroups = numGates / tile.gates;
  Panel panel{block, group, add(mul(block, numGroups), group), {}};
  // At its end a sweep turns: it asks for the same panel again.
  panel.next = minimum(add(panel.number, 1), add(mul(lastBlock, numGroups), -1));
  if (isBackward) {
    Value before = b.createOrFold<arith::MaxSIOp>(loc, add(panel.number, -1), mul(firstBlock, numGroups));
    panel.next = select(isBackward, before, panel.next);
  }
  return panel;
}

/// A vector of which `left` units are there.
UnitVector PhaseVectorizer::getRest(Value left) {
  UnitVector vector{tile.lanes};
  vector.count = b.createOrFold<arith::MinSIOp>(loc, left, index(tile.lanes));
  auto maskType = VectorType::get(tile.lanes, b.getI1Type());
  vector.mask = vector::CreateMaskOp::create(b, loc, maskType, vector.count);
  return vector;
}

void PhaseVectorizer::emitProductLoops() {
  int64_t blockRows = tilesPerBlock * tile.rows;
  if (auto count = getConstantIntValue(rows))
    blockRows = std::min(blockRows, std::max<int64_t>(*count, 1));
  for (Value weight : phase.getWeights()) {
    auto type = cast<MemRefType>(weight.getType());
    bool isFlat = WeightLayout::get(type).isPacked() && type.getLayout().isIdentity();
    flatWeights.push_back(isFlat ? memref::CollapseShapeOp::create(
                                       b, loc, weight, ArrayRef<ReassociationIndices>{{0, 1, 2}, {3, 4}})
                                 : Value());
  }
  isBackward = getDirection();
  auto scratchType = MemRefType::get({blockRows, numGates, tile.getUnits()}, sumType);
  {
    OpBuilder::InsertionGuard guard(b);
    Operation *place = phase;
    while (isa<scf::ForOp, scf::WhileOp, scf::IfOp, scf::IndexSwitchOp>(place->getParentOp()))
      place = place->getParentOp();
    b.setInsertionPoint(place);
    scratch = memref::AllocaOp::create(b, loc, scratchType, b.getI64IntegerAttr(/*alignment=*/64));
  }

  int64_t width = tile.getUnits();
  bool isDivisible = getConstantIntValue(units) && *getConstantIntValue(units) % width == 0;
  auto [blocks, rowRange] = getBlockShare(div(add(units, width - 1), width));
  SmallVector<TileKind> kinds = getTileKinds(blockRows, /*isWhole=*/rowRange.second == rows);
  forLoop(blocks.first, blocks.second, 1, [&, blocks = blocks, rowRange = rowRange](Value turn) {
    auto [first, last] = blocks;
    Value block = inSweep(turn, first, last);
    Value unit = mul(block, width);
    forLoop(rowRange.first, rowRange.second, blockRows, [&, first = first, last = last](Value firstRow) {
      Value count = minimum(sub(rowRange.second, firstRow), index(blockRows));
      prefetchInputs(firstRow, count, unit);
      Value numGroups = index(numGates / tile.gates);
      forLoop(index(0), numGroups, 1, [&](Value turn) {
        Panel panel = getPanel(block, inSweep(turn, index(0), numGroups), first, last);
        forEachTile(count, kinds, [&](Value row, int64_t height, const Prefetch &prefetch) {
          emitTile(firstRow, row, height, panel, prefetch);
        });
      });

      auto emitBodies = [&](bool isFull) {
        forLoop(index(0), count, 1, [&](Value i) {
          loadRowInputs(add(firstRow, i));
          forLoop(index(0), index(width), tile.lanes, [&](Value offset) {
            Value first = add(unit, offset);
            UnitVector vector = isFull ? UnitVector{tile.lanes} : getRest(sub(units, first));
            auto type = VectorType::get(tile.lanes, sumType);
            emitBody(add(firstRow, i), first, vector, [&](int64_t g) -> Value {
              return vector::LoadOp::create(b, loc, type, scratch, ValueRange{i, index(g), offset});
            });
          });
        });
      };
      if (isDivisible)
        return emitBodies(/*isFull=*/true);
      Value isFull = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, add(unit, width), units);
      auto choice = scf::IfOp::create(b, loc, isFull, /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(choice.thenBlock());
      emitBodies(/*isFull=*/true);
      b.setInsertionPointToStart(choice.elseBlock());
      emitBodies(/*isFull=*/false);
    });
  });
}

/// The products of `height` rows from `row` on of a block, into the scratch.
void PhaseVectorizer::emitTile(Value firstRow, Value row, int64_t height, const Panel &panel,
                               const Prefetch &prefetch) {
  SmallVector<Value> accumulators = emitProducts(add(firstRow, row), height, panel, prefetch);
  Value gate = mul(panel.group, tile.gates);
  for (auto [n, accumulator] : llvm::enumerate(accumulators)) {
    int64_t v = n % tile.vectors, g = n / tile.vectors % tile.gates;
    int64_t i = n / (tile.vectors * tile.gates);
    vector::StoreOp::create(b, loc, accumulator, scratch,
                            ValueRange{add(row, i), add(gate, g), index(v * tile.lanes)});
  }
}

void PhaseVectorizer::emitMapLoops() {
  auto noAccumulators = [](int64_t) { return Value(); };
  Value full = roundDown(units, tile.lanes);
  auto [firstRow, lastRow] = getShare(rows);
  forLoop(firstRow, lastRow, 1, [&](Value row) {
    loadRowInputs(row);
    forLoop(index(0), full, tile.lanes, [&](Value unit) {
      emitBody(row, unit, UnitVector{tile.lanes}, noAccumulators);
    });
    Value rest = sub(units, full);
    forLoop(full, units, tile.lanes, [&](Value unit) {
      emitBody(row, unit, getRest(rest), noAccumulators);
    });
  });
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// W[k, gate, ...] of gate `gate` of a group and vector `vector` of a block.
Value PhaseVectorizer::loadWeights(unsigned pair, Value k, Value block, Value group, int64_t gate,
                                   int64_t vector) {
  Value weight = phase.getWeights()[pair];
  UnitVector all{tile.lanes};
  int64_t offset = vector * tile.lanes;
  WeightLayout layout = WeightLayout::get(cast<ShapedType>(weight.getType()));
  Value loaded;
  if (layout.isPacked()) {
    loaded = loadUnits(b, loc, weight, {block, group, k, index(gate), index(offset)}, all);
  } else {
    Value unit = add(mul(block, tile.getUnits()), offset);
    Value left = sub(units, unit);
    auto size = getConstantIntValue(units);
    bool isFull = size && *size % tile.getUnits() == 0;
    loaded = loadUnits(b, loc, weight, {k, add(mul(group, tile.gates), gate), unit},
                       isFull ? all : getRest(left));
  }
  return castFloat(b, loc, loaded, sumType);
}

/// Asks for what the body reads of a block of units: the weights of a step have displaced it
/// since it was written, and there is little in the body that could go on meanwhile.
void PhaseVectorizer::prefetchInputs(Value firstRow, Value count, Value unit) {
  SmallVector<unsigned> inputs;
  for (auto [i, input] : llvm::enumerate(phase.getInputs()))
    if (int32_t axes = phase.getAxes()[i]; axes & kRow && axes & kUnit && hasContiguousUnits(input))
      inputs.push_back(i);
  if (inputs.empty())
    return;
  forLoop(index(0), count, 1, [&](Value i) {
    for (unsigned input : inputs) {
      Value operand = phase.getInputs()[input];
      int64_t elements = getLineElements(cast<MemRefType>(operand.getType()));
      int32_t axes = phase.getAxes()[input];
      for (int64_t g = 0, e = axes & kGate ? phase.getNumGates() : 1; g < e; ++g)
        for (int64_t at = 0; at < tile.getUnits(); at += elements) {
          SmallVector<Value> indices = {add(firstRow, i)};
          if (axes & kGate)
            indices.push_back(index(g));
          indices.push_back(add(unit, at));
          memref::PrefetchOp::create(b, loc, operand, indices, /*isWrite=*/false, /*localityHint=*/3,
                                     /*isDataCache=*/true);
        }
    }
  });
}

/// For `steps` steps from k on.
void PhaseVectorizer::emitPrefetch(unsigned pair, Value k, int64_t steps, const Panel &panel,
                                   const Prefetch &prefetch) {
  Value flat = flatWeights[pair], depth = depths[pair];
  if (!flat)
    return;
  Value next = mul(panel.next, depth);
  auto type = cast<MemRefType>(flat.getType());
  int64_t stepElements = type.getDimSize(1);
  Value position;
  if (prefetch.share) {
    Value share = arith::ShRUIOp::create(b, loc, mul(k, prefetch.share), index(16));
    position = add(next, add(prefetch.first, share));
  } else {
    int64_t distance = llvm::divideCeil(prefetchBytes * 8, stepElements * type.getElementTypeBitWidth());
    Value step = add(k, minimum(index(distance), depth));
    position = add(select(isLess(step, depth), mul(panel.number, depth), sub(next, depth)), step);
  }
  int64_t elements = getLineElements(type);
  // One of many is bound by its products: a line every second step is enough.
  for (int64_t s = 0; s < (prefetch.share ? 1 : steps); ++s)
    for (int64_t at = 0; at < stepElements; at += elements)
      memref::PrefetchOp::create(b, loc, flat, ValueRange{add(position, s), index(at)}, /*isWrite=*/false,
                                 /*localityHint=*/prefetch.share ? 2 : 3, /*isDataCache=*/true);
}

/// Adds `steps` steps of k to the accumulators of a tile, of which there may be
/// several sets that take turns.
void PhaseVectorizer::emitSteps(unsigned pair, Value k, int64_t steps, Value row, int64_t height,
                                Value block, Value group, MutableArrayRef<Value> accumulators) {
  Value state = phase.getStates()[pair];
  int64_t numWeights = tile.gates * tile.vectors;
  int64_t tileSize = height * numWeights;
  int64_t numSums = accumulators.size() / tileSize;
  for (int64_t s = 0; s < steps; ++s) {
    Value at = add(k, s);
    SmallVector<Value> weights;
    for (int64_t g = 0; g < tile.gates; ++g)
      for (int64_t v = 0; v < tile.vectors; ++v)
        weights.push_back(loadWeights(pair, at, block, group, g, v));
    int64_t first = (s % numSums) * tileSize;
    for (int64_t i = 0; i < height; ++i) {
      Value scalar = loadElement(b, loc, state, {add(row, i), at});
      Value factor = broadcastTo(b, loc, castFloat(b, loc, scalar, sumType), tile.lanes);
      for (auto [w, weight] : llvm::enumerate(weights)) {
        Value &sum = accumulators[first + i * numWeights + w];
        sum = vector::FMAOp::create(b, loc, factor, weight, sum);
      }
    }
  }
}

/// The accumulators of a tile, in the order row, gate, vector.
SmallVector<Value> PhaseVectorizer::emitProducts(Value row, int64_t height, const Panel &panel,
                                                 const Prefetch &prefetch) {
  auto type = VectorType::get(tile.lanes, sumType);
  int64_t tileSize = height * tile.gates * tile.vectors;
  // Few accumulators would wait for each other: let several steps of k have
  // their own.
  int64_t numSums = std::clamp<int64_t>(tile.maxAccumulators / tileSize, 1, 4);
  int64_t steps = std::max<int64_t>(numSums, 2);
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  SmallVector<Value> accumulators(numSums * tileSize, zero);

  for (unsigned p = 0, e = phase.getStates().size(); p < e; ++p) {
    auto loopOverK = [&](Value from, Value to, int64_t step, MutableArrayRef<Value> carried) {
      if (auto first = getConstantIntValue(from), last = getConstantIntValue(to);
          first && last && *first >= *last)
        return;
      auto loop = scf::ForOp::create(b, loc, from, to, index(step), ValueRange(carried));
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      SmallVector<Value> next(loop.getRegionIterArgs());
      emitPrefetch(p, loop.getInductionVar(), step, panel, prefetch);
      emitSteps(p, loop.getInductionVar(), step, row, height, panel.block, panel.group, next);
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
// The body
//===----------------------------------------------------------------------===//

Value PhaseVectorizer::loadInput(unsigned input, int64_t gate, Value row, Value unit,
                                 UnitVector vector) {
  Value operand = phase.getInputs()[input];
  if (!isa<MemRefType>(operand.getType()))
    return operand;
  if (rowInputs[input])
    return rowInputs[input];
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

/// Loads what is the same for all units of `row`, so that what depends on nothing else leaves
/// the loop over units. No result is written there.
void PhaseVectorizer::loadRowInputs(Value row) {
  rowInputs.assign(phase.getInputs().size(), Value());
  for (auto [i, input] : llvm::enumerate(phase.getInputs()))
    if (isa<MemRefType>(input.getType()) && phase.getAxes()[i] == kRow)
      rowInputs[i] = loadElement(b, loc, input, row);
}

/// The body on one row and one vector of units. `accumulatorOf` gives the accumulator of
/// a gate.
void PhaseVectorizer::emitBody(Value row, Value unit, UnitVector vector,
                               function_ref<Value(int64_t)> accumulatorOf) {
  Block::BlockArgListType args = phase.getBody().getArguments();
  SmallVector<Value> values(args.size());
  for (int64_t g = 0; g < numGates; ++g)
    if (!args[g].use_empty())
      values[g] = castFloat(b, loc, accumulatorOf(g), cast<FloatType>(args[g].getType()));
  for (unsigned input = 0; input < phase.getInputs().size(); ++input) {
    int64_t first = phase.getInputArgumentIndex(input);
    int64_t count = phase.getAxes()[input] & kGate ? phase.getNumGates() : 1;
    for (int64_t g = 0; g < count; ++g)
      if (!args[first + g].use_empty())
        values[first + g] = loadInput(input, g, row, unit, vector);
  }
  for (auto [o, out] : llvm::enumerate(phase.getOuts()))
    if (BlockArgument old = phase.getOutArgument(o); !old.use_empty())
      values[old.getArgNumber()] = loadUnits(b, loc, out, {row, unit}, vector);
  SmallVector<Value> results = vectorizeBody(b, *phase.getBodyBlock(), values, tile.lanes);
  for (auto [out, result] : llvm::zip_equal(phase.getOuts(), results))
    storeUnits(b, loc, result, out, {row, unit}, vector);
}

void PhaseVectorizer::run() {
  if (numGates > 0)
    emitProductLoops();
  else
    emitMapLoops();
  b.eraseOp(phase);
}

void lstm::vectorizePhase(RewriterBase &rewriter, PhaseOp phase, const VectorTarget &target) {
  PhaseVectorizer(rewriter, phase, target).run();
}
