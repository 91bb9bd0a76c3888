// Projections of f32 on tensor cores: three calls more than one, by the number of rows; the recurrent product stays. What they
// need is part of the workspace.
// RUN: lstm-opt %s --lstm-to-nvvm="format=ptx strategy=library" | FileCheck %s
// RUN: lstm-opt %s --lstm-to-nvvm="format=ptx strategy=persistent" | FileCheck %s
// RUN: lstm-opt %s --lstm-to-nvvm="format=ptx strategy=library f32-mode=bf16x3" | FileCheck %s
// CHECK-LABEL: llvm.func @main(
// CHECK: llvm.call @lstmCudaGetWorkspace(
// CHECK-NOT: llvm.call @lstmCudaAllocate(
// CHECK-COUNT-5: llvm.call @lstmCudaGemm(
// CHECK-NOT: llvm.call @lstmCudaGemm(
// CHECK: llvm.return

// Only f32 that is not TF32, and where there are tensor cores for bf16; the naive strategy leaves all as it stands.
// RUN: lstm-opt %s --lstm-to-nvvm="format=ptx strategy=library allow-tf32" | FileCheck %s --check-prefix=PLAIN
// RUN: lstm-opt %s --lstm-to-nvvm="format=ptx strategy=library f32-mode=tf32" | FileCheck %s --check-prefix=PLAIN
// RUN: lstm-opt %s --lstm-to-nvvm="format=ptx strategy=library chip=sm_75" | FileCheck %s --check-prefix=PLAIN
// RUN: lstm-opt %s --lstm-to-nvvm="format=ptx strategy=naive" | FileCheck %s --check-prefix=PLAIN
// RUN: sed 's/xf32/xbf16/g' %s | lstm-opt --lstm-to-nvvm="format=ptx strategy=library" | FileCheck %s --check-prefix=PLAIN
// PLAIN-LABEL: llvm.func @main(
// PLAIN-COUNT-2: llvm.call @lstmCudaGemm(
// PLAIN-NOT: llvm.call @lstmCudaGemm(
// PLAIN: llvm.return

func.func @main(%x: tensor<?x?x512xf32>, %h0: tensor<?x256xf32>, %W: tensor<512x256xf32>, %U: tensor<256x256xf32>) -> tensor<?x256xf32> {
  %hT = lstm.recurrence over(%xt = %x : tensor<?x?x512xf32>) init(%h = %h0 : tensor<?x256xf32>) {
    %h1 = lstm.rnn_cell input(%xt, %W : tensor<?x512xf32>, tensor<512x256xf32>) state(%h, %U : tensor<?x256xf32>, tensor<256x256xf32>)
    lstm.yield state(%h1 : tensor<?x256xf32>)
  }
  return %hT : tensor<?x256xf32>
}
