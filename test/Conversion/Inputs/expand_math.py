"""Accuracy of what lstm-expand-math computes: expand_math.py LSTM_OPT MLIR_TRANSLATE
CLANG. For each level and function the largest error in ulp over a sweep of all
magnitudes, special values, f16 and bf16, and that vectors of all widths, scalars and
each other path have the same bits.
"""

import math
import os
import sys
import tempfile

import numpy as np
from phase_numbers import Array, BFloat16, Phase, SIGMOID, compile_phases, run, sigmoid

# What docs/Performance.md states, in ulp of f32. Where products and sums are not
# fused, the level's own bound.
REST = {"exp": 0.9, "expm1": 1.7, "log": 0.8, "log1p": 1.5, "erf": 1.3}
LEVELS = {
    "fast": (5.5, {"sigmoid": 3.8, "tanh": 4.5, **REST}),
    "default": (2.5, {"sigmoid": 2.4, "tanh": 2.4, **REST}),
    "accurate": (1, {"sigmoid": 0.6, "tanh": 0.9, "exp": 0.6, "expm1": 1, "log": 0.6, "log1p": 0.6, "erf": 0.8}),
}
REFERENCE = {"sigmoid": sigmoid, "tanh": np.tanh, "exp": np.exp, "expm1": np.expm1, "log": np.log,
             "log1p": np.log1p, "erf": np.vectorize(math.erf, otypes=[np.float64])}
INF, NAN = math.inf, math.nan
# Arguments and results that must be met exactly, signs of zeros as well.
SPECIAL = {
    "exp": [(0, 1), (-0.0, 1), (INF, INF), (-INF, 0), (1000, INF), (-1000, 0), (3e38, INF), (-3e38, 0)],
    "expm1": [(0, 0), (INF, INF), (-INF, -1), (1000, INF), (-1000, -1), (-3e38, -1)],
    "tanh": [(0, 0), (-0.0, -0.0), (9.5, 1), (-100, -1), (INF, 1), (-INF, -1), (3e38, 1), (-3e38, -1)],
    "sigmoid": [(-0.0, 0.5), (0, 0.5), (1000, 1), (-1000, 0), (INF, 1), (-INF, 0), (3e38, 1), (-3e38, 0)],
    "log": [(1, 0), (0, -INF), (-0.0, -INF), (INF, INF), (-1, NAN), (-INF, NAN)],
    "log1p": [(0, 0), (-1, -INF), (INF, INF), (-2, NAN)],
    "erf": [(0, 0), (-0.0, -0.0), (100, 1), (-100, -1), (INF, 1), (-INF, -1), (-3e38, -1)],
}
# Quiet and signalling, with and without a payload.
NANS = np.array([0x7FC00000, 0xFFC00000, 0x7FC00001, 0xFFFFFFFF, 0x7FA00001], np.uint32).view(np.float32)
SMALLEST_NORMAL = float(np.finfo(np.float32).smallest_normal)


def body(name, t):
    text = SIGMOID.format(n="%r", x="%x0", t=t) if name == "sigmoid" else f"    %r = math.{name} %x0 : {t}"
    return text + f"\n    lstm.yield %r : {t}"


def sweep():
    """All exponents with random mantissas, and dense where activations work."""
    rng = np.random.default_rng(3)
    bits = (np.arange(512, dtype=np.uint32) << 23)[:, None] + rng.integers(0, 1 << 23, (512, 300), np.uint32)
    every = bits.ravel().view(np.float32)
    dense = [rng.uniform(-limit, limit, 60000).astype(np.float32) for limit in (1, 20, 110)]
    return np.concatenate([every[np.isfinite(every)], *dense])


def phases(x, t, names):
    def array(value):
        return Array(t, (1, x.size), value=value)
    return {name: Phase("f_" + name, [], [(array(x[None]), "ru")], [array(np.zeros_like(x)[None])], t,
                        body(name, t), None) for name in names}


def error_in_ulp(name, x, got):
    want = REFERENCE[name](x.astype(np.float64))
    rounded = want.astype(np.float32)
    ulp = np.spacing(np.maximum(np.abs(rounded), np.float32(SMALLEST_NORMAL))).astype(np.float64)
    error = np.abs(got - want) / ulp
    error[(rounded == got) & np.isinf(rounded) | np.isnan(want) & np.isnan(got)] = 0
    if name == "sigmoid":
        error[(want < SMALLEST_NORMAL) & (got >= 0) & (got <= SMALLEST_NORMAL)] = 0
    return np.where(np.isnan(error), INF, error)


def evaluate(functions, tools, directory, conversion, flags=()):
    os.makedirs(directory)
    library = compile_phases(list(functions.values()), tools, directory, conversion, flags)[""]
    for phase in functions.values():
        run(phase, library)
    return {name: phase.outs[0].data[0].copy() for name, phase in functions.items()}


def main():
    tools = sys.argv[1:4]
    problems = []
    values = sweep()
    with tempfile.TemporaryDirectory() as directory, np.errstate(all="ignore"):
        for level, (bound, limits) in LEVELS.items():
            expand = f"--lstm-expand-math=accuracy={level}"
            paths = {"vector": (f"{expand} --convert-lstm-to-vector", ()),
                     "narrow": (f"{expand} --convert-lstm-to-vector=vector-bits=128", ()),
                     "scalar": (f"{expand} --convert-lstm-to-linalg --convert-linalg-to-loops", ()),
                     # As on GPUs: other bits, the same bounds.
                     "reciprocals": (f"'{expand} reciprocals' --convert-lstm-to-vector", ()),
                     # Products and sums stay apart: other bits, the same bounds.
                     "unfused": (f"{expand} --convert-lstm-to-vector", ("-mno-fma",))}
            results = {}
            for path, (conversion, flags) in paths.items():
                functions = {}
                for name in limits:
                    x = np.concatenate([NANS, [s for s, _ in SPECIAL[name]], values]).astype(np.float32)
                    functions |= phases(x, "f32", [name])
                results[path] = evaluate(functions, tools, f"{directory}/{level}{path}", conversion, flags)
                for name, got in results[path].items():
                    x = functions[name].inputs[0][0].data[0]
                    if not np.isnan(got[:NANS.size]).all():
                        problems.append(f"{level} {name}: NaN became {got[:NANS.size]}")
                    for (s, want), y in zip(SPECIAL[name], got[NANS.size:]):
                        if level == "fast" and want == 0.5:
                            continue
                        if not (y == np.float32(want) or np.isnan(y) and np.isnan(want)) or \
                                want == 0 and np.signbit(y) != np.signbit(want):
                            problems.append(f"{level} {name}({s}) is {y} instead of {want}")
                    first = NANS.size + len(SPECIAL[name])
                    error = error_in_ulp(name, x[first:], got[first:])
                    worst = np.argmax(error)
                    print(f"{level} {path} {name}: {error[worst]:.2f} ulp, at {x[first + worst]!r}")
                    limit = bound if path == "unfused" else limits[name]
                    if not error[worst] <= limit:
                        problems.append(f"{level} {path} {name}: {got[first + worst]!r} at {x[first + worst]!r} is off by "
                                        f"{error[worst]:.2f} ulp, the limit is {limit}")
            for path in ("narrow", "scalar"):
                for name, got in results[path].items():
                    same = (got.view(np.uint32) == results["vector"][name].view(np.uint32)) | np.isnan(got)
                    if not same.all():
                        at = functions[name].inputs[0][0].data[0][np.argmin(same)]
                        problems.append(f"{level} {name}: {path} and vector differ at {at!r}")
        # Every value there is.
        bits = np.arange(1 << 16, dtype=np.uint16)
        for t, x, decode in (("f16", bits.view(np.float16), lambda y: y.astype(np.float64)),
                             ("bf16", bits, BFloat16.decode)):
            functions = phases(x, t, REFERENCE)
            results = {}
            for path, convert in (("vector", "--convert-lstm-to-vector"),
                                  ("scalar", "--convert-lstm-to-linalg --convert-linalg-to-loops")):
                results[path] = evaluate(functions, tools, f"{directory}/{t}{path}",
                                         f"--lstm-expand-math {convert}")
            for name in REFERENCE:
                got = decode(results["vector"][name])
                want = REFERENCE[name](decode(x))
                digits, lowest, largest = (10, -14, 65504) if t == "f16" else (7, -126, 3.3895e38)
                exponent = np.maximum(np.floor(np.log2(np.maximum(np.abs(want), 2.0**lowest))), lowest)
                error = np.abs(got - want) / 2.0**(exponent - digits)
                error[(got == want) | np.isnan(got) & np.isnan(want)] = 0
                # Beyond the largest number is infinity.
                error[np.isinf(got) & (np.abs(want) > largest) & (got * want > 0)] = 0
                if name == "sigmoid":
                    error[(want < SMALLEST_NORMAL) & (got >= 0) & (got <= SMALLEST_NORMAL)] = 0
                error = np.where(np.isnan(error), INF, error)
                worst = np.argmax(error)
                print(f"{t} {name}: {error[worst]:.3f} ulp of {t}")
                if not error[worst] <= 0.51:
                    problems.append(f"{t} {name}({decode(x)[worst]}) is {got[worst]} instead of {want[worst]}")
                differ = results["vector"][name].view(np.uint16) != results["scalar"][name].view(np.uint16)
                if (differ & ~np.isnan(got)).any():
                    problems.append(f"{t} {name}: scalar and vector differ at {decode(x)[np.argmax(differ)]}")
    print("\n".join(problems) or "all within their bounds")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
