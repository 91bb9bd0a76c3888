// RUN: lstm-opt %s --lstm-outline-kernels | FileCheck %s

// Two launches of what does the same, one of something else; a module of their own for all.
// CHECK: module attributes {gpu.container_module}
// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[N:.*]]: index, %[[P:.*]]: !llvm.ptr, %[[Q:.*]]: !llvm.ptr)
// CHECK: gpu.launch_func @kernels::@f_kernel blocks in (%[[N]], %c1, %c1) threads in (%c128, %c1, %c1) args(%[[P]] : !llvm.ptr)
// CHECK: gpu.launch_func @kernels::@f_kernel blocks in (%[[N]], %c1, %c1) threads in (%c128, %c1, %c1) args(%[[Q]] : !llvm.ptr)
// CHECK: gpu.launch_func @kernels::@[[$OTHER:.*]] blocks
// CHECK-LABEL: func.func @g(
// CHECK: gpu.launch_func @kernels::@f_kernel blocks
// CHECK-NOT: gpu.launch
// CHECK-LABEL: func.func @fma(
// CHECK: gpu.module @kernels
// Constants are in the kernel.
// CHECK: gpu.func @f_kernel(%{{.*}}: !llvm.ptr) kernel
// CHECK: arith.constant 2.000000e+00 : f32
// CHECK: gpu.func @[[$OTHER]](%{{.*}}: !llvm.ptr) kernel
// CHECK: arith.constant 3.000000e+00 : f32
func.func @f(%n: index, %p: !llvm.ptr, %q: !llvm.ptr) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %two = arith.constant 2.0 : f32
  %three = arith.constant 3.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%x = %c128, %y = %c1, %z = %c1) {
    llvm.store %two, %p : f32, !llvm.ptr
    gpu.terminator
  }
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%x = %c128, %y = %c1, %z = %c1) {
    llvm.store %two, %q : f32, !llvm.ptr
    gpu.terminator
  }
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%x = %c128, %y = %c1, %z = %c1) {
    llvm.store %three, %q : f32, !llvm.ptr
    gpu.terminator
  }
  return
}
func.func @g(%n: index, %p: !llvm.ptr) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %two = arith.constant 2.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%x = %c128, %y = %c1, %z = %c1) {
    llvm.store %two, %p : f32, !llvm.ptr
    gpu.terminator
  }
  return
}

// A fused product is an instruction, which upstream does not know; of halves it goes through f32.
// CHECK: gpu.func @fma_kernel(
// CHECK: llvm.intr.fma({{.*}}) : (f32, f32, f32) -> f32
// CHECK: math.fma {{.*}} : f16
func.func @fma(%p: !llvm.ptr, %a: f32, %b: f16) {
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%x = %c1, %y = %c1, %z = %c1) {
    %r = math.fma %a, %a, %a : f32
    %s = math.fma %b, %b, %b : f16
    llvm.store %r, %p : f32, !llvm.ptr
    llvm.store %s, %p : f16, !llvm.ptr
    gpu.terminator
  }
  return
}
