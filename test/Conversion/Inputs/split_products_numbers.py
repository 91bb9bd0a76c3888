"""Compiles products of f32 with lstm-split-products and a stand-in for the library (gemm.c), and compares
with float64 and with f32.

Usage: split_products_numbers.py LSTM_OPT MLIR_TRANSLATE CLANG SOURCE_DIR
"""

import ctypes
import pathlib
import sys
import tempfile

import numpy as np

import cublas_numbers as numbers

PASSES = ["--convert-linalg-to-cublas", "--lstm-split-products=rows=16 multiplications=0 width=8 chunk=512",
          "--convert-cublas-to-runtime"]
SPECS = ("mk,kn->mn", "km,kn->mn", "mk,nk->mn", "km,nk->mn")
LARGEST, TINY, INF = np.finfo(np.float32).max, np.float32(2.0**-126), np.inf
rng = np.random.default_rng(11)


class Product(numbers.Case):
    """C = A B, or += where nothing is filled, with a number of rows that is not known if it is `dynamic`. `a` and `b` as m x k and k x n."""

    def __init__(self, spec, a, b, what, fill=True, dynamic=False, split=True):
        self.a, self.b = np.asarray(a, np.float32), np.asarray(b, np.float32)
        (m, k), (_, n) = self.a.shape, self.b.shape
        super().__init__(spec, fill=fill, sizes=dict(m=m, k=k, n=n))
        self.name, self.dynamic, self.split = f"{what}: {spec} {m} {k} {n} dynamic={dynamic} fill={fill}", dynamic, split
        for operand, value, transposed in zip(self.operands, (self.a, self.b), (spec[0] == "k", spec[3] == "n")):
            operand.storage = np.ascontiguousarray(value.T if transposed else value).ravel()
        self.c = rng.uniform(-1, 1, (m, n)).astype(np.float32)
        self.operands[2].storage = self.c.copy().ravel()

    def mlir(self, name):
        text, rows = super().mlir(name), self.a.shape[0]
        return text.replace(f"memref<{rows}x", "memref<?x") if self.dynamic else text

    def calls(self):
        return 2 + -(-self.a.shape[1] // 512) if self.split else 1

    def expected(self, type):
        with np.errstate(all="ignore"):
            return self.a.astype(type) @ self.b.astype(type) + (0 if self.fill else self.c.astype(type))


def random(m, k, n):
    return rng.uniform(-1, 1, (m, k)), rng.uniform(-1, 1, (k, n)) / k**0.5


def special():
    """Each kind of number meets each other one, alone in the sum or among ordinary ones."""
    values = np.array([INF, -INF, np.nan, 0, -0.0, 1, -1, 0.5, 1.5, LARGEST, -LARGEST, TINY, 2.0**-126 * 1.75, 3.3, -1e30, 1e-30])
    for others in (0.0, 0.25):
        a = np.full((len(values), 16), others)
        b = np.full((16, len(values)), others)
        a[:, 5] = values
        b[5] = values
        yield a, b
    # Opposite infinities, and large numbers that cancel.
    a, b = random(16, 24, 8)
    a[0, :2], a[1, :2], a[2, :2] = (INF, -INF), (INF, INF), (LARGEST, -LARGEST)
    b[:2] = np.abs(b[:2])
    yield a, b


def cases():
    for spec in SPECS:
        for k in (1024, 1032, 512, 264):
            yield Product(spec, *random(24, k, 64), "random", dynamic=spec.startswith("mk"))
        yield Product(spec, *random(24, 512, 64), "added", fill=False)
        for a, b in special():
            yield Product(spec, a, b, "special")
    # Numbers of all sizes, those without enough bits below 2^-126 among them.
    for low in (-149, -126, 0, 80):
        a, b = random(24, 64, 32)
        yield Product(SPECS[0], np.ldexp(a, rng.integers(low, low + 40, a.shape)), b, "scaled")
    yield Product(SPECS[0], *random(8, 64, 32), "few rows", dynamic=True, split=False)
    yield Product(SPECS[0], *random(24, 60, 32), "not aligned", split=False)


def judge(case, got):
    """What is wrong with a result, or nothing."""
    exact, plain = case.expected(np.float64), case.expected(np.float32)
    if not np.array_equal(np.isnan(got), np.isnan(plain)):
        return "NaN elsewhere"
    infinite = np.isinf(plain)
    if not np.array_equal(got[infinite], plain[infinite]) or np.isinf(got[~infinite]).any():
        return "infinities elsewhere"
    finite = np.isfinite(plain)
    # Of the parts nothing is left below 2^-133.
    lost = 2.0**-133 * (np.abs(case.a) @ np.ones_like(case.b) + np.ones_like(case.a) @ np.abs(case.b))[finite]
    errors, allowed = np.abs(got - exact)[finite], np.abs(plain - exact)[finite]
    magnitudes = (np.abs(case.a.astype(np.float64)) @ np.abs(case.b.astype(np.float64)) + np.abs(case.c))[finite]
    if "random" in case.name or "added" in case.name:
        root = lambda values: np.mean(values**2)**0.5  # noqa: E731
        if root(errors) > 1.5 * root(allowed):
            return f"an error of {root(errors)}, of f32 {root(allowed)}"
    if (errors > 2.0**-22 * magnitudes + lost).any():
        return f"errors up to {np.max(errors / magnitudes)} of the terms"
    return None


def main():
    *tools, source = sys.argv[1:]
    every, failures = list(cases()), []
    with tempfile.TemporaryDirectory() as directory, np.errstate(all="ignore"):
        gemm = pathlib.Path(__file__).with_name("gemm.c")
        library = numbers.compile(every, PASSES, tools, pathlib.Path(directory), "split", f"-I{source}/include", gemm)
        calls = ctypes.c_int64.in_dll(library, "gemmCalls")
        for i, case in enumerate(every):
            calls.value = 0
            got = numbers.run(library, i, case)[2].reshape(case.c.shape)
            if calls.value != case.calls():
                failures.append(f"{case.name}: {calls.value} calls")
            if problem := judge(case, got.astype(np.float64)):
                failures.append(f"{case.name}: {problem}")
    if failures:
        sys.exit("\n".join(failures))
    print(f"{len(every)} products agree")


if __name__ == "__main__":
    main()
