//===- KernelLayout.cpp - Sizes and places of a plan ----------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelLayout.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mlir::lstm;

ProductFormat lstm::getFormat(const Projection &projection, const KernelPlan &plan) {
  return ProductFormat(cast<MemRefType>(projection.weight.getType()).getElementType(), plan.float32);
}

KernelLayout::KernelLayout(const RecurrentLoop &loop, const KernelPlan &plan) {
  int64_t working = 0;
  for (const PhaseInLoop &phase : loop.phases) {
    PhaseLayout layout{phase.units, plan.getBlockUnits(phase.units), 0, 0, 0, {}};
    if (!phase.projections.empty()) {
      layout.gates = PhaseOp(phase.op).getNumGates();
      layout.productTiles = llvm::divideCeil(layout.gates * layout.blockUnits, 16);
    }
    int64_t planes = 1;
    for (auto [i, projection] : llvm::enumerate(phase.projections)) {
      ProductFormat format = getFormat(projection, plan);
      planes = std::max(planes, format.getNumPlanes());
      int64_t k = cast<MemRefType>(projection.weight.getType()).getDimSize(0);
      int64_t groups = llvm::divideCeil(k, format.getGroupSize());
      for (int64_t n = 0, e = llvm::divideCeil(groups, plan.splits); n < e; ++n)
        layout.slots.push_back({unsigned(i), n, {}});
    }
    int64_t sums = 4 * layout.productTiles * plan.rowTiles;
    int64_t left = plan.getMaxRegisters() - kOtherRegisters - sums;
    layout.inFlight = std::clamp<int64_t>(left / (4 * planes), 1, 8);
    layout.inFlight = std::min<int64_t>(layout.inFlight, layout.slots.size() * plan.rowTiles);
    working = std::max(working, sums + 4 * planes * layout.inFlight);
    sumBytes = std::max(sumBytes, 4 * plan.splits * plan.getNumRows() * layout.getRowStride());
    phases.push_back(layout);
  }
  for (const Exchange &exchange : loop.exchanges) {
    const Projection *read = nullptr;
    for (const PhaseInLoop &phase : loop.phases)
      for (const Projection &projection : phase.projections)
        if (projection.exchange == unsigned(&exchange - loop.exchanges.begin()))
          read = &projection;
    assert(read && "an exchange is for a projection");
    const PhaseLayout &producer = phases[exchange.producer];
    ProductFormat format = getFormat(*read, plan);
    int64_t units = llvm::alignTo(producer.units, producer.blockUnits);
    exchanges.push_back({format, units, units / format.getWordElements(), exchangeWords});
    exchangeWords += format.getNumPlanes() * exchanges.back().rowWords;
  }

  // Weights go to registers as long as there are any, then to shared memory.
  int64_t limit = plan.getMaxRegisters();
  size.registers = working + kOtherRegisters;
  int64_t weightBytes = 0;
  for (auto [phase, layout] : llvm::zip_equal(loop.phases, phases))
    for (Slot &slot : layout.slots) {
      int64_t words = 8 * layout.productTiles *
                      getFormat(phase.projections[slot.projection], plan).getNumPlanes();
      if (size.registers + words <= limit) {
        size.registers += words;
        continue;
      }
      slot.place = weightBytes;
      weightBytes += 4 * words * plan.getNumProductThreads();
    }
  size.sharedBytes = weightBytes + 2 * sumBytes;
  // The sums come first.
  for (PhaseLayout &layout : phases)
    for (Slot &slot : layout.slots)
      if (slot.place)
        *slot.place += size.sharedBytes - weightBytes;
}

bool lstm::fits(const KernelLayout &layout, const KernelPlan &plan, const KernelTarget &target) {
  return layout.size.sharedBytes <= target.sharedBytes &&
         layout.size.registers <= plan.getMaxRegisters() && plan.getNumThreads() <= 1024 &&
         plan.unitBlocks <= target.multiprocessors;
}
