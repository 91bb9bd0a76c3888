// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %python %S/Inputs/million_steps.py %s
// RUN: %python %S/Inputs/million_steps.py %s --no-optimize
// RUN: lstm-opt %s --lstm-to-llvm | %python %S/Inputs/no_alloca_in_loops.py
// RUN: lstm-opt %s --lstm-to-llvm=optimize=false | %python %S/Inputs/no_alloca_in_loops.py
// UNSUPPORTED: sanitizer
//
// With a stack of 8 MiB, and nothing is allocated on it in a loop.

func.func @main(%x: tensor<?x?x1xf32>, %h0: tensor<?x4xf32>,
                %c0: tensor<?x4xf32>, %W: tensor<1x4x4xf32>,
                %U: tensor<4x4x4xf32>)
    -> (tensor<?x?x4xf32> {lstm.name = "ys"}, tensor<?x4xf32> {lstm.name = "hT"}, tensor<?x4xf32> {lstm.name = "cT"}) {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %T = tensor.dim %x, %i0 : tensor<?x?x1xf32>
  %B = tensor.dim %x, %i1 : tensor<?x?x1xf32>
  %ys0 = tensor.empty(%T, %B) : tensor<?x?x4xf32>
  %ys, %hT, %cT = lstm.recurrence over(%xt = %x : tensor<?x?x1xf32>)
      init(%h = %h0, %c = %c0 : tensor<?x4xf32>, tensor<?x4xf32>) outs(%ys0 : tensor<?x?x4xf32>) {
    %h1, %c1 = lstm.cell input(%xt, %W : tensor<?x1xf32>, tensor<1x4x4xf32>)
        state(%h, %U : tensor<?x4xf32>, tensor<4x4x4xf32>) cell(%c : tensor<?x4xf32>)
    lstm.yield state(%h1, %c1 : tensor<?x4xf32>, tensor<?x4xf32>) out(%h1 : tensor<?x4xf32>)
  }
  return %ys, %hT, %cT : tensor<?x?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>
}
