// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %python %lstm_src/test/Integration/CPU/check.py numbers %s
//
// Backwards means from length - 1 to 0, not from the end of the padding, and counts
// steps, not features.
//
// CASE short row
// IN x = [[[1]], [[2]], [[nan]]]
// IN h0 = [[0]]
// IN len = [2]
// IN ys0 = np.full((3, 1, 1), nan)
// OUT ys = [[[0.901845]], [[0.964028]], [[0]]]
// OUT hT = [[0.901845]]
// CASE full row
// IN x = [[[1]], [[2]], [[3]]]
// IN h0 = [[0]]
// IN len = [3]
// IN ys0 = np.full((3, 1, 1), nan)
// OUT ys = [[[0.903925]], [[0.986548]], [[0.995055]]]
// OUT hT = [[0.903925]]
// CASE two features @features
// IN x = [[[0.1, 0.2]], [[0.3, 0.4]], [[0.5, 0.6]]]
// IN h0 = [[0]]
// OUT ys = [[[-0.172616]], [[-0.148723]], [[-0.099668]]]

func.func @main(%x: tensor<?x?x1xf32>, %h0: tensor<?x1xf32>, %len: tensor<?xi32>, %ys0: tensor<?x?x1xf32>)
    -> (tensor<?x?x1xf32> {lstm.name = "ys"}, tensor<?x1xf32> {lstm.name = "hT"}) {
  %W = arith.constant dense<1.0> : tensor<1x1xf32>
  %U = arith.constant dense<0.5> : tensor<1x1xf32>
  %ys, %hT = lstm.recurrence over(%xt = %x : tensor<?x?x1xf32>) init(%h = %h0 : tensor<?x1xf32>)
      lengths(%len : tensor<?xi32>) reverse outs(%ys0 : tensor<?x?x1xf32>) {
    %h1 = lstm.rnn_cell input(%xt, %W : tensor<?x1xf32>, tensor<1x1xf32>) state(%h, %U : tensor<?x1xf32>, tensor<1x1xf32>)
    lstm.yield state(%h1 : tensor<?x1xf32>) out(%h1 : tensor<?x1xf32>)
  }
  return %ys, %hT : tensor<?x?x1xf32>, tensor<?x1xf32>
}

func.func @features(%x: tensor<?x1x2xf32>, %h0: tensor<1x1xf32>) -> (tensor<?x1x1xf32> {lstm.name = "ys"}) {
  %i0 = arith.constant 0 : index
  %T = tensor.dim %x, %i0 : tensor<?x1x2xf32>
  %ys0 = tensor.empty(%T) : tensor<?x1x1xf32>
  %W = arith.constant dense<[[1.0], [-1.0]]> : tensor<2x1xf32>
  %U = arith.constant dense<0.5> : tensor<1x1xf32>
  %ys, %hT = lstm.recurrence over(%xt = %x : tensor<?x1x2xf32>) init(%h = %h0 : tensor<1x1xf32>)
      reverse outs(%ys0 : tensor<?x1x1xf32>) {
    %h1 = lstm.rnn_cell input(%xt, %W : tensor<1x2xf32>, tensor<2x1xf32>) state(%h, %U : tensor<1x1xf32>, tensor<1x1xf32>)
    lstm.yield state(%h1 : tensor<1x1xf32>) out(%h1 : tensor<1x1xf32>)
  }
  return %ys : tensor<?x1x1xf32>
}
