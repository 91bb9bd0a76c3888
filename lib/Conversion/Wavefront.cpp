//===- Wavefront.cpp - Stacked layers side by side -------------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stage is a time loop and its feeders: the operations before it that fill what only it
// reads, step by step, such as the projection of all inputs. Chunk k of a stage needs no more
// of the stages before it than their chunks 0 to k. So in wave w, stage s does chunk w - s:
//
//     for w = 0 to (number of chunks) + (number of stages) - 1
//       for each stage s, the last one first
//         if w - s is the number of a chunk
//           on branch s, behind what stage s - 1 has done so far:
//             the feeders and the steps of chunk w - s
//
// The last stage comes first so that what a stage waits for are waves before this one.
//
// Where projections overlap, the feeders of a chunk are given to a branch of their own, which
// runs ahead of the steps by a chunk: buffers have two slots, which chunks take in turn.
//
//             on branch (number of stages) + s, behind chunk w - s of stage s - 1 and the steps
//             of chunk w - s - 2: the feeders
//             on branch s, behind these: the steps
//
//===----------------------------------------------------------------------===//

#include "lstm/Conversion/Passes.h"

#include "BranchLoops.h"
#include "ByteSize.h"
#include "CUDARuntime.h"
#include "KernelLayout.h"
#include "KernelPlanAttr.h"
#include "MemoryRoots.h"
#include "TimeStages.h"
#include "lstm/Conversion/PlanMemory.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/CSE.h"

namespace mlir::lstm {
#define GEN_PASS_DEF_LSTMWAVEFRONTPASS
#include "lstm/Conversion/Passes.h.inc"
} // namespace mlir::lstm

using namespace mlir;
using namespace mlir::lstm;

namespace {
/// The least size that a chunk is divided to.
struct ChunkSize {
  int64_t steps, rows;
};

/// Puts a chain into waves.
class Rewriting {
public:
  Rewriting(RewriterBase &b, Chain &chain, bool overlaps)
      : b(b), chain(chain), loc(chain.stages.front().work->getLoc()),
        steps(chain.stages.front().getSteps()), overlaps(overlaps) {}
  void run(int64_t numChunks, ChunkSize least, int64_t cacheBytes, std::optional<int64_t> kernelRows);

private:
  Value getChunk(int64_t numChunks, Value rowsOfStep, ChunkSize least);
  std::pair<Value, int64_t> getFootprint(Stage &stage);
  /// How many rows a step of a stage has.
  Value getStepRows(Stage &stage) {
    return stage.feeders.empty()
               ? index(1)
               : getValueOrCreateConstantIndexOp(b, loc, *getRowsOfStep(stage.feeders.front().op, steps));
  }
  void chooseChunk(int64_t numChunks, ChunkSize least, int64_t cacheBytes);
  void chooseKernelChunk(int64_t kernelRows);
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  template <typename Op> Value make(Value l, Value r) { return b.createOrFold<Op>(loc, l, r); }
  /// What is constant folds on the right.
  Value multiply(Value l, Value r) {
    return getConstantIntValue(l) ? make<arith::MulIOp>(r, l) : make<arith::MulIOp>(l, r);
  }
  /// How many of `size` rows belong to a step.
  Value getPart(OpFoldResult size) {
    return getValueOrCreateConstantIndexOp(b, loc, *divide(size, steps));
  }
  /// How many of `size` rows stay.
  OpFoldResult getKeptRows(OpFoldResult size) {
    return getAsOpFoldResult(make<arith::MulIOp>(getPart(size), capacity));
  }
  void shrink(memref::AllocOp buffer);
  Value getShrunken(Value view);
  /// The first row, of one a step, of the steps `first` to `end`.
  Value getFirstRow(TimeOrder order, Value first, Value end) {
    return order == TimeOrder::Forward ? first : make<arith::SubIOp>(steps, end);
  }
  void emitFeeders(Stage &stage, Value first, Value end, Value slot);
  void emitSteps(Stage &stage, Value first, Value end, Value slot);
  void emitChunks(Stage &stage);
  void emitWaves();
  void emitPart(size_t number, Value chunkNumber);
  Value number(int64_t value) { return arith::ConstantIntOp::create(b, loc, value, 64); }
  void call(StringRef name, Value argument) { callRuntime(b, loc, name, Type(), argument); }
  Value getEvent(size_t stage, Value parity);

  RewriterBase &b;
  Chain &chain;
  Location loc;
  /// T, how many steps a chunk has, and a buffer.
  Value steps, chunk, capacity;
  /// Whether feeders run beside the steps of the chunk before.
  bool overlaps;
  /// Views of whole buffers by those of chunks.
  IRMapping shrunken;
};
} // namespace

/// Makes a buffer for a chunk, or two.
void Rewriting::shrink(memref::AllocOp buffer) {
  SmallVector<OpFoldResult> sizes = buffer.getMixedSizes();
  sizes.front() = getKeptRows(sizes.front());
  SmallVector<int64_t> shape;
  SmallVector<Value> dynamic;
  dispatchIndexOpFoldResults(sizes, dynamic, shape);
  MemRefType type = MemRefType::Builder(buffer.getType()).setShape(shape);
  shrunken.map(buffer.getResult(),
               memref::AllocOp::create(b, buffer.getLoc(), type, dynamic, buffer.getAlignmentAttr()).getResult());
}

/// The view of a chunk's buffer in the place of a view of the whole one.
Value Rewriting::getShrunken(Value view) {
  if (Value known = shrunken.lookupOrNull(view))
    return known;
  Operation *op = view.getDefiningOp();
  Value source = getShrunken(op->getOperand(0)), made;
  if (auto slice = dyn_cast<memref::SubViewOp>(op)) {
    SmallVector<OpFoldResult> sizes = slice.getMixedSizes();
    sizes.front() = getKeptRows(sizes.front());
    SmallVector<int64_t> shape(slice.getType().getShape());
    shape.front() = getConstantIntValue(sizes.front()).value_or(ShapedType::kDynamic);
    MemRefType type = memref::SubViewOp::inferRankReducedResultType(
        shape, cast<MemRefType>(source.getType()), slice.getMixedOffsets(), sizes, slice.getMixedStrides());
    made = memref::SubViewOp::create(b, loc, type, source, slice.getMixedOffsets(), sizes, slice.getMixedStrides());
  } else if (auto expansion = dyn_cast<memref::ExpandShapeOp>(op)) {
    SmallVector<OpFoldResult> sizes = expansion.getMixedOutputShape();
    sizes.front() = getKeptRows(sizes.front());
    SmallVector<int64_t> shape;
    SmallVector<Value> dynamic;
    dispatchIndexOpFoldResults(sizes, dynamic, shape);
    SmallVector<ReassociationIndices> groups = expansion.getReassociationIndices();
    FailureOr<MemRefType> type =
        memref::ExpandShapeOp::computeExpandedType(cast<MemRefType>(source.getType()), shape, groups);
    assert(succeeded(type) && "fewer rows are not laid out otherwise");
    made = memref::ExpandShapeOp::create(b, loc, *type, source, groups, sizes);
  } else if (auto collapse = dyn_cast<memref::CollapseShapeOp>(op)) {
    made = memref::CollapseShapeOp::create(b, loc, source, collapse.getReassociationIndices());
  } else {
    // A cast, of what need not have the same static sizes any more.
    made = source;
  }
  shrunken.map(view, made);
  return made;
}

/// What feeds the steps `first` to `end`, into the steps of the buffers from `slot` on.
void Rewriting::emitFeeders(Stage &stage, Value first, Value end, Value slot) {
  Value count = make<arith::SubIOp>(end, first);
  llvm::DenseMap<std::pair<Value, unsigned>, Value> slices;
  for (const Feeder &feeder : stage.feeders) {
    linalg::LinalgOp op = feeder.op;
    Value part = getValueOrCreateConstantIndexOp(b, loc, *getRowsOfStep(op, steps));
    IRMapping mapping;
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isRowOperand(op, operand, feeder.rowLoop))
        continue;
      Value view = operand.get(), firstStep = slot;
      if (stage.owns(view))
        view = getShrunken(view);
      else
        firstStep = getFirstRow(feeder.order, first, end);
      // A fill and the product that follows are to be seen as of the same rows.
      Value &rows = slices[{view, static_cast<unsigned>(feeder.order)}];
      if (!rows)
        rows = sliceRows(b, loc, view, multiply(firstStep, part), multiply(count, part));
      mapping.map(operand.get(), rows);
    }
    b.clone(*op, mapping);
  }
}

/// Steps `first` to `end` of a stage, which read the buffers from step `slot` on.
void Rewriting::emitSteps(Stage &stage, Value first, Value end, Value slot) {
  b.moveOpBefore(stage.work, b.getInsertionBlock(), b.getInsertionPoint());
  // The steps keep their numbers, which tell the slots of the state.
  SmallVector<std::pair<memref::SubViewOp, scf::ForOp>> own;
  for (scf::ForOp loop : stage.loops)
    loop.walk([&](memref::SubViewOp slice) {
      if (stage.owns(slice) && loop.isDefinedOutsideOfLoop(slice.getSource()))
        own.push_back({slice, loop});
    });
  for (auto [slice, loop] : own) {
    Value source = getShrunken(slice.getSource());
    SmallVector<OpFoldResult> offsets = slice.getMixedOffsets();
    bool isForward = isCountOf(loop, offsets.front(), /*reversed=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(stage.work);
    Value before = getFirstRow(isForward ? TimeOrder::Forward : TimeOrder::Backward, first, end);
    before = make<arith::SubIOp>(before, slot);
    b.setInsertionPoint(slice);
    Value row = getValueOrCreateConstantIndexOp(b, loc, offsets.front());
    offsets.front() = getAsOpFoldResult(make<arith::SubIOp>(row, before));
    b.replaceOpWithNewOp<memref::SubViewOp>(slice, slice.getType(), source, offsets, slice.getMixedSizes(),
                                            slice.getMixedStrides());
  }
  for (scf::ForOp loop : stage.loops)
    b.modifyOpInPlace(loop, [&] {
      loop.setLowerBound(first);
      loop.setUpperBound(end);
    });
}

/// Erases a buffer whose views nobody uses, and these.
static void eraseWithViews(RewriterBase &b, Operation *op) {
  for (Operation *view : llvm::make_early_inc_range(op->getUsers()))
    eraseWithViews(b, view);
  b.eraseOp(op);
}

/// The chunks of a single stage, one after the other.
void Rewriting::emitChunks(Stage &stage) {
  auto chunks = scf::ForOp::create(b, loc, index(0), steps, chunk);
  b.setInsertionPointToStart(chunks.getBody());
  Value first = chunks.getInductionVar();
  Value end = make<arith::MinUIOp>(make<arith::AddIOp>(first, chunk), steps);
  emitFeeders(stage, first, end, index(0));
  emitSteps(stage, first, end, index(0));
}

/// The number of the event that stands for a chunk of a stage: where projections overlap, that
/// of the chunk before has to be told from that of the chunk before that.
Value Rewriting::getEvent(size_t stage, Value parity) {
  if (!overlaps)
    return number(stage);
  Value odd = arith::IndexCastOp::create(b, loc, b.getI64Type(), parity);
  return arith::AddIOp::create(b, loc, number(2 * stage), odd);
}

/// A chunk of a stage, on its branches.
void Rewriting::emitPart(size_t i, Value own) {
  SmallVector<Stage> &stages = chain.stages;
  Stage &stage = stages[i];
  Value parity = overlaps ? make<arith::AndIOp>(own, index(1)) : index(0);
  bool isAhead = overlaps && !stage.feeders.empty();
  call("lstmCudaSetBranch", number(isAhead ? stages.size() + i : i));
  if (i != 0)
    call("lstmCudaWaitFor", getEvent(i - 1, parity));
  if (isAhead) {
    // The slot has to be free again.
    Value isUsed = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, own, index(2));
    auto branch = scf::IfOp::create(b, loc, isUsed, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    call("lstmCudaWaitFor", getEvent(i, parity));
  }
  Value first = make<arith::MulIOp>(own, chunk);
  Value end = make<arith::MinUIOp>(make<arith::AddIOp>(first, chunk), steps);
  Value slot = multiply(parity, chunk);
  emitFeeders(stage, first, end, slot);
  if (isAhead) {
    Value filled = number(2 * stages.size() + i);
    call("lstmCudaRecord", filled);
    call("lstmCudaSetBranch", number(i));
    call("lstmCudaWaitFor", filled);
  }
  emitSteps(stage, first, end, slot);
  if (i + 1 != stages.size() || isAhead)
    call("lstmCudaRecord", getEvent(i, parity));
}

void Rewriting::emitWaves() {
  SmallVector<Stage> &stages = chain.stages;
  Value chunks = make<arith::CeilDivUIOp>(steps, chunk);
  Value waves = make<arith::AddIOp>(chunks, index(stages.size() - 1));

  // One operation, so that all buffers in it are in use together.
  auto region = scf::ExecuteRegionOp::create(b, loc, TypeRange());
  b.createBlock(&region.getRegion());
  auto wave = scf::ForOp::create(b, loc, index(0), waves, index(1));
  callRuntime(b, loc, "lstmCudaJoin", Type(), {});
  scf::YieldOp::create(b, loc);
  b.setInsertionPointToStart(wave.getBody());
  for (size_t i = stages.size(); i-- > 0;) {
    // Without a sign what is less than 0 is more than all.
    Value own = make<arith::SubIOp>(wave.getInductionVar(), index(i));
    Value runs = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, own, chunks);
    auto branch = scf::IfOp::create(b, loc, runs, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    emitPart(i, own);
  }
}

/// How many steps a chunk has, if there are at least `numChunks`, each as small as `least` allows.
/// Divides by constants alone: sizes of buffers, which depend on it, can be computed anywhere.
Value Rewriting::getChunk(int64_t numChunks, Value rowsOfStep, ChunkSize least) {
  Value size = make<arith::MaxUIOp>(make<arith::CeilDivUIOp>(steps, index(numChunks)), index(1));
  for (int64_t i = 1; i <= 10; ++i) {
    Value half = make<arith::CeilDivUIOp>(steps, index(numChunks << i));
    auto isAtLeast = [&](Value value, int64_t bound) {
      return b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::uge, value, index(bound));
    };
    Value isEnough = make<arith::AndIOp>(isAtLeast(half, least.steps),
                                         isAtLeast(make<arith::MulIOp>(half, rowsOfStep), least.rows));
    size = b.createOrFold<arith::SelectOp>(loc, isEnough, half, size);
  }
  return size;
}

/// What a chunk of one step takes of the device's cache, and what all chunks read: weights.
std::pair<Value, int64_t> Rewriting::getFootprint(Stage &stage) {
  Value ofStep = index(0);
  for (memref::AllocOp buffer : stage.buffers) {
    Value rows = getPart(buffer.getMixedSizes().front());
    SmallVector<int64_t> shape(buffer.getType().getShape());
    shape.front() = 1;
    MemRefType row = MemRefType::Builder(buffer.getType()).setShape(shape);
    ofStep = make<arith::AddIOp>(ofStep, make<arith::MulIOp>(rows, index(getKnownByteSize(row))));
  }
  int64_t ofAll = 0;
  for (auto &[root, access] : stage.accesses)
    if (access.order == TimeOrder::Any && !access.isWritten)
      ofAll += getKnownByteSize(cast<MemRefType>(root.getType()));
  return {ofStep, ofAll};
}

void Rewriting::chooseChunk(int64_t numChunks, ChunkSize least, int64_t cacheBytes) {
  Stage &stage = chain.stages.front();
  Value rows = getStepRows(stage);
  chunk = getChunk(numChunks, rows, least);
  if (chain.stages.size() > 1)
    return;
  // Small chunks cost a little. What is gained by reading from the cache, and without that
  // memory, is worth it; that memory alone is worth a few.
  auto [ofStep, ofAll] = getFootprint(stage);
  Value held = overlaps ? make<arith::AddIOp>(chunk, chunk) : chunk;
  Value bytes = make<arith::AddIOp>(make<arith::MulIOp>(held, ofStep), index(ofAll));
  Value fits = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ule, bytes, index(cacheBytes));
  Value large = getChunk(numChunks, rows, {4 * least.steps, 4 * least.rows});
  chunk = b.createOrFold<arith::SelectOp>(loc, fits, chunk, large);
}

/// Where a kernel runs, of up to `kernelRows` rows, a chunk is what one launch does.
void Rewriting::chooseKernelChunk(int64_t kernelRows) {
  Value launch = make<arith::MaxUIOp>(make<arith::MinUIOp>(steps, index(KernelLayout::kLaunchSteps)), index(1));
  Value hasKernel = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ule, getStepRows(chain.stages.front()),
                                                  index(kernelRows));
  chunk = b.createOrFold<arith::SelectOp>(loc, hasKernel, launch, chunk);
}

void Rewriting::run(int64_t numChunks, ChunkSize least, int64_t cacheBytes, std::optional<int64_t> kernelRows) {
  SmallVector<Stage> &stages = chain.stages;
  Operation *last = stages.back().work;
  for (Operation *op : llvm::reverse(chain.later))
    b.moveOpAfter(op, last);

  b.setInsertionPoint(last);
  chooseChunk(numChunks, least, cacheBytes);
  if (kernelRows)
    chooseKernelChunk(*kernelRows);
  capacity = overlaps ? make<arith::MinUIOp>(make<arith::AddIOp>(chunk, chunk), steps) : chunk;
  for (Stage &stage : stages) {
    for (memref::AllocOp buffer : stage.buffers)
      shrink(buffer);
    // Views too, before the waves.
    for (Operation &op : *last->getBlock())
      if (auto view = dyn_cast<ViewLikeOpInterface>(op); view && stage.owns(view->getResult(0)))
        getShrunken(view->getResult(0));
  }
  if (stages.size() == 1 && !overlaps)
    emitChunks(stages.front());
  else
    emitWaves();
  for (Stage &stage : stages) {
    for (const Feeder &feeder : stage.feeders)
      b.eraseOp(feeder.op);
    for (memref::AllocOp buffer : stage.buffers)
      eraseWithViews(b, buffer);
  }
}

/// Up to how many rows one of the stage's loops becomes a kernel; 0 if none does. None if a plan cannot
/// be read, which has been reported.
static std::optional<int64_t> getKernelRows(const Stage &stage) {
  int64_t rows = 0;
  for (scf::ForOp loop : stage.loops) {
    if (!loop->hasAttr(kKernelAttrName))
      continue;
    FailureOr<SmallVector<PlannedRows>> planned = getPlans(loop);
    if (failed(planned))
      return std::nullopt;
    for (const PlannedRows &part : *planned)
      if (part.plan)
        rows = std::max(rows, part.maxRows);
  }
  return rows;
}

namespace {
struct LSTMWavefrontPass : public lstm::impl::LSTMWavefrontPassBase<LSTMWavefrontPass> {
  using Base::Base;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    WalkResult walk = getOperation().walk([&](FunctionOpInterface function) {
      if (function.isExternal())
        return WalkResult::advance();
      resolveSizes(rewriter, function);
      DominanceInfo dominance(function);
      eliminateCommonSubExpressions(rewriter, dominance, function);
      Block &block = function.getFunctionBody().front();
      if (kernels)
        return WalkResult(chunkKernels(rewriter, block));
      for (Chain &chain : findChains(block)) {
        int64_t numStages = chain.stages.size();
        if (numStages > 1)
          remark::passed(chain.stages.front().work->getLoc(),
                         remark::RemarkOpts::name("Wavefront").category(getArgument()))
              << std::to_string(numStages) + " loops run side by side, a few steps apart";
        ++(numStages > 1 ? numWavefronts : numChunked);
        rewrite(rewriter, chain, std::nullopt);
      }
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }

private:
  void rewrite(RewriterBase &rewriter, Chain &chain, std::optional<int64_t> kernelRows) {
    bool overlaps = mayOverlap(chain);
    if (overlaps) {
      ++numOverlapped;
      remark::passed(chain.stages.front().work->getLoc(),
                     remark::RemarkOpts::name("Overlap").category(getArgument()))
          << "projections run beside the steps of the chunk before";
    }
    Rewriting(rewriter, chain, overlaps)
        .run(chain.stages.size() > 1 ? chunks : 1, {steps, rows}, cacheBytes, kernelRows);
  }
  bool mayOverlap(const Chain &chain);
  LogicalResult chunkKernels(RewriterBase &rewriter, Block &block);
  /// Chains of which there is something to do.
  std::vector<Chain> findChains(Block &block);
};
} // namespace

bool LSTMWavefrontPass::mayOverlap(const Chain &chain) {
  // Branches do not nest: loops of independent parts have theirs, or get them by lstm-branch-loops.
  return overlapProjections &&
         llvm::any_of(chain.stages, [](const Stage &stage) { return !stage.feeders.empty(); }) &&
         (chain.stages.size() > 1 ||
          (!chain.stages.front().isRegion() && !hasIndependentParts(chain.stages.front().loops.front())));
}

/// Loops that become kernels run one after the other: each fills the device.
LogicalResult LSTMWavefrontPass::chunkKernels(RewriterBase &rewriter, Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    std::optional<Stage> stage = getStage(&op);
    if (!stage || stage->feeders.empty())
      continue;
    std::optional<int64_t> kernelRows = getKernelRows(*stage);
    if (!kernelRows)
      return failure();
    Chain chain;
    // Already one launch, whatever the number of rows.
    std::optional<int64_t> known = getConstantIntValue(stage->getSteps());
    bool isLaunch = known && *known <= KernelLayout::kLaunchSteps && *kernelRows == std::numeric_limits<int64_t>::max();
    if (*kernelRows == 0 || isLaunch || chain.add(*stage).data())
      continue;
    rewrite(rewriter, chain, kernelRows);
    ++numChunked;
  }
  return success();
}

std::vector<Chain> LSTMWavefrontPass::findChains(Block &block) {
  std::vector<Chain> chains(1);
  for (Operation &op : block) {
    if (getTimeLoops(&op).empty())
      continue;
    StringRef reason = "its steps access memory that is not known, or too much of it";
    std::optional<Stage> stage = getStage(&op);
    if (stage && (chains.back().stages.empty() || chunks > 1))
      reason = chains.back().add(*stage);
    if (!reason.data())
      continue;
    if (!chains.back().stages.empty()) {
      remark::missed(op.getLoc(), remark::RemarkOpts::name("NoWavefront").category(getArgument()))
          << "the loop waits for the whole of the one before it: " + reason.str();
      chains.emplace_back();
    }
    if (stage && chains.back().add(*stage).data())
      chains.back() = {};
  }
  std::vector<Chain> useful;
  for (Chain &chain : chains)
    if (chain.stages.size() > 1 || (chain.stages.size() == 1 && !chain.stages.front().feeders.empty()))
      useful.push_back(std::move(chain));
  return useful;
}
