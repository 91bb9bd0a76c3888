// RUN: rm -rf %t && mkdir -p %t/bin && cp %S/Inputs/ptxas %t/bin
// RUN: split-file %s %t
// RUN: lstm-opt %t/kernels.mlir --lstm-compile-kernels=toolkit=%t 2>/dev/null | FileCheck %s
// RUN: lstm-opt %t/kernels.mlir --lstm-compile-kernels="toolkit=%t text" | FileCheck %s --check-prefix=TEXT
// RUN: not lstm-opt %t/none.mlir --lstm-compile-kernels 2>&1 | FileCheck %s --check-prefix=NONE

// Each kernel is a text of its own, with what it shares with others, under other names, as two of one name are an error; the assembler makes one object of all, in threads.
// CHECK: gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90">,
// CHECK-SAME: bin = "{{.*}}.version{{.*}}.version{{.*}}.entry f({{.*}}.shared{{.*}} memory_0{{.*}}.version{{.*}}.entry g({{.*}}.shared{{.*}} memory_1
// CHECK-SAME: -arch sm_90 {{.*}}.ptx -o {{.*}}.ptx {{.*}}.ptx --split-compile=0

// For drivers they are one text.
// TEXT: gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90">,
// TEXT-SAME: assembly = "
// TEXT-SAME: .version
// TEXT-NOT: .version
// TEXT-SAME: .entry f(
// TEXT-SAME: .entry g(

// NONE: none.mlir:1:1: error: 'gpu.module' op has no target to compile for

//--- kernels.mlir
module attributes {gpu.container_module} {
  gpu.module @kernels [#nvvm.target<chip = "sm_90">] {
    llvm.mlir.global internal @memory() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<4 x f32>
    llvm.func @f(%p: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
      %m = llvm.mlir.addressof @memory : !llvm.ptr<3>
      %v = llvm.load volatile %m : !llvm.ptr<3> -> f32
      llvm.store %v, %p : f32, !llvm.ptr
      llvm.return
    }
    llvm.func @g(%p: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
      %m = llvm.mlir.addressof @memory : !llvm.ptr<3>
      %v = llvm.load %p : !llvm.ptr -> f32
      llvm.store volatile %v, %m : f32, !llvm.ptr<3>
      llvm.return
    }
  }
}

//--- none.mlir
gpu.module @kernels {
}
