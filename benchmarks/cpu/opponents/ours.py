# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""This project as a library with packed weights, for pair.py: $LSTM_BENCH_COMPILE is an lstm-compile
with its options."""

import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

import cases

sys.path.insert(0, str(cases.ROOT / "python_bindings"))
import lstm_mlir  # noqa: E402


def version():
    return os.environ["LSTM_BENCH_COMPILE"]


def load(case):
    with tempfile.TemporaryDirectory() as folder:
        source, library = pathlib.Path(folder, "case.mlir"), pathlib.Path(folder, "case.so")
        source.write_text(cases.program(case))
        subprocess.run([*shlex.split(version()), source, "-o", library, "--prefix=case"], check=True)
        return lstm_mlir.load(library)


def prepare(case, arrays, threads):
    program = load(case)
    program.set_num_threads(threads)
    pack, packed = program["main_pack"], program["main_packed"]
    made = pack(*(arrays[port.name] for port in pack.arguments))
    made = iter(made if isinstance(made, tuple) else (made,))
    given = [arrays[port.name] if port.name in arrays else next(made) for port in packed.arguments]
    results = packed(*given)
    at = [port.name for port in packed.results].index("ys")
    return packed.bind(*given, out=results), lambda made: made[at] if isinstance(made, tuple) else made
