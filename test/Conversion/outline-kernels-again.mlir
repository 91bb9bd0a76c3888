// RUN: lstm-opt %s --lstm-outline-kernels | FileCheck %s

// Kernels that were outlined before stay, and others join them. What is computed for nobody is no parameter.
// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[P:.*]]: !llvm.ptr, %{{.*}}: index, %[[A:.*]]: f32)
// CHECK: gpu.launch_func @kernels::@before
// CHECK: gpu.launch_func @kernels::@f_kernel {{.*}} args(%[[A]] : f32, %[[P]] : !llvm.ptr)
// CHECK: gpu.module @kernels
// CHECK: gpu.func @before(
// A fused product that they have got since is an instruction, too.
// CHECK: llvm.intr.fma
// CHECK: gpu.func @f_kernel(
// CHECK-NOT: gpu.module
module attributes {gpu.container_module} {
  func.func @f(%p: !llvm.ptr, %n: index, %a: f32) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@before blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%p : !llvm.ptr, %a : f32)
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
        threads(%tx, %ty, %tz) in (%x = %c1, %y = %c1, %z = %c1) {
      %dead = arith.addi %n, %tx : index
      llvm.store %a, %p : f32, !llvm.ptr
      gpu.terminator
    }
    return
  }
  gpu.module @kernels {
    gpu.func @before(%p: !llvm.ptr, %a: f32) kernel {
      %r = math.fma %a, %a, %a : f32
      llvm.store %r, %p : f32, !llvm.ptr
      gpu.return
    }
  }
}
