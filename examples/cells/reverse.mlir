// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An LSTM that runs from the last valid step of each row to its first one.
//
//     t = length - 1 ... 0:    h, c = lstm(x[t], h, c)    ys[t] = h
//
// ONNX operator LSTM, direction "reverse". Padding lies behind each row's end in
// ys as in x; the final states are those after t = 0.

func.func @main(%x: tensor<?x?x26xf32>, %h0: tensor<?x38xf32>, %c0: tensor<?x38xf32>,
                %len: tensor<?xi32>, %W: tensor<26x4x38xf32>, %U: tensor<38x4x38xf32>,
                %b: tensor<4x38xf32>)
    -> (tensor<?x?x38xf32> {lstm.name = "ys"},
        tensor<?x38xf32> {lstm.name = "hT"},
        tensor<?x38xf32> {lstm.name = "cT"}) {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %T = tensor.dim %x, %i0 : tensor<?x?x26xf32>
  %B = tensor.dim %x, %i1 : tensor<?x?x26xf32>
  %ys0 = tensor.empty(%T, %B) : tensor<?x?x38xf32>
  %ys, %hT, %cT = lstm.recurrence over(%xt = %x : tensor<?x?x26xf32>)
      init(%h = %h0, %c = %c0 : tensor<?x38xf32>, tensor<?x38xf32>)
      lengths(%len : tensor<?xi32>) reverse outs(%ys0 : tensor<?x?x38xf32>) {
    %h1, %c1 = lstm.cell input(%xt, %W : tensor<?x26xf32>, tensor<26x4x38xf32>)
        state(%h, %U : tensor<?x38xf32>, tensor<38x4x38xf32>)
        cell(%c : tensor<?x38xf32>) bias(%b : tensor<4x38xf32>)
    lstm.yield state(%h1, %c1 : tensor<?x38xf32>, tensor<?x38xf32>) out(%h1 : tensor<?x38xf32>)
  }
  return %ys, %hT, %cT : tensor<?x?x38xf32>, tensor<?x38xf32>, tensor<?x38xf32>
}
