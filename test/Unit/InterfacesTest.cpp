//===- InterfacesTest.cpp - Unit tests of interfaces -*- C++ -*-===//
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
class InterfacesTest : public LSTMTest {
protected:
  /// Parses functions into the module and returns its first operation of a kind.
  template <typename OpTy> OpTy parse(StringRef text) {
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    OpTy found;
    if (module)
      module->walk([&](OpTy op) {
        found = op;
        return WalkResult::interrupt();
      });
    EXPECT_TRUE(found);
    return found;
  }

  /// Decomposes the cell in `text` and checks what the interface promises.
  void expectDecomposition(StringRef text) {
    auto cell = parse<RecurrentCellOpInterface>(text);
    OperationName name = cell->getName();
    builder.setInsertionPoint(cell);
    FailureOr<SmallVector<Value>> values = cell.decomposeCell(builder);
    ASSERT_TRUE(succeeded(values));
    ASSERT_EQ(values->size(), cell->getNumResults());
    for (auto [value, result] : llvm::zip(*values, cell->getResults())) {
      EXPECT_EQ(value.getType(), result.getType());
      EXPECT_NE(value, result);
    }
    EXPECT_EQ(cell->getName(), name);
    EXPECT_TRUE(verifies());
  }

  RecurrenceOp parseRecurrence() {
    return parse<RecurrenceOp>(R"(
      func.func @f(%xs: tensor<?x?x8xf32>, %h0: tensor<?x8xf32>, %len: tensor<?xi32>,
                   %ys: tensor<?x?x8xf32>) {
        %r:2 = lstm.recurrence over(%x = %xs : tensor<?x?x8xf32>) init(%h = %h0 : tensor<?x8xf32>)
            lengths(%len : tensor<?xi32>) outs(%ys : tensor<?x?x8xf32>) {
          %h1 = arith.addf %h, %x : tensor<?x8xf32>
          lstm.yield state(%h1 : tensor<?x8xf32>) out(%x : tensor<?x8xf32>)
        }
        return
      })");
  }
};

TEST_F(InterfacesTest, LSTMCellDecomposes) {
  expectDecomposition(R"(
    func.func @f(%x: tensor<?x8xf32>, %W: tensor<8x4x16xf32>, %h: tensor<?x5xf32>,
                 %U: tensor<5x4x16xf32>, %c: tensor<?x16xf32>, %b: tensor<4x16xf32>,
                 %p: tensor<3x16xf32>, %R: tensor<16x5xf32>) {
      %h1, %c1 = lstm.cell input(%x, %W : tensor<?x8xf32>, tensor<8x4x16xf32>)
          state(%h, %U : tensor<?x5xf32>, tensor<5x4x16xf32>) cell(%c : tensor<?x16xf32>)
          bias(%b : tensor<4x16xf32>) peephole(%p : tensor<3x16xf32>)
          projection(%R : tensor<16x5xf32>) clip 2.0
      return
    })");
}

TEST_F(InterfacesTest, CoupledLSTMCellDecomposes) {
  expectDecomposition(R"(
    func.func @f(%x: tensor<?x8xf32>, %W: tensor<8x3x16xf32>, %h: tensor<?x16xf32>,
                 %U: tensor<16x3x16xf32>, %c: tensor<?x16xf32>) {
      %h1, %c1 = lstm.cell input(%x, %W : tensor<?x8xf32>, tensor<8x3x16xf32>)
          state(%h, %U : tensor<?x16xf32>, tensor<16x3x16xf32>) cell(%c : tensor<?x16xf32>) coupled
      return
    })");
}

TEST_F(InterfacesTest, GRUCellDecomposes) {
  for (const char *form : {"reset_before", "reset_after"})
    expectDecomposition(std::string(R"(
      func.func @f(%x: tensor<?x8xf32>, %W: tensor<8x3x16xf32>, %h: tensor<?x16xf32>,
                   %U: tensor<16x3x16xf32>, %b: tensor<3x16xf32>, %d: tensor<3x16xf32>) {
        %h1 = lstm.gru_cell )") + form + R"(
            input(%x, %W : tensor<?x8xf32>, tensor<8x3x16xf32>)
            state(%h, %U : tensor<?x16xf32>, tensor<16x3x16xf32>)
            bias(%b : tensor<3x16xf32>) recurrent_bias(%d : tensor<3x16xf32>)
        return
      })");
}

TEST_F(InterfacesTest, RNNCellDecomposes) {
  expectDecomposition(R"(
    func.func @f(%x: tensor<?x8xf16>, %W: tensor<8x16xf16>, %h: tensor<?x16xf16>,
                 %U: tensor<16x16xf16>) {
      %h1 = lstm.rnn_cell input(%x, %W : tensor<?x8xf16>, tensor<8x16xf16>)
          state(%h, %U : tensor<?x16xf16>, tensor<16x16xf16>) activations [relu]
      return
    })");
}

TEST_F(InterfacesTest, RecurrenceIsALoop) {
  RecurrenceOp op = parseRecurrence();
  auto loop = cast<LoopLikeOpInterface>(op.getOperation());
  ASSERT_EQ(loop.getInits().size(), 1u);
  EXPECT_EQ(loop.getInits()[0], op.getInitArgs()[0]);
  ASSERT_EQ(loop.getRegionIterArgs().size(), 1u);
  EXPECT_EQ(loop.getRegionIterArgs()[0], op.getBodyBlock()->getArgument(1));
  ASSERT_EQ(loop.getYieldedValues().size(), 1u);
  EXPECT_EQ(loop.getYieldedValues()[0], op.getYield().getState()[0]);
  ASSERT_TRUE(loop.getLoopResults().has_value());
  EXPECT_EQ(loop.getLoopResults()->size(), 1u);
  EXPECT_EQ((*loop.getLoopResults())[0], op.getFinals()[0]);
  EXPECT_EQ(loop.getLoopRegions().size(), 1u);
}

TEST_F(InterfacesTest, RecurrenceReifiesItsShapes) {
  RecurrenceOp op = parseRecurrence();
  builder.setInsertionPoint(op);
  ReifiedRankedShapedTypeDims shapes;
  ASSERT_TRUE(succeeded(reifyResultShapes(builder, op, shapes)));
  ASSERT_EQ(shapes.size(), 2u);
  ASSERT_EQ(shapes[0].size(), 3u);
  EXPECT_TRUE(isa<Value>(shapes[0][0]));
  EXPECT_EQ(getConstantIntValue(shapes[0][2]), 8);
  ASSERT_EQ(shapes[1].size(), 2u);
  EXPECT_TRUE(isa<Value>(shapes[1][0]));
  // Sizes come from operands, never from the results themselves.
  for (OpFoldResult size : {shapes[0][0], shapes[0][1], shapes[1][0]})
    EXPECT_FALSE(llvm::is_contained(op->getUsers(), cast<Value>(size).getDefiningOp()));
}

TEST_F(InterfacesTest, GateReifiesItsShape) {
  auto gate = parse<GateOp>(R"(
    func.func @f(%x: tensor<?x8xf32>, %V: tensor<8x2x?xf32>) {
      %g = lstm.gate [sigmoid, tanh] dot(%x, %V : tensor<?x8xf32>, tensor<8x2x?xf32>)
          : tensor<?x2x?xf32>
      return
    })");
  builder.setInsertionPoint(gate);
  ReifiedRankedShapedTypeDims shapes;
  ASSERT_TRUE(succeeded(reifyResultShapes(builder, gate, shapes)));
  ASSERT_EQ(shapes[0].size(), 3u);
  EXPECT_EQ(getConstantIntValue(shapes[0][1]), 2);
  auto source = [](OpFoldResult size) {
    return cast<Value>(size).getDefiningOp<tensor::DimOp>().getSource();
  };
  EXPECT_EQ(source(shapes[0][0]), gate.getDotLhs()[0]);
  EXPECT_EQ(source(shapes[0][2]), gate.getDotRhs()[0]);
}

TEST_F(InterfacesTest, CellReifiesItsShapes) {
  auto cell = parse<CellOp>(R"(
    func.func @f(%x: tensor<?x8xf32>, %W: tensor<8x4x16xf32>, %h: tensor<?x16xf32>,
                 %U: tensor<16x4x16xf32>, %c: tensor<?x16xf32>) {
      %h1, %c1 = lstm.cell input(%x, %W : tensor<?x8xf32>, tensor<8x4x16xf32>)
          state(%h, %U : tensor<?x16xf32>, tensor<16x4x16xf32>) cell(%c : tensor<?x16xf32>)
      return
    })");
  builder.setInsertionPoint(cell);
  ReifiedRankedShapedTypeDims shapes;
  ASSERT_TRUE(succeeded(reifyResultShapes(builder, cell, shapes)));
  ASSERT_EQ(shapes.size(), 2u);
  for (auto &shape : shapes) {
    ASSERT_EQ(shape.size(), 2u);
    EXPECT_TRUE(isa<Value>(shape[0]));
    EXPECT_EQ(getConstantIntValue(shape[1]), 16);
  }
}
} // namespace
