// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LSTM with a projected state: h is smaller than c.
//
//     i, f, o = sigmoid(x W + h U + b)    g = tanh(x W_g + h U_g + b_g)
//     c' = f * c + i * g
//     h' = (o * tanh(c')) R
//
// Sak, Senior, Beaufays, "Long short-term memory based recurrent neural network
// architectures for large vocabulary speech recognition" (2014). Input 24, hidden
// 40, projected 16.

func.func @main(%x: tensor<?x?x24xf32>, %h0: tensor<?x16xf32>, %c0: tensor<?x40xf32>,
                %len: tensor<?xi32>, %W: tensor<24x4x40xf32>, %U: tensor<16x4x40xf32>,
                %b: tensor<4x40xf32>, %R: tensor<40x16xf32>)
    -> (tensor<?x?x16xf32> {lstm.name = "ys"},
        tensor<?x16xf32> {lstm.name = "hT"},
        tensor<?x40xf32> {lstm.name = "cT"}) {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %T = tensor.dim %x, %i0 : tensor<?x?x24xf32>
  %B = tensor.dim %x, %i1 : tensor<?x?x24xf32>
  %ys0 = tensor.empty(%T, %B) : tensor<?x?x16xf32>
  %ys, %hT, %cT = lstm.recurrence over(%xt = %x : tensor<?x?x24xf32>)
      init(%h = %h0, %c = %c0 : tensor<?x16xf32>, tensor<?x40xf32>)
      lengths(%len : tensor<?xi32>) outs(%ys0 : tensor<?x?x16xf32>) {
    %h1, %c1 = lstm.cell input(%xt, %W : tensor<?x24xf32>, tensor<24x4x40xf32>)
        state(%h, %U : tensor<?x16xf32>, tensor<16x4x40xf32>)
        cell(%c : tensor<?x40xf32>) bias(%b : tensor<4x40xf32>)
        projection(%R : tensor<40x16xf32>)
    lstm.yield state(%h1, %c1 : tensor<?x16xf32>, tensor<?x40xf32>) out(%h1 : tensor<?x16xf32>)
  }
  return %ys, %hT, %cT : tensor<?x?x16xf32>, tensor<?x16xf32>, tensor<?x40xf32>
}
