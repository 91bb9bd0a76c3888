"""Compiles phases on memrefs through convert-lstm-to-vector and compares what they
compute with NumPy: phase_numbers.py LSTM_OPT MLIR_TRANSLATE CLANG [case ...]

A case is a function on memrefs, written here with sizes that are static or
dynamic, and the same in NumPy (in float64).
"""

import ctypes
import os
import shlex
import subprocess
import sys
import tempfile

import numpy as np

LOWERING = [
    "--canonicalize", "--cse", "--convert-lstm-to-llvm", "--convert-vector-to-scf", "--expand-strided-metadata",
    "--lower-affine", "--convert-scf-to-cf", "--arith-expand=include-bf16", "--convert-vector-to-llvm",
    "--convert-math-to-llvm", "--convert-math-to-libm", "--convert-to-llvm",
    "--reconcile-unrealized-casts",
]
rng = np.random.default_rng(7)


class BFloat16:
    """What NumPy lacks: values are kept as uint16."""

    @staticmethod
    def encode(x):
        bits = np.asarray(x, np.float32).view(np.uint32)
        return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)

    @staticmethod
    def decode(x):
        return (x.astype(np.uint32) << 16).view(np.float32).astype(np.float64)


NUMPY = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "bf16": np.uint16,
         "i32": np.int32, "i64": np.int64, "i1": np.bool_, "index": np.int64}
TOLERANCE = {"f64": 1e-12, "f32": 2e-6, "f16": 2e-3, "bf16": 1.6e-2}


class Array:
    """An argument: element type, shape, and whether its last dimension is strided."""

    def __init__(self, type, shape, strided=False, value=None):
        self.type, self.shape, self.strided = type, tuple(shape), strided
        space = [*shape[:-1], 2 * shape[-1]] if strided and shape else shape
        if value is not None:
            self.data = np.array(value, NUMPY[type])
            return
        if type in ("f64", "f32", "f16"):
            storage = rng.standard_normal(space).astype(NUMPY[type])
        elif type == "bf16":
            storage = BFloat16.encode(rng.standard_normal(space))
        else:
            storage = rng.integers(0, 2 if type == "i1" else 5, space).astype(NUMPY[type])
        self.data = storage[..., ::2] if strided and shape else storage

    def numbers(self):
        if self.type == "bf16":
            return BFloat16.decode(self.data)
        return self.data.astype(np.float64) if self.type[0] == "f" else self.data.copy()

    def mlir_type(self, dynamic):
        sizes = "".join(f"{'?' if dynamic else s}x" for s in self.shape)
        layout = ""
        if self.strided:
            strides = ", ".join(["?"] * len(self.shape))
            layout = f", strided<[{strides}], offset: ?>"
        return f"memref<{sizes}{self.type}{layout}>"

    def descriptor(self):
        rank = len(self.shape)
        fields = [("allocated", ctypes.c_void_p), ("aligned", ctypes.c_void_p),
                  ("offset", ctypes.c_int64)]
        if rank:
            fields += [("sizes", ctypes.c_int64 * rank), ("strides", ctypes.c_int64 * rank)]
        struct = type("Descriptor", (ctypes.Structure,), {"_fields_": fields})()
        struct.allocated = struct.aligned = self.data.ctypes.data
        if rank:
            struct.sizes[:] = self.shape
            struct.strides[:] = [s // self.data.itemsize for s in self.data.strides]
        return struct


class Phase:
    """`pairs`: (state, weight); `inputs`: (array or (type, number), axes); `body`: MLIR
    on %z0..., %x0..., %old0...; `reference`: NumPy on the same lists, returns the outs.
    """

    def __init__(self, name, pairs, inputs, outs, accumulator, body, reference, dynamic=False,
                 options=""):
        self.name, self.pairs, self.inputs, self.outs = name, pairs, inputs, outs
        self.accumulator, self.body, self.reference = accumulator, body, reference
        self.dynamic, self.options = dynamic, options

    def arrays(self):
        flat = [a for pair in self.pairs for a in pair] + [a for a, _ in self.inputs]
        return flat + self.outs

    def num_gates(self):
        if self.pairs:
            return self.pairs[0][1].shape[1]
        return next((a.shape[axes.index("g")] for a, axes in self.inputs if "g" in axes), 0)

    def mlir(self):
        gates = self.num_gates()
        arrays = self.arrays()

        def mlir_type(a):
            if not a.shape:
                return a.type
            # The number of gates is part of the program.
            text = a.mlir_type(self.dynamic)
            axes = next((axes for b, axes in self.inputs if a is b), "")
            if self.dynamic and (any(a is w for _, w in self.pairs) or "g" in axes):
                position = axes.index("g") if axes else 1
                parts = text[len("memref<"):].split("x", len(a.shape))
                parts[position] = str(gates)
                text = "memref<" + "x".join(parts)
            return text

        names = {id(a): f"%a{i}" for i, a in enumerate(arrays)}
        types = {id(a): mlir_type(a) for a in arrays}
        signature = ", ".join(f"{names[id(a)]}: {types[id(a)]}" for a in dict.fromkeys(arrays))
        text = f"func.func @NAME({signature}) attributes {{llvm.emit_c_interface}} {{\n  lstm.phase"
        for a, w in self.pairs:
            text += f" project({names[id(a)]}, {names[id(w)]} : {types[id(a)]}, {types[id(w)]})"
        if self.inputs:
            ops = ", ".join(names[id(a)] + (f"[{', '.join(axes)}]" if axes else "") for a, axes in self.inputs)
            text += f" ins({ops} : {', '.join(types[id(a)] for a, _ in self.inputs)})"
        text += f" outs({', '.join(names[id(a)] for a in self.outs)} : {', '.join(types[id(a)] for a in self.outs)}) {{\n"
        arguments = [f"%z{g}: {self.accumulator}" for g in range(gates if self.pairs else 0)]
        for i, (a, axes) in enumerate(self.inputs):
            arguments += [f"%x{i}_{g}: {a.type}" for g in range(gates)] if "g" in axes else [f"%x{i}: {a.type}"]
        arguments += [f"%old{i}: {a.type}" for i, a in enumerate(self.outs)]
        return text + f"  ^bb0({', '.join(arguments)}):\n{self.body}\n  }}\n  return\n}}\n"

    def expected(self):
        shape = self.outs[0].shape
        z = None
        if self.pairs:
            z = sum(np.einsum("rk,kgu->gru", a.numbers(), w.numbers()) for a, w in self.pairs)
        x = []
        for a, axes in self.inputs:
            n = a.numbers()
            if "g" in axes:
                n = np.moveaxis(n, axes.index("g"), 0)
            if "r" in axes and "u" not in axes:
                n = n[..., None]
            x.append(n)
        results = self.reference(z, x, [o.numbers() for o in self.outs])
        return [np.broadcast_to(r, shape) for r in results]


def compile_phases(phases, tools, directory, conversion="--lstm-expand-math --convert-lstm-to-vector={}",
                   flags=()):
    """One shared object for all phases; those with options of their own, which go into
    `conversion`, apart. `flags` are clang's."""
    opt, translate, clang = tools
    objects = {}
    for options in sorted({p.options for p in phases}):
        name = f"phases{len(objects)}"
        source = os.path.join(directory, name + ".mlir")
        # With dynamic sizes one function serves many.
        symbols = {}
        for p in phases:
            if p.options == options:
                p.symbol = symbols.setdefault(p.mlir(), f"phase{len(symbols)}")
        with open(source, "w") as f:
            f.write("".join(text.replace("@NAME", "@" + symbol) for text, symbol in symbols.items()))
        lowered = subprocess.run(
            [opt, source, *shlex.split(conversion.format(options)), *LOWERING],
            check=True, capture_output=True, text=True).stdout
        if "lstm.phase" in lowered:
            sys.exit("a phase was left alone")
        ir = subprocess.run([translate, "--mlir-to-llvmir"], input=lowered, check=True,
                            capture_output=True, text=True).stdout
        with open(os.path.join(directory, name + ".ll"), "w") as f:
            f.write(ir)
        library = os.path.join(directory, name + ".so")
        subprocess.run([clang, "-O1", "-march=native", *flags, "-Wno-override-module", "-shared", "-fPIC",
                        "-lm", os.path.join(directory, name + ".ll"), "-o", library], check=True)
        objects[options] = ctypes.CDLL(library)
    return objects


def run(phase, library):
    descriptors = []
    for a in dict.fromkeys(phase.arrays()):
        if a.shape:
            descriptors.append(ctypes.byref(a.descriptor()))
        elif a.type == "f32":
            descriptors.append(ctypes.c_float(a.data[()]))
        elif a.type == "f64":
            descriptors.append(ctypes.c_double(a.data[()]))
        else:
            descriptors.append(ctypes.c_int64(int(a.data[()])))
    getattr(library, "_mlir_ciface_" + phase.symbol)(*descriptors)


def check(phase, library):
    expected = phase.expected()
    outside = [o.data.base.copy() if o.strided else None for o in phase.outs]
    run(phase, library)
    worst = 0.0
    for i, (out, want) in enumerate(zip(phase.outs, expected)):
        got = out.numbers()
        if out.type in TOLERANCE:
            error = np.abs(got - want) / np.maximum(1.0, np.abs(want))
            depth = max((a.shape[1] for a, _ in phase.pairs), default=1)
            operands = [t.type for pair in phase.pairs for t in pair] + [out.type]
            limit = max(TOLERANCE[out.type], TOLERANCE[phase.accumulator]) * max(1.0, depth**0.5 / 2)
            ok = not got.size or (np.isfinite(error) & (error <= limit)).all()
            worst = max(worst, error.max() if got.size else 0.0)
        else:
            ok = np.array_equal(got, want)
        if not ok:
            where = np.unravel_index(np.argmax(np.where(np.isnan(error), np.inf, error)), got.shape)
            sys.exit(f"{phase.name}: out {i} at {where}: {got[where]} instead of {want[where]}")
        if out.strided and not np.array_equal(outside[i][..., 1::2], out.data.base[..., 1::2]):
            sys.exit(f"{phase.name}: out {i}: wrote between its elements")
    print(f"{phase.name}: ok, error {worst:.1e}")


# ---- cases -------------------------------------------------------------------

SIGMOID = """    {n}0 = arith.negf {x} : {t}
    {n}1 = math.exp {n}0 : {t}
    {n}2 = arith.constant 1.0 : {t}
    {n}3 = arith.addf {n}1, {n}2 : {t}
    {n} = arith.divf {n}2, {n}3 : {t}
"""


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def gru(name, rows, units, depth, dynamic=False, strided=(), accumulator="f32", element="f32", options=""):
    t = accumulator
    widen = "" if element == t else "".join(
        f"    %{a}w = arith.extf %{a} : {element} to {t}\n" for a in ("x0_0", "x0_1", "x0_2", "x1", "x2"))
    w = "" if element == t else "w"
    body = widen + (f"    %r_ = arith.addf %z0, %x0_0{w} : {t}\n" + SIGMOID.format(n="%r", x="%r_", t=t)
                    + f"    %u_ = arith.addf %z1, %x0_1{w} : {t}\n" + SIGMOID.format(n="%u", x="%u_", t=t)
                    + f"""    %n0 = arith.addf %z2, %x1{w} : {t}
    %n1 = arith.mulf %r, %n0 : {t}
    %n2 = arith.addf %n1, %x0_2{w} : {t}
    %n = math.tanh %n2 : {t}
    %d = arith.subf %x2{w}, %n : {t}
    %e = arith.mulf %d, %u : {t}
    %h = arith.addf %e, %n : {t}
""")
    if element != t:
        body += f"    %hn = arith.truncf %h : {t} to {element}\n    lstm.yield %hn : {element}"
    else:
        body += f"    lstm.yield %h : {t}"

    def reference(z, x, old):
        r, u = sigmoid(z[0] + x[0][0]), sigmoid(z[1] + x[0][1])
        n = np.tanh(r * (z[2] + x[1]) + x[0][2])
        return [(x[2] - n) * u + n]

    h = Array(element, (rows, depth), "state" in strided)
    weight = Array(element, (depth, 3, units), "weight" in strided)
    last = Array(element, (rows, units), "input" in strided)
    return Phase(name, [(h, weight)],
                 [(Array(element, (rows, 3, units), "input" in strided), "rgu"),
                  (Array(element, (units,), "input" in strided), "u"), (last, "ru")],
                 [Array(element, (rows, units), "out" in strided)], t, body, reference, dynamic, options)


def plain(name, rows, units, depth, gates=1, dynamic=False, types=("f32", "f32", "f32", "f32"), options=""):
    """A product alone; the gates are summed. Types: state, weight, accumulator, out."""
    state, weight, accumulator, out = types
    body = "    %s0 = arith.constant 0.0 : " + accumulator + "\n"
    for g in range(gates):
        body += f"    %s{g + 1} = arith.addf %s{g}, %z{g} : {accumulator}\n"
    last = f"%s{gates}"
    if out != accumulator:
        conversion = "truncf" if int(out.strip("bf")) < int(accumulator.strip("bf")) else "extf"
        body += f"    %y = arith.{conversion} {last} : {accumulator} to {out}\n"
        last = "%y"
    body += f"    lstm.yield {last} : {out}"
    return Phase(name, [(Array(state, (rows, depth)), Array(weight, (depth, gates, units)))], [],
                 [Array(out, (rows, units))], accumulator, body, lambda z, x, old: [sum(z)], dynamic, options)


def masked_lstm(name, rows, units, dynamic=False, options=""):
    """Two products, a length for each row, c in place, h to two places of different types."""
    body = ""
    for g, n in enumerate("ifgo"):
        body += f"    %{n}_ = arith.addf %z{g}, %x0_{g} : f32\n"
        body += SIGMOID.format(n=f"%{n}", x=f"%{n}_", t="f32") if n != "g" else "    %g = math.tanh %g_ : f32\n"
    body += """    %fc = arith.mulf %f, %old1 : f32
    %ig = arith.mulf %i, %g : f32
    %c = arith.addf %fc, %ig : f32
    %tc = math.tanh %c : f32
    %h = arith.mulf %o, %tc : f32
    %valid = arith.cmpi slt, %x2, %x1 : i32
    %hk = arith.select %valid, %h, %x3 : f32
    %ck = arith.select %valid, %c, %old1 : f32
    %zero = arith.constant 0.0 : f32
    %y = arith.select %valid, %h, %zero : f32
    %yn = arith.truncf %y : f32 to bf16
    lstm.yield %hk, %ck, %yn : f32, f32, bf16"""

    def reference(z, x, old):
        i, f, g, o = (z[k] + x[0][k] for k in range(4))
        c = sigmoid(f) * old[1] + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        valid = x[2] < x[1]
        return [np.where(valid, h, x[3]), np.where(valid, c, old[1]), np.where(valid, h, 0)]

    return Phase(name,
                 [(Array("f32", (rows, 19)), Array("f32", (19, 4, units))),
                  (Array("f32", (rows, 6)), Array("f32", (6, 4, units)))],
                 [(Array("f32", (4, units)), "gu"), (Array("i32", (rows,)), "r"), (Array("i32", (), value=2), ""),
                  (Array("f32", (rows, units)), "ru")],
                 [Array("f32", (rows, units)), Array("f32", (rows, units)), Array("bf16", (rows, units))],
                 "f32", body, reference, dynamic, options)


def all_axes(name, rows, units, dynamic=False, strided=()):
    """No product; an operand of each kind."""
    body = """    %a0 = arith.addf %x0_0, %x0_1 : f32
    %a1 = arith.mulf %a0, %x1 : f32
    %a2 = arith.addf %x2_0, %x2_1 : f32
    %a3 = arith.addf %a1, %a2 : f32
    %a4 = arith.subf %x3_0, %x3_1 : f32
    %a5 = arith.mulf %a3, %a4 : f32
    %a6 = arith.addf %x4_0, %x4_1 : f32
    %a7 = arith.addf %a5, %a6 : f32
    %a8 = arith.mulf %a7, %x6 : f32
    %a9 = arith.select %x5, %a8, %old0 : f32
    %w = arith.extf %a9 : f32 to f64
    %n = arith.index_cast %x7 : index to i32
    %m = arith.addi %n, %old2 : i32
    lstm.yield %a9, %w, %m : f32, f64, i32"""

    def reference(z, x, old):
        a = (x[0][0] + x[0][1]) * x[1] + x[2][0] + x[2][1]
        a = (a * (x[3][0] - x[3][1]) + x[4][0] + x[4][1]) * x[6]
        a = np.where(x[5], a, old[0])
        return [a, a, x[7] + old[2]]

    s = "input" in strided
    inputs = [(Array("f32", (rows, 2, units), s), "rgu"), (Array("f32", (rows, units), s), "ru"),
              (Array("f32", (2, units), s), "gu"), (Array("f32", (rows, 2), s), "rg"), (Array("f32", (2,)), "g"),
              (Array("i1", (units,)), "u"), (Array("f32", (), value=0.5), ""), (Array("index", (rows,), s), "r")]
    s = "out" in strided
    return Phase(name, [], inputs, [Array("f32", (rows, units), s), Array("f64", (rows, units), s),
                                    Array("i32", (rows, units), s)], "f32", body, reference, dynamic)


def cases():
    result = []
    for bits in (128, 256, 512):
        o = f"vector-bits={bits}"
        # The width matters to where tiles end; odd cases are tried at one.
        gru_sizes, plain_sizes, lstm_sizes = [(7, 19, 3)], [(70, 97, 33, 1)], [(5, 13)]
        if bits == 256:
            gru_sizes += [(16, 32, 8), (1, 7, 5), (37, 21, 1), (2, 65, 0), (0, 8, 4), (3, 0, 2)]
            plain_sizes += [(9, 33, 6, 2), (3, 20, 7, 5), (2, 9, 3, 14)]
            lstm_sizes += [(40, 20)]
        for dynamic in (False, True):
            d = f"{'dyn' if dynamic else 'static'}_{bits}"
            result += [gru(f"gru_{d}_{r}_{u}_{k}", r, u, k, dynamic, options=o) for r, u, k in gru_sizes]
            result += [plain(f"plain_{d}_{r}_{u}_{k}_{g}", r, u, k, g, dynamic, options=o)
                       for r, u, k, g in plain_sizes]
            result += [masked_lstm(f"lstm_{d}_{r}_{u}", r, u, dynamic, options=o) for r, u in lstm_sizes]
    for dynamic in (False, True):
        d = "dyn" if dynamic else "static"
        for e, a in [("f64", "f64"), ("f16", "f32"), ("bf16", "f32")]:
            result += [gru(f"gru_{d}_{e}_{r}", r, 21, 9, dynamic, accumulator=a, element=e) for r in (1 if dynamic else 22,)]
        result += [gru(f"gru_{d}_strided_{s}_{r}", r, 13, 6, dynamic, strided=(s,))
                   for s in ("state", "weight", "input", "out") for r in (3 if dynamic else 22,)]
        result += [plain(f"plain_{d}_{'_'.join(t)}", 40, 21, 12, 1, dynamic, types=t)
                   for t in [("bf16", "f32", "f32", "bf16"), ("f32", "f16", "f32", "f32"), ("f32", "f32", "f64", "f32")]]
        result += [all_axes(f"axes_{d}_{r}_{u}_{len(s)}", r, u, dynamic, s)
                   for r, u in [(4, 16), (3, 11)] for s in ((), ("input", "out"))]
    return result


def main():
    tools, names = sys.argv[1:4], sys.argv[4:]
    phases = [p for p in cases() if not names or any(n in p.name for n in names)]
    with tempfile.TemporaryDirectory() as directory:
        libraries = compile_phases(phases, tools, directory)
        for phase in phases:
            check(phase, libraries[phase.options])
    print(f"{len(phases)} phases agree")


if __name__ == "__main__":
    main()
