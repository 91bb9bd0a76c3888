//===- KernelPlan.cpp - How a recurrence is laid out on a GPU --------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The times are those of an H100 in docs/Performance.md, "Kernels of all steps".
//
//===----------------------------------------------------------------------===//

#include "KernelPlan.h"

#include "KernelLayout.h"

using namespace mlir;
using namespace mlir::lstm;

/// Bytes of the weights, and 2^-30 multiply-adds of a step's products.
static std::pair<double, double> getWork(const RecurrentLoop &loop, int64_t rows) {
  double bytes = 0, products = 0;
  for (const PhaseInLoop &phase : loop.phases)
    for (const Projection &projection : phase.projections) {
      auto type = cast<MemRefType>(projection.weight.getType());
      bytes += type.getNumElements() * type.getElementTypeBitWidth() / 8;
      products += double(type.getNumElements()) * rows;
    }
  return {bytes, products / (1 << 30)};
}

KernelPrediction lstm::predictKernel(const RecurrentLoop &loop, const KernelPlan &plan,
                                     const KernelTarget &target, int64_t rows) {
  KernelLayout layout(loop, plan);
  int64_t tiles = llvm::divideCeil(rows, plan.getNumRows());
  int64_t groups = std::max<int64_t>(1, std::min(tiles, target.multiprocessors / plan.unitBlocks));
  int64_t passes = llvm::divideCeil(tiles, groups);
  // Through the second-level cache and back; more blocks that ask are slower.
  double latency = 0, work = 0;
  for (auto [phase, shape] : llvm::zip_equal(loop.phases, layout.phases)) {
    int64_t items = llvm::divideCeil(shape.getNumItems(plan), plan.getNumMapThreads());
    double map = 0.12 + 0.10 * items;
    double multiply = 0;
    for (const Slot &slot : shape.slots) {
      ProductFormat format = getFormat(phase.projections[slot.projection], plan);
      double products = 2.0 * shape.productTiles * plan.rowTiles * format.getTerms().size();
      multiply += 0.010 * products + 0.02 * format.getNumPlanes() * plan.rowTiles + (slot.place ? 0.03 : 0);
    }
    double sums = 2e-6 * layout.sumBytes;
    if (!shape.slots.empty())
      latency += 0.45 + 0.0015 * plan.unitBlocks * groups;
    latency += map + multiply + sums;
    work += std::max(map, multiply + sums + 0.1);
  }
  double total = latency + (passes - 1) * work;
  return {total, passes > 1 && (passes - 1) * work > latency ? "multiplying and mapping"
                                                             : "exchanging what is projected"};
}

KernelPrediction lstm::predictLibrary(const RecurrentLoop &loop, int64_t rows) {
  auto [bytes, products] = getWork(loop, rows);
  double launches = 0;
  for (const PhaseInLoop &phase : loop.phases)
    launches += 1.7 + 2.8 * phase.projections.size();
  // From the second-level cache, or from memory.
  double reading = bytes / (bytes < 40e6 ? 4e6 : 2.5e6);
  double multiplying = products * 2.0 * (1 << 30) / 300e6;
  return {launches + std::max(reading, multiplying),
          launches > std::max(reading, multiplying) ? "launches" : "products"};
}

SmallVector<PlannedRows> lstm::planKernels(const RecurrentLoop &loop,
                                           Float32Mode float32,
                                           const KernelTarget &target, bool considersLibraries) {
  int64_t units = 0;
  for (const PhaseInLoop &phase : loop.phases)
    units = std::max(units, phase.units);
  SmallVector<KernelPlan> candidates;
  for (int64_t blockUnits : {8, 16, 32})
    for (int64_t rowTiles : {1, 2})
      for (int64_t splits : {4, 8, 16}) {
        int64_t items = blockUnits * rowTiles * KernelPlan::kTileRows;
        KernelPlan plan{int64_t(llvm::divideCeil(units, blockUnits)), rowTiles, splits,
                        std::clamp<int64_t>(items / 32, 2, 4), float32};
        if (fits(KernelLayout(loop, plan), plan, target))
          candidates.push_back(plan);
      }

  auto choose = [&](int64_t rows, int64_t maxRows) {
    PlannedRows best{maxRows, std::nullopt, predictLibrary(loop, rows)};
    if (!considersLibraries && !candidates.empty())
      best.prediction.microseconds = std::numeric_limits<double>::max();
    for (const KernelPlan &plan : candidates) {
      KernelPrediction prediction = predictKernel(loop, plan, target, rows);
      if (prediction.microseconds < best.prediction.microseconds)
        best = {maxRows, plan, prediction};
    }
    return best;
  };
  constexpr int64_t kAll = std::numeric_limits<int64_t>::max();
  if (std::optional<int64_t> rows = getConstantIntValue(loop.rows))
    return {choose(*rows, kAll)};
  SmallVector<PlannedRows> chosen;
  for (int64_t rows : {8, 32, 64, 128, 256}) {
    PlannedRows next = choose(rows, rows == 256 ? kAll : rows);
    if (!chosen.empty() && chosen.back().plan == next.plan)
      chosen.back().maxRows = next.maxRows;
    else
      chosen.push_back(next);
  }
  return chosen;
}
