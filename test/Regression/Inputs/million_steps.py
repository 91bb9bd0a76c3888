# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a million steps: right numbers, in the memory of inputs and outputs alone."""

import os
import resource
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "Integration", "CPU"))
import reference  # noqa: E402

STEPS, UNITS = 1_000_000, 4
resource.setrlimit(resource.RLIMIT_STACK, (8 << 20, 8 << 20))


def run(path, flags, steps, folder):
    """The results, and the largest resident size in bytes."""
    random = np.random.default_rng(1)
    shapes = {"x": (steps, 1, 1), "h0": (1, UNITS), "c0": (1, UNITS), "W": (1, 4, UNITS), "U": (UNITS, 4, UNITS)}
    inputs = {name: random.uniform(-1, 1, shape).astype(np.float32) for name, shape in shapes.items()}
    source, target, used = (os.path.join(folder, name) for name in ("in.npz", "out.npz", "used"))
    np.savez(source, **inputs)
    # A process of its own, so that the figure is that of one run.
    child = ("import resource, subprocess, sys; code = subprocess.run(sys.argv[2:]).returncode; "
             "open(sys.argv[1], 'w').write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)); sys.exit(code)")
    subprocess.run([sys.executable, "-c", child, used, "lstm-run", path, "--inputs", source, "--outputs", target, *flags],
                   check=True, timeout=300)
    with open(used) as file:
        return inputs, dict(np.load(target)), int(file.read()) * 1024


def main():
    path, *flags = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        _, _, small = run(path, flags, 100, folder)
        inputs, results, large = run(path, flags, STEPS, folder)
    # Twice for what the files are read into and written from, and 16 MiB beside it.
    allowed = small + 2 * 4 * STEPS * (1 + UNITS) + (16 << 20)
    print(f"{small >> 20} MiB for 100 steps, {large >> 20} MiB for {STEPS}, {allowed >> 20} MiB allowed")
    if large > allowed:
        sys.exit("memory grows with the number of steps")
    # The cell forgets: the last steps alone tell the final state.
    exact = {name: value.astype(np.float64) for name, value in inputs.items()}
    h, c = np.zeros((1, UNITS)), np.zeros((1, UNITS))
    for x in exact["x"][-2000:]:
        h, c = reference.lstm(x, h, c, exact["W"], exact["U"])
    for name, want in (("hT", h), ("cT", c)):
        if not np.allclose(results[name], want, atol=1e-5):
            sys.exit(f"{name} is {results[name]}, expected {want}")
    if not np.array_equal(results["ys"][-1], results["hT"]):
        sys.exit("the last output is not the final state")


if __name__ == "__main__":
    main()
