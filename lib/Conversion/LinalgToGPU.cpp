//===- LinalgToGPU.cpp - Operations on memrefs to kernels ------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/Conversion/LinalgToGPU.h"
#include "lstm/Conversion/Passes.h"

#include "KernelBuilder.h"

#include "lstm/Dialect/LSTM/IR/LSTM.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::lstm {
#define GEN_PASS_DEF_CONVERTLINALGTOGPUPASS
#include "lstm/Conversion/Passes.h.inc"
} // namespace mlir::lstm

using namespace mlir;
using namespace mlir::lstm;

namespace {
/// The kernel of one operation.
class LinalgKernel {
public:
  LinalgKernel(RewriterBase &rewriter, linalg::LinalgOp op)
      : rewriter(rewriter), op(op), loc(op.getLoc()) {
    for (auto [i, kind] : llvm::enumerate(op.getIteratorTypesArray()))
      (kind == utils::IteratorType::parallel ? parallel : reduction).push_back(i);
  }

  LogicalResult emit();

private:
  bool reducesInPlace();
  bool matchCombiners();
  void emitPoint();
  void emitSerialReduction();
  SmallVector<Value> emitStrided(Value begin, Value end, int64_t stride, int64_t parts, ValueRange accumulators);
  void emitWarpReduction();

  /// The operand's indices in the current iteration.
  SmallVector<Value> getIndices(OpOperand &operand);
  Value load(OpOperand &operand);
  /// What an iteration yields when the outputs hold `accumulators`.
  SmallVector<Value> emitBody(ValueRange accumulators);
  SmallVector<Value> loadOutputs();
  void storeOutputs(ValueRange values);
  Value shuffle(Value value, Value distance);
  Value combine(size_t output, Value l, Value r);

  RewriterBase &rewriter;
  linalg::LinalgOp op;
  Location loc;
  SmallVector<unsigned> parallel, reduction;
  SmallVector<OpFoldResult> ranges;
  SmallVector<Operation *> combiners;
  KernelBuilder *kernel = nullptr;
  SmallVector<Value> ivs;
};
} // namespace

SmallVector<Value> LinalgKernel::getIndices(OpOperand &operand) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  SmallVector<Value> indices;
  for (AffineExpr expr : map.getResults()) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      indices.push_back(ivs[dim.getPosition()]);
      continue;
    }
    AffineMap single = AffineMap::get(map.getNumDims(), 0, expr);
    indices.push_back(affine::AffineApplyOp::create(rewriter, loc, single, ivs));
  }
  return indices;
}

Value LinalgKernel::load(OpOperand &operand) {
  if (op.isScalar(&operand))
    return operand.get();
  return kernel->load(operand.get(), getIndices(operand));
}

SmallVector<Value> LinalgKernel::loadOutputs() {
  SmallVector<Value> values;
  for (OpOperand &output : op.getDpsInitsMutable()) {
    // Nothing where what stands there does not matter.
    bool isRead = op.payloadUsesValueFromOperand(&output);
    values.push_back(isRead ? load(output) : Value());
  }
  return values;
}

void LinalgKernel::storeOutputs(ValueRange values) {
  for (auto [output, value] : llvm::zip_equal(op.getDpsInitsMutable(), values))
    kernel->store(value, output.get(), getIndices(output));
}

SmallVector<Value> LinalgKernel::emitBody(ValueRange accumulators) {
  Block *body = op.getBlock();
  IRMapping mapping;
  for (OpOperand *input : op.getDpsInputOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(input);
    if (!argument.use_empty())
      mapping.map(argument, load(*input));
  }
  for (auto [output, value] : llvm::zip_equal(op.getDpsInitsMutable(), accumulators))
    if (value)
      mapping.map(op.getMatchingBlockArgument(&output), value);
  for (Operation &inner : body->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      mapping.map(index.getResult(), ivs[index.getDim()]);
      continue;
    }
    Operation *copy = rewriter.clone(inner, mapping);
    copy->walk([&](linalg::IndexOp index) { rewriter.replaceOp(index, ivs[index.getDim()]); });
  }
  SmallVector<Value> results;
  for (Value value : body->getTerminator()->getOperands())
    results.push_back(mapping.lookupOrDefault(value));
  return results;
}

void LinalgKernel::emitPoint() { storeOutputs(emitBody(loadOutputs())); }

/// Whether the place of each output stays the same in the loops of the reduction, so that
/// it can be kept in a register.
bool LinalgKernel::reducesInPlace() {
  return llvm::none_of(op.getDpsInitsMutable(), [&](OpOperand &output) {
    AffineMap map = op.getMatchingIndexingMap(&output);
    return llvm::any_of(reduction, [&](unsigned dim) { return map.isFunctionOfDim(dim); });
  });
}

void LinalgKernel::emitSerialReduction() {
  bool inPlace = reducesInPlace();
  SmallVector<Value> initial;
  if (inPlace)
    for (OpOperand &output : op.getDpsInitsMutable())
      initial.push_back(load(output));
  OpBuilder::InsertionGuard guard(rewriter);
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  SmallVector<scf::ForOp> loops;
  ValueRange carried = initial;
  for (unsigned dim : reduction) {
    auto loop = scf::ForOp::create(rewriter, loc, zero, kernel->getIndex(ranges[dim]), one, carried);
    if (!loops.empty() && inPlace)
      scf::YieldOp::create(rewriter, loc, loop.getResults());
    loops.push_back(loop);
    ivs[dim] = loop.getInductionVar();
    carried = loop.getRegionIterArgs();
    rewriter.setInsertionPointToStart(loop.getBody());
  }
  if (!inPlace)
    return emitPoint();
  SmallVector<Value> results = emitBody(carried);
  scf::YieldOp::create(rewriter, loc, results);
  rewriter.setInsertionPointAfter(loops.front());
  storeOutputs(loops.front().getResults());
}

/// Whether the parts of a reduction can be combined in any order: one combining
/// operation, with a neutral element, for each output.
bool LinalgKernel::matchCombiners() {
  for (size_t i = 0, e = op.getNumDpsInits(); i < e; ++i) {
    SmallVector<Operation *> chain;
    SmallVector<BlockArgument> arguments(op.getRegionOutputArgs());
    if (!matchReduction(arguments, i, chain) || chain.size() != 1 ||
        !arith::getNeutralElement(chain.front()))
      return false;
    combiners.push_back(chain.front());
  }
  return true;
}

Value LinalgKernel::combine(size_t output, Value l, Value r) {
  Operation *combiner = combiners[output];
  OperationState state(loc, combiner->getName(), ValueRange{l, r}, combiner->getResultTypes(),
                       combiner->getAttrs());
  return rewriter.create(state)->getResult(0);
}

/// The value of the lane whose number differs in the bits of `distance`. A shuffle moves
/// 32 bits.
Value LinalgKernel::shuffle(Value value, Value distance) {
  Type type = value.getType(), i32 = rewriter.getI32Type();
  if (type.isIndex()) {
    Value word = arith::IndexCastOp::create(rewriter, loc, rewriter.getI64Type(), value);
    return arith::IndexCastOp::create(rewriter, loc, type, shuffle(word, distance));
  }
  unsigned width = type.getIntOrFloatBitWidth();
  Type integer = rewriter.getIntegerType(width);
  Value bits = type == integer ? value
                               : Value(arith::BitcastOp::create(rewriter, loc, integer, value));
  auto exchange = [&](Value word) -> Value {
    Value lanes = arith::ConstantIntOp::create(rewriter, loc, KernelBuilder::kWarpSize, 32);
    return gpu::ShuffleOp::create(rewriter, loc, word, distance, lanes, gpu::ShuffleMode::XOR)
        .getShuffleResult();
  };
  if (width < 32) {
    bits = exchange(arith::ExtUIOp::create(rewriter, loc, i32, bits));
    bits = arith::TruncIOp::create(rewriter, loc, integer, bits);
  } else if (width == 32) {
    bits = exchange(bits);
  } else {
    Value half = arith::ConstantIntOp::create(rewriter, loc, 32, 64);
    Value low = exchange(arith::TruncIOp::create(rewriter, loc, i32, bits));
    Value high = exchange(arith::TruncIOp::create(
        rewriter, loc, i32, arith::ShRUIOp::create(rewriter, loc, bits, half)));
    low = arith::ExtUIOp::create(rewriter, loc, integer, low);
    high = arith::ExtUIOp::create(rewriter, loc, integer, high);
    bits = arith::OrIOp::create(rewriter, loc, low,
                                arith::ShLIOp::create(rewriter, loc, high, half));
  }
  return type == integer ? bits : Value(arith::BitcastOp::create(rewriter, loc, type, bits));
}

/// What iterations `begin`, `begin + parts * stride`, ... below `end`, and of each the parts, `stride` behind each
/// other, make of accumulators, [part][output].
SmallVector<Value> LinalgKernel::emitStrided(Value begin, Value end, int64_t stride, int64_t parts,
                                             ValueRange accumulators) {
  Value step = arith::ConstantIndexOp::create(rewriter, loc, parts * stride);
  auto loop = scf::ForOp::create(rewriter, loc, begin, end, step, accumulators);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(loop.getBody());
  size_t outputs = accumulators.size() / parts;
  SmallVector<Value> results;
  for (int64_t part = 0; part < parts; ++part) {
    Value rest = arith::AddIOp::create(rewriter, loc, loop.getInductionVar(),
                                       arith::ConstantIndexOp::create(rewriter, loc, part * stride));
    for (unsigned dim : llvm::reverse(reduction)) {
      if (dim == reduction.front()) {
        ivs[dim] = rest;
        break;
      }
      Value size = kernel->getIndex(ranges[dim]);
      ivs[dim] = arith::RemUIOp::create(rewriter, loc, rest, size);
      rest = arith::DivUIOp::create(rewriter, loc, rest, size);
    }
    results.append(emitBody(ValueRange(loop.getRegionIterArgs()).slice(part * outputs, outputs)));
  }
  scf::YieldOp::create(rewriter, loc, results);
  return llvm::to_vector(ValueRange(loop.getResults()));
}

void LinalgKernel::emitWarpReduction() {
  SmallVector<Value> neutral;
  for (Operation *combiner : combiners)
    neutral.push_back(
        arith::ConstantOp::create(rewriter, loc, *arith::getNeutralElement(combiner)));
  Value total = arith::ConstantIndexOp::create(rewriter, loc, 1);
  for (unsigned dim : reduction)
    total = rewriter.createOrFold<arith::MulIOp>(loc, total, kernel->getIndex(ranges[dim]));
  // A lane has some parts under way at the same time, so that it need not wait for each load; then what is left.
  constexpr int64_t kParts = 4, kStride = KernelBuilder::kWarpSize;
  auto index = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(rewriter, loc, value); };
  Value rest = index((kParts - 1) * kStride), most = arith::MaxUIOp::create(rewriter, loc, total, rest);
  Value end = arith::SubIOp::create(rewriter, loc, most, rest), lane = kernel->getLane();
  Value begin = arith::MinUIOp::create(rewriter, loc, lane, end);
  Value count = arith::SubIOp::create(rewriter, loc, end, begin);
  count = arith::CeilDivUIOp::create(rewriter, loc, count, index(kParts * kStride));
  Value next = arith::AddIOp::create(rewriter, loc, lane,
                                     arith::MulIOp::create(rewriter, loc, count, index(kParts * kStride)));
  SmallVector<Value> values;
  for (int64_t part = 0; part < kParts; ++part)
    values.append(neutral);
  values = emitStrided(lane, end, kStride, kParts, values);
  for (size_t i = neutral.size(); i < values.size(); ++i)
    values[i % neutral.size()] = combine(i % neutral.size(), values[i % neutral.size()], values[i]);
  values.resize(neutral.size());
  values = emitStrided(next, total, kStride, 1, values);
  for (int32_t distance = KernelBuilder::kWarpSize / 2; distance > 0; distance /= 2) {
    Value bits = arith::ConstantIntOp::create(rewriter, loc, distance, 32);
    for (auto [i, value] : llvm::enumerate(values))
      value = combine(i, value, shuffle(value, bits));
  }
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  Value isFirst = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq,
                                        kernel->getLane(), zero);
  auto branch = scf::IfOp::create(rewriter, loc, isFirst, /*withElseRegion=*/false);
  rewriter.setInsertionPointToStart(branch.thenBlock());
  for (auto [i, output] : llvm::enumerate(op.getDpsInitsMutable()))
    values[i] = combine(i, load(output), values[i]);
  storeOutputs(values);
  rewriter.setInsertionPointAfter(branch);
}

LogicalResult LinalgKernel::emit() {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  for (Range range : op.createLoopRanges(rewriter, loc))
    ranges.push_back(range.size);
  SmallVector<OpFoldResult> points;
  for (unsigned dim : parallel)
    points.push_back(ranges[dim]);
  bool warps = !reduction.empty() && reducesInPlace() && matchCombiners();
  KernelBuilder builder(rewriter, loc, points, warps ? KernelBuilder::kWarpSize : 1);
  kernel = &builder;
  ivs.resize(ranges.size());
  for (auto [dim, iv] : llvm::zip_equal(parallel, builder.getPoint()))
    ivs[dim] = iv;
  if (reduction.empty())
    emitPoint();
  else if (warps)
    emitWarpReduction();
  else
    emitSerialReduction();
  if (failed(builder.finish()))
    return failure();
  rewriter.eraseOp(op);
  return success();
}

LogicalResult lstm::convertLinalgToGPU(RewriterBase &rewriter, linalg::LinalgOp op) {
  if (!op.hasPureBufferSemantics())
    return op.emitOpError("expects memrefs where it is to become a kernel");
  return LinalgKernel(rewriter, op).emit();
}

LogicalResult lstm::convertCheckLoopToGPU(RewriterBase &rewriter, scf::ForOp loop) {
  bool checks = false;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (isa<CheckOp>(op))
      checks = true;
    else if (!isa<memref::LoadOp>(op) && !(isPure(&op) && op.getNumRegions() == 0))
      return failure();
    // What is read has to be there before the loop.
    if (llvm::any_of(op.getResultTypes(), llvm::IsaPred<BaseMemRefType>))
      return failure();
  }
  auto isMemRef = [](Value value) { return isa<BaseMemRefType>(value.getType()); };
  for (Operation &op : loop.getBody()->without_terminator())
    if (!isa<memref::LoadOp>(op) && llvm::any_of(op.getOperands(), isMemRef))
      return failure();
  if (!checks || loop.getNumResults() != 0 || !isConstantIntValue(loop.getStep(), 1))
    return failure();

  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(loop);
  Location loc = loop.getLoc();
  // A loop from 0, as ours are, has its upper bound as its size.
  OpFoldResult size = loop.getUpperBound();
  bool fromZero = isConstantIntValue(loop.getLowerBound(), 0);
  if (!fromZero) {
    Value difference =
        arith::SubIOp::create(rewriter, loc, loop.getUpperBound(), loop.getLowerBound());
    Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
    size = Value(arith::MaxSIOp::create(rewriter, loc, difference, zero));
  }
  KernelBuilder kernel(rewriter, loc, size);
  IRMapping mapping;
  Value iv = kernel.getPoint().front();
  if (!fromZero)
    iv = arith::AddIOp::create(rewriter, loc, iv, loop.getLowerBound());
  mapping.map(loop.getInductionVar(), iv);
  for (Operation &op : loop.getBody()->without_terminator())
    rewriter.clone(op, mapping);
  if (failed(kernel.finish()))
    return failure();
  rewriter.eraseOp(loop);
  return success();
}

LogicalResult lstm::convertStoreToGPU(RewriterBase &rewriter, memref::StoreOp op) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  KernelBuilder kernel(rewriter, op.getLoc(), {});
  kernel.store(op.getValueToStore(), op.getMemRef(), op.getIndices());
  if (failed(kernel.finish()))
    return failure();
  rewriter.eraseOp(op);
  return success();
}

/// Whether elements are known to lie one after the other, wherever they begin.
static bool isContiguous(MemRefType type) {
  if (type.getLayout().isIdentity())
    return true;
  auto [strides, offset] = type.getStridesAndOffset();
  int64_t expected = 1;
  for (auto [stride, size] : llvm::reverse(llvm::zip_equal(strides, type.getShape()))) {
    if (stride != expected || ShapedType::isDynamic(expected))
      return false;
    expected = ShapedType::isDynamic(size) ? size : expected * size;
  }
  return true;
}

/// A copy of any strides as an operation with a body.
static linalg::GenericOp copyToGeneric(RewriterBase &rewriter, memref::CopyOp copy) {
  rewriter.setInsertionPoint(copy);
  int64_t rank = cast<MemRefType>(copy.getTarget().getType()).getRank();
  AffineMap identity = rewriter.getMultiDimIdentityMap(rank);
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      rewriter, copy.getLoc(), copy.getSource(), copy.getTarget(), ArrayRef{identity, identity}, loops,
      [](OpBuilder &b, Location loc, ValueRange arguments) {
        linalg::YieldOp::create(b, loc, arguments.front());
      });
  rewriter.eraseOp(copy);
  return generic;
}

namespace {
struct ConvertLinalgToGPUPass
    : public lstm::impl::ConvertLinalgToGPUPassBase<ConvertLinalgToGPUPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<memref::CopyOp> copies;
    getOperation()->walk([&](memref::CopyOp op) {
      auto isOneBlock = [](Value v) {
        auto type = dyn_cast<MemRefType>(v.getType());
        return !type || isContiguous(type);
      };
      if (!isOneBlock(op.getSource()) || !isOneBlock(op.getTarget()))
        copies.push_back(op);
    });
    for (memref::CopyOp copy : copies)
      copyToGeneric(rewriter, copy);

    SmallVector<Operation *> work;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<linalg::LinalgOp, memref::StoreOp, scf::ForOp>(op))
        work.push_back(op);
      return isa<linalg::LinalgOp>(op) ? WalkResult::skip() : WalkResult::advance();
    });
    for (Operation *op : work) {
      LogicalResult converted = success();
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        numKernels += succeeded(convertCheckLoopToGPU(rewriter, loop));
        continue;
      }
      if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
        converted = convertLinalgToGPU(rewriter, linalgOp);
      else
        converted = convertStoreToGPU(rewriter, cast<memref::StoreOp>(op));
      if (failed(converted))
        return signalPassFailure();
      ++numKernels;
    }
  }
};
} // namespace
