// RUN: lstm-opt %s --convert-lstm-to-cuda-runtime --split-input-file --verify-diagnostics
func.func @recursive(%x: memref<4xf32>) {
  // expected-error @below {{'func.call' op cannot be inlined, and code for GPUs has no calls}}
  call @recursive(%x) : (memref<4xf32>) -> ()
  return
}
// -----
// expected-error @below {{'func.func' op has several blocks; code for GPUs expects structured control flow}}
func.func @blocks(%x: memref<4xf32>, %p: i1) {
  cf.cond_br %p, ^bb1, ^bb1
^bb1:
  return
}
