// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: lstm-opt %s --split-input-file --verify-diagnostics
//
// A state of one row is not spread over the rows of the input.

func.func @recurrence(%x: tensor<3x2x1xf32>, %h0: tensor<1x1xf32>) -> tensor<1x1xf32> {
  // expected-error@+1 {{expects state #0 to have batch 2 as sequence #0, but got 1}}
  %hT = lstm.recurrence over(%xt = %x : tensor<3x2x1xf32>) init(%h = %h0 : tensor<1x1xf32>) {
    lstm.yield state(%h : tensor<1x1xf32>)
  }
  return %hT : tensor<1x1xf32>
}

// -----

func.func @cell(%x: tensor<5x3xf32>, %W: tensor<3x3x4xf32>, %h: tensor<2x4xf32>, %U: tensor<4x3x4xf32>) -> tensor<2x4xf32> {
  // expected-error@+1 {{expects 'input' dim #0 to be B = 2 as in 'state', but got 5}}
  %h1 = lstm.gru_cell reset_after input(%x, %W : tensor<5x3xf32>, tensor<3x3x4xf32>)
      state(%h, %U : tensor<2x4xf32>, tensor<4x3x4xf32>)
  return %h1 : tensor<2x4xf32>
}

// -----

func.func @gates(%x: tensor<5x3xf32>, %W: tensor<3x4x4xf32>, %h: tensor<5x4xf32>, %U: tensor<4x3x4xf32>) -> tensor<5x4xf32> {
  // expected-error@+1 {{expects 'input_weight' dim #1 to be 3 gates, but got 4}}
  %h1 = lstm.gru_cell reset_after input(%x, %W : tensor<5x3xf32>, tensor<3x4x4xf32>)
      state(%h, %U : tensor<5x4xf32>, tensor<4x3x4xf32>)
  return %h1 : tensor<5x4xf32>
}
