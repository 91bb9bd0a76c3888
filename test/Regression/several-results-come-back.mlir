// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %python %lstm_src/test/Integration/CPU/check.py numbers %s
//
// CASE outputs and both states
// IN x = [[[0.4]], [[-0.7]]]
// IN h0 = [[0]]
// IN c0 = [[0]]
// IN ys0 = np.zeros((2, 1, 1))
// OUT ys = [[[0.346272]], [[-0.055153]]]
// OUT hT = [[-0.055153]]
// OUT cT = [[-0.270237]]
// CASE one value returned twice, and an argument @twice
// IN x = [[1, 2, 3]]
// OUT result0 = [[2, 4, 6]]
// OUT result1 = [[2, 4, 6]]
// OUT result2 = [[1, 2, 3]]

func.func @main(%x: tensor<?x?x1xf32>, %h0: tensor<?x1xf32>, %c0: tensor<?x1xf32>, %ys0: tensor<?x?x1xf32>)
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

func.func @twice(%x: tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>) {
  %y = arith.addf %x, %x : tensor<?x3xf32>
  return %y, %y, %x : tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>
}
