// What canonicalization does with the operands and results of phases.
// RUN: lstm-opt %s --canonicalize="test-convergence" --split-input-file | FileCheck %s

// An [r, u] input that is also an output is read through the output.
// CHECK-LABEL: func @through_output
// CHECK: lstm.phase ins(%{{.*}}[u] : tensor<8xf32>) outs(%arg0 : tensor<4x8xf32>)
// CHECK-NEXT: ^bb0(%[[B:.*]]: f32, %[[OLD:.*]]: f32):
// CHECK: arith.mulf %[[OLD]], %[[B]]
func.func @through_output(%c: tensor<4x8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %r = lstm.phase ins(%c[r, u], %b[u] : tensor<4x8xf32>, tensor<8xf32>) outs(%c : tensor<4x8xf32>) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %z = arith.mulf %x, %y : f32
    lstm.yield %z : f32
  }
  return %r : tensor<4x8xf32>
}

// -----

// The same on memrefs. Another axis set is another matter: it stays.
// CHECK-LABEL: func @through_output_memref
// CHECK: lstm.phase outs(%arg0 : memref<4x4xf32>)
// CHECK-LABEL: func @not_through_output
// CHECK: lstm.phase ins(%arg0[g, u] : tensor<4x4xf32>) outs(%arg0 : tensor<4x4xf32>)
func.func @through_output_memref(%c: memref<4x4xf32>) {
  lstm.phase ins(%c[r, u] : memref<4x4xf32>) outs(%c : memref<4x4xf32>) {
  ^bb0(%x: f32, %old: f32):
    %z = arith.mulf %x, %x : f32
    lstm.yield %z : f32
  }
  return
}
func.func @not_through_output(%c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %r = lstm.phase ins(%c[g, u] : tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %x3: f32, %old: f32):
    %z = arith.mulf %x0, %x1 : f32
    lstm.yield %z : f32
  }
  return %r : tensor<4x4xf32>
}

// -----

// Inputs and products that the region does not use go; a used gate keeps all of its operand.
// CHECK-LABEL: func @unused_inputs
// CHECK: lstm.phase ins(%arg2[r, g, u], %arg4 : tensor<4x2x8xf32>, f32) outs(%arg5 : tensor<4x8xf32>)
// CHECK-NEXT: ^bb0(%{{[^,]*}}: f32, %[[P:[^,]*]]: f32, %[[K:[^,]*]]: f32, %{{[^,]*}}: f32):
// CHECK: arith.mulf %[[P]], %[[K]]
func.func @unused_inputs(%h: tensor<4x8xf32>, %U: tensor<8x2x8xf32>, %p: tensor<4x2x8xf32>, %b: tensor<2x8xf32>, %k: f32,
                         %to: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = lstm.phase project(%h, %U : tensor<4x8xf32>, tensor<8x2x8xf32>)
      ins(%b[g, u], %p[r, g, u], %k, %h[r, u] : tensor<2x8xf32>, tensor<4x2x8xf32>, f32, tensor<4x8xf32>) outs(%to : tensor<4x8xf32>) {
  ^bb0(%z0: f32, %z1: f32, %b0: f32, %b1: f32, %p0: f32, %p1: f32, %s: f32, %hv: f32, %old: f32):
    %y = arith.mulf %p1, %s : f32
    lstm.yield %y : f32
  }
  return %r : tensor<4x8xf32>
}

// -----

// Inputs that are the same value with the same axes are one.
// CHECK-LABEL: func @equal_inputs
// CHECK: lstm.phase ins(%arg0[r, g, u], %arg1[u], %arg1[r] : tensor<8x2x8xf32>, tensor<8xf32>, tensor<8xf32>)
// CHECK-NEXT: ^bb0(%[[P0:[^,]*]]: f32, %[[P1:[^,]*]]: f32, %[[U:[^,]*]]: f32, %[[R:[^,]*]]: f32, %{{[^,]*}}: f32):
// CHECK-NEXT: %[[A:.*]] = arith.mulf %[[P0]], %[[P1]]
// CHECK-NEXT: %[[B:.*]] = arith.addf %[[A]], %[[U]]
// CHECK-NEXT: arith.addf %[[B]], %[[R]]
func.func @equal_inputs(%p: tensor<8x2x8xf32>, %b: tensor<8xf32>, %to: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %r = lstm.phase ins(%p[r, g, u], %b[u], %p[r, g, u], %b[r] : tensor<8x2x8xf32>, tensor<8xf32>, tensor<8x2x8xf32>, tensor<8xf32>)
      outs(%to : tensor<8x8xf32>) {
  ^bb0(%p0: f32, %p1: f32, %u: f32, %q0: f32, %q1: f32, %v: f32, %old: f32):
    %0 = arith.mulf %p0, %q1 : f32
    %1 = arith.addf %0, %u : f32
    %2 = arith.addf %1, %v : f32
    lstm.yield %2 : f32
  }
  return %r : tensor<8x8xf32>
}

// -----

// A result that nothing uses goes with its output. What stood in it is still read, as an input.
// CHECK-LABEL: func @dead_results
// CHECK: %[[R:.*]] = lstm.phase ins(%arg0[r, u] : tensor<4x8xf32>) outs(%arg1 : tensor<4x8xf32>) attributes {note = "kept"} {
// CHECK-NEXT: ^bb0(%[[C:[^,]*]]: f32, %{{[^,]*}}: f32):
// CHECK-NEXT: %[[Y:.*]] = math.tanh %[[C]]
// CHECK-NEXT: lstm.yield %[[Y]] : f32
// CHECK: return %[[R]]
func.func @dead_results(%c: tensor<4x8xf32>, %y: tensor<4x8xf32>, %e: tensor<4x8xf16>) -> tensor<4x8xf32> {
  %r:3 = lstm.phase outs(%c, %y, %e : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf16>) attributes {note = "kept"} {
  ^bb0(%c_old: f32, %y_old: f32, %e_old: f16):
    %0 = math.tanh %c_old : f32
    %1 = arith.addf %0, %c_old : f32
    %2 = arith.truncf %0 : f32 to f16
    lstm.yield %1, %0, %2 : f32, f32, f16
  }
  return %r#1 : tensor<4x8xf32>
}

// -----

// A phase whose results are all unused is dead; on memrefs it never is.
// CHECK-LABEL: func @dead_phase
// CHECK-NEXT: return
// CHECK-LABEL: func @live_phase
// CHECK: lstm.phase outs(%arg0, %arg1 : memref<4x8xf32>, memref<4x8xf32>)
func.func @dead_phase(%c: tensor<4x8xf32>) {
  %r:2 = lstm.phase outs(%c, %c : tensor<4x8xf32>, tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    lstm.yield %a, %b : f32, f32
  }
  return
}
func.func @live_phase(%c: memref<4x8xf32>, %d: memref<4x8xf32>) {
  lstm.phase outs(%c, %d : memref<4x8xf32>, memref<4x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    lstm.yield %b, %a : f32, f32
  }
  return
}
