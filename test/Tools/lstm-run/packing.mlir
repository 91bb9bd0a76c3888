// With --repeat weights are packed once, for all calls: the results are the same bits as of one call, and the
// time of packing stands in a field of its own.

// RUN: split-file %s %t
// RUN: cd %t && %python arrays.py
// RUN: cd %t && lstm-run main.mlir --inputs x.npz --outputs once.npz --timing-json once.json
// RUN: cd %t && lstm-run main.mlir --inputs x.npz --expect once.npz --tolerance 0 --repeat 3 --threads 2 --timing-json times.json 2>&1 \
// RUN:   | FileCheck %s
// RUN: FileCheck %s --input-file=%t/times.json --check-prefix=PACKED
// RUN: FileCheck %s --input-file=%t/once.json --check-prefix=ONCE

// CHECK: median
// PACKED: "pack_us":
// PACKED: "run_us": [
// ONCE-NOT: pack_us

// The weights of the product in the loop come from two arguments, of which one is used for something else, too.

//--- main.mlir

func.func @main(%x: tensor<?x?x3x10xf32>, %h0: tensor<?x10xf32>, %U: tensor<10x3x10xf32>, %V: tensor<10x3x10xf32>)
    -> (tensor<?x10xf32>, tensor<10x3x10xf32>) {
  %c0 = arith.constant 0 : index
  %B = tensor.dim %h0, %c0 : tensor<?x10xf32>
  %e = tensor.empty(%B) : tensor<?x10xf32>
  %W = arith.addf %U, %V : tensor<10x3x10xf32>
  %twice = arith.addf %V, %V : tensor<10x3x10xf32>
  %hT = lstm.recurrence over(%xt = %x : tensor<?x?x3x10xf32>) init(%h = %h0 : tensor<?x10xf32>) {
    %h1 = lstm.phase project(%h, %W : tensor<?x10xf32>, tensor<10x3x10xf32>)
        ins(%xt[r, g, u] : tensor<?x3x10xf32>) outs(%e : tensor<?x10xf32>) {
    ^bb0(%z0: f32, %z1: f32, %z2: f32, %p0: f32, %p1: f32, %p2: f32, %old: f32):
      %0 = arith.addf %z0, %p1 : f32
      %1 = arith.mulf %z1, %p2 : f32
      %2 = arith.addf %0, %1 : f32
      %3 = arith.addf %2, %z2 : f32
      %4 = math.tanh %3 : f32
      %5 = arith.addf %4, %p0 : f32
      lstm.yield %5 : f32
    }
    lstm.yield state(%h1 : tensor<?x10xf32>)
  }
  return %hT, %twice : tensor<?x10xf32>, tensor<10x3x10xf32>
}

//--- arrays.py

import numpy as np

rng = np.random.default_rng(3)
shapes = {"x": (4, 7, 3, 10), "h0": (7, 10), "U": (10, 3, 10), "V": (10, 3, 10)}
np.savez("x.npz", **{name: rng.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()})
