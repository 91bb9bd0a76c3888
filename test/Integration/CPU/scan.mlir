// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %python %S/check.py op %s

// A state in two slots: step t reads slot t mod 2 and writes the other one.
func.func @two_slots(%n: index, %x: tensor<?x?x9xf32>, %hh: tensor<2x?x9xf32>, %ys: tensor<?x?x9xf32>)
    -> (tensor<2x?x9xf32>, tensor<?x?x9xf32>) {
  %r:2 = lstm.scan %t to %n over(%xt = %x : tensor<?x?x9xf32>) states(%h -> %to = %hh : tensor<2x?x9xf32>)
      outs(%y = %ys : tensor<?x?x9xf32>) {
    %s, %o = lstm.phase ins(%xt[r, u], %h[r, u] : tensor<?x9xf32>, tensor<?x9xf32>) outs(%to, %y : tensor<?x9xf32>, tensor<?x9xf32>) {
    ^bb0(%a: f32, %b: f32, %old0: f32, %old1: f32):
      %s = arith.subf %a, %b : f32
      lstm.yield %s, %s : f32, f32
    }
    lstm.yield state(%s : tensor<?x9xf32>) out(%o : tensor<?x9xf32>)
  }
  return %r#0, %r#1 : tensor<2x?x9xf32>, tensor<?x?x9xf32>
}

// -----

// A state in place, read backwards, written forwards.
func.func @in_place(%n: index, %x: tensor<?x?x9xf32>, %c: tensor<?x9xf32>, %ys: tensor<?x?x9xf32>)
    -> (tensor<?x9xf32>, tensor<?x?x9xf32>) {
  %r:2 = lstm.scan %t to %n over(reverse %xt = %x : tensor<?x?x9xf32>) states(%ct = %c : tensor<?x9xf32>)
      outs(%y = %ys : tensor<?x?x9xf32>) {
    %s, %o = lstm.phase ins(%xt[r, u], %t : tensor<?x9xf32>, index) outs(%ct, %y : tensor<?x9xf32>, tensor<?x9xf32>) {
    ^bb0(%a: f32, %step: index, %old: f32, %unused: f32):
      %k = arith.index_cast %step : index to i32
      %f = arith.sitofp %k : i32 to f32
      %s = arith.subf %a, %old : f32
      %o = arith.addf %s, %f : f32
      lstm.yield %s, %o : f32, f32
    }
    lstm.yield state(%s : tensor<?x9xf32>) out(%o : tensor<?x9xf32>)
  }
  return %r#0, %r#1 : tensor<?x9xf32>, tensor<?x?x9xf32>
}

// -----

// A product with the state that is written, in two slots; the output runs backwards.
func.func @product(%n: index, %x: tensor<?x?x1x13xf32>, %U: tensor<13x1x13xf32>, %hh: tensor<2x?x13xf32>, %ys: tensor<?x?x13xf32>)
    -> (tensor<2x?x13xf32>, tensor<?x?x13xf32>) {
  %r:2 = lstm.scan %t to %n over(reverse %xt = %x : tensor<?x?x1x13xf32>) states(%h -> %to = %hh : tensor<2x?x13xf32>)
      outs(reverse %y = %ys : tensor<?x?x13xf32>) {
    %s, %o = lstm.phase project(%h, %U : tensor<?x13xf32>, tensor<13x1x13xf32>) ins(%xt[r, g, u] : tensor<?x1x13xf32>)
        outs(%to, %y : tensor<?x13xf32>, tensor<?x13xf32>) {
    ^bb0(%z: f32, %a: f32, %old0: f32, %old1: f32):
      %s = arith.addf %z, %a : f32
      %v = math.tanh %s : f32
      lstm.yield %v, %v : f32, f32
    }
    lstm.yield state(%s : tensor<?x13xf32>) out(%o : tensor<?x13xf32>)
  }
  return %r#0, %r#1 : tensor<2x?x13xf32>, tensor<?x?x13xf32>
}
