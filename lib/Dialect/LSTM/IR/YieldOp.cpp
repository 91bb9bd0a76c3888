//===- YieldOp.cpp - The terminator -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/Dialect/LSTM/IR/LSTM.h"

using namespace mlir;
using namespace mlir::lstm;

// States alone go around a recurrence; scalars and outputs leave it.
MutableOperandRange YieldOp::getMutableSuccessorOperands(RegionSuccessor) { return getStateMutable(); }
