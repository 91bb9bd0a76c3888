// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %python -c "import numpy as np; np.savez('%t.npz', x=np.ones((3, 2, 1), np.float32), h0=np.ones((2, 1), np.float32), len=np.array([2, 4], np.int32))"
// RUN: not lstm-run %s --inputs %t.npz --outputs %t.out.npz 2>&1 | FileCheck %s -DVALUE=4
// RUN: not lstm-run %s --inputs %t.npz --outputs %t.out.npz --no-optimize 2>&1 | FileCheck %s -DVALUE=4
// RUN: %python -c "import numpy as np; np.savez('%t.npz', x=np.ones((3, 2, 1), np.float32), h0=np.ones((2, 1), np.float32), len=np.array([2, -1], np.int32))"
// RUN: not lstm-run %s --inputs %t.npz --outputs %t.out.npz 2>&1 | FileCheck %s -DVALUE=-1
// RUN: not lstm-run %s --inputs %t.npz --outputs %t.out.npz --no-optimize 2>&1 | FileCheck %s -DVALUE=-1
// RUN: %python -c "import numpy as np; np.savez('%t.npz', x=np.ones((3, 2, 1), np.float32), h0=np.ones((2, 1), np.float32), len=np.array([2, 2147483647], np.int32))"
// RUN: not lstm-run %s --inputs %t.npz --outputs %t.out.npz 2>&1 | FileCheck %s -DVALUE=2147483647
// RUN: not lstm-run %s --inputs %t.npz --outputs %t.out.npz --no-optimize 2>&1 | FileCheck %s -DVALUE=2147483647
// RUN: %python -c "import numpy as np; np.savez('%t.npz', x=np.ones((3, 2, 1), np.float32), h0=np.ones((2, 1), np.float32), len=np.array([2, -2147483648], np.int32))"
// RUN: not lstm-run %s --inputs %t.npz --outputs %t.out.npz 2>&1 | FileCheck %s -DVALUE=-2147483648
// RUN: not lstm-run %s --inputs %t.npz --outputs %t.out.npz --no-optimize 2>&1 | FileCheck %s -DVALUE=-2147483648
//
// A length is at least 0 and at most T; the message names it.

// CHECK: lengths-outside-the-steps-are-refused.mlir:{{[0-9]+}}:{{[0-9]+}}: error:
// CHECK-SAME: [[VALUE]]

func.func @main(%x: tensor<?x?x1xf32>, %h0: tensor<?x1xf32>,
                %len: tensor<?xi32>) -> tensor<?x1xf32> {
  %hT = lstm.recurrence over(%xt = %x : tensor<?x?x1xf32>) init(%h = %h0 : tensor<?x1xf32>) lengths(%len : tensor<?xi32>) {
    %h1 = arith.addf %h, %xt : tensor<?x1xf32>
    lstm.yield state(%h1 : tensor<?x1xf32>)
  }
  return %hT : tensor<?x1xf32>
}
