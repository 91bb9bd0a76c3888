//===- KernelClusterSteps.cpp - Steps of a cluster ------------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp of a cluster multiplies all of k, or a half of it, for some units, and maps these: there is no barrier but
// between the two warps that share out k, and where the block sends (KernelCluster.cpp). Of several tiles, one is
// multiplied and mapped while what others exchange is on its way.
//
// A lane keeps its elements of what does not change and of states. Of sequences, what a warp maps in the next two
// steps is on its way into shared memory: in registers it would be waited for, as ptxas lets no load be under way
// across a loop.
//
//===----------------------------------------------------------------------===//

#include "CUDARuntime.h"
#include "KernelEmitter.h"
#include "MemoryRoots.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::lstm;

/// The elements of a lane: rows of its accumulators, of which two warps that share out k have the even and the
/// odd ones, and the units of its row of the product tiles. A single row's are those of a quad, and of both warps:
/// they all map the same.
KernelEmitter::Item KernelEmitter::getOwnItem(unsigned number, int64_t i) {
  const PhaseLayout &phase = layout.phases[number];
  Item item;
  if (plan.singleRows)
    item.tileRow = index(0);
  else
    item.tileRow = add(mul(laneColumn, 2), plan.splits == 1 ? index(i % 2) : split);
  Value row = add(mul(unitWarp, 8), laneRow);
  item.blockUnit = add(mul(row, phase.getLaneUnits()), index(i / getLaneRows()));
  return item;
}

/// Multiplies, maps and folds a tile for one stage of a step. Returns what is mapped, by element; `flip` becomes the
/// buffer of sums that comes next. `meanwhile` is done when products are on their way. Results are stored where
/// `isStored` holds, if it says something of them.
KernelEmitter::Results
KernelEmitter::emitWholePart(const MapStage &stage, Value count, Value tile, const IRMapping &step, Value &flip,
                             function_ref<SmallVector<Value>(int64_t)> getItemInputs,
                             function_ref<void()> meanwhile, ArrayRef<Value> isStored) {
  unsigned number = stage.phase;
  SmallVector<SmallVector<Value>> products(getNumItems(number));
  if (stage.hasPhase && layout.phases[number].gates != 0) {
    Accumulators accumulators = multiplyTile(number, count, step, tile);
    meanwhile();
    addChains(number, accumulators);
    products = exchangeSums(number, accumulators, flip);
    flip = b.createOrFold<arith::SubIOp>(index(1), flip);
  } else {
    meanwhile();
  }
  SmallVector<Item> items;
  for (int64_t i = 0; i < getNumItems(number); ++i)
    items.push_back(getItem(number, i, tile));
  SmallVector<RowScalars> rowValues = readRowValues(stage, items, /*asked=*/{}, count, step);
  Results results(items.size());
  if (stage.hasPhase)
    for (auto [i, item] : llvm::enumerate(items))
      results[i] = mapItem(number, item, products[i], getItemInputs(i), rowValues[i]);
  // Others wait for this.
  for (unsigned fold : stage.folds) {
    for (auto [i, item] : llvm::enumerate(items))
      publishFold(fold, item, getElements(stage, fold, results[i], item, step), rowValues[i], count, step);
    if (getLastReader(fold))
      sendFold(fold, items, getSlot(count));
  }
  if (!stage.hasPhase)
    return results;
  SmallVector<unsigned> exchanges;
  for (auto [e, exchange] : llvm::enumerate(loop.exchanges))
    if (exchange.producer == number)
      exchanges.push_back(e);
  Value slot = getNextSlot(count);
  for (unsigned e : exchanges)
    for (auto [item, values] : llvm::zip_equal(items, results))
      this->stage(e, slot, item, values[loop.exchanges[e].output]);
  send(exchanges, tile, slot);
  for (auto [item, values] : llvm::zip_equal(items, results))
    storeItem(number, item, values, step, isStored);
  return results;
}

/// Where a warp has an element of a sequence ahead of its step: [tile][step % 2][warp][sequence][gate][row][unit].
Value KernelEmitter::aheadOffset(const AheadLayout &place, Value tile, Value count, Value gate, Value row, Value unit) {
  Value line = mul(add(mul(getPair(tile, getSlot(count)), plan.getNumThreads() / 32), warp), layout.aheadWords);
  Value inSequence = add(mul(add(mul(gate, place.rows), row), place.units), unit);
  return add(mul(add(add(line, index(place.first)), inSequence), 4), index(layout.ahead));
}

/// Whether four neighbouring units, from a multiple of four on, lie at a multiple of 16 bytes: known before the launch.
/// Null if they never do.
Value KernelEmitter::areFoursAligned(Value sequence) {
  std::optional<ElementPlace> place = getElementPlace(sequence);
  if (!place || !source.isDefinedOutsideOfLoop(place->base))
    return {};
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(launch);
  auto metadata = memref::ExtractStridedMetadataOp::create(b, place->base);
  Value begin = LLVM::PtrToIntOp::create(b, b.getI64Type(), getDevicePointer(b, b.getLoc(), place->base));
  Value misplaced = rem(arith::IndexCastOp::create(b, b.getIndexType(), begin), 16);
  for (auto [dim, stride] : llvm::enumerate(metadata.getConstifiedMixedStrides())) {
    if (int64_t(dim) == place->unitDim) {
      if (!isConstantIntValue(stride, 1))
        return {};
      continue;
    }
    Value rest = rem(getValueOrCreateConstantIndexOp(b, b.getLoc(), stride), 4);
    misplaced = b.createOrFold<arith::OrIOp>(misplaced, rest);
  }
  return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, misplaced, index(0));
}

/// Begins to copy what the warp reads of sequences in a step.
void KernelEmitter::askAhead(Value tile, Value count) {
  IRMapping step = computeStep(min(count, last(steps)));
  for (const AheadLayout &place : layout.sequences) {
    PhaseOp op = loop.phases[place.phase].op;
    const PhaseLayout &phase = layout.phases[place.phase];
    Value operand = op.getInputs()[place.input];
    int32_t axes = op.getAxes()[place.input];
    Value areAligned = axes & kUnit && phase.units % 4 == 0 ? areFoursAligned(operand) : Value();
    int64_t width = areAligned ? 4 : 1, chunks = place.units / width;
    shareOut(rem(thread, 32), 32, place.gates * place.rows * chunks, [&](Value number) {
      Value unit = mul(rem(number, chunks), width), line = div(number, chunks);
      Value row = rem(line, place.rows), gate = div(line, place.rows);
      Value tileRow = plan.splits == 1 || plan.singleRows ? row : add(mul(row, 2), split);
      Value inBatch = min(add(mul(tile, plan.getNumRows()), tileRow), last(rows));
      auto copy = [&](StringRef text, int64_t i, int64_t fewest) {
        Value own = add(unit, index(i));
        Value inPhase = add(add(mul(block, phase.blockUnits), mul(unitWarp, place.units)), own);
        inPhase = min(inPhase, index(phase.units - fewest));
        assembly(text, "l,l,~{memory}", {},
                 {advance(sharedMemory, aheadOffset(place, tile, count, gate, row, own)),
                  address(operand, getPosition(axes, inBatch, gate, inPhase), step)});
      };
      constexpr StringLiteral kWord = "cp.async.ca.shared.global [$0], [$1], 4;";
      if (!areAligned) {
        copy(kWord, 0, 1);
        return;
      }
      auto branch = scf::IfOp::create(b, areAligned, /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      copy("cp.async.cg.shared.global [$0], [$1], 16;", 0, 4);
      b.setInsertionPointToStart(branch.elseBlock());
      for (int64_t i = 0; i < width; ++i)
        copy(kWord, i, 1);
    });
  }
}

namespace {
/// From where a lane has an input.
enum class Origin {
  /// Loaded before the first step.
  Constant,
  /// What the step before, or this one, has mapped, in a register.
  Carried,
  Mapped,
  /// Asked for two steps before, in shared memory.
  Ahead,
  /// Loaded in the step.
  Memory
};
} // namespace

/// All steps.
void KernelEmitter::emitClusterSteps() {
  IRMapping first = computeStep(begin);
  struct Place {
    Origin origin;
    Source source;
    /// Of the first element among the loop's values, or of constants.
    size_t at;
    const AheadLayout *sequence = nullptr;
  };
  SmallVector<Value> ownTiles;
  for (int64_t n = 0; n < plan.rowTiles; ++n)
    ownTiles.push_back(add(firstTile, index(n)));
  // By tile, those of an input.
  SmallVector<SmallVector<SmallVector<Place>>> allPlaces(ownTiles.size());
  SmallVector<Value> carried = {index(0)}, constants;
  using States = llvm::MapVector<std::pair<unsigned, unsigned>, size_t>;
  SmallVector<States> states(ownTiles.size());
  for (auto [tile, places, ofTile] : llvm::zip_equal(ownTiles, allPlaces, states)) {
    auto load = [&](unsigned number, const Input &input) {
      SmallVector<Value> values;
      for (int64_t i = 0; i < getNumItems(number); ++i)
        values.push_back(loadInput(input, getItem(number, i, tile), first));
      return values;
    };
    places.resize(loop.phases.size());
    for (unsigned number : getOwnPhases()) {
      for (const Input &input : getInputs(number)) {
        Place place{Origin::Memory, {}, 0};
        bool isMemory = isa<MemRefType>(input.operand.getType());
        if (!isMemory || input.getType().isIndex()) {
          // What the loop counts is at hand.
        } else if (isWritten(loop, input.operand)) {
          std::optional<Source> source = getSource(loop, number, input.operand);
          if (!source && input.axes & kGate)
            source = getGateSource(loop, number, input.operand, input.gate);
          if (source) {
            place.source = *source;
            place.origin = source->isOfPreviousStep ? Origin::Carried : Origin::Mapped;
            if (source->isOfPreviousStep) {
              auto [at, isNew] = ofTile.insert({{source->producer, source->output}, carried.size()});
              if (isNew)
                carried.append(load(number, input));
              place.at = at->second;
            }
          }
        } else if (isSequence(loop, input.operand)) {
          place.origin = Origin::Ahead;
          place.sequence = llvm::find_if(layout.sequences, [&](const AheadLayout &sequence) {
            return sequence.phase == number &&
                   PhaseOp(loop.phases[number].op).getInputs()[sequence.input] == input.operand &&
                   PhaseOp(loop.phases[number].op).getAxes()[sequence.input] == input.axes;
          });
        } else if (source.isDefinedOutsideOfLoop(input.operand)) {
          place.origin = Origin::Constant;
          place.at = constants.size();
          constants.append(load(number, input));
        }
        places[number].push_back(place);
      }
    }
  }
  for (int64_t i : {0, 1}) {
    for (Value tile : ownTiles)
      askAhead(tile, add(begin, index(i)));
    assembly("cp.async.commit_group;", "", {}, {});
  }

  scf::ForOp time = createTimeLoop(carried);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(time.getBody());
  Value count = add(time.getInductionVar(), begin), flip = time.getRegionIterArg(0);
  ValueRange now = time.getRegionIterArgs();
  IRMapping step = computeStep(count);
  // A state that lanes keep is written when it is the last, or the last but one: it may have two places.
  Value isLate = arith::CmpIOp::create(b, arith::CmpIPredicate::uge, add(count, index(2)), end);
  auto isReadInLoop = [&](Value out) {
    if (!isState(loop, out))
      return true;
    for (unsigned number : getOwnPhases())
      for (auto [place, input] : llvm::zip_equal(allPlaces.front()[number], getInputs(number)))
        if (place.origin == Origin::Memory && isa<MemRefType>(input.operand.getType()) &&
            getMemoryRoot(input.operand) == getMemoryRoot(out))
          return true;
    // By a fold that is not of what its own stage gives.
    for (const MapStage &stage : loop.stages)
      for (unsigned fold : stage.folds)
        for (const RowOperand &operand : loop.rowValues[fold].operands) {
          if (!(operand.axes & kUnit) || getMemoryRoot(operand.value) != getMemoryRoot(out))
            continue;
          int64_t gates = operand.axes & kGate ? loop.rowValues[fold].gates : 1;
          for (int64_t gate = 0; gate < gates; ++gate)
            if (!findResult(stage, operand, gate))
              return true;
        }
    return false;
  };
  // By tile and phase.
  SmallVector<SmallVector<Results>> results(ownTiles.size(), SmallVector<Results>(loop.phases.size()));
  SmallVector<unsigned> stages = getOwnStages();
  for (unsigned stageNumber : stages)
    for (auto [tile, places, ofTile] : llvm::zip_equal(ownTiles, allPlaces, results)) {
      const MapStage &stage = loop.stages[stageNumber];
      unsigned number = stage.phase;
      SmallVector<Input> inputs;
      if (stage.hasPhase)
        inputs = getInputs(number);
      SmallVector<SmallVector<Value>> values(getNumItems(number), SmallVector<Value>(inputs.size()));
      auto getValues = [&](bool isAhead) {
        for (auto [j, input] : llvm::enumerate(inputs)) {
          const Place &place = places[number][j];
          for (auto [i, all] : llvm::enumerate(values)) {
            if ((place.origin == Origin::Ahead) != isAhead)
              continue;
            if (isAhead)
              all[j] = loadAhead(*place.sequence, input, getItem(number, i, tile), i, count);
            else if (place.origin == Origin::Memory)
              all[j] = loadInput(input, getItem(number, i, tile), step);
            else if (place.origin == Origin::Constant)
              all[j] = constants[place.at + i];
            else if (place.origin == Origin::Mapped)
              all[j] = ofTile[place.source.producer][i][place.source.output];
            else
              all[j] = now[place.at + i];
          }
        }
      };
      // Ahead of the wait.
      getValues(/*isAhead=*/false);
      auto finishLoads = [&] {
        // Of all tiles.
        if (stageNumber == stages.front() && tile == ownTiles.front())
          assembly("cp.async.wait_group 1; bar.warp.sync 0xffffffff;", "~{memory}", {}, {});
        getValues(/*isAhead=*/true);
      };
      SmallVector<Value> isStored =
          llvm::map_to_vector(PhaseOp(loop.phases[number].op).getOuts(),
                              [&](Value out) { return isReadInLoop(out) ? Value() : isLate; });
      Results made =
          emitWholePart(stage, count, tile, step, flip, [&](int64_t i) { return values[i]; }, finishLoads, isStored);
      if (stage.hasPhase)
        ofTile[number] = made;
      if (stageNumber == stages.back()) {
        // All lanes have read what comes into the same place.
        assembly("bar.warp.sync 0xffffffff;", "~{memory}", {}, {});
        askAhead(tile, add(count, index(2)));
      }
    }
  assembly("cp.async.commit_group;", "", {}, {});
  SmallVector<Value> next(now.begin(), now.end());
  next.front() = flip;
  for (auto [ofTile, made] : llvm::zip_equal(states, results))
    for (auto &[state, at] : ofTile)
      for (auto [i, values] : llvm::enumerate(made[state.first]))
        next[at + i] = values[state.second];
  scf::YieldOp::create(b, next);
}

/// An element of a sequence that was asked for.
Value KernelEmitter::loadAhead(const AheadLayout &place, const Input &input, const Item &item, int64_t i,
                               Value count) {
  int64_t laneUnits = layout.phases[place.phase].getLaneUnits();
  Value row = input.axes & kRow ? div(item.tileRow, plan.splits) : index(0);
  Value unit = input.axes & kUnit ? add(mul(laneRow, laneUnits), index(i / getLaneRows())) : index(0);
  Value at = aheadOffset(place, item.tile, count, index(input.gate), row, unit);
  return LLVM::LoadOp::create(b, input.getType(), advance(sharedMemory, at), 4);
}
