//===- KernelPlan.cpp - How a recurrence is laid out on a GPU --------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The times are those of an H100, those of warp groups of an H200, in docs/Performance.md, "Kernels of all steps".
//
//===----------------------------------------------------------------------===//

#include "KernelPlan.h"

#include "KernelLayout.h"

using namespace mlir;
using namespace mlir::lstm;

/// Where an H100's time goes, in microseconds, fitted to 134 measurements of 38 plans (root mean
/// square of the relative error of a call 11 %), and six of single rows. What functions of f32 take has been set anew,
/// without a fit, since their divisions have no branches. Each tile waits for what other blocks have written of it, and
/// it takes the block's time; what is more bounds a step. The target's latency of handing over is a part of waiting;
/// the rest takes what its clock makes of it.
namespace {
struct Costs {
  double start, perBlock, perItem, perProduct, perSumKilobyte, perOtherRequest, perWeightKilobyte, perReadKilobyte,
      perFloat32Item;
  /// Estimates: of a product of split f32, by seven measurements; of a stage that waits for the partial folds of all
  /// blocks, and of each item of it, by fifteen; of folding an item.
  double perExactProduct, rowValues, perReadItem, perFoldedItem;
};
} // namespace
static constexpr Costs kWaiting = {0.186, 0.0046, 0.098, 0, 0.0044, 0, 0.0024, 0.0354, 0.02, 0.007, 0.55, 0.3, 0.05};
static constexpr Costs kWorking = {0.286,  0.0016, 0.028, 0.001, 0.007, 0.339, 0.0034,
                                   0.0085, 0.02,   0.003, 0.25,  0.4,   0.05};

/// Whether functions take longer than by the special function unit.
static bool hasExactFunctions(const Projection &projection, const KernelPlan &plan) {
  return cast<MemRefType>(projection.weight.getType()).getElementType().isF32() && plan.float32 != Float32Mode::TF32;
}

/// A cluster: by 108 measurements of 27 plans with products of 16 bits, and 52 of 13 of single rows of f32; folds by
/// ten of 5.
static KernelPrediction predictCluster(const RecurrentLoop &loop, const KernelPlan &plan,
                                       const KernelTarget &target, int64_t rows, unsigned part) {
  // Of a tile, what its warps have to do, and what they wait for unless there is another tile.
  constexpr double kWorking = 0.23, kPerItem = 0.03, kPerFloat32Item = 0.02, kPerSentKilobyte = 0.031;
  constexpr double kWaiting = 0.05, kPerBlock = 0.004, kPerPair = 0.1;
  constexpr double kCopying = 0.04, kPerCopiedKilobyte = 0.05, kPerCopy = 0.03;
  constexpr double kProductCycles = 5.75, kFusedCycles = 2, kPerFold = 0.31;
  // What one more block takes that shares a multiprocessor; of a whole time, as most of it is latency.
  double perSibling = plan.singleRows ? 0.12 : 0.35;
  // A cluster lies in one of an H100's groups of multiprocessors, of which some have 18, most 16, and some fewer.
  constexpr double kGroups = 7.5 / 132;
  constexpr int64_t kGroupMultiprocessors = 16;
  KernelLayout layout(loop, plan, part);
  double slower = double(KernelTarget().clock) / target.clock;
  int64_t warps = plan.getNumThreads() / 32;
  double working = 0, waiting = 0;
  for (auto [number, phase, shape] : llvm::enumerate(loop.phases, layout.phases)) {
    if (!shape.isOwn)
      continue;
    double cycles = 0, kilobytes = 0;
    bool isFloat32 = false;
    for (const Slot &slot : shape.slots) {
      const Projection &projection = phase.projections[slot.projection];
      double products = 2.0 * shape.productTiles * getFormat(projection, plan).getTerms().size();
      // In place of a product, four multiply-adds of a row.
      cycles += (plan.singleRows ? 4 * kFusedCycles : kProductCycles) * products * llvm::divideCeil(warps, 4);
      // Of weights in shared memory, that gives 128 bytes a cycle.
      if (slot.place)
        cycles += shape.productTiles * getFormat(projection, plan).getNumPlanes() * plan.getNumThreads() / 4;
      isFloat32 |= hasExactFunctions(projection, plan);
    }
    for (auto [exchange, place] : llvm::zip_equal(loop.exchanges, layout.exchanges)) {
      if (exchange.producer != number)
        continue;
      int64_t bytes = plan.unitBlocks * place.getUsedBytes(plan);
      kilobytes += bytes / 1024.0;
      // From two copies a warp on.
      if (place.isCopied)
        waiting += kCopying + kPerCopiedKilobyte * (bytes - KernelLayout::kMostWordBytes) / 1024.0 +
                   kPerCopy * std::max<int64_t>(llvm::divideCeil(plan.unitBlocks, warps) - 2, 0);
    }
    // A multiprocessor has four tensor cores.
    double items = llvm::divideCeil(shape.getNumItems(plan), plan.getNumThreads());
    working += kWorking + cycles / KernelTarget().clock + kPerSentKilobyte * kilobytes +
               (kPerItem + kPerFloat32Item * isFloat32) * items;
    waiting += kWaiting + kPerBlock * plan.unitBlocks + (shape.gates != 0 ? kPerPair * (plan.splits - 1) : 0);
  }
  working += kPerFold * layout.folds.size();
  int64_t tiles = std::max<int64_t>(1, llvm::divideCeil(rows, plan.getNumRows()));
  int64_t clusters = llvm::divideCeil(tiles, plan.rowTiles);
  int64_t atOnce = std::max<int64_t>(1, target.getShare() * kGroups * (kGroupMultiprocessors / plan.unitBlocks));
  int64_t most = std::max<int64_t>(1, std::min(target.registers / (plan.getNumThreads() * 256),
                                               target.sharedBytes / layout.size.sharedBytes));
  bool isBusy = plan.rowTiles * working > working + waiting;
  double step = isBusy ? plan.rowTiles * working : working + waiting;
  auto share = [&](int64_t count) {
    return count == 0 ? 0 : step * (1 + perSibling * (llvm::divideCeil(count, atOnce) - 1));
  };
  int64_t rounds = clusters / (atOnce * most);
  return {slower * (rounds * share(atOnce * most) + share(clusters - rounds * atOnce * most)),
          isBusy ? "multiplying and mapping" : "exchanging what is projected", rows};
}

/// Tiles that a group of blocks does one after the other.
static int64_t getNumPasses(const KernelPlan &plan, const KernelTarget &target, int64_t rows) {
  int64_t tiles = std::max<int64_t>(1, llvm::divideCeil(rows, plan.getNumRows()));
  int64_t groups = std::max<int64_t>(1, std::min(tiles, target.getShare() / plan.unitBlocks));
  return llvm::divideCeil(tiles, groups);
}

/// Of a step: a tile waits, and is worked on meanwhile and behind other tiles.
static KernelPrediction bound(double waiting, double working, int64_t passes, int64_t rows) {
  bool isBusy = passes > 1 && passes * working > waiting;
  return {isBusy ? passes * working : waiting,
          isBusy ? "multiplying and mapping" : "exchanging what is projected", rows};
}

/// Rows of a tile that exist.
static int64_t getTileRows(const KernelPlan &plan, int64_t rows) {
  return std::clamp<int64_t>(rows, 1, plan.getNumRows());
}

/// Cycles between products of a block's warp groups, with so many columns; weights are a matrix in shared memory or in
/// registers. Measured alone.
static double getProductCycles(int64_t columns, bool isMatrix, int64_t groups) {
  double few = groups == 1 ? (isMatrix ? 21 + 0.28 * columns : 18.7) : isMatrix ? 16.2 + 0.255 * columns : 13.3;
  return std::max(few, 0.5 * columns * (groups == 1 ? 1.15 : 1));
}

/// Warp groups: by 83 measurements of 65 plans (root mean square of the relative error 7 %).
static KernelPrediction predictWarpGroups(const RecurrentLoop &loop, const KernelPlan &plan,
                                          const KernelTarget &target, int64_t rows, unsigned part) {
  struct GroupCosts {
    double start, perSplit, perSumKilobyte, perReadKilobyte, perProduct, perLateSlot, perItem, perFloat32Item, perPlane,
        perStreamedKilobyte;
  };
  constexpr GroupCosts kGroupWaiting = {0.475, 0.125, 0.01, 0.0105, 1.27, 0, 0.05, 0.02, 0.79, 0.0107};
  constexpr GroupCosts kGroupWorking = {0.362, 0.099, 0.0234, 0.0003, 0.934, 0.0293, 0.172, 0.02, 0, 0.012};
  KernelLayout layout(loop, plan, part);
  double slower = double(KernelTarget().clock) / target.clock;
  double waiting = 0, working = 0;
  int64_t tileRows = getTileRows(plan, rows);
  // What the second-level cache does not hold comes from memory each time: 1e3 bytes a microsecond are a GB/s.
  double streamedBytes = double(plan.unitBlocks) * layout.streamedBytes;
  bool isCached = streamedBytes < target.cacheBytes;
  if (!isCached)
    waiting = working = streamedBytes / (1e3 * target.memoryRate);
  for (auto [phase, shape] : llvm::zip_equal(loop.phases, layout.phases)) {
    if (!shape.isOwn)
      continue;
    double items = llvm::divideCeil(shape.blockUnits * tileRows, plan.getNumMapThreads());
    double read = 0, products = 0, lateSlots = 0;
    int64_t planes = 1;
    bool isFloat32 = false, isShort = true;
    for (const Slot &slot : shape.slots) {
      const Projection &projection = phase.projections[slot.projection];
      ProductFormat format = getFormat(projection, plan);
      isShort &= format.getNumPlanes() == 1 && format.getWordElements() == 2;
      planes = std::max(planes, format.getNumPlanes());
      read += 4.0 * ProductFormat::kGroupWords * plan.splits * format.getNumPlanes() * plan.getNumRows() / 1024;
      // Two products a group of k.
      bool isMatrix = (slot.place || slot.isStreamed) && !slot.isLate;
      products += 2.0 * plan.splits * shape.productTiles * format.getTerms().size() *
                  getProductCycles(plan.getNumRows(), isMatrix, plan.splits) / KernelTarget().clock;
      lateSlots += slot.isLate * plan.splits * shape.productTiles;
      isFloat32 |= hasExactFunctions(projection, plan);
    }
    double streamed = shape.getNumStreamed() * shape.slotBytes * plan.splits / 1024.0;
    double sums = 4.0 * plan.splits * plan.getNumRows() * shape.getRowStride() / 1024;
    auto add = [&](const GroupCosts &costs) {
      return slower * (costs.start + costs.perSplit * plan.splits + costs.perSumKilobyte * sums +
                       costs.perReadKilobyte * read + costs.perProduct * products + costs.perLateSlot * lateSlots +
                       (costs.perItem + costs.perFloat32Item * isFloat32) * items + costs.perPlane * (planes - 1) +
                       (isCached ? costs.perStreamedKilobyte * streamed : 0));
    };
    waiting += add(kGroupWaiting) + target.handOverLatency / 1e3;
    working += add(kGroupWorking);
    // With 16 bits, less than the fit says, by six measurements: what one group has summed is all.
    constexpr double kOnlyGroup = 0.25;
    if (plan.splits == 1 && isShort)
      waiting -= slower * kOnlyGroup;
  }
  return bound(waiting, working, getNumPasses(plan, target, rows), rows);
}

/// A kernel a step: by 50 measurements of 46 plans (root mean square of the relative error 11 %).
static KernelPrediction predictPerStep(const RecurrentLoop &loop, const KernelPlan &plan, const KernelTarget &target,
                                       int64_t rows) {
  // Of a kernel; of what a block does; of what all blocks read.
  constexpr double kKernel = 0.74, kPerPackedKilobyte = 0.0097, kPerStreamedKilobyte = 0.0056, kPerReadKilobyte = 0.008,
                   kPerSumKilobyte = 0.0208, kPerItem = 0.053, kPerFloat32Item = 0.362, kPerReadItem = 0.34,
                   kPerProduct = 0.0034;
  constexpr double kPerMegabyte = 0.037;
  KernelLayout layout(loop, plan);
  double slower = double(KernelTarget().clock) / target.clock;
  // Without an early begin, all that a kernel takes in a graph.
  double kernel = target.clusterBlocks != 0 ? slower * kKernel : target.launchLatency / 1e3;
  double kernels = loop.getSegments().size() * kernel;
  double working = 0, kilobytes = 0;
  int64_t tileRows = getTileRows(plan, rows);
  for (const MapStage &stage : loop.stages) {
    const PhaseLayout &shape = layout.phases[stage.phase];
    double items = llvm::divideCeil(shape.blockUnits * tileRows, plan.getNumMapThreads());
    working += items * (kPerItem + kPerReadItem * !loop.getRowValuesOf(stage).empty());
    if (!stage.hasPhase)
      continue;
    bool isFloat32 = false;
    for (const Slot &slot : shape.slots) {
      const Projection &projection = loop.phases[stage.phase].projections[slot.projection];
      ProductFormat format = getFormat(projection, plan);
      double packed = 32.0 * shape.productTiles * format.getNumPlanes() * plan.getNumProductThreads() / 1024;
      double read = 64.0 * plan.splits * tileRows * format.getNumPlanes() / 1024;
      working += packed * (slot.isStreamed ? kPerStreamedKilobyte : kPerPackedKilobyte) + read * kPerReadKilobyte;
      kilobytes += packed * (slot.isStreamed ? plan.rowTiles : 1) + read;
      if (!plan.singleRows)
        working += kPerProduct * 2 * shape.productTiles * plan.rowTiles * format.getTerms().size() *
                   llvm::divideCeil(plan.splits, 4);
      isFloat32 |= hasExactFunctions(projection, plan);
    }
    working += kPerSumKilobyte * 4 * plan.splits * plan.getNumRows() * shape.getRowStride() / 1024 +
               kPerFloat32Item * isFloat32 * items;
  }
  int64_t blocks = plan.unitBlocks * std::max<int64_t>(1, llvm::divideCeil(rows, plan.getNumRows()));
  working = slower * (working * llvm::divideCeil(blocks, target.getShare()) + kPerMegabyte * kilobytes * blocks / 1024);
  // What the second-level cache does not hold comes from memory: 1e3 bytes a microsecond are a GB/s.
  if (double(plan.unitBlocks) * layout.streamedBytes > target.cacheBytes)
    working = std::max(working, 1024 * kilobytes * blocks / (1e3 * target.memoryRate));
  return {kernels + working, kernels > working ? "launches" : "reading weights", rows};
}

static KernelPrediction predictPart(const RecurrentLoop &loop, const KernelPlan &plan, const KernelTarget &target,
                                    int64_t rows, unsigned part) {
  if (plan.isCluster())
    return predictCluster(loop, plan, target, rows, part);
  if (plan.hasWarpGroups())
    return predictWarpGroups(loop, plan, target, rows, part);
  if (plan.perStep)
    return predictPerStep(loop, plan, target, rows);
  KernelLayout layout(loop, plan, part);
  int64_t passes = getNumPasses(plan, target, rows);
  int64_t groups = llvm::divideCeil(std::max<int64_t>(1, llvm::divideCeil(rows, plan.getNumRows())), passes);
  double slower = double(KernelTarget().clock) / target.clock;
  double waiting = 0, working = 0;
  int64_t tileRows = getTileRows(plan, rows);
  for (const MapStage &stage : loop.stages) {
    const PhaseLayout &shape = layout.phases[stage.phase];
    if (!shape.isOwn)
      continue;
    double items = llvm::divideCeil(shape.blockUnits * tileRows, plan.getNumMapThreads());
    double weights = 0, read = 0, sums = 0, products = 0, exactProducts = 0, otherRequests = 0, fusedCycles = 0;
    bool isFloat32 = false, waits = !loop.getRowValuesOf(stage).empty();
    if (stage.hasPhase && shape.gates != 0) {
      otherRequests = llvm::divideCeil(shape.slots.size() * plan.rowTiles, shape.inFlight) - 1;
      sums = 4.0 * plan.splits * plan.getNumRows() * shape.getRowStride() / 1024;
      for (const Slot &slot : shape.slots) {
        const Projection &projection = loop.phases[stage.phase].projections[slot.projection];
        ProductFormat format = getFormat(projection, plan);
        if (slot.place)
          weights += 32.0 * shape.productTiles * format.getNumPlanes() * plan.getNumProductThreads() / 1024;
        double slotProducts = 2.0 * shape.productTiles * plan.rowTiles * format.getTerms().size();
        if (plan.singleRows)
          // Eight multiply-adds of a row and product tile, by the warps of a quarter of the multiprocessor.
          fusedCycles += 8.0 * shape.productTiles * plan.rowTiles * llvm::divideCeil(plan.splits, 4);
        else
          products += slotProducts;
        exactProducts += format.isFloat32() * slotProducts;
        read += 64.0 * plan.splits * tileRows * format.getNumPlanes() / 1024;
        isFloat32 |= hasExactFunctions(projection, plan);
      }
    }
    // What a stage waits for is products, or row values alone.
    bool waitsForBlocks = stage.hasPhase && (shape.gates != 0 || !waits);
    auto add = [&](const Costs &costs) {
      double time = costs.perItem * items + costs.perFoldedItem * stage.folds.size() * items;
      if (waits)
        time += costs.rowValues + costs.perReadItem * items;
      // Of single rows, blocks ask for an eighth of the words at a time.
      constexpr double kSingleRows = 0.65;
      if (waitsForBlocks)
        time += costs.start + (plan.singleRows ? kSingleRows : 1) * costs.perBlock * plan.unitBlocks * groups;
      return time + costs.perProduct * products + costs.perSumKilobyte * sums + costs.perOtherRequest * otherRequests +
             costs.perWeightKilobyte * weights + costs.perReadKilobyte * read +
             costs.perFloat32Item * isFloat32 * items + costs.perExactProduct * exactProducts +
             fusedCycles / KernelTarget().clock;
    };
    waiting += waitsForBlocks * target.handOverLatency / 1e3 + slower * add(kWaiting);
    working += slower * add(kWorking);
  }
  return bound(waiting, working, passes, rows);
}

KernelPrediction lstm::predictKernel(const RecurrentLoop &loop, const KernelPlan &plan, const KernelTarget &target,
                                     int64_t rows) {
  // Parts run side by side.
  unsigned numParts = getNumParts(loop, plan);
  KernelTarget ofPart = target;
  ofPart.siblings *= numParts;
  KernelPrediction slowest{};
  for (unsigned part = 0; part < numParts; ++part) {
    KernelPrediction prediction = predictPart(loop, plan, ofPart, rows, part);
    if (part == 0 || prediction.microseconds > slowest.microseconds)
      slowest = prediction;
  }
  return slowest;
}

KernelPrediction lstm::predictLibrary(const RecurrentLoop &loop, Float32Mode float32,
                                      const KernelTarget &target, int64_t rows) {
  // What products take was fitted where a kernel takes 1.7 us.
  double launch = target.launchLatency / 1e3, slower = launch / 1.7;
  double launches = 0, reading = 0, multiplying = 0;
  // A reduction's result is set before.
  for (const RowValue &value : loop.rowValues)
    launches += value.isFold() ? 2 * launch : launch;
  for (const PhaseInLoop &phase : loop.phases) {
    launches += launch;
    for (const Projection &projection : phase.projections) {
      auto type = cast<MemRefType>(projection.weight.getType());
      bool isFloat32 = type.getElementType().isF32(), isTF32 = isFloat32 && float32 == Float32Mode::TF32;
      launches += slower * (isTF32 ? 6.3 : isFloat32 ? 3.8 : 2.8);
      // The cache holds more than the weights. A GB/s are 1e3 bytes a microsecond, a TFLOP/s 1e6
      // operations.
      double bytes = type.getNumElements() * type.getElementTypeBitWidth() / 8;
      bool isCached = bytes < 0.8 * target.cacheBytes;
      reading += bytes / (1e3 * (isCached ? target.cacheRate : target.memoryRate));
      int64_t rate = isTF32 ? target.tf32Rate : isFloat32 ? target.float32Rate : target.float16Rate;
      multiplying += 2.0 * type.getNumElements() * rows / (1e6 * rate);
    }
  }
  // Parts run side by side, on branches, unless one waits for another.
  if (!loop.hasLinkedParts)
    launches /= loop.numParts;
  // Products side by side share the device.
  double work = target.siblings * std::max(reading, multiplying);
  return {launches + work, launches > work ? "launches" : "products", rows};
}

static SmallVector<KernelPlan> findPlans(const RecurrentLoop &loop, Float32Mode float32,
                                         const KernelTarget &target) {
  int64_t units = 0;
  for (const PhaseInLoop &phase : loop.phases)
    units = std::max(units, phase.units);
  SmallVector<KernelPlan> candidates;
  for (int64_t perStep : {0, 1})
    for (int64_t blockUnits : {8, 16, 32})
      for (int64_t rowTiles : {1, 2, 4})
        for (int64_t splits : {4, 8, 16}) {
          int64_t items = blockUnits * rowTiles * KernelPlan::kTileRows;
          int64_t mapWarps = perStep ? std::clamp<int64_t>(items / 64, 2, 8) : std::clamp<int64_t>(items / 32, 2, 4);
          KernelPlan plan{int64_t(llvm::divideCeil(units, blockUnits)), rowTiles, splits, mapWarps, float32};
          plan.perStep = perStep;
          if (fits(loop, plan, target))
            candidates.push_back(plan);
        }
  bool isHalf = llvm::all_of(loop.phases, [](const PhaseInLoop &phase) {
    return llvm::all_of(phase.projections, [](const Projection &projection) {
      return cast<MemRefType>(projection.weight.getType()).getElementTypeBitWidth() == 16;
    });
  });
  // Addresses of matrices take registers, too. One group alone has so many that too few are left for weights that are
  // there: of TF32, and if there are many. They are spilled then, and a step takes twice as long.
  constexpr int64_t kManyMatrices = 24;
  auto isPhaseOfMany = [](const PhaseLayout &phase) {
    int64_t matrices = llvm::count_if(phase.slots, [](const Slot &slot) { return slot.place && !slot.isLate; });
    bool hasRegisters = llvm::any_of(phase.slots, [](const Slot &slot) { return !slot.place && !slot.isStreamed; });
    return matrices >= kManyMatrices && hasRegisters;
  };
  auto hasTooManyAddresses = [&](const KernelPlan &plan) {
    if (plan.splits > 1)
      return false;
    return (!isHalf && float32 == Float32Mode::TF32) ||
           llvm::any_of(llvm::seq(getNumParts(loop, plan)), [&](unsigned part) {
             return llvm::any_of(KernelLayout(loop, plan, part).phases, isPhaseOfMany);
           });
  };
  if (target.hasWarpGroups && isForWarpGroups(loop))
    for (int64_t blockUnits : {16, 32})
      for (int64_t rowTiles : {1, 2, 4, 8})
        for (int64_t splits : {1, 2})
          for (int64_t mapWarps : {4, 8}) {
            KernelPlan plan{int64_t(llvm::divideCeil(units, blockUnits)), rowTiles, splits, mapWarps, float32,
                            KernelPlan::kGroupWarps};
            if (fits(loop, plan, target) && !hasTooManyAddresses(plan))
              candidates.push_back(plan);
          }
  if (isForSingleRows(loop))
    for (int64_t blockUnits : {8, 16})
      for (int64_t splits : {7, 15}) {
        KernelPlan plan{int64_t(llvm::divideCeil(units, blockUnits)), 1, splits, 1, float32};
        plan.singleRows = plan.perStep = 1;
        if (fits(loop, plan, target))
          candidates.push_back(plan);
      }
  if (isForSingleRows(loop))
    for (int64_t blockUnits : {8, 16})
      for (int64_t rowTiles : {1, 2})
        for (int64_t splits : {3, 7, 11, 15}) {
          KernelPlan plan{int64_t(llvm::divideCeil(units, blockUnits)), rowTiles, splits, 1, float32};
          plan.singleRows = 1;
          if (fits(loop, plan, target))
            candidates.push_back(plan);
        }
  // In clusters, only what has 16 bits gained, and single rows.
  bool isSingle = isForSingleRows(loop);
  if ((isHalf || isSingle) && isForCluster(loop))
    for (int64_t blockUnits : {16, 24, 32})
      for (int64_t rowTiles : {1, 2, 4})
        for (int64_t splits : {1, 2})
          for (int64_t unitWarps : {2, 3, 4}) {
            KernelPlan plan{int64_t(llvm::divideCeil(units, blockUnits)), rowTiles, splits, 0, float32, unitWarps};
            plan.singleRows = isSingle;
            bool isEven = blockUnits % (8 * unitWarps) == 0;
            if (isEven && plan.unitBlocks > 1 && fits(loop, plan, target))
              candidates.push_back(plan);
          }
  return candidates;
}

/// Of what is best for several numbers of rows, neighbours with one plan, which they have or which is nearly as good
/// for each: a plan more is a kernel more to compile.
static SmallVector<PlannedRows> sharePlans(ArrayRef<PlannedRows> best,
                                           function_ref<KernelPrediction(const KernelPlan &, int64_t)> predict) {
  constexpr double kNearly = 1.05;
  auto serves = [&](const std::optional<KernelPlan> &plan, ArrayRef<PlannedRows> parts) {
    return plan && llvm::all_of(parts, [&](const PlannedRows &part) {
      const KernelPrediction &least = part.prediction;
      return part.plan && predict(*plan, least.rows).microseconds <= kNearly * least.microseconds;
    });
  };
  struct Range {
    std::optional<KernelPlan> plan;
    ArrayRef<PlannedRows> parts;
  };
  SmallVector<Range> ranges;
  for (size_t i = 0; i < best.size(); ++i) {
    ranges.push_back({best[i].plan, best.slice(i, 1)});
    // One that has grown may go together with the one before it.
    while (ranges.size() > 1) {
      Range last = ranges.back(), &before = ranges[ranges.size() - 2];
      ArrayRef<PlannedRows> both(before.parts.begin(), last.parts.end());
      if (before.plan != last.plan && !serves(before.plan, both)) {
        if (!serves(last.plan, both))
          break;
        before.plan = last.plan;
      }
      before.parts = both;
      ranges.pop_back();
    }
  }
  return llvm::map_to_vector(ranges, [&](const Range &range) {
    PlannedRows part = range.parts.back();
    if (part.plan != range.plan)
      part.prediction = predict(*range.plan, part.prediction.rows);
    part.plan = range.plan;
    return part;
  });
}

SmallVector<PlannedRows> lstm::planKernels(const RecurrentLoop &loop,
                                           Float32Mode float32,
                                           const KernelTarget &target, bool considersLibraries) {
  SmallVector<KernelPlan> candidates = findPlans(loop, float32, target);
  // Code for many weights takes long to compile: it has to be worth it.
  auto getScore = [&](const KernelPlan &plan, double microseconds) {
    int64_t words = 0;
    for (unsigned part = 0; part < getNumParts(loop, plan); ++part)
      for (const PhaseLayout &phase : KernelLayout(loop, plan, part).phases)
        words += 8 * phase.productTiles * phase.slots.size();
    // A few instructions.
    if (plan.hasWarpGroups())
      words = 0;
    return microseconds * (1 + words / 2560.0);
  };
  auto choose = [&](int64_t rows, int64_t maxRows, const PlannedRows *before) {
    PlannedRows best{maxRows, std::nullopt, predictLibrary(loop, float32, target, rows)};
    // What is predicted to be the same is better left to libraries, with less memory.
    constexpr double kGain = 1.1;
    double limit = best.prediction.microseconds / kGain;
    // So is one kernel better than many.
    constexpr double kPerStepGain = 1.2;
    if (!considersLibraries)
      limit = std::numeric_limits<double>::max();
    for (const KernelPlan &plan : candidates) {
      KernelPrediction prediction = predictKernel(loop, plan, target, rows);
      double score = getScore(plan, prediction.microseconds);
      // The plan for fewer rows is there anyway.
      if (before && before->plan == plan)
        score = prediction.microseconds / kGain;
      if (plan.perStep)
        score *= kPerStepGain;
      if (score >= limit)
        continue;
      best = {maxRows, plan, prediction};
      limit = score;
    }
    return best;
  };
  constexpr int64_t kAll = std::numeric_limits<int64_t>::max();
  if (std::optional<int64_t> rows = getConstantIntValue(loop.rows))
    return {choose(*rows, kAll, nullptr)};
  SmallVector<PlannedRows> chosen;
  for (int64_t rows : {1, 8, 16, 32, 64, 128, 256, 1024})
    chosen.push_back(choose(rows, rows == 1024 ? kAll : rows, chosen.empty() ? nullptr : &chosen.back()));
  return sharePlans(chosen, [&](const KernelPlan &plan, int64_t rows) {
    return predictKernel(loop, plan, target, rows);
  });
}

SmallVector<KernelPlan> lstm::findCandidates(const RecurrentLoop &loop, Float32Mode float32,
                                             const KernelTarget &target, int64_t count) {
  SmallVector<KernelPlan> plans = findPlans(loop, float32, target);
  std::optional<int64_t> known = getConstantIntValue(loop.rows);
  llvm::SmallSetVector<int64_t, 4> numbers;
  for (int64_t rows : {8, 64, 256})
    numbers.insert(known.value_or(rows));
  // By their numbers, in the order of `plans`.
  llvm::SmallSetVector<unsigned, 16> chosen;
  for (int64_t rows : numbers) {
    auto ordered = llvm::to_vector(llvm::seq<unsigned>(0, plans.size()));
    llvm::stable_sort(ordered, [&](unsigned a, unsigned b) {
      return predictKernel(loop, plans[a], target, rows).microseconds <
             predictKernel(loop, plans[b], target, rows).microseconds;
    });
    chosen.insert_range(ArrayRef(ordered).take_front(count));
  }
  return llvm::map_to_vector(chosen, [&](unsigned number) { return plans[number]; });
}
