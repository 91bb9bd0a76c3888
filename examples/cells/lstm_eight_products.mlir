// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The LSTM of lstm.mlir as importers of other projects emit it: eight products,
// broadcasts of the biases and activations spelt out, with linalg, arith and math.
//
//     i = sigmoid(x W_i + h U_i + b_i)    f = sigmoid(x W_f + h U_f + b_f)
//     g = tanh(x W_g + h U_g + b_g)       o = sigmoid(x W_o + h U_o + b_o)
//     c' = f * c + i * g                  h' = o * tanh(c')
//
// Gers, Schmidhuber, Cummins, "Learning to forget: continual prediction with
// LSTM" (2000).

#all = affine_map<(r, u) -> (r, u)>
#unit = affine_map<(r, u) -> (u)>

func.func @main(%x: tensor<?x?x24xf32>, %h0: tensor<?x36xf32>, %c0: tensor<?x36xf32>,
                %len: tensor<?xi32>, %Wi: tensor<24x36xf32>, %Ui: tensor<36x36xf32>,
                %bi: tensor<36xf32>, %Wf: tensor<24x36xf32>, %Uf: tensor<36x36xf32>,
                %bf: tensor<36xf32>, %Wg: tensor<24x36xf32>, %Ug: tensor<36x36xf32>,
                %bg: tensor<36xf32>, %Wo: tensor<24x36xf32>, %Uo: tensor<36x36xf32>,
                %bo: tensor<36xf32>)
    -> (tensor<?x?x36xf32> {lstm.name = "ys"},
        tensor<?x36xf32> {lstm.name = "hT"},
        tensor<?x36xf32> {lstm.name = "cT"}) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %T = tensor.dim %x, %i0 : tensor<?x?x24xf32>
  %B = tensor.dim %x, %i1 : tensor<?x?x24xf32>
  %ys0 = tensor.empty(%T, %B) : tensor<?x?x36xf32>
  %ys, %hT, %cT = lstm.recurrence over(%xt = %x : tensor<?x?x24xf32>)
      init(%h = %h0, %c = %c0 : tensor<?x36xf32>, tensor<?x36xf32>)
      lengths(%len : tensor<?xi32>) outs(%ys0 : tensor<?x?x36xf32>) {
    %e = tensor.empty(%B) : tensor<?x36xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x36xf32>) -> tensor<?x36xf32>
    %xi = linalg.matmul ins(%xt, %Wi : tensor<?x24xf32>, tensor<24x36xf32>)
        outs(%z : tensor<?x36xf32>) -> tensor<?x36xf32>
    %hi = linalg.matmul ins(%h, %Ui : tensor<?x36xf32>, tensor<36x36xf32>)
        outs(%z : tensor<?x36xf32>) -> tensor<?x36xf32>
    %pi = arith.addf %xi, %hi : tensor<?x36xf32>
    %si = linalg.generic {indexing_maps = [#all, #unit, #all], iterator_types = ["parallel", "parallel"]}
        ins(%pi, %bi : tensor<?x36xf32>, tensor<36xf32>) outs(%e : tensor<?x36xf32>) {
    ^bb0(%v: f32, %bias: f32, %to: f32):
      %sum = arith.addf %v, %bias : f32
      linalg.yield %sum : f32
    } -> tensor<?x36xf32>
    %i = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
        ins(%si : tensor<?x36xf32>) outs(%e : tensor<?x36xf32>) {
    ^bb0(%v: f32, %to: f32):
      %minus = arith.negf %v : f32
      %exp = math.exp %minus : f32
      %sum = arith.addf %exp, %one : f32
      %sigmoid = arith.divf %one, %sum : f32
      linalg.yield %sigmoid : f32
    } -> tensor<?x36xf32>
    %xf = linalg.matmul ins(%xt, %Wf : tensor<?x24xf32>, tensor<24x36xf32>)
        outs(%z : tensor<?x36xf32>) -> tensor<?x36xf32>
    %hf = linalg.matmul ins(%h, %Uf : tensor<?x36xf32>, tensor<36x36xf32>)
        outs(%z : tensor<?x36xf32>) -> tensor<?x36xf32>
    %pf = arith.addf %xf, %hf : tensor<?x36xf32>
    %sf = linalg.generic {indexing_maps = [#all, #unit, #all], iterator_types = ["parallel", "parallel"]}
        ins(%pf, %bf : tensor<?x36xf32>, tensor<36xf32>) outs(%e : tensor<?x36xf32>) {
    ^bb0(%v: f32, %bias: f32, %to: f32):
      %sum = arith.addf %v, %bias : f32
      linalg.yield %sum : f32
    } -> tensor<?x36xf32>
    %f = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
        ins(%sf : tensor<?x36xf32>) outs(%e : tensor<?x36xf32>) {
    ^bb0(%v: f32, %to: f32):
      %minus = arith.negf %v : f32
      %exp = math.exp %minus : f32
      %sum = arith.addf %exp, %one : f32
      %sigmoid = arith.divf %one, %sum : f32
      linalg.yield %sigmoid : f32
    } -> tensor<?x36xf32>
    %xg = linalg.matmul ins(%xt, %Wg : tensor<?x24xf32>, tensor<24x36xf32>)
        outs(%z : tensor<?x36xf32>) -> tensor<?x36xf32>
    %hg = linalg.matmul ins(%h, %Ug : tensor<?x36xf32>, tensor<36x36xf32>)
        outs(%z : tensor<?x36xf32>) -> tensor<?x36xf32>
    %pg = arith.addf %xg, %hg : tensor<?x36xf32>
    %sg = linalg.generic {indexing_maps = [#all, #unit, #all], iterator_types = ["parallel", "parallel"]}
        ins(%pg, %bg : tensor<?x36xf32>, tensor<36xf32>) outs(%e : tensor<?x36xf32>) {
    ^bb0(%v: f32, %bias: f32, %to: f32):
      %sum = arith.addf %v, %bias : f32
      linalg.yield %sum : f32
    } -> tensor<?x36xf32>
    %g = math.tanh %sg : tensor<?x36xf32>
    %xo = linalg.matmul ins(%xt, %Wo : tensor<?x24xf32>, tensor<24x36xf32>)
        outs(%z : tensor<?x36xf32>) -> tensor<?x36xf32>
    %ho = linalg.matmul ins(%h, %Uo : tensor<?x36xf32>, tensor<36x36xf32>)
        outs(%z : tensor<?x36xf32>) -> tensor<?x36xf32>
    %po = arith.addf %xo, %ho : tensor<?x36xf32>
    %so = linalg.generic {indexing_maps = [#all, #unit, #all], iterator_types = ["parallel", "parallel"]}
        ins(%po, %bo : tensor<?x36xf32>, tensor<36xf32>) outs(%e : tensor<?x36xf32>) {
    ^bb0(%v: f32, %bias: f32, %to: f32):
      %sum = arith.addf %v, %bias : f32
      linalg.yield %sum : f32
    } -> tensor<?x36xf32>
    %o = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
        ins(%so : tensor<?x36xf32>) outs(%e : tensor<?x36xf32>) {
    ^bb0(%v: f32, %to: f32):
      %minus = arith.negf %v : f32
      %exp = math.exp %minus : f32
      %sum = arith.addf %exp, %one : f32
      %sigmoid = arith.divf %one, %sum : f32
      linalg.yield %sigmoid : f32
    } -> tensor<?x36xf32>
    %fc = arith.mulf %f, %c : tensor<?x36xf32>
    %ig = arith.mulf %i, %g : tensor<?x36xf32>
    %c1 = arith.addf %fc, %ig : tensor<?x36xf32>
    %a = math.tanh %c1 : tensor<?x36xf32>
    %h1 = arith.mulf %o, %a : tensor<?x36xf32>
    lstm.yield state(%h1, %c1 : tensor<?x36xf32>, tensor<?x36xf32>) out(%h1 : tensor<?x36xf32>)
  }
  return %ys, %hT, %cT : tensor<?x?x36xf32>, tensor<?x36xf32>, tensor<?x36xf32>
}
