// A network on real arrays: numbers, empty sizes, and what the generated code refuses before any work.

// RUN: split-file %s %t
// RUN: cd %t && %python arrays.py
// RUN: cd %t && lstm-run main.mlir --inputs x.npz weights.npz --expect y.npz --tolerance 1e-5 --repeat 3 2>&1 | FileCheck %s
// RUN: cd %t && lstm-run main.mlir --inputs x.npz weights.npz --expect y.npz --tolerance 1e-5 --no-optimize
// RUN: cd %t && lstm-run main.mlir --inputs x.npz weights.npz --expect y.npz --tolerance 1e-5 --vector-bits 128 --runtime-checks=false
// RUN: cd %t && lstm-run main.mlir --inputs x0.npz weights.npz --expect y0.npz
// RUN: cd %t && lstm-run main.mlir --inputs xb0.npz weights.npz --expect yb0.npz
// RUN: cd %t && not lstm-run main.mlir --inputs long.npz weights.npz --outputs none.npz 2>&1 | FileCheck %s --check-prefix=LONG
// RUN: cd %t && not lstm-run main.mlir --inputs negative.npz weights.npz --outputs none.npz 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: cd %t && not lstm-run main.mlir --inputs batch.npz weights.npz --outputs none.npz 2>&1 | FileCheck %s --check-prefix=BATCH
// RUN: cd %t && not ls none.npz

// CHECK: median {{.*}} us a call, {{.*}} us a step (5 steps)
// LONG: main.mlir:[[#]]:[[#]]: error: 'lstm.recurrence' op expects lengths[1] to be in 0...5, but got 6
// NEGATIVE: main.mlir:[[#]]:[[#]]: error: 'lstm.recurrence' op expects lengths[1] to be in 0...5, but got -1
// BATCH: main.mlir:[[#]]:[[#]]: error: 'lstm.recurrence' op expects state #0 to have batch 3, but got 4

//--- main.mlir

func.func @main(%x: tensor<?x?x7xf32>, %W: tensor<7x4x13xf32>, %U: tensor<13x4x13xf32>, %b: tensor<4x13xf32>,
                %h0: tensor<?x13xf32>, %c0: tensor<?x13xf32>, %len: tensor<?xi32>)
    -> (tensor<?x?x13xf32> {lstm.name = "ys"}, tensor<?x13xf32> {lstm.name = "hT"}, tensor<?x13xf32> {lstm.name = "cT"}) {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %T = tensor.dim %x, %i0 : tensor<?x?x7xf32>
  %B = tensor.dim %x, %i1 : tensor<?x?x7xf32>
  %ys0 = tensor.empty(%T, %B) : tensor<?x?x13xf32>
  %ys, %hT, %cT = lstm.recurrence over(%xt = %x : tensor<?x?x7xf32>)
      init(%h = %h0, %c = %c0 : tensor<?x13xf32>, tensor<?x13xf32>)
      lengths(%len : tensor<?xi32>) outs(%ys0 : tensor<?x?x13xf32>) {
    %h1, %c1 = lstm.cell input(%xt, %W : tensor<?x7xf32>, tensor<7x4x13xf32>) state(%h, %U : tensor<?x13xf32>, tensor<13x4x13xf32>)
        cell(%c : tensor<?x13xf32>) bias(%b : tensor<4x13xf32>)
    lstm.yield state(%h1, %c1 : tensor<?x13xf32>, tensor<?x13xf32>) out(%h1 : tensor<?x13xf32>)
  }
  return %ys, %hT, %cT : tensor<?x?x13xf32>, tensor<?x13xf32>, tensor<?x13xf32>
}

//--- arrays.py

import numpy as np

rng = np.random.default_rng(2)
T, B, K, H = 5, 3, 7, 13


def rand(*shape):
    return rng.uniform(-1, 1, shape).astype(np.float32)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


W, U, b = rand(K, 4, H), rand(H, 4, H), rand(4, H)
np.savez("weights.npz", W=W, U=U, b=b)
x = {"x": rand(T, B, K), "h0": rand(B, H), "c0": rand(B, H), "len": np.int32([5, 0, 3])}


def run(x, h0, c0, len):
    h, c = h0.astype(np.float64), c0.astype(np.float64)
    ys = np.zeros((*x.shape[:2], H))
    for t in range(x.shape[0]):
        i, f, g, o = np.moveaxis(np.einsum("bk,kgh->bgh", x[t], W) + np.einsum("bk,kgh->bgh", h, U) + b, 1, 0)
        c1 = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h1 = sigmoid(o) * np.tanh(c1)
        valid = (t < len)[:, None]
        h, c = np.where(valid, h1, h), np.where(valid, c1, c)
        ys[t] = np.where(valid, h1, 0)
    return {"ys": ys, "hT": h, "cT": c}


for name, arrays in {
    "": x,
    "0": x | {"x": rand(0, B, K), "len": np.zeros(B, np.int32)},
    "b0": {"x": rand(T, 0, K), "h0": rand(0, H), "c0": rand(0, H), "len": np.zeros(0, np.int32)},
}.items():
    np.savez(f"x{name}.npz", **arrays)
    np.savez(f"y{name}.npz", **run(**arrays))
np.savez("long.npz", **x | {"len": np.int32([5, 6, 3])})
np.savez("negative.npz", **x | {"len": np.int32([5, -1, 3])})
np.savez("batch.npz", **x | {"h0": rand(B + 1, H)})
