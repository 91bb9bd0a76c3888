// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two LSTM layers in one recurrence: the second one takes the first one's state of
// the same step.
//
//     h_1, c_1 = lstm_1(x[t], h_1, c_1)
//     h_2, c_2 = lstm_2(h_1, h_2, c_2)    ys[t] = h_2
//
// Graves, "Generating sequences with recurrent neural networks" (2013). The layers
// have 40 and 28 units.

func.func @main(%x: tensor<?x?x24xf32>, %len: tensor<?xi32>, %h0_1: tensor<?x40xf32>,
                %c0_1: tensor<?x40xf32>, %h0_2: tensor<?x28xf32>, %c0_2: tensor<?x28xf32>,
                %W1: tensor<24x4x40xf32>, %U1: tensor<40x4x40xf32>, %b1: tensor<4x40xf32>,
                %W2: tensor<40x4x28xf32>, %U2: tensor<28x4x28xf32>, %b2: tensor<4x28xf32>)
    -> (tensor<?x?x28xf32> {lstm.name = "ys"},
        tensor<?x40xf32> {lstm.name = "hT_1"},
        tensor<?x40xf32> {lstm.name = "cT_1"},
        tensor<?x28xf32> {lstm.name = "hT_2"},
        tensor<?x28xf32> {lstm.name = "cT_2"}) {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %T = tensor.dim %x, %i0 : tensor<?x?x24xf32>
  %B = tensor.dim %x, %i1 : tensor<?x?x24xf32>
  %ys0 = tensor.empty(%T, %B) : tensor<?x?x28xf32>
  %ys, %hT_1, %cT_1, %hT_2, %cT_2 = lstm.recurrence over(%xt = %x : tensor<?x?x24xf32>)
      init(%h1 = %h0_1, %c1 = %c0_1, %h2 = %h0_2, %c2 = %c0_2
          : tensor<?x40xf32>, tensor<?x40xf32>, tensor<?x28xf32>, tensor<?x28xf32>)
      lengths(%len : tensor<?xi32>) outs(%ys0 : tensor<?x?x28xf32>) {
    %h1n, %c1n = lstm.cell input(%xt, %W1 : tensor<?x24xf32>, tensor<24x4x40xf32>)
        state(%h1, %U1 : tensor<?x40xf32>, tensor<40x4x40xf32>)
        cell(%c1 : tensor<?x40xf32>) bias(%b1 : tensor<4x40xf32>)
    %h2n, %c2n = lstm.cell input(%h1n, %W2 : tensor<?x40xf32>, tensor<40x4x28xf32>)
        state(%h2, %U2 : tensor<?x28xf32>, tensor<28x4x28xf32>)
        cell(%c2 : tensor<?x28xf32>) bias(%b2 : tensor<4x28xf32>)
    lstm.yield state(%h1n, %c1n, %h2n, %c2n
            : tensor<?x40xf32>, tensor<?x40xf32>, tensor<?x28xf32>, tensor<?x28xf32>)
        out(%h2n : tensor<?x28xf32>)
  }
  return %ys, %hT_1, %cT_1, %hT_2, %cT_2
      : tensor<?x?x28xf32>, tensor<?x40xf32>, tensor<?x40xf32>, tensor<?x28xf32>, tensor<?x28xf32>
}
