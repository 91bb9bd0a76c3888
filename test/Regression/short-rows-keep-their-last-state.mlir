// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %python %lstm_src/test/Integration/CPU/check.py numbers %s
//
// The final state of a short row is that of its last valid step, and what lies
// behind the longest row is written, too.
//
// CASE LSTM @lstm
// IN x = [[[0.5], [.5]], [[0.5], [nan]]]
// IN h0 = [[0], [0]]
// IN c0 = [[0], [0]]
// IN len = [2, 1]
// IN ys0 = np.full((2, 2, 1), nan)
// OUT ys = [[[0.39265], [0.39265]], [[0.601505], [0]]]
// OUT hT = [[0.601505], [0.39265]]
// OUT cT = [[1.115715], [0.600068]]
// CASE behind the longest row @rnn
// IN x = [[[1], [3]], [[2], [nan]], [[nan], [nan]]]
// IN h0 = [[0], [0]]
// IN len = [2, 1]
// IN ys0 = np.full((3, 2, 1), nan)
// OUT ys = [[[0.761594], [0.995055]], [[0.983041], [0]], [[0], [0]]]
// OUT hT = [[0.983041], [0.995055]]

func.func @lstm(%x: tensor<?x?x1xf32>, %h0: tensor<?x1xf32>, %c0: tensor<?x1xf32>, %len: tensor<?xi32>, %ys0: tensor<?x?x1xf32>)
    -> (tensor<?x?x1xf32> {lstm.name = "ys"}, tensor<?x1xf32> {lstm.name = "hT"}, tensor<?x1xf32> {lstm.name = "cT"}) {
  %W = arith.constant dense<[[[1.0], [3.0], [4.0], [2.0]]]> : tensor<1x4x1xf32>
  %U = arith.constant dense<[[[0.1], [0.3], [0.4], [0.2]]]> : tensor<1x4x1xf32>
  %ys, %hT, %cT = lstm.recurrence over(%xt = %x : tensor<?x?x1xf32>)
      init(%h = %h0, %c = %c0 : tensor<?x1xf32>, tensor<?x1xf32>) lengths(%len : tensor<?xi32>) outs(%ys0 : tensor<?x?x1xf32>) {
    %h1, %c1 = lstm.cell input(%xt, %W : tensor<?x1xf32>, tensor<1x4x1xf32>)
        state(%h, %U : tensor<?x1xf32>, tensor<1x4x1xf32>) cell(%c : tensor<?x1xf32>)
    lstm.yield state(%h1, %c1 : tensor<?x1xf32>, tensor<?x1xf32>) out(%h1 : tensor<?x1xf32>)
  }
  return %ys, %hT, %cT : tensor<?x?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>
}

func.func @rnn(%x: tensor<?x?x1xf32>, %h0: tensor<?x1xf32>, %len: tensor<?xi32>, %ys0: tensor<?x?x1xf32>)
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
