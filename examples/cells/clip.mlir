// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LSTM that clamps what every activation gets.
//
//     i, f, o = sigmoid(clip(x W + h U + b))    g = tanh(clip(x W_g + h U_g + b_g))
//     c' = f * c + i * g                        h' = o * tanh(clip(c'))
//     clip(z) = max(-0.75, min(0.75, z))
//
// ONNX operator LSTM, clip. The c' that is carried on is not clamped.

func.func @main(%x: tensor<?x?x22xf32>, %h0: tensor<?x40xf32>, %c0: tensor<?x40xf32>,
                %len: tensor<?xi32>, %W: tensor<22x4x40xf32>, %U: tensor<40x4x40xf32>,
                %b: tensor<4x40xf32>)
    -> (tensor<?x?x40xf32> {lstm.name = "ys"},
        tensor<?x40xf32> {lstm.name = "hT"},
        tensor<?x40xf32> {lstm.name = "cT"}) {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %T = tensor.dim %x, %i0 : tensor<?x?x22xf32>
  %B = tensor.dim %x, %i1 : tensor<?x?x22xf32>
  %ys0 = tensor.empty(%T, %B) : tensor<?x?x40xf32>
  %ys, %hT, %cT = lstm.recurrence over(%xt = %x : tensor<?x?x22xf32>)
      init(%h = %h0, %c = %c0 : tensor<?x40xf32>, tensor<?x40xf32>)
      lengths(%len : tensor<?xi32>) outs(%ys0 : tensor<?x?x40xf32>) {
    %h1, %c1 = lstm.cell input(%xt, %W : tensor<?x22xf32>, tensor<22x4x40xf32>)
        state(%h, %U : tensor<?x40xf32>, tensor<40x4x40xf32>)
        cell(%c : tensor<?x40xf32>) bias(%b : tensor<4x40xf32>)
        clip 0.75
    lstm.yield state(%h1, %c1 : tensor<?x40xf32>, tensor<?x40xf32>) out(%h1 : tensor<?x40xf32>)
  }
  return %ys, %hT, %cT : tensor<?x?x40xf32>, tensor<?x40xf32>, tensor<?x40xf32>
}
