//===- KernelElements.cpp - What a kernel maps --------------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::lstm;

KernelEmitter::Item KernelEmitter::getItem(unsigned number, int64_t i, Value tile) {
  const PhaseLayout &phase = layout.phases[number];
  Item item;
  if (plan.isCluster()) {
    item = getOwnItem(number, i);
  } else {
    Value e = add(mapThread, index(i * plan.getNumMapThreads()));
    if ((i + 1) * plan.getNumMapThreads() > phase.getNumItems(plan))
      item.exists = isLess(e, index(phase.getNumItems(plan)));
    item.tileRow = div(e, phase.blockUnits);
    item.blockUnit = rem(e, phase.blockUnits);
  }
  item.tile = tile;
  item.row = add(mul(tile, plan.getNumRows()), item.tileRow);
  item.isRow = isLess(item.row, rows);
  item.row = min(item.row, last(rows));
  item.paddedUnit = add(mul(block, phase.blockUnits), item.blockUnit);
  if (plan.unitBlocks * phase.blockUnits != phase.units)
    item.isUnit = isLess(item.paddedUnit, index(phase.units));
  item.unit = min(item.paddedUnit, index(phase.units - 1));
  return item;
}

SmallVector<Value> KernelEmitter::getPosition(int32_t axes, Value row, Value gate, Value unit) {
  SmallVector<Value> position;
  if (axes & kRow)
    position.push_back(row);
  if (axes & kGate)
    position.push_back(gate);
  if (axes & kUnit)
    position.push_back(unit);
  return position;
}

/// What the used ones of the region's arguments behind the products stand for, but row values.
SmallVector<KernelEmitter::Input> KernelEmitter::getInputs(unsigned number) {
  PhaseOp op = loop.phases[number].op;
  SmallVector<Input> inputs;
  auto append = [&](Value operand, int32_t axes, int64_t gate, BlockArgument argument) {
    if (!argument.use_empty())
      inputs.push_back({operand, axes, gate, argument});
  };
  for (auto [i, input] : llvm::enumerate(op.getInputs())) {
    if (loop.phases[number].rowInputs[i])
      continue;
    int32_t axes = op.getAxes()[i];
    int64_t gates = isa<MemRefType>(input.getType()) && axes & kGate ? op.getNumGates() : 1;
    for (int64_t g = 0; g < gates; ++g)
      append(input, axes, g, op.getBody().getArgument(op.getInputArgumentIndex(i) + g));
  }
  for (auto [i, out] : llvm::enumerate(op.getOuts()))
    append(out, kRowUnit, 0, op.getOutArgument(i));
  return inputs;
}

Value KernelEmitter::getInputAddress(const Input &input, const Item &item, const IRMapping &step) {
  return address(input.operand, getPosition(input.axes, item.row, index(input.gate), item.unit), step);
}

Value KernelEmitter::loadInput(const Input &input, const Item &item, const IRMapping &step) {
  if (!isa<MemRefType>(input.operand.getType()))
    return step.lookupOrDefault(input.operand);
  // A row that does not exist repeats the last one, whose elements are those of another thread, which may write them
  // later than they are read here for nothing. So does a unit.
  bool isWrittenBefore = (!plan.isCluster() && !plan.hasWarpGroups() && loop.stages.size() > 1) || keepsBefore();
  if (isWrittenBefore && isWritten(loop, input.operand))
    return guarded(conjoin(item.isRow, keepsBefore() ? item.isUnit : Value()), input.getType(), [&] {
             return SmallVector<Value>{loadElement(input, item, step)};
           }).front();
  return loadElement(input, item, step);
}

Value KernelEmitter::loadElement(const Input &input, const Item &item, const IRMapping &step) {
  // An index has 64 bits in memory.
  Type stored = input.getType().isIndex() ? b.getI64Type() : input.getType();
  Value value = LLVM::LoadOp::create(b, stored, getInputAddress(input, item, step));
  return input.getType().isIndex() ? arith::IndexCastOp::create(b, input.getType(), value).getResult() : value;
}

/// Brings what a later step reads of sequences to the second-level cache.
void KernelEmitter::prefetch(unsigned number, const Item &item, Value count) {
  constexpr int64_t kStepsAhead = 2, kLineUnits = 8;
  PhaseOp op = loop.phases[number].op;
  SmallVector<unsigned> sequences;
  for (auto [i, input] : llvm::enumerate(op.getInputs()))
    if (isa<MemRefType>(input.getType()) && !source.isDefinedOutsideOfLoop(input) && !isWritten(loop, input) &&
        (op.getAxes()[i] & kRowUnit) == kRowUnit)
      sequences.push_back(i);
  if (sequences.empty())
    return;
  guarded(isFirst(rem(item.blockUnit, kLineUnits)), {}, [&]() -> SmallVector<Value> {
    IRMapping later = computeStep(min(add(count, index(kStepsAhead)), last(steps)));
    for (unsigned i : sequences) {
      int32_t axes = op.getAxes()[i];
      for (int64_t g = 0, e = axes & kGate ? op.getNumGates() : 1; g < e; ++g)
        assembly("prefetch.global.L2 [$0];", "l", {},
                 address(op.getInputs()[i], getPosition(axes, item.row, index(g), item.unit), later));
    }
    return {};
  });
}

/// An element as others read it: units that do not exist are zero.
Value KernelEmitter::getPublished(const Item &item, Value value) {
  if (!item.isUnit)
    return value;
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(value.getType()));
  return arith::SelectOp::create(b, item.isUnit, value, zero);
}

/// All ones says that nothing is there. It is a NaN, too, of which there are others.
Value KernelEmitter::makePresent(Value bits, int64_t nan) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, b.getIntegerAttr(bits.getType(), value));
  };
  Value isMissing = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, bits, constant(-1));
  return arith::SelectOp::create(b, isMissing, constant(nan), bits);
}

/// Writes an element for all blocks to read.
void KernelEmitter::publish(unsigned exchange, const Item &item, Value slot, Value value) {
  const ExchangeLayout &place = layout.exchanges[exchange];
  Type element = value.getType();
  value = getPublished(item, value);
  SmallVector<Value> elements = {value};
  Value isWriter = item.isRow;
  if (plan.unitBlocks * layout.phases[loop.exchanges[exchange].producer].blockUnits != place.units)
    isWriter = conjoin(isWriter, isLess(item.paddedUnit, index(place.units)));
  int64_t wordElements = place.format.getWordElements();
  if (wordElements == 2) {
    // Two neighbours make a word, which has to be written at once.
    Type bits = b.getIntegerType(element.getIntOrFloatBitWidth());
    Value own = arith::BitcastOp::create(b, bits, value);
    if (bits != b.getI32Type())
      own = arith::ExtUIOp::create(b, b.getI32Type(), own);
    Value other = gpu::ShuffleOp::create(b, own, word(1), word(32), gpu::ShuffleMode::XOR)
                      .getShuffleResult();
    if (bits != b.getI32Type())
      other = arith::TruncIOp::create(b, bits, other);
    elements.push_back(arith::BitcastOp::create(b, element, other));
    isWriter = conjoin(isWriter, b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq,
                                                               rem(item.blockUnit, 2), index(0)));
  }
  SmallVector<Value> words = place.format.pack(b, elements);
  if (!plan.hasWarpGroups() && !plan.perStep)
    for (Value &value : words)
      value = makePresent(value, wordElements == 2 ? 0x7fff7fff : 0x7fffffff);
  guarded(isWriter, {}, [&]() -> SmallVector<Value> {
    for (auto [plane, value] : llvm::enumerate(words)) {
      if (plan.hasWarpGroups()) {
        LLVM::StoreOp::create(b, value, stageAddress(exchange, slot, plane, item, div(item.paddedUnit, wordElements)));
        continue;
      }
      Value at = exchangeAddress(exchange, slot, plane, item.row, div(item.paddedUnit, wordElements));
      LLVM::StoreOp::create(b, value, at, /*alignment=*/4, /*isVolatile=*/false,
                            /*isNonTemporal=*/false, /*isInvariantGroup=*/false,
                            LLVM::AtomicOrdering::monotonic, "device");
    }
    return {};
  });
}

bool KernelEmitter::multipliesHalves(const RecurrentLoop &loop) {
  return llvm::all_of(loop.phases, [](const PhaseInLoop &phase) {
    return llvm::all_of(phase.projections, [](const Projection &projection) {
      return cast<MemRefType>(projection.weight.getType()).getElementTypeBitWidth() == 16;
    });
  });
}

/// Functions and divisions by the special function unit, with relative errors of about 2^-21: far below
/// what operands of 16 bits are rounded to. tanh is exact to 2^-22 of 1.
bool KernelEmitter::approximate(Operation &op, IRMapping &mapping) {
  if (op.getNumResults() != 1 || !op.getResult(0).getType().isF32())
    return false;
  auto constant = [&](float value) -> Value {
    return arith::ConstantOp::create(b, b.getF32FloatAttr(value));
  };
  auto multiply = [&](Value l, Value r) -> Value { return arith::MulFOp::create(b, l, r); };
  auto special = [&](StringRef text, Value x) {
    return emitAssembly(b, text, "=f,f", b.getF32Type(), x, /*hasEffects=*/false);
  };
  auto exp2 = [&](Value x) { return special("ex2.approx.ftz.f32 $0, $1;", x); };
  auto reciprocal = [&](Value x) { return special("rcp.approx.ftz.f32 $0, $1;", x); };
  constexpr float log2e = 1.44269504f;
  Value result;
  if (auto exp = dyn_cast<math::ExpOp>(op)) {
    result = exp2(multiply(mapping.lookupOrDefault(exp.getOperand()), constant(log2e)));
  } else if (auto tanh = dyn_cast<math::TanhOp>(op)) {
    Value power = exp2(multiply(mapping.lookupOrDefault(tanh.getOperand()), constant(2 * log2e)));
    Value sigmoid = reciprocal(arith::AddFOp::create(b, power, constant(1)));
    result = LLVM::FMAOp::create(b, b.getF32Type(), sigmoid, constant(-2), constant(1));
  } else if (auto sqrt = dyn_cast<math::SqrtOp>(op)) {
    result = special("sqrt.approx.ftz.f32 $0, $1;", mapping.lookupOrDefault(sqrt.getOperand()));
  } else if (auto rsqrt = dyn_cast<math::RsqrtOp>(op)) {
    result = special("rsqrt.approx.ftz.f32 $0, $1;", mapping.lookupOrDefault(rsqrt.getOperand()));
  } else if (auto quotient = dyn_cast<arith::DivFOp>(op)) {
    FloatAttr divisor;
    if (matchPattern(quotient.getRhs(), m_Constant(&divisor)))
      result = constant(1 / divisor.getValue().convertToFloat());
    else
      result = reciprocal(mapping.lookupOrDefault(quotient.getRhs()));
    if (!matchPattern(quotient.getLhs(), m_OneFloat()))
      result = multiply(mapping.lookupOrDefault(quotient.getLhs()), result);
  } else {
    return false;
  }
  mapping.map(op.getResult(0), result);
  return true;
}

/// The products of an element: what the warps have summed, summed.
SmallVector<Value> KernelEmitter::sumProducts(unsigned number, const Item &item, Value flip) {
  const PhaseLayout &phase = layout.phases[number];
  int64_t width = phase.gates % 4 == 0 ? 4 : phase.gates % 2 == 0 ? 2 : 1;
  if (plan.hasWarpGroups())
    width = 1;
  Type type = width == 1 ? Type(b.getF32Type()) : VectorType::get(width, b.getF32Type());
  SmallVector<Value> products(phase.gates);
  for (int64_t split = 0; split < plan.splits; ++split)
    for (int64_t g = 0; g < phase.gates; g += width) {
      Value lane, product;
      if (plan.hasWarpGroups()) {
        Value inBlock = add(index(g * phase.blockUnits), item.blockUnit);
        lane = div(inBlock, phase.getLaneProducts());
        product = rem(inBlock, phase.getLaneProducts());
      } else {
        lane = div(item.blockUnit, phase.getLaneUnits());
        product = add(mul(rem(item.blockUnit, phase.getLaneUnits()), phase.gates), index(g));
      }
      Value place = sumAddress(number, flip, index(split), item.tileRow, lane, product);
      Value loaded = LLVM::LoadOp::create(b, type, place, 4 * width);
      for (int64_t i = 0; i < width; ++i) {
        Value part = width == 1 ? loaded
                                : LLVM::ExtractElementOp::create(b, loaded, word(i)).getResult();
        Value &sum = products[g + i];
        sum = sum ? arith::AddFOp::create(b, sum, part).getResult() : part;
      }
    }
  return products;
}

/// What the region gives for an element.
SmallVector<Value> KernelEmitter::mapItem(unsigned number, const Item &item, ValueRange products,
                                          ValueRange inputs, const RowScalars &rowValues) {
  PhaseOp op = loop.phases[number].op;
  IRMapping mapping;
  for (auto [g, product] : llvm::enumerate(products))
    mapping.map(op.getBody().getArgument(g), product);
  for (auto [input, value] : llvm::zip_equal(getInputs(number), inputs))
    mapping.map(input.argument, value);
  for (auto [i, rowValue] : llvm::enumerate(loop.phases[number].rowInputs))
    if (rowValue)
      for (auto [g, scalar] : llvm::enumerate(rowValues.at(*rowValue)))
        mapping.map(op.getBody().getArgument(op.getInputArgumentIndex(i) + g), scalar);
  for (Operation &inner : op.getBodyBlock()->without_terminator())
    if (!approximates || !approximate(inner, mapping))
      b.clone(inner, mapping);
  SmallVector<Value> results;
  for (Value scalar : op.getYield().getScalars())
    results.push_back(mapping.lookupOrDefault(scalar));
  return results;
}

/// Writes an element's results, each only where its condition holds, if there is one; in the last step final states,
/// too.
void KernelEmitter::storeItem(unsigned number, const Item &item, ValueRange results, const IRMapping &step,
                              ArrayRef<Value> isStored) {
  PhaseOp op = loop.phases[number].op;
  guarded(conjoin(item.isRow, item.isUnit), {}, [&]() -> SmallVector<Value> {
    for (auto [i, out, value] : llvm::enumerate(op.getOuts(), results)) {
      Value stored = value;
      if (stored.getType().isIndex())
        stored = arith::IndexCastOp::create(b, b.getI64Type(), stored);
      auto store = [&](Value place) -> SmallVector<Value> {
        LLVM::StoreOp::create(b, stored, address(place, {item.row, item.unit}, step));
        return {};
      };
      guarded(isStored.empty() ? Value() : isStored[i], {}, [&] { return store(out); });
      auto final = finals.find({number, unsigned(i)});
      if (final == finals.end())
        continue;
      Value count = step.lookup(source.getInductionVar());
      Value isLast = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, count, last(loop.maxSteps));
      guarded(isLast, {}, [&] { return store(final->second); });
    }
    return {};
  });
}

/// The first slot of an exchange: what the state was before the first step of the launch.
void KernelEmitter::publishInitial(unsigned exchange) {
  unsigned number = loop.exchanges[exchange].producer;
  Value initial = loop.exchanges[exchange].initial;
  if (!initial)
    return;
  IRMapping step = computeStep(begin);
  auto each = scf::ForOp::create(b, firstTile, endTile, index(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(each.getBody());
  for (int64_t i = 0; i < getNumItems(number); ++i) {
    Item item = getItem(number, i, each.getInductionVar());
    guarded(item.exists, {}, [&]() -> SmallVector<Value> {
      Type element = cast<MemRefType>(initial.getType()).getElementType();
      Value isOwn = keepsBefore() ? conjoin(item.isRow, item.isUnit) : Value();
      Value value = guarded(isOwn, element, [&] {
                      Value place = address(initial, {item.row, item.unit}, step);
                      return SmallVector<Value>{LLVM::LoadOp::create(b, element, place)};
                    }).front();
      if (plan.isCluster())
        stage(exchange, index(0), item, value);
      else
        publish(exchange, item, index(0), value);
      return {};
    });
  }
  if (plan.isCluster())
    send(exchange, each.getInductionVar(), index(0));
  if (plan.hasWarpGroups())
    signal(exchange, each.getInductionVar());
}

/// What others wait for of an element's results.
void KernelEmitter::publishResults(unsigned number, const Item &item, ValueRange results, Value count) {
  for (auto [e, exchange] : llvm::enumerate(loop.exchanges))
    if (exchange.producer == number)
      publish(e, item, getNextSlot(count), results[exchange.output]);
}

/// What the map threads read of a tile: inputs of all their elements.
SmallVector<Value> KernelEmitter::loadTile(unsigned number, ArrayRef<Input> inputs, bool prefetches, Value count,
                                           const IRMapping &step, Value tile) {
  SmallVector<Type> types = llvm::map_to_vector(inputs, [](const Input &input) { return input.getType(); });
  SmallVector<Value> all;
  for (int64_t i = 0; i < getNumItems(number); ++i) {
    Item item = getItem(number, i, tile);
    all.append(guarded(item.exists, types, [&] {
      if (prefetches)
        prefetch(number, item, count);
      return llvm::map_to_vector(inputs, [&](const Input &input) { return loadInput(input, item, step); });
    }));
  }
  return all;
}

/// Loads what a phase reads that is the same for all rows and steps, as gains of a norm, as long as there are
/// registers.
void KernelEmitter::loadConstants(unsigned number) {
  constexpr size_t kMostConstants = 32;
  for (const Input &input : getInputs(number)) {
    size_t items = getNumItems(number);
    if (!isa<MemRefType>(input.operand.getType()) || !source.isDefinedOutsideOfLoop(input.operand) ||
        isWritten(loop, input.operand) || input.axes & kRow || input.getType().isIndex() ||
        (constants.size() + 1) * items > kMostConstants)
      continue;
    SmallVector<Value> &values = constants[input.argument];
    for (size_t i = 0; i < items; ++i) {
      // Of each tile the same.
      Item item = getItem(number, i, firstTile);
      values.append(guarded(item.exists, input.getType(),
                            [&] { return SmallVector<Value>{loadInput(input, item, IRMapping())}; }));
    }
  }
}

/// Maps and folds for one stage of a step and all tiles. Returns which buffer of sums comes next.
Value KernelEmitter::emitMapPart(unsigned stageNumber, Value count, const IRMapping &step, Value flip) {
  const MapStage &stage = loop.stages[stageNumber];
  unsigned number = stage.phase;
  // What is needed of folds is asked for a tile ahead.
  SmallVector<Value> carried = askForTileFolds(stage, firstTile, count);
  carried.push_back(flip);
  auto each = scf::ForOp::create(b, firstTile, endTile, index(1), carried);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(each.getBody());
  Value tile = each.getInductionVar();
  ValueRange asked = each.getRegionIterArgs().drop_back();
  flip = each.getRegionIterArgs().back();
  SmallVector<Value> loaded;
  SmallVector<Input> inputs;
  if (stage.hasPhase) {
    inputs = getInputs(number);
    llvm::erase_if(inputs, [&](const Input &input) { return constants.contains(input.argument); });
    loaded = loadTile(number, inputs, /*prefetches=*/true, count, step, tile);
  }

  SmallVector<Item> items;
  SmallVector<SmallVector<Value>> products(getNumItems(number));
  for (int64_t i = 0; i < getNumItems(number); ++i)
    items.push_back(getItem(number, i, tile));
  SmallVector<RowScalars> rowValues = readRowValues(stage, items, asked, count, step);
  Value nextTile = add(tile, index(1));
  SmallVector<Value> next = guarded(asked.empty() ? Value() : isLess(nextTile, endTile), asked.getTypes(),
                                    [&] { return askForTileFolds(stage, nextTile, count); });
  if (stage.hasPhase && layout.phases[number].gates != 0) {
    meet(Handover::Full, flip, /*waits=*/true);
    for (auto [item, sums] : llvm::zip_equal(items, products))
      sums = guarded(item.exists, SmallVector<Type>(layout.phases[number].gates, b.getF32Type()),
                     [&] { return sumProducts(number, item, flip); });
    meet(Handover::Empty, flip, /*waits=*/false);
    flip = getNextBuffer(flip);
  }
  ValueRange rest = loaded;
  SmallVector<SmallVector<Value>> results;
  SmallVector<Type> resultTypes;
  if (stage.hasPhase)
    llvm::append_range(resultTypes, PhaseOp(loop.phases[number].op).getYield().getScalars().getTypes());
  for (auto [i, item] : llvm::enumerate(items)) {
    SmallVector<Value> inputValues;
    if (stage.hasPhase)
      for (const Input &input : getInputs(number)) {
        auto constant = constants.find(input.argument);
        inputValues.push_back(constant != constants.end() ? constant->second[i] : rest.front());
        rest = rest.drop_front(constant == constants.end());
      }
    results.push_back(guarded(item.exists, resultTypes, [&]() -> SmallVector<Value> {
      SmallVector<Value> given;
      if (stage.hasPhase) {
        given = mapItem(number, item, products[i], inputValues, rowValues[i]);
        publishResults(number, item, given, count);
      }
      for (unsigned fold : stage.folds)
        publishFold(fold, item, getElements(stage, fold, given, item, step), rowValues[i], count, step);
      return given;
    }));
  }
  // Nobody waits for these.
  if (stage.hasPhase)
    for (auto [item, given] : llvm::zip_equal(items, results))
      guarded(item.exists, {}, [&]() -> SmallVector<Value> {
        storeItem(number, item, given, step);
        return {};
      });
  if (stage.hasPhase && getLastProducer() == number)
    guarded(b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, tile, firstTile), {}, [&]() -> SmallVector<Value> {
      meetPublished(/*waits=*/false);
      return {};
    });
  next.push_back(flip);
  scf::YieldOp::create(b, next);
  return each.getResults().back();
}
