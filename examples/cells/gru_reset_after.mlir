// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gated recurrent unit, reset gate after the product with the state.
//
//     r = sigmoid(x W_r + h U_r + b_r + d_r)    z = sigmoid(x W_z + h U_z + b_z + d_z)
//     n = tanh(x W_n + b_n + r * (h U_n + d_n))
//     h' = (1 - z) * n + z * h
//
// The form of cuDNN and of torch.nn.GRU; ONNX operator GRU, linear_before_reset = 1.
// Gates lie in the order r, z, n.

func.func @main(%x: tensor<?x?x28xf32>, %h0: tensor<?x40xf32>, %len: tensor<?xi32>,
                %W: tensor<28x3x40xf32>, %U: tensor<40x3x40xf32>, %b: tensor<3x40xf32>,
                %d: tensor<3x40xf32>)
    -> (tensor<?x?x40xf32> {lstm.name = "ys"}, tensor<?x40xf32> {lstm.name = "hT"}) {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %T = tensor.dim %x, %i0 : tensor<?x?x28xf32>
  %B = tensor.dim %x, %i1 : tensor<?x?x28xf32>
  %ys0 = tensor.empty(%T, %B) : tensor<?x?x40xf32>
  %ys, %hT = lstm.recurrence over(%xt = %x : tensor<?x?x28xf32>) init(%h = %h0 : tensor<?x40xf32>)
      lengths(%len : tensor<?xi32>) outs(%ys0 : tensor<?x?x40xf32>) {
    %h1 = lstm.gru_cell reset_after input(%xt, %W : tensor<?x28xf32>, tensor<28x3x40xf32>)
        state(%h, %U : tensor<?x40xf32>, tensor<40x3x40xf32>)
        bias(%b : tensor<3x40xf32>) recurrent_bias(%d : tensor<3x40xf32>)
    lstm.yield state(%h1 : tensor<?x40xf32>) out(%h1 : tensor<?x40xf32>)
  }
  return %ys, %hT : tensor<?x?x40xf32>, tensor<?x40xf32>
}
