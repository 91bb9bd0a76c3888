// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: lstm-opt %s --lstm-expand-math --canonicalize --split-input-file | FileCheck %s --check-prefixes=CHECK,DEFAULT
// RUN: lstm-opt %s --lstm-expand-math=accuracy=fast --canonicalize --split-input-file | FileCheck %s --check-prefixes=CHECK,FAST
// RUN: lstm-opt %s --lstm-expand-math=accuracy=accurate --canonicalize --split-input-file | FileCheck %s --check-prefixes=CHECK,ACCURATE
// RUN: lstm-opt %s --lstm-expand-math=reciprocals --canonicalize --split-input-file | FileCheck %s --check-prefix=RECIPROCAL
// RUN: not lstm-opt %s --lstm-expand-math=accuracy=best 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: Cannot find option named 'best'

// A sigmoid is one function: one division, and no exponential on its own, which
// has a second scale for results that are not normal numbers.

// CHECK-LABEL: func @sigmoid
// CHECK-NOT:     math.exp
// ACCURATE:      arith.extf %{{.*}} : f32 to f64
// CHECK:         math.fma %{{.*}} fastmath<contract>
// CHECK:         %[[E:.*]] = arith.mulf
// CHECK-NEXT:    %[[SUM:.*]] = arith.addf %[[E]], %{{[a-z0-9_]+}} : f{{32|64}}
// CHECK-NEXT:    arith.divf %[[E]], %[[SUM]]
// CHECK-NOT:     arith.divf
// CHECK:         return
// A reciprocal, the quotient nearly, and what it leaves.
// RECIPROCAL-LABEL: func @sigmoid
// RECIPROCAL:      %[[D:.*]] = arith.addf %[[N:.*]], %{{.*}} : f32
// RECIPROCAL-NEXT: %[[R:.*]] = arith.divf %{{.*}}, %[[D]] fastmath<afn> : f32
// RECIPROCAL-NEXT: %[[Q:.*]] = arith.mulf %[[N]], %[[R]] : f32
// RECIPROCAL-NEXT: %[[M:.*]] = arith.negf %[[D]] : f32
// RECIPROCAL-NEXT: %[[LEFT:.*]] = math.fma %[[M]], %[[Q]], %[[N]] fastmath<contract> : f32
// RECIPROCAL-NEXT: math.fma %[[LEFT]], %[[R]], %[[Q]] fastmath<contract> : f32
// RECIPROCAL-NEXT: return
func.func @sigmoid(%x: f32) -> f32 {
  %one = arith.constant 1.0 : f32
  %n = arith.negf %x : f32
  %e = math.exp %n : f32
  %d = arith.addf %one, %e : f32
  %s = arith.divf %one, %d : f32
  return %s : f32
}

// -----

// Something like a sigmoid.

// CHECK-LABEL: func @not_sigmoid
// CHECK-NOT:     math.exp
// CHECK:         %[[D:.*]] = arith.addf %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}} : f32
// CHECK-NEXT:    arith.divf %{{.*}}, %[[D]] : f32
func.func @not_sigmoid(%x: f32) -> f32 {
  %two = arith.constant 2.0 : f32
  %one = arith.constant 1.0 : f32
  %n = arith.negf %x : f32
  %e = math.exp %n : f32
  %d = arith.addf %e, %two : f32
  %s = arith.divf %one, %d : f32
  return %s : f32
}

// -----

// The exponential has another use.

// CHECK-LABEL: func @shared
// CHECK-NOT:     math.exp
// CHECK:         arith.divf
// CHECK:         return %{{.*}}, %{{.*}} : vector<3xf32>, vector<3xf32>
func.func @shared(%x: vector<3xf32>) -> (vector<3xf32>, vector<3xf32>) {
  %one = arith.constant dense<1.0> : vector<3xf32>
  %n = arith.negf %x : vector<3xf32>
  %e = math.exp %n : vector<3xf32>
  %d = arith.addf %e, %one : vector<3xf32>
  %s = arith.divf %one, %d : vector<3xf32>
  return %e, %s : vector<3xf32>, vector<3xf32>
}

// -----

// Rational where that is exact enough; in f64 for 1 ulp.

// CHECK-LABEL: func @tanh
// DEFAULT:       arith.shli %{{.*}} : vector<2x5xi32>
// FAST-NOT:      arith.shli
// ACCURATE:      arith.shli %{{.*}} : vector<2x5xi64>
// ACCURATE:      arith.truncf %{{.*}} : vector<2x5xf64> to vector<2x5xf32>
// CHECK:         return
func.func @tanh(%x: vector<2x5xf32>) -> vector<2x5xf32> {
  %y = math.tanh %x : vector<2x5xf32>
  return %y : vector<2x5xf32>
}

// -----

// f16 and bf16 through f32, with one rounding, at all levels.

// CHECK-LABEL: func @narrow
// CHECK-SAME:    (%[[X:.*]]: bf16)
// CHECK:         %[[WIDE:.*]] = arith.extf %[[X]] : bf16 to f32
// CHECK-NOT:     arith.truncf
// CHECK:         %[[S:.*]] = arith.divf %{{.*}} : f32
// CHECK-NEXT:    arith.truncf %[[S]] : f32 to bf16
// CHECK-NOT:     f64
// CHECK:         return
func.func @narrow(%x: bf16) -> bf16 {
  %one = arith.constant 1.0 : bf16
  %n = arith.negf %x : bf16
  %e = math.exp %n : bf16
  %d = arith.addf %e, %one : bf16
  %s = arith.divf %one, %d : bf16
  return %s : bf16
}

// -----

// The library's.

// CHECK-LABEL: func @left_alone
// CHECK-NEXT:    math.tanh %{{.*}} : f64
// CHECK-NEXT:    math.sin %{{.*}} : f32
func.func @left_alone(%x: f64, %y: f32) -> (f64, f32) {
  %t = math.tanh %x : f64
  %s = math.sin %y : f32
  return %t, %s : f64, f32
}

// -----

// In bodies.

// CHECK-LABEL: func @bodies
// CHECK-NOT:     math.{{[^f]}}
func.func @bodies(%x: memref<?x3xf32>, %y: memref<?x3xf32>) {
  lstm.phase ins(%x[r, u] : memref<?x3xf32>) outs(%y : memref<?x3xf32>) {
  ^bb0(%a: f32, %old: f32):
    %t = math.tanh %a : f32
    %e = math.expm1 %t : f32
    lstm.yield %e : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      outs(%y : memref<?x3xf32>) {
  ^bb0(%a: f32):
    %t = math.log1p %a : f32
    %e = math.erf %t : f32
    %l = math.log %e : f32
    linalg.yield %l : f32
  }
  return
}
