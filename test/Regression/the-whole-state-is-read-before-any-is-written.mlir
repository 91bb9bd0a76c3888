// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %python %lstm_src/test/Integration/CPU/check.py numbers %s
//
// Each unit takes the other one's value. In one buffer, written unit by unit, the
// first case gives [2, 2].
//
// CASE one step
// IN x = np.zeros((1, 1, 1))
// IN h0 = [[1, 2]]
// OUT ys = [[[2, 1]]]
// OUT hT = [[2, 1]]
// CASE three steps, two rows
// IN x = np.zeros((3, 2, 1))
// IN h0 = [[1, 2], [3, 5]]
// OUT ys = [[[2, 1], [5, 3]], [[1, 2], [3, 5]], [[2, 1], [5, 3]]]
// OUT hT = [[2, 1], [5, 3]]
// CASE the other form of the state, written with a gate @gate
// IN x = np.zeros((3, 2, 1))
// IN h0 = [[1, 2], [3, 5]]
// OUT ys = [[[2, 1], [5, 3]], [[1, 2], [3, 5]], [[2, 1], [5, 3]]]
// OUT hT = [[2, 1], [5, 3]]

func.func @main(%x: tensor<?x?x1xf32>, %h0: tensor<?x2xf32>)
    -> (tensor<?x?x2xf32> {lstm.name = "ys"}, tensor<?x2xf32> {lstm.name = "hT"}) {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %T = tensor.dim %x, %i0 : tensor<?x?x1xf32>
  %B = tensor.dim %x, %i1 : tensor<?x?x1xf32>
  %ys0 = tensor.empty(%T, %B) : tensor<?x?x2xf32>
  %W = arith.constant dense<0.0> : tensor<1x2xf32>
  %U = arith.constant dense<[[0.0, 1.0], [1.0, 0.0]]> : tensor<2x2xf32>
  %ys, %hT = lstm.recurrence over(%xt = %x : tensor<?x?x1xf32>) init(%h = %h0 : tensor<?x2xf32>)
      outs(%ys0 : tensor<?x?x2xf32>) {
    %h1 = lstm.rnn_cell input(%xt, %W : tensor<?x1xf32>, tensor<1x2xf32>)
        state(%h, %U : tensor<?x2xf32>, tensor<2x2xf32>) activations [identity]
    lstm.yield state(%h1 : tensor<?x2xf32>) out(%h1 : tensor<?x2xf32>)
  }
  return %ys, %hT : tensor<?x?x2xf32>, tensor<?x2xf32>
}

func.func @gate(%x: tensor<?x?x1xf32>, %h0: tensor<?x2xf32>)
    -> (tensor<?x?x2xf32> {lstm.name = "ys"}, tensor<?x2xf32> {lstm.name = "hT"}) {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %T = tensor.dim %x, %i0 : tensor<?x?x1xf32>
  %B = tensor.dim %x, %i1 : tensor<?x?x1xf32>
  %ys0 = tensor.empty(%T, %B) : tensor<?x?x2xf32>
  %W = arith.constant dense<0.0> : tensor<1x2xf32>
  %U = arith.constant dense<[[0.0, 1.0], [1.0, 0.0]]> : tensor<2x2xf32>
  %ys, %hT = lstm.recurrence over(%xt = %x : tensor<?x?x1xf32>) init(%h = %h0 : tensor<?x2xf32>)
      outs(%ys0 : tensor<?x?x2xf32>) {
    %h1 = lstm.gate identity dot(%h, %U : tensor<?x2xf32>, tensor<2x2xf32>) : tensor<?x2xf32>
    lstm.yield state(%h1 : tensor<?x2xf32>) out(%h1 : tensor<?x2xf32>)
  }
  return %ys, %hT : tensor<?x?x2xf32>, tensor<?x2xf32>
}
