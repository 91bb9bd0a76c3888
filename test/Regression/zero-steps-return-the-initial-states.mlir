// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %python %lstm_src/test/Integration/CPU/check.py numbers %s
//
// CASE RNN @rnn
// IN x = np.zeros((0, 2, 1))
// IN h0 = [[0.25], [-0.5]]
// IN ys0 = np.zeros((0, 2, 1))
// OUT ys = np.zeros((0, 2, 1))
// OUT hT = [[0.25], [-0.5]]
// CASE RNN with lengths @rnn_lengths
// IN x = np.zeros((0, 2, 1))
// IN h0 = [[0.25], [-0.5]]
// IN len = [0, 0]
// IN ys0 = np.zeros((0, 2, 1))
// OUT ys = np.zeros((0, 2, 1))
// OUT hT = [[0.25], [-0.5]]
// CASE LSTM @lstm
// IN x = np.zeros((0, 2, 1))
// IN h0 = [[0.25], [-0.5]]
// IN c0 = [[1.5], [2.5]]
// IN ys0 = np.zeros((0, 2, 1))
// OUT ys = np.zeros((0, 2, 1))
// OUT hT = [[0.25], [-0.5]]
// OUT cT = [[1.5], [2.5]]
// CASE no steps, statically @static
// IN x = np.zeros((0, 2, 1))
// IN h0 = [[0.25], [-0.5]]
// OUT hT = [[0.25], [-0.5]]

func.func @rnn(%x: tensor<?x?x1xf32>, %h0: tensor<?x1xf32>, %ys0: tensor<?x?x1xf32>)
    -> (tensor<?x?x1xf32> {lstm.name = "ys"}, tensor<?x1xf32> {lstm.name = "hT"}) {
  %W = arith.constant dense<1.0> : tensor<1x1xf32>
  %U = arith.constant dense<0.5> : tensor<1x1xf32>
  %ys, %hT = lstm.recurrence over(%xt = %x : tensor<?x?x1xf32>) init(%h = %h0 : tensor<?x1xf32>)
      outs(%ys0 : tensor<?x?x1xf32>) {
    %h1 = lstm.rnn_cell input(%xt, %W : tensor<?x1xf32>, tensor<1x1xf32>) state(%h, %U : tensor<?x1xf32>, tensor<1x1xf32>)
    lstm.yield state(%h1 : tensor<?x1xf32>) out(%h1 : tensor<?x1xf32>)
  }
  return %ys, %hT : tensor<?x?x1xf32>, tensor<?x1xf32>
}

func.func @rnn_lengths(%x: tensor<?x?x1xf32>, %h0: tensor<?x1xf32>, %len: tensor<?xi32>, %ys0: tensor<?x?x1xf32>)
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

func.func @lstm(%x: tensor<?x?x1xf32>, %h0: tensor<?x1xf32>, %c0: tensor<?x1xf32>, %ys0: tensor<?x?x1xf32>)
    -> (tensor<?x?x1xf32> {lstm.name = "ys"}, tensor<?x1xf32> {lstm.name = "hT"}, tensor<?x1xf32> {lstm.name = "cT"}) {
  %W = arith.constant dense<[[[1.0], [3.0], [4.0], [2.0]]]> : tensor<1x4x1xf32>
  %U = arith.constant dense<[[[0.1], [0.3], [0.4], [0.2]]]> : tensor<1x4x1xf32>
  %ys, %hT, %cT = lstm.recurrence over(%xt = %x : tensor<?x?x1xf32>)
      init(%h = %h0, %c = %c0 : tensor<?x1xf32>, tensor<?x1xf32>) outs(%ys0 : tensor<?x?x1xf32>) {
    %h1, %c1 = lstm.cell input(%xt, %W : tensor<?x1xf32>, tensor<1x4x1xf32>)
        state(%h, %U : tensor<?x1xf32>, tensor<1x4x1xf32>) cell(%c : tensor<?x1xf32>)
    lstm.yield state(%h1, %c1 : tensor<?x1xf32>, tensor<?x1xf32>) out(%h1 : tensor<?x1xf32>)
  }
  return %ys, %hT, %cT : tensor<?x?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>
}

func.func @static(%x: tensor<0x2x1xf32>, %h0: tensor<2x1xf32>) -> (tensor<2x1xf32> {lstm.name = "hT"}) {
  %hT = lstm.recurrence over(%xt = %x : tensor<0x2x1xf32>) init(%h = %h0 : tensor<2x1xf32>) {
    %h1 = lstm.gate tanh add(%h : tensor<2x1xf32>) add(%xt : tensor<2x1xf32>) : tensor<2x1xf32>
    lstm.yield state(%h1 : tensor<2x1xf32>)
  }
  return %hT : tensor<2x1xf32>
}
