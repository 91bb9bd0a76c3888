// RUN: lstm-opt %s --lstm-to-nvvm="format=ptx strategy=library" -o %t && FileCheck %s --input-file %t
// RUN: lstm-opt %s --lstm-to-nvvm="format=ptx strategy=naive" | FileCheck %s --check-prefix=NAIVE
// RUN: lstm-opt %s --lstm-to-nvvm="format=ptx strategy=library graph=false" | FileCheck %s --check-prefix=PLAIN
// RUN: lstm-opt %s --lstm-to-nvvm="format=ptx strategy=library runtime-checks=false" | FileCheck %s --check-prefix=UNCHECKED
// RUN: lstm-opt %s --lstm-to-nvvm="format=ptx strategy=library allow-tf32=true" | FileCheck %s --check-prefix=TF32
// RUN: lstm-opt %s --lstm-to-nvvm="format=ptx strategy=library chip=sm_80,sm_90" | FileCheck %s --check-prefix=CHIPS
// RUN: lstm-opt %s --lstm-to-nvvm="format=ptx index-bitwidth=32" | FileCheck %s --check-prefix=NARROW
// RUN: lstm-opt %s --lstm-to-nvvm="format=ptx strategy=persistent" | FileCheck %s --check-prefix=PERSISTENT
// RUN: lstm-opt %s --lstm-to-nvvm=format=ptx -o %t.auto && FileCheck %s --check-prefix=PERSISTENT --input-file %t.auto
// RUN: lstm-opt %s --lstm-to-nvvm="format=ptx strategy=auto" | cmp - %t.auto
// RUN: lstm-opt %s --lstm-to-nvvm="format=ptx strategy=persistent kernel-plan=2,1,4,2 f32-mode=tf32" | FileCheck %s --check-prefix=GIVEN
// RUN: lstm-opt %s --lstm-to-nvvm="format=ptx chip=sm_75" | FileCheck %s --check-prefix=OLD

// Everything that is given to the host is in the LLVM dialect; sizes, workspace and results come before the work, which
// may be a graph.
// CHECK-DAG: llvm.func @lstmCudaCheckFailed(!llvm.ptr, i64, i64, i64)
// CHECK-LABEL: llvm.func @main(
// CHECK-NOT: {{(builtin.unrealized|lstm\.|scf\.|memref\.|linalg\.|gpu\.|cublas\.)}}
// CHECK: llvm.call @lstmCudaGetWorkspace(
// CHECK: llvm.call @lstmCudaGetResult(
// CHECK: llvm.call @lstmCudaGetResult(
// CHECK: llvm.call @lstmCudaEnter(%[[ONE:.*]])
// CHECK: llvm.call @lstmCudaLaunch(
// The product of all inputs, then those of the steps.
// CHECK: llvm.call @lstmCudaGemm(
// CHECK: llvm.cond_br
// CHECK: llvm.call @lstmCudaGemm(
// CHECK-NOT: llvm.call @lstmCudaGemm(
// CHECK-NOT: llvm.call @lstmCudaAllocate(
// CHECK-NOT: {{(builtin.unrealized|lstm\.|scf\.|memref\.|linalg\.|gpu\.|cublas\.)}}
// CHECK: llvm.mlir.global internal constant @kernels_target("compute_90\00")
// CHECK: .target sm_90
// CHECK: .visible .entry main_kernel
// CHECK: llvm.mlir.global_dtors

// Four gates, two products each.
// NAIVE-LABEL: llvm.func @main(
// NAIVE-COUNT-8: llvm.call @lstmCudaGemm(
// NAIVE-NOT: llvm.call @lstmCudaGemm(

// All steps are one kernel, by default, too: the product of all inputs, then a launch of blocks that wait for each other. A
// device that is too small calls the library in each step.
// PERSISTENT-LABEL: llvm.func @main(
// PERSISTENT-NOT: {{(builtin.unrealized|lstm\.|scf\.|memref\.|linalg\.|gpu\.|cublas\.|nvvm\.)}}
// PERSISTENT: llvm.call @lstmCudaGetWorkspace(
// PERSISTENT: llvm.call @lstmCudaEnter(
// PERSISTENT: llvm.call @lstmCudaGemm(
// PERSISTENT: llvm.call @lstmCudaGetMultiprocessors()
// PERSISTENT: llvm.cond_br
// PERSISTENT: llvm.call @lstmCudaFill(
// PERSISTENT: llvm.call @lstmCudaLaunchTogether(
// PERSISTENT: llvm.call @lstmCudaGemm(
// PERSISTENT-NOT: llvm.call @lstmCudaAllocate(
// PERSISTENT: .visible .entry main_kernel
// PERSISTENT-DAG: ld.relaxed.gpu.global.v4.b32
// PERSISTENT-DAG: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// PERSISTENT-DAG: st.relaxed.gpu.global.b32
// PERSISTENT: llvm.mlir.global_dtors

// Two blocks of 8 units, 6 warps; one product of TF32 in the place of three.
// GIVEN-LABEL: llvm.func @main(
// GIVEN: llvm.call @lstmCudaLaunchTogether(
// GIVEN: .maxntid 192
// GIVEN-COUNT-4: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// GIVEN-NOT: mma.sync

// Tensor cores of this GPU do not multiply TF32.
// OLD-NOT: lstmCudaLaunchTogether
// OLD: .target sm_75

// PLAIN-LABEL: llvm.func @main(
// PLAIN: %[[NO:.*]] = llvm.mlir.constant(0 : i32) : i32
// PLAIN: llvm.call @lstmCudaEnter(%[[NO]])

// UNCHECKED-NOT: @lstmCudaCheckFailed
// UNCHECKED-NOT: @lstmCudaGetCheck

// LSTM_COMPUTE_TF32.
// TF32-LABEL: llvm.func @main(
// TF32-DAG: %[[F32:.*]] = llvm.mlir.constant(2 : i32) : i32
// TF32-DAG: %[[TF32:.*]] = llvm.mlir.constant(1 : i32) : i32
// TF32: llvm.call @lstmCudaGemm(%{{.*}}, %[[F32]], %[[F32]], %[[TF32]],

// CHIPS: @kernels_target("compute_80\00")
// CHIPS: .target sm_80
// CHIPS: ("compute_90\00")
// CHIPS: .target sm_90

// Numbers of 32 bits are what sizes and strides are in kernels.
// NARROW: .visible .entry main_kernel
// NARROW: .param .u32 main_kernel_param_
func.func @main(%x: tensor<?x?x8xf32>, %W: tensor<8x4x16xf32>, %U: tensor<16x4x16xf32>, %b: tensor<4x16xf32>,
                %h0: tensor<?x16xf32>, %c0: tensor<?x16xf32>, %len: tensor<?xi32>)
    -> (tensor<?x16xf32>, tensor<?x16xf32>) {
  %hT, %cT = lstm.recurrence over(%xt = %x : tensor<?x?x8xf32>) init(%h = %h0, %c = %c0 : tensor<?x16xf32>, tensor<?x16xf32>)
      lengths(%len : tensor<?xi32>) {
    %h1, %c1 = func.call @step(%xt, %W, %U, %b, %h, %c)
        : (tensor<?x8xf32>, tensor<8x4x16xf32>, tensor<16x4x16xf32>, tensor<4x16xf32>, tensor<?x16xf32>, tensor<?x16xf32>)
          -> (tensor<?x16xf32>, tensor<?x16xf32>)
    lstm.yield state(%h1, %c1 : tensor<?x16xf32>, tensor<?x16xf32>)
  }
  return %hT, %cT : tensor<?x16xf32>, tensor<?x16xf32>
}

// A cell of the user's own, which is kept from being inlined elsewhere.
func.func private @step(%x: tensor<?x8xf32>, %W: tensor<8x4x16xf32>, %U: tensor<16x4x16xf32>, %b: tensor<4x16xf32>,
                        %h: tensor<?x16xf32>, %c: tensor<?x16xf32>) -> (tensor<?x16xf32>, tensor<?x16xf32>)
    attributes {no_inline} {
  %h1, %c1 = lstm.cell input(%x, %W : tensor<?x8xf32>, tensor<8x4x16xf32>) state(%h, %U : tensor<?x16xf32>, tensor<16x4x16xf32>)
      cell(%c : tensor<?x16xf32>) bias(%b : tensor<4x16xf32>)
  return %h1, %c1 : tensor<?x16xf32>, tensor<?x16xf32>
}
