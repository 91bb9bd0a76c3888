"""Runs stacks of layers on the CPU with lstm-wavefront in the pipeline for GPUs, whose kernels and
products become loops again, and compares with the same layers one after the other, bit for bit:
wavefront_numbers.py LSTM_OPT LSTM_SRC [FAKE_DRIVER]

With a driver that runs no kernels it only calls the programs for GPUs, plainly, captured and
replayed: the host has to find every event recorded that it waits for.
"""

import functools
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

lstm_opt, source, *driver = sys.argv[1:]
sys.path.insert(0, os.path.join(source, "test", "Integration", "CPU"))
import runner

UNITS, INPUTS = (5, 7, 3, 6), 4
# What the runtime would do is in order here.
RUNTIME = """
llvm.func @lstmCudaSetBranch(%branch: i64) { llvm.return }
llvm.func @lstmCudaRecord(%event: i64) { llvm.return }
llvm.func @lstmCudaWaitFor(%event: i64) { llvm.return }
llvm.func @lstmCudaJoin() { llvm.return }
"""
LOOPS = ("convert-linalg-to-loops,lower-affine,expand-strided-metadata,lower-affine,convert-scf-to-cf,"
         "convert-math-to-llvm,convert-math-to-libm,convert-to-llvm,reconcile-unrealized-casts)")


def with_loops(pipeline):
    """With loops instead of products by the library, and of all that follows memory's plan."""
    text, count = re.subn(r"convert-linalg-to-cublas\{[^}]*\} ?, ?(lstm-split-products\{[^}]*\} ?, ?)?", "", pipeline)
    assert count == 1
    # The CPU counts with the same functions in any loop.
    text, count = re.subn(r"lstm-expand-math\{.*", LOOPS, text)
    assert count == 1
    return text


@functools.cache
def pipeline(chunks, overlaps=False):
    program = os.path.join(source, "examples", "cells", "rnn.mlir")
    text = subprocess.run([lstm_opt, program, f"--lstm-to-nvvm=strategy=library runtime-checks=false chunks={chunks}", "--dump-pass-pipeline",
                           "-o", os.devnull], capture_output=True, text=True, check=True).stderr
    text = " ".join(text[text.index("builtin.module("):].split())
    # Many chunks, of single layers as well; one chunk for comparison.
    text, count = re.subn("lstm-wavefront\\{[^}]*\\}",
                          f"lstm-wavefront{{chunks={chunks} steps={1 if chunks > 1 else 10000} rows=1 overlap-projections={overlaps}}}", text)
    assert count == 1
    return with_loops(text)


@functools.cache
def kernels(flags):
    """The pipeline with recurrences in the chunks of kernels, but left to what else there is for them."""
    program = os.path.join(source, "examples", "cells", "rnn.mlir")
    text = subprocess.run([lstm_opt, program, "--lstm-to-nvvm=strategy=persistent runtime-checks=false " + flags, "--dump-pass-pipeline",
                           "-o", os.devnull], capture_output=True, text=True, check=True).stderr
    text = " ".join(text[text.index("builtin.module("):].split())
    text, count = re.subn(r"convert-lstm-to-gpu-kernel *(\{([^{}]|\{[^}]*\})*\})? *,", "", text)
    assert count == 1
    return with_loops(text)


def stack(layers, steps, batch, ragged):
    """Layers are "lstm" or "gru", with "<" before those that run backwards; -1 is a size that is not known."""
    T, B = ("?" if n < 0 else n for n in (steps, batch))
    arguments, body, results = [f"%x: tensor<{T}x{B}x{INPUTS}xf32>"], [], []
    if ragged:
        arguments.append(f"%len: tensor<{B}xi32>")
    read, width = "%x", INPUTS
    dynamic = ", ".join(name for name, n in (("%T", steps), ("%B", batch)) if n < 0)
    for i, (layer, H) in enumerate(zip(layers, UNITS)):
        G = 4 if layer.endswith("lstm") else 3
        state, ys = f"tensor<{B}x{H}xf32>", f"tensor<{T}x{B}x{H}xf32>"
        arguments += [f"%W{i}: tensor<{width}x{G}x{H}xf32>", f"%U{i}: tensor<{H}x{G}x{H}xf32>", f"%b{i}: tensor<{G}x{H}xf32>",
                      f"%h{i}: {state}"]
        cell = (f"input(%xt, %W{i} : tensor<{B}x{width}xf32>, tensor<{width}x{G}x{H}xf32>) state(%h, %U{i} : {state}, "
                f"tensor<{H}x{G}x{H}xf32>)")
        if G == 4:
            arguments.append(f"%c{i}: {state}")
            init, states, names = f"%h = %h{i}, %c = %c{i}", f"{state}, {state}", "%hn, %cn"
            cell = f"%hn, %cn = lstm.cell {cell} cell(%c : {state}) bias(%b{i} : tensor<{G}x{H}xf32>)"
        else:
            init, states, names = f"%h = %h{i}", state, "%hn"
            cell = f"%hn = lstm.gru_cell reset_before {cell} bias(%b{i} : tensor<{G}x{H}xf32>)"
        lengths = f"lengths(%len : tensor<{B}xi32>)" if ragged else ""
        body.append(f"""  %e{i} = tensor.empty({dynamic}) : {ys}
  %ys{i}, %last{i}{":2" if G == 4 else ""} = lstm.recurrence over(%xt = {read} : tensor<{T}x{B}x{width}xf32>)
      init({init} : {states}) {lengths} {"reverse" if layer[0] == "<" else ""} outs(%e{i} : {ys}) {{
    {cell}
    lstm.yield state({names} : {states}) out(%hn : {state})
  }}""")
        results += [(f"%last{i}#{k}", state) for k in range(2)] if G == 4 else [(f"%last{i}", state)]
        read, width = f"%ys{i}", H
    results.append((read, ys))
    return f"""func.func @main({", ".join(arguments)}) -> ({", ".join(kind for _, kind in results)}) {{
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %T = tensor.dim %x, %i0 : tensor<{T}x{B}x{INPUTS}xf32>
  %B = tensor.dim %x, %i1 : tensor<{T}x{B}x{INPUTS}xf32>
{chr(10).join(body)}
  return {", ".join(name for name, _ in results)} : {", ".join(kind for _, kind in results)}
}}
""" + RUNTIME


def inputs(text, steps, batch, random):
    made = {}
    for slot in runner.signature(text)[0]:
        shape = [n if n is not None else steps if slot.name == "x" and axis == 0 else batch for axis, n in enumerate(slot.shape)]
        made[slot.name] = (random.integers(0, steps + 1, shape).astype(np.int32) if slot.name == "len"
                           else random.uniform(-1, 1, shape).astype(np.float32))
    return made


CASES = [
    (("lstm", "lstm", "gru", "lstm"), -1, -1, False, ((13, 3), (2, 1), (1, 2), (0, 2), (3, 0))),
    (("gru", "lstm"), -1, -1, True, ((7, 4), (0, 1))),
    (("<lstm", "<gru", "<lstm"), -1, -1, True, ((8, 3),)),
    (("lstm", "lstm", "lstm"), 10, 2, False, ((10, 2),)),
    (("<lstm", "<lstm"), 7, 1, False, ((7, 1),)),
    (("lstm", "gru"), 2, -1, True, ((2, 3),)),
    (("lstm",), -1, -1, True, ((40, 3), (5, 2), (0, 1), (1, 1))),
    (("<gru",), 9, 2, False, ((9, 2),)),
    # Two waves of two, as the third layer needs the end of the second one first.
    (("lstm", "lstm", "<gru", "<lstm"), -1, -1, False, ((9, 2),)),
]
# Longer than a launch of a kernel.
LONG = [
    (("lstm", "<gru"), -1, -1, True, ((600, 2), (256, 1), (257, 1), (0, 1))),
    (("<lstm",), 300, 1, False, ((300, 1),)),
]
count = 0
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder, "stack.mlir")
    for layers, steps, batch, ragged, sizes in CASES + LONG:
        is_long = sizes in [case[-1] for case in LONG]
        text = stack(layers, steps, batch, ragged)
        path.write_text(text)
        for size in sizes:
            arrays = inputs(text, *size, np.random.default_rng(5))
            if driver:
                os.environ |= {"LSTM_LIBCUDA": driver[0], "LSTM_LIBCUBLAS": driver[0]}
                path.write_text(text.replace(RUNTIME, ""))
                flags = ["--strategy=persistent", "--kernel-plan=1,1,4,2"] if is_long else ["--strategy=library", "--chunks=3"]
                for overlaps in ([], ["--overlap-projections"]):
                    runner.execute(str(path), arrays, flags=["--target=cuda", "--gpu-format=ptx", "--repeat=4", *flags, *overlaps])
                    count += 1
                continue
            others = ([kernels("overlap-projections=" + overlaps) for overlaps in ("false", "true")] if is_long else
                      [pipeline(5), pipeline(2, overlaps=True), pipeline(5, overlaps=True)])
            known = runner.execute(str(path), arrays, flags=["--pass-pipeline=" + pipeline(1)])
            for passes in others:
                got = runner.execute(str(path), arrays, flags=["--pass-pipeline=" + passes])
                assert known.keys() == got.keys()
                for name, value in known.items():
                    assert np.array_equal(value, got[name]), f"{layers} {size}: {name} differs"
                count += 1
print(f"{count} runs agree")
