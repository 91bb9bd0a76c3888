// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plain recurrent network.
//
//     h' = tanh(x W + h U + b)
//
// Elman, "Finding structure in time" (1990).

func.func @main(%x: tensor<?x?x24xf32>, %h0: tensor<?x36xf32>, %W: tensor<24x36xf32>,
                %U: tensor<36x36xf32>, %b: tensor<36xf32>)
    -> (tensor<?x?x36xf32> {lstm.name = "ys"}, tensor<?x36xf32> {lstm.name = "hT"}) {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %T = tensor.dim %x, %i0 : tensor<?x?x24xf32>
  %B = tensor.dim %x, %i1 : tensor<?x?x24xf32>
  %ys0 = tensor.empty(%T, %B) : tensor<?x?x36xf32>
  %ys, %hT = lstm.recurrence over(%xt = %x : tensor<?x?x24xf32>) init(%h = %h0 : tensor<?x36xf32>)
      outs(%ys0 : tensor<?x?x36xf32>) {
    %h1 = lstm.rnn_cell input(%xt, %W : tensor<?x24xf32>, tensor<24x36xf32>)
        state(%h, %U : tensor<?x36xf32>, tensor<36x36xf32>) bias(%b : tensor<36xf32>)
    lstm.yield state(%h1 : tensor<?x36xf32>) out(%h1 : tensor<?x36xf32>)
  }
  return %ys, %hT : tensor<?x?x36xf32>, tensor<?x36xf32>
}
