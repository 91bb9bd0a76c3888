// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %python %lstm_src/test/Integration/CPU/check.py numbers %s
//
// tanh as (e^2x - 1) / (e^2x + 1) is NaN for large x, in f16 from 6 on.
//
// TOLERANCE 2e-7
// CASE f32 @f32
// IN x = [[100, -100, 1000, -1000, 20, -20, 0, 3e38, -3e38]]
// OUT tanh = [[1, -1, 1, -1, 1, -1, 0, 1, -1]]
// OUT sigmoid = [[1, 0, 1, 0, 1, 2.061154e-09, 0.5, 1, 0]]
// CASE f64 @f64
// IN x = [[100, -100, 1000, -1000, 20, -20, 0, 1e308, -1e308]]
// OUT tanh = [[1, -1, 1, -1, 1, -1, 0, 1, -1]]
// OUT sigmoid = [[1, 0, 1, 0, 1, 2.061154e-09, 0.5, 1, 0]]
// TOLERANCE 1e-3
// CASE f16 @f16
// IN x = [[6, -6, 12, -12, 100, -100, 0, 60000, -60000]]
// OUT tanh = [[1, -1, 1, -1, 1, -1, 0, 1, -1]]
// OUT sigmoid = [[0.997527, 0.002473, 1, 0, 1, 0, 0.5, 1, 0]]
// TOLERANCE 8e-3
// CASE bf16 @bf16
// IN x = [[6, -6, 12, -12, 100, -100, 0, 60000, -60000]]
// OUT tanh = [[1, -1, 1, -1, 1, -1, 0, 1, -1]]
// OUT sigmoid = [[0.997527, 0.002473, 1, 0, 1, 0, 0.5, 1, 0]]

func.func @f32(%x: tensor<?x9xf32>) -> (tensor<?x9xf32> {lstm.name = "tanh"}, tensor<?x9xf32> {lstm.name = "sigmoid"}) {
  %t = lstm.gate tanh add(%x : tensor<?x9xf32>) : tensor<?x9xf32>
  %s = lstm.gate sigmoid add(%x : tensor<?x9xf32>) : tensor<?x9xf32>
  return %t, %s : tensor<?x9xf32>, tensor<?x9xf32>
}

func.func @f64(%x: tensor<?x9xf64>) -> (tensor<?x9xf64> {lstm.name = "tanh"}, tensor<?x9xf64> {lstm.name = "sigmoid"}) {
  %t = lstm.gate tanh add(%x : tensor<?x9xf64>) : tensor<?x9xf64>
  %s = lstm.gate sigmoid add(%x : tensor<?x9xf64>) : tensor<?x9xf64>
  return %t, %s : tensor<?x9xf64>, tensor<?x9xf64>
}

func.func @f16(%x: tensor<?x9xf16>) -> (tensor<?x9xf16> {lstm.name = "tanh"}, tensor<?x9xf16> {lstm.name = "sigmoid"}) {
  %t = lstm.gate tanh add(%x : tensor<?x9xf16>) : tensor<?x9xf16>
  %s = lstm.gate sigmoid add(%x : tensor<?x9xf16>) : tensor<?x9xf16>
  return %t, %s : tensor<?x9xf16>, tensor<?x9xf16>
}

func.func @bf16(%x: tensor<?x9xbf16>) -> (tensor<?x9xbf16> {lstm.name = "tanh"}, tensor<?x9xbf16> {lstm.name = "sigmoid"}) {
  %t = lstm.gate tanh add(%x : tensor<?x9xbf16>) : tensor<?x9xbf16>
  %s = lstm.gate sigmoid add(%x : tensor<?x9xbf16>) : tensor<?x9xbf16>
  return %t, %s : tensor<?x9xbf16>, tensor<?x9xbf16>
}
