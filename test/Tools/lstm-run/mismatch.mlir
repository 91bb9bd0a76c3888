// An array of another type or shape than its argument: both are said.

// RUN: split-file %s %t
// RUN: cd %t && %python arrays.py
// RUN: cd %t && not lstm-run main.mlir --inputs f64.npy 2>&1 | FileCheck %s --check-prefix=F64
// RUN: cd %t && not lstm-run main.mlir --inputs i32.npy 2>&1 | FileCheck %s --check-prefix=I32
// RUN: cd %t && not lstm-run main.mlir --inputs big.npy 2>&1 | FileCheck %s --check-prefix=BIG
// RUN: cd %t && not lstm-run main.mlir --inputs c64.npy 2>&1 | FileCheck %s --check-prefix=COMPLEX
// RUN: cd %t && not lstm-run main.mlir --inputs text.npy 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: cd %t && not lstm-run main.mlir --inputs rank.npy 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: cd %t && not lstm-run main.mlir --inputs size.npy 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: cd %t && not lstm-run main.mlir --inputs zero.npy 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: cd %t && not lstm-run main.mlir --inputs scalar.npy 2>&1 | FileCheck %s --check-prefix=SCALAR
// RUN: cd %t && not lstm-run main.mlir --entry index --inputs i32.npy 2>&1 | FileCheck %s --check-prefix=INDEX
// RUN: cd %t && not lstm-run main.mlir --entry bool --inputs i32.npy 2>&1 | FileCheck %s --check-prefix=BOOL
// RUN: cd %t && lstm-run main.mlir --inputs fortran.npy | FileCheck %s --check-prefix=FORTRAN

// F64: error: argument 'x' (in 'f64.npy'): expected elements of type f32, but got f64 ('<f8')
// I32: error: argument 'x' (in 'i32.npy'): expected elements of type f32, but got i32 ('<i4')
// BIG: error: argument 'x' (in 'big.npy'): big-endian elements ('>f4') are not supported
// COMPLEX: error: argument 'x' (in 'c64.npy'): elements of type '<c8' are not supported
// TEXT: error: argument 'x' (in 'text.npy'): elements of type '<U3' are not supported
// RANK: error: argument 'x' (in 'rank.npy'): expected tensor<?x3xf32>, but got shape 3{{$}}
// SIZE: error: argument 'x' (in 'size.npy'): expected tensor<?x3xf32>, but got shape 3x2{{$}}
// ZERO: error: argument 'x' (in 'zero.npy'): expected tensor<?x3xf32>, but got shape 3x0{{$}}
// SCALAR: error: argument 'x' (in 'scalar.npy'): expected tensor<?x3xf32>, but got shape (){{$}}
// INDEX: error: argument 'x' (in 'i32.npy'): expected elements of type index, but got i32 ('<i4')
// BOOL: error: argument 'x' (in 'i32.npy'): expected elements of type i1, but got i32 ('<i4')
// FORTRAN: result0: 2x3xf32
// FORTRAN-NEXT: [0, 1, 2],
// FORTRAN-NEXT: [3, 4, 5]

//--- main.mlir

func.func @main(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  return %x : tensor<?x3xf32>
}
func.func @index(%x: tensor<2x3xindex>) {
  return
}
func.func @bool(%x: tensor<2x3xi1>) {
  return
}

//--- arrays.py

import numpy as np

x = np.arange(6, dtype=np.float32).reshape(2, 3)
np.save("f64.npy", x.astype("<f8"))
np.save("i32.npy", x.astype("<i4"))
np.save("big.npy", x.astype(">f4"))
np.save("c64.npy", x.astype("<c8"))
np.save("text.npy", np.array([["abc"]]))
np.save("rank.npy", x[0])
np.save("size.npy", x.reshape(3, 2))
np.save("zero.npy", np.zeros((3, 0), np.float32))
np.save("scalar.npy", np.float32(1))
np.save("fortran.npy", np.asfortranarray(x))
