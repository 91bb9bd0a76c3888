//===- KernelEmitter.h - Emits a kernel for a recurrence --------*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_LIB_CONVERSION_KERNELEMITTER_H
#define LSTM_LIB_CONVERSION_KERNELEMITTER_H

#include "FinalStates.h"
#include "KernelLayout.h"
#include "RaggedSteps.h"
#include "RecurrentKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::lstm {

/// Emits a kernel for a recurrence; see RecurrentKernel.cpp for what it does.
class KernelEmitter {
public:
  KernelEmitter(RewriterBase &rewriter, const RecurrentLoop &loop, const KernelPlan &plan,
                KernelOptions options, const FinalPlaces &finals, const RaggedParts &ragged)
      : finals(finals), allRagged(ragged), source(loop.loop), b(source.getLoc(), rewriter), loop(loop), plan(plan),
        options(options),
        approximates(options.approximates && (multipliesHalves(loop) || plan.float32 == Float32Mode::TF32)),
        layout(loop, plan), global(LLVM::LLVMPointerType::get(b.getContext(), 1)),
        shared(LLVM::LLVMPointerType::get(b.getContext(), 3)) {}

  void emit(Value multiprocessors, Value memory, DistinctAttr kernel);

private:
  static bool multipliesHalves(const RecurrentLoop &loop);

  // Integers; all but words are of index type.
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, value); }
  Value word(int64_t value) { return arith::ConstantIntOp::create(b, value, 32); }
  Value add(Value l, Value r) { return b.createOrFold<arith::AddIOp>(l, r); }
  Value mul(Value l, Value r) { return b.createOrFold<arith::MulIOp>(l, r); }
  Value mul(Value l, int64_t r) { return mul(l, index(r)); }
  Value div(Value l, int64_t r) { return b.createOrFold<arith::DivUIOp>(l, index(r)); }
  Value rem(Value l, int64_t r) { return b.createOrFold<arith::RemUIOp>(l, index(r)); }
  Value min(Value l, Value r) { return b.createOrFold<arith::MinUIOp>(l, r); }
  Value isLess(Value l, Value r) {
    return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ult, l, r);
  }
  Value conjoin(Value l, Value r) { return l && r ? b.createOrFold<arith::AndIOp>(l, r) : l ? l : r; }
  Value isFirst(Value number) {
    return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, number, index(0));
  }
  /// Where an exchange has what was before a step.
  Value getSlot(Value count);
  /// Where it has what a step gives.
  Value getNextSlot(Value count) {
    return plan.perStep ? b.createOrFold<arith::SubIOp>(index(1), getSlot(count)) : add(getSlot(count), index(1));
  }
  Value last(Value size) { return b.createOrFold<arith::SubIOp>(size, index(1)); }

  /// Runs `body` where `condition` holds, everywhere if it is null; elsewhere its values are
  /// zero.
  SmallVector<Value> guarded(Value condition, TypeRange types,
                             function_ref<SmallVector<Value>()> body);

  /// An instruction that stays where it is.
  Value assembly(StringRef text, StringRef constraints, Type result, ValueRange operands) {
    return emitAssembly(b, text, constraints, result, operands, /*hasEffects=*/true);
  }
  Value isAny(Value condition);

  // Memory.
  Value advance(Value pointer, Value bytes);
  Value address(Value memref, ArrayRef<Value> indices, const IRMapping &step);
  Value exchangeAddress(unsigned exchange, Value slot, unsigned plane, Value row, Value word);
  IRMapping computeStep(Value count);

  // Work.
  void createLaunch(Value cluster, DistinctAttr kernel);
  void emitKernel();
  void identify();
  void emitPart();
  void loadWeights(unsigned number);
  Value getPackedOffset(unsigned number, unsigned slot);
  SmallVector<Value> loadPacked(unsigned number, unsigned slot);
  SmallVector<Value> loadWeightRow(unsigned number, const Projection &projection, Value k);
  void publishInitial(unsigned exchange);
  void loadConstants(unsigned number);
  /// What is done in a step for a phase or a stage, by its number. Returns which buffer of sums comes next.
  using Work = Value (KernelEmitter::*)(unsigned number, Value count, const IRMapping &step, Value flip);
  Value emitProductPart(unsigned number, Value count, const IRMapping &step, Value flip);
  Value emitMapPart(unsigned number, Value count, const IRMapping &step, Value flip);
  scf::ForOp createTimeLoop(ValueRange carried);
  void emitSteps(Work work, ArrayRef<unsigned> numbers, bool isAlone = false);

  // A kernel a step: KernelSteps.cpp.
  void emitPerStep(Value memory, DistinctAttr kernel);
  void emitBefore();
  void emitSegment(ArrayRef<unsigned> segment, Value count);
  void loadUnwritten(unsigned number, const IRMapping &step);

  // Ragged batches: KernelRagged.cpp.
  const RaggedSteps *getRagged(unsigned part);
  Value getLongest(Value first, Value behind, bool isAlone);
  Value clampToLaunch(Value step);
  void skipEnded();
  bool leavesTiles();
  SmallVector<Value> beginTiles(bool isAlone);
  SmallVector<Value> leaveTiles(Value count, ValueRange carried, bool isAlone);
  void endTiles();
  void emitEnded(Value first, Value behind, Value tile);
  /// Whether threads write what they keep of rows that live later before the first step.
  bool keepsBefore() { return ragged && !ragged->isForward; }
  void emitEndedBefore();
  void emitEndedBehind();
  std::optional<unsigned> getFirstProduct();
  std::optional<unsigned> getLastProducer();
  void meetPublished(bool waits);
  enum class Handover { Full, Empty };
  void meet(Handover event, Value flip, bool waits);
  /// The buffer of sums that comes next.
  Value getNextBuffer(Value flip) {
    return layout.sumBuffers == 1 ? flip : b.createOrFold<arith::SubIOp>(index(1), flip);
  }

  /// Words of a tile of 8 rows that are multiplied with a slot's weights.
  struct Fragment {
    unsigned slot;
    int64_t n;
  };
  struct Request {
    const Projection *projection;
    ProductFormat format;
    Value step, row, chunk, isInside;
    /// In the tile.
    Value tileRow, tile;
  };
  using Accumulators = SmallVector<SmallVector<Value>>;
  Value getProjectedSlot(const Projection &projection, Value count) {
    return projection.isOfPreviousStep ? getSlot(count) : getNextSlot(count);
  }
  Request getRequest(unsigned number, const Fragment &fragment, Value count, Value tile);
  SmallVector<Value> ask(unsigned number, ArrayRef<Fragment> fragments, Value count,
                         const IRMapping &step, Value tile);
  Value getRequestAddress(const Request &request, unsigned plane);
  SmallVector<Value> askFor(const Request &request);
  SmallVector<Value> waitFor(unsigned number, ArrayRef<Fragment> fragments, Value count, Value tile,
                             ValueRange asked);
  SmallVector<Value> askUntilThere(ArrayRef<Value> addresses, ValueRange asked,
                                   function_ref<Value(size_t, ValueRange)> isMissing);
  SmallVector<Value> askAgain(Value address, Value missing, ValueRange known);
  void multiply(unsigned number, ArrayRef<Fragment> fragments, ValueRange asked, Value count,
                Value tile, Accumulators &accumulators);
  /// In which chain a slot's products of two planes are summed; the last is that of small parts.
  int64_t getChain(const PhaseLayout &phase, unsigned slot, unsigned weightPlane, unsigned operandPlane) {
    if (phase.chains == 1)
      return 0;
    return weightPlane + operandPlane > 0 ? phase.chains - 1 : slot % (phase.chains - 1);
  }
  void addChains(unsigned number, Accumulators &accumulators);
  void addLanes(Accumulators &accumulators);
  Accumulators multiplyTile(unsigned number, Value count, const IRMapping &step, Value tile);
  void storeSums(unsigned number, const Accumulators &accumulators, Value flip);
  Value sumAddress(unsigned number, Value flip, Value split, Value row, Value lane, Value product);
  void storeFours(Value first, int64_t distance, ArrayRef<Value> words);
  SmallVector<Value> loadFours(Value memory, Value first, int64_t distance, int64_t count);
  SmallVector<Value> getSlotWeights(unsigned number, unsigned slot);
  Value getChunk(const Slot &slot, ProductFormat format, const Projection &projection);
  Value getLaneWord(const Slot &slot, const Projection &projection, int64_t w);
  SmallVector<Value> readOperand(const Projection &projection, const IRMapping &step, Value row,
                                 Value chunk);

  /// An element (row, unit) that a thread maps.
  struct Item {
    /// Whether the thread has it; null if all do.
    Value exists;
    /// In the tile and the block.
    Value tileRow, blockUnit;
    /// In the arrays, kept in bounds; whether they were.
    Value row, unit, paddedUnit, isRow, isUnit;
    Value tile;
  };
  int64_t getNumItems(unsigned number) {
    if (plan.isCluster())
      return getLaneRows() * layout.phases[number].getLaneUnits();
    return llvm::divideCeil(layout.phases[number].getNumItems(plan), plan.getNumMapThreads());
  }
  Item getItem(unsigned number, int64_t i, Value tile);
  void emitFinalOfEnded(unsigned number, const Item &item, Value behind);
  /// What a region reads of an operand as an argument: a gate's element, if it has gates.
  struct Input {
    Value operand;
    int32_t axes;
    int64_t gate;
    BlockArgument argument;
    Type getType() const { return argument.getType(); }
  };
  SmallVector<Input> getInputs(unsigned number);
  Value getInputAddress(const Input &input, const Item &item, const IRMapping &step);
  Value loadInput(const Input &input, const Item &item, const IRMapping &step);
  Value loadElement(const Input &input, const Item &item, const IRMapping &step);
  SmallVector<Value> loadTile(unsigned number, ArrayRef<Input> inputs, bool prefetches, Value count,
                              const IRMapping &step, Value tile);
  bool approximate(Operation &op, IRMapping &mapping);
  SmallVector<Value> sumProducts(unsigned number, const Item &item, Value flip);
  /// The positions of a scalar that a region gets of an operand.
  static SmallVector<Value> getPosition(int32_t axes, Value row, Value gate, Value unit);

  // Row values: KernelRowValues.cpp.
  /// Row values of an element, by number: a scalar, or one for each gate.
  using RowScalars = llvm::DenseMap<unsigned, SmallVector<Value>>;
  SmallVector<Value> mapItem(unsigned number, const Item &item, ValueRange products, ValueRange inputs,
                             const RowScalars &rowValues = RowScalars());
  void storeItem(unsigned number, const Item &item, ValueRange results, const IRMapping &step,
                 ArrayRef<Value> isStored = {});
  Value getPublished(const Item &item, Value value);
  Value makePresent(Value bits, int64_t nan);
  /// Words that a lane reads at once of a plane of a fold, from a partial fold on: four, or one in a cluster.
  struct FoldRequest {
    unsigned fold;
    int64_t plane;
    Value first, address;
  };
  int64_t getRequestWords() { return plan.isCluster() ? 1 : ProductFormat::kLaneWords; }
  Value foldAddress(unsigned fold, Value slot, int64_t plane, Value row, Value word);
  /// Lanes that have units of one row, of a stage's threads, and how far from each other they are.
  int64_t getRowLanes(const MapStage &stage) { return layout.phases[stage.phase].getRowLanes(plan); }
  int64_t getLaneDistance() { return plan.isCluster() ? 4 : 1; }
  SmallVector<FoldRequest> getFoldRequests(const MapStage &stage, ArrayRef<unsigned> folds, const Item &item,
                                           Value count);
  SmallVector<Value> askForFolds(ArrayRef<FoldRequest> requests);
  SmallVector<Value> waitForFolds(ArrayRef<FoldRequest> requests, ValueRange asked);
  Value getElementsOfPartial(unsigned number, Value partial);
  Value combine(const RowValue &value, Value l, Value r);
  Value combineLanes(const RowValue &value, Value scalar, int64_t lanes);
  Value computeScalar(Value scalar, Block *body, IRMapping &mapping);
  IRMapping mapRowOperands(const RowValue &value, int64_t gate, const Item &item, const RowScalars &rowValues,
                           const IRMapping &step);
  /// The mean of elements, and the sum of squares of the distances from it; null of one element.
  struct Moments {
    Value mean, squares;
  };
  using FoldMoments = llvm::DenseMap<unsigned, SmallVector<Moments>>;
  SmallVector<Value> finishFold(unsigned number, ArrayRef<FoldRequest> requests, ValueRange words, int64_t lanes,
                                FoldMoments &known, const Item &item, const RowScalars &rowValues,
                                const IRMapping &step);
  RowScalars computeRowValues(ArrayRef<FoldRequest> requests, ValueRange words, int64_t lanes, const Item &item,
                              const IRMapping &step);
  /// Row values that a stage needs, for each of a thread's elements.
  SmallVector<RowScalars> readRowValues(const MapStage &stage, ArrayRef<Item> items, ValueRange asked, Value count,
                                        const IRMapping &step);
  Value getPartial(unsigned fold, const Item &item);
  bool hasEvenPartials(unsigned fold);
  Value sumPairwise(ArrayRef<Value> values);
  Moments mergeMoments(ArrayRef<Value> means, ArrayRef<Value> squares, int64_t elements);
  Moments mergeMoments(ArrayRef<Value> means, ArrayRef<Value> squares, ArrayRef<Value> elements);
  Moments combineMoments(Moments moments, int64_t elements, int64_t lanes);
  std::optional<unsigned> findResult(const MapStage &stage, const RowOperand &operand, int64_t gate);
  size_t getNumFoldWords(const MapStage &stage);
  SmallVector<Value> askForTileFolds(const MapStage &stage, Value tile, Value count);
  SmallVector<Value> getElements(const MapStage &stage, unsigned number, ValueRange results, const Item &item,
                                 const IRMapping &step);
  SmallVector<Value> mapElements(const RowValue &value, ArrayRef<int64_t> gates, const Item &item,
                                 ValueRange elements, const RowScalars &rowValues, const IRMapping &step);
  Value combineElements(const RowValue &value, ArrayRef<Value> elements, const Item &item, int64_t lanes);
  void publishPartial(unsigned number, int64_t plane, const Item &item, Value count, Value scalar);
  void publishFold(unsigned number, const Item &item, ValueRange elements, const RowScalars &rowValues,
                   Value count, const IRMapping &step);
  void publishResults(unsigned number, const Item &item, ValueRange results, Value count);
  void publish(unsigned exchange, const Item &item, Value slot, Value value);

  // Warp groups: KernelWarpGroups.cpp.
  void beginRing();
  void setRegisters(int64_t count);
  Value barrierAddress(Handover event, Value group, Value place);
  Value getStage(unsigned number, Value count, Value tile);
  Value counterAddress(unsigned exchange, Value tile);
  Value exchangedTile(unsigned exchange, Value slot, Value tile);
  Value stageAddress(unsigned exchange, Value slot, unsigned plane, const Item &item, Value word);
  void signal(unsigned exchange, Value tile);
  Value streamedAddress(unsigned number, Value stage);
  /// Of a stage in the ring: its barrier, and where it lies.
  struct RingPlace {
    Value full, address;
  };
  RingPlace getEmptyPlace(Value stage);
  RingPlace getPlace(Value stage);
  void expect(Value barrier, int64_t bytes);
  void fetch(const RingPlace &place, int64_t offset, Value from, int64_t bytes);
  void repeat(Value count, function_ref<void(Value)> body);
  Value emitFetchPart(unsigned number, Value count, const IRMapping &step, Value flip);
  bool isAskedAhead(const Input &input);
  SmallVector<Value> loadTileInputs(unsigned number, Value tile, Value count, bool areAhead);
  SmallVector<Value> emitMapTiles(unsigned number, Value count, const IRMapping &step, ValueRange ahead);
  void emitMapSteps();
  void waitForBarrier(Value address, Value parity);
  static constexpr int64_t kGroupThreads = 32 * KernelPlan::kGroupWarps;
  void storeMatrix(unsigned number, Value memory, ArrayRef<Value> words);
  void storeSlotWeights(unsigned number, unsigned slot, ArrayRef<Value> words);
  Value getSlotOffset(unsigned number, unsigned slot, Value place, Value behind);
  void meetProducts();
  void meetFetchers(bool fetches);
  Value getDescriptor(Value offset, int64_t rows);
  Accumulators multiplyStages(unsigned number, Value count, Value tile);
  Value waitForStage(Value stage);
  void multiplyStage(unsigned number, unsigned slot, Value stage, Value behind, Accumulators &sums);
  SmallVector<Value> getParts(ValueRange words, const ProductFormat &format);
  void multiplySlots(unsigned number, unsigned firstSlot, int64_t count, Value place, Value behind, int64_t pending,
                     Accumulators &accumulators);
  void releaseStage(Value place);

  // Clusters: KernelCluster.cpp.
  void beginCluster();
  void meetCluster();
  Value getPair(Value tile, Value slot);
  Value bufferOffset(unsigned exchange, Value tile, Value slot, unsigned plane, Value sender, Value inBlock);
  Value wordInBlock(const ExchangeLayout &place, Value sender, Value tileRow);
  Value arrivalOffset(unsigned exchange, Value tile, Value slot);
  Value getSharedAddress(Value offset);
  void expectSlot(unsigned exchange, Value tile, Value slot);
  Value slotAddress(const Request &request, unsigned plane);
  bool isLastRead(unsigned number, const Projection &projection);
  void receive(unsigned number, Value count, Value tile);
  SmallVector<SmallVector<Value>> exchangeSums(unsigned number, const Accumulators &accumulators, Value flip);
  void stage(unsigned exchange, Value slot, const Item &item, Value value);
  Value stagingOffset(unsigned exchange, Value tile, Value slot);
  Value getPeerMemory(Value peer);
  Value getPeerAddress(Value peer, Value offset);
  bool isReadInStep(unsigned exchange);
  void send(ArrayRef<unsigned> exchanges, Value tile, Value slot);
  void shareOut(Value worker, int64_t workers, int64_t count, function_ref<void(Value)> body);
  void copyBlock(unsigned exchange, Value tile, Value slot);
  void sendWords(unsigned exchange, Value tile, Value slot);
  Value foldOffset(unsigned fold, Value tile, Value slot, int64_t plane, Value tileRow, Value partial);
  Value partOffset(unsigned fold, Value tile, Value slot, int64_t plane, Value tileRow, Value part);
  Value foldArrivalOffset(unsigned fold, Value tile, Value slot);
  void expectFold(unsigned fold, Value tile, Value slot);
  std::optional<unsigned> getLastReader(unsigned fold);
  SmallVector<unsigned> getReadFolds();
  void receiveFolds(const MapStage &stage, Value count, Value tile);
  Value getPart(unsigned fold, const Item &item);
  Value getElementsOfPart(unsigned fold, Value part);
  void stagePart(unsigned fold, int64_t plane, const Item &item, Value count, Value bits);
  SmallVector<Value> mergeParts(unsigned fold, Value tile, Value slot, Value tileRow);
  void sendFold(unsigned fold, ArrayRef<Item> items, Value slot);

  // KernelClusterSteps.cpp.
  /// Of a tile: a quad's lanes have two rows each, or all the one.
  int64_t getLaneRows() { return plan.singleRows ? 1 : 2 / plan.splits; }
  Item getOwnItem(unsigned number, int64_t i);
  using Results = SmallVector<SmallVector<Value>>;
  Results emitWholePart(const MapStage &stage, Value count, Value tile, const IRMapping &step, Value &flip,
                        function_ref<SmallVector<Value>(int64_t)> getItemInputs,
                        function_ref<void()> meanwhile, ArrayRef<Value> isStored);
  Value aheadOffset(const AheadLayout &place, Value tile, Value count, Value gate, Value row, Value unit);
  Value areFoursAligned(Value sequence);
  void askAhead(Value tile, Value count);
  Value loadAhead(const AheadLayout &place, const Input &input, const Item &item, int64_t i, Value count);
  void emitClusterSteps();
  void prefetch(unsigned number, const Item &item, Value count);

  /// Numbers of phases that the blocks of the part do.
  SmallVector<unsigned> getOwnPhases() {
    SmallVector<unsigned> numbers = llvm::to_vector(llvm::seq<unsigned>(0, loop.phases.size()));
    llvm::erase_if(numbers, [&](unsigned number) { return !layout.phases[number].isOwn; });
    return numbers;
  }
  SmallVector<unsigned> getOwnStages() {
    SmallVector<unsigned> numbers = llvm::to_vector(llvm::seq<unsigned>(0, loop.stages.size()));
    llvm::erase_if(numbers, [&](unsigned number) { return !layout.phases[loop.stages[number].phase].isOwn; });
    return numbers;
  }
  /// Numbers of exchanges that they give.
  SmallVector<unsigned> getOwnExchanges() {
    SmallVector<unsigned> numbers = llvm::to_vector(llvm::seq<unsigned>(0, loop.exchanges.size()));
    llvm::erase_if(numbers, [&](unsigned number) { return !layout.phases[loop.exchanges[number].producer].isOwn; });
    return numbers;
  }

  const FinalPlaces &finals;
  const RaggedParts &allRagged;
  scf::ForOp source;
  ImplicitLocOpBuilder b;
  const RecurrentLoop &loop;
  const KernelPlan &plan;
  KernelOptions options;
  bool approximates;
  /// Of the part whose blocks are emitted.
  KernelLayout layout;
  Type global, shared;

  gpu::LaunchOp launch;
  Value rows, steps, tiles, passes, partBlocks;
  /// The steps of a launch, in which some row of the block lives, and how many slots an exchange has.
  Value begin, end, slots;
  /// Where rows of the part end, if they do, and all steps of the launch.
  const RaggedSteps *ragged = nullptr;
  Value allBegin, allEnd;
  /// Behind all tiles of the block, while `endTile` is behind those that are left, and how many tiles have been done in
  /// the steps before, if some are left out.
  Value allEndTile, tilesBefore;
  /// Of the kernel: numbers of the thread, its warp, that among those that share out k and
  /// units, its lane's row and column of a fragment, its block among those that share units.
  Value thread, mapThread, warp, split, unitWarp, laneRow, laneColumn, block, firstTile, endTile;
  Value sharedMemory, exchangeMemory;
  /// Weights that blocks of the parts before stream.
  int64_t streamedBefore = 0;
  struct Memory {
    Value pointer;
    SmallVector<OpFoldResult> strides;
  };
  llvm::DenseMap<Value, Memory> memories;
  /// Weights in registers, by phase and slot: [plane][tile][8 words].
  llvm::DenseMap<std::pair<unsigned, unsigned>, SmallVector<Value>> weights;
  /// By argument of a phase's body, of each of the thread's elements, what is the same for all rows and steps.
  llvm::DenseMap<Value, SmallVector<Value>> constants;
};

} // namespace mlir::lstm

#endif // LSTM_LIB_CONVERSION_KERNELEMITTER_H
