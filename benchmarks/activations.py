#!/usr/bin/env python3
"""Time of the cell's scalar work on one core, through lstm-run, for each level of
--activations: activations.py [--lstm-run PATH]

Nanoseconds for 16 units of an LSTM cell (three sigmoids, two tanh) and for 16 values
of each function; what loads, stores and the call cost is subtracted.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

from phase_vector import SIGMOID

ROWS, UNITS = 16, 64  # all of it stays in the first-level cache
LEVELS = ["fast", "default", "accurate"]
ONE = "    %one = arith.constant 1.0 : f32\n"
BODIES = {
    "sigmoid": ONE + SIGMOID.format(n="y", x="p0"),
    "tanh": "    %y = math.tanh %p0 : f32\n",
    "exp": "    %y = math.exp %p0 : f32\n",
    "LSTM cell": ONE + "".join(SIGMOID.format(n=f"a{g}", x=f"p{g}") for g in (0, 1, 3)) + """
    %a2 = math.tanh %p2 : f32
    %fc = arith.mulf %a1, %s : f32
    %ig = arith.mulf %a0, %a2 : f32
    %c = arith.addf %fc, %ig : f32
    %t = math.tanh %c : f32
    %y = arith.mulf %a3, %t : f32
""",
}
# The same loads and stores.
EMPTY = "    %e0 = arith.addf %p0, %p1 : f32\n    %e1 = arith.addf %p2, %p3 : f32\n" \
        "    %e2 = arith.addf %e0, %e1 : f32\n    %y = arith.addf %e2, %s : f32\n"
USE_ALL = "    %u0 = arith.addf %p1, %p2 : f32\n    %u1 = arith.addf %p3, %s : f32\n" \
          "    %u2 = arith.addf %u0, %u1 : f32\n    %w = arith.addf %u2, %y : f32\n"


def program(body):
    out, projected = f"tensor<{ROWS}x{UNITS}xf32>", f"tensor<{ROWS}x4x{UNITS}xf32>"
    result = "y"
    if body not in (EMPTY, BODIES["LSTM cell"]):
        body, result = body + USE_ALL, "w"
    return f"""func.func @main(%p: {projected} {{lstm.name = "p"}}, %c: {out} {{lstm.name = "c"}}) -> {out} {{
  %e = tensor.empty() : {out}
  %r = lstm.phase ins(%p[r, g, u], %c[r, u] : {projected}, {out}) outs(%e : {out}) {{
  ^bb0(%p0: f32, %p1: f32, %p2: f32, %p3: f32, %s: f32, %old: f32):
{body}    lstm.yield %{result} : f32
  }}
  return %r : {out}
}}
"""


def shortest(lstm_run, directory, body, flags):
    source, inputs, times = (os.path.join(directory, n) for n in ("phase.mlir", "in.npz", "times.json"))
    with open(source, "w") as f:
        f.write(program(body))
    rng = np.random.default_rng(1)
    np.savez(inputs, p=2 * rng.standard_normal((ROWS, 4, UNITS), np.float32),
             c=rng.standard_normal((ROWS, UNITS), np.float32))
    command = [lstm_run, source, "--inputs", inputs, "--repeat", "20000", "--timing-json", times, *flags]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    with open(times) as f:
        return 1e3 * min(json.load(f)["run_us"]) / (ROWS * UNITS / 16)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    parser.add_argument("--lstm-run", default=os.path.join(root, "build", "bin", "lstm-run"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        def times(body, flags):
            return shortest(options.lstm_run, directory, body, flags)
        empty = times(EMPTY, [])
        print(f"ns for 16 units; {empty:.1f} of each call subtracted\n{'':12}{''.join(f'{x:>10}' for x in LEVELS)}")
        for name, body in BODIES.items():
            row = [times(body, ["--activations", level]) - empty for level in LEVELS]
            print(f"{name:12}{''.join(f'{x:10.1f}' for x in row)}", flush=True)


if __name__ == "__main__":
    main()
