// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %python %lstm_src/test/Integration/CPU/check.py numbers %s
//
// A GRU in the wrong form is wrong by about a tenth, without a word. With one unit
// and no recurrent bias the two forms agree, so each case here has one or the other.
//
// CASE recurrent bias, before @before_bias
// IN x = [[0]]
// OUT result0 = [[0.482014]]
// CASE recurrent bias, after @after_bias
// IN x = [[0]]
// OUT result0 = [[0.380797]]
// CASE two units, before @before_units
// IN x = [[1]]
// IN h = [[0.5, -0.25]]
// OUT result0 = [[0.363516, 0.214605]]
// CASE two units, after @after_units
// IN x = [[1]]
// IN h = [[0.5, -0.25]]
// OUT result0 = [[0.25, -0.058167]]

func.func @before_bias(%x: tensor<?x1xf32>) -> tensor<?x1xf32> {
  %i0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %B = tensor.dim %x, %i0 : tensor<?x1xf32>
  %h = tensor.splat %zero[%B] : tensor<?x1xf32>
  %W = arith.constant dense<0.0> : tensor<1x3x1xf32>
  %d = arith.constant dense<[[0.0], [0.0], [2.0]]> : tensor<3x1xf32>
  %h1 = lstm.gru_cell reset_before input(%x, %W : tensor<?x1xf32>, tensor<1x3x1xf32>)
      state(%h, %W : tensor<?x1xf32>, tensor<1x3x1xf32>) recurrent_bias(%d : tensor<3x1xf32>)
  return %h1 : tensor<?x1xf32>
}

func.func @before_units(%x: tensor<?x1xf32>, %h: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %W = arith.constant dense<[[[1.0, -1.0], [0.0, 0.0], [0.0, 0.0]]]> : tensor<1x3x2xf32>
  %U = arith.constant dense<[[[0.0, 0.0], [0.0, 0.0], [1.0, 3.0]],
                             [[0.0, 0.0], [0.0, 0.0], [2.0, 4.0]]]> : tensor<2x3x2xf32>
  %h1 = lstm.gru_cell reset_before input(%x, %W : tensor<?x1xf32>, tensor<1x3x2xf32>)
      state(%h, %U : tensor<?x2xf32>, tensor<2x3x2xf32>)
  return %h1 : tensor<?x2xf32>
}

func.func @after_bias(%x: tensor<?x1xf32>) -> tensor<?x1xf32> {
  %i0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %B = tensor.dim %x, %i0 : tensor<?x1xf32>
  %h = tensor.splat %zero[%B] : tensor<?x1xf32>
  %W = arith.constant dense<0.0> : tensor<1x3x1xf32>
  %d = arith.constant dense<[[0.0], [0.0], [2.0]]> : tensor<3x1xf32>
  %h1 = lstm.gru_cell reset_after input(%x, %W : tensor<?x1xf32>, tensor<1x3x1xf32>)
      state(%h, %W : tensor<?x1xf32>, tensor<1x3x1xf32>) recurrent_bias(%d : tensor<3x1xf32>)
  return %h1 : tensor<?x1xf32>
}

func.func @after_units(%x: tensor<?x1xf32>, %h: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %W = arith.constant dense<[[[1.0, -1.0], [0.0, 0.0], [0.0, 0.0]]]> : tensor<1x3x2xf32>
  %U = arith.constant dense<[[[0.0, 0.0], [0.0, 0.0], [1.0, 3.0]],
                             [[0.0, 0.0], [0.0, 0.0], [2.0, 4.0]]]> : tensor<2x3x2xf32>
  %h1 = lstm.gru_cell reset_after input(%x, %W : tensor<?x1xf32>, tensor<1x3x2xf32>)
      state(%h, %U : tensor<?x2xf32>, tensor<2x3x2xf32>)
  return %h1 : tensor<?x2xf32>
}
