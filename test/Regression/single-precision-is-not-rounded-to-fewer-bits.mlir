// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %python %lstm_src/test/Integration/CPU/check.py numbers %s
//
// Ten bits of mantissa would make 1 of the inputs.
//
// TOLERANCE 0
// CASE exact
// IN x = np.full((2, 64, 64), 1 + 2.0**-11)
// IN W = np.full((64, 64), 1 / 64)
// OUT hT = np.full((64, 64), 1.00048828125)

func.func @main(%x: tensor<?x?x64xf32>, %W: tensor<64x64xf32>) -> (tensor<?x64xf32> {lstm.name = "hT"}) {
  %i1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %B = tensor.dim %x, %i1 : tensor<?x?x64xf32>
  %h0 = tensor.splat %zero[%B] : tensor<?x64xf32>
  %U = arith.constant dense<0.0> : tensor<64x64xf32>
  %hT = lstm.recurrence over(%xt = %x : tensor<?x?x64xf32>) init(%h = %h0 : tensor<?x64xf32>) {
    %h1 = lstm.rnn_cell input(%xt, %W : tensor<?x64xf32>, tensor<64x64xf32>)
        state(%h, %U : tensor<?x64xf32>, tensor<64x64xf32>) activations [identity]
    lstm.yield state(%h1 : tensor<?x64xf32>)
  }
  return %hT : tensor<?x64xf32>
}
