#!/usr/bin/env python3
"""Speed of single phases on one core, through lstm-run, beside the peak of fused
multiply-adds that a C loop reaches: phase_vector.py [--lstm-run PATH] [--cc PATH]

Each phase has f32 operands; the time is the shortest of many calls, and includes
what a call costs beside the phase itself.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

PEAK = r"""
#include <stdio.h>
#include <time.h>
#ifdef __AVX512F__
#define BYTES 64
#elif defined(__AVX__)
#define BYTES 32
#else
#define BYTES 16
#endif
typedef float Vector __attribute__((vector_size(BYTES)));
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}
int main(void) {
  double best = 0;
  Vector a[12] = {0}, x = {0}, y = {0};
  for (int trial = 0; trial < 50; ++trial) {
    double start = now();
    for (long n = 0; n < 200000; ++n)
      for (int i = 0; i < 12; ++i) {
        a[i] = a[i] * x + y;
        __asm__ volatile("" : "+x"(a[i]));
      }
    double rate = 200000. * 12 * 2 * (BYTES / 4) / (now() - start) / 1e9;
    best = rate > best ? rate : best;
  }
  printf("%.1f\n", best);
}
"""

SIGMOID = """    %{n}_neg = arith.negf %{x} : f32
    %{n}_exp = math.exp %{n}_neg : f32
    %{n}_den = arith.addf %{n}_exp, %one : f32
    %{n} = arith.divf %one, %{n}_den : f32
"""


def gates(names):
    """Activations of products plus projected inputs: sigmoid, and tanh of g."""
    text = "    %one = arith.constant 1.0 : f32\n"
    for n in names:
        text += f"    %{n}_sum = arith.addf %z{n}, %p{n} : f32\n"
        text += f"    %{n} = math.tanh %{n}_sum : f32\n" if n == "g" else SIGMOID.format(n=n, x=n + "_sum")
    return text


BODIES = {
    "product": ("x", "    lstm.yield %zx : f32"),
    "gru": ("rzg", gates("rz") + """    %ng = arith.mulf %r, %zg : f32
    %ns = arith.addf %ng, %pg : f32
    %n = math.tanh %ns : f32
    %d = arith.subf %s, %n : f32
    %m = arith.mulf %d, %z : f32
    %h = arith.addf %m, %n : f32
    lstm.yield %h : f32"""),
    "lstm": ("ifgo", gates("ifgo") + """    %fc = arith.mulf %f, %s : f32
    %ig = arith.mulf %i, %g : f32
    %c = arith.addf %fc, %ig : f32
    %t = math.tanh %c : f32
    %h = arith.mulf %o, %t : f32
    lstm.yield %h : f32"""),
}


def program(kind, rows, depth, units):
    names, body = BODIES[kind]
    g = len(names)
    states, weights, out = f"tensor<{rows}x{depth}xf32>", f"tensor<{depth}x{g}x{units}xf32>", f"tensor<{rows}x{units}xf32>"
    projected = f"tensor<{rows}x{g}x{units}xf32>"
    arguments = f"%a: {states} {{lstm.name = \"a\"}}, %W: {weights} {{lstm.name = \"W\"}}"
    scalars = [f"%z{n}: f32" for n in names]
    ins = ""
    if kind != "product":
        arguments += f", %p: {projected} {{lstm.name = \"p\"}}, %c: {out} {{lstm.name = \"c\"}}"
        scalars += [f"%p{n}: f32" for n in names] + ["%s: f32"]
        ins = f"ins(%p[r, g, u], %c[r, u] : {projected}, {out})"
    return f"""func.func @main({arguments}) -> {out} {{
  %e = tensor.empty() : {out}
  %y = lstm.phase project(%a, %W : {states}, {weights}) {ins} outs(%e : {out}) {{
  ^bb0({', '.join(scalars)}, %old: f32):
{body}
  }}
  return %y : {out}
}}
"""


def time_phase(lstm_run, directory, kind, rows, depth, units):
    g = len(BODIES[kind][0])
    source, inputs, times = (os.path.join(directory, n) for n in ("phase.mlir", "inputs.npz", "times.json"))
    with open(source, "w") as f:
        f.write(program(kind, rows, depth, units))
    rng = np.random.default_rng(1)
    shapes = {"a": (rows, depth), "W": (depth, g, units)}
    if kind != "product":
        shapes |= {"p": (rows, g, units), "c": (rows, units)}
    np.savez(inputs, **{name: 0.1 * rng.standard_normal(shape, np.float32) for name, shape in shapes.items()})
    repeat = max(100, int(2e10 / (2 * rows * depth * g * units * 100)))
    command = [lstm_run, source, "--inputs", inputs, "--repeat", str(repeat), "--timing-json", times]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        sys.exit(result.stderr)
    with open(times) as f:
        return min(json.load(f)["run_us"])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    parser.add_argument("--lstm-run", default=os.path.join(root, "build", "bin", "lstm-run"))
    parser.add_argument("--cc", default="cc", help="C compiler, for the peak")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        loop = os.path.join(directory, "peak")
        subprocess.run([options.cc, "-O3", "-march=native", "-ffp-contract=fast", "-xc", "-", "-o", loop],
                       input=PEAK, text=True, check=True)
        peak = float(subprocess.run([loop], check=True, capture_output=True, text=True).stdout)
        print(f"{'peak of one core':38}{peak:8.1f} GFLOP/s")
        for kind, rows, depth, units in [("gru", 256, 256, 256), ("gru", 32, 256, 256), ("gru", 1, 256, 256),
                                         ("lstm", 256, 256, 256), ("lstm", 32, 256, 256),
                                         ("product", 256, 256, 768), ("product", 2048, 256, 768)]:
            shortest = time_phase(options.lstm_run, directory, kind, rows, depth, units)
            flops = 2 * rows * depth * units * len(BODIES[kind][0])
            rate = flops / shortest / 1e3
            print(f"{kind:8} rows {rows:<5} k {depth:<5} units {units:<5}{rate:9.1f} GFLOP/s "
                  f"{100 * rate / peak:5.1f} % of peak {shortest:10.1f} us")


if __name__ == "__main__":
    main()
