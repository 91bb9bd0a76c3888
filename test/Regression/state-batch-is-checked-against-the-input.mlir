// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %python -c "import numpy as np; np.savez('%t.npz', x=np.ones((3, 2, 1), np.float32), h0=np.ones((1, 1), np.float32))"
// RUN: not lstm-run %s --inputs %t.npz --outputs %t.out.npz 2>&1 | FileCheck %s
// RUN: not lstm-run %s --inputs %t.npz --outputs %t.out.npz --no-optimize 2>&1 | FileCheck %s
// RUN: %python -c "import numpy as np; np.savez('%t.npz', x=np.ones((3, 1, 1), np.float32), h0=np.ones((1, 1), np.float32))"
// RUN: lstm-run %s --inputs %t.npz --outputs %t.out.npz
//
// The state has one row for good, the input as many as come: two are refused before
// any work.

// CHECK: state-batch-is-checked-against-the-input.mlir:{{[0-9]+}}:{{[0-9]+}}: error:
// CHECK-SAME: batch

func.func @main(%x: tensor<?x?x1xf32>, %h0: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %W = arith.constant dense<1.0> : tensor<1x1xf32>
  %U = arith.constant dense<0.5> : tensor<1x1xf32>
  %hT = lstm.recurrence over(%xt = %x : tensor<?x?x1xf32>) init(%h = %h0 : tensor<1x1xf32>) {
    %h1 = lstm.rnn_cell input(%xt, %W : tensor<?x1xf32>, tensor<1x1xf32>) state(%h, %U : tensor<1x1xf32>, tensor<1x1xf32>)
    lstm.yield state(%h1 : tensor<1x1xf32>)
  }
  return %hT : tensor<1x1xf32>
}
