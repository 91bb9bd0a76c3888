// RUN: lstm-opt %s --split-input-file --verify-diagnostics
func.func @rank(%a: memref<3x5xf32>, %b: memref<1x5x7xf32>, %c: memref<3x7xf32>) {
  // expected-error @below {{'cublas.gemm' op expects B of rank 2, but got 'memref<1x5x7xf32>' (gemm_c1)}}
  cublas.gemm ins(%a, %b : memref<3x5xf32>, memref<1x5x7xf32>) outs(%c : memref<3x7xf32>)
  return
}
// -----
func.func @rank_batched(%a: memref<1x3x5xf32>, %b: memref<1x5x7xf32>, %c: memref<3x7xf32>) {
  // expected-error @below {{'cublas.gemm_strided_batched' op expects C of rank 3, but got 'memref<3x7xf32>' (gemm_c1)}}
  cublas.gemm_strided_batched ins(%a, %b : memref<1x3x5xf32>, memref<1x5x7xf32>) outs(%c : memref<3x7xf32>)
  return
}
// -----
func.func @mixed_inputs(%a: memref<3x5xf16>, %b: memref<5x7xbf16>, %c: memref<3x7xf32>) {
  // expected-error @below {{expects A and B of one type of f64, f32, f16 and bf16, and C of it or f32 beside f16 and bf16, but got 'f16', 'bf16' and 'f32' (gemm_c2)}}
  cublas.gemm ins(%a, %b : memref<3x5xf16>, memref<5x7xbf16>) outs(%c : memref<3x7xf32>)
  return
}
// -----
func.func @wide_sum(%a: memref<3x5xf32>, %b: memref<5x7xf32>, %c: memref<3x7xf64>) {
  // expected-error @below {{but got 'f32', 'f32' and 'f64' (gemm_c2)}}
  cublas.gemm ins(%a, %b : memref<3x5xf32>, memref<5x7xf32>) outs(%c : memref<3x7xf64>)
  return
}
// -----
func.func @integers(%a: memref<3x5xi32>, %b: memref<5x7xi32>, %c: memref<3x7xi32>) {
  // expected-error @below {{but got 'i32', 'i32' and 'i32' (gemm_c2)}}
  cublas.gemm ins(%a, %b : memref<3x5xi32>, memref<5x7xi32>) outs(%c : memref<3x7xi32>)
  return
}
// -----
func.func @last_stride(%a: memref<3x5xf32, strided<[10, 2]>>, %b: memref<5x7xf32>, %c: memref<3x7xf32>) {
  // expected-error @below {{expects A with a last dimension of stride 1, but got 'memref<3x5xf32, strided<[10, 2]>>' (gemm_c3)}}
  cublas.gemm ins(%a, %b : memref<3x5xf32, strided<[10, 2]>>, memref<5x7xf32>) outs(%c : memref<3x7xf32>)
  return
}
// -----
func.func @unknown_last_stride(%a: memref<3x5xf32>, %b: memref<5x7xf32>, %c: memref<3x7xf32, strided<[?, ?]>>) {
  // expected-error @below {{expects C with a last dimension of stride 1, but got 'memref<3x7xf32, strided<[?, ?]>>' (gemm_c3)}}
  cublas.gemm ins(%a, %b : memref<3x5xf32>, memref<5x7xf32>) outs(%c : memref<3x7xf32, strided<[?, ?]>>)
  return
}
// -----
func.func @not_strided(%a: memref<3x5xf32>, %b: memref<5x7xf32, affine_map<(i, j) -> (i floordiv 2, j)>>, %c: memref<3x7xf32>) {
  // expected-error-re @below {{expects B with a last dimension of stride 1, but got {{.*}} (gemm_c3)}}
  cublas.gemm ins(%a, %b : memref<3x5xf32>, memref<5x7xf32, affine_map<(i, j) -> (i floordiv 2, j)>>) outs(%c : memref<3x7xf32>)
  return
}
// -----
func.func @m(%a: memref<4x5xf32>, %b: memref<5x7xf32>, %c: memref<3x7xf32>) {
  // expected-error @below {{expects the same m in A and C, but got 4 and 3 (gemm_c4)}}
  cublas.gemm ins(%a, %b : memref<4x5xf32>, memref<5x7xf32>) outs(%c : memref<3x7xf32>)
  return
}
// -----
func.func @m_transposed(%a: memref<5x4xf32>, %b: memref<5x7xf32>, %c: memref<3x7xf32>) {
  // expected-error @below {{expects the same m in A and C, but got 4 and 3 (gemm_c4)}}
  cublas.gemm ins(%a, %b : memref<5x4xf32>, memref<5x7xf32>) outs(%c : memref<3x7xf32>) transpose_a
  return
}
// -----
func.func @n(%a: memref<?x5xf32>, %b: memref<5x8xf32>, %c: memref<3x7xf32>) {
  // expected-error @below {{expects the same n in B and C, but got 8 and 7 (gemm_c4)}}
  cublas.gemm ins(%a, %b : memref<?x5xf32>, memref<5x8xf32>) outs(%c : memref<3x7xf32>)
  return
}
// -----
func.func @n_transposed(%a: memref<?x?xf32>, %b: memref<7x5xf32>, %c: memref<3x5xf32>) {
  // expected-error @below {{expects the same n in B and C, but got 7 and 5 (gemm_c4)}}
  cublas.gemm ins(%a, %b : memref<?x?xf32>, memref<7x5xf32>) outs(%c : memref<3x5xf32>) transpose_b
  return
}
// -----
func.func @k(%a: memref<?x6xf32>, %b: memref<5x7xf32>, %c: memref<3x7xf32>) {
  // expected-error @below {{expects the same k in A and B, but got 6 and 5 (gemm_c4)}}
  cublas.gemm ins(%a, %b : memref<?x6xf32>, memref<5x7xf32>) outs(%c : memref<3x7xf32>)
  return
}
// -----
func.func @batch_a(%a: memref<2x3x5xf32>, %b: memref<?x5x7xf32>, %c: memref<4x3x7xf32>) {
  // expected-error @below {{expects the same batch in A and C, but got 2 and 4 (gemm_c4)}}
  cublas.gemm_strided_batched ins(%a, %b : memref<2x3x5xf32>, memref<?x5x7xf32>) outs(%c : memref<4x3x7xf32>)
  return
}
// -----
func.func @batch_b(%a: memref<?x3x5xf32>, %b: memref<2x5x7xf32>, %c: memref<4x3x7xf32>) {
  // expected-error @below {{expects the same batch in B and C, but got 2 and 4 (gemm_c4)}}
  cublas.gemm_strided_batched ins(%a, %b : memref<?x3x5xf32>, memref<2x5x7xf32>) outs(%c : memref<4x3x7xf32>)
  return
}
// -----
func.func @batch_of_inputs(%a: memref<2x3x5xf32>, %b: memref<4x5x7xf32>, %c: memref<?x3x7xf32>) {
  // expected-error @below {{expects the same batch in A and B, but got 2 and 4 (gemm_c4)}}
  cublas.gemm_strided_batched ins(%a, %b : memref<2x3x5xf32>, memref<4x5x7xf32>) outs(%c : memref<?x3x7xf32>)
  return
}
// -----
func.func @rows_overlap(%a: memref<3x5xf32, strided<[4, 1]>>, %b: memref<5x7xf32>, %c: memref<3x7xf32>) {
  // expected-error @below {{expects a stride between the rows of A of at least 5, but got 4 (gemm_c5)}}
  cublas.gemm ins(%a, %b : memref<3x5xf32, strided<[4, 1]>>, memref<5x7xf32>) outs(%c : memref<3x7xf32>)
  return
}
// -----
func.func @rows_backwards(%a: memref<3x5xf32>, %b: memref<5x?xf32, strided<[-7, 1], offset: 28>>, %c: memref<3x7xf32>) {
  // expected-error @below {{expects a stride between the rows of B of at least 0, but got -7 (gemm_c5)}}
  cublas.gemm ins(%a, %b : memref<3x5xf32>, memref<5x?xf32, strided<[-7, 1], offset: 28>>) outs(%c : memref<3x7xf32>)
  return
}
// -----
func.func @f64_in_f32(%a: memref<3x5xf64>, %b: memref<5x7xf64>, %c: memref<3x7xf64>) {
  // expected-error @below {{expects a compute type of f64 for f64, f32 or tf32 for f32, and f32 for f16 and bf16, but got f32 for 'f64' (gemm_c6)}}
  cublas.gemm ins(%a, %b : memref<3x5xf64>, memref<5x7xf64>) outs(%c : memref<3x7xf64>) compute f32
  return
}
// -----
func.func @f32_in_f64(%a: memref<3x5xf32>, %b: memref<5x7xf32>, %c: memref<3x7xf32>) {
  // expected-error @below {{but got f64 for 'f32' (gemm_c6)}}
  cublas.gemm ins(%a, %b : memref<3x5xf32>, memref<5x7xf32>) outs(%c : memref<3x7xf32>) compute f64
  return
}
// -----
func.func @bf16_in_tf32(%a: memref<3x5xbf16>, %b: memref<5x7xbf16>, %c: memref<3x7xbf16>) {
  // expected-error @below {{but got tf32 for 'bf16' (gemm_c6)}}
  cublas.gemm ins(%a, %b : memref<3x5xbf16>, memref<5x7xbf16>) outs(%c : memref<3x7xbf16>) compute tf32
  return
}
// -----
func.func @one_c(%a: memref<2x3x5xf32>, %b: memref<2x5x7xf32>, %c: memref<2x3x7xf32, strided<[0, 7, 1]>>) {
  // expected-error @below {{expects a stride between the matrices of C other than 0, but got 'memref<2x3x7xf32, strided<[0, 7, 1]>>' (gemm_c7)}}
  cublas.gemm_strided_batched ins(%a, %b : memref<2x3x5xf32>, memref<2x5x7xf32>) outs(%c : memref<2x3x7xf32, strided<[0, 7, 1]>>)
  return
}
