// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: lstm-opt %s --canonicalize | FileCheck %s
// RUN: lstm-opt %s --lstm-to-llvm -o /dev/null
// RUN: lstm-opt %s --lstm-to-llvm=optimize=false -o /dev/null
// RUN: lstm-opt %s --lstm-decompose-cells --convert-lstm-to-linalg --lstm-lower-recurrence -o /dev/null
//
// Upstream's verifiers do not take slices of what has no elements.

// CHECK-LABEL: func.func @gates(
// CHECK-NOT: lstm.gate
func.func @gates(%x: tensor<0x8xf32>, %W: tensor<8x3x?xf32>) -> tensor<0x3x?xf32> {
  %g = lstm.gate [sigmoid, sigmoid, tanh] dot(%x, %W : tensor<0x8xf32>, tensor<8x3x?xf32>) : tensor<0x3x?xf32>
  return %g : tensor<0x3x?xf32>
}

// CHECK-LABEL: func.func @phase(
// CHECK-SAME: %{{[^:]*}}: tensor<0x8xf32>, %{{[^:]*}}: tensor<8x1x8xf32>, %[[TO:[^:]*]]: tensor<0x8xf32>
// CHECK-NEXT: return %[[TO]]
func.func @phase(%h: tensor<0x8xf32>, %U: tensor<8x1x8xf32>, %to: tensor<0x8xf32>) -> tensor<0x8xf32> {
  %h1 = lstm.phase project(%h, %U : tensor<0x8xf32>, tensor<8x1x8xf32>) outs(%to : tensor<0x8xf32>) {
  ^bb0(%z: f32, %old: f32):
    lstm.yield %z : f32
  }
  return %h1 : tensor<0x8xf32>
}

func.func @rnn(%xs: tensor<?x0x8xf32>, %h0: tensor<0x8xf32>, %U: tensor<8x8xf32>, %ys0: tensor<?x0x8xf32>)
    -> (tensor<?x0x8xf32>, tensor<0x8xf32>) {
  %ys, %hT = lstm.recurrence over(%x = %xs : tensor<?x0x8xf32>) init(%h = %h0 : tensor<0x8xf32>) outs(%ys0 : tensor<?x0x8xf32>) {
    %h1 = lstm.rnn_cell input(%x, %U : tensor<0x8xf32>, tensor<8x8xf32>) state(%h, %U : tensor<0x8xf32>, tensor<8x8xf32>)
    lstm.yield state(%h1 : tensor<0x8xf32>) out(%h1 : tensor<0x8xf32>)
  }
  return %ys, %hT : tensor<?x0x8xf32>, tensor<0x8xf32>
}
