// RUN: lstm-opt %s | lstm-opt | FileCheck %s

// CHECK-LABEL: func.func @round_trip(
// CHECK:         lstm.parallel {
// CHECK-NEXT:    ^bb0(%[[THREAD:.*]]: i64, %[[COUNT:.*]]: i64):
// CHECK:           scf.if
// CHECK:             lstm.barrier
// CHECK:           lstm.yield
func.func @round_trip(%p: i1) {
  lstm.parallel {
  ^bb0(%thread: i64, %count: i64):
    scf.if %p {
      lstm.barrier
    }
    lstm.yield
  }
  return
}

// A packed weight and one that is not.
// CHECK-LABEL: func.func @packed(
// CHECK:         lstm.phase project(%{{.*}}, %{{.*}} : tensor<?x6xf32>, tensor<3x1x6x2x8xf32>) project(
func.func @packed(%h: tensor<?x6xf32>, %U: tensor<3x1x6x2x8xf32>, %x: tensor<?x5xf32>, %W: tensor<5x2x20xf32>,
                  %to: tensor<?x20xf32>) -> tensor<?x20xf32> {
  %r = lstm.phase project(%h, %U : tensor<?x6xf32>, tensor<3x1x6x2x8xf32>)
      project(%x, %W : tensor<?x5xf32>, tensor<5x2x20xf32>) outs(%to : tensor<?x20xf32>) {
  ^bb0(%z0: f32, %z1: f32, %old: f32):
    %0 = arith.mulf %z0, %z1 : f32
    lstm.yield %0 : f32
  }
  return %r : tensor<?x20xf32>
}
