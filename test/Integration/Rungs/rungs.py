# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Takes a cell down every rung of the ladder and looks at what it finds there.

    rungs.py FILE.mlir --phases N     N phases in one recurrence on L2

Also: no allocation and no copy of a state in the time loop once it is on buffers.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
LSTM_OPT = shutil.which("lstm-opt") or os.path.join(ROOT, "build", "bin", "lstm-opt")

RUNGS = {
    "L0": [],
    "L1": ["--lstm-decompose-cells", "--inline", "--symbol-dce"],
    "L2": ["--lstm-to-phases"],
    "L3": ["--lstm-to-phases", "--lstm-lower-recurrence"],
    "L4": ["--lstm-to-llvm"],
    "L4 unoptimized": ["--lstm-to-llvm=optimize=false"],
}


class Failure(Exception):
    pass


def opt(path, flags):
    done = subprocess.run([LSTM_OPT, path, *flags], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=120)
    if done.returncode != 0:
        raise Failure(f"lstm-opt {' '.join(flags)} exited with {done.returncode}:\n"
                      + "\n".join(re.findall(r"(?m)^.*(?:error:| #\d+ ).*$", done.stderr)[:12]))
    return done.stdout, done.stderr


def regions(text, op):
    """The text of each operation `op` whose region ends with a brace of its own line."""
    lines, found, skip = text.split("\n"), [], -1
    for number, line in enumerate(lines):
        if number <= skip or not re.search(rf"(^|= |\s){re.escape(op)}\b", line):
            continue
        indent = re.match(r"\s*", line)[0]
        end = next(i for i in range(number + 1, len(lines)) if re.match(rf"{indent}\}}", lines[i]))
        found.append("\n".join(lines[number:end + 1]))
        skip = end
    return found


def check_time_loop(path, optimize):
    """All is on buffers, linalg and scf there; the outermost loops are those over time and
    those that do something for all steps at once. Copies of rank 1 are no states but what
    a reduction over the units starts from. Unoptimized, copies may stay."""
    flags = [f"--lstm-to-llvm=optimize={optimize} runtime-checks=false",
             "--mlir-print-ir-before=convert-bufferization-to-memref"]
    forbidden = r"memref\.(alloca?|dealloc)\b|bufferization\."
    if optimize == "true":
        forbidden += r"|(memref|linalg)\.copy.*memref<(\w|\?)+x(\w|\?)+x"
    loops = regions(opt(path, flags)[1], "scf.for")
    if not loops:
        raise Failure(f"optimize={optimize}: no loop over time")
    for loop in loops:
        for line in loop.split("\n"):
            if re.search(forbidden, line):
                raise Failure(f"optimize={optimize}: in a loop over time:\n{line.strip()}")


def check(path, phases):
    for name, flags in RUNGS.items():
        text, _ = opt(path, [*flags, f"--lstm-verify-rung=rung={name.split()[0]}"])
        if name == "L2":
            recurrences = regions(text, "lstm.recurrence")
            if len(recurrences) != 1:
                raise Failure(f"{len(recurrences)} recurrences on L2, expected 1:\n{text}")
            made = len(re.findall(r"\blstm\.phase\b", recurrences[0]))
            if made != phases:
                raise Failure(f"{made} phases on L2, expected {phases}:\n{recurrences[0]}")
    for optimize in ("true", "false"):
        check_time_loop(path, optimize)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--phases", type=int, required=True)
    options = parser.parse_args()
    try:
        check(options.file, options.phases)
    except Failure as failure:
        print(f"{options.file}: {failure}", file=sys.stderr)
        return 1
    print(f"{options.file}: ok")
    return 0


if __name__ == "__main__":
    sys.exit(main())
