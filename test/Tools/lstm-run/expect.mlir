// Comparing results: absolute and relative tolerance, NaN, infinities, integers, other types.

// RUN: split-file %s %t
// RUN: cd %t && %python arrays.py
// RUN: cd %t && lstm-run main.mlir --inputs x.npz --expect same.npz --tolerance 0 | count 0
// RUN: cd %t && lstm-run main.mlir --inputs x.npz --expect near.npz | count 0
// RUN: cd %t && lstm-run main.mlir --inputs x.npz --expect double.npz --tolerance 0 | count 0
// RUN: cd %t && lstm-run main.mlir --inputs x.npz --expect some.npz | count 0
// RUN: cd %t && lstm-run single.mlir --inputs x.npy --expect x.npy | count 0

// RUN: cd %t && not lstm-run main.mlir --inputs x.npz --expect near.npz --tolerance 1e-7 2>&1 | FileCheck %s --check-prefix=NEAR
// RUN: cd %t && not lstm-run main.mlir --inputs x.npz --expect far.npz 2>&1 | FileCheck %s --check-prefix=FAR
// RUN: cd %t && not lstm-run main.mlir --inputs x.npz --expect nan.npz --tolerance 1e9 2>&1 | FileCheck %s --check-prefix=NAN
// RUN: cd %t && not lstm-run main.mlir --inputs x.npz --expect inf.npz --tolerance 1e9 2>&1 | FileCheck %s --check-prefix=INF
// RUN: cd %t && not lstm-run main.mlir --inputs x.npz --expect int.npz --tolerance 1 2>&1 | FileCheck %s --check-prefix=INT
// RUN: cd %t && not lstm-run main.mlir --inputs x.npz --expect shape.npz 2>&1 | FileCheck %s --check-prefix=SHAPE
// RUN: cd %t && not lstm-run main.mlir --inputs x.npz --expect extra.npz 2>&1 | FileCheck %s --check-prefix=EXTRA
// RUN: cd %t && not lstm-run main.mlir --inputs x.npz --expect empty.npz 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: cd %t && not lstm-run main.mlir --inputs x.npz --expect none.npz 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: cd %t && not lstm-run main.mlir --inputs x.npz --expect x.npy 2>&1 | FileCheck %s --check-prefix=NPY
// RUN: cd %t && not lstm-run main.mlir --inputs x.npz --expect text.npz 2>&1 | FileCheck %s --check-prefix=TEXT

// NEAR: error: result 'y' at [1, 0] is 100, but 'near.npz' has 100.0005 (tolerance 1e-07; 1 of 6 elements differ, by 0.000{{[0-9]+}} at most)
// FAR: error: result 'y' at [0, 1] is 1, but 'far.npz' has 1.5 (tolerance 1e-05; 2 of 6 elements differ, by 50 at most)
// FAR-NEXT: error: result 'n' at [] is 9007199254740993, but 'far.npz' has 5 (
// NAN: error: result 'y' at [0, 0] is 0, but 'nan.npz' has nan (
// INF: error: result 'y' at [2, 0] is inf, but 'inf.npz' has 1 (
// INT: error: result 'n' at [] is 9007199254740993, but 'int.npz' has 9007199254740992 (
// SHAPE: error: result 'y' has shape 3x2, but 'shape.npz' has 2x3
// SHAPE-NEXT: error: result 'n' has shape (), but 'shape.npz' has 1
// EXTRA: error: 'extra.npz' has an array 'z', but the function has no such result
// EMPTY: error: 'empty.npz': holds no array to compare with
// NONE: error: 'none.npz': No such file or directory
// NPY: error: 'x.npy': a .npy file is for a function with one result; this one has 2
// TEXT: error: 'text.npz': array 'y': elements of type '<U1' are not supported

//--- main.mlir

func.func @main(%x: tensor<3x2xf32>, %n: tensor<i64>) -> (tensor<3x2xf32> {lstm.name = "y"}, tensor<i64> {lstm.name = "n"}) {
  return %x, %n : tensor<3x2xf32>, tensor<i64>
}

//--- single.mlir

func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32> {lstm.name = "y"}) {
  return %x : tensor<2xf32>
}

//--- arrays.py

import numpy as np

x = np.float32([[0, 1], [100, np.nan], [np.inf, -np.inf]])
n = np.array(2**53 + 1)
np.savez("x.npz", x=x, n=n)
np.savez("same.npz", y=x, n=n)
np.savez("double.npz", y=x.astype(np.float64), n=n)
np.savez("some.npz", y=x)


def changed(name, row, column, value, **more):
    y = x.copy()
    y[row, column] = value
    np.savez(name + ".npz", y=y, **more)


changed("near", 1, 0, 100.0005)
changed("nan", 0, 0, np.nan)
changed("inf", 2, 0, 1)
np.savez("int.npz", n=n - 1)
y = x.copy()
y[0, 1], y[1, 0] = 1.5, 50
np.savez("far.npz", y=y, n=np.array(5))
np.savez("shape.npz", y=x.reshape(2, 3), n=n.reshape(1))
np.savez("extra.npz", y=x, z=x)
np.savez("empty.npz")
np.savez("text.npz", y=np.array(["a"]))
np.save("x.npy", np.float32([1, np.nan]))
