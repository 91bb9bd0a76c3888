// RUN: not lstm-opt %s --lstm-verify-rung=rung=L1 2>&1 | FileCheck %s --check-prefix=L1
// RUN: not lstm-opt %s --lstm-verify-rung=rung=L2 2>&1 | FileCheck %s --check-prefix=L2
// RUN: not lstm-opt %s --lstm-verify-rung=rung=L3 2>&1 | FileCheck %s --check-prefix=L3
// RUN: not lstm-opt %s --lstm-verify-rung=rung=L4 2>&1 | FileCheck %s --check-prefix=L4
// RUN: not lstm-opt %s --lstm-verify-rung=rung=L5 2>&1 | FileCheck %s --check-prefix=L5
// RUN: lstm-opt %s --lstm-verify-rung=rung=L0 -o /dev/null
// RUN: lstm-opt %s --lstm-decompose-cells --lstm-verify-rung=rung=L1 -o /dev/null
// RUN: lstm-opt %s --lstm-to-phases --lstm-verify-rung=rung=L2 -o /dev/null
// RUN: lstm-opt %s --lstm-to-phases --lstm-lower-recurrence --lstm-verify-rung=rung=L3 -o /dev/null
// RUN: lstm-opt %s --lstm-to-llvm --lstm-verify-rung=rung=L4 -o /dev/null

// L1: verify-rung.mlir:[[# @LINE + 10]]:11: error: 'lstm.rnn_cell' op does not belong on rung L1
// L2: verify-rung.mlir:[[# @LINE + 9]]:11: error: 'lstm.rnn_cell' op does not belong on rung L2
// The first operation that does not belong.
// L3: verify-rung.mlir:[[# @LINE + 5]]:8: error: 'lstm.recurrence' op does not belong on rung L3
// L3-NOT: error:
// L4: verify-rung.mlir:[[# @LINE + 3]]:8: error: 'lstm.recurrence' op does not belong on rung L4
// L5: error: there is no rung 'L5': expects L0, L1, L2, L3 or L4
func.func @rnn(%xs: tensor<?x?x8xf32>, %W: tensor<8x16xf32>, %U: tensor<16x16xf32>, %h0: tensor<?x16xf32>) -> tensor<?x16xf32> {
  %h = lstm.recurrence over(%x = %xs : tensor<?x?x8xf32>) init(%s = %h0 : tensor<?x16xf32>) {
    // What stands in the body is looked at, too.
    %h1 = lstm.rnn_cell input(%x, %W : tensor<?x8xf32>, tensor<8x16xf32>)
        state(%s, %U : tensor<?x16xf32>, tensor<16x16xf32>)
    lstm.yield state(%h1 : tensor<?x16xf32>)
  }
  return %h : tensor<?x16xf32>
}
