// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bidirectional LSTM: two layers over the same input, one of them backwards, their
// outputs side by side.
//
//     forwards:  h_f, c_f = lstm_f(x[t], h_f, c_f)    ys[t, :, 0:20]  = h_f
//     backwards: h_b, c_b = lstm_b(x[t], h_b, c_b)    ys[t, :, 20:40] = h_b
//
// Schuster, Paliwal, "Bidirectional recurrent neural networks" (1997); Graves,
// Schmidhuber, "Framewise phoneme classification with bidirectional LSTM" (2005).

func.func @main(%x: tensor<?x?x24xf32>, %len: tensor<?xi32>, %h0_f: tensor<?x20xf32>,
                %c0_f: tensor<?x20xf32>, %W_f: tensor<24x4x20xf32>, %U_f: tensor<20x4x20xf32>,
                %b_f: tensor<4x20xf32>, %h0_b: tensor<?x20xf32>, %c0_b: tensor<?x20xf32>,
                %W_b: tensor<24x4x20xf32>, %U_b: tensor<20x4x20xf32>, %b_b: tensor<4x20xf32>)
    -> (tensor<?x?x40xf32> {lstm.name = "ys"},
        tensor<?x20xf32> {lstm.name = "hT_f"},
        tensor<?x20xf32> {lstm.name = "cT_f"},
        tensor<?x20xf32> {lstm.name = "hT_b"},
        tensor<?x20xf32> {lstm.name = "cT_b"}) {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %T = tensor.dim %x, %i0 : tensor<?x?x24xf32>
  %B = tensor.dim %x, %i1 : tensor<?x?x24xf32>
  %ys_f0 = tensor.empty(%T, %B) : tensor<?x?x20xf32>
  %ys_f, %hT_f, %cT_f = lstm.recurrence over(%xt = %x : tensor<?x?x24xf32>)
      init(%h = %h0_f, %c = %c0_f : tensor<?x20xf32>, tensor<?x20xf32>)
      lengths(%len : tensor<?xi32>) outs(%ys_f0 : tensor<?x?x20xf32>) {
    %h1, %c1 = lstm.cell input(%xt, %W_f : tensor<?x24xf32>, tensor<24x4x20xf32>)
        state(%h, %U_f : tensor<?x20xf32>, tensor<20x4x20xf32>)
        cell(%c : tensor<?x20xf32>) bias(%b_f : tensor<4x20xf32>)
    lstm.yield state(%h1, %c1 : tensor<?x20xf32>, tensor<?x20xf32>) out(%h1 : tensor<?x20xf32>)
  }
  %ys_b0 = tensor.empty(%T, %B) : tensor<?x?x20xf32>
  %ys_b, %hT_b, %cT_b = lstm.recurrence over(%xt = %x : tensor<?x?x24xf32>)
      init(%h = %h0_b, %c = %c0_b : tensor<?x20xf32>, tensor<?x20xf32>)
      lengths(%len : tensor<?xi32>) reverse outs(%ys_b0 : tensor<?x?x20xf32>) {
    %h1, %c1 = lstm.cell input(%xt, %W_b : tensor<?x24xf32>, tensor<24x4x20xf32>)
        state(%h, %U_b : tensor<?x20xf32>, tensor<20x4x20xf32>)
        cell(%c : tensor<?x20xf32>) bias(%b_b : tensor<4x20xf32>)
    lstm.yield state(%h1, %c1 : tensor<?x20xf32>, tensor<?x20xf32>) out(%h1 : tensor<?x20xf32>)
  }
  %both = tensor.empty(%T, %B) : tensor<?x?x40xf32>
  %half = tensor.insert_slice %ys_f into %both[0, 0, 0] [%T, %B, 20] [1, 1, 1]
      : tensor<?x?x20xf32> into tensor<?x?x40xf32>
  %ys = tensor.insert_slice %ys_b into %half[0, 0, 20] [%T, %B, 20] [1, 1, 1]
      : tensor<?x?x20xf32> into tensor<?x?x40xf32>
  return %ys, %hT_f, %cT_f, %hT_b, %cT_b
      : tensor<?x?x40xf32>, tensor<?x20xf32>, tensor<?x20xf32>, tensor<?x20xf32>, tensor<?x20xf32>
}
