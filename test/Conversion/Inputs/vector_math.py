"""Accuracy of what convert-lstm-to-vector makes of math operations on f32:
vector_math.py LSTM_OPT MLIR_TRANSLATE CLANG. Prints the largest error in ulp for
each function over a sweep of all magnitudes and checks special values.
"""

import math
import sys
import tempfile

import numpy as np
from phase_numbers import Array, Phase, SIGMOID, compile_phases, run, sigmoid

# name: (body of %x0, NumPy, range of arguments, largest error in ulp)
UNARY = "    %r = math.{} %x0 : f32"
erf = np.vectorize(math.erf)
FUNCTIONS = {
    "exp": (UNARY.format("exp"), np.exp, (-110, 110), 1.5),
    "expm1": (UNARY.format("expm1"), np.expm1, (-110, 110), 2.5),
    "tanh": (UNARY.format("tanh"), np.tanh, (-20, 20), 3),
    "sigmoid": (SIGMOID.format(n="%r", x="%x0", t="f32"), sigmoid, (-87, 110), 3),
    "log": (UNARY.format("log"), np.log, (0, 1e30), 4),
    "log1p": (UNARY.format("log1p"), np.log1p, (0, 1e30), 4),
    "erf": (UNARY.format("erf"), erf, (-6, 6), 8),
    "sin": (UNARY.format("sin"), np.sin, (-30, 30), 64),
    "cos": (UNARY.format("cos"), np.cos, (-30, 30), 64),
    "atan": (UNARY.format("atan"), np.arctan, (-1e6, 1e6), 16),
    "rsqrt": (UNARY.format("rsqrt"), lambda x: 1 / np.sqrt(x), (1e-30, 1e30), 4),
    "sqrt": (UNARY.format("sqrt"), np.sqrt, (0, 1e30), 1),
}
INF, NAN = math.inf, math.nan
# Arguments and results that must be met exactly.
SPECIAL = {
    "exp": [(0, 1), (-0.0, 1), (INF, INF), (-INF, 0), (1000, INF), (-1000, 0), (NAN, NAN)],
    "expm1": [(0, 0), (INF, INF), (-INF, -1), (1000, INF), (-1000, -1), (NAN, NAN)],
    "tanh": [(0, 0), (100, 1), (-100, -1), (INF, 1), (-INF, -1), (3e38, 1), (NAN, NAN)],
    "sigmoid": [(0, 0.5), (1000, 1), (-1000, 0), (INF, 1), (-INF, 0), (NAN, NAN)],
    "log": [(1, 0), (0, -INF), (INF, INF), (-1, NAN), (NAN, NAN)],
    "log1p": [(0, 0), (-1, -INF), (INF, INF), (-2, NAN), (NAN, NAN)],
    "erf": [(0, 0), (100, 1), (-100, -1), (INF, 1), (-INF, -1), (NAN, NAN)],
    "sqrt": [(0, 0), (INF, INF), (-1, NAN), (NAN, NAN)],
    "sin": [(0, 0), (NAN, NAN)],
    "cos": [(0, 1), (NAN, NAN)],
    "atan": [(0, 0), (NAN, NAN)],
}


def arguments(low, high):
    """Dense in value and dense in magnitude."""
    rng = np.random.default_rng(3)
    limit = max(abs(low), abs(high))
    magnitudes = 10.0 ** rng.uniform(-38, math.log10(limit), 60000)
    values = [rng.uniform(low, high, 60000), magnitudes, -magnitudes]
    x = np.concatenate(values).astype(np.float32)
    return x[(x >= low) & (x <= high)]


def main():
    tools = sys.argv[1:4]
    phases, inputs = [], {}
    for name, (body, _, bounds, _) in FUNCTIONS.items():
        special = [x for x, _ in SPECIAL.get(name, [])]
        x = np.concatenate([np.array(special, np.float32), arguments(*bounds)])
        inputs[name] = x
        array = Array("f32", (1, x.size), value=x[None])
        phases.append(Phase("f_" + name, [], [(array, "ru")], [Array("f32", (1, x.size))], "f32",
                            body + "\n    lstm.yield %r : f32", None))
    failed = False
    with tempfile.TemporaryDirectory() as directory, np.errstate(all="ignore"):
        library = compile_phases(phases, tools, directory)[""]
        for phase, (name, (_, reference, _, limit)) in zip(phases, FUNCTIONS.items()):
            run(phase, library)
            got = phase.outs[0].data[0]
            for (x, want), y in zip(SPECIAL.get(name, []), got):
                if not (y == np.float32(want) or (math.isnan(want) and math.isnan(y))):
                    print(f"{name}({x}) is {y} instead of {want}")
                    failed = True
            n = len(SPECIAL.get(name, []))
            x, got = inputs[name][n:], got[n:]
            want = reference(x.astype(np.float64))
            rounded = want.astype(np.float32)
            ulp = np.spacing(np.maximum(np.abs(rounded), np.finfo(np.float32).smallest_normal)).astype(np.float64)
            error = np.abs(got - want) / ulp
            error[np.isinf(rounded) & (rounded == got)] = 0
            worst = np.argmax(np.where(np.isnan(error), np.inf, error))
            print(f"{name}: {error[worst]:.2f} ulp, at {x[worst]!r}")
            if not error[worst] <= limit:
                print(f"{name}: got {got[worst]!r} instead of {want[worst]!r}; the limit is {limit} ulp")
                failed = True
    sys.exit("not accurate enough" if failed else 0)


if __name__ == "__main__":
    main()
