// What the passes before and after need besides this program; each remark and error says where it looked.
// RUN: rm -rf %t && mkdir -p %t/empty %t/assembler/bin && touch %t/assembler/bin/ptxas && chmod +x %t/assembler/bin/ptxas
// RUN: split-file %s %t

// RUN: lstm-opt %t/plain.mlir --lstm-check-gpu-target="toolkit=%t/assembler" --remarks-filter=lstm-check-gpu-target 2>&1 | FileCheck %s --check-prefix=CUBIN
// RUN: lstm-opt %t/plain.mlir --lstm-check-gpu-target="toolkit=%t/assembler text" --remarks-filter=lstm-check-gpu-target 2>&1 | FileCheck %s --check-prefix=ASKED
// RUN: lstm-opt %t/plain.mlir --lstm-check-gpu-target="toolkit=%t/empty text" --remarks-filter=lstm-check-gpu-target 2>&1 | FileCheck %s --check-prefix=NOPTXAS
// RUN: lstm-opt %t/plain.mlir --lstm-check-gpu-target=text --remarks-filter=lstm-check-gpu-target 2>&1 | FileCheck %s --check-prefix=NOTOOLKIT
// CUBIN: remark: [Passed] DeviceCode | Category:lstm-check-gpu-target | Remark="machine code: by '{{.*}}/assembler/bin/ptxas'"
// ASKED: Remark="PTX, which the driver compiles: it was asked for"
// NOPTXAS: Remark="PTX, which the driver compiles: there is no '{{.*}}/empty/bin/ptxas'"
// NOTOOLKIT: Remark="PTX, which the driver compiles: there is no CUDA toolkit"

// RUN: not lstm-opt %t/libdevice.mlir --lstm-check-gpu-target="toolkit=%t/empty text" 2>&1 | FileCheck %s --check-prefix=LIBDEVICE
// RUN: not lstm-opt %t/libdevice.mlir --lstm-check-gpu-target=text 2>&1 | FileCheck %s --check-prefix=NONE
// LIBDEVICE: libdevice.mlir:4:10: error: '__nv_tanh' is a function of CUDA's libdevice, and there is no '{{.*}}/empty/nvvm/libdevice/libdevice.10.bc'
// NONE: libdevice.mlir:4:10: error: '__nv_tanh' is a function of CUDA's libdevice, and there is no CUDA toolkit

// With it, all is well.
// RUN: mkdir -p %t/whole/nvvm/libdevice && touch %t/whole/nvvm/libdevice/libdevice.10.bc
// RUN: lstm-opt %t/libdevice.mlir --lstm-check-gpu-target="toolkit=%t/whole text"

// RUN: not lstm-opt %t/plain.mlir --lstm-check-gpu-target="toolkit=%t/none" 2>&1 | FileCheck %s --check-prefix=FOLDER
// RUN: not lstm-opt %t/chip.mlir --lstm-check-gpu-target 2>&1 | FileCheck %s --check-prefix=CHIP
// FOLDER: error: there is no folder '{{.*}}/none', the CUDA toolkit
// CHIP: error: unknown GPU 'sm_999'; expects one like 'sm_90'

// Without kernels nothing is needed.
// RUN: lstm-opt %t/none.mlir --lstm-check-gpu-target="toolkit=%t/none" --remarks-filter=lstm-check-gpu-target 2>&1 | FileCheck %s --check-prefix=NOTHING
// NOTHING-NOT: remark

//--- plain.mlir
gpu.module @kernels [#nvvm.target<chip = "sm_90">] {
  llvm.func @k() {
    llvm.return
  }
}
//--- libdevice.mlir
gpu.module @kernels [#nvvm.target<chip = "sm_90">] {
  llvm.func @__nv_tanh(f64) -> f64
  llvm.func @k(%x: f64) {
    %y = llvm.call @__nv_tanh(%x) : (f64) -> f64
    llvm.return
  }
}
//--- chip.mlir
gpu.module @kernels [#nvvm.target<chip = "sm_999">] {
}
//--- none.mlir
module {
}
