"""Runs layers on the CPU by the pipeline for GPUs up to its plan of memory, with all projections split and products by
a stand-in for the library, and compares with float64: split_products_layers.py LSTM_OPT LSTM_SRC

What runs side by side on a GPU is in order here; that parts are made in time, where they are not overwritten, shows.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

lstm_opt, source = sys.argv[1:]
sys.path[:0] = [os.path.join(source, "benchmarks", "gpu"), os.path.join(source, "test", "Integration", "CPU")]
import gpu_cases  # noqa: E402
import numpy as np  # noqa: E402
import runner  # noqa: E402

LOOPS = ("convert-cublas-to-runtime,convert-linalg-to-loops,lower-affine,expand-strided-metadata,lower-affine,convert-scf-to-cf,"
         "arith-expand{include-bf16},convert-math-to-llvm,convert-math-to-libm,convert-to-llvm,reconcile-unrealized-casts)")
# C = A B + beta C of f32 or bf16 (4), nothing transposed.
RUNTIME = """
llvm.func @lstmCudaSetBranch(%branch: i64) { llvm.return }
llvm.func @lstmCudaRecord(%event: i64) { llvm.return }
llvm.func @lstmCudaWaitFor(%event: i64) { llvm.return }
llvm.func @lstmCudaJoin() { llvm.return }
llvm.func @lstmCudaGemm(%stream: !llvm.ptr, %in: i32, %out: i32, %compute: i32, %ta: i32, %tb: i32, %m: i64, %n: i64, %k: i64,
                        %alpha: f64, %a: !llvm.ptr, %lda: i64, %sa: i64, %b: !llvm.ptr, %ldb: i64, %sb: i64, %beta: f64,
                        %c: !llvm.ptr, %ldc: i64, %sc: i64, %batch: i64) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %none = arith.constant 0.0 : f64
  %bf16 = arith.constant 4 : i32
  %half = arith.cmpi eq, %in, %bf16 : i32
  %added = arith.cmpf une, %beta, %none : f64
  scf.for %i = %zero to %m step %one : i64 {
    scf.for %j = %zero to %n step %one : i64 {
      %sum = scf.for %p = %zero to %k step %one iter_args(%s = %none) -> f64 : i64 {
        %row = arith.muli %i, %lda : i64
        %at = arith.addi %row, %p : i64
        %x = func.call @element(%a, %at, %half) : (!llvm.ptr, i64, i1) -> f64
        %row1 = arith.muli %p, %ldb : i64
        %at1 = arith.addi %row1, %j : i64
        %y = func.call @element(%b, %at1, %half) : (!llvm.ptr, i64, i1) -> f64
        %xy = arith.mulf %x, %y : f64
        %s1 = arith.addf %s, %xy : f64
        scf.yield %s1 : f64
      }
      %row = arith.muli %i, %ldc : i64
      %at = arith.addi %row, %j : i64
      %place = llvm.getelementptr %c[%at] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %old = scf.if %added -> f64 {
        %was = llvm.load %place : !llvm.ptr -> f32
        %wide = arith.extf %was : f32 to f64
        scf.yield %wide : f64
      } else {
        scf.yield %none : f64
      }
      %all = arith.addf %old, %sum : f64
      %r = arith.truncf %all : f64 to f32
      llvm.store %r, %place : f32, !llvm.ptr
    }
  }
  llvm.return
}
func.func private @element(%from: !llvm.ptr, %at: i64, %half: i1) -> f64 attributes {no_inline} {
  %bits = scf.if %half -> i32 {
    %place = llvm.getelementptr %from[%at] : (!llvm.ptr, i64) -> !llvm.ptr, i16
    %half_bits = llvm.load %place : !llvm.ptr -> i16
    %wide = arith.extui %half_bits : i16 to i32
    %16 = arith.constant 16 : i32
    %shifted = arith.shli %wide, %16 : i32
    scf.yield %shifted : i32
  } else {
    %place = llvm.getelementptr %from[%at] : (!llvm.ptr, i64) -> !llvm.ptr, i32
    %loaded = llvm.load %place : !llvm.ptr -> i32
    scf.yield %loaded : i32
  }
  %value = arith.bitcast %bits : i32 to f32
  %r = arith.extf %value : f32 to f64
  return %r : f64
}
"""


def pipeline(options):
    program = os.path.join(source, "examples", "cells", "rnn.mlir")
    text = subprocess.run([lstm_opt, program, f"--lstm-to-nvvm=runtime-checks=false {options}", "--dump-pass-pipeline", "-o", os.devnull],
                          capture_output=True, text=True, check=True).stderr
    text = " ".join(text[text.index("builtin.module("):].split())
    overlaps = "overlap-projections" in options
    for found, instead in (("lstm-wavefront\\{[^}]*\\}", f"lstm-wavefront{{chunks=5 steps=1 rows=1 overlap-projections={overlaps}}}"),
                           ("lstm-split-products\\{[^}]*\\}", "lstm-split-products{rows=1 multiplications=0 width=8 chunk=16}"),
                           ("lstm-expand-math\\{.*", LOOPS)):
        text, count = re.subn(found, instead, text)
        assert count == 1, found
    return text


count = 0
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder, "layers.mlir")
    for options, stacks in (("strategy=library", (("lstm", 1, 1), ("gru", 1, 2), ("lstm", 3, 1), ("peephole", 2, 2))),
                            ("strategy=library overlap-projections", (("lstm", 1, 1), ("gru", 2, 1)))):
        passes = pipeline(options)
        for cell, layers, directions in stacks:
            for steps, batch in ((9, 7), (1, 3), (0, 2)):
                case = gpu_cases.Case(cell, "f32", batch, steps, 24, 40, layers, directions)
                path.write_text(gpu_cases.program(case) + RUNTIME)
                arrays = gpu_cases.inputs(case)
                found = runner.execute(str(path), arrays, flags=["--pass-pipeline=" + passes])["ys"]
                if steps:
                    exact = gpu_cases.reference(case, {name: value.astype(np.float64) for name, value in arrays.items()})
                    runner.compare(str(case), found, exact, "f32")
                count += 1
print(f"{count} runs agree")
