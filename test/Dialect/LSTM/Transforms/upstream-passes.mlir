// What upstream's passes do with recurrences and gates.
// RUN: lstm-opt %s --pass-pipeline="builtin.module(func.func(loop-invariant-code-motion))" --split-input-file | FileCheck %s --check-prefix=LICM
// RUN: lstm-opt %s --cse --split-input-file | FileCheck %s --check-prefix=CSE
// RUN: lstm-opt %s --sccp --canonicalize --split-input-file | FileCheck %s --check-prefix=SCCP
// RUN: lstm-opt %s --inline --symbol-dce --split-input-file | FileCheck %s --check-prefix=INLINE

// What does not depend on the step leaves the loop.
// LICM-LABEL: func @invariant
// LICM: lstm.gate sigmoid dot(%arg1, %arg2
// LICM: lstm.recurrence
// LICM-NEXT: arith.addf
// LICM-NEXT: lstm.yield
func.func @invariant(%xs: tensor<?x4x8xf32>, %h0: tensor<4x8xf32>, %U: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %hT = lstm.recurrence over(%x = %xs : tensor<?x4x8xf32>) init(%h = %h0 : tensor<4x8xf32>) {
    %g = lstm.gate sigmoid dot(%h0, %U : tensor<4x8xf32>, tensor<8x8xf32>) : tensor<4x8xf32>
    %h1 = arith.addf %h, %g : tensor<4x8xf32>
    lstm.yield state(%h1 : tensor<4x8xf32>)
  }
  return %hT : tensor<4x8xf32>
}
// -----
// Equal gates, and equal recurrences, are one; an unused recurrence is none.
// CSE-LABEL: func @equal
// CSE-COUNT-1: lstm.recurrence
// CSE-NOT: lstm.recurrence
// CSE: return %[[R:.*]], %[[R]]
func.func @equal(%xs: tensor<?x4x8xf32>, %h0: tensor<4x8xf32>, %U: tensor<8x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %a = lstm.recurrence over(%x = %xs : tensor<?x4x8xf32>) init(%h = %h0 : tensor<4x8xf32>) reverse {
    %g = lstm.gate sigmoid dot(%h, %U : tensor<4x8xf32>, tensor<8x8xf32>) : tensor<4x8xf32>
    %k = lstm.gate sigmoid dot(%h, %U : tensor<4x8xf32>, tensor<8x8xf32>) : tensor<4x8xf32>
    %h1 = arith.addf %k, %g : tensor<4x8xf32>
    lstm.yield state(%h1 : tensor<4x8xf32>)
  }
  %b = lstm.recurrence over(%x = %xs : tensor<?x4x8xf32>) init(%h = %h0 : tensor<4x8xf32>) reverse {
    %g = lstm.gate sigmoid dot(%h, %U : tensor<4x8xf32>, tensor<8x8xf32>) : tensor<4x8xf32>
    %k = lstm.gate sigmoid dot(%h, %U : tensor<4x8xf32>, tensor<8x8xf32>) : tensor<4x8xf32>
    %h1 = arith.addf %k, %g : tensor<4x8xf32>
    lstm.yield state(%h1 : tensor<4x8xf32>)
  }
  %unused = lstm.recurrence over(%x = %xs : tensor<?x4x8xf32>) init(%h = %h0 : tensor<4x8xf32>) {
    lstm.yield state(%x : tensor<4x8xf32>)
  }
  return %a, %b : tensor<4x8xf32>, tensor<4x8xf32>
}
// -----
// A state that begins as a constant and stays it is that constant, inside and after the loop; one that changes is not.
// SCCP-LABEL: func @constant
// SCCP: %[[F:.*]] = arith.constant 5 : i32
// SCCP: lstm.recurrence {{.*}} init(%[[H:.*]] = %arg1, unmasked %[[N:.*]] = %{{.*}} : tensor<4x8xf32>, i32)
// SCCP: arith.addi %[[N]], %[[F]]
// SCCP: return %{{.*}}, %[[F]], %{{.*}}
func.func @constant(%xs: tensor<?x4x8xf32>, %h0: tensor<4x8xf32>) -> (tensor<4x8xf32>, i32, i32) {
  %five = arith.constant 5 : i32
  %hT, %kT, %nT = lstm.recurrence over(%x = %xs : tensor<?x4x8xf32>) init(%h = %h0, unmasked %k = %five, unmasked %n = %five : tensor<4x8xf32>, i32, i32) {
    %zero = arith.constant 0 : i32
    %k1 = arith.addi %k, %zero : i32
    %n1 = arith.addi %n, %k : i32
    %h1 = arith.addf %h, %x : tensor<4x8xf32>
    lstm.yield state(%h1, %k1, %n1 : tensor<4x8xf32>, i32, i32)
  }
  return %hT, %kT, %nT : tensor<4x8xf32>, i32, i32
}
// -----
// A user's own cell is a function.
// INLINE-LABEL: func @cell_as_function
// INLINE: lstm.recurrence
// INLINE-NOT: call
// INLINE: lstm.gate tanh
// INLINE-NOT: func private
func.func @cell_as_function(%xs: tensor<?x4x8xf32>, %h0: tensor<4x8xf32>, %U: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %hT = lstm.recurrence over(%x = %xs : tensor<?x4x8xf32>) init(%h = %h0 : tensor<4x8xf32>) {
    %h1 = func.call @cell(%x, %h, %U) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    lstm.yield state(%h1 : tensor<4x8xf32>)
  }
  return %hT : tensor<4x8xf32>
}
func.func private @cell(%x: tensor<4x8xf32>, %h: tensor<4x8xf32>, %U: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %0 = lstm.gate tanh dot(%h, %U : tensor<4x8xf32>, tensor<8x8xf32>) add(%x : tensor<4x8xf32>) : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
