//===- DecomposeCells.cpp - Cells to gates -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/Dialect/LSTM/Transforms/Passes.h"
#include "lstm/Dialect/LSTM/Transforms/Transforms.h"


namespace mlir::lstm {
#define GEN_PASS_DEF_LSTMDECOMPOSECELLSPASS
#include "lstm/Dialect/LSTM/Transforms/Passes.h.inc"
} // namespace mlir::lstm

#define DEBUG_TYPE "lstm-decompose-cells"

using namespace mlir;
using namespace mlir::lstm;

LogicalResult lstm::decomposeCell(RewriterBase &rewriter, RecurrentCellOpInterface cell) {
  Operation *op = cell;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  FailureOr<SmallVector<Value>> values = cell.decomposeCell(rewriter);
  if (failed(values))
    return failure();
  if (TypeRange(ValueRange(*values)) != op->getResultTypes())
    return op->emitOpError() << "decomposes into values of types " << TypeRange(ValueRange(*values))
                             << ", but has results of types " << op->getResultTypes();
  rewriter.replaceOp(op, *values);
  return success();
}

FailureOr<unsigned> lstm::decomposeCells(RewriterBase &rewriter, Operation *root) {
  SmallVector<RecurrentCellOpInterface> cells;
  root->walk([&](RecurrentCellOpInterface cell) { cells.push_back(cell); });
  for (RecurrentCellOpInterface cell : cells)
    if (failed(decomposeCell(rewriter, cell)))
      return failure();
  return cells.size();
}

namespace {
struct DecomposeCell : public OpInterfaceRewritePattern<RecurrentCellOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(RecurrentCellOpInterface cell,
                                PatternRewriter &rewriter) const override {
    return decomposeCell(rewriter, cell);
  }
};

struct LSTMDecomposeCellsPass
    : public lstm::impl::LSTMDecomposeCellsPassBase<LSTMDecomposeCellsPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    FailureOr<unsigned> count = decomposeCells(rewriter, getOperation());
    if (failed(count))
      return signalPassFailure();
    numDecomposed += *count;
  }
};
} // namespace

void lstm::populateDecomposeCellsPatterns(RewritePatternSet &patterns) {
  patterns.add<DecomposeCell>(patterns.getContext());
}
