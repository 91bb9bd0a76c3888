// Times: on stderr with --repeat, in a file with --timing-json; nothing on stdout that was not asked for.

// RUN: split-file %s %t
// RUN: cd %t && %python arrays.py
// RUN: cd %t && lstm-run main.mlir --inputs x.npz --repeat 5 --timing-json times.json --outputs y.npz 2> stderr.txt | count 0
// RUN: FileCheck %s --input-file=%t/stderr.txt --check-prefix=STEPS
// RUN: cd %t && %python times.py 5
// RUN: cd %t && lstm-run main.mlir --inputs x.npz --expect y.npz --tolerance 0 --timing-json times.json 2>&1 | count 0
// RUN: cd %t && %python times.py 1
// RUN: cd %t && lstm-run main.mlir --entry plain --inputs plain=x.npy --repeat 2 2>&1 | FileCheck %s --check-prefix=PLAIN

// STEPS: {{^}}median [[#]].[[#]] us a call, [[#]].[[#]] us a step (7 steps){{$}}
// PLAIN: {{^}}median [[#]].[[#]] us a call{{$}}
// PLAIN-NEXT: result0: 2xf32
// PLAIN-NEXT: [2, 4]

//--- main.mlir

func.func @main(%h: tensor<?x2xf32>, %x: tensor<?x?x2xf32>) -> (tensor<?x2xf32>, tensor<?x?x2xf32>) {
  %0 = arith.addf %h, %h : tensor<?x2xf32>
  %1 = arith.addf %x, %x : tensor<?x?x2xf32>
  return %0, %1 : tensor<?x2xf32>, tensor<?x?x2xf32>
}
func.func @plain(%plain: tensor<2xf32>) -> tensor<2xf32> {
  %0 = arith.addf %plain, %plain : tensor<2xf32>
  return %0 : tensor<2xf32>
}

//--- arrays.py

import numpy as np

np.savez("x.npz", h=np.ones((3, 2), np.float32), x=np.ones((7, 3, 2), np.float32))
np.save("x.npy", np.float32([1, 2]))

//--- times.py

import json
import statistics
import sys

times = json.load(open("times.json"))
assert set(times) == {"compile_us", "parse_us", "passes_us", "jit_us", "run_us", "median_us"}, times
assert len(times["run_us"]) == int(sys.argv[1])
assert all(t >= 0 for t in times["run_us"])
assert abs(times["median_us"] - statistics.median(times["run_us"])) < 0.002
parts = times["parse_us"] + times["passes_us"] + times["jit_us"]
assert abs(times["compile_us"] - parts) < 0.01 and times["jit_us"] > 0
