// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gated recurrent unit, reset gate before the product with the state.
//
//     r = sigmoid(x W_r + h U_r + b_r + d_r)    z = sigmoid(x W_z + h U_z + b_z + d_z)
//     n = tanh(x W_n + (r * h) U_n + b_n + d_n)
//     h' = (1 - z) * n + z * h
//
// Cho et al., "Learning phrase representations using RNN encoder-decoder for
// statistical machine translation" (2014). Gates lie in the order r, z, n.

func.func @main(%x: tensor<?x?x20xf32>, %h0: tensor<?x44xf32>, %len: tensor<?xi32>,
                %W: tensor<20x3x44xf32>, %U: tensor<44x3x44xf32>, %b: tensor<3x44xf32>,
                %d: tensor<3x44xf32>)
    -> (tensor<?x?x44xf32> {lstm.name = "ys"}, tensor<?x44xf32> {lstm.name = "hT"}) {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %T = tensor.dim %x, %i0 : tensor<?x?x20xf32>
  %B = tensor.dim %x, %i1 : tensor<?x?x20xf32>
  %ys0 = tensor.empty(%T, %B) : tensor<?x?x44xf32>
  %ys, %hT = lstm.recurrence over(%xt = %x : tensor<?x?x20xf32>) init(%h = %h0 : tensor<?x44xf32>)
      lengths(%len : tensor<?xi32>) outs(%ys0 : tensor<?x?x44xf32>) {
    %h1 = lstm.gru_cell reset_before input(%xt, %W : tensor<?x20xf32>, tensor<20x3x44xf32>)
        state(%h, %U : tensor<?x44xf32>, tensor<44x3x44xf32>)
        bias(%b : tensor<3x44xf32>) recurrent_bias(%d : tensor<3x44xf32>)
    lstm.yield state(%h1 : tensor<?x44xf32>) out(%h1 : tensor<?x44xf32>)
  }
  return %ys, %hT : tensor<?x?x44xf32>, tensor<?x44xf32>
}
