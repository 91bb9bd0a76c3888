"""Compiles contractions on memrefs in two ways, by cublas operations and a stand-in for the
library (gemm.c), and by loops, and compares all that they write.

Usage: cublas_numbers.py LSTM_OPT MLIR_TRANSLATE CLANG SOURCE_DIR

Elements are small integers: every type holds the sums exactly, in any order of summation.
"""

import ctypes
import itertools
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

PRODUCT = ["--convert-linalg-to-cublas", "--convert-cublas-to-runtime"]
# Also what the first way leaves alone: then the test fails by the number of calls.
LOWERING = ["--convert-linalg-to-loops", "--expand-strided-metadata", "--lower-affine", "--convert-scf-to-cf",
            "--arith-expand=include-bf16", "--convert-to-llvm", "--reconcile-unrealized-casts"]
STORAGE = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "bf16": np.uint16}
rng = np.random.default_rng(7)


def encode(type, values):
    if type == "bf16":
        return (np.asarray(values, np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return np.asarray(values, STORAGE[type])


class Operand:
    """A memref in larger storage. `strides` in elements (contiguous by default); which of shape,
    strides and offset the type leaves open is said by `dynamic`."""

    def __init__(self, type, shape, strides=None, offset=0, dynamic=""):
        self.type, self.shape, self.offset = type, tuple(shape), offset
        contiguous = [int(np.prod(shape[i + 1:])) for i in range(len(shape))]
        self.strides = list(strides or contiguous)
        self.has_layout = strides is not None or offset != 0
        self.dynamic = dynamic
        last = sum(max(s - 1, 0) * t for s, t in zip(shape, self.strides))
        self.storage = encode(type, rng.integers(-2, 3, offset + last + 5))

    def mlir_type(self):
        sizes = "".join(f"{'?' if 's' in self.dynamic else s}x" for s in self.shape)
        if not self.has_layout:
            return f"memref<{sizes}{self.type}>"
        strides = ", ".join("?" if "t" in self.dynamic and s != 1 else str(s) for s in self.strides)
        offset = "?" if "o" in self.dynamic else self.offset
        return f"memref<{sizes}{self.type}, strided<[{strides}], offset: {offset}>>"

    def descriptor(self, storage):
        rank = len(self.shape)
        fields = [("allocated", ctypes.c_void_p), ("aligned", ctypes.c_void_p), ("offset", ctypes.c_int64)]
        if rank:
            fields += [("sizes", ctypes.c_int64 * rank), ("strides", ctypes.c_int64 * rank)]
        struct = type("Descriptor", (ctypes.Structure,), {"_fields_": fields})()
        struct.allocated = struct.aligned = storage.ctypes.data
        struct.offset = self.offset
        if rank:
            struct.sizes[:], struct.strides[:] = self.shape, self.strides
        return struct


SIZES = dict(b=4, m=3, n=7, k=5, g=2, u=6, t=9, x=1)


class Case:
    """`spec` is in the manner of einsum. `layouts` and `dynamic` are of A, B and C."""

    def __init__(self, spec, types=("f32", "f32", "f32"), layouts=({}, {}, {}), dynamic="", fill=False, op=None,
                 options="", compute=0, sizes={}):
        inputs, self.output = spec.split("->")
        self.axes = [*inputs.split(","), self.output]
        sizes = {**SIZES, **sizes}
        self.operands = [Operand(t, [sizes[a] for a in axes], dynamic=dynamic, **layout)
                         for t, axes, layout in zip(types, self.axes, layouts)]
        self.name = f"{spec} {types} {layouts} dynamic={dynamic!r} fill={fill} {sizes}"
        self.types, self.fill, self.op, self.options, self.compute = types, fill, op, options, compute

    def mlir(self, name):
        loops = sorted(set("".join(self.axes)))
        types = [o.mlir_type() for o in self.operands]
        args = ", ".join(f"%{n}: {t}" for n, t in zip("abc", types))
        maps = ", ".join(f"affine_map<({', '.join(loops)}) -> ({', '.join(a)})>" for a in self.axes)
        text = f"func.func @{name}({args}) attributes {{llvm.emit_c_interface}} {{\n"
        if self.fill:
            out = self.types[2]
            text += f"  %zero = arith.constant 0.0 : {out}\n  linalg.fill ins(%zero : {out}) outs(%c : {types[2]})\n"
        op = self.op or f"linalg.contract indexing_maps = [{maps}]"
        return text + f"  {op} ins(%a, %b : {types[0]}, {types[1]}) outs(%c : {types[2]})\n  return\n}}\n"


def cases():
    # Every order of the dimensions of each operand.
    for a, b, c in itertools.product(("mk", "km"), ("kn", "nk"), ("mn", "nm")):
        yield Case(f"{a},{b}->{c}")
        yield Case(f"{a},{b}->{c}", dynamic="s", fill=True)
    for a, b, c in itertools.product(("bmk", "mbk", "kbm"), ("bkn", "nbk"), ("bmn", "nbm", "mbn")):
        yield Case(f"{a},{b}->{c}")
    for types in (("f64",) * 3, ("f16",) * 3, ("bf16", "bf16", "f32"), ("f16", "f16", "f32")):
        yield Case("mk,kn->mn", types, compute=2 if types[0] == "f64" else 0)
        yield Case("bkm,bnk->bmn", types, fill=True, compute=2 if types[0] == "f64" else 0)
    yield Case("mk,kn->mn", options="allow-tf32", compute=1)
    # Groups of dimensions.
    yield Case("bk,kgu->bgu", fill=True)
    yield Case("tbk,kgu->tbgu")
    yield Case("tbk,kgu->tbgu", dynamic="s", fill=True)
    yield Case("mgu,gun->mn")
    yield Case("btmk,btkn->btmn")
    yield Case("bk,guk->bgu", layouts=({}, {}, dict(strides=[40, 6, 1], offset=3)), dynamic="o")
    # Dimensions of size 1, wherever they stand.
    yield Case("mxk,kn->xmn")
    yield Case("mxk,kxn->mxn", layouts=(dict(strides=[15, 5, 1], offset=10), {}, {}))
    yield Case("xk,kn->xn")
    yield Case("mk,kx->mx")
    yield Case("mx,xn->mn")
    yield Case("xmk,xkn->xmn", fill=True)
    yield Case("mk,kn->mn", layouts=(dict(strides=[0, 1]), {}, {}), sizes=dict(m=1))
    # Vectors.
    yield Case("mk,k->m", op="linalg.matvec")
    yield Case("k,kn->n", op="linalg.vecmat", fill=True)
    yield Case("k,k->", op="linalg.dot", layouts=(dict(strides=[9]), {}, {}))
    yield Case("mk,k->m", layouts=({}, dict(strides=[3]), dict(strides=[4])))
    yield Case("bmk,bk->bm")
    # Views: rows that lie apart, offsets, known or not; what a stride of the type transposes.
    views = (dict(strides=[20, 1], offset=6), dict(strides=[11, 1], offset=2), dict(strides=[8, 1], offset=1))
    for dynamic in ("", "s", "o", "t", "sot"):
        yield Case("mk,kn->mn", layouts=views, dynamic=dynamic)
        yield Case("mk,kn->mn", layouts=views, dynamic=dynamic, fill=True)
    yield Case("mk,kn->mn", layouts=(dict(strides=[1, 4]), dict(strides=[1, 6]), dict(strides=[1, 5])))
    yield Case("mk,kn->mn", layouts=(dict(strides=[1, 4]), {}, dict(strides=[1, 5])), dynamic="st")
    yield Case("bmk,bkn->bmn", layouts=(dict(strides=[0, 5, 1]), dict(strides=[50, 7, 1], offset=4), {}), dynamic="ot")
    yield Case("bmk,bkn->bmn", op="linalg.batch_matmul", dynamic="s")
    # Nothing to do, and sums of nothing.
    for empty in "mnkb":
        yield Case("bmk,bkn->bmn", sizes={empty: 0})
        yield Case("bmk,bkn->bmn", sizes={empty: 0}, fill=True, dynamic="s")


def compile(cases, passes, tools, directory, name, *extra):
    lstm_opt, translate, clang = tools
    code = []
    for option in sorted({case.options for case in cases}):
        module = "".join(case.mlir(f"f{i}") for i, case in enumerate(cases) if case.options == option)
        options = [p + f"={option}" if option and p == "--convert-linalg-to-cublas" else p for p in passes]
        lowered = subprocess.run([lstm_opt, "-", *options, *LOWERING], input=module, text=True, check=True,
                                 stdout=subprocess.PIPE)
        path = directory / f"{name}{len(code)}.ll"
        with open(path, "w") as file:
            subprocess.run([translate, "--mlir-to-llvmir"], input=lowered.stdout, text=True, check=True, stdout=file)
        code.append(path)
    library = directory / f"{name}.so"
    subprocess.run([clang, "-O1", "-shared", "-fPIC", "-Wno-override-module", *extra, *code, "-o", library], check=True)
    return ctypes.CDLL(str(library))


def run(library, number, case):
    """The storage of all operands after the call."""
    storages = [o.storage.copy() for o in case.operands]
    descriptors = [o.descriptor(s) for o, s in zip(case.operands, storages)]
    getattr(library, f"_mlir_ciface_f{number}")(*map(ctypes.byref, descriptors))
    return storages


def main():
    *tools, source = sys.argv[1:]
    inputs = pathlib.Path(__file__).parent
    every = list(cases())
    with tempfile.TemporaryDirectory() as directory:
        directory = pathlib.Path(directory)
        product = compile(every, PRODUCT, tools, directory, "product", f"-I{source}/include", inputs / "gemm.c")
        loops = compile(every, [], tools, directory, "loops")
        calls = ctypes.c_int64.in_dll(product, "gemmCalls")
        compute = ctypes.c_int64.in_dll(product, "gemmCompute")
        failures = []
        for i, case in enumerate(every):
            calls.value = 0
            got, expected = run(product, i, case), run(loops, i, case)
            if calls.value != 1 or compute.value != case.compute:
                failures.append(f"{case.name}: {calls.value} calls, the last in {compute.value}")
            for name, x, y in zip("ABC", got, expected):
                if not np.array_equal(x, y):
                    failures.append(f"{case.name}: {name} differs\n{x}\n{y}")
    if failures:
        sys.exit("\n".join(failures))
    print(f"{len(every)} products agree")


if __name__ == "__main__":
    main()
