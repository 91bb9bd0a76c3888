//===- RaiseToGates.cpp - linalg products to gates -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/Dialect/LSTM/IR/Matchers.h"
#include "lstm/Dialect/LSTM/Transforms/Transforms.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::lstm;

using ValuePair = std::pair<Value, Value>;

static bool isInBody(Operation *op) { return bool(op->getParentOfType<RecurrenceOp>()); }

static ActivationAttr identity(MLIRContext *context) {
  return ActivationAttr::get(context, ActivationKind::Identity);
}

/// A gate whose operands and result are of its compute type, with no activation.
static GateOp getPlainSum(Value value) {
  auto gate = value.getDefiningOp<GateOp>();
  return gate && gate.isPlainSum() && value.hasOneUse() &&
                 gate.getResultType().getElementType() == gate.getComputeType()
             ? gate
             : GateOp();
}

/// [m, k] times [k, n] or [n, k], whatever the operation's name: the second operand as [k, n].
static FailureOr<Value> getWeight(linalg::LinalgOp op, PatternRewriter &rewriter) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 || op.getNumLoops() != 3 ||
      !linalg::isaContractionOpInterface(op))
    return failure();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (llvm::any_of(maps, [](AffineMap map) { return map.getNumResults() != 2; }))
    return failure();
  AffineExpr m = maps[2].getResult(0), n = maps[2].getResult(1);
  if (maps[0].getResult(0) != m || maps[0].getResult(1) == n)
    return failure();
  AffineExpr k = maps[0].getResult(1);
  Value weight = op.getDpsInputOperand(1)->get();
  if (maps[1].getResult(0) == k && maps[1].getResult(1) == n)
    return weight;
  if (maps[1].getResult(0) != n || maps[1].getResult(1) != k)
    return failure();
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, weight);
  std::swap(sizes[0], sizes[1]);
  Value empty = tensor::EmptyOp::create(rewriter, loc, sizes, getElementTypeOrSelf(weight));
  return linalg::TransposeOp::create(rewriter, loc, weight, empty, ArrayRef<int64_t>{1, 0})
      ->getResult(0);
}

/// linalg.matmul and its like: identity dot(a, W), with add(init) unless that is 0.
static LogicalResult raiseProduct(linalg::LinalgOp op, PatternRewriter &rewriter) {
  if (!isInBody(op) || !op.hasPureTensorSemantics())
    return rewriter.notifyMatchFailure(op, "is not in the body of a recurrence on tensors");
  for (Type type : op->getOperandTypes())
    if (!isa<FloatType>(getElementTypeOrSelf(type)))
      return rewriter.notifyMatchFailure(op, "is not on floats");
  FailureOr<Value> weight = getWeight(op, rewriter);
  if (failed(weight))
    return rewriter.notifyMatchFailure(op, "is not a product of two matrices");
  Value init = op.getDpsInits()[0];
  SmallVector<Value> addends;
  if (!isZeroTensor(init))
    addends.push_back(init);
  rewriter.replaceOpWithNewOp<GateOp>(op, op->getResult(0).getType(), identity(op.getContext()),
                                      ValuePair(op.getDpsInputOperand(0)->get(), *weight),
                                      ArrayRef<ValuePair>(), addends);
  return success();
}

/// Replaces `op`, the sum of `lhs` and `rhs`, by one plain sum.
static LogicalResult raiseSum(Operation *op, Value lhs, Value rhs, PatternRewriter &rewriter) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  Value values[] = {lhs, rhs};
  GateOp gates[] = {getPlainSum(lhs), getPlainSum(rhs)};
  if (lhs == rhs || (!gates[0] && !gates[1]))
    return rewriter.notifyMatchFailure(op, "adds no product");
  SmallVector<ValuePair> dots, scales;
  SmallVector<Value> addends;
  for (auto [gate, value] : llvm::zip(gates, values)) {
    if (!gate || gate.getResultType() != type) {
      addends.push_back(value);
      continue;
    }
    llvm::append_range(dots, gate.getDots());
    llvm::append_range(scales, gate.getScales());
    llvm::append_range(addends, gate.getAddends());
  }
  if (dots.empty())
    return rewriter.notifyMatchFailure(op, "adds no product");
  rewriter.replaceOpWithNewOp<GateOp>(op, type, identity(op->getContext()), dots, scales, addends);
  return success();
}

static bool isGateResult(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() == 2 && isa<Float32Type, Float64Type>(tensor.getElementType());
}

/// arith.addf of a product and something.
static LogicalResult raiseAdd(arith::AddFOp op, PatternRewriter &rewriter) {
  if (!isInBody(op) || !isGateResult(op.getType()))
    return rewriter.notifyMatchFailure(op, "is not a sum of matrices in the body of a recurrence");
  return raiseSum(op, op.getLhs(), op.getRhs(), rewriter);
}

/// The [n] vector of which `value`, [m, n], repeats every element in each row; null if it is none.
static Value getRepeatedRow(Value value) {
  if (auto broadcast = value.getDefiningOp<linalg::BroadcastOp>())
    return broadcast.getDimensions() == ArrayRef<int64_t>{0} ? broadcast.getInput() : Value();
  auto generic = value.getDefiningOp<linalg::GenericOp>();
  if (!generic || generic.getNumDpsInputs() != 1 || generic.getNumDpsInits() != 1 ||
      generic.getNumLoops() != 2 || generic.getNumParallelLoops() != 2)
    return {};
  AffineMap in = generic.getIndexingMapsArray()[0], out = generic.getIndexingMapsArray()[1];
  auto yield = cast<linalg::YieldOp>(generic.getBody()->getTerminator());
  return out.isIdentity() && in.getNumResults() == 1 && in.getResult(0) == out.getResult(1) &&
                 yield.getOperand(0) == generic.getBody()->getArgument(0)
             ? generic.getDpsInputOperand(0)->get()
             : Value();
}

/// An addend that repeats a row is that row.
static LogicalResult useRepeatedRows(GateOp gate, PatternRewriter &rewriter) {
  bool changed = false;
  for (OpOperand &addend : gate.getAddendsMutable())
    if (Value row = getRepeatedRow(addend.get());
        row && getElementTypeOrSelf(row) == getElementTypeOrSelf(addend.get()) &&
        gate.getAddends().size() + gate.getDots().size() + gate.getScales().size() > 1 &&
        !gate.getDots().empty()) {
      rewriter.modifyOpInPlace(gate, [&] { addend.set(row); });
      changed = true;
    }
  return success(changed);
}

/// A linalg.generic that adds a row to each row of a product.
static LogicalResult raiseBiasAdd(linalg::GenericOp op, PatternRewriter &rewriter) {
  if (!isInBody(op) || op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      op.getNumLoops() != 2 || op.getNumParallelLoops() != 2 || !op.hasPureTensorSemantics() ||
      !isGateResult(op.getResult(0).getType()))
    return rewriter.notifyMatchFailure(op, "is not an elementwise operation on two operands");
  Block *body = op.getBody();
  auto yield = cast<linalg::YieldOp>(body->getTerminator());
  auto add = yield.getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!add || body->getOperations().size() != 2)
    return rewriter.notifyMatchFailure(op, "does more than an addition");
  auto inputOf = [&](Value v) -> int {
    auto arg = dyn_cast<BlockArgument>(v);
    return arg && arg.getArgNumber() < 2 ? arg.getArgNumber() : -1;
  };
  int a = inputOf(add.getLhs()), b = inputOf(add.getRhs());
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (a < 0 || b < 0 || a == b || !maps[2].isIdentity())
    return rewriter.notifyMatchFailure(op, "does not add its inputs");
  int full = maps[0].isIdentity() ? 0 : 1;
  AffineMap row = maps[1 - full];
  if (!maps[full].isIdentity() || !(row.isIdentity() || (row.getNumResults() == 1 &&
                                                         row.getResult(0) == maps[2].getResult(1))))
    return rewriter.notifyMatchFailure(op, "does not add rows");
  return raiseSum(op, op.getDpsInputOperand(full)->get(), op.getDpsInputOperand(1 - full)->get(),
                  rewriter);
}

namespace {
struct RaiseProduct : public OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(linalg::LinalgOp op, PatternRewriter &rewriter) const override {
    return raiseProduct(op, rewriter);
  }
};
} // namespace

void lstm::populateRaiseToGatesPatterns(RewritePatternSet &patterns) {
  patterns.add<RaiseProduct>(patterns.getContext());
  patterns.add(raiseAdd);
  patterns.add(raiseBiasAdd);
  patterns.add(useRepeatedRows);
}
