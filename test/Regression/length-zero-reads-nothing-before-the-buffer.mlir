// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %python %lstm_src/test/Integration/CPU/check.py numbers %s
//
// A row of length 0 has no last step to read the final state from.
//
// CASE one row of length 0
// IN x = [[[nan], [3]], [[nan], [9]], [[nan], [nan]]]
// IN h0 = [[0.25], [0.25]]
// IN len = [0, 2]
// IN ys0 = np.full((3, 2, 1), nan)
// OUT ys = [[[0], [0.996147]], [[0], [0.999999977]], [[0], [0]]]
// OUT hT = [[0.25], [0.999999977]]
// CASE every row of length 0
// IN x = np.full((3, 2, 1), nan)
// IN h0 = [[0.25], [-0.5]]
// IN len = [0, 0]
// IN ys0 = np.full((3, 2, 1), nan)
// OUT ys = np.zeros((3, 2, 1))
// OUT hT = [[0.25], [-0.5]]
// CASE every row of length 0, backwards @reversed
// IN x = np.full((3, 2, 1), nan)
// IN h0 = [[0.25], [-0.5]]
// IN len = [0, 0]
// IN ys0 = np.full((3, 2, 1), nan)
// OUT ys = np.zeros((3, 2, 1))
// OUT hT = [[0.25], [-0.5]]

func.func @main(%x: tensor<?x?x1xf32>, %h0: tensor<?x1xf32>, %len: tensor<?xi32>, %ys0: tensor<?x?x1xf32>)
    -> (tensor<?x?x1xf32> {lstm.name = "ys"}, tensor<?x1xf32> {lstm.name = "hT"}) {
  %W = arith.constant dense<1.0> : tensor<1x1xf32>
  %U = arith.constant dense<0.5> : tensor<1x1xf32>
  %ys, %hT = lstm.recurrence over(%xt = %x : tensor<?x?x1xf32>) init(%h = %h0 : tensor<?x1xf32>)
      lengths(%len : tensor<?xi32>) outs(%ys0 : tensor<?x?x1xf32>) {
    %h1 = lstm.rnn_cell input(%xt, %W : tensor<?x1xf32>, tensor<1x1xf32>) state(%h, %U : tensor<?x1xf32>, tensor<1x1xf32>)
    lstm.yield state(%h1 : tensor<?x1xf32>) out(%h1 : tensor<?x1xf32>)
  }
  return %ys, %hT : tensor<?x?x1xf32>, tensor<?x1xf32>
}

func.func @reversed(%x: tensor<?x?x1xf32>, %h0: tensor<?x1xf32>, %len: tensor<?xi32>, %ys0: tensor<?x?x1xf32>)
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
