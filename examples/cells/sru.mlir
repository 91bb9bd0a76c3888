// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Simple recurrent unit: all products are with the input, so that only elementwise
// work is left in the loop.
//
//     f = sigmoid(x W_f + v_f * c + b_f)
//     r = sigmoid(x W_r + v_r * c + b_r)
//     c' = f * c + (1 - f) * (x W)
//     h  = r * c' + (1 - r) * (x W_s)
//
// Lei, Zhang, Wang, Dai, Artzi, "Simple recurrent units for highly parallelizable
// recurrence" (2018). W_s stands for the highway x where input and hidden size
// differ.

func.func @main(%x: tensor<?x?x20xf32>, %c0: tensor<?x28xf32>, %len: tensor<?xi32>,
                %W: tensor<20x28xf32>, %Wf: tensor<20x28xf32>, %Wr: tensor<20x28xf32>,
                %Ws: tensor<20x28xf32>, %vf: tensor<28xf32>, %vr: tensor<28xf32>,
                %bf: tensor<28xf32>, %br: tensor<28xf32>)
    -> (tensor<?x?x28xf32> {lstm.name = "ys"}, tensor<?x28xf32> {lstm.name = "cT"}) {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %T = tensor.dim %x, %i0 : tensor<?x?x20xf32>
  %B = tensor.dim %x, %i1 : tensor<?x?x20xf32>
  %ys0 = tensor.empty(%T, %B) : tensor<?x?x28xf32>
  %ys, %cT = lstm.recurrence over(%xt = %x : tensor<?x?x20xf32>) init(%c = %c0 : tensor<?x28xf32>)
      lengths(%len : tensor<?xi32>) outs(%ys0 : tensor<?x?x28xf32>) {
    %new = lstm.gate identity dot(%xt, %W : tensor<?x20xf32>, tensor<20x28xf32>) : tensor<?x28xf32>
    %f = lstm.gate sigmoid dot(%xt, %Wf : tensor<?x20xf32>, tensor<20x28xf32>)
        scale(%c, %vf : tensor<?x28xf32>, tensor<28xf32>) add(%bf : tensor<28xf32>) : tensor<?x28xf32>
    %r = lstm.gate sigmoid dot(%xt, %Wr : tensor<?x20xf32>, tensor<20x28xf32>)
        scale(%c, %vr : tensor<?x28xf32>, tensor<28xf32>) add(%br : tensor<28xf32>) : tensor<?x28xf32>
    %skip = lstm.gate identity dot(%xt, %Ws : tensor<?x20xf32>, tensor<20x28xf32>) : tensor<?x28xf32>
    // a * b + (1 - a) * d  =  d + a * (b - d)
    %cn = arith.subf %c, %new : tensor<?x28xf32>
    %fcn = arith.mulf %f, %cn : tensor<?x28xf32>
    %c1 = arith.addf %new, %fcn : tensor<?x28xf32>
    %cs = arith.subf %c1, %skip : tensor<?x28xf32>
    %rcs = arith.mulf %r, %cs : tensor<?x28xf32>
    %h = arith.addf %skip, %rcs : tensor<?x28xf32>
    lstm.yield state(%c1 : tensor<?x28xf32>) out(%h : tensor<?x28xf32>)
  }
  return %ys, %cT : tensor<?x?x28xf32>, tensor<?x28xf32>
}
