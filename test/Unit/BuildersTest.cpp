//===- BuildersTest.cpp - Unit tests of builders and type inference -*- C++ -*-===//
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
using BuildersTest = LSTMTest;

TEST_F(BuildersTest, CellInfersItsResults) {
  // x, W, h, U, c, projection: input, projected and hidden size all differ.
  SmallVector<Value> args =
      startFunction({tensor({-1, 8}), tensor({8, 4, 16}), tensor({-1, 5}), tensor({5, 4, 16}),
                     tensor({-1, 16}), tensor({16, 5})});
  auto cell = CellOp::create(builder, loc, args[0], args[1], args[2], args[3], args[4],
                             /*bias=*/Value(), /*peephole=*/Value(), /*projection=*/args[5],
                             /*coupled=*/false, /*clip=*/FloatAttr(), /*activations=*/ArrayAttr());
  EXPECT_EQ(cell.getNextState().getType(), tensor({-1, 5}));
  EXPECT_EQ(cell.getNextCell().getType(), tensor({-1, 16}));
  EXPECT_TRUE(verifies());
}

TEST_F(BuildersTest, CellStateAndCellMayDifferInType) {
  Type f16 = builder.getF16Type();
  SmallVector<Value> args =
      startFunction({tensor({2, 8}, f16), tensor({8, 4, 16}, f16), tensor({2, 16}, f16),
                     tensor({16, 4, 16}, f16), tensor({2, 16})});
  auto cell = CellOp::create(builder, loc, args[0], args[1], args[2], args[3], args[4], Value(),
                             Value(), Value(), false, FloatAttr(), ArrayAttr());
  EXPECT_EQ(cell.getNextState().getType(), tensor({2, 16}, f16));
  EXPECT_EQ(cell.getNextCell().getType(), tensor({2, 16}));
  EXPECT_TRUE(verifies());
}

TEST_F(BuildersTest, GRUCellInfersItsResult) {
  SmallVector<Value> args = startFunction(
      {tensor({-1, 8}), tensor({8, 3, 16}), tensor({-1, 16}), tensor({16, 3, 16})});
  for (bool resetAfter : {false, true}) {
    auto cell = GRUCellOp::create(builder, loc, args[0], args[1], args[2], args[3], Value(), Value(),
                                  resetAfter, FloatAttr(), ArrayAttr());
    EXPECT_EQ(cell.getNextState().getType(), tensor({-1, 16}));
    EXPECT_EQ(cell.getResetAfter(), resetAfter);
  }
  EXPECT_TRUE(verifies());
}

TEST_F(BuildersTest, RNNCellInfersItsResult) {
  SmallVector<Value> args =
      startFunction({tensor({-1, 8}), tensor({8, 16}), tensor({-1, 16}), tensor({16, 16})});
  auto cell = RNNCellOp::create(builder, loc, args[0], args[1], args[2], args[3], Value(),
                                FloatAttr(), ArrayAttr());
  EXPECT_EQ(cell.getNextState().getType(), tensor({-1, 16}));
  EXPECT_TRUE(verifies());
}

TEST_F(BuildersTest, GateTakesPairs) {
  SmallVector<Value> args =
      startFunction({tensor({-1, 8}), tensor({8, 16}), tensor({-1, 16}), tensor({16, 16}),
                     tensor({16}), tensor({16})});
  auto gate = GateOp::create(builder, loc, tensor({-1, 16}), activation(ActivationKind::Tanh),
                             {{args[0], args[1]}, {args[2], args[3]}}, {{args[2], args[4]}},
                             ValueRange{args[5]}, builder.getF64FloatAttr(3.0));
  EXPECT_TRUE(verifies());
  ASSERT_EQ(gate.getDots().size(), 2u);
  EXPECT_EQ(gate.getDots()[1].first, args[2]);
  EXPECT_EQ(gate.getDots()[1].second, args[3]);
  ASSERT_EQ(gate.getScales().size(), 1u);
  EXPECT_EQ(gate.getScales()[0].second, args[4]);
  EXPECT_EQ(gate.getNumGates(), 1);
  EXPECT_EQ(gate.getActivation(), activation(ActivationKind::Tanh));
  EXPECT_FALSE(gate.isPlainSum());
}

TEST_F(BuildersTest, GateOfSeveralGates) {
  SmallVector<Value> args = startFunction({tensor({-1, 8}), tensor({8, 2, 16})});
  Attribute sigmoid = activation(ActivationKind::Sigmoid), relu = activation(ActivationKind::Relu);
  auto gate = GateOp::create(builder, loc, tensor({-1, 2, 16}), ValueRange{args[0]},
                             ValueRange{args[1]}, ValueRange(), ValueRange(), ValueRange(),
                             builder.getArrayAttr({sigmoid, relu}), FloatAttr());
  EXPECT_TRUE(verifies());
  EXPECT_EQ(gate.getNumGates(), 2);
  EXPECT_EQ(gate.getActivation(0), sigmoid);
  EXPECT_EQ(gate.getActivation(1), relu);
  // One activation stands for all gates.
  auto plain =
      GateOp::create(builder, loc, tensor({-1, 2, 16}), activation(ActivationKind::Identity),
                     {{args[0], args[1]}}, {}, ValueRange());
  EXPECT_EQ(plain.getActivation(1), activation(ActivationKind::Identity));
  EXPECT_TRUE(plain.isPlainSum());
}

TEST_F(BuildersTest, GateComputesInTheWidestTypeButAtLeastF32) {
  auto computeType = [&](Type operand, Type result) {
    SmallVector<Value> args = startFunction({tensor({2, 8}, operand), tensor({8, 4}, operand)});
    auto gate = GateOp::create(builder, loc, tensor({2, 4}, result),
                               activation(ActivationKind::Tanh), {{args[0], args[1]}}, {},
                               ValueRange());
    Type type = gate.getComputeType();
    gate->getParentOp()->erase();
    return type;
  };
  Type f16 = builder.getF16Type(), bf16 = builder.getBF16Type(), f32 = builder.getF32Type(),
       f64 = builder.getF64Type();
  EXPECT_EQ(computeType(f16, f16), f32);
  EXPECT_EQ(computeType(bf16, bf16), f32);
  EXPECT_EQ(computeType(f16, f32), f32);
  EXPECT_EQ(computeType(f64, f64), f64);
  EXPECT_EQ(computeType(f32, f64), f64);
}

TEST_F(BuildersTest, RecurrenceMakesItsBodyAndResults) {
  SmallVector<Value> args =
      startFunction({tensor({7, -1, 8}), tensor({-1, 8}), tensor({-1}, builder.getI32Type()),
                     tensor({7, -1, 8}), builder.getF32Type()});
  auto op = RecurrenceOp::create(builder, loc, ValueRange{args[0]}, ValueRange{args[1], args[4]},
                                 args[2], /*steps=*/Value(), ValueRange{args[3]}, /*reversed=*/{},
                                 /*unmasked=*/{false, true});
  ASSERT_EQ(op.getSequenceArgs().size(), 1u);
  ASSERT_EQ(op.getRegionIterArgs().size(), 2u);
  Value x = op.getSequenceArgs()[0], h = op.getRegionIterArgs()[0], s = op.getRegionIterArgs()[1];
  EXPECT_EQ(x.getType(), tensor({-1, 8}));
  EXPECT_EQ(s.getType(), builder.getF32Type());

  OpBuilder body = OpBuilder::atBlockEnd(op.getBodyBlock());
  Value next = arith::AddFOp::create(body, loc, x, h);
  YieldOp::create(body, loc, ValueRange(), ValueRange{next, s}, ValueRange{next});
  EXPECT_TRUE(verifies());

  EXPECT_EQ(TypeRange(op.getOutputs()), TypeRange(ArrayRef<Type>{tensor({7, -1, 8})}));
  EXPECT_EQ(TypeRange(op.getFinals()),
            TypeRange(ArrayRef<Type>{tensor({-1, 8}), builder.getF32Type()}));
  EXPECT_EQ(op.getStaticSteps(), 7);
  EXPECT_EQ(op.getStaticBatch(), ShapedType::kDynamic);
  EXPECT_TRUE(op.isUniform());
  EXPECT_FALSE(op.isSequenceReversed(0));
  EXPECT_FALSE(op.isStateUnmasked(0));
  EXPECT_TRUE(op.isStateUnmasked(1));
  EXPECT_EQ(op.getYield().getState()[0], next);
}

TEST_F(BuildersTest, RecurrenceKnowsItsDirections) {
  SmallVector<Value> args = startFunction(
      {tensor({-1, 4, 8}), tensor({-1, 4, 8}), tensor({4, 8}), tensor({4, 8})});
  auto make = [&](ArrayRef<bool> reversed) {
    auto op = RecurrenceOp::create(builder, loc, ValueRange{args[0], args[1]},
                                   ValueRange{args[2], args[3]}, Value(), Value(), ValueRange(),
                                   reversed);
    OpBuilder body = OpBuilder::atBlockEnd(op.getBodyBlock());
    YieldOp::create(body, loc, ValueRange(), ValueRange(op.getSequenceArgs()), ValueRange());
    return op;
  };
  EXPECT_TRUE(make({true, true, true, true}).isUniform());
  RecurrenceOp mixed = make({false, true, false, true});
  EXPECT_FALSE(mixed.isUniform());
  EXPECT_FALSE(mixed.isSequenceReversed(0));
  EXPECT_TRUE(mixed.isSequenceReversed(1));
  EXPECT_FALSE(mixed.isStateReversed(0));
  EXPECT_TRUE(mixed.isStateReversed(1));
  EXPECT_EQ(mixed.getStaticBatch(), 4);
  EXPECT_EQ(mixed.getStaticSteps(), ShapedType::kDynamic);
  EXPECT_TRUE(verifies());
}

TEST_F(BuildersTest, RecurrenceInfersItsResults) {
  SmallVector<Value> args = startFunction({tensor({-1, 4, 8}), tensor({4, 8}), tensor({-1, 4, 8})});
  auto op = RecurrenceOp::create(builder, loc, ValueRange{args[0]}, ValueRange{args[1]}, Value(),
                                 Value(), ValueRange{args[2]});
  OpBuilder body = OpBuilder::atBlockEnd(op.getBodyBlock());
  YieldOp::create(body, loc, ValueRange(), ValueRange(op.getSequenceArgs()),
                  ValueRange(op.getSequenceArgs()));
  SmallVector<Type> types;
  EXPECT_TRUE(succeeded(RecurrenceOp::inferReturnTypes(
      &context, loc, op->getOperands(), op->getDiscardableAttrDictionary(),
      op->getPropertiesStorage(), op->getRegions(), types)));
  EXPECT_EQ(TypeRange(types), TypeRange(op->getResultTypes()));
}

TEST_F(BuildersTest, ScanKnowsItsSourcesAndDestinations) {
  SmallVector<Value> args =
      startFunction({builder.getIndexType(), tensor({-1, 4, 8}), tensor({2, 4, 8}), tensor({4, 8}),
                     tensor({-1, 4, 8})});
  auto scan = ScanOp::create(builder, loc, args[0], ValueRange{args[1]},
                             ValueRange{args[2], args[3]}, ValueRange{args[4]},
                             /*twoSlots=*/ArrayRef<bool>{true, false},
                             /*reversed=*/ArrayRef<bool>{false, true});
  using Source = ScanOp::Source;
  SmallVector<Source> sources = scan.getSources();
  ASSERT_EQ(sources.size(), 5u);
  EXPECT_EQ(sources[0].kind, Source::Sequence);
  EXPECT_EQ(sources[1].kind, Source::StateRead);
  EXPECT_EQ(sources[2].kind, Source::StateWrite);
  EXPECT_EQ(sources[3].kind, Source::StateInPlace);
  EXPECT_EQ(sources[4].kind, Source::Output);
  EXPECT_EQ(sources[2].operand, args[2]);
  EXPECT_TRUE(sources[3].isWhole());
  EXPECT_FALSE(sources[2].isWhole());
  EXPECT_FALSE(sources[1].isDestination());
  EXPECT_TRUE(sources[2].isDestination());
  EXPECT_FALSE(sources[0].reversed);
  EXPECT_TRUE(sources[4].reversed);

  Block *body = scan.getBodyBlock();
  ASSERT_EQ(body->getNumArguments(), 6u);
  EXPECT_EQ(body->getArgument(0).getType(), builder.getIndexType());
  for (unsigned i = 1; i < 6; ++i)
    EXPECT_EQ(body->getArgument(i).getType(), tensor({4, 8}));
  SmallVector<BlockArgument> destinations = scan.getDestinations();
  ASSERT_EQ(destinations.size(), 3u);
  EXPECT_EQ(destinations[0], body->getArgument(3));
  EXPECT_EQ(destinations[1], body->getArgument(4));
  EXPECT_EQ(destinations[2], body->getArgument(5));

  OpBuilder inside = OpBuilder::atBlockEnd(body);
  YieldOp::create(inside, loc, ValueRange(), ValueRange{destinations[0], destinations[1]},
                  ValueRange{destinations[2]});
  EXPECT_TRUE(verifies());
  EXPECT_EQ(ScanOp::getSliceType(tensor({-1, 4, 8})), tensor({4, 8}));
}

TEST_F(BuildersTest, CheckCarriesItsValues) {
  SmallVector<Value> args =
      startFunction({builder.getI1Type(), builder.getIndexType(), builder.getIndexType()});
  auto check = CheckOp::create(builder, loc, args[0], "expects {0}, but got {1}",
                               ValueRange{args[1], args[2]});
  EXPECT_EQ(check.getValues().size(), 2u);
  EXPECT_TRUE(verifies());
}
} // namespace
