// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: lstm-opt %s --canonicalize="test-convergence=true max-iterations=10" | FileCheck %s
// RUN: %python %S/Inputs/converges.py %lstm_src/examples/cells
//
// A pattern that reports success without a change keeps the others from running. An
// operation in normal form stands beside one that has to change; the second line runs
// each example cell.

// CHECK-LABEL: @beside
// CHECK: lstm.gate sigmoid dot(
// CHECK: lstm.gate tanh add(
// CHECK-NOT: dot(
// CHECK: return

func.func @beside(%x: tensor<?x3xf32>, %W: tensor<3x4xf32>, %b: tensor<4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %zero = arith.constant dense<0.0> : tensor<3x4xf32>
  %normal = lstm.gate sigmoid dot(%x, %W : tensor<?x3xf32>, tensor<3x4xf32>) : tensor<?x4xf32>
  %changes = lstm.gate tanh dot(%x, %zero : tensor<?x3xf32>, tensor<3x4xf32>) add(%normal : tensor<?x4xf32>)
      add(%b : tensor<4xf32>) : tensor<?x4xf32>
  return %normal, %changes : tensor<?x4xf32>, tensor<?x4xf32>
}
