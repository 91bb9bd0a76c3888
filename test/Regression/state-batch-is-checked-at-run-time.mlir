// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %python -c "import numpy as np; np.savez('%t.npz', x=np.ones((5, 3), np.float32), h=np.ones((2, 4), np.float32))"
// RUN: not lstm-run %s --inputs %t.npz --outputs %t.out.npz 2>&1 | FileCheck %s
// RUN: not lstm-run %s --inputs %t.npz --outputs %t.out.npz --no-optimize 2>&1 | FileCheck %s
//
// Five rows of input beside two of the state, both known at run time only.

// CHECK: state-batch-is-checked-at-run-time.mlir:{{[0-9]+}}:{{[0-9]+}}: error:
// CHECK-SAME: {{5.*2|2.*5}}

func.func @main(%x: tensor<?x3xf32>, %h: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %W = arith.constant dense<0.5> : tensor<3x3x4xf32>
  %U = arith.constant dense<0.25> : tensor<4x3x4xf32>
  %h1 = lstm.gru_cell reset_after input(%x, %W : tensor<?x3xf32>, tensor<3x3x4xf32>)
      state(%h, %U : tensor<?x4xf32>, tensor<4x3x4xf32>)
  return %h1 : tensor<?x4xf32>
}
