//===- LSTMToLinalg.cpp - Gates and phases to linalg -----------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/Conversion/LSTMToLinalg.h"

#include "lstm/Conversion/Passes.h"
#include "lstm/Dialect/LSTM/Transforms/Activations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::lstm {
#define GEN_PASS_DEF_CONVERTLSTMTOLINALGPASS
#include "lstm/Conversion/Passes.h.inc"
} // namespace mlir::lstm

using namespace mlir;
using namespace mlir::lstm;

//===----------------------------------------------------------------------===//
// Gates
//===----------------------------------------------------------------------===//

namespace {
class GateLowering {
public:
  GateLowering(RewriterBase &rewriter, GateOp op)
      : b(rewriter), op(op), loc(op.getLoc()), computeType(op.getComputeType()) {}

  FailureOr<Value> run();

private:
  Value buildProducts();
  Value buildMap(ActivationAttr activation, std::optional<int64_t> gate, Value destination);
  /// The operand as `[B, H]`, `[H]` (or with G behind B, unless `gate` is given).
  Value select(Value operand, bool standsForAllGates, std::optional<int64_t> gate);
  AffineMap getMap(Value operand, bool standsForAllGates);
  int64_t rank() { return sizes.size(); }

  OpBuilder &b;
  GateOp op;
  Location loc;
  FloatType computeType;
  SmallVector<OpFoldResult> sizes;
  Value products;
};
} // namespace

/// The sum of all products, `[B, H]` or `[B, G, H]`; null if there is none.
Value GateLowering::buildProducts() {
  if (op.getDots().empty())
    return {};
  Value zero = arith::ConstantOp::create(b, loc, b.getFloatAttr(computeType, 0.0));
  Value sum = tensor::EmptyOp::create(b, loc, sizes, computeType);
  sum = linalg::FillOp::create(b, loc, zero, sum).getResult(0);
  // Loops in the order b, k, (g,) h: the innermost one runs along contiguous rows
  // of the weights.
  MLIRContext *ctx = b.getContext();
  int64_t loops = rank() + 1;
  SmallVector<AffineExpr> dims;
  for (int64_t i = 0; i < loops; ++i)
    dims.push_back(getAffineDimExpr(i, ctx));
  SmallVector<AffineExpr> lhs = {dims[0], dims[1]}, rhs(dims.begin() + 1, dims.end()), out(dims);
  out.erase(out.begin() + 1);
  SmallVector<AffineMap> maps;
  for (ArrayRef<AffineExpr> exprs : {ArrayRef(lhs), ArrayRef(rhs), ArrayRef(out)})
    maps.push_back(AffineMap::get(loops, 0, exprs, ctx));
  for (auto [a, weight] : op.getDots())
    sum = linalg::ContractOp::create(b, loc, sum.getType(), ValueRange{a, weight}, ValueRange{sum},
                                     b.getAffineMapArrayAttr(maps))
              .getResult(0);
  return sum;
}

Value GateLowering::select(Value operand, bool standsForAllGates, std::optional<int64_t> gate) {
  int64_t operandRank = cast<RankedTensorType>(operand.getType()).getRank();
  if (!gate || standsForAllGates || operandRank < 2)
    return operand;
  // [G, H] or [B, G, H]: the gate's axis is the last but one.
  SmallVector<OpFoldResult> extents = tensor::getMixedSizes(b, loc, operand);
  SmallVector<OpFoldResult> offsets(operandRank, b.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(operandRank, b.getIndexAttr(1));
  offsets[operandRank - 2] = b.getIndexAttr(*gate);
  extents[operandRank - 2] = b.getIndexAttr(1);
  auto type = cast<RankedTensorType>(operand.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.end() - 2);
  return tensor::ExtractSliceOp::create(
      b, loc, RankedTensorType::get(shape, type.getElementType()), operand, offsets, extents,
      strides);
}

AffineMap GateLowering::getMap(Value operand, bool standsForAllGates) {
  MLIRContext *ctx = b.getContext();
  int64_t operandRank = cast<RankedTensorType>(operand.getType()).getRank();
  SmallVector<AffineExpr> exprs;
  if (standsForAllGates)
    exprs = {getAffineDimExpr(0, ctx), getAffineDimExpr(rank() - 1, ctx)};
  else
    for (int64_t i = rank() - operandRank; i < rank(); ++i)
      exprs.push_back(getAffineDimExpr(i, ctx));
  return AffineMap::get(rank(), 0, exprs, ctx);
}

/// The activation of everything, or of one gate, in `destination`.
Value GateLowering::buildMap(ActivationAttr activation, std::optional<int64_t> gate,
                             Value destination) {
  SmallVector<std::pair<Value, bool>> operands;
  bool isRank3 = op.getResultType().getRank() == 3;
  if (products)
    operands.push_back({products, false});
  for (auto [s, p] : op.getScales()) {
    operands.push_back({s, isRank3 && cast<RankedTensorType>(s.getType()).getRank() == 2});
    operands.push_back({p, false});
  }
  for (Value addend : op.getAddends())
    operands.push_back({addend, false});

  auto outType = cast<RankedTensorType>(destination.getType());
  SmallVector<OpFoldResult> allSizes = sizes;
  if (gate)
    sizes.erase(sizes.begin() + 1);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (auto [operand, standsForAllGates] : operands) {
    inputs.push_back(select(operand, standsForAllGates, gate));
    maps.push_back(standsForAllGates && !gate ? getMap(operand, true)
                                              : getMap(inputs.back(), false));
  }
  maps.push_back(b.getMultiDimIdentityMap(rank()));
  auto map = linalg::GenericOp::create(
      b, loc, outType, inputs, destination, maps,
      SmallVector<utils::IteratorType>(rank(), utils::IteratorType::parallel),
      [&](OpBuilder &b, Location loc, ValueRange args) {
        SmallVector<Value> scalars;
        for (Value arg : args.drop_back())
          scalars.push_back(buildFloatCast(b, loc, arg, computeType));
        Value sum;
        auto add = [&](Value v) {
          sum = sum ? arith::AddFOp::create(b, loc, sum, v).getResult() : v;
        };
        unsigned i = 0;
        if (products)
          add(scalars[i++]);
        for (unsigned n = op.getScales().size(); n; --n, i += 2)
          add(arith::MulFOp::create(b, loc, scalars[i], scalars[i + 1]));
        for (; i < scalars.size(); ++i)
          add(scalars[i]);
        if (!sum)
          sum = arith::ConstantOp::create(b, loc, b.getFloatAttr(computeType, 0.0));
        if (op.getClip())
          sum = buildClip(b, loc, op.getClip()->convertToDouble(), sum);
        sum = buildActivation(b, loc, activation, sum);
        linalg::YieldOp::create(b, loc, buildFloatCast(b, loc, sum, outType.getElementType()));
      });
  sizes = allSizes;
  return map.getResult(0);
}

FailureOr<Value> GateLowering::run() {
  ReifiedRankedShapedTypeDims shapes;
  if (failed(op.reifyResultShapes(b, shapes)))
    return op.emitOpError("has a result whose sizes no operand gives");
  sizes = shapes[0];
  RankedTensorType type = op.getResultType();
  if (!llvm::is_contained(type.getShape(), 0))
    products = buildProducts();
  Value result = tensor::EmptyOp::create(b, loc, sizes, type.getElementType());
  if (llvm::is_contained(type.getShape(), 0)) {
    // Nothing to compute, and upstream takes no slices of it.
  } else if (llvm::all_equal(op.getActivations())) {
    result = buildMap(op.getActivation(0), std::nullopt, result);
  } else {
    // Activations differ: one operation for each gate.
    SmallVector<OpFoldResult> offsets(3, b.getIndexAttr(0)), strides(3, b.getIndexAttr(1));
    SmallVector<OpFoldResult> extents = {sizes[0], b.getIndexAttr(1), sizes[2]};
    auto gateType = RankedTensorType::get({type.getDimSize(0), type.getDimSize(2)},
                                          type.getElementType());
    for (int64_t g = 0; g < op.getNumGates(); ++g) {
      offsets[1] = b.getIndexAttr(g);
      Value destination = tensor::ExtractSliceOp::create(b, loc, gateType, result, offsets, extents,
                                                         strides);
      Value gate = buildMap(op.getActivation(g), g, destination);
      result = tensor::InsertSliceOp::create(b, loc, gate, result, offsets, extents, strides);
    }
  }
  if (result.getType() != type)
    result = tensor::CastOp::create(b, loc, type, result);
  return result;
}

FailureOr<Value> lstm::convertGateToLinalg(RewriterBase &rewriter, GateOp op) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  FailureOr<Value> result = GateLowering(rewriter, op).run();
  if (succeeded(result))
    rewriter.replaceOp(op, *result);
  return result;
}

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

LogicalResult lstm::convertPhaseToLinalg(RewriterBase &rewriter, PhaseOp op) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  bool isEmpty = llvm::any_of(op.getOuts().getTypes(), [](Type type) {
    return llvm::is_contained(cast<ShapedType>(type).getShape(), 0);
  });
  FailureOr<SmallVector<Value>> results = llvm::to_vector(op.getOuts());
  if (!isEmpty)
    results = op.decomposeOperation(rewriter);
  if (failed(results))
    return failure();
  if (op->getNumResults())
    rewriter.replaceOp(op, *results);
  else
    rewriter.eraseOp(op);
  return success();
}

//===----------------------------------------------------------------------===//
// Patterns and pass
//===----------------------------------------------------------------------===//

/// Leaves scratch memory to upstream's passes, which free it, and move it out of loops.
static void releaseScratch(Operation *root) {
  StringRef mark = bufferization::BufferizationDialect::kManualDeallocation;
  root->walk([&](Operation *op) {
    if (isa<memref::DeallocOp>(op) && op->hasAttr(mark))
      op->erase();
    else if (isa<memref::AllocOp>(op))
      op->removeAttr(mark);
  });
}

namespace {
struct ConvertGate : public OpRewritePattern<GateOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(GateOp op, PatternRewriter &rewriter) const override {
    return convertGateToLinalg(rewriter, op);
  }
};

struct ConvertPhase : public OpRewritePattern<PhaseOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PhaseOp op, PatternRewriter &rewriter) const override {
    return convertPhaseToLinalg(rewriter, op);
  }
};

struct ConvertLSTMToLinalgPass
    : public lstm::impl::ConvertLSTMToLinalgPassBase<ConvertLSTMToLinalgPass> {
  using Base::Base;
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    if (gates)
      populateConvertGatesToLinalgPatterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    SmallVector<PhaseOp> work;
    getOperation()->walk([&](PhaseOp op) {
      if (phases && (scans || !isa<ScanOp>(op->getParentOp())))
        work.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (PhaseOp op : work)
      if (failed(convertPhaseToLinalg(rewriter, op)))
        return signalPassFailure();
    if (!deallocate)
      releaseScratch(getOperation());
    WalkResult left = getOperation()->walk([&](GateOp) { return WalkResult::interrupt(); });
    if (gates && left.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace

void lstm::populateConvertGatesToLinalgPatterns(RewritePatternSet &patterns) {
  patterns.add<ConvertGate>(patterns.getContext());
}

void lstm::populateConvertPhasesToLinalgPatterns(RewritePatternSet &patterns) {
  patterns.add<ConvertPhase>(patterns.getContext());
}
