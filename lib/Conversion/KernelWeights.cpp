//===- KernelWeights.cpp - Weights of a kernel --------------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "ByteSize.h"

using namespace mlir;
using namespace mlir::lstm;

/// The elements of a weight's row `k` that the lane multiplies, by product; zeros where there is none.
SmallVector<Value> KernelEmitter::loadWeightRow(unsigned number, const Projection &projection, Value k) {
  const PhaseLayout &phase = layout.phases[number];
  auto type = cast<MemRefType>(projection.weight.getType());
  int64_t depth = type.getDimSize(0), width = getWeightVectorSize(projection, phase.getLaneUnits());
  Type element = type.getElementType();
  Type loaded = width == 1 ? element : Type(VectorType::get(width, element));
  Value exists;
  int64_t groupsAtOnce = plan.hasWarpGroups() ? layout.stageGroups : 1;
  if (depth % (getFormat(projection, plan).getGroupSize() * plan.splits * groupsAtOnce) != 0) {
    exists = isLess(k, index(depth));
    k = min(k, index(depth - 1));
  }
  // Neighbours, from a gate and a unit of the block on; the gate may be one more than there are.
  auto load = [&](Value gate, Value blockUnit) {
    Value unit = add(mul(block, phase.blockUnits), blockUnit), isInside = exists;
    if (plan.unitBlocks * phase.blockUnits != phase.units) {
      isInside = conjoin(isInside, isLess(unit, index(phase.units)));
      unit = min(unit, index(phase.units - width));
    }
    if (!getConstantIntValue(gate)) {
      isInside = conjoin(isInside, isLess(gate, index(phase.gates)));
      gate = min(gate, index(phase.gates - 1));
    }
    Value some = LLVM::LoadOp::create(b, loaded, address(projection.weight, {k, gate, unit}, {}),
                                      width * getByteWidth(element));
    return isInside ? arith::SelectOp::create(b, isInside, some,
                                              arith::ConstantOp::create(b, b.getZeroAttr(loaded)))
                          .getResult()
                    : some;
  };
  auto getElement = [&](Value some, int64_t i) -> Value {
    return width == 1 ? some : LLVM::ExtractElementOp::create(b, some, word(i)).getResult();
  };
  Value row = add(mul(unitWarp, 8), laneRow);
  SmallVector<Value> elements;
  if (plan.hasWarpGroups()) {
    for (int64_t i = 0; i < phase.getLaneProducts(); i += width) {
      Value product = add(mul(row, phase.getLaneProducts()), index(i));
      Value some = load(div(product, phase.blockUnits), rem(product, phase.blockUnits));
      for (int64_t j = 0; j < width; ++j)
        elements.push_back(getElement(some, j));
    }
    return elements;
  }
  elements.resize(phase.getLaneProducts());
  for (int64_t gate = 0; gate < phase.gates; ++gate)
    for (int64_t i = 0; i < phase.getLaneUnits(); i += width) {
      Value some = load(index(gate), add(mul(row, phase.getLaneUnits()), index(i)));
      for (int64_t j = 0; j < width; ++j)
        elements[(i + j) * phase.gates + gate] = getElement(some, j);
    }
  return elements;
}

/// Loads the fragments of a phase's weights: words 0 ... 3 of the lane for row `laneRow` and
/// for the row 8 below, in the order in which two products take them. For a kernel a step they go to memory.
void KernelEmitter::loadWeights(unsigned number) {
  const PhaseLayout &phase = layout.phases[number];
  for (auto [s, slot] : llvm::enumerate(phase.slots)) {
    const Projection &projection = loop.phases[number].projections[slot.projection];
    ProductFormat format = getFormat(projection, plan);
    int64_t elements = format.getWordElements();
    // Warps without a group of k have weights that are zero.
    SmallVector<SmallVector<Value>> rows;
    for (int64_t w = 0; w < ProductFormat::kLaneWords; ++w)
      for (int64_t i = 0; i < elements; ++i) {
        Value k = add(mul(getLaneWord(slot, projection, w), elements), index(i));
        rows.push_back(loadWeightRow(number, projection, k));
      }
    // [plane][tile][product of two][word][row 0 or 8]
    int64_t planes = getNumWeightPlanes(format, plan);
    SmallVector<SmallVector<Value>> words(planes);
    SmallVector<Value> nothing(planes, word(0));
    for (int64_t m = 0; m < phase.productTiles; ++m)
      for (int64_t w = 0; w < ProductFormat::kLaneWords; ++w)
        for (int64_t half = 0; half < 2; ++half) {
          int64_t product = 2 * m + half;
          SmallVector<Value> packed = nothing;
          if (product < phase.getLaneProducts()) {
            SmallVector<Value> parts;
            for (int64_t i = 0; i < elements; ++i)
              parts.push_back(rows[w * elements + i][product]);
            if (splitsLate(format, plan))
              packed = {ProductFormat::packWhole(b, parts.front())};
            else
              packed = format.pack(b, parts);
          }
          for (auto [plane, value] : llvm::zip_equal(words, packed))
            plane.push_back(value);
        }
    SmallVector<Value> all;
    for (SmallVector<Value> &plane : words)
      all.append(plane);
    if (plan.perStep)
      storeFours(advance(exchangeMemory, getPackedOffset(number, s)), 16 * plan.getNumProductThreads(), all);
    else if (!slot.place && !slot.isStreamed)
      weights[{number, unsigned(s)}] = all;
    else if (plan.hasWarpGroups())
      storeSlotWeights(number, s, all);
    else
      storeFours(advance(sharedMemory, add(index(*slot.place), mul(thread, 16))), 16 * plan.getNumProductThreads(),
                 all);
  }
}

/// Stores four words where `first` points to, and fours behind it so many bytes from each other.
void KernelEmitter::storeFours(Value first, int64_t distance, ArrayRef<Value> words) {
  auto vector = VectorType::get(4, b.getI32Type());
  for (size_t i = 0; i < words.size(); i += 4) {
    Value four = LLVM::UndefOp::create(b, vector);
    for (int64_t j = 0; j < 4; ++j)
      four = LLVM::InsertElementOp::create(b, four, words[i + j], word(j));
    LLVM::StoreOp::create(b, four, advance(first, index(i / 4 * distance)), /*alignment=*/16);
  }
}

/// Words, four at the offset `first` of memory, and fours behind it so many bytes from each other.
SmallVector<Value> KernelEmitter::loadFours(Value memory, Value first, int64_t distance, int64_t count) {
  auto vector = VectorType::get(4, b.getI32Type());
  SmallVector<Value> words;
  for (int64_t i = 0; i < count / 4; ++i) {
    Value place = add(first, index(i * distance));
    Value four = LLVM::LoadOp::create(b, vector, advance(memory, place), /*alignment=*/16);
    for (int64_t j = 0; j < 4; ++j)
      words.push_back(LLVM::ExtractElementOp::create(b, four, word(j)));
  }
  return words;
}

SmallVector<Value> KernelEmitter::getSlotWeights(unsigned number, unsigned s) {
  const Slot &slot = layout.phases[number].slots[s];
  if (plan.perStep && slot.isStreamed)
    return loadPacked(number, s);
  if (!slot.place)
    return weights[{number, s}];
  const Projection &projection = loop.phases[number].projections[slot.projection];
  int64_t count = 8 * layout.phases[number].productTiles * getFormat(projection, plan).getNumPlanes();
  Value first = add(index(*slot.place), mul(thread, 16));
  return loadFours(sharedMemory, first, 16 * plan.getNumProductThreads(), count);
}
