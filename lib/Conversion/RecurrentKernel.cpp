//===- RecurrentKernel.cpp - A recurrence in one kernel --------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel loads its weights once, then does for every step and phase, and for its tiles of
// rows: read what is projected, multiply, sum the partial sums of the warps in shared memory,
// map with the phase's region, store, and publish what is projected next.
//
// What is projected goes through memory with a slot for each step of a launch, which is all
// ones at first. A word is written once, and never all ones, so that it says itself that it is
// there: readers ask until it is. No order between two addresses is relied on.
//
// With warp groups it goes through memory, too, in the order in which `wgmma` takes it, with slots for a few steps.
// A counter for each exchange and tile says how many parts of blocks are there; see KernelWarpGroups.cpp.
//
// Everything else is read by the thread that writes it, as a thread has the same (row,
// unit) in all phases of one width.
//
//===----------------------------------------------------------------------===//

#include "RecurrentKernel.h"

#include "CUDARuntime.h"
#include "KernelEmitter.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::lstm;

/// A barrier between the warps that multiply and those that map, one for each buffer of
/// sums: when it is full, when it is empty.
void KernelEmitter::meet(Handover event, Value flip, bool waits) {
  constexpr int64_t kFirst[] = {1, 3};
  Value id = b.createOrFold<arith::IndexCastOp>(b.getI32Type(), add(flip, index(kFirst[int(event)])));
  int64_t threads = plan.getNumProductThreads() + plan.getNumMapThreads();
  if (waits) {
    NVVM::BarrierOp::create(b, Type(), id, word(threads), NVVM::BarrierReductionAttr(), Value());
    return;
  }
  // Upstream's operation says nothing of memory, so that LLVM reads sums behind it that others write anew by then.
  assembly(("bar.arrive $0, " + Twine(threads) + ";").str(), "r,~{memory}", {}, id);
}

/// The phase that multiplies first in a step.
std::optional<unsigned> KernelEmitter::getFirstProduct() {
  for (unsigned number : getOwnPhases())
    if (layout.phases[number].gates != 0)
      return number;
  return std::nullopt;
}

/// The last of the block's phases that gives what the first product of the next step needs, if it is mapped behind that
/// product: what is mapped before may be given twice before it is waited for once.
std::optional<unsigned> KernelEmitter::getLastProducer() {
  std::optional<unsigned> last;
  if (plan.perStep)
    return last;
  if (std::optional<unsigned> first = getFirstProduct())
    for (const Projection &projection : loop.phases[*first].projections)
      if (projection.exchange && projection.isOfPreviousStep)
        if (unsigned producer = loop.exchanges[*projection.exchange].producer;
            producer >= *first && layout.phases[producer].isOwn)
          last = std::max(last.value_or(0), producer);
  return last;
}

/// Warps that multiply ask for nothing before their own block has given its part of the first tile: what they ask for
/// in vain is in the way of what others ask for.
void KernelEmitter::meetPublished(bool waits) {
  constexpr int64_t kBarrier = 5;
  int64_t threads = plan.getNumProductThreads() + plan.getNumMapThreads();
  if (!waits) {
    assembly(("bar.arrive $0, " + Twine(threads) + ";").str(), "r,~{memory}", {}, word(kBarrier));
    return;
  }
  NVVM::BarrierOp::create(b, Type(), word(kBarrier), word(threads), NVVM::BarrierReductionAttr(), Value());
  // What others give comes a little later. Where whole tiles are asked for and there is nothing else to do, it is
  // better to let them; each warp wakes when it likes, so that not all ask at once. Measured.
  Value isWhole = isLess(index(KernelPlan::kTileRows - 1), rows);
  guarded(conjoin(isWhole, isLess(endTile, add(firstTile, index(2)))), {}, [&]() -> SmallVector<Value> {
    assembly("nanosleep.u32 100;", "", {}, {});
    return {};
  });
}

/// Counts slots, so that where nothing else is needed the first step need not be at hand.
scf::ForOp KernelEmitter::createTimeLoop(ValueRange carried) {
  return scf::ForOp::create(b, index(0), b.createOrFold<arith::SubIOp>(end, begin), index(1), carried);
}

Value KernelEmitter::getSlot(Value count) {
  if (plan.perStep)
    return rem(b.createOrFold<arith::SubIOp>(count, begin), 2);
  if (auto sum = count.getDefiningOp<arith::AddIOp>(); sum && sum.getRhs() == begin)
    return sum.getLhs();
  return b.createOrFold<arith::SubIOp>(count, begin);
}

/// All steps of one kind of work, which a step has for each of `numbers`, for the tiles of the block; by a whole warp
/// or one of its lanes alone.
void KernelEmitter::emitSteps(Work work, ArrayRef<unsigned> numbers, bool isAlone) {
  SmallVector<Value> carried = {index(0)};
  carried.append(beginTiles(isAlone));
  scf::ForOp time = createTimeLoop(carried);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(time.getBody());
  Value count = add(time.getInductionVar(), begin), flip = time.getRegionIterArg(0);
  SmallVector<Value> next = leaveTiles(count, time.getRegionIterArgs().drop_front(), isAlone);
  IRMapping step = computeStep(count);
  for (unsigned i : numbers)
    flip = (this->*work)(i, count, step, flip);
  next.insert(next.begin(), flip);
  scf::YieldOp::create(b, next);
  endTiles();
}

/// Each part has blocks of its own, as many as the others.
void KernelEmitter::emitKernel() {
  OpBuilder::InsertionGuard guard(b);
  unsigned numParts = getNumParts(loop, plan);
  allBegin = begin;
  allEnd = end;
  for (unsigned part = 0; part < numParts; ++part) {
    layout = KernelLayout(loop, plan, part);
    begin = allBegin;
    end = allEnd;
    ragged = getRagged(part);
    weights.clear();
    constants.clear();
    Value first = mul(partBlocks, part);
    block = b.createOrFold<arith::SubIOp>(launch.getBlockIds().x, first);
    if (part + 1 == numParts) {
      emitPart();
      break;
    }
    auto parts = scf::IfOp::create(b, isLess(launch.getBlockIds().x, add(first, partBlocks)), /*withElseRegion=*/true);
    b.setInsertionPointToStart(parts.thenBlock());
    emitPart();
    b.setInsertionPointToStart(parts.elseBlock());
    streamedBefore += plan.unitBlocks * layout.streamedBytes;
  }
}

/// What a thread is for, and where its block's shared memory lies.
void KernelEmitter::identify() {
  Value lane = rem(thread, 32);
  warp = div(thread, 32);
  // Said so that the assembler knows that lanes have the same: then descriptors are computed once for all.
  if (plan.hasWarpGroups()) {
    Value number = arith::IndexCastOp::create(b, b.getI32Type(), warp);
    number = gpu::ShuffleOp::create(b, number, word(0), word(32), gpu::ShuffleMode::IDX).getShuffleResult();
    warp = arith::IndexCastUIOp::create(b, b.getIndexType(), number);
  }
  split = plan.isCluster() ? rem(warp, plan.splits) : div(warp, plan.getUnitWarps());
  unitWarp = plan.isCluster() ? div(warp, plan.splits) : rem(warp, plan.getUnitWarps());
  laneRow = div(lane, 4);
  laneColumn = rem(lane, 4);
  firstTile = mul(div(block, plan.unitBlocks), passes);
  block = rem(block, plan.unitBlocks);
  // Blocks of a cluster wait for each other's tiles, whether they have rows or not.
  endTile = plan.isCluster() ? add(firstTile, passes) : min(add(firstTile, passes), tiles);
  allEndTile = endTile;
  auto workgroup = gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  auto bytes = MemRefType::get({ShapedType::kDynamic}, b.getI8Type(), MemRefLayoutAttrInterface(),
                               Attribute(workgroup));
  Value memory = gpu::DynamicSharedMemoryOp::create(b, bytes);
  Value start = arith::IndexCastOp::create(
      b, b.getI64Type(), memref::ExtractAlignedPointerAsIndexOp::create(b, memory));
  sharedMemory = LLVM::IntToPtrOp::create(b, shared, start);
}

void KernelEmitter::emitPart() {
  identify();
  if (ragged)
    skipEnded();
  if (plan.isCluster()) {
    beginCluster();
    for (unsigned i : getOwnPhases())
      loadWeights(i);
    emitEndedBefore();
    // No block may send what no one waits for: it may have ended.
    guarded(ragged ? isLess(begin, end) : Value(), {}, [&]() -> SmallVector<Value> {
      for (unsigned i : getOwnExchanges())
        publishInitial(i);
      emitClusterSteps();
      return {};
    });
    emitEndedBehind();
    meetCluster();
    return;
  }
  if (plan.hasWarpGroups())
    beginRing();
  Value multiplies = isLess(thread, index(plan.getNumProductThreads()));
  auto roles = scf::IfOp::create(b, multiplies, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(roles.thenBlock());
  // What no one needs for sure is shared out, too.
  int64_t productRegisters = llvm::alignDown((layout.size.registers + layout.getMostRegisters(plan)) / 2, 8);
  if (plan.hasWarpGroups())
    setRegisters(productRegisters);
  for (unsigned i : getOwnPhases())
    loadWeights(i);
  if (plan.hasWarpGroups())
    meetProducts();
  emitSteps(&KernelEmitter::emitProductPart, getOwnPhases());

  b.setInsertionPointToStart(roles.elseBlock());
  if (plan.hasWarpGroups()) {
    // For each group one thread asks for what is projected.
    int64_t others = plan.getNumProductThreads() + plan.getNumMapThreads();
    auto fetches = scf::IfOp::create(b, isLess(thread, index(others)), /*withElseRegion=*/true);
    b.setInsertionPointToStart(fetches.elseBlock());
    setRegisters(KernelLayout::kFetchRegisters);
    split = b.createOrFold<arith::SubIOp>(warp, index(others / 32));
    guarded(isLess(split, index(plan.splits)), {}, [&]() -> SmallVector<Value> {
      meetFetchers(/*fetches=*/true);
      return guarded(isFirst(rem(thread, 32)), {}, [&]() -> SmallVector<Value> {
        emitSteps(&KernelEmitter::emitFetchPart, getOwnPhases(), /*isAlone=*/true);
        return {};
      });
    });
    b.setInsertionPointToStart(fetches.thenBlock());
    int64_t left = plan.getMaxRegisters() * plan.getNumThreads() - productRegisters * plan.getNumProductThreads() -
                   KernelLayout::kFetchRegisters * 32 * KernelPlan::kGroupWarps;
    setRegisters(std::min<int64_t>(KernelLayout::kMostGroupRegisters,
                                   llvm::alignDown(left / plan.getNumMapThreads(), 8)));
  }
  mapThread = b.createOrFold<arith::SubIOp>(thread, index(plan.getNumProductThreads()));
  emitEndedBefore();
  for (unsigned i : getOwnExchanges())
    publishInitial(i);
  // Buffers are empty at first.
  for (int64_t i = 0; i < layout.sumBuffers; ++i)
    meet(Handover::Empty, index(i), /*waits=*/false);
  if (plan.hasWarpGroups()) {
    emitMapSteps();
    emitEndedBehind();
    return;
  }
  if (getLastProducer())
    meetPublished(/*waits=*/false);
  for (unsigned i : getOwnPhases())
    loadConstants(i);
  emitSteps(&KernelEmitter::emitMapPart, getOwnStages());
  emitEndedBehind();
}

/// A launch of all parts' blocks, with the insertion point in it.
void KernelEmitter::createLaunch(Value cluster, DistinctAttr kernel) {
  Value one = index(1), grid = mul(partBlocks, getNumParts(loop, plan));
  launch = gpu::LaunchOp::create(b, grid, one, one, index(plan.getNumThreads()), one, one,
                                 word(getSharedBytes(loop, plan)), Type(), ValueRange(), TypeRange(), TypeRange(),
                                 cluster, cluster ? one : Value(), cluster ? one : Value());
  launch->setAttr(kLaunchedKernelAttrName, kernel);
  // The builder forgets the places of clusters.
  Block &body = launch.getBody().front();
  while (body.getNumArguments() < launch.getNumConfigRegionAttributes())
    body.addArgument(b.getIndexType(), b.getLoc());
  b.setInsertionPointToStart(&body);
  gpu::TerminatorOp::create(b);
  b.setInsertionPointToStart(&body);
  thread = launch.getThreadIds().x;
}

void KernelEmitter::emit(Value multiprocessors, Value memory, DistinctAttr kernel) {
  Location loc = b.getLoc();
  rows = getValueOrCreateConstantIndexOp(b, loc, loop.rows);
  steps = source.getUpperBound();
  Value one = index(1);
  auto divideUp = [&](Value l, Value r) { return b.createOrFold<arith::CeilDivUIOp>(l, r); };
  tiles = divideUp(rows, index(plan.getNumRows()));
  if (!plan.isCluster() && !plan.hasWarpGroups())
    slots = getNumSlots(b, loop, plan);
  // Clusters do not wait for each other: they may run one after the other. Nor do the blocks of a kernel a step.
  if (plan.isCluster()) {
    passes = index(plan.rowTiles);
  } else if (plan.perStep) {
    passes = one;
  } else {
    // At least one, so that nothing is divided by zero where there is no row.
    Value groups = arith::MaxUIOp::create(b, min(div(multiprocessors, plan.unitBlocks), tiles), one);
    passes = arith::MaxUIOp::create(b, divideUp(tiles, groups), one);
  }
  partBlocks = mul(divideUp(tiles, passes), plan.unitBlocks);
  if (plan.perStep) {
    emitPerStep(memory, kernel);
    return;
  }
  if (plan.isCluster()) {
    begin = source.getLowerBound();
    end = steps;
    auto any = scf::IfOp::create(b, isLess(begin, steps));
    b.setInsertionPointToStart(any.thenBlock());
    createLaunch(index(plan.unitBlocks), kernel);
    emitKernel();
    b.setInsertionPointAfter(any);
    return;
  }
  Value pointer = getDevicePointer(b, loc, memory);
  if (plan.hasWarpGroups()) {
    begin = source.getLowerBound();
    end = steps;
    auto any = scf::IfOp::create(b, isLess(begin, steps));
    b.setInsertionPointToStart(any.thenBlock());
    // Counters have to be zero.
    Value tileWords = mul(tiles, layout.getTileWords(plan.getNumRows()));
    callRuntime(b, loc, "lstmCudaFill", Type(),
                {pointer, word(0), arith::IndexCastOp::create(b, b.getI64Type(), tileWords)});
    createLaunch(Value(), kernel);
    launch->setAttr("lstm.together", b.getUnitAttr());
    launch->setAttr("lstm.alone", b.getUnitAttr());
    exchangeMemory = LLVM::AddrSpaceCastOp::create(b, global, pointer);
    emitKernel();
    b.setInsertionPointAfter(any);
    return;
  }
  Value words = arith::IndexCastOp::create(b, b.getI64Type(), memref::DimOp::create(b, memory, 0));
  Value most = index(KernelLayout::kLaunchSteps);
  auto launches = scf::ForOp::create(b, source.getLowerBound(), steps, most);
  b.setInsertionPointToStart(launches.getBody());
  begin = launches.getInductionVar();
  end = min(add(begin, most), steps);
  callRuntime(b, loc, "lstmCudaFill", Type(), {pointer, word(-1), words});
  createLaunch(Value(), kernel);
  launch->setAttr("lstm.together", b.getUnitAttr());
  exchangeMemory = LLVM::AddrSpaceCastOp::create(b, global, pointer);
  emitKernel();
  b.setInsertionPointAfter(launches);
}

Value lstm::getNumSlots(OpBuilder &b, const RecurrentLoop &loop, const KernelPlan &plan) {
  Location loc = scf::ForOp(loop.loop).getLoc();
  auto constant = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(b, loc, value); };
  if (plan.perStep)
    return constant(2);
  Value steps = b.createOrFold<arith::MinUIOp>(loc, loop.maxSteps, constant(KernelLayout::kLaunchSteps));
  return b.createOrFold<arith::AddIOp>(loc, steps, constant(1));
}

void lstm::emitRecurrentKernel(RewriterBase &rewriter, const RecurrentLoop &loop, const KernelPlan &plan,
                               KernelOptions options, Value multiprocessors, Value exchangeMemory,
                               const FinalPlaces &finals, const RaggedParts &ragged, DistinctAttr kernel) {
  KernelEmitter(rewriter, loop, plan, options, finals, ragged).emit(multiprocessors, exchangeMemory, kernel);
}

namespace {
/// Effects of an operation of upstream's that does not say its own.
template <typename Op>
struct Synchronizes
    : public MemoryEffectOpInterface::ExternalModel<Synchronizes<Op>, Op> {
  void getEffects(Operation *,
                  SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) const {
    effects.emplace_back(MemoryEffects::Read::get());
    effects.emplace_back(MemoryEffects::Write::get());
  }
};
} // namespace

void lstm::registerSynchronizationEffects(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, NVVM::NVVMDialect *) {
    NVVM::BarrierOp::attachInterface<Synchronizes<NVVM::BarrierOp>>(*context);
  });
  registry.addExtension(+[](MLIRContext *context, gpu::GPUDialect *) {
    gpu::LaunchFuncOp::attachInterface<Synchronizes<gpu::LaunchFuncOp>>(*context);
  });
}
