//===- LSTMDialect.cpp - The lstm dialect -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/Dialect/LSTM/IR/LSTM.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"
#include "mlir/Transforms/InliningUtils.h"

#include "OpAssembly.h"

using namespace mlir;
using namespace mlir::lstm;

#include "lstm/Dialect/LSTM/IR/LSTMDialect.cpp.inc"
#include "lstm/Dialect/LSTM/IR/LSTMEnums.cpp.inc"
#include "lstm/Dialect/LSTM/IR/LSTMInterfaces.cpp.inc"

#define GET_OP_CLASSES
#include "lstm/Dialect/LSTM/IR/LSTMOps.cpp.inc"

namespace {
/// Lets a cell that is a function be inlined into the body of a recurrence, and
/// functions that hold our operations be inlined anywhere.
struct LSTMInliner : public DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
  bool isLegalToInline(Region *to, Region *, bool, IRMapping &) const final {
    return !isa<PhaseOp>(to->getParentOp());
  }
};
} // namespace

void LSTMDialect::initialize() {
  addInterfaces<LSTMInliner>();
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "lstm/Dialect/LSTM/IR/LSTMOps.cpp.inc"
      >();
}
