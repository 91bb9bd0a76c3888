// RUN: lstm-opt %s --convert-lstm-to-llvm | FileCheck %s

// CHECK: llvm.mlir.global internal constant @[[$MESSAGE:.*]]("{{.*}}lstm-to-llvm.mlir:[[# @LINE + 14]]:3: error: expects a batch of {0}, but got {1}\00")
// CHECK: llvm.func @lstmCheckFailed(!llvm.ptr, i64, i64, i64)
// CHECK-LABEL: func.func @check(
// CHECK-SAME: %[[A:[^:]*]]: index, %[[B:[^:]*]]: index
// CHECK: %[[OK:.*]] = arith.cmpi eq
// CHECK: %[[BAD:.*]] = arith.xori %[[OK]], %{{.*}} : i1
// CHECK: scf.if %[[BAD]] {
// CHECK-DAG: %[[TEXT:.*]] = llvm.mlir.addressof @[[$MESSAGE]]
// CHECK-DAG: %[[V0:.*]] = arith.index_cast %[[A]] : index to i64
// CHECK-DAG: %[[V1:.*]] = arith.index_cast %[[B]] : index to i64
// CHECK-DAG: %[[NONE:.*]] = arith.constant 0 : i64
// CHECK: llvm.call @lstmCheckFailed(%[[TEXT]], %[[V0]], %[[V1]], %[[NONE]])
func.func @check(%a: index, %b: index) {
  %ok = arith.cmpi eq, %a, %b : index
  lstm.check %ok, "expects a batch of {0}, but got {1}"(%a, %b : index, index)
  return
}

// Products and sums that may be fused, and one that must.

// CHECK-LABEL: func.func @fusion(
// CHECK:         llvm.intr.fmuladd(%{{.*}}) : (f32, f32, f32) -> f32
// CHECK:         vector.fma %{{.*}} : vector<4xf32>
// CHECK:         math.fma %{{.*}} : f32
func.func @fusion(%a: f32, %v: vector<4xf32>) -> (f32, vector<4xf32>, f32) {
  %0 = math.fma %a, %a, %a fastmath<contract> : f32
  %1 = math.fma %v, %v, %v fastmath<contract> : vector<4xf32>
  %2 = math.fma %a, %a, %0 : f32
  return %0, %1, %2 : f32, vector<4xf32>, f32
}
