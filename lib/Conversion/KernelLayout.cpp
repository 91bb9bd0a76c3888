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
  return ProductFormat(cast<MemRefType>(projection.weight.getType()).getElementType(), plan.float32, plan.singleRows);
}

bool lstm::splitsLate(const ProductFormat &format, const KernelPlan &plan) {
  return plan.hasWarpGroups() && format.isFloat32();
}

int64_t lstm::getNumWeightPlanes(const ProductFormat &format, const KernelPlan &plan) {
  return splitsLate(format, plan) ? 1 : format.getNumPlanes();
}

int64_t lstm::getWeightVectorSize(const Projection &projection, int64_t laneUnits) {
  auto type = cast<MemRefType>(projection.weight.getType());
  auto [strides, offset] = type.getStridesAndOffset();
  constexpr int64_t kLoadBits = 128;
  int64_t most = std::min(laneUnits, kLoadBits / type.getElementTypeBitWidth());
  for (int64_t size : {8, 4, 2}) {
    auto isMultiple = [&](int64_t stride) { return !ShapedType::isDynamic(stride) && stride % size == 0; };
    if (size <= most && laneUnits % size == 0 && strides[2] == 1 && isMultiple(strides[0]) && isMultiple(strides[1]) &&
        type.getDimSize(2) % size == 0)
      return size;
  }
  return 1;
}

int64_t PhaseLayout::getNumStreamed() const {
  return llvm::find_if_not(slots, [](const Slot &slot) { return slot.isStreamed; }) - slots.begin();
}

int64_t PhaseLayout::getNumLooped(int64_t stageGroups) const {
  int64_t count = 0;
  for (ArrayRef<Slot> rest = ArrayRef(slots).drop_front(getNumStreamed()); count < int64_t(rest.size()); ++count) {
    const Slot &slot = rest[count];
    if (!slot.isLate || !slot.place || slot.projection != rest.front().projection ||
        (count > 0 && *slot.place - *rest.front().place != count * getLoopedBytes()))
      break;
  }
  return llvm::alignDown(count, stageGroups);
}

/// Registers of a thread that maps, about: of each of its elements the products, the inputs, and the sequences' inputs
/// of the next tile.
static int64_t getMapRegisters(const RecurrentLoop &loop, const PhaseInLoop &phase, const PhaseLayout &layout,
                               const KernelPlan &plan) {
  PhaseOp op = phase.op;
  int64_t values = layout.gates + op.getOuts().size();
  for (auto [input, axes] : llvm::zip_equal(op.getInputs(), op.getAxes()))
    if (isa<MemRefType>(input.getType()))
      values += (axes & kGate ? op.getNumGates() : 1) * (isSequence(loop, input) ? 2 : 1);
  int64_t items = llvm::divideCeil(layout.getNumItems(plan), plan.getNumMapThreads());
  constexpr int64_t kOther = 48;
  return std::min<int64_t>(KernelLayout::kMostGroupRegisters, llvm::alignTo(kOther + items * values, 8));
}

/// Elements that phases read of what is the same in each step, for one row and unit.
static int64_t getNumConstants(const RecurrentLoop &loop) {
  int64_t count = 0;
  for (const PhaseInLoop &phase : loop.phases) {
    PhaseOp op = phase.op;
    for (auto [input, axes] : llvm::zip_equal(op.getInputs(), op.getAxes()))
      if (isa<MemRefType>(input.getType()) && scf::ForOp(loop.loop).isDefinedOutsideOfLoop(input) &&
          !isWritten(loop, input))
        count += axes & kGate ? op.getNumGates() : 1;
  }
  return count;
}

unsigned lstm::getNumParts(const RecurrentLoop &loop, const KernelPlan &plan) {
  // In a kernel a step blocks do all parts.
  if (plan.perStep)
    return 1;
  bool isThroughMemory = !plan.isCluster() && !plan.hasWarpGroups();
  return loop.hasLinkedParts && !isThroughMemory ? 1 : loop.numParts;
}

int64_t lstm::getSharedBytes(const RecurrentLoop &loop, const KernelPlan &plan) {
  int64_t most = 0;
  for (unsigned part : llvm::seq(getNumParts(loop, plan)))
    most = std::max(most, KernelLayout(loop, plan, part).size.sharedBytes);
  return most;
}

KernelLayout::KernelLayout(const RecurrentLoop &loop, const KernelPlan &plan, unsigned part)
    : KernelLayout(loop, plan, part, /*mostChains=*/4) {
  for (int64_t chains : {2, 1})
    if (size.sharedBytes > KernelTarget().sharedBytes || size.registers > getMostRegisters(plan))
      *this = KernelLayout(loop, plan, part, chains);
}

KernelLayout::KernelLayout(const RecurrentLoop &loop, const KernelPlan &plan, unsigned part, int64_t mostChains) {
  int64_t working = 0;
  for (const PhaseInLoop &phase : loop.phases)
    for (const Projection &projection : phase.projections)
      if (plan.getTilesAtOnce() * getFormat(projection, plan).getNumPlanes() > 4)
        stageGroups = 2;
  for (const PhaseInLoop &phase : loop.phases) {
    bool isOwn = getNumParts(loop, plan) == 1 || phase.part == part;
    PhaseLayout layout{isOwn, phase.units, plan.getBlockUnits(phase.units), plan.getUnitWarps(), 0,
                       plan.hasWarpGroups(), 0, 0, {}};
    if (!phase.projections.empty()) {
      layout.gates = PhaseOp(phase.op).getNumGates();
      layout.productTiles = plan.hasWarpGroups()
                                ? llvm::divideCeil(layout.blockUnits * layout.gates, KernelPlan::kGroupProducts)
                                : llvm::divideCeil(layout.getLaneProducts(), 2);
    }
    if (!isOwn) {
      phases.push_back(layout);
      continue;
    }
    layout.slotsAtOnce = layout.productTiles * plan.getTilesAtOnce() > 2 ? 1 : 2;
    int64_t planes = 1, splitWords = 0;
    for (auto [i, projection] : llvm::enumerate(phase.projections)) {
      ProductFormat format = getFormat(projection, plan);
      planes = std::max(planes, format.getNumPlanes());
      if (splitsLate(format, plan))
        splitWords = 8 * layout.productTiles * (format.getNumPlanes() + 1) * layout.slotsAtOnce;
      int64_t k = cast<MemRefType>(projection.weight.getType()).getDimSize(0);
      int64_t groups = llvm::divideCeil(k, format.getGroupSize());
      int64_t perSplit = llvm::divideCeil(groups, plan.splits);
      if (plan.hasWarpGroups())
        perSplit = stageGroups * llvm::divideCeil(groups, stageGroups * plan.splits);
      for (int64_t n = 0; n < perSplit; ++n)
        layout.slots.push_back({unsigned(i), n, {}, splitsLate(format, plan)});
    }
    int64_t tiles = layout.productTiles * plan.getTilesAtOnce();
    if (!plan.isCluster())
      layout.chains = planes == 1 ? 1 : std::min<int64_t>(mostChains, plan.hasWarpGroups() ? 2 : 4);
    else if (tiles != 0)
      layout.chains = std::clamp<int64_t>(4 / tiles, 1, mostChains);
    int64_t sums = 4 * tiles * layout.chains;
    int64_t left = plan.getMaxRegisters() - getOtherRegisters(plan) - sums;
    layout.inFlight = std::clamp<int64_t>(left / (4 * planes), 1, 8);
    layout.inFlight = std::min<int64_t>(layout.inFlight, layout.slots.size() * plan.getTilesAtOnce());
    // Of warp groups, it is in shared memory.
    if (plan.hasWarpGroups())
      layout.inFlight = 1;
    // Who maps what it has multiplied has the inputs meanwhile: those of a step, and what does not change.
    int64_t items = llvm::divideCeil(layout.getNumItems(plan), plan.getNumThreads());
    int64_t inputs = plan.isCluster() ? items * (layout.gates + 4 * plan.rowTiles) : 0;
    // Gains and shifts of norms, of all phases.
    if (plan.isCluster() && !loop.rowValues.empty())
      inputs += items * getNumConstants(loop);
    // Of weights that are split as they are multiplied, they and their parts, and the sums of a stage.
    int64_t multiplied = splitWords != 0 ? splitWords + 4 * tiles : 4 * planes * layout.inFlight;
    working = std::max(working, sums + multiplied + inputs);
    if (!plan.isCluster())
      sumBytes = std::max(sumBytes, 4 * plan.splits * plan.getNumRows() * layout.getRowStride());
    else if (plan.splits > 1)
      sumBytes = std::max(sumBytes, 4 * KernelPlan::kTileRows * layout.blockUnits * layout.gates);
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
    if (plan.hasWarpGroups())
      units = llvm::alignTo(producer.units, stageGroups * format.getGroupSize() * plan.splits);
    exchanges.push_back({format, units, units / format.getWordElements(), exchangeWords});
    exchangeWords += format.getNumPlanes() * exchanges.back().rowWords;
  }

  for (const MapStage &stage : loop.stages)
    for (unsigned number : stage.folds) {
      const RowValue &value = loop.rowValues[number];
      const PhaseLayout &phase = phases[stage.phase];
      int64_t lanes = phase.getRowLanes(plan), units = plan.isCluster() ? phase.blockUnits : lanes;
      int64_t partials = plan.unitBlocks * phase.blockUnits / units;
      FoldLayout layout{lanes,
                        units,
                        units / lanes,
                        partials,
                        int64_t(llvm::alignTo(partials, ProductFormat::kLaneWords)),
                        value.getSize() * (value.isSumOfSquares() ? 2 : 1),
                        exchangeWords};
      exchangeWords += layout.planes * layout.rowWords;
      folds[number] = layout;
    }

  if (plan.hasWarpGroups())
    for (auto [phase, layout] : llvm::zip_equal(loop.phases, phases))
      if (layout.isOwn)
        mapRegisters = std::max(mapRegisters, getMapRegisters(loop, phase, layout, plan));
  size.registers = working + getOtherRegisters(plan);
  sumBuffers = plan.hasWarpGroups() ? 1 : 2;
  size.sharedBytes = sumBuffers * sumBytes;
  placeWeights(loop, plan);
  if (plan.isCluster())
    placeInCluster(loop, plan);
  if (plan.hasWarpGroups())
    placeRing(plan);
}

int64_t KernelLayout::getMostRegisters(const KernelPlan &plan) const {
  if (!plan.hasWarpGroups())
    return plan.getMaxRegisters();
  int64_t all = plan.getMaxRegisters() * plan.getNumThreads();
  int64_t left = all - kFetchRegisters * 32 * KernelPlan::kGroupWarps - mapRegisters * plan.getNumMapThreads();
  return std::min<int64_t>(kMostProductRegisters,
                           llvm::alignDown(std::max<int64_t>(left, 0) / plan.getNumProductThreads(), 8));
}

/// What is left for a ring at least.
static constexpr int64_t kLeastRingBytes = 33 * 1024;

/// Weights go to registers as long as there are any, then to shared memory. Warp groups multiply few rows faster from
/// registers; of many rows, whose sums take registers, weights lie in shared memory if they fit. What fits nowhere is
/// streamed: with what it is multiplied by, it comes into the ring anew for each tile, first of all in a step, as it
/// needs not wait for others.
void KernelLayout::placeWeights(const RecurrentLoop &loop, const KernelPlan &plan) {
  struct Weights {
    Slot *slot;
    int64_t words, bytes;
    bool isInRegisters = false;
  };
  SmallVector<Weights> all;
  int64_t allBytes = 0, mostSlotBytes = 0;
  for (auto [phase, layout] : llvm::zip_equal(loop.phases, phases))
    for (Slot &slot : layout.slots) {
      ProductFormat format = getFormat(phase.projections[slot.projection], plan);
      int64_t words = 8 * layout.productTiles * getNumWeightPlanes(format, plan);
      all.push_back({&slot, words, 4 * words * plan.getNumProductThreads()});
      allBytes += all.back().bytes;
      int64_t threads = plan.perStep ? plan.getNumProductThreads() : 32 * KernelPlan::kGroupWarps;
      layout.slotBytes = std::max(layout.slotBytes, 4 * words * threads);
      mostSlotBytes = std::max(mostSlotBytes, layout.slotBytes);
    }
  int64_t planes = 1;
  for (const ExchangeLayout &exchange : exchanges)
    planes = std::max(planes, exchange.format.getNumPlanes());
  exchangedBytes = stageBytes = 4 * stageGroups * ProductFormat::kGroupWords * plan.getNumRows() * planes;
  bool prefersShared = plan.hasWarpGroups() && plan.rowTiles > 4;
  // From the end, as loops go over those in shared memory. Returns what shared memory does not hold.
  auto assign = [&](int64_t ringBytes) {
    int64_t registers = size.registers, excess = size.sharedBytes + allBytes + ringBytes - KernelTarget().sharedBytes;
    for (Weights &weights : llvm::reverse(all)) {
      weights.isInRegisters =
          (!prefersShared || excess > 0) && registers + weights.words <= getMostRegisters(plan);
      if (!weights.isInRegisters)
        continue;
      registers += weights.words;
      excess -= weights.bytes;
    }
    return excess;
  };
  if (!plan.hasWarpGroups()) {
    assign(0);
  } else if (assign(mostRingBytes) > 0 && assign(kLeastRingBytes) > 0) {
    // Stages in whole, of one projection, and a ring of two places. More would stream more of the weights than the
    // second-level cache holds.
    stageBytes += stageGroups * mostSlotBytes;
    mostRingBytes = std::max(mostRingBytes, 2 * plan.splits * (stageBytes + 2 * 8));
    int64_t excess = assign(mostRingBytes);
    auto ofPhase = all.begin();
    for (PhaseLayout &phase : phases) {
      for (auto [i, slot] : llvm::enumerate(phase.slots)) {
        if (i % stageGroups == 0 && (excess <= 0 || slot.projection != phase.slots.front().projection))
          break;
        slot.isStreamed = true;
        excess -= ofPhase[i].bytes;
      }
      ofPhase += phase.slots.size();
    }
  }
  for (Weights &weights : all) {
    weights.slot->isStreamed |= plan.perStep && !weights.isInRegisters;
    if (weights.slot->isStreamed)
      continue;
    if (weights.isInRegisters)
      size.registers += weights.words;
    else
      weights.slot->place = std::exchange(size.sharedBytes, size.sharedBytes + weights.bytes);
  }
  for (PhaseLayout &phase : phases) {
    phase.streamed = streamedBytes;
    streamedBytes += plan.perStep ? phase.slots.size() * phase.slotBytes
                                  : phase.getNumStreamed() * phase.slotBytes * plan.splits;
  }
}

void KernelLayout::placeInCluster(const RecurrentLoop &loop, const KernelPlan &plan) {
  exchangeWords = 0;
  auto allocate = [&](int64_t bytes) { return std::exchange(size.sharedBytes, size.sharedBytes + bytes); };
  for (auto [number, phase] : llvm::enumerate(loop.phases)) {
    PhaseOp op = phase.op;
    for (auto [i, input, axes] : llvm::enumerate(op.getInputs(), op.getAxes())) {
      if (!isSequence(loop, input) || !phases[number].isOwn)
        continue;
      AheadLayout place{unsigned(number), unsigned(i), axes & kGate ? op.getNumGates() : 1,
                        axes & kRow ? plan.getWarpRows() : 1,
                        axes & kUnit ? 8 * phases[number].getLaneUnits() : 1, aheadWords};
      sequences.push_back(place);
      aheadWords += llvm::alignTo(place.gates * place.rows * place.units, 4);
    }
  }
  ahead = allocate(2 * 4 * aheadWords * plan.rowTiles * plan.getNumThreads() / 32);
  zeros = allocate(16);
  int64_t pairs = kClusterSlots * plan.rowTiles;
  for (auto [place, exchange] : llvm::zip_equal(exchanges, loop.exchanges)) {
    const PhaseLayout &producer = phases[exchange.producer];
    if (!producer.isOwn)
      continue;
    place.warpRowWords = 8 * producer.getLaneUnits() / place.format.getWordElements();
    // What lanes read at the same time, of two rows and, mostly, four warps, is to lie in different banks.
    int64_t few = place.warpRowWords < 16;
    place.splitWords = place.warpRowWords * (plan.getWarpRows() + (plan.splits > 1 ? few : 0));
    place.warpWords = plan.splits * place.splitWords;
    while (few && place.warpWords % 32 != 2 * place.warpRowWords)
      place.warpWords += place.warpRowWords;
    place.blockWords = place.warpWords * plan.unitWarps;
    place.isCopied = plan.rowTiles == 1 && !plan.singleRows && plan.unitBlocks > 8 &&
                     plan.unitBlocks * place.getUsedBytes(plan) > kMostWordBytes;
    place.buffer = allocate(pairs * plan.unitBlocks * place.getBlockBytes());
    place.staging = allocate(pairs * place.getBlockBytes());
    place.barriers = allocate(8 * pairs);
  }
  for (const MapStage &stage : loop.stages)
    for (unsigned number : stage.folds) {
      FoldLayout &place = folds[number];
      // What lanes read at the same time, of several blocks, lies in different banks.
      place.blockWords = KernelPlan::kTileRows * (place.planes + 1);
      place.buffer = allocate(4 * pairs * plan.unitBlocks * place.blockWords);
      place.staging = allocate(4 * pairs * place.planes * KernelPlan::kTileRows * place.getPartWords());
      place.barriers = allocate(8 * pairs);
    }
}

void KernelLayout::placeRing(const KernelPlan &plan) {
  int64_t left = std::min<int64_t>(KernelTarget().sharedBytes - size.sharedBytes - 4, mostRingBytes);
  // Barriers of 8 bytes.
  int64_t placeBytes = plan.splits * (stageBytes + 2 * 8);
  int64_t least = std::max<int64_t>(kLeastRingBytes / placeBytes, 2);
  constexpr int64_t kMostPlaces = 16;
  ringPlaces = llvm::bit_floor(uint64_t(std::min(std::max(left / placeBytes, least), kMostPlaces)));
  ring = std::exchange(size.sharedBytes, size.sharedBytes + plan.splits * ringPlaces * stageBytes);
  barriers = std::exchange(size.sharedBytes, size.sharedBytes + plan.splits * ringPlaces * 2 * 8);
  half = std::exchange(size.sharedBytes, size.sharedBytes + 4);
}

Mismatch lstm::getMismatch(const RecurrentLoop &loop, const KernelPlan &plan) {
  if (plan.singleRows && !isForSingleRows(loop))
    return {"single rows", "not all that is projected is f32, or rows are reduced"};
  if (plan.isCluster() && !isForCluster(loop))
    return {"a cluster", "a phase projects what an earlier one has written over, or rows are reduced before anything "
                         "is projected"};
  if (plan.hasWarpGroups() && !isForWarpGroups(loop))
    return {"warp groups", "a phase projects what an earlier one has written over or what the loop does not write, or "
                           "rows are reduced"};
  return {};
}

StringRef lstm::getImbalance(const KernelLayout &layout, const KernelPlan &plan) {
  if (plan.isCluster() && plan.splits > 2)
    return "in a cluster up to two warps share out a sum";
  int64_t numBarriers = layout.folds.empty() ? KernelLayout::kNumBarriers : KernelLayout::kFoldBarrier;
  if (plan.isCluster() && plan.splits == 2 && plan.unitWarps >= numBarriers)
    return "in a cluster up to 15 pairs of warps share out sums, 7 where rows are reduced";
  // A group of four warps shares its registers, and has one warp to fetch for each that multiplies.
  if (plan.hasWarpGroups() && (plan.mapWarps % KernelPlan::kGroupWarps != 0 || plan.splits > KernelPlan::kGroupWarps))
    return "with warp groups, warps that map are multiples of 4, and there are up to 4 splits";
  return "";
}

static bool fits(const KernelLayout &layout, const KernelPlan &plan, const KernelTarget &target) {
  return layout.size.sharedBytes <= target.sharedBytes &&
         (!plan.hasWarpGroups() || (target.hasWarpGroups && plan.rowTiles <= KernelLayout::kMaxRowTiles)) &&
         getImbalance(layout, plan).empty() &&
         layout.size.registers <= layout.getMostRegisters(plan) && plan.getNumThreads() <= 1024 &&
         // Warp groups share out all that there are.
         (plan.hasWarpGroups() ? plan.getMaxRegisters() : layout.size.registers) * plan.getNumThreads() <=
             target.registers;
}

bool lstm::fits(const RecurrentLoop &loop, const KernelPlan &plan, const KernelTarget &target) {
  unsigned numParts = getNumParts(loop, plan);
  if (plan.perStep)
    return ::fits(KernelLayout(loop, plan), plan, target);
  return plan.unitBlocks <= (plan.isCluster() ? target.clusterBlocks : target.getShare() / numParts) &&
         llvm::all_of(llvm::seq(numParts),
                      [&](unsigned part) { return ::fits(KernelLayout(loop, plan, part), plan, target); });
}
