// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LSTM with coupled input and forget gates: what is forgotten makes room for what
// comes in.
//
//     i = sigmoid(x W_i + h U_i + b_i)    g = tanh(x W_g + h U_g + b_g)
//     o = sigmoid(x W_o + h U_o + b_o)
//     c' = (1 - i) * c + i * g            h' = o * tanh(c')
//
// Greff et al., "LSTM: a search space odyssey" (2017), variant CIFG; ONNX operator
// LSTM, input_forget. Gates lie in the order i, g, o.

func.func @main(%x: tensor<?x?x18xf32>, %h0: tensor<?x44xf32>, %c0: tensor<?x44xf32>,
                %len: tensor<?xi32>, %W: tensor<18x3x44xf32>, %U: tensor<44x3x44xf32>,
                %b: tensor<3x44xf32>)
    -> (tensor<?x?x44xf32> {lstm.name = "ys"},
        tensor<?x44xf32> {lstm.name = "hT"},
        tensor<?x44xf32> {lstm.name = "cT"}) {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %T = tensor.dim %x, %i0 : tensor<?x?x18xf32>
  %B = tensor.dim %x, %i1 : tensor<?x?x18xf32>
  %ys0 = tensor.empty(%T, %B) : tensor<?x?x44xf32>
  %ys, %hT, %cT = lstm.recurrence over(%xt = %x : tensor<?x?x18xf32>)
      init(%h = %h0, %c = %c0 : tensor<?x44xf32>, tensor<?x44xf32>)
      lengths(%len : tensor<?xi32>) outs(%ys0 : tensor<?x?x44xf32>) {
    %h1, %c1 = lstm.cell input(%xt, %W : tensor<?x18xf32>, tensor<18x3x44xf32>)
        state(%h, %U : tensor<?x44xf32>, tensor<44x3x44xf32>)
        cell(%c : tensor<?x44xf32>) bias(%b : tensor<3x44xf32>)
        coupled
    lstm.yield state(%h1, %c1 : tensor<?x44xf32>, tensor<?x44xf32>) out(%h1 : tensor<?x44xf32>)
  }
  return %ys, %hT, %cT : tensor<?x?x44xf32>, tensor<?x44xf32>, tensor<?x44xf32>
}
