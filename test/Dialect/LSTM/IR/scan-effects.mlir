// What upstream's passes may do with scans, and what they must not.
// RUN: lstm-opt %s --pass-pipeline="builtin.module(canonicalize,cse,loop-invariant-code-motion,canonicalize)" --split-input-file | FileCheck %s

// On tensors equal scans become one, invariant ones leave the loop, unused ones go; what does not
// depend on the step stays inside.
// CHECK-LABEL: func @tensors
// CHECK: lstm.scan
// CHECK: scf.for
// CHECK-NOT: lstm.scan
// CHECK: return
func.func @tensors(%T: index, %a: tensor<4xf32>, %n: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = lstm.scan %t to %T states(%c = %a : tensor<4xf32>) {
    %d = arith.addf %c, %c : tensor<4xf32>
    lstm.yield state(%d : tensor<4xf32>)
  }
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%v = %a) -> tensor<4xf32> {
    %q = lstm.scan %t to %T states(%c = %a : tensor<4xf32>) {
      %d = arith.addf %c, %c : tensor<4xf32>
      lstm.yield state(%d : tensor<4xf32>)
    }
    %w = arith.addf %v, %q : tensor<4xf32>
    scf.yield %w : tensor<4xf32>
  }
  %dead = lstm.scan %t to %T states(%c = %r : tensor<4xf32>) {
    %d = arith.mulf %c, %c : tensor<4xf32>
    lstm.yield state(%d : tensor<4xf32>)
  }
  return %r, %s : tensor<4xf32>, tensor<4xf32>
}

// -----

// On memrefs each scan happens as often as it stands there, in its place.
// CHECK-LABEL: func @memrefs
// CHECK: memref.load
// CHECK: lstm.scan
// CHECK: lstm.scan
// CHECK: memref.load
// CHECK: scf.for
// CHECK: lstm.scan
// CHECK: }
// CHECK: }
func.func @memrefs(%T: index, %c: memref<4x8xf32>, %n: index) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %before = memref.load %c[%c0, %c0] : memref<4x8xf32>
  lstm.scan %t to %T states(%s = %c : memref<4x8xf32>) {
    lstm.phase outs(%s : memref<4x8xf32>) {
    ^bb0(%old: f32):
      %y = arith.addf %old, %old : f32
      lstm.yield %y : f32
    }
    lstm.yield
  }
  lstm.scan %t to %T states(%s = %c : memref<4x8xf32>) {
    lstm.phase outs(%s : memref<4x8xf32>) {
    ^bb0(%old: f32):
      %y = arith.addf %old, %old : f32
      lstm.yield %y : f32
    }
    lstm.yield
  }
  %after = memref.load %c[%c0, %c0] : memref<4x8xf32>
  scf.for %i = %c0 to %n step %c1 {
    lstm.scan %t to %T states(%s = %c : memref<4x8xf32>) {
      lstm.phase outs(%s : memref<4x8xf32>) {
      ^bb0(%old: f32):
        %y = arith.addf %old, %old : f32
        lstm.yield %y : f32
      }
      lstm.yield
    }
  }
  return %before, %after : f32, f32
}
