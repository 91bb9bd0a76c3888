// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %python %lstm_src/test/Integration/CPU/check.py numbers %s
//
// CASE default @plain
// IN x = [[[0.4]], [[-0.7]]]
// IN h0 = [[0]]
// IN ys0 = np.full((2, 1, 1), nan)
// OUT ys = [[[0.152478]], [[-0.329114]]]
// CASE hard sigmoid @hard
// IN x = [[[0.4]], [[-0.7]]]
// IN h0 = [[0]]
// IN ys0 = np.full((2, 1, 1), nan)
// OUT ys = [[[0.159579]], [[-0.305058]]]

func.func @plain(%x: tensor<?x?x1xf32>, %h0: tensor<?x1xf32>, %ys0: tensor<?x?x1xf32>)
    -> (tensor<?x?x1xf32> {lstm.name = "ys"}) {
  %W = arith.constant dense<1.0> : tensor<1x3x1xf32>
  %U = arith.constant dense<0.5> : tensor<1x3x1xf32>
  %ys, %hT = lstm.recurrence over(%xt = %x : tensor<?x?x1xf32>) init(%h = %h0 : tensor<?x1xf32>)
      outs(%ys0 : tensor<?x?x1xf32>) {
    %h1 = lstm.gru_cell reset_before input(%xt, %W : tensor<?x1xf32>, tensor<1x3x1xf32>)
        state(%h, %U : tensor<?x1xf32>, tensor<1x3x1xf32>)
    lstm.yield state(%h1 : tensor<?x1xf32>) out(%h1 : tensor<?x1xf32>)
  }
  return %ys : tensor<?x?x1xf32>
}

func.func @hard(%x: tensor<?x?x1xf32>, %h0: tensor<?x1xf32>, %ys0: tensor<?x?x1xf32>)
    -> (tensor<?x?x1xf32> {lstm.name = "ys"}) {
  %W = arith.constant dense<1.0> : tensor<1x3x1xf32>
  %U = arith.constant dense<0.5> : tensor<1x3x1xf32>
  %ys, %hT = lstm.recurrence over(%xt = %x : tensor<?x?x1xf32>) init(%h = %h0 : tensor<?x1xf32>)
      outs(%ys0 : tensor<?x?x1xf32>) {
    %h1 = lstm.gru_cell reset_before input(%xt, %W : tensor<?x1xf32>, tensor<1x3x1xf32>)
        state(%h, %U : tensor<?x1xf32>, tensor<1x3x1xf32>) activations [hard_sigmoid, tanh]
    lstm.yield state(%h1 : tensor<?x1xf32>) out(%h1 : tensor<?x1xf32>)
  }
  return %ys : tensor<?x?x1xf32>
}
