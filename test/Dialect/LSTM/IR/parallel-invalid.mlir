// RUN: lstm-opt %s --split-input-file --verify-diagnostics

func.func @arguments() {
  // expected-error @below {{'lstm.parallel' op expects region arguments (i64, i64), the thread and how many there are, but got ('index') (parallel_c1)}}
  lstm.parallel {
  ^bb0(%thread: index):
    lstm.yield
  }
  return
}

// -----

func.func @operands(%x: f32) {
  lstm.parallel {
  ^bb0(%thread: i64, %count: i64):
    // expected-error @below {{'lstm.yield' op expects no operands in a parallel region, but got 1 (parallel_c2)}}
    lstm.yield %x : f32
  }
  return
}

// -----

func.func @alone() {
  // expected-error @below {{'lstm.barrier' op expects to be in a 'lstm.parallel' (barrier_c1)}}
  lstm.barrier
  return
}
