//===- PlanMemory.cpp - One allocation for all buffers ---------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/Conversion/PlanMemory.h"
#include "lstm/Conversion/Passes.h"

#include "ByteSize.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::lstm {
#define GEN_PASS_DEF_LSTMPLANMEMORYPASS
#include "lstm/Conversion/Passes.h.inc"
} // namespace mlir::lstm

using namespace mlir;
using namespace mlir::lstm;

/// The alignment of each place, in bytes: what device memory is allocated with.
static constexpr int64_t kAlignment = 256;

void lstm::resolveSizes(RewriterBase &rewriter, FunctionOpInterface function) {
  SmallVector<memref::DimOp> dims;
  function.walk([&](memref::DimOp dim) { dims.push_back(dim); });
  for (memref::DimOp dim : dims) {
    std::optional<int64_t> index = dim.getConstantIndex();
    Operation *shape = dim.getSource().getDefiningOp();
    if (!index || !shape)
      continue;
    Location loc = dim.getLoc();
    rewriter.setInsertionPoint(dim);
    if (auto collapse = dyn_cast<memref::CollapseShapeOp>(shape)) {
      Value product = arith::ConstantIndexOp::create(rewriter, loc, 1);
      for (int64_t i : collapse.getReassociationIndices()[*index]) {
        Value size = rewriter.createOrFold<memref::DimOp>(loc, collapse.getSrc(), i);
        product = rewriter.createOrFold<arith::MulIOp>(loc, product, size);
      }
      rewriter.replaceOp(dim, product);
    } else if (auto expand = dyn_cast<memref::ExpandShapeOp>(shape)) {
      OpFoldResult size = expand.getMixedOutputShape()[*index];
      rewriter.replaceOp(dim, getValueOrCreateConstantIndexOp(rewriter, loc, size));
    }
  }
}

namespace {
struct Buffer {
  memref::AllocOp alloc;
  /// Numbers of the first and the last operation of the entry block that use it.
  unsigned first, last;
};

/// What buffers share that are not in use at the same time.
struct Place {
  SmallVector<Buffer> buffers;
};

class Planner {
public:
  Planner(RewriterBase &rewriter, FunctionOpInterface function)
      : rewriter(rewriter), function(function), entry(&function.getFunctionBody().front()) {}

  MemoryPlan run();

private:
  void hoistNested(const BufferViewFlowAnalysis &aliases);
  bool findUses(Buffer &buffer, const BufferViewFlowAnalysis &aliases);
  bool hoistSizes(memref::AllocOp alloc);
  void assignPlaces();
  void rewrite(MemoryPlan &plan);

  RewriterBase &rewriter;
  FunctionOpInterface function;
  Block *entry;
  /// Where sizes are computed: everything before depends on the arguments alone.
  Operation *sizesEnd = nullptr;
  llvm::DenseMap<Operation *, unsigned> numbers;
  SmallVector<Buffer> buffers;
  SmallVector<Place> places;
};
} // namespace

/// Fills in when the buffer is used. False if it leaves the function, is used in another of
/// its blocks, or not at all.
bool Planner::findUses(Buffer &buffer, const BufferViewFlowAnalysis &aliases) {
  buffer.first = std::numeric_limits<unsigned>::max();
  buffer.last = 0;
  for (Value alias : aliases.resolve(buffer.alloc.getResult()))
    for (Operation *user : alias.getUsers()) {
      if (user->hasTrait<OpTrait::IsTerminator>() && user->getParentOp() == function)
        return false;
      Operation *ancestor = entry->findAncestorOpInBlock(*user);
      if (!ancestor)
        return false;
      buffer.first = std::min(buffer.first, numbers[ancestor]);
      buffer.last = std::max(buffer.last, numbers[ancestor]);
    }
  return buffer.first <= buffer.last;
}

/// Moves buffers of branches and loops, which do not leave them, to the entry block.
void Planner::hoistNested(const BufferViewFlowAnalysis &aliases) {
  SmallVector<memref::AllocOp> nested;
  function.walk([&](memref::AllocOp alloc) {
    if (alloc->getBlock() != entry)
      nested.push_back(alloc);
  });
  for (memref::AllocOp alloc : nested) {
    Operation *ancestor = entry->findAncestorOpInBlock(*alloc);
    bool leaves = llvm::any_of(aliases.resolve(alloc.getResult()), [](Value alias) {
      return llvm::any_of(alias.getUsers(), [](Operation *user) {
        return user->hasTrait<OpTrait::IsTerminator>() || isa<memref::DeallocOp>(user);
      });
    });
    if (!ancestor || leaves)
      continue;
    // What the sizes are computed from goes first.
    BackwardSliceOptions options;
    options.inclusive = true;
    options.omitBlockArguments = true;
    options.filter = [&](Operation *op) { return ancestor->isProperAncestor(op); };
    llvm::SetVector<Operation *> slice;
    bool isKnown = true;
    for (Value size : alloc.getDynamicSizes())
      if (size.getDefiningOp() && ancestor->isProperAncestor(size.getDefiningOp()))
        isKnown &= succeeded(getBackwardSlice(size, &slice, options));
    auto isAbove = [&](Value value) {
      Operation *owner = value.getDefiningOp();
      owner = owner ? owner : cast<BlockArgument>(value).getOwner()->getParentOp();
      return !ancestor->isAncestor(owner) || slice.contains(value.getDefiningOp());
    };
    for (Operation *op : slice)
      isKnown &= isPure(op) && op->getNumRegions() == 0 && llvm::all_of(op->getOperands(), isAbove);
    if (!isKnown || !llvm::all_of(alloc->getOperands(), isAbove))
      continue;
    for (Operation *op : slice)
      rewriter.moveOpBefore(op, ancestor);
    rewriter.moveOpBefore(alloc, ancestor);
  }
}

/// Moves what the sizes are computed from to the beginning of the function. False if
/// they depend on memory.
bool Planner::hoistSizes(memref::AllocOp alloc) {
  llvm::SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitUsesFromAbove = false;
  options.omitBlockArguments = true;
  for (Value size : alloc.getDynamicSizes())
    if (size.getDefiningOp() && failed(getBackwardSlice(size, &slice, options)))
      return false;
  for (Operation *op : slice)
    if (op->getBlock() != entry || !isPure(op) || op->getNumRegions() != 0)
      return false;
  SmallVector<Operation *> ordered(slice.begin(), slice.end());
  llvm::sort(ordered, [](Operation *l, Operation *r) { return l->isBeforeInBlock(r); });
  for (Operation *op : ordered) {
    if (sizesEnd && (op == sizesEnd || op->isBeforeInBlock(sizesEnd)))
      continue;
    if (sizesEnd)
      rewriter.moveOpAfter(op, sizesEnd);
    else
      rewriter.moveOpBefore(op, entry, entry->begin());
    sizesEnd = op;
  }
  return true;
}

/// Each buffer, the largest first, takes a place that is free while it is in use, one with buffers of its own
/// size if there is one. A size that is not known counts as 1.
void Planner::assignPlaces() {
  auto getBytes = [](const Buffer &buffer) {
    memref::AllocOp alloc = buffer.alloc;
    return getKnownByteSize(alloc.getType());
  };
  llvm::stable_sort(buffers, [](const Buffer &l, const Buffer &r) { return l.first < r.first; });
  llvm::stable_sort(buffers, [&](const Buffer &l, const Buffer &r) { return getBytes(l) > getBytes(r); });
  auto hasSizeOf = [](memref::AllocOp l, memref::AllocOp r) {
    return l.getDynamicSizes() == r.getDynamicSizes() && l.getType() == r.getType();
  };
  for (const Buffer &buffer : buffers) {
    Place *best = nullptr;
    for (Place &place : places) {
      bool isTaken = llvm::any_of(place.buffers, [&](const Buffer &other) {
        return other.first <= buffer.last && buffer.first <= other.last;
      });
      if (isTaken)
        continue;
      bool same = llvm::any_of(place.buffers, [&](const Buffer &other) {
        return hasSizeOf(other.alloc, buffer.alloc);
      });
      if (!best || same)
        best = &place;
      if (same)
        break;
    }
    if (!best)
      best = &places.emplace_back();
    best->buffers.push_back(buffer);
  }
}

void Planner::rewrite(MemoryPlan &plan) {
  Location loc = function.getLoc();
  if (sizesEnd)
    rewriter.setInsertionPointAfter(sizesEnd);
  else
    rewriter.setInsertionPointToStart(entry);
  Value alignment = arith::ConstantIndexOp::create(rewriter, loc, kAlignment);
  Value total = arith::ConstantIndexOp::create(rewriter, loc, 0);
  SmallVector<Value> offsets;
  for (const Place &place : places) {
    Value bytes;
    int64_t largest = 0;
    for (const Buffer &buffer : place.buffers) {
      memref::AllocOp alloc = buffer.alloc;
      Value own = getByteSize(rewriter, loc, alloc.getType(), alloc.getDynamicSizes());
      bytes = bytes ? rewriter.createOrFold<arith::MaxUIOp>(loc, bytes, own) : own;
      int64_t known = getKnownByteSize(alloc.getType());
      plan.naiveBytes += known;
      largest = std::max(largest, known);
      plan.isStatic &= alloc.getType().hasStaticShape();
      ++plan.numBuffers;
    }
    plan.peakBytes += llvm::alignTo(largest, kAlignment);
    offsets.push_back(total);
    bytes = rewriter.createOrFold<arith::MulIOp>(
        loc, rewriter.createOrFold<arith::CeilDivUIOp>(loc, bytes, alignment), alignment);
    total = rewriter.createOrFold<arith::AddIOp>(loc, total, bytes);
  }
  plan.numPlaces = places.size();

  // Canonicalization replaces an allocation of constant size, and with it the attribute.
  std::optional<int64_t> known = getConstantIntValue(total);
  auto type = MemRefType::get(known.value_or(ShapedType::kDynamic), rewriter.getI8Type());
  auto arena = memref::AllocOp::create(rewriter, loc, type, known ? ValueRange() : ValueRange(total),
                                       rewriter.getI64IntegerAttr(kAlignment));
  arena->setAttr("lstm.arena", rewriter.getUnitAttr());
  for (auto [place, offset] : llvm::zip_equal(places, offsets))
    for (const Buffer &buffer : place.buffers) {
      memref::AllocOp alloc = buffer.alloc;
      rewriter.replaceOp(alloc, memref::ViewOp::create(rewriter, alloc.getLoc(), alloc.getType(), arena,
                                                       offset, alloc.getDynamicSizes()));
    }
}

MemoryPlan Planner::run() {
  MemoryPlan plan;
  OpBuilder::InsertionGuard guard(rewriter);
  resolveSizes(rewriter, function);
  BufferViewFlowAnalysis aliases(function);
  hoistNested(aliases);
  unsigned number = 0;
  for (Operation &op : *entry)
    numbers[&op] = number++;
  for (auto alloc : entry->getOps<memref::AllocOp>()) {
    Buffer buffer{alloc, 0, 0};
    if (alloc.getType().getLayout().isIdentity() && alloc.getSymbolOperands().empty() &&
        !alloc.getType().getMemorySpace() && alloc.getAlignment().value_or(1) <= kAlignment &&
        findUses(buffer, aliases))
      buffers.push_back(buffer);
  }
  llvm::erase_if(buffers, [&](const Buffer &buffer) { return !hoistSizes(buffer.alloc); });
  if (buffers.empty())
    return plan;
  assignPlaces();
  rewrite(plan);
  return plan;
}

MemoryPlan lstm::planMemory(RewriterBase &rewriter, FunctionOpInterface function) {
  if (function.isExternal())
    return {};
  return Planner(rewriter, function).run();
}

namespace {
struct LSTMPlanMemoryPass : public lstm::impl::LSTMPlanMemoryPassBase<LSTMPlanMemoryPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    FunctionOpInterface function = getOperation();
    MemoryPlan plan = planMemory(rewriter, function);
    if (plan.numBuffers == 0)
      return;
    numBuffers += plan.numBuffers;
    numPlaces += plan.numPlaces;
    std::string text = llvm::formatv(
        "{0} buffers in {1} places; peak {2} bytes, naive {3} bytes{4}", plan.numBuffers,
        plan.numPlaces, plan.peakBytes, plan.naiveBytes,
        plan.isStatic ? "" : " (a size that is not known counted as 1)");
    remark::passed(function.getLoc(), remark::RemarkOpts::name("MemoryPlan").category(getArgument()))
        << text;
  }
};
} // namespace
