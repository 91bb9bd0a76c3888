// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %python %S/check.py op %s

func.func @two_dots(%x: tensor<?x9xf32>, %W: tensor<9x13xf32>, %h: tensor<?x6xf32>, %U: tensor<6x13xf32>, %b: tensor<13xf32>)
    -> tensor<?x13xf32> {
  %y = lstm.gate sigmoid dot(%x, %W : tensor<?x9xf32>, tensor<9x13xf32>) dot(%h, %U : tensor<?x6xf32>, tensor<6x13xf32>)
      add(%b : tensor<13xf32>) : tensor<?x13xf32>
  return %y : tensor<?x13xf32>
}

// -----

func.func @three_dots(%x: tensor<?x9xf32>, %W: tensor<9x13xf32>, %h: tensor<?x6xf32>, %U: tensor<6x13xf32>,
                      %V: tensor<6x13xf32>) -> tensor<?x13xf32> {
  %y = lstm.gate identity dot(%x, %W : tensor<?x9xf32>, tensor<9x13xf32>) dot(%h, %U : tensor<?x6xf32>, tensor<6x13xf32>)
      dot(%h, %V : tensor<?x6xf32>, tensor<6x13xf32>) : tensor<?x13xf32>
  return %y : tensor<?x13xf32>
}

// -----

func.func @no_product(%b: tensor<13xf32>, %c: tensor<?x13xf32>) -> tensor<?x13xf32> {
  %y = lstm.gate tanh add(%b : tensor<13xf32>) add(%c : tensor<?x13xf32>) : tensor<?x13xf32>
  return %y : tensor<?x13xf32>
}

// -----

func.func @scales(%c: tensor<?x13xf32>, %p: tensor<13xf32>, %d: tensor<?x13xf32>) -> tensor<?x13xf32> {
  %y = lstm.gate elu(0.5) scale(%c, %p : tensor<?x13xf32>, tensor<13xf32>)
      scale(%c, %d : tensor<?x13xf32>, tensor<?x13xf32>) : tensor<?x13xf32>
  return %y : tensor<?x13xf32>
}

// -----

func.func @rank3(%x: tensor<?x9xf32>, %W: tensor<9x3x13xf32>, %b: tensor<3x13xf32>) -> tensor<?x3x13xf32> {
  %y = lstm.gate sigmoid dot(%x, %W : tensor<?x9xf32>, tensor<9x3x13xf32>) add(%b : tensor<3x13xf32>) : tensor<?x3x13xf32>
  return %y : tensor<?x3x13xf32>
}

// -----

// One activation for each gate; every form that an operand may have.
func.func @rank3_every_operand(%x: tensor<?x9xf32>, %W: tensor<9x3x13xf32>, %c: tensor<?x13xf32>, %e: tensor<?x3x13xf32>,
    %p1: tensor<13xf32>, %p2: tensor<3x13xf32>, %p3: tensor<?x3x13xf32>, %b1: tensor<13xf32>, %b2: tensor<3x13xf32>)
    -> tensor<?x3x13xf32> {
  %y = lstm.gate [sigmoid, leaky_relu(0.1), tanh] dot(%x, %W : tensor<?x9xf32>, tensor<9x3x13xf32>)
      scale(%c, %p1 : tensor<?x13xf32>, tensor<13xf32>) scale(%c, %p2 : tensor<?x13xf32>, tensor<3x13xf32>)
      scale(%e, %p3 : tensor<?x3x13xf32>, tensor<?x3x13xf32>) scale(%e, %p2 : tensor<?x3x13xf32>, tensor<3x13xf32>)
      add(%b1 : tensor<13xf32>) add(%b2 : tensor<3x13xf32>) add(%e : tensor<?x3x13xf32>) : tensor<?x3x13xf32>
  return %y : tensor<?x3x13xf32>
}

// -----

func.func @one_gate_of_rank3(%x: tensor<?x9xf32>, %W: tensor<9x1x13xf32>) -> tensor<?x1x13xf32> {
  %y = lstm.gate [relu] dot(%x, %W : tensor<?x9xf32>, tensor<9x1x13xf32>) : tensor<?x1x13xf32>
  return %y : tensor<?x1x13xf32>
}

// -----

func.func @clip(%x: tensor<?x9xf32>, %W: tensor<9x13xf32>, %b: tensor<13xf32>) -> tensor<?x13xf32> {
  %y = lstm.gate affine(2.0, 0.5) clip 0.75 dot(%x, %W : tensor<?x9xf32>, tensor<9x13xf32>) add(%b : tensor<13xf32>)
      : tensor<?x13xf32>
  return %y : tensor<?x13xf32>
}

// -----

func.func @dynamic(%x: tensor<?x?xf32>, %W: tensor<?x?xf32>, %b: tensor<?xf32>) -> tensor<?x?xf32> {
  %y = lstm.gate tanh dot(%x, %W : tensor<?x?xf32>, tensor<?x?xf32>) add(%b : tensor<?xf32>) : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

func.func @f64(%x: tensor<?x9xf64>, %W: tensor<9x13xf64>, %b: tensor<13xf64>) -> tensor<?x13xf64> {
  %y = lstm.gate tanh dot(%x, %W : tensor<?x9xf64>, tensor<9x13xf64>) add(%b : tensor<13xf64>) : tensor<?x13xf64>
  return %y : tensor<?x13xf64>
}

// -----

// Halves in, single precision out: computed in f32.
func.func @f16_to_f32(%x: tensor<?x99xf16>, %W: tensor<99x13xf16>, %b: tensor<13xf32>) -> tensor<?x13xf32> {
  %y = lstm.gate identity dot(%x, %W : tensor<?x99xf16>, tensor<99x13xf16>) add(%b : tensor<13xf32>) : tensor<?x13xf32>
  return %y : tensor<?x13xf32>
}

// -----

func.func @f16(%x: tensor<?x99xf16>, %W: tensor<99x13xf16>, %b: tensor<13xf16>) -> tensor<?x13xf16> {
  %y = lstm.gate sigmoid dot(%x, %W : tensor<?x99xf16>, tensor<99x13xf16>) add(%b : tensor<13xf16>) : tensor<?x13xf16>
  return %y : tensor<?x13xf16>
}

// -----

func.func @bf16(%x: tensor<?x99xbf16>, %W: tensor<99x13xbf16>, %b: tensor<13xbf16>) -> tensor<?x13xbf16> {
  %y = lstm.gate sigmoid dot(%x, %W : tensor<?x99xbf16>, tensor<99x13xbf16>) add(%b : tensor<13xbf16>) : tensor<?x13xbf16>
  return %y : tensor<?x13xbf16>
}

// -----

// Single precision in, f64 beside it: computed in f64.
func.func @f32_and_f64(%x: tensor<?x9xf32>, %W: tensor<9x13xf32>, %b: tensor<13xf64>) -> tensor<?x13xf64> {
  %y = lstm.gate sigmoid dot(%x, %W : tensor<?x9xf32>, tensor<9x13xf32>) add(%b : tensor<13xf64>) : tensor<?x13xf64>
  return %y : tensor<?x13xf64>
}

// -----

func.func @wide(%x: tensor<?x131xf32>, %W: tensor<131x2x257xf32>) -> tensor<?x2x257xf32> {
  %y = lstm.gate tanh dot(%x, %W : tensor<?x131xf32>, tensor<131x2x257xf32>) : tensor<?x2x257xf32>
  return %y : tensor<?x2x257xf32>
}
