// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %python %S/check.py op %s

func.func @plain(%x: tensor<?x9xf32>, %W: tensor<9x13xf32>, %h: tensor<?x13xf32>, %U: tensor<13x13xf32>) -> tensor<?x13xf32> {
  %h1 = lstm.rnn_cell input(%x, %W : tensor<?x9xf32>, tensor<9x13xf32>)
      state(%h, %U : tensor<?x13xf32>, tensor<13x13xf32>)
  return %h1 : tensor<?x13xf32>
}

// -----

func.func @bias_clip_relu(%x: tensor<?x9xf32>, %W: tensor<9x13xf32>, %h: tensor<?x13xf32>, %U: tensor<13x13xf32>,
                          %b: tensor<13xf32>) -> tensor<?x13xf32> {
  %h1 = lstm.rnn_cell input(%x, %W : tensor<?x9xf32>, tensor<9x13xf32>)
      state(%h, %U : tensor<?x13xf32>, tensor<13x13xf32>) bias(%b : tensor<13xf32>) clip 0.5 activations [relu]
  return %h1 : tensor<?x13xf32>
}

// -----

func.func @f64(%x: tensor<?x9xf64>, %W: tensor<9x13xf64>, %h: tensor<?x13xf64>, %U: tensor<13x13xf64>,
               %b: tensor<13xf64>) -> tensor<?x13xf64> {
  %h1 = lstm.rnn_cell input(%x, %W : tensor<?x9xf64>, tensor<9x13xf64>)
      state(%h, %U : tensor<?x13xf64>, tensor<13x13xf64>) bias(%b : tensor<13xf64>)
  return %h1 : tensor<?x13xf64>
}

// -----

func.func @bf16(%x: tensor<?x9xbf16>, %W: tensor<9x13xbf16>, %h: tensor<?x13xbf16>, %U: tensor<13x13xbf16>,
                %b: tensor<13xf32>) -> tensor<?x13xbf16> {
  %h1 = lstm.rnn_cell input(%x, %W : tensor<?x9xbf16>, tensor<9x13xbf16>)
      state(%h, %U : tensor<?x13xbf16>, tensor<13x13xbf16>) bias(%b : tensor<13xf32>)
  return %h1 : tensor<?x13xbf16>
}
