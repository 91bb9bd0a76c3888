// Names: the attribute, the name in the source, the position. Nothing runs, no input is asked for.

// RUN: lstm-run %s --print-signature | FileCheck %s --check-prefix=MAIN --match-full-lines
// RUN: lstm-run %s --print-signature --entry empty | FileCheck %s --check-prefix=EMPTY --allow-empty
// RUN: lstm-run - --print-signature < %s | FileCheck %s --check-prefix=MAIN --match-full-lines
// RUN: mlir-opt %s --allow-unregistered-dialect -mlir-print-op-generic | lstm-run - --print-signature | FileCheck %s --check-prefix=GENERIC

// MAIN:      argument x: tensor<?x?x80xf32>
// MAIN-NEXT: argument arg1: tensor<f64>
// MAIN-NEXT: argument h.init$0: bf16
// MAIN-NEXT: argument lengths: tensor<?xi32>
// MAIN-NEXT: argument in text: index
// MAIN-NEXT: result ys: tensor<?x?x80xf32>
// MAIN-NEXT: result result1: i1
// MAIN-NOT:  {{.}}
func.func @main(%x: tensor<?x?x80xf32>, %0: tensor<f64>, %h.init$0: bf16,
    %len: tensor<?xi32> {lstm.name = "lengths"}, %other: index {lstm.name = "in text"})
    -> (tensor<?x?x80xf32> {lstm.name = "ys"}, i1) {
  %true = arith.constant true
  return %x, %true : tensor<?x?x80xf32>, i1
}

// Text that the printer made has names of its own.
// GENERIC:      argument arg0: tensor<?x?x80xf32>
// GENERIC-NEXT: argument arg1: tensor<f64>
// GENERIC-NEXT: argument arg2: bf16
// GENERIC-NEXT: argument lengths: tensor<?xi32>

// EMPTY-NOT: {{.}}
func.func @empty() {
  return
}
