// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %python %lstm_src/test/Integration/CPU/check.py numbers %s
//
// CASE without lengths @gru
// IN x = np.zeros((5, 0, 3))
// IN h0 = np.zeros((0, 4))
// OUT ys = np.zeros((5, 0, 4))
// OUT hT = np.zeros((0, 4))
// CASE with lengths @gru_lengths
// IN x = np.zeros((5, 0, 3))
// IN h0 = np.zeros((0, 4))
// IN len = np.zeros(0)
// OUT ys = np.zeros((5, 0, 4))
// OUT hT = np.zeros((0, 4))

func.func @gru(%x: tensor<5x?x3xf32>, %h0: tensor<?x4xf32>)
    -> (tensor<5x?x4xf32> {lstm.name = "ys"}, tensor<?x4xf32> {lstm.name = "hT"}) {
  %i0 = arith.constant 0 : index
  %B = tensor.dim %h0, %i0 : tensor<?x4xf32>
  %ys0 = tensor.empty(%B) : tensor<5x?x4xf32>
  %W = arith.constant dense<0.5> : tensor<3x3x4xf32>
  %U = arith.constant dense<0.25> : tensor<4x3x4xf32>
  %ys, %hT = lstm.recurrence over(%xt = %x : tensor<5x?x3xf32>) init(%h = %h0 : tensor<?x4xf32>)
      outs(%ys0 : tensor<5x?x4xf32>) {
    %h1 = lstm.gru_cell reset_after input(%xt, %W : tensor<?x3xf32>, tensor<3x3x4xf32>)
        state(%h, %U : tensor<?x4xf32>, tensor<4x3x4xf32>)
    lstm.yield state(%h1 : tensor<?x4xf32>) out(%h1 : tensor<?x4xf32>)
  }
  return %ys, %hT : tensor<5x?x4xf32>, tensor<?x4xf32>
}

func.func @gru_lengths(%x: tensor<5x?x3xf32>, %h0: tensor<?x4xf32>, %len: tensor<?xi32>)
    -> (tensor<5x?x4xf32> {lstm.name = "ys"}, tensor<?x4xf32> {lstm.name = "hT"}) {
  %i0 = arith.constant 0 : index
  %B = tensor.dim %h0, %i0 : tensor<?x4xf32>
  %ys0 = tensor.empty(%B) : tensor<5x?x4xf32>
  %W = arith.constant dense<0.5> : tensor<3x3x4xf32>
  %U = arith.constant dense<0.25> : tensor<4x3x4xf32>
  %ys, %hT = lstm.recurrence over(%xt = %x : tensor<5x?x3xf32>) init(%h = %h0 : tensor<?x4xf32>)
      lengths(%len : tensor<?xi32>) outs(%ys0 : tensor<5x?x4xf32>) {
    %h1 = lstm.gru_cell reset_after input(%xt, %W : tensor<?x3xf32>, tensor<3x3x4xf32>)
        state(%h, %U : tensor<?x4xf32>, tensor<4x3x4xf32>)
    lstm.yield state(%h1 : tensor<?x4xf32>) out(%h1 : tensor<?x4xf32>)
  }
  return %ys, %hT : tensor<5x?x4xf32>, tensor<?x4xf32>
}
