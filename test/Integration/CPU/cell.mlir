// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %python %S/check.py op %s

func.func @plain(%x: tensor<?x9xf32>, %W: tensor<9x4x13xf32>, %h: tensor<?x13xf32>,
    %U: tensor<13x4x13xf32>, %c: tensor<?x13xf32>)
    -> (tensor<?x13xf32>, tensor<?x13xf32>) {
  %h1, %c1 = lstm.cell input(%x, %W : tensor<?x9xf32>, tensor<9x4x13xf32>)
      state(%h, %U : tensor<?x13xf32>, tensor<13x4x13xf32>)
      cell(%c : tensor<?x13xf32>)
  return %h1, %c1 : tensor<?x13xf32>, tensor<?x13xf32>
}

// -----

func.func @bias(%x: tensor<?x9xf32>, %W: tensor<9x4x13xf32>, %h: tensor<?x13xf32>,
    %U: tensor<13x4x13xf32>, %c: tensor<?x13xf32>, %b: tensor<4x13xf32>)
    -> (tensor<?x13xf32>, tensor<?x13xf32>) {
  %h1, %c1 = lstm.cell input(%x, %W : tensor<?x9xf32>, tensor<9x4x13xf32>)
      state(%h, %U : tensor<?x13xf32>, tensor<13x4x13xf32>)
      cell(%c : tensor<?x13xf32>) bias(%b : tensor<4x13xf32>)
  return %h1, %c1 : tensor<?x13xf32>, tensor<?x13xf32>
}

// -----

func.func @peephole(%x: tensor<?x9xf32>, %W: tensor<9x4x13xf32>, %h: tensor<?x13xf32>,
    %U: tensor<13x4x13xf32>, %c: tensor<?x13xf32>, %b: tensor<4x13xf32>, %p: tensor<3x13xf32>)
    -> (tensor<?x13xf32>, tensor<?x13xf32>) {
  %h1, %c1 = lstm.cell input(%x, %W : tensor<?x9xf32>, tensor<9x4x13xf32>)
      state(%h, %U : tensor<?x13xf32>, tensor<13x4x13xf32>)
      cell(%c : tensor<?x13xf32>) bias(%b : tensor<4x13xf32>)
      peephole(%p : tensor<3x13xf32>)
  return %h1, %c1 : tensor<?x13xf32>, tensor<?x13xf32>
}

// -----

func.func @projection(%x: tensor<?x9xf32>, %W: tensor<9x4x13xf32>, %h: tensor<?x6xf32>,
    %U: tensor<6x4x13xf32>, %c: tensor<?x13xf32>, %b: tensor<4x13xf32>, %R: tensor<13x6xf32>)
    -> (tensor<?x6xf32>, tensor<?x13xf32>) {
  %h1, %c1 = lstm.cell input(%x, %W : tensor<?x9xf32>, tensor<9x4x13xf32>)
      state(%h, %U : tensor<?x6xf32>, tensor<6x4x13xf32>)
      cell(%c : tensor<?x13xf32>) bias(%b : tensor<4x13xf32>) projection(%R : tensor<13x6xf32>)
  return %h1, %c1 : tensor<?x6xf32>, tensor<?x13xf32>
}

// -----

func.func @coupled(%x: tensor<?x9xf32>, %W: tensor<9x3x13xf32>, %h: tensor<?x13xf32>,
    %U: tensor<13x3x13xf32>, %c: tensor<?x13xf32>, %b: tensor<3x13xf32>)
    -> (tensor<?x13xf32>, tensor<?x13xf32>) {
  %h1, %c1 = lstm.cell input(%x, %W : tensor<?x9xf32>, tensor<9x3x13xf32>)
      state(%h, %U : tensor<?x13xf32>, tensor<13x3x13xf32>)
      cell(%c : tensor<?x13xf32>) bias(%b : tensor<3x13xf32>)
      coupled
  return %h1, %c1 : tensor<?x13xf32>, tensor<?x13xf32>
}

// -----

func.func @coupled_peephole(%x: tensor<?x9xf32>, %W: tensor<9x3x13xf32>, %h: tensor<?x13xf32>,
    %U: tensor<13x3x13xf32>, %c: tensor<?x13xf32>, %b: tensor<3x13xf32>, %p: tensor<2x13xf32>)
    -> (tensor<?x13xf32>, tensor<?x13xf32>) {
  %h1, %c1 = lstm.cell input(%x, %W : tensor<?x9xf32>, tensor<9x3x13xf32>)
      state(%h, %U : tensor<?x13xf32>, tensor<13x3x13xf32>)
      cell(%c : tensor<?x13xf32>) bias(%b : tensor<3x13xf32>)
      peephole(%p : tensor<2x13xf32>)
      coupled
  return %h1, %c1 : tensor<?x13xf32>, tensor<?x13xf32>
}

// -----

func.func @clip(%x: tensor<?x9xf32>, %W: tensor<9x4x13xf32>, %h: tensor<?x13xf32>,
    %U: tensor<13x4x13xf32>, %c: tensor<?x13xf32>, %b: tensor<4x13xf32>)
    -> (tensor<?x13xf32>, tensor<?x13xf32>) {
  %h1, %c1 = lstm.cell input(%x, %W : tensor<?x9xf32>, tensor<9x4x13xf32>)
      state(%h, %U : tensor<?x13xf32>, tensor<13x4x13xf32>)
      cell(%c : tensor<?x13xf32>) bias(%b : tensor<4x13xf32>)
      clip 0.4
  return %h1, %c1 : tensor<?x13xf32>, tensor<?x13xf32>
}

// -----

func.func @activations(%x: tensor<?x9xf32>, %W: tensor<9x4x13xf32>, %h: tensor<?x13xf32>,
    %U: tensor<13x4x13xf32>, %c: tensor<?x13xf32>, %b: tensor<4x13xf32>)
    -> (tensor<?x13xf32>, tensor<?x13xf32>) {
  %h1, %c1 = lstm.cell input(%x, %W : tensor<?x9xf32>, tensor<9x4x13xf32>)
      state(%h, %U : tensor<?x13xf32>, tensor<13x4x13xf32>)
      cell(%c : tensor<?x13xf32>) bias(%b : tensor<4x13xf32>)
      activations [hard_sigmoid(0.3, 0.4), softsign, leaky_relu(0.2)]
  return %h1, %c1 : tensor<?x13xf32>, tensor<?x13xf32>
}

// -----

func.func @everything(%x: tensor<?x9xf32>, %W: tensor<9x4x13xf32>, %h: tensor<?x6xf32>,
    %U: tensor<6x4x13xf32>, %c: tensor<?x13xf32>, %b: tensor<4x13xf32>, %p: tensor<3x13xf32>, %R: tensor<13x6xf32>)
    -> (tensor<?x6xf32>, tensor<?x13xf32>) {
  %h1, %c1 = lstm.cell input(%x, %W : tensor<?x9xf32>, tensor<9x4x13xf32>)
      state(%h, %U : tensor<?x6xf32>, tensor<6x4x13xf32>)
      cell(%c : tensor<?x13xf32>) bias(%b : tensor<4x13xf32>)
      peephole(%p : tensor<3x13xf32>) projection(%R : tensor<13x6xf32>)
      clip 0.6 activations [hard_sigmoid, elu(0.7), scaled_tanh(1.2, 0.8)]
  return %h1, %c1 : tensor<?x6xf32>, tensor<?x13xf32>
}

// -----

func.func @everything_coupled(%x: tensor<?x9xf32>, %W: tensor<9x3x13xf32>, %h: tensor<?x6xf32>,
    %U: tensor<6x3x13xf32>, %c: tensor<?x13xf32>, %b: tensor<3x13xf32>, %p: tensor<2x13xf32>, %R: tensor<13x6xf32>)
    -> (tensor<?x6xf32>, tensor<?x13xf32>) {
  %h1, %c1 = lstm.cell input(%x, %W : tensor<?x9xf32>, tensor<9x3x13xf32>)
      state(%h, %U : tensor<?x6xf32>, tensor<6x3x13xf32>)
      cell(%c : tensor<?x13xf32>) bias(%b : tensor<3x13xf32>)
      peephole(%p : tensor<2x13xf32>) projection(%R : tensor<13x6xf32>)
      coupled clip 0.6 activations [sigmoid, relu, identity]
  return %h1, %c1 : tensor<?x6xf32>, tensor<?x13xf32>
}

// -----

func.func @no_bias_peephole(%x: tensor<?x9xf32>, %W: tensor<9x4x13xf32>, %h: tensor<?x13xf32>,
    %U: tensor<13x4x13xf32>, %c: tensor<?x13xf32>, %p: tensor<3x13xf32>)
    -> (tensor<?x13xf32>, tensor<?x13xf32>) {
  %h1, %c1 = lstm.cell input(%x, %W : tensor<?x9xf32>, tensor<9x4x13xf32>)
      state(%h, %U : tensor<?x13xf32>, tensor<13x4x13xf32>)
      cell(%c : tensor<?x13xf32>)
      peephole(%p : tensor<3x13xf32>)
  return %h1, %c1 : tensor<?x13xf32>, tensor<?x13xf32>
}

// -----

func.func @f64(%x: tensor<?x9xf64>, %W: tensor<9x4x13xf64>, %h: tensor<?x13xf64>,
    %U: tensor<13x4x13xf64>, %c: tensor<?x13xf64>, %b: tensor<4x13xf64>, %p: tensor<3x13xf64>)
    -> (tensor<?x13xf64>, tensor<?x13xf64>) {
  %h1, %c1 = lstm.cell input(%x, %W : tensor<?x9xf64>, tensor<9x4x13xf64>)
      state(%h, %U : tensor<?x13xf64>, tensor<13x4x13xf64>)
      cell(%c : tensor<?x13xf64>) bias(%b : tensor<4x13xf64>)
      peephole(%p : tensor<3x13xf64>)
  return %h1, %c1 : tensor<?x13xf64>, tensor<?x13xf64>
}

// -----

// h and the weights are f16, c and the bias f32.
func.func @f16_beside_f32(%x: tensor<?x9xf16>, %W: tensor<9x4x13xf16>, %h: tensor<?x13xf16>,
    %U: tensor<13x4x13xf16>, %c: tensor<?x13xf32>, %b: tensor<4x13xf32>)
    -> (tensor<?x13xf16>, tensor<?x13xf32>) {
  %h1, %c1 = lstm.cell input(%x, %W : tensor<?x9xf16>, tensor<9x4x13xf16>)
      state(%h, %U : tensor<?x13xf16>, tensor<13x4x13xf16>)
      cell(%c : tensor<?x13xf32>) bias(%b : tensor<4x13xf32>)
  return %h1, %c1 : tensor<?x13xf16>, tensor<?x13xf32>
}

// -----

func.func @bf16(%x: tensor<?x9xbf16>, %W: tensor<9x4x13xbf16>, %h: tensor<?x13xbf16>,
    %U: tensor<13x4x13xbf16>, %c: tensor<?x13xbf16>, %b: tensor<4x13xbf16>)
    -> (tensor<?x13xbf16>, tensor<?x13xbf16>) {
  %h1, %c1 = lstm.cell input(%x, %W : tensor<?x9xbf16>, tensor<9x4x13xbf16>)
      state(%h, %U : tensor<?x13xbf16>, tensor<13x4x13xbf16>)
      cell(%c : tensor<?x13xbf16>) bias(%b : tensor<4x13xbf16>)
  return %h1, %c1 : tensor<?x13xbf16>, tensor<?x13xbf16>
}

// -----

// Every size but the number of gates is known at run time only.
func.func @dynamic(%x: tensor<?x?xf32>, %W: tensor<?x4x?xf32>, %h: tensor<?x?xf32>,
    %U: tensor<?x4x?xf32>, %c: tensor<?x?xf32>, %b: tensor<4x?xf32>)
    -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %h1, %c1 = lstm.cell input(%x, %W : tensor<?x?xf32>, tensor<?x4x?xf32>)
      state(%h, %U : tensor<?x?xf32>, tensor<?x4x?xf32>)
      cell(%c : tensor<?x?xf32>) bias(%b : tensor<4x?xf32>)
  return %h1, %c1 : tensor<?x?xf32>, tensor<?x?xf32>
}

// -----

func.func @one_unit(%x: tensor<?x1xf32>, %W: tensor<1x4x1xf32>, %h: tensor<?x1xf32>,
    %U: tensor<1x4x1xf32>, %c: tensor<?x1xf32>, %b: tensor<4x1xf32>)
    -> (tensor<?x1xf32>, tensor<?x1xf32>) {
  %h1, %c1 = lstm.cell input(%x, %W : tensor<?x1xf32>, tensor<1x4x1xf32>)
      state(%h, %U : tensor<?x1xf32>, tensor<1x4x1xf32>)
      cell(%c : tensor<?x1xf32>) bias(%b : tensor<4x1xf32>)
  return %h1, %c1 : tensor<?x1xf32>, tensor<?x1xf32>
}

// -----

func.func @wide(%x: tensor<?x67xf32>, %W: tensor<67x4x131xf32>, %h: tensor<?x131xf32>,
    %U: tensor<131x4x131xf32>, %c: tensor<?x131xf32>, %b: tensor<4x131xf32>)
    -> (tensor<?x131xf32>, tensor<?x131xf32>) {
  %h1, %c1 = lstm.cell input(%x, %W : tensor<?x67xf32>, tensor<67x4x131xf32>)
      state(%h, %U : tensor<?x131xf32>, tensor<131x4x131xf32>)
      cell(%c : tensor<?x131xf32>) bias(%b : tensor<4x131xf32>)
  return %h1, %c1 : tensor<?x131xf32>, tensor<?x131xf32>
}
