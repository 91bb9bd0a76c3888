//===- CheckOp.cpp - lstm.check -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/Dialect/LSTM/IR/LSTM.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::lstm;

LogicalResult CheckOp::verify() {
  if (getValues().size() > 3)
    return emitOpError() << "expects at most 3 values, but got " << getValues().size() << " (check_c1)";
  return success();
}

void CheckOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(+[](CheckOp op, PatternRewriter &rewriter) -> LogicalResult {
    if (!matchPattern(op.getCondition(), m_One()))
      return rewriter.notifyMatchFailure(op, "is not known to hold");
    rewriter.eraseOp(op);
    return success();
  });
}
