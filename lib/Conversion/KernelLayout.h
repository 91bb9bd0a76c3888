//===- KernelLayout.h - Sizes and places of a plan --------------*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_LIB_CONVERSION_KERNELLAYOUT_H
#define LSTM_LIB_CONVERSION_KERNELLAYOUT_H

#include "KernelPlan.h"

#include <numeric>

namespace mlir::lstm {

/// What a warp multiplies at once: a group of k of one operand with all its weights.
struct Slot {
  unsigned projection;
  /// Which of the warp's groups of the operand.
  int64_t number;
  /// In shared memory: where; else in registers.
  std::optional<int64_t> place;
  /// Whether the weights are split when they are multiplied, see splitsLate.
  bool isLate = false;
  /// Whether the weights are fetched in each step.
  bool isStreamed = false;
};

/// Of the units of a warp, row r of the 8 of half a product tile has `getLaneUnits()` neighbours, so
/// that a lane reads its weights side by side and has all gates of a unit: product i of row r is gate
/// i % gates of unit r * getLaneUnits() + i / gates.
///
/// With warp groups, product i of row r of the 32 of a group is number p = r * getLaneProducts() + i of the
/// block's products, gate p / blockUnits of unit p % blockUnits.
struct PhaseLayout {
  /// Whether blocks of the layout's part do it; else it has no slots.
  bool isOwn;
  int64_t units, blockUnits, unitWarps, gates;
  bool hasWarpGroups;
  /// Tiles of 16 products, of a warp.
  int64_t productTiles;
  /// Fragments that a lane asks for at once.
  int64_t inFlight;
  SmallVector<Slot> slots;
  /// In how many sums a warp adds up products: in a cluster so that they need not wait for each other, elsewhere, if
  /// there are registers, those of small parts apart, and the others in short sums, as tensor cores cut off what they
  /// add.
  int64_t chains = 1;
  /// Slots whose weights warp groups split at once, and then multiply; fewer where sums take many registers.
  int64_t slotsAtOnce = 2;
  int64_t getNumItems(const KernelPlan &plan) const { return blockUnits * plan.getNumRows(); }
  /// With warp groups, as many as are neighbours in all lanes.
  int64_t getLaneUnits() const {
    return hasWarpGroups ? std::gcd(getLaneProducts(), blockUnits) : blockUnits / 8 / unitWarps;
  }
  int64_t getLaneProducts() const { return hasWarpGroups ? 2 * productTiles : getLaneUnits() * gates; }
  /// Partial sums that a lane stores at once.
  int64_t getSumVectorSize() const {
    return getLaneProducts() % 4 == 0 ? 4 : getLaneProducts() % 2 == 0 ? 2 : 1;
  }
  /// Whether rows of lanes with odd numbers have their fours of sums in another order, so that lanes
  /// that store at the same time use different banks.
  bool swapsSums() const { return getLaneProducts() % 8 == 0; }
  /// Floats between rows of partial sums; 4 of 8 more, so that a quad's rows lie in
  /// different banks.
  int64_t getRowStride() const {
    return llvm::alignTo((hasWarpGroups ? 8 * unitWarps : 8) * getLaneProducts(), 16) + 4;
  }
  /// Slots at the front whose weights are streamed, and where those of a block lie in memory among all that are:
  /// [stage][split][slot of the stage][four of words][thread of the group][word]. In a kernel a step all weights of a
  /// block lie in memory, [slot][four of words][thread][word], and those that are not streamed are asked for at the
  /// begin.
  int64_t getNumStreamed() const;
  int64_t streamed = 0;
  /// Of a slot's weights, those of a group, or in a kernel a step of a block.
  int64_t slotBytes = 0;
  /// Slots behind these whose weights are split late, and lie in shared memory one as far behind the other:
  /// as many as there are of whole stages of `stageGroups`.
  int64_t getNumLooped(int64_t stageGroups) const;
  /// From one of these to the next.
  int64_t getLoopedBytes() const {
    const Slot *first = &slots[getNumStreamed()];
    return *first[1].place - *first[0].place;
  }
  /// Lanes that have units of one row: neighbours, in a cluster every fourth.
  int64_t getRowLanes(const KernelPlan &plan) const {
    return plan.isCluster() ? KernelPlan::kTileRows : std::gcd<int64_t>(blockUnits, 32);
  }
};

/// Where an exchange lies: rows of words.
struct ExchangeLayout {
  ProductFormat format;
  /// Units with padding, a multiple of a block's; words of a row and plane.
  int64_t units, rowWords;
  /// Words of a row and step of the exchanges before this one.
  int64_t before;
  /// In a cluster, in each block's shared memory: where what all blocks have lies, [tile][slot % 2][block][plane][unit
  /// warp][split][row][word], from one plane to the next `blockWords`, from one unit warp to the next `warpWords`, from
  /// one split to the next `splitWords`, `warpRowWords` in a row; what this block sends, [tile][slot % 2][plane]..., as
  /// above; and barriers, [tile][slot % 2].
  int64_t buffer = 0, staging = 0, barriers = 0;
  int64_t warpRowWords = 0, splitWords = 0, warpWords = 0, blockWords = 0;
  /// Whether a block copies all that it sends to another one at once: of much, words take longer, unless there is
  /// another tile to go on with meanwhile.
  bool isCopied = false;
  /// Of a tile and slot, what a block sends to another one: all, with what lies between, or words.
  int64_t getSentBytes(const KernelPlan &plan) const { return isCopied ? getBlockBytes() : getUsedBytes(plan); }
  /// Without what lies between.
  int64_t getUsedBytes(const KernelPlan &plan) const {
    return 4 * format.getNumPlanes() * plan.getNumRows() * warpRowWords * plan.unitWarps;
  }
  /// Of a block and slot.
  int64_t getBlockBytes() const { return 4 * format.getNumPlanes() * blockWords; }
};

/// Where the partial folds of a row value lie: rows of words, one of each group of `units` units. `lanes` fold a row's
/// units together: all of the group, or, in a cluster, a part of it, of which a block has `parts`.
struct FoldLayout {
  int64_t lanes, units, parts, partials, rowWords;
  /// Words of a group: one for each gate's value, for sums of squares with the mean.
  int64_t planes;
  /// Words of a row and step of what lies before.
  int64_t before;
  /// In a cluster, in each block's shared memory: where those of all blocks lie, [tile][slot %
  /// 2][block][split][row][plane], from one block to the next `blockWords`; parts of this block, [tile][slot %
  /// 2][plane][row][part], as many as fill up fours; and barriers, [tile][slot % 2].
  int64_t buffer = 0, staging = 0, barriers = 0, blockWords = 0;
  int64_t getPartWords() const { return llvm::alignTo(parts, 4); }
  /// What comes of a tile and slot.
  int64_t getReceivedBytes() const { return 4 * planes * KernelPlan::kTileRows * partials; }
};

/// What a warp of a cluster reads of a sequence in a step: input `input` of a phase.
struct AheadLayout {
  unsigned phase, input;
  int64_t gates, rows, units;
  /// Words before it.
  int64_t first;
};

struct KernelLayout {
  /// Of the blocks that do a part of a recurrence.
  KernelLayout(const RecurrentLoop &loop, const KernelPlan &plan, unsigned part = 0);

  SmallVector<PhaseLayout> phases;
  SmallVector<ExchangeLayout> exchanges;
  /// By row value, of those that are folds.
  llvm::SmallDenseMap<unsigned, FoldLayout> folds;
  /// Of a row and step, in memory.
  int64_t exchangeWords = 0;
  /// Of one buffer of partial sums; with warp groups there is one, as it is emptied in much less time than filled.
  int64_t sumBytes = 0, sumBuffers = 2;
  /// For warp groups: the ring of each group, [group][place of `stageBytes`], as many places as a power of two,
  /// and its barriers, [full, empty][group][place].
  int64_t ring = 0, ringPlaces = 0, stageBytes = 0, barriers = 0;
  /// Of a stage, what is projected; behind it lie weights that are streamed.
  int64_t exchangedBytes = 0;
  /// Of all phases of a block.
  int64_t streamedBytes = 0;
  /// What is on its way in the time that a copy takes.
  int64_t mostRingBytes = 65 * 1024;
  /// A word that splits weights, from where it is read again and again: of one that is known, all parts of weights in
  /// registers would be computed ahead, and kept in as many registers again.
  int64_t half = 0;
  /// For clusters: four words that are zero; what warps ask for two steps ahead, so many words each.
  int64_t zeros = 0, ahead = 0, aheadWords = 0;
  SmallVector<AheadLayout> sequences;
  KernelSize size;
  /// Of a thread of warp groups: those that fetch, and that map, about.
  static constexpr int64_t kFetchRegisters = 40, kMostGroupRegisters = 240;
  /// With more weights than that in registers, others are spilled.
  static constexpr int64_t kMostProductRegisters = 168;
  int64_t mapRegisters = 0;
  /// What the threads that multiply, or all, may have.
  int64_t getMostRegisters(const KernelPlan &plan) const;

  /// Of a longer sequence there are several launches, so that what is exchanged takes as much
  /// memory as that of so many steps. Each loads the weights anew.
  static constexpr int64_t kLaunchSteps = 256;
  /// Slots that have a buffer in a cluster: who has received one of all writes over the one before.
  static constexpr int64_t kClusterSlots = 2;
  /// Barriers of a block. In a cluster, number 0 is for all warps, those from 1 on are for pairs that share out sums,
  /// and two for folds.
  static constexpr int64_t kNumBarriers = 16, kFoldBarrier = 8;
  /// What blocks of a cluster send as words in any case, to all.
  static constexpr int64_t kMostWordBytes = 4096;
  /// Addresses, loop variables; also those of mapping, where all warps map.
  static int64_t getOtherRegisters(const KernelPlan &plan) {
    return plan.isCluster() ? 60 : plan.hasWarpGroups() ? 32 : 28;
  }
  /// `wgmma` has up to 256 columns.
  static constexpr int64_t kMaxRowTiles = 32;
  /// Groups of k that warp groups fetch and multiply at once; fewer of many rows.
  int64_t stageGroups = 4;
  /// Slots of an exchange that are kept in memory for warp groups: that of a step, those before and behind, and one
  /// more, as a power of two is easy to divide by.
  static constexpr int64_t kWarpGroupSlots = 4;
  /// Words of memory for a counter, so that no two are in one line of the cache.
  static constexpr int64_t kCounterWords = 32;
  /// Words that blocks with warp groups exchange through memory, of a tile with so many rows: a counter and slots
  /// of each exchange.
  int64_t getTileWords(int64_t rows) const {
    return exchanges.size() * kCounterWords + kWarpGroupSlots * rows * exchangeWords;
  }

private:
  KernelLayout(const RecurrentLoop &loop, const KernelPlan &plan, unsigned part, int64_t mostChains);
  void placeInCluster(const RecurrentLoop &loop, const KernelPlan &plan);
  void placeWeights(const RecurrentLoop &loop, const KernelPlan &plan);
  void placeRing(const KernelPlan &plan);
};

/// How many parts have blocks of their own. Parts of which one projects what another one gives have those in groups
/// alone, where what is exchanged goes through memory, with a slot for each step: the one that gives need not wait.
unsigned getNumParts(const RecurrentLoop &loop, const KernelPlan &plan);

/// Of a block's shared memory, whatever part it does.
int64_t getSharedBytes(const RecurrentLoop &loop, const KernelPlan &plan);

/// What tensor cores multiply for a projection.
ProductFormat getFormat(const Projection &projection, const KernelPlan &plan);

/// Whether weights are held as they are and split when they are multiplied, so that they take half of the place: with
/// warp groups those of f32 by TF32 products.
bool splitsLate(const ProductFormat &format, const KernelPlan &plan);
/// Planes in which weights are held.
int64_t getNumWeightPlanes(const ProductFormat &format, const KernelPlan &plan);

/// Elements that a lane loads of a weight at once, of `laneUnits` neighbours: as many as stand side by
/// side in each row, if the memory begins at a multiple of so many.
int64_t getWeightVectorSize(const Projection &projection, int64_t laneUnits);

/// What a plan is for that a recurrence is not, and why; empty if there is no such thing.
struct Mismatch {
  StringRef kind, reason;
};
Mismatch getMismatch(const RecurrentLoop &loop, const KernelPlan &plan);

/// What is wrong with a plan for a recurrence, whatever the GPU has; empty if nothing is.
StringRef getImbalance(const KernelLayout &layout, const KernelPlan &plan);

/// Whether the kernel of a plan fits into a multiprocessor, and is balanced, and all blocks that wait for each other
/// into the device.
bool fits(const RecurrentLoop &loop, const KernelPlan &plan, const KernelTarget &target);

} // namespace mlir::lstm

#endif // LSTM_LIB_CONVERSION_KERNELLAYOUT_H
