# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers of libraries made by lstm-compile, called from C, against float64.

    check_library.py --cc PROGRAM [--emulator COMMAND] CELL… [-- flags of lstm-compile]

The cells are those of examples/cells, on ragged and empty batches and on no steps.
"""

import argparse
import os
import shlex
import subprocess
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "..", "Integration", "CPU"))
import examples
import runner

DTYPES = {"f64": 1, "f32": 2, "i64": 5, "index": 5, "i32": 6}
SIZES = [("ragged", 7, 5, None), ("one row", 4, 1, [3]), ("no steps", 0, 3, None), ("no rows", 4, 0, None)]


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
    if done.returncode != 0:
        raise runner.Failure(f"{shlex.join(command)} exited with {done.returncode}:\n{done.stdout}")


def write(path, slots, arrays):
    with open(path, "wb") as file:
        for slot in slots:
            array = runner.encode(arrays[slot.name], slot.type)
            file.write(np.array([DTYPES[slot.type], array.ndim, *array.shape], np.int64).tobytes())
            file.write(array.tobytes())


def read(path, slots):
    arrays = {}
    with open(path, "rb") as file:
        for slot in slots:
            shape = np.frombuffer(file.read(8 * np.frombuffer(file.read(8), np.int64)[0]), np.int64)
            dtype = np.dtype(runner.DTYPES[slot.type])
            data = file.read(int(np.prod(shape)) * dtype.itemsize)
            arrays[slot.name] = runner.decode(np.frombuffer(data, dtype).reshape(shape), slot.type)
    return arrays


def check(name, options, folder):
    path = examples.path(name)
    with open(path) as file:
        text = file.read()
    arguments, results = runner.signature(text)
    library = os.path.join(folder, "libmodel.so")
    run([runner.tool("lstm-compile"), path, "-o", library, "--header", os.path.join(folder, "model.h"),
         *options.flags])
    given = [f"a + {i}" for i in range(len(arguments))] + [f"r + {i}" for i in range(len(results))]
    driver = os.path.join(folder, "driver")
    run([options.cc, "-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-I", folder,
         os.path.join(HERE, "driver.c"), f"-DCALL=model_main({', '.join(given)})",
         f"-DNUM_ARGUMENTS={len(arguments)}", f"-DNUM_RESULTS={len(results)}", library,
         f"-Wl,-rpath,{folder}", "-o", driver])
    worst = 0.0
    source, target = (os.path.join(folder, n) for n in ("in", "out"))
    for label, steps, batch, lengths in SIZES:
        arrays = examples.inputs(text, steps, batch, seed=len(name) + steps, lengths=lengths)
        write(source, arguments, arrays)
        run([*shlex.split(options.emulator), driver, source, target])
        got, want = read(target, results), examples.REFERENCES[name](arrays)
        for slot in results:
            try:
                worst = max(worst, runner.compare(slot.name, got[slot.name], want[slot.name], slot.type))
            except runner.Failure as failure:
                raise runner.Failure(f"{name}, {label}: {failure}") from None
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cc", required=True)
    parser.add_argument("--emulator", default="")
    parser.add_argument("cells", nargs="+")
    argv = sys.argv[1:]
    split = argv.index("--") if "--" in argv else len(argv)
    options = parser.parse_args(argv[:split])
    options.flags = argv[split + 1:]
    for name in options.cells:
        try:
            with tempfile.TemporaryDirectory() as folder:
                print(f"{name}: ok, largest error {check(name, options, folder):.3g}")
        except runner.Failure as failure:
            print(f"{name}: FAILED\n{failure}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
