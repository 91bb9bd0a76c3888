//===- PhaseTest.cpp - Unit tests of lstm.phase -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnitTest.h"

using namespace mlir;
using namespace mlir::lstm;

namespace {
class PhaseTest : public LSTMTest {
protected:
  /// z[4] of h U, ins p[r, g, u], len[r], t, outs h (written) and c (in place).
  PhaseOp makePhase() {
    args = startFunction({tensor({-1, 16}), tensor({16, 4, 16}), tensor({-1, 4, 16}),
                          tensor({-1}, builder.getI32Type()), builder.getI32Type(),
                          tensor({-1, 16}), tensor({-1, 16})});
    auto phase = PhaseOp::create(
        builder, loc, ValueRange{args[0]}, ValueRange{args[1]},
        ValueRange{args[2], args[3], args[4]}, {kRow | kGate | kUnit, kRow, 0},
        ValueRange{args[5], args[6]});
    Type f32 = builder.getF32Type(), i32 = builder.getI32Type();
    SmallVector<Type> types(8, f32); // four accumulators, four gates of p
    llvm::append_range(types, ArrayRef<Type>{i32, i32, f32, f32});
    Region &region = phase.getBody();
    if (region.empty())
      region.emplaceBlock();
    Block *body = phase.getBodyBlock();
    body->eraseArguments(0, body->getNumArguments());
    for (Type type : types)
      body->addArgument(type, loc);
    OpBuilder inside = OpBuilder::atBlockEnd(body);
    Value c = arith::AddFOp::create(inside, loc, body->getArgument(0), body->getArgument(11));
    YieldOp::create(inside, loc, ValueRange{c, c}, ValueRange(), ValueRange());
    return phase;
  }

  SmallVector<Value> args;
};

TEST_F(PhaseTest, CountsAxes) {
  EXPECT_EQ(rankOfAxes(0), 0);
  EXPECT_EQ(rankOfAxes(kRowUnit), 2);
  EXPECT_EQ(rankOfAxes(kRow | kGate | kUnit), 3);
}

TEST_F(PhaseTest, KnowsItsArguments) {
  PhaseOp phase = makePhase();
  EXPECT_TRUE(verifies());
  EXPECT_EQ(phase.getNumGates(), 4);
  EXPECT_EQ(phase.getNumAccumulators(), 4);
  EXPECT_EQ(phase.getAccumulatorType(), builder.getF32Type());
  EXPECT_EQ(phase.getInputArgumentIndex(0), 4);
  EXPECT_EQ(phase.getInputArgumentIndex(1), 8);
  EXPECT_EQ(phase.getInputArgumentIndex(2), 9);
  EXPECT_EQ(phase.getOutArgument(0), phase.getBodyBlock()->getArgument(10));
  EXPECT_EQ(phase.getOutArgument(1), phase.getBodyBlock()->getArgument(11));
  EXPECT_EQ(phase.getYield().getScalars().size(), 2u);
  EXPECT_EQ(TypeRange(phase.getResultTypes()),
            TypeRange(ArrayRef<Type>{tensor({-1, 16}), tensor({-1, 16})}));
}

TEST_F(PhaseTest, ReadsOnlyWhatItsRegionUses) {
  PhaseOp phase = makePhase();
  MutableOperandRange outs = phase.getOutsMutable();
  EXPECT_FALSE(phase.isRead(outs[0]));
  EXPECT_TRUE(phase.isRead(outs[1]));
  EXPECT_TRUE(phase.isRead(phase.getStatesMutable()[0]));
}

TEST_F(PhaseTest, KnowsWhatIsElementwise) {
  PhaseOp phase = makePhase();
  // The product reads whole rows; p, with its gates, is not of the results' shape.
  EXPECT_FALSE(phase.isElementwise(phase.getStatesMutable()[0]));
  EXPECT_FALSE(phase.isElementwise(phase.getWeightsMutable()[0]));
  EXPECT_TRUE(phase.isElementwise(phase.getOutsMutable()[1]));
}

TEST_F(PhaseTest, TilesOverRowsAndUnits) {
  auto tiling = cast<TilingInterface>(makePhase().getOperation());
  SmallVector<utils::IteratorType> iterators = tiling.getLoopIteratorTypes();
  ASSERT_EQ(iterators.size(), 2u);
  EXPECT_EQ(iterators[0], utils::IteratorType::parallel);
  EXPECT_EQ(iterators[1], utils::IteratorType::parallel);
  SmallVector<Range> domain = tiling.getIterationDomain(builder);
  ASSERT_EQ(domain.size(), 2u);
  EXPECT_TRUE(isa<Value>(domain[0].size));
  EXPECT_EQ(getConstantIntValue(domain[1].size), 16);
}

TEST_F(PhaseTest, IsDestinationStyle) {
  PhaseOp phase = makePhase();
  auto dps = cast<DestinationStyleOpInterface>(phase.getOperation());
  ASSERT_EQ(dps.getNumDpsInits(), 2);
  EXPECT_EQ(dps.getDpsInits()[1], args[6]);
  EXPECT_EQ(dps.getTiedOpResult(&phase.getOutsMutable()[1]), phase.getResult(1));
}

TEST_F(PhaseTest, Decomposes) {
  PhaseOp phase = makePhase();
  builder.setInsertionPoint(phase);
  auto aggregated = cast<linalg::AggregatedOpInterface>(phase.getOperation());
  FailureOr<SmallVector<Value>> results = aggregated.decomposeOperation(builder);
  ASSERT_TRUE(succeeded(results));
  ASSERT_EQ(results->size(), 2u);
  EXPECT_EQ((*results)[0].getType(), tensor({-1, 16}));
  EXPECT_TRUE(verifies());
}
} // namespace
