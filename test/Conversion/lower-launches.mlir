// RUN: lstm-opt %s --lstm-lower-launches --split-input-file | FileCheck %s
// RUN: lstm-opt %s --lstm-lower-launches=index-bitwidth=32 --split-input-file | FileCheck %s --check-prefix=NARROW

// Machine code under its own name, PTX under that of the virtual one, with a zero at its end.
// CHECK-NOT: gpu.
// CHECK-LABEL: llvm.func @f(
// CHECK-SAME: %[[N:.*]]: i64, %[[P:.*]]: !llvm.ptr, %[[S:.*]]: f16
// CHECK: %[[BLOCK:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(ptr, f16, i64)> {alignment = 16
// CHECK: %[[TABLE:.*]] = llvm.alloca %{{.*}} x !llvm.array<3 x ptr>
// CHECK: %[[AT:.*]] = llvm.getelementptr %[[BLOCK]][0, 0]
// CHECK: llvm.store %[[P]], %[[AT]]
// CHECK: %[[PLACE:.*]] = llvm.getelementptr %[[TABLE]][0, 0]
// CHECK: llvm.store %[[AT]], %[[PLACE]]
// CHECK: llvm.getelementptr %[[BLOCK]][0, 1]
// CHECK: llvm.store %[[S]],
// CHECK: llvm.getelementptr %[[BLOCK]][0, 2]
// CHECK: llvm.call @lstmCudaLaunch(%[[KERNEL:.*]], %[[N]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[TABLE]])
// CHECK: llvm.call @lstmCudaLaunch(
// CHECK: llvm.mlir.global internal constant @kernels_target("sm_90\00")
// CHECK: llvm.mlir.global internal constant @kernels_image("cubin")
// CHECK: llvm.mlir.global internal constant @[[TARGET:.*]]("compute_80\00")
// CHECK: llvm.mlir.global internal constant @[[TEXT:.*]](".version 8.0\00")
// CHECK: llvm.mlir.global internal constant @kernels_images() {{.*}} !llvm.array<2 x struct<(ptr, ptr, i64)>>
// CHECK-DAG: llvm.mlir.constant(5 : i64)
// CHECK-DAG: llvm.mlir.constant(13 : i64)
// CHECK-DAG: llvm.mlir.addressof @[[TARGET]]
// CHECK-DAG: llvm.mlir.addressof @[[TEXT]]
// CHECK: llvm.mlir.global internal @kernels_module()
// The name is looked up once for all launches.
// CHECK: llvm.mlir.global internal constant @k_name("k\00")
// CHECK: llvm.mlir.global internal @k_state()
// CHECK-NOT: constant @k_name
// CHECK: llvm.func internal @lstm_release_modules()
// CHECK: llvm.call @lstmCudaRelease(
// CHECK: llvm.mlir.global_dtors

// NARROW: llvm.alloca %{{.*}} x !llvm.struct<(ptr, f16, i32)>
module attributes {gpu.container_module} {
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90">, bin = "cubin">,
                       #gpu.object<#nvvm.target<chip = "sm_80">, assembly = ".version 8.0">]
  llvm.func @f(%n: i64, %p: !llvm.ptr, %s: f16) {
    %c1 = llvm.mlir.constant(1 : i64) : i64
    %i = arith.index_cast %n : i64 to index
    gpu.launch_func @kernels::@k blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1) : i64 args(%p : !llvm.ptr, %s : f16, %i : index)
    llvm.return
  }
  llvm.func @again(%n: i64, %p: !llvm.ptr, %s: f16) {
    %c1 = llvm.mlir.constant(1 : i64) : i64
    %i = arith.index_cast %n : i64 to index
    gpu.launch_func @kernels::@k blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1) : i64 args(%p : !llvm.ptr, %s : f16, %i : index)
    llvm.return
  }
}
// -----
// Blocks that wait for each other, and such that begin early; those of another launch of the same kernel do neither.
// CHECK-LABEL: llvm.func @together(
// CHECK: llvm.call @lstmCudaLaunchTogether(%[[KERNEL:.*]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[BYTES:.*]], %{{.*}}) : (!llvm.ptr, i64, i64, i64, i64, i64, i64, i32, !llvm.ptr) -> ()
// CHECK: llvm.call @lstmCudaLaunchEarly(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[BYTES]], %{{.*}}) : (!llvm.ptr, i64, i64, i64, i64, i64, i64, i32, !llvm.ptr) -> ()
// CHECK: llvm.call @lstmCudaLaunch(
module attributes {gpu.container_module} {
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90">, bin = "cubin">]
  llvm.func @together(%n: i64, %bytes: i32) {
    gpu.launch_func @kernels::@k blocks in (%n, %n, %n) threads in (%n, %n, %n) : i64 dynamic_shared_memory_size %bytes {lstm.together}
    gpu.launch_func @kernels::@k blocks in (%n, %n, %n) threads in (%n, %n, %n) : i64 dynamic_shared_memory_size %bytes {lstm.early}
    gpu.launch_func @kernels::@k blocks in (%n, %n, %n) threads in (%n, %n, %n) : i64 dynamic_shared_memory_size %bytes
    llvm.return
  }
}
// -----
// A question about a kernel gets it; about one that is not launched any more it has no answer that anybody needs.
// CHECK-LABEL: llvm.func @asks(
// CHECK: %[[KERNEL:.*]] = llvm.mlir.addressof @k_state
// CHECK: %[[ANSWER:.*]] = llvm.call @lstmCudaFits(%[[KERNEL]], %{{.*}}, %{{.*}}, %{{.*}}) : (!llvm.ptr, i64, i64, i32) -> i32
// CHECK-NOT: llvm.call @lstmCudaFits
// CHECK: %[[NONE:.*]] = llvm.mlir.zero : i32
// CHECK: llvm.add %[[ANSWER]], %[[NONE]]
// CHECK: llvm.call @lstmCudaLaunch(
module attributes {gpu.container_module} {
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90">, bin = "cubin">]
  llvm.func @lstmCudaFits(!llvm.ptr, i64, i64, i32) -> i32
  llvm.func @asks(%n: i64, %bytes: i32) -> i32 {
    %unknown = llvm.mlir.zero : !llvm.ptr
    %fits = llvm.call @lstmCudaFits(%unknown, %n, %n, %bytes) {lstm.launched_kernel = distinct[0]<>} : (!llvm.ptr, i64, i64, i32) -> i32
    %other = llvm.call @lstmCudaFits(%unknown, %n, %n, %bytes) {lstm.launched_kernel = distinct[1]<>} : (!llvm.ptr, i64, i64, i32) -> i32
    %sum = llvm.add %fits, %other : i32
    gpu.launch_func @kernels::@k blocks in (%n, %n, %n) threads in (%n, %n, %n) : i64 {lstm.launched_kernel = distinct[0]<>}
    llvm.return %sum : i32
  }
}
// -----
// Clusters of blocks.
// CHECK-LABEL: llvm.func @clusters(
// CHECK: %[[N:.*]] = llvm.mlir.constant(16 : i64)
// CHECK: llvm.call @lstmCudaLaunchClusters(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[N]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (!llvm.ptr, i64, i64, i64, i64, i64, i64, i64, i64, i64, i32, !llvm.ptr) -> ()
module attributes {gpu.container_module} {
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90">, bin = "cubin">]
  llvm.func @clusters(%n: i64, %bytes: i32) {
    %c1 = llvm.mlir.constant(1 : i64) : i64
    %c16 = llvm.mlir.constant(16 : i64) : i64
    gpu.launch_func @kernels::@k clusters in (%c16, %c1, %c1) blocks in (%n, %c1, %c1) threads in (%n, %c1, %c1) : i64 dynamic_shared_memory_size %bytes
    llvm.return
  }
}
// -----
// Nothing to launch, nothing to release.
// CHECK-LABEL: llvm.func @g(
// CHECK-NOT: lstmCudaRelease
module {
  llvm.func @g() {
    llvm.return
  }
}
