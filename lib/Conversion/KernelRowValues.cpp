//===- KernelRowValues.cpp - Reductions over a row in a kernel --------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A group of lanes that have units of one row folds them and publishes the partial fold, as words
// that say themselves that they are there. Whoever needs the row value reads the partial folds of all
// groups of lanes of all blocks and folds them in one order: no block waits for another to do so, and
// nobody has to keep the row value.
//
// A sum of squares of distances from a center c, as a variance is, waits for no center: with the mean
// m and the sum of squares s of the distances from m of each partial's n elements, it is the sum of
// s + n (m - c)^2. So a mean and a variance are one exchange. Where all partials have as many elements, lanes
// exchange both at the same time (Chan, Golub, LeVeque, "Algorithms for computing the sample variance", 1983).
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::lstm;

/// [step slot][plane][row][word] of the partial folds.
Value KernelEmitter::foldAddress(unsigned fold, Value slot, int64_t plane, Value row, Value word) {
  const FoldLayout &place = layout.folds.at(fold);
  Value before = mul(mul(slots, rows), place.before);
  Value line = add(mul(slot, place.planes), index(plane));
  Value offset = add(before, add(mul(add(mul(line, rows), row), place.rowWords), word));
  return advance(exchangeMemory, mul(offset, 4));
}

/// What the lane reads of folds that a stage needs, [fold][plane][chunk]: the lanes of a row share out
/// its words.
SmallVector<KernelEmitter::FoldRequest> KernelEmitter::getFoldRequests(const MapStage &stage, ArrayRef<unsigned> folds,
                                                                       const Item &item, Value count) {
  SmallVector<FoldRequest> requests;
  int64_t lanes = getRowLanes(stage);
  Value lane = plan.isCluster() ? laneRow : rem(mapThread, lanes), slot = getSlot(count);
  for (unsigned fold : folds) {
    const FoldLayout &place = layout.folds.at(fold);
    int64_t chunks = plan.isCluster() ? place.partials : place.rowWords / ProductFormat::kLaneWords;
    for (int64_t plane = 0; plane < place.planes; ++plane)
      for (int64_t first = 0; first < chunks; first += lanes) {
        Value chunk = add(lane, index(first));
        Value inside = first + lanes > chunks ? min(chunk, index(chunks - 1)) : chunk;
        Value at = plan.isCluster()
                       ? advance(sharedMemory, foldOffset(fold, item.tile, slot, plane, item.tileRow, inside))
                       : foldAddress(fold, slot, plane, item.row, mul(inside, ProductFormat::kLaneWords));
        requests.push_back({fold, plane, mul(chunk, getRequestWords()), at});
      }
  }
  return requests;
}

SmallVector<Value> KernelEmitter::askForFolds(ArrayRef<FoldRequest> requests) {
  SmallVector<Value> words;
  for (const FoldRequest &request : requests)
    if (plan.isCluster())
      words.push_back(LLVM::LoadOp::create(b, b.getI32Type(), request.address, /*alignment=*/4));
    else
      words.append(askAgain(request.address, word(1), SmallVector<Value>(4, word(-1))));
  return words;
}

/// Those words, when they are there.
SmallVector<Value> KernelEmitter::waitForFolds(ArrayRef<FoldRequest> requests, ValueRange asked) {
  // In a cluster they have been waited for, in a kernel a step the one before has ended.
  if (requests.empty() || plan.isCluster() || plan.perStep)
    return SmallVector<Value>(asked);
  SmallVector<Value> addresses;
  for (const FoldRequest &request : requests)
    addresses.push_back(request.address);
  return askUntilThere(addresses, asked, [&](size_t i, ValueRange four) -> Value {
    const FoldLayout &place = layout.folds.at(requests[i].fold);
    Value missing;
    for (auto [w, value] : llvm::enumerate(four)) {
      Value isMissing = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, value, word(-1));
      // Nobody writes what fills up a row.
      if (place.partials != place.rowWords) {
        Value at = add(requests[i].first, index(w));
        isMissing = conjoin(isMissing, isLess(at, index(place.partials)));
      }
      missing = missing ? arith::OrIOp::create(b, missing, isMissing).getResult() : isMissing;
    }
    return missing;
  });
}

Value KernelEmitter::combine(const RowValue &value, Value l, Value r) {
  IRMapping mapping;
  mapping.map(value.combiner->getOperand(0), l);
  mapping.map(value.combiner->getOperand(1), r);
  return b.clone(*value.combiner, mapping)->getResult(0);
}

/// Of all `lanes` that have units of a row; each lane gets the same bits, as the operation commutes.
Value KernelEmitter::combineLanes(const RowValue &value, Value scalar, int64_t lanes) {
  for (int64_t distance = lanes / 2; distance > 0; distance /= 2) {
    Value other = gpu::ShuffleOp::create(b, scalar, word(distance * getLaneDistance()), word(32), gpu::ShuffleMode::XOR)
                      .getShuffleResult();
    scalar = combine(value, scalar, other);
  }
  return scalar;
}

/// A value of an operation's body, from what its arguments are mapped to.
Value KernelEmitter::computeScalar(Value scalar, Block *body, IRMapping &mapping) {
  if (mapping.contains(scalar))
    return mapping.lookup(scalar);
  Operation *op = scalar.getDefiningOp();
  if (!op || (op->getBlock() != body && !op->hasTrait<OpTrait::ConstantLike>()))
    return scalar;
  for (Value operand : op->getOperands())
    mapping.map(operand, computeScalar(operand, body, mapping));
  if (!approximates || !approximate(*op, mapping))
    b.clone(*op, mapping);
  return mapping.lookup(scalar);
}

/// The arguments of a row value's body that are the same for a row, or for a row and gate.
IRMapping KernelEmitter::mapRowOperands(const RowValue &value, int64_t gate, const Item &item,
                                        const RowScalars &rowValues, const IRMapping &step) {
  IRMapping mapping = step;
  Block *body = linalg::LinalgOp(value.op).getBlock();
  for (auto [i, operand] : llvm::enumerate(value.operands)) {
    BlockArgument argument = body->getArgument(i);
    if (argument.use_empty() || operand.axes & kUnit)
      continue;
    if (operand.rowValue) {
      auto at = rowValues.find(*operand.rowValue);
      if (at != rowValues.end())
        mapping.map(argument, at->second.size() == 1 ? at->second.front() : at->second[gate]);
      continue;
    }
    if (!isa<MemRefType>(operand.value.getType())) {
      mapping.map(argument, step.lookupOrDefault(operand.value));
      continue;
    }
    SmallVector<Value> position;
    if (operand.axes & kRow)
      position.push_back(item.row);
    if (operand.axes & kGate)
      position.push_back(index(gate));
    mapping.map(argument, LLVM::LoadOp::create(b, argument.getType(), address(operand.value, position, step)));
  }
  return mapping;
}

/// Which of a row's partial folds an element is in.
Value KernelEmitter::getPartial(unsigned fold, const Item &item) {
  return div(item.paddedUnit, layout.folds.at(fold).units);
}

/// How many elements a partial fold is of, as f32.
Value KernelEmitter::getElementsOfPartial(unsigned number, Value partial) {
  const RowValue &value = loop.rowValues[number];
  const FoldLayout &place = layout.folds.at(number);
  auto constant = [&](int64_t n) -> Value { return arith::ConstantOp::create(b, b.getF32FloatAttr(n)); };
  int64_t gates = value.isPerGate ? 1 : value.gates;
  if (place.partials * place.units == value.units)
    return constant(place.units * gates);
  Value all = index(value.units);
  Value left = b.createOrFold<arith::SubIOp>(all, min(mul(partial, place.units), all));
  Value units = arith::IndexCastOp::create(b, b.getI32Type(), min(left, index(place.units)));
  return arith::MulFOp::create(b, arith::UIToFPOp::create(b, b.getF32Type(), units), constant(gates));
}

/// Whether a sum of squares has partials of one number of elements.
bool KernelEmitter::hasEvenPartials(unsigned fold) {
  const FoldLayout &place = layout.folds.at(fold);
  return loop.rowValues[fold].isSumOfSquares() && place.partials * place.units == loop.rowValues[fold].units;
}

/// Pairs first, so that few wait for each other.
Value KernelEmitter::sumPairwise(ArrayRef<Value> values) {
  SmallVector<Value> sums(values);
  while (sums.size() > 1) {
    SmallVector<Value> pairs;
    for (size_t i = 0; i < sums.size(); i += 2)
      pairs.push_back(i + 1 < sums.size() ? arith::AddFOp::create(b, sums[i], sums[i + 1]) : sums[i]);
    sums = pairs;
  }
  return sums.front();
}

/// Of parts that have some `elements` each, of which some have none.
KernelEmitter::Moments KernelEmitter::mergeMoments(ArrayRef<Value> means, ArrayRef<Value> squares,
                                                   ArrayRef<Value> elements) {
  SmallVector<Value> sums, distances;
  for (auto [mean, count] : llvm::zip_equal(means, elements))
    sums.push_back(arith::MulFOp::create(b, mean, count));
  Value one = arith::ConstantOp::create(b, b.getF32FloatAttr(1));
  Value all = arith::MaximumFOp::create(b, sumPairwise(elements), one);
  Value mean = arith::DivFOp::create(b, sumPairwise(sums), all);
  for (auto [part, square, count] : llvm::zip_equal(means, squares, elements)) {
    Value distance = arith::SubFOp::create(b, part, mean);
    distance = arith::MulFOp::create(b, arith::MulFOp::create(b, distance, distance), count);
    distances.push_back(arith::AddFOp::create(b, square, distance));
  }
  return {mean, sumPairwise(distances)};
}

/// Of parts with so many elements each; without `squares`, parts of one element.
KernelEmitter::Moments KernelEmitter::mergeMoments(ArrayRef<Value> means, ArrayRef<Value> squares, int64_t elements) {
  auto constant = [&](double n) -> Value { return arith::ConstantOp::create(b, b.getF32FloatAttr(n)); };
  if (means.size() == 1)
    return {means.front(), squares.empty() ? Value() : squares.front()};
  Value mean = arith::MulFOp::create(b, sumPairwise(means), constant(1.0 / means.size()));
  SmallVector<Value> distances;
  for (Value part : means) {
    Value distance = arith::SubFOp::create(b, part, mean);
    distances.push_back(arith::MulFOp::create(b, distance, distance));
  }
  Value between = sumPairwise(distances);
  if (squares.empty())
    return {mean, between};
  between = arith::MulFOp::create(b, between, constant(elements));
  return {mean, arith::AddFOp::create(b, sumPairwise(squares), between)};
}

/// Of all `lanes` that have units of a row, with so many elements each; each lane gets the same bits.
KernelEmitter::Moments KernelEmitter::combineMoments(Moments moments, int64_t elements, int64_t lanes) {
  for (int64_t distance = lanes / 2; distance > 0; distance /= 2, elements *= 2) {
    auto getOther = [&](Value own) {
      Value lane = word(distance * getLaneDistance());
      return gpu::ShuffleOp::create(b, own, lane, word(32), gpu::ShuffleMode::XOR).getShuffleResult();
    };
    Value mean = getOther(moments.mean), squares = moments.squares ? getOther(moments.squares) : Value();
    Value between = arith::SubFOp::create(b, mean, moments.mean);
    between = arith::MulFOp::create(b, between, between);
    between = arith::MulFOp::create(b, between, arith::ConstantOp::create(b, b.getF32FloatAttr(elements / 2.0)));
    Value all = arith::AddFOp::create(b, mean, moments.mean);
    moments.mean = arith::MulFOp::create(b, all, arith::ConstantOp::create(b, b.getF32FloatAttr(0.5)));
    moments.squares =
        squares ? arith::AddFOp::create(b, arith::AddFOp::create(b, squares, moments.squares), between) : between;
  }
  return moments;
}

/// A row value from the partial folds of all blocks: those of a lane in their order, then those of lanes. `known`
/// are moments of folds that have been made for another one.
SmallVector<Value> KernelEmitter::finishFold(unsigned number, ArrayRef<FoldRequest> requests, ValueRange words,
                                             int64_t lanes, FoldMoments &known, const Item &item,
                                             const RowScalars &rowValues, const IRMapping &step) {
  const RowValue &value = loop.rowValues[number];
  unsigned source = value.squares.value_or(number);
  const FoldLayout &place = layout.folds.at(source);
  int64_t planes = place.planes / value.getSize(), perPlane = requests.size() / place.planes;
  bool isEven = hasEvenPartials(source) && place.partials % (lanes * getRequestWords()) == 0;
  int64_t ofPartial = place.units * (value.isPerGate ? 1 : value.gates);
  SmallVector<Moments> &moments = known[source];
  auto addMoments = [&](int64_t g) {
    SmallVector<Value> parts[2];
    int64_t count = perPlane * getRequestWords();
    for (int64_t plane : {0, 1})
      for (Value word : words.slice((2 * g + plane) * count, count))
        parts[plane].push_back(arith::BitcastOp::create(b, b.getF32Type(), word));
    moments.push_back(combineMoments(mergeMoments(parts[0], parts[1], ofPartial), ofPartial * count, lanes));
  };
  auto constant = [&](int64_t n) -> Value { return arith::ConstantOp::create(b, b.getF32FloatAttr(n)); };
  Value neutral = arith::ConstantOp::create(b, *arith::getNeutralElement(value.combiner));
  SmallVector<Value> results;
  for (int64_t g = 0; g < value.getSize(); ++g) {
    Value center, sum;
    if (value.isSumOfSquares()) {
      IRMapping mapping = mapRowOperands(value, g, item, rowValues, step);
      center = computeScalar(value.center, linalg::LinalgOp(value.op).getBlock(), mapping);
    }
    if (isEven) {
      if (int64_t(moments.size()) <= g)
        addMoments(g);
      Value elements = constant(ofPartial * place.partials), mean = moments[g].mean;
      if (center) {
        Value distance = arith::SubFOp::create(b, mean, center);
        Value square = arith::MulFOp::create(b, distance, distance);
        sum = arith::AddFOp::create(b, moments[g].squares, arith::MulFOp::create(b, square, elements));
      } else {
        sum = arith::MulFOp::create(b, mean, elements);
      }
    }
    for (int64_t i = 0; !isEven && i < perPlane * getRequestWords(); ++i) {
      auto read = [&](int64_t plane) -> Value {
        int64_t first = (g * planes + plane) * perPlane * getRequestWords();
        return arith::BitcastOp::create(b, b.getF32Type(), words[first + i]);
      };
      Value partial = add(requests[i / getRequestWords()].first, index(i % getRequestWords()));
      Value scalar = read(0);
      if (center) {
        Value distance = arith::SubFOp::create(b, scalar, center);
        Value square = arith::MulFOp::create(b, distance, distance);
        square = arith::MulFOp::create(b, square, getElementsOfPartial(source, partial));
        scalar = arith::AddFOp::create(b, read(1), square);
      } else if (value.squares) {
        scalar = arith::MulFOp::create(b, scalar, getElementsOfPartial(source, partial));
      }
      if (place.partials % (lanes * getRequestWords()) != 0)
        scalar = arith::SelectOp::create(b, isLess(partial, index(place.partials)), scalar, neutral);
      sum = sum ? combine(value, sum, scalar) : scalar;
    }
    if (!isEven)
      sum = combineLanes(value, sum, lanes);
    if (!matchPattern(value.initial, m_AnyZeroFloat()) || !isa<arith::AddFOp>(value.combiner))
      sum = combine(value, arith::ConstantOp::create(b, value.initial), sum);
    results.push_back(sum);
  }
  return results;
}

/// The row values that can be made of folds whose words are there: each is made of those before it.
KernelEmitter::RowScalars KernelEmitter::computeRowValues(ArrayRef<FoldRequest> requests, ValueRange words,
                                                          int64_t lanes, const Item &item, const IRMapping &step) {
  RowScalars known;
  FoldMoments moments;
  for (auto [number, value] : llvm::enumerate(loop.rowValues)) {
    SmallVector<unsigned> others;
    if (!value.isFold() || value.isSumOfSquares())
      others = value.getRowValuesOf(value.isFold() ? value.center : value.mapped);
    if (!llvm::all_of(others, [&](unsigned other) { return known.contains(other); }))
      continue;
    if (value.isFold()) {
      unsigned source = value.squares.value_or(number);
      auto isOwn = [&](const FoldRequest &request) { return request.fold == source; };
      auto isOther = [&](const FoldRequest &request) { return request.fold != source; };
      ArrayRef<FoldRequest> own = requests.drop_while(isOther).take_while(isOwn);
      if (own.empty())
        continue;
      size_t first = own.begin() - requests.begin();
      ValueRange there = words.slice(getRequestWords() * first, getRequestWords() * own.size());
      SmallVector<Value> results = finishFold(number, own, there, lanes, moments, item, known, step);
      known[number] = results;
      continue;
    }
    SmallVector<Value> results;
    for (int64_t g = 0; g < value.getSize(); ++g) {
      IRMapping mapping = mapRowOperands(value, g, item, known, step);
      results.push_back(computeScalar(value.mapped, linalg::LinalgOp(value.op).getBlock(), mapping));
    }
    known[number] = results;
  }
  return known;
}

/// What a lane reads of the folds that a stage needs, for one element.
size_t KernelEmitter::getNumFoldWords(const MapStage &stage) {
  size_t numWords = 0;
  for (unsigned fold : loop.getFolds(loop.getRowValuesOf(stage))) {
    const FoldLayout &place = layout.folds.at(fold);
    int64_t chunks = place.rowWords / ProductFormat::kLaneWords;
    numWords += ProductFormat::kLaneWords * place.planes * llvm::divideCeil(chunks, getRowLanes(stage));
  }
  // All are asked for at the same time, unless that takes too many registers: one after the other, each
  // would take the time of a journey.
  constexpr size_t kMaxWords = 64;
  return numWords * getNumItems(stage.phase) <= kMaxWords ? numWords : 0;
}

/// Asks for what a stage needs of folds, of all of the thread's elements of a tile; nothing if that is too much.
SmallVector<Value> KernelEmitter::askForTileFolds(const MapStage &stage, Value tile, Value count) {
  SmallVector<Value> words;
  SmallVector<unsigned> folds = loop.getFolds(loop.getRowValuesOf(stage));
  if (size_t numWords = getNumFoldWords(stage))
    for (int64_t i = 0; i < getNumItems(stage.phase); ++i) {
      Item item = getItem(stage.phase, i, tile);
      words.append(guarded(item.exists, SmallVector<Type>(numWords, b.getI32Type()),
                           [&] { return askForFolds(getFoldRequests(stage, folds, item, count)); }));
    }
  return words;
}

/// `asked` are the words that have been asked for, if they have been.
SmallVector<KernelEmitter::RowScalars> KernelEmitter::readRowValues(const MapStage &stage, ArrayRef<Item> items,
                                                                    ValueRange asked, Value count,
                                                                    const IRMapping &step) {
  SmallVector<RowScalars> all(items.size());
  SmallVector<unsigned> needed = loop.getRowValuesOf(stage), folds = loop.getFolds(needed);
  if (needed.empty())
    return all;
  if (plan.isCluster())
    receiveFolds(stage, count, items.front().tile);
  size_t numWords = asked.size() / items.size();
  SmallVector<Type> types;
  for (unsigned number : needed)
    types.append(loop.rowValues[number].getSize(), b.getF32Type());
  for (auto [i, item] : llvm::enumerate(items)) {
    RowScalars &known = all[i];
    SmallVector<Value> scalars = guarded(item.exists, types, [&] {
      SmallVector<FoldRequest> requests = getFoldRequests(stage, folds, item, count);
      SmallVector<Value> own =
          asked.empty() ? askForFolds(requests) : llvm::to_vector(asked.slice(i * numWords, numWords));
      SmallVector<Value> there = waitForFolds(requests, own);
      RowScalars rowValues = computeRowValues(requests, there, getRowLanes(stage), item, step);
      SmallVector<Value> results;
      for (unsigned number : needed)
        llvm::append_range(results, rowValues[number]);
      return results;
    });
    ValueRange rest(scalars);
    for (unsigned number : needed) {
      int64_t size = loop.rowValues[number].getSize();
      known[number] = llvm::to_vector(rest.take_front(size));
      rest = rest.drop_front(size);
    }
  }
  return all;
}

/// The gates that a fold reads of an operand.
static int64_t getNumGates(const RowValue &value, const RowOperand &operand) {
  return operand.axes & kGate ? value.gates : 1;
}

/// The number of the result of a stage's phase that a fold reads of an operand.
std::optional<unsigned> KernelEmitter::findResult(const MapStage &stage, const RowOperand &operand, int64_t gate) {
  if (!stage.hasPhase || !(operand.axes & kRow))
    return std::nullopt;
  std::optional<ElementPlace> read = getElementPlace(operand.value);
  for (auto [i, out] : llvm::enumerate(PhaseOp(loop.phases[stage.phase].op).getOuts())) {
    std::optional<ElementPlace> written = getElementPlace(out);
    if (out == operand.value ||
        (read && written && written->isGateOf(*read, operand.axes & kGate ? gate : read->gate)))
      return i;
  }
  return std::nullopt;
}

/// What a fold reads of operands with units: what the stage's phase has just given, or what is in memory.
SmallVector<Value> KernelEmitter::getElements(const MapStage &stage, unsigned number, ValueRange results,
                                              const Item &item, const IRMapping &step) {
  const RowValue &value = loop.rowValues[number];
  SmallVector<Value> elements;
  for (const RowOperand &operand : value.operands)
    for (int64_t g = 0; operand.axes & kUnit && g < getNumGates(value, operand); ++g) {
      std::optional<unsigned> result = findResult(stage, operand, g);
      Value element = result ? results[*result] : Value();
      if (!element) {
        Type type = cast<MemRefType>(operand.value.getType()).getElementType();
        SmallVector<Value> position = getPosition(operand.axes, item.row, index(g), item.unit);
        element = LLVM::LoadOp::create(b, type, address(operand.value, position, step));
      }
      elements.push_back(element);
    }
  return elements;
}

/// What a thread's elements of some gates are mapped to before they are folded.
SmallVector<Value> KernelEmitter::mapElements(const RowValue &value, ArrayRef<int64_t> gates, const Item &item,
                                              ValueRange elements, const RowScalars &rowValues,
                                              const IRMapping &step) {
  Block *body = linalg::LinalgOp(value.op).getBlock();
  SmallVector<Value> mapped;
  for (int64_t gate : gates) {
    IRMapping mapping = mapRowOperands(value, gate, item, rowValues, step);
    ValueRange rest = elements;
    for (auto [i, operand] : llvm::enumerate(value.operands)) {
      if (!(operand.axes & kUnit))
        continue;
      int64_t count = getNumGates(value, operand);
      mapping.map(body->getArgument(i), rest[count == 1 ? 0 : gate]);
      rest = rest.drop_front(count);
    }
    mapped.push_back(computeScalar(value.isSumOfSquares() ? value.element : value.mapped, body, mapping));
  }
  return mapped;
}

/// Folds a thread's elements, and those of the lanes beside it; padding counts for nothing.
Value KernelEmitter::combineElements(const RowValue &value, ArrayRef<Value> elements, const Item &item,
                                     int64_t lanes) {
  Value sum = elements.front();
  for (Value element : elements.drop_front())
    sum = combine(value, sum, element);
  if (item.isUnit) {
    Value neutral = arith::ConstantOp::create(b, *arith::getNeutralElement(value.combiner));
    sum = arith::SelectOp::create(b, item.isUnit, sum, neutral);
  }
  return combineLanes(value, sum, lanes);
}

void KernelEmitter::publishPartial(unsigned number, int64_t plane, const Item &item, Value count, Value scalar) {
  const FoldLayout &place = layout.folds.at(number);
  Value bits = arith::BitcastOp::create(b, b.getI32Type(), scalar);
  if (plan.isCluster()) {
    stagePart(number, plane, item, count, bits);
    return;
  }
  Value safe = makePresent(bits, 0x7fffffff);
  guarded(conjoin(item.isRow, isFirst(rem(item.blockUnit, place.lanes))), {}, [&]() -> SmallVector<Value> {
    Value at = foldAddress(number, getSlot(count), plane, item.row, getPartial(number, item));
    LLVM::StoreOp::create(b, safe, at, /*alignment=*/4, /*isVolatile=*/false, /*isNonTemporal=*/false,
                          /*isInvariantGroup=*/false, LLVM::AtomicOrdering::monotonic, "device");
    return {};
  });
}

/// Gives all blocks the fold of the thread's elements and those of the lanes beside it; in a cluster, to the block's
/// other warps, for sendFold.
void KernelEmitter::publishFold(unsigned number, const Item &item, ValueRange elements, const RowScalars &rowValues,
                                Value count, const IRMapping &step) {
  if (!getLastReader(number))
    return;
  const RowValue &value = loop.rowValues[number];
  int64_t lanes = layout.folds.at(number).lanes;
  for (int64_t i = 0; i < value.getSize(); ++i) {
    SmallVector<int64_t> gates = {i};
    if (!value.isPerGate)
      gates = llvm::to_vector(llvm::seq<int64_t>(value.gates));
    SmallVector<Value> mapped = mapElements(value, gates, item, elements, rowValues, step);
    if (hasEvenPartials(number)) {
      Moments moments = combineMoments(mergeMoments(mapped, /*squares=*/{}, 1), mapped.size(), lanes);
      publishPartial(number, 2 * i, item, count, moments.mean);
      publishPartial(number, 2 * i + 1, item, count, moments.squares);
      continue;
    }
    Value sum = combineElements(value, mapped, item, lanes);
    if (!value.isSumOfSquares()) {
      publishPartial(number, i, item, count, sum);
      continue;
    }
    Value elementCount = plan.isCluster() ? getElementsOfPart(number, getPart(number, item))
                                          : getElementsOfPartial(number, getPartial(number, item));
    Value one = arith::ConstantOp::create(b, b.getF32FloatAttr(1));
    Value mean = arith::DivFOp::create(b, sum, b.createOrFold<arith::MaximumFOp>(elementCount, one));
    for (Value &scalar : mapped) {
      Value distance = arith::SubFOp::create(b, scalar, mean);
      scalar = arith::MulFOp::create(b, distance, distance);
    }
    publishPartial(number, 2 * i, item, count, mean);
    publishPartial(number, 2 * i + 1, item, count, combineElements(value, mapped, item, lanes));
  }
}
