//===- ParallelOp.cpp - lstm.parallel and lstm.barrier ---------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/Dialect/LSTM/IR/LSTM.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::lstm;

void ParallelOp::build(OpBuilder &builder, OperationState &state) {
  OpBuilder::InsertionGuard guard(builder);
  Type word = builder.getI64Type();
  builder.createBlock(state.addRegion(), {}, {word, word}, {state.location, state.location});
  YieldOp::create(builder, state.location);
}

void ParallelOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  static constexpr StringLiteral names[] = {"thread", "count"};
  for (auto [argument, name] : llvm::zip(region.getArguments(), names))
    setName(argument, name);
}

LogicalResult ParallelOp::verifyRegions() {
  Type word = IntegerType::get(getContext(), 64);
  if (getBody().getArgumentTypes() != TypeRange({word, word}))
    return emitOpError("expects region arguments (i64, i64), the thread and how many there are, but got (")
           << getBody().getArgumentTypes() << ") (parallel_c1)";
  for (Block &block : getBody())
    if (auto yield = dyn_cast<YieldOp>(block.getTerminator()); yield && yield->getNumOperands() != 0)
      return yield.emitOpError("expects no operands in a parallel region, but got ")
             << yield->getNumOperands() << " (parallel_c2)";
  return success();
}

LogicalResult BarrierOp::verify() {
  if (!(*this)->getParentOfType<ParallelOp>())
    return emitOpError("expects to be in a 'lstm.parallel' (barrier_c1)");
  return success();
}
