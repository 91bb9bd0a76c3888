// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LSTM with peephole connections: the gates see the cell.
//
//     i = sigmoid(x W_i + h U_i + p_i * c + b_i)
//     f = sigmoid(x W_f + h U_f + p_f * c + b_f)
//     g = tanh(x W_g + h U_g + b_g)
//     c' = f * c + i * g
//     o = sigmoid(x W_o + h U_o + p_o * c' + b_o)
//     h' = o * tanh(c')
//
// Gers, Schraudolph, Schmidhuber, "Learning precise timing with LSTM recurrent
// networks" (2002). Peepholes lie in the order i, f, o.

func.func @main(%x: tensor<?x?x20xf32>, %h0: tensor<?x36xf32>, %c0: tensor<?x36xf32>,
                %len: tensor<?xi32>, %W: tensor<20x4x36xf32>, %U: tensor<36x4x36xf32>,
                %b: tensor<4x36xf32>, %p: tensor<3x36xf32>)
    -> (tensor<?x?x36xf32> {lstm.name = "ys"},
        tensor<?x36xf32> {lstm.name = "hT"},
        tensor<?x36xf32> {lstm.name = "cT"}) {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %T = tensor.dim %x, %i0 : tensor<?x?x20xf32>
  %B = tensor.dim %x, %i1 : tensor<?x?x20xf32>
  %ys0 = tensor.empty(%T, %B) : tensor<?x?x36xf32>
  %ys, %hT, %cT = lstm.recurrence over(%xt = %x : tensor<?x?x20xf32>)
      init(%h = %h0, %c = %c0 : tensor<?x36xf32>, tensor<?x36xf32>)
      lengths(%len : tensor<?xi32>) outs(%ys0 : tensor<?x?x36xf32>) {
    %h1, %c1 = lstm.cell input(%xt, %W : tensor<?x20xf32>, tensor<20x4x36xf32>)
        state(%h, %U : tensor<?x36xf32>, tensor<36x4x36xf32>)
        cell(%c : tensor<?x36xf32>) bias(%b : tensor<4x36xf32>)
        peephole(%p : tensor<3x36xf32>)
    lstm.yield state(%h1, %c1 : tensor<?x36xf32>, tensor<?x36xf32>) out(%h1 : tensor<?x36xf32>)
  }
  return %ys, %hT, %cT : tensor<?x?x36xf32>, tensor<?x36xf32>, tensor<?x36xf32>
}
