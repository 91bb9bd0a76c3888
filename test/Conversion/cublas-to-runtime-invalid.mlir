// RUN: lstm-opt %s --convert-cublas-to-runtime --split-input-file --verify-diagnostics
func.func @two(%t0: !gpu.async.token, %t1: !gpu.async.token, %a: memref<3x5xf64>, %b: memref<5x7xf64>, %c: memref<3x7xf64>) {
  // expected-error @below {{'cublas.gemm' op expects at most 1 dependency, which becomes the stream, but got 2}}
  cublas.gemm [%t0, %t1] ins(%a, %b : memref<3x5xf64>, memref<5x7xf64>) outs(%c : memref<3x7xf64>)
  return
}
// -----
// expected-error @below {{redefinition of function 'lstmCudaGemm' of different type}}
llvm.func @lstmCudaGemm(i32)
func.func @taken(%a: memref<3x5xf64>, %b: memref<5x7xf64>, %c: memref<3x7xf64>) {
  cublas.gemm ins(%a, %b : memref<3x5xf64>, memref<5x7xf64>) outs(%c : memref<3x7xf64>)
  return
}
