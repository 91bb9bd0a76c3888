// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %python %lstm_src/test/Integration/Rungs/rungs.py %s --phases 1
//
// T = 4, N = 2, H = 8, all of it static: no allocation and no copy in the time loop.

func.func @main(%x: tensor<4x2x3xf32>, %W: tensor<3x4x8xf32>, %U: tensor<8x4x8xf32>, %h0: tensor<2x8xf32>, %c0: tensor<2x8xf32>)
    -> (tensor<4x2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>) {
  %ys0 = tensor.empty() : tensor<4x2x8xf32>
  %ys, %hT, %cT = lstm.recurrence over(%xt = %x : tensor<4x2x3xf32>)
      init(%h = %h0, %c = %c0 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%ys0 : tensor<4x2x8xf32>) {
    %h1, %c1 = lstm.cell input(%xt, %W : tensor<2x3xf32>, tensor<3x4x8xf32>)
        state(%h, %U : tensor<2x8xf32>, tensor<8x4x8xf32>) cell(%c : tensor<2x8xf32>)
    lstm.yield state(%h1, %c1 : tensor<2x8xf32>, tensor<2x8xf32>) out(%h1 : tensor<2x8xf32>)
  }
  return %ys, %hT, %cT : tensor<4x2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>
}
