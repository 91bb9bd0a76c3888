//===- WorkSharing.cpp - How a team shares out a phase ---------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkSharing.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::lstm;

/// A team shares out rows, not units, where each thread gets at least so many, two tiles of most
/// machines: what a thread reads of the state is then what it has written itself, and it need
/// not wait for the others. As it also reads all of W, that must be so small that a core's
/// second-level cache holds about half of it.
static constexpr int64_t minRowsOfThread = 12;
static constexpr int64_t maxWeightBytes = 1 << 20;

static Value asIndex(OpBuilder &b, Location loc, Value word) {
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), word);
}

std::pair<Value, Value> lstm::buildShare(OpBuilder &b, Location loc, ParallelOp parallel, Value size) {
  Value count = asIndex(b, loc, parallel.getCount()), thread = asIndex(b, loc, parallel.getThread());
  Value next = arith::AddIOp::create(b, loc, thread, arith::ConstantIndexOp::create(b, loc, 1));
  auto bound = [&](Value number) -> Value {
    return arith::DivUIOp::create(b, loc, arith::MulIOp::create(b, loc, size, number), count);
  };
  Value first = bound(thread);
  return {first, bound(next)};
}

bool lstm::mayShareRows(PhaseOp phase) {
  int64_t rows = cast<ShapedType>(phase.getOuts().front().getType()).getDimSize(0);
  if (!ShapedType::isDynamic(rows) && rows < 2 * minRowsOfThread)
    return false;
  int64_t bytes = 0;
  for (Value weight : phase.getWeights()) {
    auto type = cast<MemRefType>(weight.getType());
    if (!type.hasStaticShape() || !isa<FloatType>(type.getElementType()))
      return false;
    bytes += type.getNumElements() * llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  }
  return bytes <= maxWeightBytes;
}

Value lstm::buildSharesUnits(OpBuilder &b, Location loc, ParallelOp parallel, Value rows) {
  Value count = asIndex(b, loc, parallel.getCount());
  Value least = arith::ConstantIndexOp::create(b, loc, minRowsOfThread);
  Value needed = arith::MulIOp::create(b, loc, count, least);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, rows, needed);
}

static constexpr StringLiteral ownerName = "lstm.owner";

std::optional<Owner> lstm::getOwner(PhaseOp phase) {
  auto numbers = phase->getAttrOfType<DenseI64ArrayAttr>(ownerName);
  return numbers ? std::optional(Owner{numbers[0], numbers[1]}) : std::nullopt;
}

void lstm::setOwner(PhaseOp phase, Owner owner) {
  phase->setAttr(ownerName, DenseI64ArrayAttr::get(phase.getContext(), {owner.thread, owner.numOwners}));
}

Value lstm::buildIsOwned(OpBuilder &b, Location loc, ParallelOp parallel, int64_t numOwners) {
  Value needed = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(numOwners));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, parallel.getCount(), needed);
}
