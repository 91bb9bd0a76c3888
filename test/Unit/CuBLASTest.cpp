//===- CuBLASTest.cpp - Unit tests of the cublas dialect -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnitTest.h"

#include "lstm/Dialect/CuBLAS/IR/CuBLAS.h"

using namespace mlir;
using namespace mlir::lstm;

namespace {
using CuBLASTest = LSTMTest;

TEST_F(CuBLASTest, ReadsDestinationOnlyIfBetaSaysSo) {
  Type f32 = builder.getF32Type();
  SmallVector<Value> args = startFunction(
      {MemRefType::get({3, 5}, f32), MemRefType::get({5, 7}, f32), MemRefType::get({3, 7}, f32)});
  for (double beta : {0.0, 0.5}) {
    auto gemm = cublas::GemmOp::create(builder, loc, args[0], args[1], args[2], /*transposeA=*/false,
                                       /*transposeB=*/false, /*alpha=*/1.0, beta);
    auto has = [&]<typename Effect>(Value value) {
      SmallVector<MemoryEffects::EffectInstance> effects;
      cast<MemoryEffectOpInterface>(gemm.getOperation()).getEffectsOnValue(value, effects);
      return llvm::any_of(effects, [](auto &effect) { return isa<Effect>(effect.getEffect()); });
    };
    for (Value input : {args[0], args[1]}) {
      EXPECT_TRUE(has.operator()<MemoryEffects::Read>(input));
      EXPECT_FALSE(has.operator()<MemoryEffects::Write>(input));
    }
    EXPECT_EQ(has.operator()<MemoryEffects::Read>(args[2]), beta != 0);
    EXPECT_TRUE(has.operator()<MemoryEffects::Write>(args[2]));
  }
  EXPECT_TRUE(verifies());
}

TEST_F(CuBLASTest, TakesTokens) {
  Type f64 = builder.getF64Type();
  SmallVector<Value> args =
      startFunction({MemRefType::get({3, 5}, f64), MemRefType::get({5, 7}, f64),
                     MemRefType::get({3, 7}, f64), builder.getType<gpu::AsyncTokenType>()});
  auto gemm = cublas::GemmOp::create(builder, loc, args[0], args[1], args[2], false, false);
  EXPECT_EQ(gemm.getComputeType(), cublas::ComputeType::F64);
  auto async = cast<gpu::AsyncOpInterface>(gemm.getOperation());
  EXPECT_EQ(async.getAsyncToken(), Value());
  async.addAsyncDependency(args[3]);
  async.addAsyncDependency(args[3]);
  EXPECT_EQ(llvm::to_vector(async.getAsyncDependencies()), SmallVector<Value>{args[3]});
  EXPECT_TRUE(verifies());
}
} // namespace
