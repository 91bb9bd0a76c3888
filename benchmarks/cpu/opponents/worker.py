# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The process of one opponent: worker.py NAME THREADS. Reads requests, a JSON object a line,
from standard input and answers each with a line:

  {"prepare": [CELL, B, T, I, H], "inputs": NPZ, "outputs": NPY}   one call, ys into a file
  {"measure": SECONDS}                                             times of many calls

An opponent is a module with `version()` and `prepare(case, arrays, threads)`, which returns
what is called, and how ys is read from what that returned.
"""

import importlib
import json
import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

OPPONENTS = {"ours": "ours", "onednn": "onednn", "onnxruntime": "onnx_graphs", "torch": "torch_loops",
             "torch.compile": "torch_compiled", "numpy": "numpy_loops"}


def timed(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def measure(call, seconds):
    """Microseconds of each call, after as many calls as warm up."""
    begun = time.perf_counter()
    timed(call)
    while time.perf_counter() - begun < 0.2 * seconds:
        timed(call)
    spent, begun = [], time.perf_counter()
    while len(spent) < 2 or time.perf_counter() - begun < seconds:
        spent.append(1e6 * timed(call))
    return spent


def main():
    # What libraries print is not an answer.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    name, threads = sys.argv[1], int(sys.argv[2])
    call = None

    def answer(request):
        nonlocal call
        if "measure" in request:
            return {"calls": measure(call, request["measure"])}
        call = None  # frees what the last case took
        case = Case(*request["prepare"])
        with np.load(request["inputs"]) as file:
            arrays = dict(file)
        call, read = opponent.prepare(case, arrays, threads)
        np.save(request["outputs"], read(call()))
        return {}

    def reply(handler, *arguments):
        try:
            made = handler(*arguments)
        except Exception as error:  # noqa: BLE001 (whatever an opponent fails with is its answer)
            made = {"failure": f"{type(error).__name__}: {error}".strip()[:500]}
        print(json.dumps(made), file=answers, flush=True)

    def hello():
        nonlocal opponent
        opponent = importlib.import_module("opponents." + OPPONENTS[name])
        return {"version": opponent.version()}

    opponent = None
    import numpy as np
    from cases import Case
    reply(hello)
    for line in sys.stdin:
        reply(answer, json.loads(line))


if __name__ == "__main__":
    main()
