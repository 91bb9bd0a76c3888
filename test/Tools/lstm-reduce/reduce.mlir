// What fails to reach L1 is the cell in @g: all else goes.

// RUN: lstm-reduce %s -reduction-tree='traversal-mode=0 test=%S/Inputs/no-cell-on-l1.sh' | FileCheck %s

// CHECK-NOT: func.func @f
// CHECK: func.func @g
// CHECK-NOT: math.tanh
// CHECK: lstm.gru_cell
// CHECK-NOT: math.tanh
// CHECK-NOT: func.func @h

func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = math.tanh %x : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

func.func @g(%x: tensor<?x8xf32>, %W: tensor<8x3x16xf32>, %h: tensor<?x16xf32>,
             %U: tensor<16x3x16xf32>) -> tensor<?x16xf32> {
  %t = math.tanh %x : tensor<?x8xf32>
  %h1 = lstm.gru_cell reset_after input(%x, %W : tensor<?x8xf32>, tensor<8x3x16xf32>)
      state(%h, %U : tensor<?x16xf32>, tensor<16x3x16xf32>)
  return %h1 : tensor<?x16xf32>
}

func.func @h(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = math.tanh %x : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
