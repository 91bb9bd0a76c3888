// A recurrence in a branch becomes a kernel, too, whose memory is the session's.
// RUN: lstm-opt %s --lstm-to-nvvm="format=ptx strategy=persistent" | FileCheck %s

// CHECK-LABEL: llvm.func @main(
// CHECK: llvm.call @lstmCudaGetWorkspace(
// CHECK: llvm.cond_br
// What the branch yields is the only allocation.
// CHECK: llvm.call @lstmCudaAllocate(
// CHECK-NOT: llvm.call @lstmCudaAllocate(
// CHECK: llvm.call @lstmCudaFill(
// CHECK: llvm.call @lstmCudaLaunchTogether(
// CHECK-NOT: llvm.call @lstmCudaAllocate(
// CHECK: llvm.return
func.func @main(%x: tensor<?x?x8xf32>, %U: tensor<16x16xf32>, %W: tensor<8x16xf32>, %h0: tensor<?x16xf32>, %p: i1) -> tensor<?x16xf32> {
  %r = scf.if %p -> tensor<?x16xf32> {
    %hT = lstm.recurrence over(%xt = %x : tensor<?x?x8xf32>) init(%h = %h0 : tensor<?x16xf32>) {
      %pre = linalg.matmul ins(%h, %U : tensor<?x16xf32>, tensor<16x16xf32>) outs(%h : tensor<?x16xf32>) -> tensor<?x16xf32>
      %h1 = math.tanh %pre : tensor<?x16xf32>
      lstm.yield state(%h1 : tensor<?x16xf32>)
    }
    scf.yield %hT : tensor<?x16xf32>
  } else {
    scf.yield %h0 : tensor<?x16xf32>
  }
  return %r : tensor<?x16xf32>
}
