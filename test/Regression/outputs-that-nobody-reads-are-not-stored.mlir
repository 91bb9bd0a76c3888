// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: lstm-opt %s --canonicalize | FileCheck %s
//
// Only the final state is used: nothing of the stacked output is kept.

// CHECK-LABEL: @last
// CHECK-NOT: tensor.empty
// CHECK: lstm.recurrence
// CHECK-NOT: outs(
// CHECK: return

func.func @last(%x: tensor<?x?x9xf32>, %h0: tensor<?x9xf32>, %len: tensor<?xi32>) -> tensor<?x9xf32> {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %T = tensor.dim %x, %i0 : tensor<?x?x9xf32>
  %B = tensor.dim %x, %i1 : tensor<?x?x9xf32>
  %ys0 = tensor.empty(%T, %B) : tensor<?x?x9xf32>
  %ys, %hT = lstm.recurrence over(%xt = %x : tensor<?x?x9xf32>) init(%h = %h0 : tensor<?x9xf32>)
      lengths(%len : tensor<?xi32>) outs(%ys0 : tensor<?x?x9xf32>) {
    %h1 = arith.addf %h, %xt : tensor<?x9xf32>
    lstm.yield state(%h1 : tensor<?x9xf32>) out(%h1 : tensor<?x9xf32>)
  }
  return %hT : tensor<?x9xf32>
}
