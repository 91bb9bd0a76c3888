// A pipeline of one's own, and what happens if it does not lead to a function that can be called.

// RUN: %python -c "import numpy; numpy.save('%t.npy', numpy.float32([1, -2]))"
// RUN: lstm-run %s --inputs %t.npy --pass-pipeline="builtin.module(one-shot-bufferize{bufferize-function-boundaries}, expand-strided-metadata, convert-to-llvm, reconcile-unrealized-casts)" \
// RUN:   | FileCheck %s
// RUN: not lstm-run %s --inputs %t.npy --pass-pipeline="builtin.module(cse)" 2>&1 | FileCheck %s --check-prefix=NOTLLVM
// RUN: not lstm-run %s --inputs %t.npy --pass-pipeline="builtin.module(no-such-pass)" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not lstm-run %s --inputs %t.npy --pass-pipeline="func.func(cse)" 2>&1 | FileCheck %s --check-prefix=ANCHOR
// RUN: not lstm-run %s --inputs %t.npy --pass-pipeline="builtin.module(one-shot-bufferize{bufferize-function-boundaries}, buffer-results-to-out-params{modify-public-functions}, expand-strided-metadata, convert-to-llvm, reconcile-unrealized-casts)" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=INTERFACE
// RUN: not lstm-run %s --inputs %t.npy --pass-pipeline="builtin.module(cse)" --no-optimize 2>&1 | FileCheck %s --check-prefix=OPTION

// The result has a layout that is not known, and shares its memory with the argument.
// CHECK:      result0: 2xf32
// CHECK-NEXT: [1, -2]
// NOTLLVM: error: the pass pipeline leaves no function @main in the LLVM dialect with a C interface
// UNKNOWN: 'no-such-pass' does not refer to a registered pass or pass pipeline
// ANCHOR: error: the pass pipeline must be one of 'builtin.module(...)'
// INTERFACE: error: the pass pipeline gives @main the type {{.*}}void{{.*}}; expected {{.*}}struct
// OPTION: error: --no-optimize, --vector-bits, --activations and --runtime-checks are options of the default pipeline
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
