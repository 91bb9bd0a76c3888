// Which fill makes beta 0.
// RUN: lstm-opt %s --convert-linalg-to-cublas | FileCheck %s

// Work on other memory may stand in between, also what writes A.
// CHECK-LABEL: func @folded
// CHECK-NOT: outs(%arg2
// CHECK: linalg.fill {{.*}} outs(%arg0
// CHECK: memref.load %arg1
// CHECK: cublas.gemm ins(%arg0, %arg1 : {{.*}}) outs(%arg2 : memref<3x7xf32>){{$}}
func.func @folded(%a: memref<3x5xf32>, %b: memref<5x7xf32>, %c: memref<3x7xf32>) -> f32 {
  %zero = arith.constant 0.0 : f32
  %i = arith.constant 0 : index
  linalg.fill ins(%zero : f32) outs(%c : memref<3x7xf32>)
  linalg.fill ins(%zero : f32) outs(%a : memref<3x5xf32>)
  %x = memref.load %b[%i, %i] : memref<5x7xf32>
  linalg.matmul ins(%a, %b : memref<3x5xf32>, memref<5x7xf32>) outs(%c : memref<3x7xf32>)
  return %x : f32
}

// Only the last one counts, and of two products only the first takes it.
// CHECK-LABEL: func @twice
// CHECK: linalg.fill
// CHECK-NOT: linalg.fill
// CHECK: cublas.gemm {{.*}} outs(%arg2 : memref<3x7xf32>){{$}}
// CHECK: cublas.gemm {{.*}} outs(%arg2 : memref<3x7xf32>) beta 1.0
func.func @twice(%a: memref<3x5xf32>, %b: memref<5x7xf32>, %c: memref<3x7xf32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  linalg.fill ins(%one : f32) outs(%c : memref<3x7xf32>)
  linalg.fill ins(%zero : f32) outs(%c : memref<3x7xf32>)
  linalg.matmul ins(%a, %b : memref<3x5xf32>, memref<5x7xf32>) outs(%c : memref<3x7xf32>)
  linalg.matmul ins(%a, %b : memref<3x5xf32>, memref<5x7xf32>) outs(%c : memref<3x7xf32>)
  return
}

// CHECK-LABEL: func @reader
// CHECK: linalg.fill
// CHECK: cublas.gemm {{.*}} beta 1.0
func.func @reader(%a: memref<3x5xf32>, %b: memref<5x7xf32>, %c: memref<3x7xf32>) -> f32 {
  %zero = arith.constant 0.0 : f32
  %i = arith.constant 0 : index
  linalg.fill ins(%zero : f32) outs(%c : memref<3x7xf32>)
  %x = memref.load %c[%i, %i] : memref<3x7xf32>
  linalg.matmul ins(%a, %b : memref<3x5xf32>, memref<5x7xf32>) outs(%c : memref<3x7xf32>)
  return %x : f32
}

// CHECK-LABEL: func @writer_through_view
// CHECK: linalg.fill
// CHECK: cublas.gemm {{.*}} beta 1.0
func.func @writer_through_view(%a: memref<3x5xf32>, %b: memref<5x7xf32>, %c: memref<3x7xf32>, %x: f32) {
  %zero = arith.constant 0.0 : f32
  %i = arith.constant 0 : index
  %row = memref.subview %c[1, 0] [1, 7] [1, 1] : memref<3x7xf32> to memref<7xf32, strided<[1], offset: 7>>
  linalg.fill ins(%zero : f32) outs(%c : memref<3x7xf32>)
  memref.store %x, %row[%i] : memref<7xf32, strided<[1], offset: 7>>
  linalg.matmul ins(%a, %b : memref<3x5xf32>, memref<5x7xf32>) outs(%c : memref<3x7xf32>)
  return
}

func.func private @anything()

// CHECK-LABEL: func @call
// CHECK: linalg.fill
// CHECK: cublas.gemm {{.*}} beta 1.0
func.func @call(%a: memref<3x5xf32>, %b: memref<5x7xf32>, %c: memref<3x7xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<3x7xf32>)
  func.call @anything() : () -> ()
  linalg.matmul ins(%a, %b : memref<3x5xf32>, memref<5x7xf32>) outs(%c : memref<3x7xf32>)
  return
}

// CHECK-LABEL: func @other_value
// CHECK: linalg.fill
// CHECK: cublas.gemm {{.*}} beta 1.0
func.func @other_value(%a: memref<3x5xf32>, %b: memref<5x7xf32>, %c: memref<3x7xf32>) {
  %half = arith.constant 0.5 : f32
  linalg.fill ins(%half : f32) outs(%c : memref<3x7xf32>)
  linalg.matmul ins(%a, %b : memref<3x5xf32>, memref<5x7xf32>) outs(%c : memref<3x7xf32>)
  return
}

// CHECK-LABEL: func @outside_of_loop
// CHECK: linalg.fill
// CHECK: scf.for
// CHECK: cublas.gemm {{.*}} beta 1.0
func.func @outside_of_loop(%a: memref<3x5xf32>, %b: memref<5x7xf32>, %c: memref<3x7xf32>, %n: index) {
  %zero = arith.constant 0.0 : f32
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  linalg.fill ins(%zero : f32) outs(%c : memref<3x7xf32>)
  scf.for %i = %i0 to %n step %i1 {
    linalg.matmul ins(%a, %b : memref<3x5xf32>, memref<5x7xf32>) outs(%c : memref<3x7xf32>)
  }
  return
}

// Memory that is not known may be the same: what touches it is in the way.
// CHECK-LABEL: func @unknown_memory
// CHECK: linalg.fill
// CHECK: cublas.gemm {{.*}} beta 1.0
func.func @unknown_memory(%a: memref<3x5xf32>, %b: memref<5x7xf32>, %c: memref<3x7xf32>, %d: memref<3x7xf32>, %p: i1) -> f32 {
  %zero = arith.constant 0.0 : f32
  %i = arith.constant 0 : index
  %e = arith.select %p, %c, %d : memref<3x7xf32>
  linalg.fill ins(%zero : f32) outs(%c : memref<3x7xf32>)
  %x = memref.load %e[%i, %i] : memref<3x7xf32>
  linalg.matmul ins(%a, %b : memref<3x5xf32>, memref<5x7xf32>) outs(%c : memref<3x7xf32>)
  return %x : f32
}
