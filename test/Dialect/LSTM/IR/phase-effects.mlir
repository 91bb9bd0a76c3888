// What upstream's passes may do with phases, and what they must not.
// RUN: lstm-opt %s --pass-pipeline="builtin.module(canonicalize,cse,loop-invariant-code-motion,sccp,canonicalize)" --split-input-file | FileCheck %s

// Equal phases become one, invariant ones leave the loop, unused ones go. Constants stay inside: the region is isolated.
// CHECK-LABEL: func @tensors
// CHECK: %[[A:.*]] = lstm.phase
// CHECK: arith.constant 2.0
// CHECK: lstm.phase
// CHECK: arith.constant 3.0
// CHECK: scf.for
// CHECK-NOT: lstm.phase
// CHECK: return %[[A]], %[[A]]
func.func @tensors(%h: tensor<4x8xf32>, %U: tensor<8x1x8xf32>, %n: index) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<4x8xf32>
  %a = lstm.phase project(%h, %U : tensor<4x8xf32>, tensor<8x1x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%z: f32, %old: f32):
    %k = arith.constant 2.0 : f32
    %y = arith.mulf %z, %k : f32
    lstm.yield %y : f32
  }
  %b = lstm.phase project(%h, %U : tensor<4x8xf32>, tensor<8x1x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%z: f32, %old: f32):
    %k = arith.constant 2.0 : f32
    %y = arith.mulf %z, %k : f32
    lstm.yield %y : f32
  }
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %h) -> tensor<4x8xf32> {
    %c = lstm.phase project(%h, %U : tensor<4x8xf32>, tensor<8x1x8xf32>) outs(%e : tensor<4x8xf32>) {
    ^bb0(%z: f32, %old: f32):
      %k = arith.constant 3.0 : f32
      %y = arith.mulf %z, %k : f32
      lstm.yield %y : f32
    }
    %d = arith.addf %s, %c : tensor<4x8xf32>
    scf.yield %d : tensor<4x8xf32>
  }
  %dead = lstm.phase project(%h, %U : tensor<4x8xf32>, tensor<8x1x8xf32>) outs(%a : tensor<4x8xf32>) {
  ^bb0(%z: f32, %old: f32):
    lstm.yield %z : f32
  }
  return %a, %b, %r : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// What may trap does not leave the loop.
// CHECK-LABEL: func @speculation
// CHECK: scf.for
// CHECK: lstm.phase
// CHECK: arith.divsi
func.func @speculation(%a: tensor<4x8xi32>, %n: index) -> tensor<4x8xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<4x8xi32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %a) -> tensor<4x8xi32> {
    %c = lstm.phase ins(%a[r, u] : tensor<4x8xi32>) outs(%e : tensor<4x8xi32>) {
    ^bb0(%x: i32, %old: i32):
      %k = arith.constant 7 : i32
      %y = arith.divsi %k, %x : i32
      lstm.yield %y : i32
    }
    %d = arith.addi %s, %c : tensor<4x8xi32>
    scf.yield %d : tensor<4x8xi32>
  }
  return %r : tensor<4x8xi32>
}

// -----

// On memrefs each phase happens as often as it stands there, in its place.
// CHECK-LABEL: func @memrefs
// CHECK: memref.load
// CHECK: lstm.phase
// CHECK: lstm.phase
// CHECK: memref.load
// CHECK: scf.for
// CHECK: lstm.phase
// CHECK: }
// CHECK: }
func.func @memrefs(%h: memref<4x8xf32>, %c: memref<4x8xf32>, %n: index) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %before = memref.load %c[%c0, %c0] : memref<4x8xf32>
  lstm.phase ins(%h[r, u] : memref<4x8xf32>) outs(%c : memref<4x8xf32>) {
  ^bb0(%x: f32, %old: f32):
    %y = arith.addf %x, %old : f32
    lstm.yield %y : f32
  }
  lstm.phase ins(%h[r, u] : memref<4x8xf32>) outs(%c : memref<4x8xf32>) {
  ^bb0(%x: f32, %old: f32):
    %y = arith.addf %x, %old : f32
    lstm.yield %y : f32
  }
  %after = memref.load %c[%c0, %c0] : memref<4x8xf32>
  scf.for %i = %c0 to %n step %c1 {
    lstm.phase ins(%h[r, u] : memref<4x8xf32>) outs(%c : memref<4x8xf32>) {
    ^bb0(%x: f32, %old: f32):
      lstm.yield %x : f32
    }
  }
  return %before, %after : f32, f32
}
