// Assembly of scans, as it is written and in generic form.
// RUN: lstm-opt %s --verify-roundtrip | FileCheck %s
// RUN: lstm-opt %s --mlir-print-op-generic | lstm-opt | FileCheck %s
// RUN: lstm-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

// CHECK-LABEL: func @tensors
// CHECK: %[[R:.*]]:4 = lstm.scan %t to %{{.*}} over(%x = %{{.*}}, reverse %x_0 = %{{.*}} : tensor<?x?x8xf32>, tensor<?xi32>)
// CHECK-SAME: states(%h -> %to = %{{.*}}, %c = %{{.*}} : tensor<2x?x8xf32>, tensor<?x8xf32>)
// CHECK-SAME: outs(%y = %{{.*}}, reverse %y_1 = %{{.*}} : tensor<?x?x8xf32>, tensor<?x?x8xf32>) attributes {note = "kept"} {
// CHECK-NEXT: lstm.phase
// CHECK: lstm.yield state(%{{.*}}, %c : tensor<?x8xf32>, tensor<?x8xf32>) out(%{{.*}}, %x : tensor<?x8xf32>, tensor<?x8xf32>)
// GENERIC: "lstm.scan"(%{{.*}}) <{operandSegmentSizes = array<i32: 1, 2, 2, 2>, reversed = array<i1: false, true, false, true>, twoSlots = array<i1: true, false>}> ({
// GENERIC-NEXT: ^bb0(%{{[^,]*}}: index, %{{[^,]*}}: tensor<?x8xf32>, %{{[^,]*}}: tensor<i32>, %{{[^,]*}}: tensor<?x8xf32>, %{{[^,]*}}: tensor<?x8xf32>, %{{[^,]*}}: tensor<?x8xf32>, %{{[^,]*}}: tensor<?x8xf32>, %{{[^,]*}}: tensor<?x8xf32>):
func.func @tensors(%T: index, %xs: tensor<?x?x8xf32>, %ks: tensor<?xi32>, %hh: tensor<2x?x8xf32>, %c0: tensor<?x8xf32>,
                   %ys: tensor<?x?x8xf32>, %zs: tensor<?x?x8xf32>)
    -> (tensor<2x?x8xf32>, tensor<?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>) {
  %r:4 = lstm.scan %t to %T over(%x = %xs, reverse %k = %ks : tensor<?x?x8xf32>, tensor<?xi32>)
      states(%h -> %to = %hh, %c = %c0 : tensor<2x?x8xf32>, tensor<?x8xf32>)
      outs(%y = %ys, reverse %z = %zs : tensor<?x?x8xf32>, tensor<?x?x8xf32>) attributes {note = "kept"} {
    %h1 = lstm.phase ins(%h[r, u], %x[r, u] : tensor<?x8xf32>, tensor<?x8xf32>) outs(%to : tensor<?x8xf32>) {
    ^bb0(%a: f32, %b: f32, %old: f32):
      %s = arith.addf %a, %b : f32
      lstm.yield %s : f32
    }
    lstm.yield state(%h1, %c : tensor<?x8xf32>, tensor<?x8xf32>) out(%h1, %x : tensor<?x8xf32>, tensor<?x8xf32>)
  }
  return %r#0, %r#1, %r#2, %r#3 : tensor<2x?x8xf32>, tensor<?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
}

// On memrefs the region's arguments are slices at an unknown offset.
// CHECK-LABEL: func @memrefs
// CHECK: lstm.scan %t to %{{.*}} over(%x = %{{.*}} : memref<?x4x8xf32>) states(%h -> %to = %{{.*}} : memref<2x4x8xf32>) {
// CHECK: lstm.phase ins(%x[r, u], %h[r, u] : memref<4x8xf32, strided<[8, 1], offset: ?>>, memref<4x8xf32, strided<[8, 1], offset: ?>>)
// CHECK: lstm.yield{{$}}
func.func @memrefs(%T: index, %xs: memref<?x4x8xf32>, %hh: memref<2x4x8xf32>) {
  lstm.scan %t to %T over(%x = %xs : memref<?x4x8xf32>) states(%h -> %to = %hh : memref<2x4x8xf32>) {
    lstm.phase ins(%x[r, u], %h[r, u] : memref<4x8xf32, strided<[8, 1], offset: ?>>, memref<4x8xf32, strided<[8, 1], offset: ?>>)
        outs(%to : memref<4x8xf32, strided<[8, 1], offset: ?>>) {
    ^bb0(%a: f32, %b: f32, %old: f32):
      %s = arith.addf %a, %b : f32
      lstm.yield %s : f32
    }
    lstm.yield
  }
  return
}

// Nothing but a number of steps is needed.
// CHECK-LABEL: func @steps
// CHECK: lstm.scan %t to %{{.*}} states(%c = %{{.*}} : tensor<4xf32>) {
func.func @steps(%T: index, %c0: tensor<4xf32>) -> tensor<4xf32> {
  %r = lstm.scan %t to %T states(%c = %c0 : tensor<4xf32>) {
    %c1 = arith.addf %c, %c : tensor<4xf32>
    lstm.yield state(%c1 : tensor<4xf32>)
  }
  return %r : tensor<4xf32>
}
