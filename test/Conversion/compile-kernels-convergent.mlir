// RUN: lstm-opt %s --lstm-compile-kernels=text | FileCheck %s

// All lanes of a warp reach a barrier together, though a branch before and a branch behind have the same condition:
// upstream's pass makes two of it, each for some lanes.
// CHECK: gpu.binary @kernels
// CHECK-COUNT-1: bar.arrive
// CHECK-NOT: bar.arrive
gpu.module @kernels [#nvvm.target<O = 3, chip = "sm_90">] {
  llvm.func @kernel(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %n: i32) attributes {gpu.kernel, nvvm.kernel} {
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %exists = llvm.icmp "slt" %thread, %n : i32
    llvm.cond_br %exists, ^before, ^barrier
  ^before:
    llvm.store volatile %thread, %p : i32, !llvm.ptr<1>
    llvm.br ^barrier
  ^barrier:
    llvm.inline_asm has_side_effects "bar.arrive $0, 64;", "r,~{memory}" %one : (i32) -> ()
    llvm.cond_br %exists, ^behind, ^end
  ^behind:
    llvm.store volatile %thread, %q : i32, !llvm.ptr<1>
    llvm.br ^end
  ^end:
    llvm.return
  }
}
