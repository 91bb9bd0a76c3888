// Results are freed once, whatever memory they share; arguments are never written.

// RUN: split-file %s %t
// RUN: cd %t && %python arrays.py
// RUN: cd %t && lstm-run main.mlir --inputs x.npy --repeat 3 2>/dev/null | FileCheck %s
// RUN: cd %t && lstm-run main.mlir --inputs x.npy --entry write --repeat 3 2>/dev/null | FileCheck %s --check-prefix=WRITE
// RUN: cd %t && lstm-run main.mlir --inputs x.npy --entry slice | FileCheck %s --check-prefix=SLICE
// RUN: cd %t && lstm-run main.mlir --inputs x.npy --repeat 3 --pass-pipeline="builtin.module(one-shot-bufferize{bufferize-function-boundaries}, expand-strided-metadata, convert-to-llvm, reconcile-unrealized-casts)" 2>/dev/null | FileCheck %s
// RUN: cd %t && lstm-run main.mlir --inputs x.npy --entry slice --pass-pipeline="builtin.module(one-shot-bufferize{bufferize-function-boundaries}, expand-strided-metadata, lower-affine, convert-to-llvm, reconcile-unrealized-casts)" | FileCheck %s --check-prefix=SLICE
// RUN: cd %t && lstm-run main.mlir --entry large --inputs large.npy | FileCheck %s --check-prefix=LARGE --match-full-lines
// RUN: cd %t && lstm-run main.mlir --entry large --inputs empty.npy | FileCheck %s --check-prefix=EMPTY --match-full-lines

// CHECK:      same: 2x3xf32
// CHECK-NEXT: [0, 1, 2],
// CHECK-NEXT: [3, 4, 5]
// CHECK-NEXT: again: 2x3xf32
// CHECK-NEXT: [0, 1, 2],
// CHECK-NEXT: [3, 4, 5]
// CHECK-NEXT: constant: 2xi32
// CHECK-NEXT: [7, 8]
// CHECK-NEXT: constant2: 2xi32
// CHECK-NEXT: [7, 8]

// The argument stays as it was from call to call.
// WRITE:      result0: 2x3xf32
// WRITE-NEXT: [0, 1, 2],
// WRITE-NEXT: [3, 42, 5]
// WRITE:      result1: f32
// WRITE-NEXT: 4

// SLICE:      result0: 2x2xf32
// SLICE-NEXT: [0, 2],
// SLICE-NEXT: [3, 5]
// SLICE-NEXT: result1: 3xf32
// SLICE-NEXT: [3, 4, 5]

// LARGE:      result0: 100x20xf32
// LARGE-NEXT: {{\[\[}}0, 1, 2, ..., 17, 18, 19],
// LARGE-NEXT:  [20, 21, 22, ..., 37, 38, 39],
// LARGE-NEXT:  [40, 41, 42, ..., 57, 58, 59],
// LARGE-NEXT:  ...,
// LARGE-NEXT:  [1940, 1941, 1942, ..., 1957, 1958, 1959],
// LARGE-NEXT:  [1960, 1961, 1962, ..., 1977, 1978, 1979],
// LARGE-NEXT:  [1980, 1981, 1982, ..., 1997, 1998, 1999]]

// EMPTY:      result0: 3x0xf32
// EMPTY-NEXT: []

//--- main.mlir

func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x3xf32> {lstm.name = "same"}, tensor<2x3xf32> {lstm.name = "again"},
                                         tensor<2xi32> {lstm.name = "constant"}, tensor<2xi32> {lstm.name = "constant2"}) {
  %c = arith.constant dense<[7, 8]> : tensor<2xi32>
  return %x, %x, %c, %c : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2xi32>, tensor<2xi32>
}

func.func @write(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, f32) {
  %i = arith.constant 1 : index
  %c = arith.constant 42.0 : f32
  %old = tensor.extract %x[%i, %i] : tensor<2x3xf32>
  %0 = tensor.insert %c into %x[%i, %i] : tensor<2x3xf32>
  return %0, %old : tensor<2x3xf32>, f32
}

func.func @slice(%x: tensor<2x3xf32>) -> (tensor<2x2xf32>, tensor<3xf32>) {
  %0 = tensor.extract_slice %x[0, 0] [2, 2] [1, 2] : tensor<2x3xf32> to tensor<2x2xf32>
  %1 = tensor.extract_slice %x[1, 0] [1, 3] [1, 1] : tensor<2x3xf32> to tensor<3xf32>
  return %0, %1 : tensor<2x2xf32>, tensor<3xf32>
}

func.func @large(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  return %x : tensor<?x?xf32>
}

//--- arrays.py

import numpy as np

np.save("x.npy", np.arange(6, dtype=np.float32).reshape(2, 3))
np.save("large.npy", np.arange(2000, dtype=np.float32).reshape(100, 20))
np.save("empty.npy", np.zeros((3, 0), np.float32))
