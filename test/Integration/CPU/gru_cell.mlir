// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %python %S/check.py op %s

func.func @plain_after(%x: tensor<?x9xf32>, %W: tensor<9x3x13xf32>, %h: tensor<?x13xf32>,
    %U: tensor<13x3x13xf32>)
    -> tensor<?x13xf32> {
  %h1 = lstm.gru_cell reset_after input(%x, %W : tensor<?x9xf32>, tensor<9x3x13xf32>)
      state(%h, %U : tensor<?x13xf32>, tensor<13x3x13xf32>)
  return %h1 : tensor<?x13xf32>
}

// -----

func.func @biases_after(%x: tensor<?x9xf32>, %W: tensor<9x3x13xf32>, %h: tensor<?x13xf32>,
    %U: tensor<13x3x13xf32>, %b: tensor<3x13xf32>, %d: tensor<3x13xf32>)
    -> tensor<?x13xf32> {
  %h1 = lstm.gru_cell reset_after input(%x, %W : tensor<?x9xf32>, tensor<9x3x13xf32>)
      state(%h, %U : tensor<?x13xf32>, tensor<13x3x13xf32>) bias(%b : tensor<3x13xf32>) recurrent_bias(%d : tensor<3x13xf32>)
  return %h1 : tensor<?x13xf32>
}

// -----

func.func @bias_alone_after(%x: tensor<?x9xf32>, %W: tensor<9x3x13xf32>, %h: tensor<?x13xf32>,
    %U: tensor<13x3x13xf32>, %b: tensor<3x13xf32>)
    -> tensor<?x13xf32> {
  %h1 = lstm.gru_cell reset_after input(%x, %W : tensor<?x9xf32>, tensor<9x3x13xf32>)
      state(%h, %U : tensor<?x13xf32>, tensor<13x3x13xf32>) bias(%b : tensor<3x13xf32>)
  return %h1 : tensor<?x13xf32>
}

// -----

func.func @recurrent_bias_alone_after(%x: tensor<?x9xf32>, %W: tensor<9x3x13xf32>, %h: tensor<?x13xf32>,
    %U: tensor<13x3x13xf32>, %d: tensor<3x13xf32>)
    -> tensor<?x13xf32> {
  %h1 = lstm.gru_cell reset_after input(%x, %W : tensor<?x9xf32>, tensor<9x3x13xf32>)
      state(%h, %U : tensor<?x13xf32>, tensor<13x3x13xf32>) recurrent_bias(%d : tensor<3x13xf32>)
  return %h1 : tensor<?x13xf32>
}

// -----

func.func @clip_activations_after(%x: tensor<?x9xf32>, %W: tensor<9x3x13xf32>, %h: tensor<?x13xf32>,
    %U: tensor<13x3x13xf32>, %b: tensor<3x13xf32>, %d: tensor<3x13xf32>)
    -> tensor<?x13xf32> {
  %h1 = lstm.gru_cell reset_after input(%x, %W : tensor<?x9xf32>, tensor<9x3x13xf32>)
      state(%h, %U : tensor<?x13xf32>, tensor<13x3x13xf32>) bias(%b : tensor<3x13xf32>) recurrent_bias(%d : tensor<3x13xf32>)
      clip 0.4 activations [hard_sigmoid, softsign]
  return %h1 : tensor<?x13xf32>
}

// -----

func.func @f64_after(%x: tensor<?x9xf64>, %W: tensor<9x3x13xf64>, %h: tensor<?x13xf64>,
    %U: tensor<13x3x13xf64>, %b: tensor<3x13xf64>, %d: tensor<3x13xf64>)
    -> tensor<?x13xf64> {
  %h1 = lstm.gru_cell reset_after input(%x, %W : tensor<?x9xf64>, tensor<9x3x13xf64>)
      state(%h, %U : tensor<?x13xf64>, tensor<13x3x13xf64>) bias(%b : tensor<3x13xf64>) recurrent_bias(%d : tensor<3x13xf64>)
  return %h1 : tensor<?x13xf64>
}

// -----

func.func @f16_after(%x: tensor<?x9xf16>, %W: tensor<9x3x13xf16>, %h: tensor<?x13xf16>,
    %U: tensor<13x3x13xf16>, %b: tensor<3x13xf32>, %d: tensor<3x13xf32>)
    -> tensor<?x13xf16> {
  %h1 = lstm.gru_cell reset_after input(%x, %W : tensor<?x9xf16>, tensor<9x3x13xf16>)
      state(%h, %U : tensor<?x13xf16>, tensor<13x3x13xf16>) bias(%b : tensor<3x13xf32>) recurrent_bias(%d : tensor<3x13xf32>)
  return %h1 : tensor<?x13xf16>
}

// -----

func.func @dynamic_after(%x: tensor<?x?xf32>, %W: tensor<?x3x?xf32>, %h: tensor<?x?xf32>,
    %U: tensor<?x3x?xf32>, %b: tensor<3x?xf32>, %d: tensor<3x?xf32>)
    -> tensor<?x?xf32> {
  %h1 = lstm.gru_cell reset_after input(%x, %W : tensor<?x?xf32>, tensor<?x3x?xf32>)
      state(%h, %U : tensor<?x?xf32>, tensor<?x3x?xf32>) bias(%b : tensor<3x?xf32>) recurrent_bias(%d : tensor<3x?xf32>)
  return %h1 : tensor<?x?xf32>
}

// -----

func.func @plain_before(%x: tensor<?x9xf32>, %W: tensor<9x3x13xf32>, %h: tensor<?x13xf32>,
    %U: tensor<13x3x13xf32>)
    -> tensor<?x13xf32> {
  %h1 = lstm.gru_cell reset_before input(%x, %W : tensor<?x9xf32>, tensor<9x3x13xf32>)
      state(%h, %U : tensor<?x13xf32>, tensor<13x3x13xf32>)
  return %h1 : tensor<?x13xf32>
}

// -----

func.func @biases_before(%x: tensor<?x9xf32>, %W: tensor<9x3x13xf32>, %h: tensor<?x13xf32>,
    %U: tensor<13x3x13xf32>, %b: tensor<3x13xf32>, %d: tensor<3x13xf32>)
    -> tensor<?x13xf32> {
  %h1 = lstm.gru_cell reset_before input(%x, %W : tensor<?x9xf32>, tensor<9x3x13xf32>)
      state(%h, %U : tensor<?x13xf32>, tensor<13x3x13xf32>) bias(%b : tensor<3x13xf32>) recurrent_bias(%d : tensor<3x13xf32>)
  return %h1 : tensor<?x13xf32>
}

// -----

func.func @bias_alone_before(%x: tensor<?x9xf32>, %W: tensor<9x3x13xf32>, %h: tensor<?x13xf32>,
    %U: tensor<13x3x13xf32>, %b: tensor<3x13xf32>)
    -> tensor<?x13xf32> {
  %h1 = lstm.gru_cell reset_before input(%x, %W : tensor<?x9xf32>, tensor<9x3x13xf32>)
      state(%h, %U : tensor<?x13xf32>, tensor<13x3x13xf32>) bias(%b : tensor<3x13xf32>)
  return %h1 : tensor<?x13xf32>
}

// -----

func.func @recurrent_bias_alone_before(%x: tensor<?x9xf32>, %W: tensor<9x3x13xf32>, %h: tensor<?x13xf32>,
    %U: tensor<13x3x13xf32>, %d: tensor<3x13xf32>)
    -> tensor<?x13xf32> {
  %h1 = lstm.gru_cell reset_before input(%x, %W : tensor<?x9xf32>, tensor<9x3x13xf32>)
      state(%h, %U : tensor<?x13xf32>, tensor<13x3x13xf32>) recurrent_bias(%d : tensor<3x13xf32>)
  return %h1 : tensor<?x13xf32>
}

// -----

func.func @clip_activations_before(%x: tensor<?x9xf32>, %W: tensor<9x3x13xf32>, %h: tensor<?x13xf32>,
    %U: tensor<13x3x13xf32>, %b: tensor<3x13xf32>, %d: tensor<3x13xf32>)
    -> tensor<?x13xf32> {
  %h1 = lstm.gru_cell reset_before input(%x, %W : tensor<?x9xf32>, tensor<9x3x13xf32>)
      state(%h, %U : tensor<?x13xf32>, tensor<13x3x13xf32>) bias(%b : tensor<3x13xf32>) recurrent_bias(%d : tensor<3x13xf32>)
      clip 0.4 activations [hard_sigmoid, softsign]
  return %h1 : tensor<?x13xf32>
}

// -----

func.func @f64_before(%x: tensor<?x9xf64>, %W: tensor<9x3x13xf64>, %h: tensor<?x13xf64>,
    %U: tensor<13x3x13xf64>, %b: tensor<3x13xf64>, %d: tensor<3x13xf64>)
    -> tensor<?x13xf64> {
  %h1 = lstm.gru_cell reset_before input(%x, %W : tensor<?x9xf64>, tensor<9x3x13xf64>)
      state(%h, %U : tensor<?x13xf64>, tensor<13x3x13xf64>) bias(%b : tensor<3x13xf64>) recurrent_bias(%d : tensor<3x13xf64>)
  return %h1 : tensor<?x13xf64>
}

// -----

func.func @f16_before(%x: tensor<?x9xf16>, %W: tensor<9x3x13xf16>, %h: tensor<?x13xf16>,
    %U: tensor<13x3x13xf16>, %b: tensor<3x13xf32>, %d: tensor<3x13xf32>)
    -> tensor<?x13xf16> {
  %h1 = lstm.gru_cell reset_before input(%x, %W : tensor<?x9xf16>, tensor<9x3x13xf16>)
      state(%h, %U : tensor<?x13xf16>, tensor<13x3x13xf16>) bias(%b : tensor<3x13xf32>) recurrent_bias(%d : tensor<3x13xf32>)
  return %h1 : tensor<?x13xf16>
}

// -----

func.func @dynamic_before(%x: tensor<?x?xf32>, %W: tensor<?x3x?xf32>, %h: tensor<?x?xf32>,
    %U: tensor<?x3x?xf32>, %b: tensor<3x?xf32>, %d: tensor<3x?xf32>)
    -> tensor<?x?xf32> {
  %h1 = lstm.gru_cell reset_before input(%x, %W : tensor<?x?xf32>, tensor<?x3x?xf32>)
      state(%h, %U : tensor<?x?xf32>, tensor<?x3x?xf32>) bias(%b : tensor<3x?xf32>) recurrent_bias(%d : tensor<3x?xf32>)
  return %h1 : tensor<?x?xf32>
}
