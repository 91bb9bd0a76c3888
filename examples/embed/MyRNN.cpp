//===- MyRNN.cpp - A dialect with a cell of its own -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MyRNN.h"

using namespace mlir;

#include "MyRNNDialect.cpp.inc"

#define GET_OP_CLASSES
#include "MyRNNOps.cpp.inc"

void myrnn::MyRNNDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "MyRNNOps.cpp.inc"
      >();
}

/// All that the passes need to know of a cell.
FailureOr<SmallVector<Value>> myrnn::LightGRUOp::decomposeCell(OpBuilder &builder) {
  using lstm::ActivationKind;
  Location loc = getLoc();
  Value h = getState();
  auto gate = [&](ActivationKind kind, Value weight, Value stateWeight) -> Value {
    return lstm::GateOp::create(builder, loc, h.getType(),
                                lstm::ActivationAttr::get(getContext(), kind),
                                {{getInput(), weight}, {h, stateWeight}}, /*scales=*/{},
                                /*addends=*/ValueRange());
  };
  Value z = gate(ActivationKind::Sigmoid, getUpdateWeight(), getUpdateStateWeight());
  Value n = gate(ActivationKind::Relu, getCandidateWeight(), getCandidateStateWeight());

  // z * h + (1 - z) * n = n + z * (h - n)
  Value difference = arith::SubFOp::create(builder, loc, h, n);
  Value kept = arith::MulFOp::create(builder, loc, z, difference);
  Value next = arith::AddFOp::create(builder, loc, n, kept);
  return SmallVector<Value>{next};
}
