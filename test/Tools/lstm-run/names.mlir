// Arrays meet their arguments by name or by position; what is left over on either side is named.

// RUN: split-file %s %t
// RUN: cd %t && %python arrays.py
// RUN: cd %t && lstm-run main.mlir --inputs xy.npz | FileCheck %s
// RUN: cd %t && lstm-run main.mlir --inputs x.npy y.npy | FileCheck %s
// RUN: cd %t && lstm-run --inputs x.npy y.npy main.mlir | FileCheck %s
// RUN: cd %t && lstm-run --inputs x.npy --inputs y.npy main.mlir | FileCheck %s
// RUN: cd %t && lstm-run main.mlir --inputs y=y.npy x=x.npy | FileCheck %s
// RUN: cd %t && lstm-run main.mlir --inputs x.npy y=y.npy | FileCheck %s
// RUN: cd %t && lstm-run main.mlir --inputs x.npz y=./y.npy | FileCheck %s
// RUN: cd %t && lstm-run main.mlir --inputs=x.npz --inputs=y=y.npy --outputs out.npz && %python arrays.py out.npz
// RUN: cd %t && lstm-run main.mlir --inputs xy.npz --outputs out2.npz && cmp out.npz out2.npz
// CHECK:      z: 2xf32
// CHECK-NEXT: [-9, -18]

// RUN: cd %t && not lstm-run main.mlir --inputs x.npy 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: cd %t && not lstm-run main.mlir 2>&1 | FileCheck %s --check-prefix=ALLMISSING
// RUN: cd %t && not lstm-run main.mlir --inputs empty.npz 2>&1 | FileCheck %s --check-prefix=ALLMISSING
// RUN: cd %t && not lstm-run main.mlir --inputs xyw.npz v=x.npy 2>&1 | FileCheck %s --check-prefix=EXTRA
// RUN: cd %t && not lstm-run main.mlir --inputs x.npy y.npy x.npy 2>&1 | FileCheck %s --check-prefix=EXTRANPY
// RUN: cd %t && not lstm-run main.mlir --inputs x.npy w=x.npy 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: cd %t && not lstm-run main.mlir --inputs xy.npz x.npz 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: cd %t && not lstm-run main.mlir --inputs x=xy.npz 2>&1 | FileCheck %s --check-prefix=NAMED
// MISSING: error: the inputs lack 'y': tensor<?xf32>{{$}}
// ALLMISSING: error: the inputs lack 'x': tensor<2xf32>, 'y': tensor<?xf32>{{$}}
// EXTRA: error: @main has no argument for 'w' (in 'xyw.npz'), 'v' (in 'x.npy'){{$}}
// EXTRANPY: error: @main has no argument for '#2' (in 'x.npy'){{$}}
// BOTH: error: the inputs lack 'y': tensor<?xf32>; @main has no argument for 'w' (in 'x.npy'){{$}}
// TWICE: error: argument 'x' is given twice: in 'xy.npz' and in 'x.npz'
// NAMED: error: 'xy.npz': an archive's arrays have names already

//--- main.mlir

func.func @main(%x: tensor<2xf32>, %1: tensor<?xf32> {lstm.name = "y"}) -> (tensor<2xf32> {lstm.name = "z"}) {
  %y = tensor.cast %1 : tensor<?xf32> to tensor<2xf32>
  %z = arith.subf %x, %y : tensor<2xf32>
  return %z : tensor<2xf32>
}

//--- arrays.py

import sys
import numpy as np

if len(sys.argv) == 1:
    x = np.float32([1, 2])
    y = np.float32([10, 20])
    np.save("x.npy", x)
    np.save("y.npy", y)
    np.savez("x.npz", x=x)
    np.savez("xy.npz", x=x, y=y)
    np.savez("xyw.npz", x=x, y=y, w=y)
    np.savez("empty.npz")
else:
    out = np.load(sys.argv[1])
    assert list(out) == ["z"] and out["z"].tolist() == [-9, -18]
