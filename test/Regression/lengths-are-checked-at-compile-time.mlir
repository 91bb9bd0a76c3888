// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: lstm-opt %s --split-input-file --verify-diagnostics
//
// Lengths are i32, of rank 1, as many as rows; constant ones are in range.

func.func @i64(%x: tensor<3x1x1xf32>, %h0: tensor<1x1xf32>, %len: tensor<1xi64>) -> tensor<1x1xf32> {
  // expected-error@+1 {{expects 'lengths' to be tensor<B x i32>, but got 'tensor<1xi64>'}}
  %hT = lstm.recurrence over(%xt = %x : tensor<3x1x1xf32>) init(%h = %h0 : tensor<1x1xf32>) lengths(%len : tensor<1xi64>) {
    %h1 = arith.addf %h, %xt : tensor<1x1xf32>
    lstm.yield state(%h1 : tensor<1x1xf32>)
  }
  return %hT : tensor<1x1xf32>
}

// -----

func.func @rank_two(%x: tensor<3x1x1xf32>, %h0: tensor<1x1xf32>, %len: tensor<1x1xi32>) -> tensor<1x1xf32> {
  // expected-error@+1 {{but got 'tensor<1x1xi32>'}}
  %hT = lstm.recurrence over(%xt = %x : tensor<3x1x1xf32>) init(%h = %h0 : tensor<1x1xf32>) lengths(%len : tensor<1x1xi32>) {
    %h1 = arith.addf %h, %xt : tensor<1x1xf32>
    lstm.yield state(%h1 : tensor<1x1xf32>)
  }
  return %hT : tensor<1x1xf32>
}

// -----

func.func @rows(%x: tensor<3x1x1xf32>, %h0: tensor<1x1xf32>, %len: tensor<2xi32>) -> tensor<1x1xf32> {
  // expected-error@+1 {{expects sequence #0 to have batch 2 as 'lengths', but got 1}}
  %hT = lstm.recurrence over(%xt = %x : tensor<3x1x1xf32>) init(%h = %h0 : tensor<1x1xf32>) lengths(%len : tensor<2xi32>) {
    %h1 = arith.addf %h, %xt : tensor<1x1xf32>
    lstm.yield state(%h1 : tensor<1x1xf32>)
  }
  return %hT : tensor<1x1xf32>
}

// -----

func.func @beyond(%x: tensor<3x1x1xf32>, %h0: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %len = arith.constant dense<4> : tensor<1xi32>
  // expected-error@+1 {{expects lengths[0] to be in 0...3, but got 4}}
  %hT = lstm.recurrence over(%xt = %x : tensor<3x1x1xf32>) init(%h = %h0 : tensor<1x1xf32>) lengths(%len : tensor<1xi32>) {
    %h1 = arith.addf %h, %xt : tensor<1x1xf32>
    lstm.yield state(%h1 : tensor<1x1xf32>)
  }
  return %hT : tensor<1x1xf32>
}

// -----

func.func @negative(%x: tensor<3x1x1xf32>, %h0: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %len = arith.constant dense<-1> : tensor<1xi32>
  // expected-error@+1 {{expects lengths[0] to be in 0...3, but got -1}}
  %hT = lstm.recurrence over(%xt = %x : tensor<3x1x1xf32>) init(%h = %h0 : tensor<1x1xf32>) lengths(%len : tensor<1xi32>) {
    %h1 = arith.addf %h, %xt : tensor<1x1xf32>
    lstm.yield state(%h1 : tensor<1x1xf32>)
  }
  return %hT : tensor<1x1xf32>
}
