// RUN: lstm-opt %s --lstm-to-llvm | FileCheck %s
// RUN: lstm-opt %s --lstm-to-llvm=optimize=false | FileCheck %s
// RUN: lstm-opt %s --lstm-to-llvm=runtime-checks=false | FileCheck %s --check-prefix=UNCHECKED
// RUN: lstm-opt %s --lstm-to-phases | FileCheck %s --check-prefix=PHASES

// The product of the inputs leaves the loop, what is left is one phase.
// PHASES-LABEL: func.func @main(
// PHASES: lstm.phase project
// PHASES: lstm.recurrence
// PHASES: lstm.phase project
// PHASES-NOT: lstm.phase
// PHASES: lstm.yield state

// CHECK: llvm.func @lstmCheckFailed(!llvm.ptr, i64, i64, i64)
// CHECK-LABEL: llvm.func @main(
// CHECK-NOT: {{(builtin.unrealized|lstm\.|scf\.|memref\.|linalg\.)}}

// UNCHECKED-NOT: @lstmCheckFailed
func.func @main(%x: tensor<?x?x8xf32>, %W: tensor<8x4x16xf32>, %U: tensor<16x4x16xf32>, %b: tensor<4x16xf32>,
                %h0: tensor<?x16xf32>, %c0: tensor<?x16xf32>, %len: tensor<?xi32>)
    -> (tensor<?x?x16xf32>, tensor<?x16xf32>, tensor<?x16xf32>) {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %T = tensor.dim %x, %i0 : tensor<?x?x8xf32>
  %B = tensor.dim %x, %i1 : tensor<?x?x8xf32>
  %ys0 = tensor.empty(%T, %B) : tensor<?x?x16xf32>
  %ys, %hT, %cT = lstm.recurrence over(%xt = %x : tensor<?x?x8xf32>) init(%h = %h0, %c = %c0 : tensor<?x16xf32>, tensor<?x16xf32>)
      lengths(%len : tensor<?xi32>) outs(%ys0 : tensor<?x?x16xf32>) {
    %h1, %c1 = func.call @step(%xt, %W, %U, %b, %h, %c)
        : (tensor<?x8xf32>, tensor<8x4x16xf32>, tensor<16x4x16xf32>, tensor<4x16xf32>, tensor<?x16xf32>, tensor<?x16xf32>)
          -> (tensor<?x16xf32>, tensor<?x16xf32>)
    lstm.yield state(%h1, %c1 : tensor<?x16xf32>, tensor<?x16xf32>) out(%h1 : tensor<?x16xf32>)
  }
  return %ys, %hT, %cT : tensor<?x?x16xf32>, tensor<?x16xf32>, tensor<?x16xf32>
}

// A cell of the user's own is a function.
func.func private @step(%x: tensor<?x8xf32>, %W: tensor<8x4x16xf32>, %U: tensor<16x4x16xf32>, %b: tensor<4x16xf32>,
                        %h: tensor<?x16xf32>, %c: tensor<?x16xf32>) -> (tensor<?x16xf32>, tensor<?x16xf32>) {
  %h1, %c1 = lstm.cell input(%x, %W : tensor<?x8xf32>, tensor<8x4x16xf32>) state(%h, %U : tensor<?x16xf32>, tensor<16x4x16xf32>)
      cell(%c : tensor<?x16xf32>) bias(%b : tensor<4x16xf32>)
  return %h1, %c1 : tensor<?x16xf32>, tensor<?x16xf32>
}
