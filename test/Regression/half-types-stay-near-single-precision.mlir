// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %python %lstm_src/test/Integration/CPU/check.py numbers %s
//
// TOLERANCE 2e-3
// CASE f16 @f16
// IN x = [[[0.4]], [[-0.7]]]
// IN h0 = [[0]]
// IN c0 = [[0]]
// IN ys0 = np.full((2, 1, 1), nan)
// OUT ys = [[[0.346272]], [[-0.055153]]]
// OUT cT = [[-0.270237]]
// CASE f16 beside a cell in f32 @f16_beside_f32
// IN x = [[[0.4]], [[-0.7]]]
// IN h0 = [[0]]
// IN c0 = [[0]]
// IN ys0 = np.full((2, 1, 1), nan)
// OUT ys = [[[0.346272]], [[-0.055153]]]
// OUT cT = [[-0.270237]]
// TOLERANCE 2e-2
// CASE bf16 @bf16
// IN x = [[[0.4]], [[-0.7]]]
// IN h0 = [[0]]
// IN c0 = [[0]]
// IN ys0 = np.full((2, 1, 1), nan)
// OUT ys = [[[0.346272]], [[-0.055153]]]
// OUT cT = [[-0.270237]]
// CASE 4096 products of 1 and 1, which f16 and bf16 cannot count @sum
// IN x = np.ones((1, 4096))
// IN W = np.ones((4096, 1))
// OUT result0 = [[4096]]
// CASE the same in bf16 @sum_bf16
// IN x = np.ones((1, 4096))
// IN W = np.ones((4096, 1))
// OUT result0 = [[4096]]

func.func @f16(%x: tensor<?x?x1xf16>, %h0: tensor<?x1xf16>, %c0: tensor<?x1xf16>, %ys0: tensor<?x?x1xf16>)
    -> (tensor<?x?x1xf16> {lstm.name = "ys"}, tensor<?x1xf16> {lstm.name = "hT"}, tensor<?x1xf16> {lstm.name = "cT"}) {
  %W = arith.constant dense<[[[1.0], [3.0], [4.0], [2.0]]]> : tensor<1x4x1xf16>
  %U = arith.constant dense<[[[0.1], [0.3], [0.4], [0.2]]]> : tensor<1x4x1xf16>
  %ys, %hT, %cT = lstm.recurrence over(%xt = %x : tensor<?x?x1xf16>)
      init(%h = %h0, %c = %c0 : tensor<?x1xf16>, tensor<?x1xf16>) outs(%ys0 : tensor<?x?x1xf16>) {
    %h1, %c1 = lstm.cell input(%xt, %W : tensor<?x1xf16>, tensor<1x4x1xf16>)
        state(%h, %U : tensor<?x1xf16>, tensor<1x4x1xf16>) cell(%c : tensor<?x1xf16>)
    lstm.yield state(%h1, %c1 : tensor<?x1xf16>, tensor<?x1xf16>) out(%h1 : tensor<?x1xf16>)
  }
  return %ys, %hT, %cT : tensor<?x?x1xf16>, tensor<?x1xf16>, tensor<?x1xf16>
}

func.func @f16_beside_f32(%x: tensor<?x?x1xf16>, %h0: tensor<?x1xf16>, %c0: tensor<?x1xf32>, %ys0: tensor<?x?x1xf16>)
    -> (tensor<?x?x1xf16> {lstm.name = "ys"}, tensor<?x1xf16> {lstm.name = "hT"}, tensor<?x1xf32> {lstm.name = "cT"}) {
  %W = arith.constant dense<[[[1.0], [3.0], [4.0], [2.0]]]> : tensor<1x4x1xf16>
  %U = arith.constant dense<[[[0.1], [0.3], [0.4], [0.2]]]> : tensor<1x4x1xf16>
  %ys, %hT, %cT = lstm.recurrence over(%xt = %x : tensor<?x?x1xf16>)
      init(%h = %h0, %c = %c0 : tensor<?x1xf16>, tensor<?x1xf32>) outs(%ys0 : tensor<?x?x1xf16>) {
    %h1, %c1 = lstm.cell input(%xt, %W : tensor<?x1xf16>, tensor<1x4x1xf16>)
        state(%h, %U : tensor<?x1xf16>, tensor<1x4x1xf16>) cell(%c : tensor<?x1xf32>)
    lstm.yield state(%h1, %c1 : tensor<?x1xf16>, tensor<?x1xf32>) out(%h1 : tensor<?x1xf16>)
  }
  return %ys, %hT, %cT : tensor<?x?x1xf16>, tensor<?x1xf16>, tensor<?x1xf32>
}

func.func @bf16(%x: tensor<?x?x1xbf16>, %h0: tensor<?x1xbf16>, %c0: tensor<?x1xbf16>, %ys0: tensor<?x?x1xbf16>)
    -> (tensor<?x?x1xbf16> {lstm.name = "ys"}, tensor<?x1xbf16> {lstm.name = "hT"}, tensor<?x1xbf16> {lstm.name = "cT"}) {
  %W = arith.constant dense<[[[1.0], [3.0], [4.0], [2.0]]]> : tensor<1x4x1xbf16>
  %U = arith.constant dense<[[[0.1], [0.3], [0.4], [0.2]]]> : tensor<1x4x1xbf16>
  %ys, %hT, %cT = lstm.recurrence over(%xt = %x : tensor<?x?x1xbf16>)
      init(%h = %h0, %c = %c0 : tensor<?x1xbf16>, tensor<?x1xbf16>) outs(%ys0 : tensor<?x?x1xbf16>) {
    %h1, %c1 = lstm.cell input(%xt, %W : tensor<?x1xbf16>, tensor<1x4x1xbf16>)
        state(%h, %U : tensor<?x1xbf16>, tensor<1x4x1xbf16>) cell(%c : tensor<?x1xbf16>)
    lstm.yield state(%h1, %c1 : tensor<?x1xbf16>, tensor<?x1xbf16>) out(%h1 : tensor<?x1xbf16>)
  }
  return %ys, %hT, %cT : tensor<?x?x1xbf16>, tensor<?x1xbf16>, tensor<?x1xbf16>
}

func.func @sum(%x: tensor<?x4096xf16>, %W: tensor<4096x1xf16>) -> tensor<?x1xf16> {
  %y = lstm.gate identity dot(%x, %W : tensor<?x4096xf16>, tensor<4096x1xf16>) : tensor<?x1xf16>
  return %y : tensor<?x1xf16>
}

func.func @sum_bf16(%x: tensor<?x4096xbf16>, %W: tensor<4096x1xbf16>) -> tensor<?x1xbf16> {
  %y = lstm.gate identity dot(%x, %W : tensor<?x4096xbf16>, tensor<4096x1xbf16>) : tensor<?x1xbf16>
  return %y : tensor<?x1xbf16>
}
