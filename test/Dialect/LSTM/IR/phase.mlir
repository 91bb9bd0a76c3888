// Assembly of phases, as it is written and in generic form.
// RUN: lstm-opt %s --verify-roundtrip | FileCheck %s
// RUN: lstm-opt %s --mlir-print-op-generic | lstm-opt | FileCheck %s
// RUN: lstm-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

// The names of region arguments tell accumulators, inputs and old outputs apart.
// CHECK-LABEL: func @lstm_like
// CHECK: %{{.*}}:2 = lstm.phase project(%[[H:.*]], %[[U:.*]] : tensor<?x8xf32>, tensor<8x2x16xf32>)
// CHECK-SAME: project(%{{.*}}, %{{.*}} : tensor<?x?xf32>, tensor<?x2x16xf32>)
// CHECK-SAME: ins(%{{.*}}[r, g, u], %{{.*}}[g, u], %{{.*}}[r], %{{.*}}[u], %{{.*}}[g], %{{.*}} : tensor<?x2x16xf32>, tensor<2x16xf32>, tensor<?xi32>, tensor<16xf32>, tensor<2xf32>, i32)
// CHECK-SAME: outs(%{{.*}}, %{{.*}} : tensor<?x16xf32>, tensor<?x16xf16>) attributes {note = "kept"} {
// CHECK-NEXT: ^bb0(%z0: f32, %z1: f32, %x: f32, %x_0: f32, %x_1: f32, %x_2: f32, %x_3: i32, %x_4: f32, %x_5: f32, %x_6: f32, %x_7: i32, %old: f32, %old_8: f16):
// CHECK: lstm.yield %{{.*}}, %{{.*}} : f32, f16
// GENERIC: "lstm.phase"(%{{.*}}) <{axes = array<i32: 7, 3, 4, 1, 2, 0>, operandSegmentSizes = array<i32: 2, 2, 6, 2>}> ({
func.func @lstm_like(%h: tensor<?x8xf32>, %U: tensor<8x2x16xf32>, %a: tensor<?x?xf32>, %W: tensor<?x2x16xf32>,
                     %p: tensor<?x2x16xf32>, %b: tensor<2x16xf32>, %len: tensor<?xi32>, %s: tensor<16xf32>,
                     %k: tensor<2xf32>, %t: i32, %c: tensor<?x16xf32>, %y: tensor<?x16xf16>)
    -> (tensor<?x16xf32>, tensor<?x16xf16>) {
  %c1, %y1 = lstm.phase project(%h, %U : tensor<?x8xf32>, tensor<8x2x16xf32>) project(%a, %W : tensor<?x?xf32>, tensor<?x2x16xf32>)
      ins(%p[r, g, u], %b[g, u], %len[r], %s[u], %k[g], %t
          : tensor<?x2x16xf32>, tensor<2x16xf32>, tensor<?xi32>, tensor<16xf32>, tensor<2xf32>, i32)
      outs(%c, %y : tensor<?x16xf32>, tensor<?x16xf16>) attributes {note = "kept"} {
  ^bb0(%z0: f32, %z1: f32, %p0: f32, %p1: f32, %b0: f32, %b1: f32, %n: i32, %su: f32, %k0: f32, %k1: f32, %step: i32,
       %c_old: f32, %y_old: f16):
    %sum = arith.addf %z0, %p1 : f32
    %more = arith.mulf %sum, %k1 : f32
    %half = arith.truncf %more : f32 to f16
    lstm.yield %more, %half : f32, f16
  }
  return %c1, %y1 : tensor<?x16xf32>, tensor<?x16xf16>
}

// On memrefs, with any strided layout; there is no result.
// CHECK-LABEL: func @memrefs
// CHECK: lstm.phase project(%{{.*}}, %{{.*}} : memref<?x8xbf16, strided<[?, ?], offset: ?>>, memref<8x1x16xbf16>)
// CHECK-SAME: outs(%{{.*}} : memref<?x16xbf16>) {
// CHECK-NEXT: ^bb0(%z0: f32, %old: bf16):
func.func @memrefs(%h: memref<?x8xbf16, strided<[?, ?], offset: ?>>, %U: memref<8x1x16xbf16>, %to: memref<?x16xbf16>) {
  lstm.phase project(%h, %U : memref<?x8xbf16, strided<[?, ?], offset: ?>>, memref<8x1x16xbf16>) outs(%to : memref<?x16xbf16>) {
  ^bb0(%z: f32, %old: bf16):
    %y = arith.truncf %z : f32 to bf16
    lstm.yield %y : bf16
  }
  return
}

// The region is isolated, so its names may stand outside, too; a buffer may be
// an [r, u] input and an output.
// CHECK-LABEL: func @shadow
// CHECK: lstm.phase ins(%[[C:.*]][r, u] : memref<4x8xf32>) outs(%[[C]] : memref<4x8xf32>)
func.func @shadow(%c: memref<4x8xf32>) {
  lstm.phase ins(%c[r, u] : memref<4x8xf32>) outs(%c : memref<4x8xf32>) {
  ^bb0(%old: f32, %c: f32):
    %y = arith.negf %old : f32
    lstm.yield %y : f32
  }
  return
}

// Sizes of results follow from the outputs.
// CHECK-LABEL: func @elements
// CHECK: outs(%{{.*}} : tensor<?x?xindex>)
func.func @elements(%e: tensor<?x?xindex>, %n: index) -> tensor<?x?xindex> {
  %r = lstm.phase ins(%n : index) outs(%e : tensor<?x?xindex>) {
  ^bb0(%m: index, %old: index):
    lstm.yield %m : index
  }
  return %r : tensor<?x?xindex>
}
