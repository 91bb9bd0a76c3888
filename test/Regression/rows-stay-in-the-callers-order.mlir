// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %python %lstm_src/test/Integration/CPU/check.py numbers %s
//
// Lengths need not be sorted, and no row may be as long as the sequence.
//
// CASE unsorted lengths
// IN x = [[[.1], [1], [-.4]], [[.2], [nan], [.6]], [[.3], [nan], [nan]], [[nan], [nan], [nan]]]
// IN h0 = [[0], [0], [0]]
// IN len = [3, 1, 2]
// IN ys0 = np.full((4, 3, 1), nan)
// OUT ys = [[[0.099668], [0.761594], [-0.379949]], [[0.244763], [0], [0.388494]], [[0.398935], [0], [0]], [[0], [0], [0]]]
// OUT hT = [[0.398935], [0.761594], [0.388494]]

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
