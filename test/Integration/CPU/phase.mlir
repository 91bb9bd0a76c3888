// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %python %S/check.py op %s

func.func @one_gate(%h: tensor<?x9xf32>, %U: tensor<9x1x13xf32>, %p: tensor<?x1x13xf32>, %to: tensor<?x13xf32>) -> tensor<?x13xf32> {
  %h1 = lstm.phase project(%h, %U : tensor<?x9xf32>, tensor<9x1x13xf32>) ins(%p[r, g, u] : tensor<?x1x13xf32>)
      outs(%to : tensor<?x13xf32>) {
  ^bb0(%z: f32, %x: f32, %old: f32):
    %s = arith.addf %z, %x : f32
    %t = math.tanh %s : f32
    lstm.yield %t : f32
  }
  return %h1 : tensor<?x13xf32>
}

// -----

// Two products, every kind of axes, a scalar, and an output that is updated in place.
func.func @every_operand(%h: tensor<?x9xf32>, %U: tensor<9x2x13xf32>, %x: tensor<?x5xf32>, %W: tensor<5x2x13xf32>,
    %p: tensor<?x2x13xf32>, %b: tensor<2x13xf32>, %v: tensor<13xf32>, %m: tensor<?xf32>, %w: tensor<2xf32>,
    %e: tensor<?x13xf32>, %k: f32, %c: tensor<?x13xf32>, %to: tensor<?x13xf32>) -> (tensor<?x13xf32>, tensor<?x13xf32>) {
  %r:2 = lstm.phase project(%h, %U : tensor<?x9xf32>, tensor<9x2x13xf32>) project(%x, %W : tensor<?x5xf32>, tensor<5x2x13xf32>)
      ins(%p[r, g, u], %b[g, u], %v[u], %m[r], %w[g], %e[r, u], %k : tensor<?x2x13xf32>, tensor<2x13xf32>, tensor<13xf32>,
          tensor<?xf32>, tensor<2xf32>, tensor<?x13xf32>, f32)
      outs(%c, %to : tensor<?x13xf32>, tensor<?x13xf32>) {
  ^bb0(%z0: f32, %z1: f32, %p0: f32, %p1: f32, %b0: f32, %b1: f32, %vu: f32, %mr: f32, %w0: f32, %w1: f32, %eu: f32,
       %ks: f32, %old: f32, %unused: f32):
    %s0 = arith.addf %z0, %p0 : f32
    %s1 = arith.addf %s0, %b0 : f32
    %s2 = arith.mulf %s1, %w0 : f32
    %t0 = arith.addf %z1, %p1 : f32
    %t1 = arith.addf %t0, %b1 : f32
    %t2 = arith.mulf %t1, %w1 : f32
    %f = math.tanh %s2 : f32
    %fc = arith.mulf %f, %old : f32
    %g = arith.addf %fc, %vu : f32
    %c1 = arith.mulf %g, %mr : f32
    %y0 = arith.addf %t2, %eu : f32
    %y1 = arith.mulf %y0, %ks : f32
    %y2 = arith.addf %y1, %c1 : f32
    lstm.yield %c1, %y2 : f32, f32
  }
  return %r#0, %r#1 : tensor<?x13xf32>, tensor<?x13xf32>
}

// -----

// No product: elementwise work alone.
func.func @no_product(%a: tensor<?x13xf32>, %n: tensor<?xi32>, %t: index, %to: tensor<?x13xf32>) -> tensor<?x13xf32> {
  %t32 = arith.index_cast %t : index to i32
  %y = lstm.phase ins(%a[r, u], %n[r], %t32 : tensor<?x13xf32>, tensor<?xi32>, i32) outs(%to : tensor<?x13xf32>) {
  ^bb0(%v: f32, %length: i32, %step: i32, %old: f32):
    %valid = arith.cmpi slt, %step, %length : i32
    %y = arith.select %valid, %v, %old : f32
    lstm.yield %y : f32
  }
  return %y : tensor<?x13xf32>
}

// -----

// Halves are summed in the type of the region's first argument.
func.func @f16_accumulates_in_f32(%h: tensor<?x99xf16>, %U: tensor<99x2x13xf16>, %to: tensor<?x13xf16>, %c: tensor<?x13xf32>)
    -> (tensor<?x13xf16>, tensor<?x13xf32>) {
  %r:2 = lstm.phase project(%h, %U : tensor<?x99xf16>, tensor<99x2x13xf16>) outs(%to, %c : tensor<?x13xf16>, tensor<?x13xf32>) {
  ^bb0(%z0: f32, %z1: f32, %unused: f16, %old: f32):
    %c1 = arith.addf %z0, %old : f32
    %y = arith.truncf %z1 : f32 to f16
    lstm.yield %y, %c1 : f16, f32
  }
  return %r#0, %r#1 : tensor<?x13xf16>, tensor<?x13xf32>
}

// -----

func.func @dynamic(%h: tensor<?x?xf32>, %U: tensor<?x2x?xf32>, %to: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = lstm.phase project(%h, %U : tensor<?x?xf32>, tensor<?x2x?xf32>) outs(%to : tensor<?x?xf32>) {
  ^bb0(%z0: f32, %z1: f32, %old: f32):
    %y = arith.mulf %z0, %z1 : f32
    lstm.yield %y : f32
  }
  return %y : tensor<?x?xf32>
}
