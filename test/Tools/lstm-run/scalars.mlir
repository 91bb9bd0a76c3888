// Scalars are arrays of rank 0.

// RUN: split-file %s %t
// RUN: %python %t/arrays.py %t
// RUN: lstm-run %t/main.mlir --inputs %t/x.npz | FileCheck %s --check-prefix=ALL
// RUN: lstm-run %t/main.mlir --inputs %t/x.npz --entry one | FileCheck %s --check-prefix=ONE --match-full-lines
// RUN: lstm-run %t/main.mlir --entry none | FileCheck %s --check-prefix=NONE --allow-empty
// RUN: lstm-run %t/main.mlir --entry constant | FileCheck %s --check-prefix=CONSTANT --match-full-lines
// RUN: not lstm-run %t/main.mlir --entry single --inputs %t/vector.npy 2>&1 | FileCheck %s --check-prefix=RANK

// ALL:      f64: f64
// ALL-NEXT: 1.5
// ALL-NEXT: f32: f32
// ALL-NEXT: -2.25
// ALL-NEXT: f16: f16
// ALL-NEXT: 0.5
// ALL-NEXT: bf16: bf16
// ALL-NEXT: 3
// ALL-NEXT: i64: i64
// ALL-NEXT: -4611686018427387905
// ALL-NEXT: i32: i32
// ALL-NEXT: -7
// ALL-NEXT: i1: i1
// ALL-NEXT: 1
// ALL-NEXT: index: index
// ALL-NEXT: 42
// ALL-NEXT: sum: 2xf64
// ALL-NEXT: [3, 3]
// ONE:      result0: f32
// ONE-NEXT: -4.5
// NONE-NOT: {{.}}
// CONSTANT: result0: i1
// CONSTANT-NEXT: 1
// RANK: error: argument 'x' (in '{{.*}}vector.npy'): expected a scalar, but got shape 2

//--- main.mlir

func.func @main(%f64: f64, %f32: f32, %f16: f16, %bf16: bf16, %i64: i64, %i32: i32, %i1: i1, %index: index)
    -> (f64 {lstm.name = "f64"}, f32 {lstm.name = "f32"}, f16 {lstm.name = "f16"}, bf16 {lstm.name = "bf16"}, i64 {lstm.name = "i64"},
        i32 {lstm.name = "i32"}, i1 {lstm.name = "i1"}, index {lstm.name = "index"}, tensor<2xf64> {lstm.name = "sum"}) {
  %0 = arith.addf %f64, %f64 : f64
  %1 = tensor.from_elements %0, %0 : tensor<2xf64>
  return %f64, %f32, %f16, %bf16, %i64, %i32, %i1, %index, %1 : f64, f32, f16, bf16, i64, i32, i1, index, tensor<2xf64>
}

func.func @one(%f64: f64, %f32: f32, %f16: f16, %bf16: bf16, %i64: i64, %i32: i32, %i1: i1, %index: index) -> f32 {
  %0 = arith.addf %f32, %f32 : f32
  return %0 : f32
}

func.func @none() {
  return
}

func.func @constant() -> i1 {
  %0 = arith.constant true
  return %0 : i1
}

func.func @single(%x: f32) {
  return
}

//--- arrays.py

import sys
import numpy as np

np.savez(
    f"{sys.argv[1]}/x.npz",
    f64=np.array(1.5),
    f32=np.float32(-2.25),
    f16=np.float16(0.5),
    bf16=np.array(0x4040, np.uint16),
    i64=np.array(-(2**62) - 1),
    i32=np.int32(-7),
    i1=np.array(True),
    index=np.array(42),
)
np.save(f"{sys.argv[1]}/vector.npy", np.zeros(2, np.float32))
