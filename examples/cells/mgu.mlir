// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Minimal gated unit, as a cell of the user's own: a function on tensors.
//
//     f = sigmoid(x W_f + h U_f + b_f)
//     n = tanh(x W_n + (f * h) U_n + b_n)
//     h' = (1 - f) * h + f * n
//
// Zhou, Wu, Zhang, Zhou, "Minimal gated unit for recurrent neural networks" (2016).

func.func private @cell(%x: tensor<?x22xf32>, %h: tensor<?x36xf32>,
                        %Wf: tensor<22x36xf32>, %Uf: tensor<36x36xf32>, %bf: tensor<36xf32>,
                        %Wn: tensor<22x36xf32>, %Un: tensor<36x36xf32>, %bn: tensor<36xf32>)
    -> tensor<?x36xf32> {
  %f = lstm.gate sigmoid dot(%x, %Wf : tensor<?x22xf32>, tensor<22x36xf32>)
      dot(%h, %Uf : tensor<?x36xf32>, tensor<36x36xf32>) add(%bf : tensor<36xf32>) : tensor<?x36xf32>
  %fh = arith.mulf %f, %h : tensor<?x36xf32>
  %n = lstm.gate tanh dot(%x, %Wn : tensor<?x22xf32>, tensor<22x36xf32>)
      dot(%fh, %Un : tensor<?x36xf32>, tensor<36x36xf32>) add(%bn : tensor<36xf32>) : tensor<?x36xf32>
  %keep = lstm.gate affine(-1.0, 1.0) add(%f : tensor<?x36xf32>) : tensor<?x36xf32>
  %old = arith.mulf %keep, %h : tensor<?x36xf32>
  %new = arith.mulf %f, %n : tensor<?x36xf32>
  %h1 = arith.addf %old, %new : tensor<?x36xf32>
  return %h1 : tensor<?x36xf32>
}

func.func @main(%x: tensor<?x?x22xf32>, %h0: tensor<?x36xf32>, %len: tensor<?xi32>,
                %Wf: tensor<22x36xf32>, %Uf: tensor<36x36xf32>, %bf: tensor<36xf32>,
                %Wn: tensor<22x36xf32>, %Un: tensor<36x36xf32>, %bn: tensor<36xf32>)
    -> (tensor<?x?x36xf32> {lstm.name = "ys"}, tensor<?x36xf32> {lstm.name = "hT"}) {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %T = tensor.dim %x, %i0 : tensor<?x?x22xf32>
  %B = tensor.dim %x, %i1 : tensor<?x?x22xf32>
  %ys0 = tensor.empty(%T, %B) : tensor<?x?x36xf32>
  %ys, %hT = lstm.recurrence over(%xt = %x : tensor<?x?x22xf32>) init(%h = %h0 : tensor<?x36xf32>)
      lengths(%len : tensor<?xi32>) outs(%ys0 : tensor<?x?x36xf32>) {
    %h1 = func.call @cell(%xt, %h, %Wf, %Uf, %bf, %Wn, %Un, %bn)
        : (tensor<?x22xf32>, tensor<?x36xf32>, tensor<22x36xf32>, tensor<36x36xf32>, tensor<36xf32>,
           tensor<22x36xf32>, tensor<36x36xf32>, tensor<36xf32>) -> tensor<?x36xf32>
    lstm.yield state(%h1 : tensor<?x36xf32>) out(%h1 : tensor<?x36xf32>)
  }
  return %ys, %hT : tensor<?x?x36xf32>, tensor<?x36xf32>
}
