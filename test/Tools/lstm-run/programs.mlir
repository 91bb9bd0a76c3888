// What is wrong with a program or an option is said, and the exit status is 1.

// RUN: split-file %s %t
// RUN: not lstm-run %t/none.mlir 2>&1 | FileCheck %s --check-prefix=NOFILE
// RUN: not lstm-run %t 2>&1 | FileCheck %s --check-prefix=FOLDER
// RUN: not lstm-run %t/truncated.mlir 2>&1 | FileCheck %s --check-prefix=TRUNCATED
// RUN: not lstm-run %t/main.mlir --entry missing 2>&1 | FileCheck %s --check-prefix=ENTRY
// RUN: not lstm-run %t/main.mlir --entry declared 2>&1 | FileCheck %s --check-prefix=DECLARED
// RUN: not lstm-run %t/empty.mlir 2>&1 | FileCheck %s --check-prefix=NOFUNC
// RUN: not lstm-run %t/main.mlir --entry memref 2>&1 | FileCheck %s --check-prefix=MEMREF
// RUN: not lstm-run %t/main.mlir --entry unranked 2>&1 | FileCheck %s --check-prefix=UNRANKED
// RUN: not lstm-run %t/main.mlir --entry i8 2>&1 | FileCheck %s --check-prefix=I8
// RUN: not lstm-run %t/main.mlir --entry encoded 2>&1 | FileCheck %s --check-prefix=ENCODED
// RUN: not lstm-run %t/main.mlir --entry same 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: not lstm-run %t/main.mlir --entry badname 2>&1 | FileCheck %s --check-prefix=BADNAME
// RUN: not lstm-run %t/main.mlir --entry calls 2>&1 | FileCheck %s --check-prefix=UNRESOLVED
// RUN: not env LSTM_LIBCUDA=%t/none.so lstm-run %t/main.mlir --target=cuda 2>&1 | FileCheck %s --check-prefix=CUDA
// RUN: not lstm-run %t/main.mlir --target=tpu 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not lstm-run %t/main.mlir --repeat 0 2>&1 | FileCheck %s --check-prefix=REPEAT
// RUN: not lstm-run %t/main.mlir --threads 0 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: not lstm-run %t/main.mlir --tolerance 1 2>&1 | FileCheck %s --check-prefix=TOLERANCE
// RUN: not lstm-run %t/main.mlir --tolerance=-1 --expect x.npz 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not lstm-run %t/main.mlir %t/main.mlir 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: not lstm-run --inputs x.npz 2>&1 | FileCheck %s --check-prefix=NOPROGRAM
// RUN: not lstm-run %t/main.mlir --timing-json %t/none/t.json 2>&1 | FileCheck %s --check-prefix=TIMING
// RUN: not lstm-run %t/main.mlir --outputs %t/none/y.npz 2>&1 | FileCheck %s --check-prefix=OUTPUT

// NOFILE: error: cannot open input file '{{.*}}none.mlir': No such file or directory
// FOLDER: error: cannot open input file
// TRUNCATED: truncated.mlir:2:{{[0-9]+}}: error: expected
// ENTRY: error: no function 'missing' with a body; there is 'main', 'memref'
// DECLARED: error: no function 'declared' with a body
// NOFUNC: error: no function 'main' with a body; there is none
// MEMREF: main.mlir:[[#]]:[[#]]: error: 'func.func' op has argument #1 ('y') of type 'memref<2xf32>'; only ranked tensors and scalars
// UNRANKED: error: 'func.func' op has argument #0 ('x') of type 'tensor<*xf32>'; only ranked tensors and scalars
// I8: error: 'func.func' op has result #0 ('result0') of type 'tensor<2xi8>'; only ranked tensors and scalars of f64, f32, f16, bf16, i64, i32, i1 and index can be passed
// ENCODED: error: 'func.func' op has argument #0 ('x') of type 'tensor<2xf32, "dense">'; only
// SAME: error: 'func.func' op has two arguments named 'x'; the attribute 'lstm.name' gives other names
// BADNAME: error: 'func.func' op expects 'lstm.name' of argument #0 to be a name, but got 3 : i64
// UNRESOLVED: error: {{.*}}declared
// CUDA: error: no CUDA driver: {{.*}}none.so
// TARGET: error: unknown target 'tpu'; the targets are 'cpu' and 'cuda'
// REPEAT: error: expects --repeat to be 1 or more, but got 0
// THREADS: error: expects --threads to be 1 or more, but got 0
// TOLERANCE: error: --tolerance needs --expect
// NEGATIVE: error: expects --tolerance to be 0 or more
// TWO: error: expects one program, but got
// NOPROGRAM: Not enough positional command line arguments
// TIMING: error: '{{.*}}none/t.json': No such file or directory
// OUTPUT: error: '{{.*}}none/y.npz': cannot be written: {{.*}}No such file or directory

//--- truncated.mlir
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2x
//--- empty.mlir
module {}
//--- main.mlir
func.func @main() -> f32 {
  %0 = arith.constant 1.0 : f32
  return %0 : f32
}
func.func private @declared(f32) -> f32
func.func @memref(%x: f32, %y: memref<2xf32>) {
  return
}
func.func @unranked(%x: tensor<*xf32>) {
  return
}
func.func @i8() -> tensor<2xi8> {
  %0 = arith.constant dense<1> : tensor<2xi8>
  return %0 : tensor<2xi8>
}
func.func @encoded(%x: tensor<2xf32, "dense">) {
  return
}
func.func @same(%x: f32, %y: f32 {lstm.name = "x"}) {
  return
}
func.func @badname(%x: f32 {lstm.name = 3}) {
  return
}
func.func @calls() -> f32 {
  %0 = arith.constant 1.0 : f32
  %1 = func.call @declared(%0) : (f32) -> f32
  return %1 : f32
}
