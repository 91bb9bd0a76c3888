// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %python %lstm_src/test/Integration/CPU/check.py numbers %s
//
// Models that differ in one attribute only must not give the same output.
//
// CASE default @plain
// IN x = [[[0.4]], [[-0.7]]]
// IN h0 = [[0]]
// IN c0 = [[0]]
// IN ys0 = np.full((2, 1, 1), nan)
// OUT ys = [[[0.346272]], [[-0.055153]]]
// OUT cT = [[-0.270237]]
// CASE clip @clip
// IN x = [[[0.4]], [[-0.7]]]
// IN h0 = [[0]]
// IN c0 = [[0]]
// IN ys0 = np.full((2, 1, 1), nan)
// OUT ys = [[[0.167949]], [[-0.026391]]]
// OUT cT = [[-0.070016]]
// CASE coupled input and forget gate @coupled
// IN x = [[[0.4]], [[-0.7]]]
// IN h0 = [[0]]
// IN c0 = [[0]]
// IN ys0 = np.full((2, 1, 1), nan)
// OUT ys = [[[0.346272]], [[0.005894]]]
// OUT cT = [[0.028203]]

func.func @plain(%x: tensor<?x?x1xf32>, %h0: tensor<?x1xf32>, %c0: tensor<?x1xf32>, %ys0: tensor<?x?x1xf32>)
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

func.func @clip(%x: tensor<?x?x1xf32>, %h0: tensor<?x1xf32>, %c0: tensor<?x1xf32>, %ys0: tensor<?x?x1xf32>)
    -> (tensor<?x?x1xf32> {lstm.name = "ys"}, tensor<?x1xf32> {lstm.name = "hT"}, tensor<?x1xf32> {lstm.name = "cT"}) {
  %W = arith.constant dense<[[[1.0], [3.0], [4.0], [2.0]]]> : tensor<1x4x1xf32>
  %U = arith.constant dense<[[[0.1], [0.3], [0.4], [0.2]]]> : tensor<1x4x1xf32>
  %ys, %hT, %cT = lstm.recurrence over(%xt = %x : tensor<?x?x1xf32>)
      init(%h = %h0, %c = %c0 : tensor<?x1xf32>, tensor<?x1xf32>) outs(%ys0 : tensor<?x?x1xf32>) {
    %h1, %c1 = lstm.cell input(%xt, %W : tensor<?x1xf32>, tensor<1x4x1xf32>)
        state(%h, %U : tensor<?x1xf32>, tensor<1x4x1xf32>) cell(%c : tensor<?x1xf32>) clip 0.5
    lstm.yield state(%h1, %c1 : tensor<?x1xf32>, tensor<?x1xf32>) out(%h1 : tensor<?x1xf32>)
  }
  return %ys, %hT, %cT : tensor<?x?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>
}

func.func @coupled(%x: tensor<?x?x1xf32>, %h0: tensor<?x1xf32>, %c0: tensor<?x1xf32>, %ys0: tensor<?x?x1xf32>)
    -> (tensor<?x?x1xf32> {lstm.name = "ys"}, tensor<?x1xf32> {lstm.name = "hT"}, tensor<?x1xf32> {lstm.name = "cT"}) {
  %W = arith.constant dense<[[[1.0], [4.0], [2.0]]]> : tensor<1x3x1xf32>
  %U = arith.constant dense<[[[0.1], [0.4], [0.2]]]> : tensor<1x3x1xf32>
  %ys, %hT, %cT = lstm.recurrence over(%xt = %x : tensor<?x?x1xf32>)
      init(%h = %h0, %c = %c0 : tensor<?x1xf32>, tensor<?x1xf32>) outs(%ys0 : tensor<?x?x1xf32>) {
    %h1, %c1 = lstm.cell input(%xt, %W : tensor<?x1xf32>, tensor<1x3x1xf32>)
        state(%h, %U : tensor<?x1xf32>, tensor<1x3x1xf32>) cell(%c : tensor<?x1xf32>) coupled
    lstm.yield state(%h1, %c1 : tensor<?x1xf32>, tensor<?x1xf32>) out(%h1 : tensor<?x1xf32>)
  }
  return %ys, %hT, %cT : tensor<?x?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>
}
