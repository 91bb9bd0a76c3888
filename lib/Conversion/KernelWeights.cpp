//===- KernelWeights.cpp - Weights of a kernel --------------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

using namespace mlir;
using namespace mlir::lstm;

/// Loads the fragments of a phase's weights: words 0 ... 3 of the lane for row `laneRow` and
/// for the row 8 below, in the order in which two products take them.
void KernelEmitter::loadWeights(unsigned number) {
  const PhaseLayout &phase = layout.phases[number];
  for (auto [s, slot] : llvm::enumerate(phase.slots)) {
    const Projection &projection = loop.phases[number].projections[slot.projection];
    auto type = cast<MemRefType>(projection.weight.getType());
    ProductFormat format = getFormat(projection, plan);
    int64_t elements = format.getWordElements(), depth = type.getDimSize(0);
    // Warps without a group of k have weights that are zero.
    Value chunk = getChunk(slot, format, projection);
    Value k = mul(chunk, ProductFormat::kLaneWords * elements);
    SmallVector<SmallVector<Value>> words(format.getNumPlanes());
    for (int64_t m = 0; m < phase.productTiles; ++m) {
      // [row 0 or 8][word][plane]
      SmallVector<SmallVector<Value>> loaded;
      for (int64_t half = 0; half < 2; ++half) {
        Value product = add(laneRow, index(16 * m + 8 * half));
        Value blockUnit = div(product, phase.gates), gate = rem(product, phase.gates);
        Value unit = add(mul(block, phase.blockUnits), blockUnit);
        Value isProduct;
        if (16 * phase.productTiles != phase.gates * phase.blockUnits)
          isProduct = isLess(blockUnit, index(phase.blockUnits));
        if (plan.unitBlocks * phase.blockUnits != phase.units || isProduct)
          isProduct = conjoin(isProduct, isLess(unit, index(phase.units)));
        unit = min(unit, index(phase.units - 1));
        for (int64_t w = 0; w < ProductFormat::kLaneWords; ++w) {
          SmallVector<Value> parts;
          for (int64_t i = 0; i < elements; ++i) {
            Value at = add(k, index(w * elements + i));
            Value exists = conjoin(isProduct, isLess(at, index(depth)));
            Value place = address(projection.weight, {min(at, index(depth - 1)), gate, unit}, {});
            Value part = LLVM::LoadOp::create(b, type.getElementType(), place);
            Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type.getElementType()));
            parts.push_back(arith::SelectOp::create(b, exists, part, zero));
          }
          loaded.push_back(format.pack(b, parts));
        }
      }
      for (int64_t plane = 0; plane < format.getNumPlanes(); ++plane)
        for (int64_t product = 0; product < 2; ++product)
          for (int64_t w = 2 * product; w < 2 * product + 2; ++w)
            for (int64_t half = 0; half < 2; ++half)
              words[plane].push_back(loaded[half * ProductFormat::kLaneWords + w][plane]);
    }
    SmallVector<Value> all;
    for (SmallVector<Value> &plane : words)
      all.append(plane);
    if (!slot.place) {
      weights[{number, unsigned(s)}] = all;
      continue;
    }
    auto vector = VectorType::get(4, b.getI32Type());
    for (size_t i = 0; i < all.size(); i += 4) {
      Value four = LLVM::UndefOp::create(b, vector);
      for (int64_t j = 0; j < 4; ++j)
        four = LLVM::InsertElementOp::create(b, four, all[i + j], word(j));
      Value place = add(index(*slot.place + 4 * i * plan.getNumProductThreads()), mul(thread, 16));
      LLVM::StoreOp::create(b, four, advance(sharedMemory, place), /*alignment=*/16);
    }
  }
}

SmallVector<Value> KernelEmitter::getSlotWeights(unsigned number, unsigned s) {
  const Slot &slot = layout.phases[number].slots[s];
  if (!slot.place)
    return weights[{number, s}];
  const Projection &projection = loop.phases[number].projections[slot.projection];
  int64_t count = 8 * layout.phases[number].productTiles * getFormat(projection, plan).getNumPlanes();
  auto vector = VectorType::get(4, b.getI32Type());
  SmallVector<Value> words;
  for (int64_t i = 0; i < count; i += 4) {
    Value place = add(index(*slot.place + 4 * i * plan.getNumProductThreads()), mul(thread, 16));
    Value four = LLVM::LoadOp::create(b, vector, advance(sharedMemory, place), /*alignment=*/16);
    for (int64_t j = 0; j < 4; ++j)
      words.push_back(LLVM::ExtractElementOp::create(b, four, word(j)));
  }
  return words;
}
