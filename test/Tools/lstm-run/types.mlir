// Every element type goes in and comes out, bit by bit; ranks 0 to 4, sizes that are static, dynamic and 0.

// RUN: split-file %s %t
// RUN: %python %t/arrays.py write %t
// RUN: lstm-run %t/main.mlir --inputs %t/x.npz --outputs %t/y.npz --expect %t/expected.npz --tolerance 0
// RUN: %python %t/arrays.py check %t
// RUN: lstm-run %t/main.mlir --entry twice --inputs %t/x2.npz --expect %t/expected2.npz --tolerance 0

//--- main.mlir

func.func @main(%f64: tensor<2x?xf64>, %f32: tensor<?x1x3x?xf32>, %f16: tensor<7xf16>, %bf16: tensor<3x2xbf16>, %bits: tensor<?x?xbf16>,
                %i64: tensor<i64>, %i32: tensor<2x1xi32>, %i1: tensor<?xi1>, %index: tensor<?x2x?xindex>, %empty: tensor<?x3xf32>)
    -> (tensor<2x?xf64> {lstm.name = "f64"}, tensor<?x1x3x?xf32> {lstm.name = "f32"}, tensor<7xf16> {lstm.name = "f16"}, tensor<3x2xbf16> {lstm.name = "bf16"},
        tensor<?x?xbf16> {lstm.name = "bits"}, tensor<i64> {lstm.name = "i64"}, tensor<2x1xi32> {lstm.name = "i32"}, tensor<?xi1> {lstm.name = "i1"},
        tensor<?x2x?xindex> {lstm.name = "index"}, tensor<?x3xf32> {lstm.name = "empty"}) {
  return %f64, %f32, %f16, %bf16, %bits, %i64, %i32, %i1, %index, %empty
    : tensor<2x?xf64>, tensor<?x1x3x?xf32>, tensor<7xf16>, tensor<3x2xbf16>, tensor<?x?xbf16>, tensor<i64>, tensor<2x1xi32>, tensor<?xi1>, tensor<?x2x?xindex>, tensor<?x3xf32>
}

// The generated code reads and writes them, too.
func.func @twice(%f64: tensor<?xf64>, %f32: tensor<?xf32>, %f16: tensor<?xf16>, %bf16: tensor<?xbf16>, %i64: tensor<?xi64>, %i32: tensor<?xi32>, %i1: tensor<?xi1>, %mask: tensor<?xi1>, %index: tensor<?xindex>)
    -> (tensor<?xf64> {lstm.name = "f64"}, tensor<?xf32> {lstm.name = "f32"}, tensor<?xf16> {lstm.name = "f16"}, tensor<?xbf16> {lstm.name = "bf16"},
        tensor<?xi64> {lstm.name = "i64"}, tensor<?xi32> {lstm.name = "i32"}, tensor<?xi1> {lstm.name = "i1"}, tensor<?xindex> {lstm.name = "index"}) {
  %0 = arith.addf %f64, %f64 : tensor<?xf64>
  %1 = arith.addf %f32, %f32 : tensor<?xf32>
  %2 = arith.addf %f16, %f16 : tensor<?xf16>
  %3 = arith.addf %bf16, %bf16 : tensor<?xbf16>
  %4 = arith.addi %i64, %i64 : tensor<?xi64>
  %5 = arith.addi %i32, %i32 : tensor<?xi32>
  %6 = arith.xori %i1, %mask : tensor<?xi1>
  %7 = arith.addi %index, %index : tensor<?xindex>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<?xf64>, tensor<?xf32>, tensor<?xf16>, tensor<?xbf16>, tensor<?xi64>, tensor<?xi32>, tensor<?xi1>, tensor<?xindex>
}

//--- arrays.py

import sys
import numpy as np

mode, directory = sys.argv[1:]
rng = np.random.default_rng(0)


def bf16(x):
    return (np.array(x, np.float32).view(np.uint32) >> 16).astype(np.uint16)


x = {
    "f64": rng.standard_normal((2, 3)),
    "f32": rng.standard_normal((2, 1, 3, 4)).astype(np.float32),
    "f16": np.array([1.5, -2.25, 65504, 6e-8, np.inf, np.nan, 0.1]).astype(np.float16),
    "bf16": bf16([[1.5, -2.25], [3e38, np.inf], [np.nan, 0.0]]).view("V2"),
    "bits": bf16([[1.5, -2.25]]),
    "i64": np.array(2**62 + 1),
    "i32": np.array([[-5], [2**31 - 1]], np.int32),
    "i1": np.array([True, False, False]),
    "index": np.arange(6).reshape(1, 2, 3),
    "empty": np.zeros((0, 3), np.float32),
}
if mode == "write":
    np.savez(f"{directory}/x.npz", **x)
    np.savez_compressed(f"{directory}/expected.npz", **x)
    values = [0.5, -1.25, 3.0]
    x2 = {
        "f64": np.array(values),
        "f32": np.array(values, np.float32),
        "f16": np.array(values, np.float16),
        "bf16": bf16(values),
        "i64": np.array([2**40, -1]),
        "i32": np.array([2**20, -1], np.int32),
        "i1": np.array([True, False, True]),
        "mask": np.array([True, True, False]),
        "index": np.array([2**40, 1]),
    }
    np.savez(f"{directory}/x2.npz", **x2)
    twice = {name: a + a for name, a in x2.items() if name != "mask"}
    twice["bf16"] = bf16(2 * np.array(values))
    twice["i1"] = np.array([False, True, True])
    np.savez(f"{directory}/expected2.npz", **twice)
else:
    y = np.load(f"{directory}/y.npz")
    assert sorted(y) == sorted(x)
    for name, a in x.items():
        dtype = np.dtype("V2") if name in ("bf16", "bits") else a.dtype
        assert y[name].dtype == dtype and y[name].shape == a.shape, name
        assert y[name].tobytes() == a.tobytes(), name
