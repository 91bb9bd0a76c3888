// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Independently recurrent network: each unit sees only its own past.
//
//     h' = relu(x W + u * h + b)
//
// Li, Li, Cook, Zhu, Gao, "Independently recurrent neural network (IndRNN):
// building a longer and deeper RNN" (2018).

func.func @main(%x: tensor<?x?x24xf32>, %h0: tensor<?x40xf32>, %W: tensor<24x40xf32>,
                %u: tensor<40xf32>, %b: tensor<40xf32>)
    -> (tensor<?x?x40xf32> {lstm.name = "ys"}, tensor<?x40xf32> {lstm.name = "hT"}) {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %T = tensor.dim %x, %i0 : tensor<?x?x24xf32>
  %B = tensor.dim %x, %i1 : tensor<?x?x24xf32>
  %ys0 = tensor.empty(%T, %B) : tensor<?x?x40xf32>
  %ys, %hT = lstm.recurrence over(%xt = %x : tensor<?x?x24xf32>) init(%h = %h0 : tensor<?x40xf32>)
      outs(%ys0 : tensor<?x?x40xf32>) {
    %h1 = lstm.gate relu dot(%xt, %W : tensor<?x24xf32>, tensor<24x40xf32>)
        scale(%h, %u : tensor<?x40xf32>, tensor<40xf32>) add(%b : tensor<40xf32>) : tensor<?x40xf32>
    lstm.yield state(%h1 : tensor<?x40xf32>) out(%h1 : tensor<?x40xf32>)
  }
  return %ys, %hT : tensor<?x?x40xf32>, tensor<?x40xf32>
}
