# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is measured on a GPU: sizes, programs, inputs, what they must give."""

import dataclasses
import itertools
import pathlib
import re
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / folder) for folder in ("test/Integration/CPU", "python_bindings")]
import runner  # noqa: E402

GATES = {"lstm": 4, "gru": 3, "peephole": 4, "own": 4, "norm": 4}
# What cuDNN has; another cell is written by whoever needs it.
LIBRARY_CELLS = ("lstm", "gru")
# The type of x, h and the weights; c and biases are f32. In TF32 products round f32 to it.
ELEMENTS = {"f32": "f32", "tf32": "f32", "bf16": "bf16", "f16": "f16"}


@dataclasses.dataclass(frozen=True)
class Case:
    cell: str
    type: str
    B: int
    T: int
    I: int  # noqa: E741
    H: int
    layers: int = 1
    directions: int = 1
    # Whether rows have lengths of their own.
    ragged: bool = False

    def __str__(self):
        more = f" {self.layers} layers" * (self.layers > 1) + " bidirectional" * (self.directions > 1) + " ragged" * self.ragged
        return f"{self.cell} {self.type} {self.B},{self.T},{self.I},{self.H}{more}"

    @property
    def file(self):
        """Of the program, which serves every B and T."""
        return f"{self.cell}-{self.type}-{self.I}-{self.H}-{self.layers}-{self.directions}{'-ragged' * self.ragged}.so"

    @property
    def element(self):
        return ELEMENTS[self.type]

    def parts(self):
        """(name of the layer and direction, width of its input, whether it runs backwards), in order."""
        for layer in range(self.layers):
            for direction in range(self.directions):
                yield f"{layer}{'fb'[direction]}", self.directions * self.H if layer else self.I, direction == 1

    def flops_per_step(self):
        return sum(2 * self.B * GATES[self.cell] * self.H * (width + self.H) for _, width, _ in self.parts())


LAYERS = [(1, 128, 256), (1, 128, 1024), (1, 128, 2048), (16, 128, 512), (64, 128, 256), (64, 128, 512), (64, 128, 1024),
          (64, 128, 2048), (256, 128, 1024), (16, 1024, 768)]
QUICK = [(1, 128, 256), (64, 128, 512)]


def grid(quick=False):
    """What counts most first: a run may end early."""
    types = ("bf16", "f32", "tf32", "f16")
    made = [Case("lstm", kind, B, T, H, H) for kind in types for B, T, H in (QUICK if quick else LAYERS)]
    for cell, units in (("peephole", (1024, 512)), ("own", (1024, 512)), ("norm", (512,))):
        made += [Case(cell, kind, 64, 128, H, H) for kind in ("bf16", "f32") for H in (units[-1:] if quick else units)]
    if not quick:
        made += [Case("lstm", kind, *sizes) for kind in types[:3]
                 for sizes in ((64, 512, 768, 768, 2, 2), (32, 128, 1024, 1024, 4, 1))]
    made += [Case("gru", kind, B, T, H, H) for kind in types[:3] for B, T, H in (QUICK[1:] if quick else LAYERS[3:7])]
    return made


def small_cases(quick=False):
    """Where what a call costs besides the device's work shows most."""
    return [case for case in grid(quick) if (case.cell, case.type) == ("lstm", "bf16") and case.B <= 64 and case.H <= 512]


def ragged_cases(quick=False):
    return [Case("lstm", kind, B, 128, H, H, ragged=True) for kind, B, H in
            [("bf16", 64, 512), ("bf16", 64, 1024), ("bf16", 256, 1024), ("f32", 64, 512)][:1 if quick else None]]


# How long rows are, the longest first.
LENGTHS = {"all the same": lambda T, B: np.full(B, T), "from T down to 1": lambda T, B: np.linspace(T, 1, B).round(),
           "from T/2 down to 1": lambda T, B: np.linspace(T // 2, 1, B).round(),
           "one of T, others of T/4": lambda T, B: np.array([T] + [T // 4] * (B - 1))}


# Over H, for a picture: what the steps of a bf16 LSTM take. XLA, which compiles long, only at some H.
STEPS_H, STEPS_B, STEPS_XLA_H = (128, 256, 384, 512, 768, 1024, 1536, 2048), (1, 16, 64), (256, 512, 1024, 2048)


def steps_cases(quick=False):
    """Those of one H behind each other, which have weights in common."""
    return [Case("lstm", "bf16", B, 128, H, H) for H in (STEPS_H[1:4:2] if quick else STEPS_H) for B in STEPS_B]


# What strategy=naive and the host's cost are measured at.
BASELINE = Case("lstm", "bf16", 64, 128, 512, 512)


# Programs


def gates_text(names, activations, terms, H):
    """One value a gate, in f32."""
    gates = f"tensor<?x{len(names)}x{H}xf32>"
    lines = [f"%gates = lstm.gate [{', '.join(activations)}] {terms} : {gates}"]
    lines += [f"%{name} = tensor.extract_slice %gates[0, {k}, 0] [%B, 1, {H}] [1, 1, 1] : {gates} to tensor<?x{H}xf32>"
              for k, name in enumerate(names)]
    return "\n    ".join(lines)


def own_text(case, width, state, cell):
    """A cell that nobody else has, with LSTM's products and states: as far as i lets it, c gives up the share r of
    itself for g, and it stays within 1. Gates lie in the order i, r, g, o; z = x W + h U + b:

        i = sigmoid(z_i)    r = (1 + softsign(z_r)) / 2    g = elu(z_g)    o = sigmoid(z_o)
        c' = max(-1, min(1, c + i * (g - r * c)))          h' = o * tanh(c')
    """
    H, e = case.H, case.element
    terms = f"dot(%xt, %W : tensor<?x{width}x{e}>, tensor<{width}x4x{H}x{e}>)\n        " \
            f"dot(%h, %U : {state}, tensor<{H}x4x{H}x{e}>) add(%b : tensor<4x{H}xf32>)"
    return gates_text(("i", "s", "g", "o"), ("sigmoid", "softsign", "elu", "sigmoid"), terms, H) + f"""
    %r = lstm.gate affine(0.5, 0.5) add(%s : {cell}) : {cell}
    %rc = arith.mulf %r, %c : {cell}
    %way = arith.subf %g, %rc : {cell}
    %moved = arith.mulf %i, %way : {cell}
    %c1 = lstm.gate identity clip 1.0 add(%c : {cell}) add(%moved : {cell}) : {cell}
    %a = math.tanh %c1 : {cell}
    %h1 = lstm.gate identity scale(%o, %a : {cell}, {cell}) : {state}"""


def normalizers(H):
    """The functions of the example, with so many units."""
    text = (ROOT / "examples/cells/layer_norm_lstm.mlir").read_text()
    found = re.findall(r"(?ms)^func\.func private @normalize_\w+\(.*?^}\n", text)
    sizes = {"40": H, "160": 4 * H}
    return re.sub(r"(?<![\d.])(40|160)(?=x|\.0)", lambda size: str(sizes[size[0]]), "\n".join(found))


def norm_text(case, width, state, cell):
    """As in the example, but for the types of x and h."""
    H, e = case.H, case.element
    gates, gain, cell_gain = f"tensor<?x4x{H}xf32>", f"tensor<4x{H}xf32>", f"tensor<{H}xf32>"
    terms = f"add(%nx : {gates})\n        add(%nh : {gates}) add(%b : {gain})"
    return f"""%zx = lstm.gate identity dot(%xt, %W : tensor<?x{width}x{e}>, tensor<{width}x4x{H}x{e}>) : {gates}
    %zh = lstm.gate identity dot(%h, %U : {state}, tensor<{H}x4x{H}x{e}>) : {gates}
    %nx = func.call @normalize_gates(%zx, %gain_x, %shift_x) : ({gates}, {gain}, {gain}) -> {gates}
    %nh = func.call @normalize_gates(%zh, %gain_h, %shift_h) : ({gates}, {gain}, {gain}) -> {gates}
    {gates_text(("i", "f", "g", "o"), ("sigmoid", "sigmoid", "tanh", "sigmoid"), terms, H)}
    %fc = arith.mulf %f, %c : {cell}
    %ig = arith.mulf %i, %g : {cell}
    %c1 = arith.addf %fc, %ig : {cell}
    %nc = func.call @normalize_cell(%c1, %gain_c, %shift_c) : ({cell}, {cell_gain}, {cell_gain}) -> {cell}
    %a = math.tanh %nc : {cell}
    %h1 = lstm.gate identity scale(%o, %a : {cell}, {cell}) : {state}"""


# Those that no operation is.
USER_CELLS = {"own": own_text, "norm": norm_text}


def cell_text(case, width, state, cell):
    if case.cell in USER_CELLS:
        return USER_CELLS[case.cell](case, width, state, cell)
    H, G, e = case.H, GATES[case.cell], case.element
    low = f"input(%xt, %W : tensor<?x{width}x{e}>, tensor<{width}x{G}x{H}x{e}>)\n" \
          f"        state(%h, %U : {state}, tensor<{H}x{G}x{H}x{e}>)\n        "
    bias = f"bias(%b : tensor<{G}x{H}xf32>)"
    if case.cell == "gru":
        return f"%h1 = lstm.gru_cell reset_after {low}{bias} recurrent_bias(%d : tensor<{G}x{H}xf32>)"
    more = f" peephole(%p : tensor<3x{H}xf32>)" if case.cell == "peephole" else ""
    return f"%h1, %c1 = lstm.cell {low}cell(%c : {cell}) {bias}{more}"


def part_arguments(case, width):
    """Names and types of what a layer and direction takes besides x."""
    H, G, e = case.H, GATES[case.cell], case.element
    made = {"h0": f"tensor<?x{H}x{e}>"}
    if case.cell != "gru":
        made["c0"] = f"tensor<?x{H}xf32>"
    made |= {"W": f"tensor<{width}x{G}x{H}x{e}>", "U": f"tensor<{H}x{G}x{H}x{e}>", "b": f"tensor<{G}x{H}xf32>"}
    if case.cell == "gru":
        made["d"] = f"tensor<{G}x{H}xf32>"
    if case.cell == "peephole":
        made["p"] = f"tensor<3x{H}xf32>"
    if case.cell == "norm":
        for of, gates in (("x", "4x"), ("h", "4x"), ("c", "")):
            made |= {f"{kind}_{of}": f"tensor<{gates}{H}xf32>" for kind in ("gain", "shift")}
    if case.ragged:
        made["len"] = "tensor<?xi32>"
    return made


def part_text(case, name, width, backwards):
    H, e = case.H, case.element
    x, ys, state, cell = f"tensor<?x?x{width}x{e}>", f"tensor<?x?x{H}x{e}>", f"tensor<?x{H}x{e}>", f"tensor<?x{H}xf32>"
    arguments = part_arguments(case, width)
    has_c = "c0" in arguments
    states = f"{state}, {cell}" if has_c else state
    init = "%h = %h0, %c = %c0" if has_c else "%h = %h0"
    after = "%h1, %c1" if has_c else "%h1"
    listed = ", ".join(f"%{n}: {t}" for n, t in arguments.items())
    return f"""
func.func private @part_{name}(%x: {x}, {listed}) -> ({ys}, {states}) {{
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %T = tensor.dim %x, %i0 : {x}
  %B = tensor.dim %x, %i1 : {x}
  %ys0 = tensor.empty(%T, %B) : {ys}
  %ys, %last{":2" if has_c else ""} = lstm.recurrence over(%xt = %x : {x})
      init({init} : {states}){" lengths(%len : tensor<?xi32>)" if case.ragged else ""}{" reverse" if backwards else ""} outs(%ys0 : {ys}) {{
    {cell_text(case, width, state, cell)}
    lstm.yield state({after} : {states}) out(%h1 : {state})
  }}
  return %ys, {"%last#0, %last#1" if has_c else "%last"} : {ys}, {states}
}}
"""


def program(case):
    """@main(x, what each layer and direction takes) -> (ys, their last states)."""
    H, e, D = case.H, case.element, case.directions
    ys, wide = f"tensor<?x?x{H}x{e}>", f"tensor<?x?x{D * H}x{e}>"
    x = f"tensor<?x?x{case.I}x{e}>"
    parts = list(case.parts())
    parameters, body, values, results = [f"%x: {x}"], [], [], []
    read, read_type = "%x", x
    for layer in range(case.layers):
        made = []
        for name, width, _ in parts[layer * D:(layer + 1) * D]:
            arguments = part_arguments(case, width)
            parameters += [f"%{n}_{name}: {t}" for n, t in arguments.items()]
            states = [arguments[n] for n in ("h0", "c0") if n in arguments]
            body.append(f"  %r_{name}:{1 + len(states)} = call @part_{name}({read}, "
                        + ", ".join(f"%{n}_{name}" for n in arguments)
                        + f") : ({read_type}, {', '.join(arguments.values())}) -> ({ys}, {', '.join(states)})")
            made.append(f"%r_{name}#0")
            for k, kind in enumerate(states):
                values.append(f"%r_{name}#{k + 1}")
                results.append((f"{'hc'[k]}T_{name}", kind))
        read, read_type = made[0], ys
        if D == 2:
            body.append(f"""  %both_{layer} = tensor.empty(%T, %B) : {wide}
  %half_{layer} = tensor.insert_slice {made[0]} into %both_{layer}[0, 0, 0] [%T, %B, {H}] [1, 1, 1] : {ys} into {wide}
  %ys_{layer} = tensor.insert_slice {made[1]} into %half_{layer}[0, 0, {H}] [%T, %B, {H}] [1, 1, 1] : {ys} into {wide}""")
            read, read_type = f"%ys_{layer}", wide
    values.insert(0, read)
    results.insert(0, ("ys", read_type))
    named = ", ".join(f'{kind} {{lstm.name = "{name}"}}' for name, kind in results)
    sizes = f"""  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %T = tensor.dim %x, %i0 : {x}
  %B = tensor.dim %x, %i1 : {x}
"""
    shared = normalizers(H) if case.cell == "norm" else ""
    return shared + "".join(part_text(case, *part) for part in parts) + f"""
func.func @main({', '.join(parameters)}) -> ({named}) {{
{sizes}{chr(10).join(body)}
  return {', '.join(values)} : {', '.join(kind for _, kind in results)}
}}
"""


# Inputs and what they give


def inputs(case, seed=1, lengths=None):
    """Random float32 arrays by name, which the case's type holds exactly; nothing of it is zero. Lengths are int32."""
    random = np.random.default_rng(seed)
    made = {"x": random.standard_normal((case.T, case.B, case.I), np.float32)}
    for name, width, _ in case.parts():
        for argument, text in part_arguments(case, width).items():
            if argument == "len":
                continue
            shape = [case.B if size is None else size for size in runner.Slot("a", None, text).shape]
            if argument in ("h0", "c0"):
                value = 0.5 * random.standard_normal(shape, np.float32)
            elif argument.startswith("gain"):
                value = 1 + 0.1 * random.standard_normal(shape, np.float32)
                # A normalized product of the state as large as that of the input makes any error grow from step to step.
                if argument == "gain_h":
                    value *= np.float32(0.3)
            else:
                value = random.uniform(-1, 1, shape).astype(np.float32) / case.H**0.5
            made[f"{argument}_{name}"] = value
    kind = case.element
    made = {name: value if kind == "f32" else runner.rounded(value, kind).astype(np.float32) for name, value in made.items()}
    return made | {f"len_{name}": np.asarray(lengths, np.int32) for name, _, _ in case.parts() if case.ragged}


def normalized(values, gain, shift, xp):
    """Over the axes that gain has."""
    axes = tuple(range(-gain.ndim, 0))
    centred = values - values.mean(axes, keepdims=True)
    return centred / xp.sqrt((centred**2).mean(axes, keepdims=True) + 1e-5) * gain + shift


def product(a, values, weight, of, xp):
    """x W or h U, which some cells normalize."""
    W = a[weight]
    made = (values.reshape(-1, len(W)) @ W.reshape(len(W), -1)).reshape(*values.shape[:-1], *W.shape[1:])
    return normalized(made, a[f"gain_{of}"], a[f"shift_{of}"], xp) if f"gain_{of}" in a else made


def next_state(cell, p, u, h, c, a, xp):
    """h and c after a step; p is x W + b, u is h U, a what the layer and direction takes."""
    sigmoid = lambda v: 1 / (1 + xp.exp(-v))  # noqa: E731
    if cell == "gru":
        r, z = sigmoid(p[:, 0] + u[:, 0] + a["d"][0]), sigmoid(p[:, 1] + u[:, 1] + a["d"][1])
        n = xp.tanh(p[:, 2] + r * (u[:, 2] + a["d"][2]))
        return (1 - z) * n + z * h, None
    z, peep = p + u, a.get("p", (0, 0, 0))
    if cell == "own":
        r, g = (1 + z[:, 1] / (1 + abs(z[:, 1]))) / 2, xp.where(z[:, 2] < 0, xp.expm1(z[:, 2]), z[:, 2])
        c = xp.clip(c + sigmoid(z[:, 0]) * (g - r * c), -1, 1)
    else:
        i, f = sigmoid(z[:, 0] + peep[0] * c), sigmoid(z[:, 1] + peep[1] * c)
        c = f * c + i * xp.tanh(z[:, 2])
    seen = normalized(c, a["gain_c"], a["shift_c"], xp) if cell == "norm" else c
    return sigmoid(z[:, 3] + peep[2] * c) * xp.tanh(seen), c


def reference(case, arrays, xp=np):
    """ys in the arrays' own precision; `xp` is numpy or torch."""
    y = arrays["x"]
    parts = list(case.parts())
    D = case.directions
    for layer in range(case.layers):
        sides = []
        for name, width, backwards in parts[layer * D:(layer + 1) * D]:
            a = {n: arrays[f"{n}_{name}"] for n in part_arguments(case, width)}
            h, c, ys = a["h0"], a.get("c0"), []
            projected = product(a, y, "W", "x", xp) + a["b"]
            for t in reversed(range(len(y))) if backwards else range(len(y)):
                before = h, c
                h, c = next_state(case.cell, projected[t], product(a, h, "U", "h", xp), h, c, a, xp)
                # Rows that have ended keep their states, and give zeros.
                live = (t < a["len"])[:, None] if "len" in a else None
                ys.append(h if live is None else xp.where(live, h, 0 * h))
                if live is not None:
                    h, c = (new if new is None else xp.where(live, new, old) for new, old in zip((h, c), before))
            sides.append(xp.stack(ys[::-1] if backwards else ys))
        y = sides[0] if D == 1 else xp.concatenate(sides, -1)
    return y
