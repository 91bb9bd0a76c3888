// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LSTM with layer normalization, as a cell of the user's own: functions on tensors.
//
//     z = norm(x W; gain_x, shift_x) + norm(h U; gain_h, shift_h) + b
//     i, f, o = sigmoid(z_i), sigmoid(z_f), sigmoid(z_o)    g = tanh(z_g)
//     c' = f * c + i * g
//     h' = o * tanh(norm(c'; gain_c, shift_c))
//     norm(a; gain, shift) = (a - mean a) / sqrt(variance a + 1e-5) * gain + shift
//
// Ba, Kiros, Hinton, "Layer normalization" (2016). The norms of the products go
// over all four gates of a row. Gates lie in the order i, f, g, o.

// Over the gates and units of each row.
func.func private @normalize_gates(%z: tensor<?x4x40xf32>,
    %gain: tensor<4x40xf32>, %shift: tensor<4x40xf32>)
    -> tensor<?x4x40xf32> {
  %i0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 160.0 : f32
  %epsilon = arith.constant 1.0e-5 : f32
  %B = tensor.dim %z, %i0 : tensor<?x4x40xf32>
  %row = tensor.empty(%B) : tensor<?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%row : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {
      indexing_maps = [affine_map<(r, g, u) -> (r, g, u)>, affine_map<(r, g, u) -> (r)>],
      iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%z : tensor<?x4x40xf32>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%v: f32, %s: f32):
    %s1 = arith.addf %s, %v : f32
    linalg.yield %s1 : f32
  } -> tensor<?xf32>
  %squares = linalg.generic {
      indexing_maps = [affine_map<(r, g, u) -> (r, g, u)>, affine_map<(r, g, u) -> (r)>,
                       affine_map<(r, g, u) -> (r)>],
      iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%z, %sum : tensor<?x4x40xf32>, tensor<?xf32>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%v: f32, %s: f32, %q: f32):
    %mean = arith.divf %s, %n : f32
    %d = arith.subf %v, %mean : f32
    %dd = arith.mulf %d, %d : f32
    %q1 = arith.addf %q, %dd : f32
    linalg.yield %q1 : f32
  } -> tensor<?xf32>
  %empty = tensor.empty(%B) : tensor<?x4x40xf32>
  %normed = linalg.generic {
      indexing_maps = [affine_map<(r, g, u) -> (r, g, u)>, affine_map<(r, g, u) -> (r)>,
                       affine_map<(r, g, u) -> (r)>, affine_map<(r, g, u) -> (g, u)>,
                       affine_map<(r, g, u) -> (g, u)>, affine_map<(r, g, u) -> (r, g, u)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%z, %sum, %squares, %gain, %shift
          : tensor<?x4x40xf32>, tensor<?xf32>, tensor<?xf32>, tensor<4x40xf32>, tensor<4x40xf32>)
      outs(%empty : tensor<?x4x40xf32>) {
  ^bb0(%v: f32, %s: f32, %q: f32, %a: f32, %b: f32, %to: f32):
    %mean = arith.divf %s, %n : f32
    %d = arith.subf %v, %mean : f32
    %variance = arith.divf %q, %n : f32
    %stable = arith.addf %variance, %epsilon : f32
    %deviation = math.sqrt %stable : f32
    %unit = arith.divf %d, %deviation : f32
    %scaled = arith.mulf %unit, %a : f32
    %y = arith.addf %scaled, %b : f32
    linalg.yield %y : f32
  } -> tensor<?x4x40xf32>
  return %normed : tensor<?x4x40xf32>
}

// Over the units of each row.
func.func private @normalize_cell(%z: tensor<?x40xf32>,
    %gain: tensor<40xf32>, %shift: tensor<40xf32>)
    -> tensor<?x40xf32> {
  %i0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 40.0 : f32
  %epsilon = arith.constant 1.0e-5 : f32
  %B = tensor.dim %z, %i0 : tensor<?x40xf32>
  %row = tensor.empty(%B) : tensor<?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%row : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {
      indexing_maps = [affine_map<(r, u) -> (r, u)>, affine_map<(r, u) -> (r)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%z : tensor<?x40xf32>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%v: f32, %s: f32):
    %s1 = arith.addf %s, %v : f32
    linalg.yield %s1 : f32
  } -> tensor<?xf32>
  %squares = linalg.generic {
      indexing_maps = [affine_map<(r, u) -> (r, u)>, affine_map<(r, u) -> (r)>,
                       affine_map<(r, u) -> (r)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%z, %sum : tensor<?x40xf32>, tensor<?xf32>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%v: f32, %s: f32, %q: f32):
    %mean = arith.divf %s, %n : f32
    %d = arith.subf %v, %mean : f32
    %dd = arith.mulf %d, %d : f32
    %q1 = arith.addf %q, %dd : f32
    linalg.yield %q1 : f32
  } -> tensor<?xf32>
  %empty = tensor.empty(%B) : tensor<?x40xf32>
  %normed = linalg.generic {
      indexing_maps = [affine_map<(r, u) -> (r, u)>, affine_map<(r, u) -> (r)>,
                       affine_map<(r, u) -> (r)>, affine_map<(r, u) -> (u)>,
                       affine_map<(r, u) -> (u)>, affine_map<(r, u) -> (r, u)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%z, %sum, %squares, %gain, %shift
          : tensor<?x40xf32>, tensor<?xf32>, tensor<?xf32>, tensor<40xf32>, tensor<40xf32>)
      outs(%empty : tensor<?x40xf32>) {
  ^bb0(%v: f32, %s: f32, %q: f32, %a: f32, %b: f32, %to: f32):
    %mean = arith.divf %s, %n : f32
    %d = arith.subf %v, %mean : f32
    %variance = arith.divf %q, %n : f32
    %stable = arith.addf %variance, %epsilon : f32
    %deviation = math.sqrt %stable : f32
    %unit = arith.divf %d, %deviation : f32
    %scaled = arith.mulf %unit, %a : f32
    %y = arith.addf %scaled, %b : f32
    linalg.yield %y : f32
  } -> tensor<?x40xf32>
  return %normed : tensor<?x40xf32>
}

func.func private @cell(%x: tensor<?x24xf32>, %h: tensor<?x40xf32>, %c: tensor<?x40xf32>,
                        %W: tensor<24x4x40xf32>, %U: tensor<40x4x40xf32>, %b: tensor<4x40xf32>,
                        %gain_x: tensor<4x40xf32>, %shift_x: tensor<4x40xf32>, %gain_h: tensor<4x40xf32>,
                        %shift_h: tensor<4x40xf32>, %gain_c: tensor<40xf32>, %shift_c: tensor<40xf32>)
    -> (tensor<?x40xf32>, tensor<?x40xf32>) {
  %i0 = arith.constant 0 : index
  %B = tensor.dim %h, %i0 : tensor<?x40xf32>
  %zx = lstm.gate identity dot(%x, %W : tensor<?x24xf32>, tensor<24x4x40xf32>) : tensor<?x4x40xf32>
  %zh = lstm.gate identity dot(%h, %U : tensor<?x40xf32>, tensor<40x4x40xf32>) : tensor<?x4x40xf32>
  %nx = func.call @normalize_gates(%zx, %gain_x, %shift_x)
      : (tensor<?x4x40xf32>, tensor<4x40xf32>, tensor<4x40xf32>) -> tensor<?x4x40xf32>
  %nh = func.call @normalize_gates(%zh, %gain_h, %shift_h)
      : (tensor<?x4x40xf32>, tensor<4x40xf32>, tensor<4x40xf32>) -> tensor<?x4x40xf32>
  %gates = lstm.gate [sigmoid, sigmoid, tanh, sigmoid]
      add(%nx : tensor<?x4x40xf32>) add(%nh : tensor<?x4x40xf32>) add(%b : tensor<4x40xf32>) : tensor<?x4x40xf32>
  %i = tensor.extract_slice %gates[0, 0, 0] [%B, 1, 40] [1, 1, 1] : tensor<?x4x40xf32> to tensor<?x40xf32>
  %f = tensor.extract_slice %gates[0, 1, 0] [%B, 1, 40] [1, 1, 1] : tensor<?x4x40xf32> to tensor<?x40xf32>
  %g = tensor.extract_slice %gates[0, 2, 0] [%B, 1, 40] [1, 1, 1] : tensor<?x4x40xf32> to tensor<?x40xf32>
  %o = tensor.extract_slice %gates[0, 3, 0] [%B, 1, 40] [1, 1, 1] : tensor<?x4x40xf32> to tensor<?x40xf32>
  %fc = arith.mulf %f, %c : tensor<?x40xf32>
  %ig = arith.mulf %i, %g : tensor<?x40xf32>
  %c1 = arith.addf %fc, %ig : tensor<?x40xf32>
  %nc = func.call @normalize_cell(%c1, %gain_c, %shift_c)
      : (tensor<?x40xf32>, tensor<40xf32>, tensor<40xf32>) -> tensor<?x40xf32>
  %a = math.tanh %nc : tensor<?x40xf32>
  %h1 = arith.mulf %o, %a : tensor<?x40xf32>
  return %h1, %c1 : tensor<?x40xf32>, tensor<?x40xf32>
}

func.func @main(%x: tensor<?x?x24xf32>, %h0: tensor<?x40xf32>, %c0: tensor<?x40xf32>,
                %len: tensor<?xi32>, %W: tensor<24x4x40xf32>, %U: tensor<40x4x40xf32>,
                %b: tensor<4x40xf32>, %gain_x: tensor<4x40xf32>, %shift_x: tensor<4x40xf32>,
                %gain_h: tensor<4x40xf32>, %shift_h: tensor<4x40xf32>, %gain_c: tensor<40xf32>,
                %shift_c: tensor<40xf32>)
    -> (tensor<?x?x40xf32> {lstm.name = "ys"},
        tensor<?x40xf32> {lstm.name = "hT"},
        tensor<?x40xf32> {lstm.name = "cT"}) {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %T = tensor.dim %x, %i0 : tensor<?x?x24xf32>
  %B = tensor.dim %x, %i1 : tensor<?x?x24xf32>
  %ys0 = tensor.empty(%T, %B) : tensor<?x?x40xf32>
  %ys, %hT, %cT = lstm.recurrence over(%xt = %x : tensor<?x?x24xf32>)
      init(%h = %h0, %c = %c0 : tensor<?x40xf32>, tensor<?x40xf32>)
      lengths(%len : tensor<?xi32>) outs(%ys0 : tensor<?x?x40xf32>) {
    %h1, %c1 = func.call @cell(%xt, %h, %c, %W, %U, %b, %gain_x, %shift_x, %gain_h, %shift_h, %gain_c, %shift_c)
        : (tensor<?x24xf32>, tensor<?x40xf32>, tensor<?x40xf32>, tensor<24x4x40xf32>, tensor<40x4x40xf32>,
           tensor<4x40xf32>, tensor<4x40xf32>, tensor<4x40xf32>, tensor<4x40xf32>, tensor<4x40xf32>,
           tensor<40xf32>, tensor<40xf32>)
        -> (tensor<?x40xf32>, tensor<?x40xf32>)
    lstm.yield state(%h1, %c1 : tensor<?x40xf32>, tensor<?x40xf32>) out(%h1 : tensor<?x40xf32>)
  }
  return %ys, %hT, %cT : tensor<?x?x40xf32>, tensor<?x40xf32>, tensor<?x40xf32>
}
