// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %python %lstm_src/test/Integration/CPU/check.py numbers %s
//
// Weights in another order give plausible but wrong numbers: 0.649989 and 1.417642
// here for i, o, f, g, and 0.993050 for z, r, n.
//
// CASE LSTM @lstm
// IN x = [[0.5]]
// IN h = [[0]]
// IN c = [[1]]
// OUT h1 = [[0.757745]]
// OUT c1 = [[1.294477]]
// CASE GRU @gru
// IN x = [[0.5]]
// IN h = [[1]]
// OUT h1 = [[0.994843]]

func.func @lstm(%x: tensor<?x1xf32>, %h: tensor<?x1xf32>, %c: tensor<?x1xf32>)
    -> (tensor<?x1xf32> {lstm.name = "h1"}, tensor<?x1xf32> {lstm.name = "c1"}) {
  %W = arith.constant dense<[[[1.0], [2.0], [3.0], [4.0]]]> : tensor<1x4x1xf32>
  %U = arith.constant dense<0.0> : tensor<1x4x1xf32>
  %h1, %c1 = lstm.cell input(%x, %W : tensor<?x1xf32>, tensor<1x4x1xf32>)
      state(%h, %U : tensor<?x1xf32>, tensor<1x4x1xf32>) cell(%c : tensor<?x1xf32>)
  return %h1, %c1 : tensor<?x1xf32>, tensor<?x1xf32>
}

func.func @gru(%x: tensor<?x1xf32>, %h: tensor<?x1xf32>) -> (tensor<?x1xf32> {lstm.name = "h1"}) {
  %W = arith.constant dense<[[[1.0], [2.0], [3.0]]]> : tensor<1x3x1xf32>
  %U = arith.constant dense<0.7> : tensor<1x3x1xf32>
  %h1 = lstm.gru_cell reset_after input(%x, %W : tensor<?x1xf32>, tensor<1x3x1xf32>)
      state(%h, %U : tensor<?x1xf32>, tensor<1x3x1xf32>)
  return %h1 : tensor<?x1xf32>
}
