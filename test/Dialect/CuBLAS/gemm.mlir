// RUN: lstm-opt %s | lstm-opt | FileCheck %s
// RUN: lstm-opt %s --mlir-print-op-generic | lstm-opt | FileCheck %s

// What is the default is not printed.
// CHECK-LABEL: func @plain
func.func @plain(%a: memref<3x5xf32>, %b: memref<5x7xf32>, %c: memref<3x7xf32>) {
  // CHECK: cublas.gemm ins(%{{.*}}, %{{.*}} : memref<3x5xf32>, memref<5x7xf32>) outs(%{{.*}} : memref<3x7xf32>){{$}}
  cublas.gemm ins(%a, %b : memref<3x5xf32>, memref<5x7xf32>) outs(%c : memref<3x7xf32>) alpha 1.0 beta 0.0
  return
}

// CHECK-LABEL: func @all
func.func @all(%a: memref<5x?xf32, strided<[?, 1], offset: ?>>, %b: memref<7x?xf32>, %c: memref<?x7xf32>) {
  // CHECK: cublas.gemm ins(%{{.*}}, %{{.*}} : memref<5x?xf32, strided<[?, 1], offset: ?>>, memref<7x?xf32>)
  // CHECK-SAME: outs(%{{.*}} : memref<?x7xf32>) transpose_a transpose_b alpha -2.000000e+00 beta 5.000000e-01 compute tf32 {note = "x"}
  cublas.gemm ins(%a, %b : memref<5x?xf32, strided<[?, 1], offset: ?>>, memref<7x?xf32>) outs(%c : memref<?x7xf32>)
    transpose_a transpose_b alpha -2.0 beta 0.5 compute tf32 {note = "x"}
  return
}

// CHECK-LABEL: func @tokens
func.func @tokens(%a: memref<3x5xf64>, %b: memref<5x7xf64>, %c: memref<3x7xf64>) -> !gpu.async.token {
  // CHECK: %[[T0:.*]] = cublas.gemm async ins(
  %t0 = cublas.gemm async ins(%a, %b : memref<3x5xf64>, memref<5x7xf64>) outs(%c : memref<3x7xf64>)
  // CHECK: %[[T1:.*]] = cublas.gemm async [%[[T0]], %[[T0]]] ins(
  %t1 = cublas.gemm async [%t0, %t0] ins(%a, %b : memref<3x5xf64>, memref<5x7xf64>) outs(%c : memref<3x7xf64>)
  // CHECK: {{^ *}}cublas.gemm [%[[T1]]] ins(
  cublas.gemm [%t1] ins(%a, %b : memref<3x5xf64>, memref<5x7xf64>) outs(%c : memref<3x7xf64>) compute f64
  // CHECK: return %[[T1]]
  return %t1 : !gpu.async.token
}

// One row may have any stride, and so may one matrix.
// CHECK-LABEL: func @batched
func.func @batched(%a: memref<?x1x5xbf16, strided<[0, 0, 1]>>, %b: memref<1x5x7xbf16, strided<[0, 7, 1]>>,
                   %c: memref<1x1x7xf32, strided<[0, 2, 1]>>) {
  // CHECK: cublas.gemm_strided_batched ins({{.*}}) outs(%{{.*}}) beta 1.000000e+00 compute f32
  cublas.gemm_strided_batched
    ins(%a, %b : memref<?x1x5xbf16, strided<[0, 0, 1]>>, memref<1x5x7xbf16, strided<[0, 7, 1]>>)
    outs(%c : memref<1x1x7xf32, strided<[0, 2, 1]>>) beta 1.0 compute f32
  return
}

// CHECK-LABEL: func @halves
func.func @halves(%a: memref<3x5xf16>, %b: memref<5x7xf16>, %c: memref<3x7xf16>, %d: memref<3x7xf32>) {
  // CHECK: cublas.gemm
  cublas.gemm ins(%a, %b : memref<3x5xf16>, memref<5x7xf16>) outs(%c : memref<3x7xf16>)
  // CHECK: cublas.gemm
  cublas.gemm ins(%a, %b : memref<3x5xf16>, memref<5x7xf16>) outs(%d : memref<3x7xf32>)
  return
}
