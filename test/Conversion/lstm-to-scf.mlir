// RUN: lstm-opt %s --convert-lstm-to-scf --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-DAG: #[[$READ:.*]] = affine_map<(d0) -> (d0 mod 2)>
// CHECK-DAG: #[[$BACK:.*]] = affine_map<(d0, d1) -> (d1 - d0 - 1)>
// CHECK-LABEL: func.func @scan(
// CHECK-SAME: %[[T:[^:]*]]: index, %[[XS:[^:]*]]: memref<?x?x8xf32>, %[[HH:[^:]*]]: memref<2x?x8xf32>, %[[C:[^:]*]]: memref<?x8xf32>, %[[YS:[^:]*]]: memref<?x?x8xf32>
// CHECK: scf.for %[[COUNT:.*]] = %{{.*}} to %[[T]] step %{{.*}} {
// CHECK: %[[AT:.*]] = affine.apply #[[$BACK]](%[[COUNT]], %[[T]])
// CHECK: %[[X:.*]] = memref.subview %[[XS]][%[[AT]], 0, 0] [1, %{{.*}}, 8] [1, 1, 1]
// CHECK: %[[FROM:.*]] = affine.apply #[[$READ]](%[[COUNT]])
// CHECK: %[[H:.*]] = memref.subview %[[HH]][%[[FROM]], 0, 0] [1, %{{.*}}, 8] [1, 1, 1]
// CHECK: %[[TO:.*]] = affine.apply #{{.*}}(%[[COUNT]])
// CHECK: %[[NEXT:.*]] = memref.subview %[[HH]][%[[TO]], 0, 0] [1, %{{.*}}, 8] [1, 1, 1]
// CHECK: %[[Y:.*]] = memref.subview %[[YS]][%[[COUNT]], 0, 0] [1, %{{.*}}, 8] [1, 1, 1]
// CHECK: lstm.phase ins(%[[X]][r, u], %[[H]][r, u] : {{.*}}) outs(%[[NEXT]], %[[C]], %[[Y]] : {{.*}})
func.func @scan(%T: index, %xs: memref<?x?x8xf32>, %hh: memref<2x?x8xf32>, %cs: memref<?x8xf32>, %ys: memref<?x?x8xf32>) {
  lstm.scan %t to %T over(reverse %x = %xs : memref<?x?x8xf32>)
      states(%h -> %to = %hh, %c = %cs : memref<2x?x8xf32>, memref<?x8xf32>) outs(%y = %ys : memref<?x?x8xf32>) {
    lstm.phase ins(%x[r, u], %h[r, u] : memref<?x8xf32, strided<[8, 1], offset: ?>>, memref<?x8xf32, strided<[8, 1], offset: ?>>)
        outs(%to, %c, %y : memref<?x8xf32, strided<[8, 1], offset: ?>>, memref<?x8xf32>, memref<?x8xf32, strided<[8, 1], offset: ?>>) {
    ^bb0(%a: f32, %b: f32, %o0: f32, %o1: f32, %o2: f32):
      %s = arith.mulf %a, %b : f32
      %n = arith.addf %s, %o1 : f32
      lstm.yield %n, %n, %n : f32, f32, f32
    }
    lstm.yield
  }
  return
}

// -----

func.func @tensors(%T: index, %c0: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-error @below {{'lstm.scan' op expects memrefs: bufferize first}}
  %r = lstm.scan %t to %T states(%c = %c0 : tensor<?x8xf32>) {
    lstm.yield state(%c : tensor<?x8xf32>)
  }
  return %r : tensor<?x8xf32>
}
