// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %python %lstm_src/test/Integration/CPU/check.py numbers %s
//
// One function is called with two and with five steps.
//
// CASE two and five steps
// IN x2 = [[[0.1]], [[0.2]]]
// IN x5 = [[[0.1]], [[0.2]], [[0.3]], [[0.4]], [[0.5]]]
// OUT ys2 = [[[0.099668]], [[0.244763]]]
// OUT ys5 = [[[0.099668]], [[0.244763]], [[0.398935]], [[0.53667]], [[0.64596]]]

func.func private @rnn(%x: tensor<?x1x1xf32>) -> tensor<?x1x1xf32> attributes {no_inline} {
  %i0 = arith.constant 0 : index
  %T = tensor.dim %x, %i0 : tensor<?x1x1xf32>
  %ys0 = tensor.empty(%T) : tensor<?x1x1xf32>
  %h0 = arith.constant dense<0.0> : tensor<1x1xf32>
  %W = arith.constant dense<1.0> : tensor<1x1xf32>
  %U = arith.constant dense<0.5> : tensor<1x1xf32>
  %ys, %hT = lstm.recurrence over(%xt = %x : tensor<?x1x1xf32>) init(%h = %h0 : tensor<1x1xf32>)
      outs(%ys0 : tensor<?x1x1xf32>) {
    %h1 = lstm.rnn_cell input(%xt, %W : tensor<1x1xf32>, tensor<1x1xf32>) state(%h, %U : tensor<1x1xf32>, tensor<1x1xf32>)
    lstm.yield state(%h1 : tensor<1x1xf32>) out(%h1 : tensor<1x1xf32>)
  }
  return %ys : tensor<?x1x1xf32>
}

func.func @main(%x2: tensor<?x1x1xf32>, %x5: tensor<?x1x1xf32>)
    -> (tensor<?x1x1xf32> {lstm.name = "ys2"}, tensor<?x1x1xf32> {lstm.name = "ys5"}) {
  %ys2 = call @rnn(%x2) : (tensor<?x1x1xf32>) -> tensor<?x1x1xf32>
  %ys5 = call @rnn(%x5) : (tensor<?x1x1xf32>) -> tensor<?x1x1xf32>
  return %ys2, %ys5 : tensor<?x1x1xf32>, tensor<?x1x1xf32>
}
