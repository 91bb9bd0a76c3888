// Column-major arrays of any rank are converted; the versions 1 to 3 of the format are read.

// RUN: split-file %s %t
// RUN: cd %t && %python arrays.py
// RUN: cd %t && lstm-run main.mlir --inputs fortran.npz --expect c.npz --tolerance 0
// RUN: cd %t && lstm-run main.mlir --inputs c.npz --expect fortran.npz --tolerance 0
// RUN: cd %t && lstm-run main.mlir --inputs a=v1.npy b=v2.npy c=v3.npy d=d.npy --expect c.npz --tolerance 0

//--- main.mlir

func.func @main(%a: tensor<?x?x?xf32>, %b: tensor<?x?xi1>, %c: tensor<2x1x3x2xf64>, %d: tensor<?x?xi32>)
    -> (tensor<?x?x?xf32> {lstm.name = "a"}, tensor<?x?xi1> {lstm.name = "b"}, tensor<2x1x3x2xf64> {lstm.name = "c"}, tensor<?x?xi32> {lstm.name = "d"}) {
  return %a, %b, %c, %d : tensor<?x?x?xf32>, tensor<?x?xi1>, tensor<2x1x3x2xf64>, tensor<?x?xi32>
}

//--- arrays.py

import numpy as np

rng = np.random.default_rng(1)
arrays = {
    "a": rng.standard_normal((3, 4, 5)).astype(np.float32),
    "b": rng.random((4, 7)) < 0.5,
    "c": rng.standard_normal((2, 1, 3, 2)),
    "d": np.zeros((0, 3), np.int32),
}
np.savez("c.npz", **arrays)
np.savez("fortran.npz", **{name: np.asfortranarray(a) for name, a in arrays.items()})
for name, version in (("a", 1), ("b", 2), ("c", 3)):
    with open(f"v{version}.npy", "wb") as file:
        np.lib.format.write_array(file, arrays[name], version=(version, 0))
np.save("d.npy", arrays["d"])
