// RUN: lstm-opt %s --split-input-file --verify-diagnostics

func.func @c1(%h0: tensor<4x8xf32>) {
  // expected-error @below {{expects either 'over' or 'steps', but got neither (recurrence_c1)}}
  %0 = lstm.recurrence init(%h = %h0 : tensor<4x8xf32>) {
    lstm.yield state(%h : tensor<4x8xf32>)
  }
  return
}
// -----
func.func @c1_both(%xs: tensor<7x4x8xf32>, %n: index) {
  // expected-error @below {{expects either 'over' or 'steps', but got both (recurrence_c1)}}
  lstm.recurrence over(%x = %xs : tensor<7x4x8xf32>) steps(%n : index) {
    lstm.yield
  }
  return
}
// -----
func.func @c1_negative(%h0: tensor<4x8xf32>) {
  %n = arith.constant -3 : index
  // expected-error @below {{expects 'steps' to be at least 0, but got -3 (recurrence_c1)}}
  %0 = lstm.recurrence init(%h = %h0 : tensor<4x8xf32>) steps(%n : index) {
    lstm.yield state(%h : tensor<4x8xf32>)
  }
  return
}
// -----
func.func @c2(%xs: tensor<7x4x8xf32>) {
  // expected-error @below {{expects 'reversed' to have 1 elements, one for each sequence, state and output, but got 2 (recurrence_c2)}}
  "lstm.recurrence"(%xs) <{operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>, reversed = array<i1: false, true>, unmasked = array<i1>}> ({
  ^bb0(%x: tensor<4x8xf32>):
    "lstm.yield"() <{operandSegmentSizes = array<i32: 0, 0, 0>}> : () -> ()
  }) : (tensor<7x4x8xf32>) -> ()
  return
}
// -----
func.func @c2_unmasked(%xs: tensor<7x4x8xf32>) {
  // expected-error @below {{expects 'unmasked' to have 0 elements, one for each state, but got 1 (recurrence_c2)}}
  "lstm.recurrence"(%xs) <{operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>, reversed = array<i1: false>, unmasked = array<i1: true>}> ({
  ^bb0(%x: tensor<4x8xf32>):
    "lstm.yield"() <{operandSegmentSizes = array<i32: 0, 0, 0>}> : () -> ()
  }) : (tensor<7x4x8xf32>) -> ()
  return
}
// -----
func.func @c3(%xs: tensor<7x4x8xf32>, %y: tensor<f32>, %k: tensor<f32>) {
  // expected-error @below {{expects output #0 to have a time axis, but got 'tensor<f32>' (recurrence_c3)}}
  %0 = lstm.recurrence over(%x = %xs : tensor<7x4x8xf32>) outs(%y : tensor<f32>) {
    lstm.yield out(%k : tensor<f32>)
  }
  return
}
// -----
func.func @c3_sequence(%xs: tensor<f32>) {
  // expected-error @below {{expected a sequence of type tensor<T x ...>, but got 'tensor<f32>'}}
  lstm.recurrence over(%x = %xs : tensor<f32>) {
    lstm.yield
  }
  return
}
// -----
func.func @c4(%xs: tensor<7x4x8xf32>, %len: tensor<4xi64>) {
  // expected-error @below {{expects 'lengths' to be tensor<B x i32>, but got 'tensor<4xi64>' (recurrence_c4)}}
  lstm.recurrence over(%x = %xs : tensor<7x4x8xf32>) lengths(%len : tensor<4xi64>) {
    lstm.yield
  }
  return
}
// -----
func.func @c4_rank(%xs: tensor<7x4x8xf32>, %len: tensor<4x1xi32>) {
  // expected-error @below {{expects 'lengths' to be tensor<B x i32>, but got 'tensor<4x1xi32>' (recurrence_c4)}}
  lstm.recurrence over(%x = %xs : tensor<7x4x8xf32>) lengths(%len : tensor<4x1xi32>) {
    lstm.yield
  }
  return
}
// -----
func.func @c5(%xs: tensor<7x4x8xf32>, %us: tensor<?x4x3xf32>, %ys: tensor<6x4x8xf32>) {
  // expected-error @below {{expects output #0 to have time size 7 as sequence #0, but got 6 (recurrence_c5)}}
  %0 = lstm.recurrence over(%x = %xs, %u = %us : tensor<7x4x8xf32>, tensor<?x4x3xf32>) outs(%ys : tensor<6x4x8xf32>) {
    lstm.yield out(%x : tensor<4x8xf32>)
  }
  return
}
// -----
func.func @c6(%xs: tensor<?x5x3xf32>, %h0: tensor<2x4xf32>) {
  // expected-error @below {{expects state #0 to have batch 5 as sequence #0, but got 2 (recurrence_c6)}}
  %0 = lstm.recurrence over(%x = %xs : tensor<?x5x3xf32>) init(%h = %h0 : tensor<2x4xf32>) {
    lstm.yield state(%h : tensor<2x4xf32>)
  }
  return
}
// -----
func.func @c6_lengths(%xs: tensor<?x5x3xf32>, %len: tensor<6xi32>) {
  // expected-error @below {{expects sequence #0 to have batch 6 as 'lengths', but got 5 (recurrence_c6)}}
  lstm.recurrence over(%x = %xs : tensor<?x5x3xf32>) lengths(%len : tensor<6xi32>) {
    lstm.yield
  }
  return
}
// -----
func.func @c7(%xs: tensor<?x5x3xf32>, %n0: f32, %len: tensor<5xi32>) {
  // expected-error @below {{expects state #0 to be a tensor with a batch dimension, or 'unmasked', since there are 'lengths', but got 'f32' (recurrence_c7)}}
  %0 = lstm.recurrence over(%x = %xs : tensor<?x5x3xf32>) init(%n = %n0 : f32) lengths(%len : tensor<5xi32>) {
    lstm.yield state(%n : f32)
  }
  return
}
// -----
func.func @c7_output(%xs: tensor<?x5x3xf32>, %len: tensor<5xi32>, %k: tensor<f32>, %ks: tensor<?xf32>) {
  // expected-error @below {{expects output #0 to have a batch dimension, since there are 'lengths', but got 'tensor<?xf32>' (recurrence_c7)}}
  %0 = lstm.recurrence over(%x = %xs : tensor<?x5x3xf32>) lengths(%len : tensor<5xi32>) outs(%ks : tensor<?xf32>) {
    lstm.yield out(%k : tensor<f32>)
  }
  return
}
// -----
func.func @c8(%xs: tensor<3x2x1xf32>) {
  %len = arith.constant dense<[0, 4]> : tensor<2xi32>
  // expected-error @below {{expects lengths[1] to be in 0...3, but got 4 (recurrence_c8)}}
  lstm.recurrence over(%x = %xs : tensor<3x2x1xf32>) lengths(%len : tensor<2xi32>) {
    lstm.yield
  }
  return
}
// -----
func.func @c9(%xs: tensor<7x4x8xf32>) {
  // expected-error @below {{expects 1 region arguments, one for each sequence and state, but got 0 (recurrence_c9)}}
  "lstm.recurrence"(%xs) <{operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>, reversed = array<i1: false>, unmasked = array<i1>}> ({
  ^bb0:
    "lstm.yield"() <{operandSegmentSizes = array<i32: 0, 0, 0>}> : () -> ()
  }) : (tensor<7x4x8xf32>) -> ()
  return
}
// -----
func.func @c9_type(%xs: tensor<7x4x8xf32>) {
  // expected-error @below {{expects region argument #0 to have type 'tensor<4x8xf32>', but got 'tensor<4x9xf32>' (recurrence_c9)}}
  "lstm.recurrence"(%xs) <{operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>, reversed = array<i1: false>, unmasked = array<i1>}> ({
  ^bb0(%x: tensor<4x9xf32>):
    "lstm.yield"() <{operandSegmentSizes = array<i32: 0, 0, 0>}> : () -> ()
  }) : (tensor<7x4x8xf32>) -> ()
  return
}
// -----
func.func @c10(%xs: tensor<7x4x8xf32>, %ys: tensor<7x4x8xf32>) {
  // expected-error @below {{expects its body to yield 1 outputs, but got 0 (recurrence_c10)}}
  %0 = lstm.recurrence over(%x = %xs : tensor<7x4x8xf32>) outs(%ys : tensor<7x4x8xf32>) {
    lstm.yield
  }
  return
}
// -----
func.func @c10_scalars(%xs: tensor<7x4x8xf32>) {
  // expected-error @below {{expects its body to end with 'lstm.yield state(...) out(...)' (recurrence_c10)}}
  lstm.recurrence over(%x = %xs : tensor<7x4x8xf32>) {
    lstm.yield %x : tensor<4x8xf32>
  }
  return
}
// -----
func.func @c11(%xs: tensor<7x4x8xf32>, %h0: tensor<4x6xf32>) {
  // Upstream's check of region branches comes first and says the same of states.
  // expected-error @below {{'tensor<4x6xf32>'}}
  %0 = lstm.recurrence over(%x = %xs : tensor<7x4x8xf32>) init(%h = %h0 : tensor<4x6xf32>) {
    lstm.yield state(%x : tensor<4x8xf32>)
  }
  return
}
// -----
func.func @c11_output(%xs: tensor<7x4x8xf32>, %ys: tensor<7x4x6xf32>) {
  // expected-error @below {{expects output #0 to be yielded as 'tensor<4x6xf32>', but got 'tensor<4x8xf32>' (recurrence_c11)}}
  %0 = lstm.recurrence over(%x = %xs : tensor<7x4x8xf32>) outs(%ys : tensor<7x4x6xf32>) {
    lstm.yield out(%x : tensor<4x8xf32>)
  }
  return
}
// -----
func.func @check_c1(%ok: i1, %n: index) {
  // expected-error @below {{expects at most 3 values, but got 4 (check_c1)}}
  lstm.check %ok, "{0}"(%n, %n, %n, %n : index, index, index, index)
  return
}
