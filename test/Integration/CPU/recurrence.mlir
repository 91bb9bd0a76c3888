// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %python %S/check.py op %s

func.func @running_sum(%x: tensor<?x?x9xf32>, %h0: tensor<?x9xf32>, %len: tensor<?xi32>)
    -> (tensor<?x?x9xf32>, tensor<?x9xf32>) {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %T = tensor.dim %x, %i0 : tensor<?x?x9xf32>
  %B = tensor.dim %x, %i1 : tensor<?x?x9xf32>
  %ys0 = tensor.empty(%T, %B) : tensor<?x?x9xf32>
  %ys, %hT = lstm.recurrence over(%xt = %x : tensor<?x?x9xf32>) init(%h = %h0 : tensor<?x9xf32>)
      lengths(%len : tensor<?xi32>) outs(%ys0 : tensor<?x?x9xf32>) {
    %h1 = arith.addf %h, %xt : tensor<?x9xf32>
    lstm.yield state(%h1 : tensor<?x9xf32>) out(%h1 : tensor<?x9xf32>)
  }
  return %ys, %hT : tensor<?x?x9xf32>, tensor<?x9xf32>
}

// -----

// The output belongs to the old state, not to the new one.
func.func @reverse_old_state(%x: tensor<?x?x9xf32>, %h0: tensor<?x9xf32>, %len: tensor<?xi32>, %ys0: tensor<?x?x9xf32>)
    -> (tensor<?x?x9xf32>, tensor<?x9xf32>) {
  %ys, %hT = lstm.recurrence over(%xt = %x : tensor<?x?x9xf32>) init(%h = %h0 : tensor<?x9xf32>)
      lengths(%len : tensor<?xi32>) reverse outs(%ys0 : tensor<?x?x9xf32>) {
    %y = arith.mulf %h, %xt : tensor<?x9xf32>
    %h1 = arith.subf %xt, %h : tensor<?x9xf32>
    lstm.yield state(%h1 : tensor<?x9xf32>) out(%y : tensor<?x9xf32>)
  }
  return %ys, %hT : tensor<?x?x9xf32>, tensor<?x9xf32>
}

// -----

// Without lengths every row runs all steps.
func.func @reverse_whole(%x: tensor<?x?x9xf32>, %h0: tensor<?x9xf32>, %ys0: tensor<?x?x9xf32>)
    -> (tensor<?x?x9xf32>, tensor<?x9xf32>) {
  %ys, %hT = lstm.recurrence over(%xt = %x : tensor<?x?x9xf32>) init(%h = %h0 : tensor<?x9xf32>)
      reverse outs(%ys0 : tensor<?x?x9xf32>) {
    %h1 = arith.subf %xt, %h : tensor<?x9xf32>
    lstm.yield state(%h1 : tensor<?x9xf32>) out(%h1 : tensor<?x9xf32>)
  }
  return %ys, %hT : tensor<?x?x9xf32>, tensor<?x9xf32>
}

// -----

// Both directions in one loop.
func.func @both_directions(%x: tensor<?x?x9xf32>, %h0: tensor<?x9xf32>, %g0: tensor<?x9xf32>, %len: tensor<?xi32>,
                           %ys0: tensor<?x?x9xf32>, %zs0: tensor<?x?x9xf32>)
    -> (tensor<?x?x9xf32>, tensor<?x?x9xf32>, tensor<?x9xf32>, tensor<?x9xf32>) {
  %ys, %zs, %hT, %gT = lstm.recurrence
      over(%xt = %x, reverse %xb = %x : tensor<?x?x9xf32>, tensor<?x?x9xf32>)
      init(%h = %h0, reverse %g = %g0 : tensor<?x9xf32>, tensor<?x9xf32>)
      lengths(%len : tensor<?xi32>) outs(%ys0, reverse %zs0 : tensor<?x?x9xf32>, tensor<?x?x9xf32>) {
    %h1 = arith.addf %h, %xt : tensor<?x9xf32>
    %g1 = arith.subf %xb, %g : tensor<?x9xf32>
    lstm.yield state(%h1, %g1 : tensor<?x9xf32>, tensor<?x9xf32>) out(%h1, %g1 : tensor<?x9xf32>, tensor<?x9xf32>)
  }
  return %ys, %zs, %hT, %gT : tensor<?x?x9xf32>, tensor<?x?x9xf32>, tensor<?x9xf32>, tensor<?x9xf32>
}

// -----

// An accumulator of its own shape and a count run all steps, whatever the lengths.
func.func @unmasked(%x: tensor<?x?x9xf32>, %h0: tensor<?x9xf32>, %a0: tensor<3x7xf32>, %v: tensor<3x7xf32>,
                    %len: tensor<?xi32>) -> (tensor<?x9xf32>, tensor<3x7xf32>, index) {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %hT, %aT, %n = lstm.recurrence over(%xt = %x : tensor<?x?x9xf32>)
      init(%h = %h0, unmasked %a = %a0, unmasked %k = %i0 : tensor<?x9xf32>, tensor<3x7xf32>, index)
      lengths(%len : tensor<?xi32>) {
    %h1 = arith.addf %h, %xt : tensor<?x9xf32>
    %a1 = arith.addf %a, %v : tensor<3x7xf32>
    %k1 = arith.addi %k, %i1 : index
    lstm.yield state(%h1, %a1, %k1 : tensor<?x9xf32>, tensor<3x7xf32>, index)
  }
  return %hT, %aT, %n : tensor<?x9xf32>, tensor<3x7xf32>, index
}

// -----

// No sequence: the number of steps is given.
func.func @steps_alone(%n: index, %h0: tensor<?x9xf32>, %b: tensor<?x9xf32>, %ys0: tensor<?x?x9xf32>)
    -> (tensor<?x?x9xf32>, tensor<?x9xf32>) {
  %ys, %hT = lstm.recurrence init(%h = %h0 : tensor<?x9xf32>) steps(%n : index) outs(%ys0 : tensor<?x?x9xf32>) {
    %h1 = lstm.gate affine(0.5, 0.25) add(%h : tensor<?x9xf32>) add(%b : tensor<?x9xf32>) : tensor<?x9xf32>
    lstm.yield state(%h1 : tensor<?x9xf32>) out(%h1 : tensor<?x9xf32>)
  }
  return %ys, %hT : tensor<?x?x9xf32>, tensor<?x9xf32>
}

// -----

// The body uses what was computed in front of the loop.
func.func @captured(%x: tensor<?x?x9xf32>, %h0: tensor<?x13xf32>, %W: tensor<9x13xf32>, %b: tensor<13xf32>,
                    %len: tensor<?xi32>, %ys0: tensor<?x?x13xf32>) -> (tensor<?x?x13xf32>, tensor<?x13xf32>) {
  %two = arith.constant dense<2.0> : tensor<9x13xf32>
  %W2 = arith.mulf %W, %two : tensor<9x13xf32>
  %b2 = math.absf %b : tensor<13xf32>
  %ys, %hT = lstm.recurrence over(%xt = %x : tensor<?x?x9xf32>) init(%h = %h0 : tensor<?x13xf32>)
      lengths(%len : tensor<?xi32>) outs(%ys0 : tensor<?x?x13xf32>) {
    %h1 = lstm.gate tanh dot(%xt, %W2 : tensor<?x9xf32>, tensor<9x13xf32>)
        scale(%h, %b2 : tensor<?x13xf32>, tensor<13xf32>) : tensor<?x13xf32>
    lstm.yield state(%h1 : tensor<?x13xf32>) out(%h1 : tensor<?x13xf32>)
  }
  return %ys, %hT : tensor<?x?x13xf32>, tensor<?x13xf32>
}

// -----

func.func @states_change_places(%x: tensor<?x?x9xf32>, %a0: tensor<?x9xf32>, %b0: tensor<?x9xf32>, %len: tensor<?xi32>,
                                %ys0: tensor<?x?x9xf32>) -> (tensor<?x?x9xf32>, tensor<?x9xf32>, tensor<?x9xf32>) {
  %ys, %aT, %bT = lstm.recurrence over(%xt = %x : tensor<?x?x9xf32>)
      init(%a = %a0, %b = %b0 : tensor<?x9xf32>, tensor<?x9xf32>)
      lengths(%len : tensor<?xi32>) outs(%ys0 : tensor<?x?x9xf32>) {
    %s = arith.addf %a, %xt : tensor<?x9xf32>
    lstm.yield state(%b, %s : tensor<?x9xf32>, tensor<?x9xf32>) out(%a : tensor<?x9xf32>)
  }
  return %ys, %aT, %bT : tensor<?x?x9xf32>, tensor<?x9xf32>, tensor<?x9xf32>
}

// -----

// Rank 1 elements, and scalars that are carried.
func.func @scalars(%x: tensor<?x?xf32>, %h0: tensor<?xf32>, %ys0: tensor<?x?xf32>)
    -> (tensor<?x?xf32>, tensor<?xf32>, i64, f32) {
  %zero = arith.constant 0 : i64
  %three = arith.constant 3 : i64
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %ys, %hT, %kT, %fT = lstm.recurrence over(%xt = %x : tensor<?x?xf32>)
      init(%h = %h0, %k = %zero, %f = %one : tensor<?xf32>, i64, f32) outs(%ys0 : tensor<?x?xf32>) {
    %h1 = arith.addf %h, %xt : tensor<?xf32>
    %k1 = arith.addi %k, %three : i64
    %f1 = arith.mulf %f, %half : f32
    lstm.yield state(%h1, %k1, %f1 : tensor<?xf32>, i64, f32) out(%h1 : tensor<?xf32>)
  }
  return %ys, %hT, %kT, %fT : tensor<?x?xf32>, tensor<?xf32>, i64, f32
}

// -----

func.func @rank_four(%x: tensor<?x?x3x5xf32>, %h0: tensor<?x3x5xf32>, %len: tensor<?xi32>, %ys0: tensor<?x?x3x5xf32>)
    -> (tensor<?x?x3x5xf32>, tensor<?x3x5xf32>) {
  %ys, %hT = lstm.recurrence over(%xt = %x : tensor<?x?x3x5xf32>) init(%h = %h0 : tensor<?x3x5xf32>)
      lengths(%len : tensor<?xi32>) reverse outs(%ys0 : tensor<?x?x3x5xf32>) {
    %h1 = arith.subf %xt, %h : tensor<?x3x5xf32>
    lstm.yield state(%h1 : tensor<?x3x5xf32>) out(%h1 : tensor<?x3x5xf32>)
  }
  return %ys, %hT : tensor<?x?x3x5xf32>, tensor<?x3x5xf32>
}

// -----

// Tokens and flags.
func.func @integers(%x: tensor<?x?xi32>, %h0: tensor<?xi32>, %s0: tensor<?xi1>, %len: tensor<?xi32>,
                    %ys0: tensor<?x?xi32>) -> (tensor<?x?xi32>, tensor<?xi32>, tensor<?xi1>) {
  %five = arith.constant 5 : i32
  %i0 = arith.constant 0 : index
  %B = tensor.dim %h0, %i0 : tensor<?xi32>
  %fives = tensor.splat %five[%B] : tensor<?xi32>
  %ys, %hT, %sT = lstm.recurrence over(%xt = %x : tensor<?x?xi32>) init(%h = %h0, %s = %s0 : tensor<?xi32>, tensor<?xi1>)
      lengths(%len : tensor<?xi32>) outs(%ys0 : tensor<?x?xi32>) {
    %h1 = arith.addi %h, %xt : tensor<?xi32>
    %big = arith.cmpi sgt, %xt, %fives : tensor<?xi32>
    %s1 = arith.ori %s, %big : tensor<?xi1>
    lstm.yield state(%h1, %s1 : tensor<?xi32>, tensor<?xi1>) out(%h1 : tensor<?xi32>)
  }
  return %ys, %hT, %sT : tensor<?x?xi32>, tensor<?xi32>, tensor<?xi1>
}

// -----

// What is yielded is no new value: the element itself, a value from above, the old state.
func.func @passed_through(%x: tensor<?x?x9xf32>, %h0: tensor<?x9xf32>, %v: tensor<?x9xf32>, %len: tensor<?xi32>,
                          %ys0: tensor<?x?x9xf32>, %zs0: tensor<?x?x9xf32>, %ws0: tensor<?x?x9xf32>)
    -> (tensor<?x?x9xf32>, tensor<?x?x9xf32>, tensor<?x?x9xf32>, tensor<?x9xf32>) {
  %ys, %zs, %ws, %hT = lstm.recurrence over(%xt = %x : tensor<?x?x9xf32>) init(%h = %h0 : tensor<?x9xf32>)
      lengths(%len : tensor<?xi32>)
      outs(%ys0, %zs0, %ws0 : tensor<?x?x9xf32>, tensor<?x?x9xf32>, tensor<?x?x9xf32>) {
    lstm.yield state(%xt : tensor<?x9xf32>) out(%xt, %v, %h : tensor<?x9xf32>, tensor<?x9xf32>, tensor<?x9xf32>)
  }
  return %ys, %zs, %ws, %hT : tensor<?x?x9xf32>, tensor<?x?x9xf32>, tensor<?x?x9xf32>, tensor<?x9xf32>
}

// -----

// One value leaves as two states and two outputs.
func.func @leaves_twice(%x: tensor<?x?x9xf32>, %g0: tensor<?x9xf32>, %h0: tensor<?x9xf32>, %len: tensor<?xi32>,
                        %ys0: tensor<?x?x9xf32>, %zs0: tensor<?x?x9xf32>)
    -> (tensor<?x?x9xf32>, tensor<?x?x9xf32>, tensor<?x9xf32>, tensor<?x9xf32>) {
  %ys, %zs, %gT, %hT = lstm.recurrence over(%xt = %x : tensor<?x?x9xf32>)
      init(%g = %g0, %h = %h0 : tensor<?x9xf32>, tensor<?x9xf32>)
      lengths(%len : tensor<?xi32>) outs(%ys0, %zs0 : tensor<?x?x9xf32>, tensor<?x?x9xf32>) {
    %s = arith.subf %xt, %g : tensor<?x9xf32>
    %h1 = arith.mulf %s, %h : tensor<?x9xf32>
    lstm.yield state(%h1, %h1 : tensor<?x9xf32>, tensor<?x9xf32>) out(%h1, %h1 : tensor<?x9xf32>, tensor<?x9xf32>)
  }
  return %ys, %zs, %gT, %hT : tensor<?x?x9xf32>, tensor<?x?x9xf32>, tensor<?x9xf32>, tensor<?x9xf32>
}

// -----

// A recurrence in the body of another one.
func.func @nested(%n: index, %x: tensor<?x?x9xf32>, %h0: tensor<?x9xf32>, %ys0: tensor<?x?x9xf32>)
    -> (tensor<?x?x9xf32>, tensor<?x9xf32>) {
  %ys, %hT = lstm.recurrence over(%xt = %x : tensor<?x?x9xf32>) init(%h = %h0 : tensor<?x9xf32>)
      outs(%ys0 : tensor<?x?x9xf32>) {
    %h1 = lstm.recurrence init(%g = %h : tensor<?x9xf32>) steps(%n : index) {
      %g1 = lstm.gate affine(0.5, 0.25) add(%g : tensor<?x9xf32>) add(%xt : tensor<?x9xf32>) : tensor<?x9xf32>
      lstm.yield state(%g1 : tensor<?x9xf32>)
    }
    lstm.yield state(%h1 : tensor<?x9xf32>) out(%h1 : tensor<?x9xf32>)
  }
  return %ys, %hT : tensor<?x?x9xf32>, tensor<?x9xf32>
}

// -----

// Nothing is carried: padding of the output is 0 all the same.
func.func @no_state(%x: tensor<?x?x9xf32>, %len: tensor<?xi32>, %ys0: tensor<?x?x9xf32>) -> tensor<?x?x9xf32> {
  %ys = lstm.recurrence over(%xt = %x : tensor<?x?x9xf32>) lengths(%len : tensor<?xi32>) outs(%ys0 : tensor<?x?x9xf32>) {
    %y = lstm.gate softsign add(%xt : tensor<?x9xf32>) : tensor<?x9xf32>
    lstm.yield out(%y : tensor<?x9xf32>)
  }
  return %ys : tensor<?x?x9xf32>
}

// -----

// Two sequences of different width and type.
func.func @two_sequences(%x: tensor<?x?x9xf32>, %v: tensor<?x?x9xf64>, %h0: tensor<?x9xf64>, %len: tensor<?xi32>,
                         %ys0: tensor<?x?x9xf32>) -> (tensor<?x?x9xf32>, tensor<?x9xf64>) {
  %ys, %hT = lstm.recurrence over(%xt = %x, %vt = %v : tensor<?x?x9xf32>, tensor<?x?x9xf64>)
      init(%h = %h0 : tensor<?x9xf64>) lengths(%len : tensor<?xi32>) reverse outs(%ys0 : tensor<?x?x9xf32>) {
    %xd = arith.extf %xt : tensor<?x9xf32> to tensor<?x9xf64>
    %s = arith.addf %xd, %vt : tensor<?x9xf64>
    %h1 = arith.subf %s, %h : tensor<?x9xf64>
    %y = arith.truncf %h1 : tensor<?x9xf64> to tensor<?x9xf32>
    lstm.yield state(%h1 : tensor<?x9xf64>) out(%y : tensor<?x9xf32>)
  }
  return %ys, %hT : tensor<?x?x9xf32>, tensor<?x9xf64>
}
