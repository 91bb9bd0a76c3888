# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cells that reduce over the units of a row in each step, with their references in float64.

    rms          h' = tanh(z / sqrt(mean(z^2) + eps) * gain), z = x + h U
    gates        two gates z = x + h U, each normalized to mean 0 and variance 1; h' = f h + (1 - f) tanh(z_1)
    stacked      two gates y = tanh(x + h U); h' = (y_0 y_1 - m) gain, m the largest of all y
    softmax      h' = H softmax(z) / 4 - gain
    before       h' = h / 2 + tanh(x + n U), n the normalized h, with what leaves the step rounded first
"""

import re

import numpy as np

EPSILON = 1e-5


def fold(name, source, shape, body, init="0.0", rows=(), per_gate=False):
    """A reduction over units, or gates and units, of `source`; `rows` are row values that its body reads."""
    dims = ["r", "g", "u"] if "x2x" in shape else ["r", "u"]
    out = "r, g" if per_gate else "r"
    row = "tensor<?x2xf32>" if per_gate else "tensor<?xf32>"
    dim = ", ".join(dims)
    kinds = ["parallel"] * (2 if per_gate else 1)
    kinds += ["reduction"] * (len(dims) - len(kinds))
    maps = [dim] + [out] * (len(rows) + 1)
    arguments = ["%e: f32"] + [f"%r{i}: f32" for i in range(len(rows))] + ["%s: f32"]
    return f"""
    %{name}_to = tensor.empty(%B) : {row}
    %{name}_init = arith.constant {init} : f32
    %{name}_0 = linalg.fill ins(%{name}_init : f32) outs(%{name}_to : {row}) -> {row}
    %{name} = linalg.generic {{indexing_maps = [{", ".join(f"affine_map<({dim}) -> ({m})>" for m in maps)}],
        iterator_types = [{", ".join(f'"{k}"' for k in kinds)}]}}
        ins({", ".join([source, *rows])} : {", ".join([shape] + [row] * len(rows))}) outs(%{name}_0 : {row}) {{
    ^bb0({", ".join(arguments)}):
{body}
      linalg.yield %y : f32
    }} -> {row}"""


def each(name, inputs, body, shape, axes):
    """An elementwise operation: inputs are (value, type, axes)."""
    kinds = ", ".join(['"parallel"'] * len(axes.split(", ")))
    maps = ", ".join(f"affine_map<({axes}) -> ({a})>" for *_, a in inputs) + f", affine_map<({axes}) -> ({axes})>"
    return f"""
    %{name}_to = tensor.empty(%B) : {shape}
    %{name} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}}
        ins({", ".join(v for v, *_ in inputs)} : {", ".join(t for _, t, _ in inputs)}) outs(%{name}_to : {shape}) {{
    ^bb0({", ".join(f"%a{i}: f32" for i in range(len(inputs)))}, %to: f32):
{body}
      linalg.yield %y : f32
    }} -> {shape}"""


SUM = "      %y = arith.addf %s, %e : f32"
SQUARES = "      %q = arith.mulf %e, %e : f32\n      %y = arith.addf %s, %q : f32"
STATE, ROW, UNITS = "tensor<?xHxf32>", "tensor<?xf32>", "tensor<Hxf32>"


def dot(operand, gates=1):
    if gates == 1:
        return f"""
    %z = lstm.gate identity dot({operand}, %U : tensor<?xHxE>, tensor<HxHxE>) add(%x : {STATE}) : {STATE}"""
    return f"""
    %z = lstm.gate identity dot({operand}, %U : tensor<?xHxE>, tensor<Hx2xHxE>) add(%x : tensor<?x2xHxf32>)
        : tensor<?x2xHxf32>"""


def rms():
    return dot("%h") + fold("sum", "%z", STATE, SQUARES) + each("scale", [("%sum", ROW, "r")], """
      %n = arith.constant H.0 : f32
      %eps = arith.constant 1.0e-5 : f32
      %m = arith.divf %a0, %n : f32
      %v = arith.addf %m, %eps : f32
      %y = math.rsqrt %v : f32""", ROW, "r") + each(
        "h1", [("%z", STATE, "r, u"), ("%scale", ROW, "r"), ("%gain", UNITS, "u")], """
      %d = arith.mulf %a0, %a1 : f32
      %g = arith.mulf %d, %a2 : f32
      %y = math.tanh %g : f32""", STATE, "r, u")


def gates():
    both = "tensor<?x2xHxf32>"
    return dot("%h", 2) + fold("sum", "%z", both, SUM, per_gate=True) + fold("squares", "%z", both, """
      %n = arith.constant H.0 : f32
      %m = arith.divf %r0, %n : f32
      %d = arith.subf %e, %m : f32
      %q = arith.mulf %d, %d : f32
      %y = arith.addf %s, %q : f32""", rows=["%sum"], per_gate=True) + each(
        "normed", [("%z", both, "r, g, u"), ("%sum", "tensor<?x2xf32>", "r, g"),
                   ("%squares", "tensor<?x2xf32>", "r, g")], """
      %n = arith.constant H.0 : f32
      %eps = arith.constant 1.0e-5 : f32
      %m = arith.divf %a1, %n : f32
      %d = arith.subf %a0, %m : f32
      %w = arith.divf %a2, %n : f32
      %v = arith.addf %w, %eps : f32
      %s = math.sqrt %v : f32
      %y = arith.divf %d, %s : f32""", both, "r, g, u") + f"""
    %p = tensor.extract_slice %normed[0, 0, 0] [%B, 1, H] [1, 1, 1] : {both} to {STATE}
    %o = tensor.extract_slice %normed[0, 1, 0] [%B, 1, H] [1, 1, 1] : {both} to {STATE}""" + each(
        "h1", [("%p", STATE, "r, u"), ("%o", STATE, "r, u"), ("%h", STATE, "r, u"), ("%gain", UNITS, "u")], """
      %one = arith.constant 1.0 : f32
      %minus = arith.negf %a0 : f32
      %e = math.exp %minus : f32
      %e1 = arith.addf %e, %one : f32
      %f = arith.divf %one, %e1 : f32
      %t = math.tanh %a1 : f32
      %k = arith.mulf %f, %a2 : f32
      %i = arith.subf %one, %f : f32
      %j = arith.mulf %i, %t : f32
      %kj = arith.addf %k, %j : f32
      %y = arith.mulf %kj, %a3 : f32""", STATE, "r, u")


def stacked():
    both = "tensor<?x2xHxf32>"
    return dot("%h", 2) + each("t", [("%z", both, "r, g, u")], "      %y = math.tanh %a0 : f32", both, "r, g, u") + fold(
        "max", "%t", both, "      %y = arith.maximumf %s, %e : f32", init="-1.0") + f"""
    %p = tensor.extract_slice %t[0, 0, 0] [%B, 1, H] [1, 1, 1] : {both} to {STATE}
    %o = tensor.extract_slice %t[0, 1, 0] [%B, 1, H] [1, 1, 1] : {both} to {STATE}""" + each(
        "h1", [("%p", STATE, "r, u"), ("%o", STATE, "r, u"), ("%max", ROW, "r"), ("%gain", UNITS, "u")], """
      %q = arith.mulf %a0, %a1 : f32
      %d = arith.subf %q, %a2 : f32
      %y = arith.mulf %d, %a3 : f32""", STATE, "r, u")


def softmax():
    return dot("%h") + fold("max", "%z", STATE, "      %y = arith.maximumf %s, %e : f32", init="0xFF800000") + fold(
        "sum", "%z", STATE, """
      %d = arith.subf %e, %r0 : f32
      %x1 = math.exp %d : f32
      %y = arith.addf %s, %x1 : f32""", rows=["%max"]) + each(
        "h1", [("%z", STATE, "r, u"), ("%max", ROW, "r"), ("%sum", ROW, "r"), ("%gain", UNITS, "u")], """
      %n = arith.constant H.0 : f32
      %quarter = arith.constant 0.25 : f32
      %d = arith.subf %a0, %a1 : f32
      %e = math.exp %d : f32
      %p = arith.divf %e, %a2 : f32
      %q = arith.mulf %p, %n : f32
      %w = arith.mulf %q, %quarter : f32
      %y = arith.subf %w, %a3 : f32""", STATE, "r, u")


def before():
    return fold("sum", "%h", STATE, SQUARES) + each(
        "n", [("%h", STATE, "r, u"), ("%sum", ROW, "r"), ("%gain", UNITS, "u")], """
      %c = arith.constant H.0 : f32
      %eps = arith.constant 1.0e-5 : f32
      %m = arith.divf %a1, %c : f32
      %v = arith.addf %m, %eps : f32
      %s = math.sqrt %v : f32
      %d = arith.divf %a0, %s : f32
      %y = arith.mulf %d, %a2 : f32""", STATE, "r, u") + dot("%n") + each(
        "h1", [("%z", STATE, "r, u"), ("%h", STATE, "r, u")], """
      %half = arith.constant 0.5 : f32
      %t = math.tanh %a0 : f32
      %k = arith.mulf %a1, %half : f32
      %y = arith.addf %k, %t : f32""", STATE, "r, u")


CELLS = {"rms": rms, "gates": gates, "stacked": stacked, "softmax": softmax, "before": before}
TWO_GATES = ("gates", "stacked")


def text(cell, units, element="f32"):
    """With a state, and its products, of f16, what is computed is f32 all the same."""
    sequence, weight = ("?x?x2xH", "Hx2xH") if cell in TWO_GATES else ("?x?xH", "HxH")
    program = f"""
func.func @main(%xs: tensor<{sequence}xf32>, %h0: tensor<?xHxE>, %len: tensor<?xi32>, %U: tensor<{weight}xE>,
                %gain: tensor<Hxf32>)
    -> (tensor<?x?xHxE> {{lstm.name = "ys"}}, tensor<?xHxE> {{lstm.name = "hT"}}) {{
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %T = tensor.dim %xs, %i0 : tensor<{sequence}xf32>
  %B = tensor.dim %xs, %i1 : tensor<{sequence}xf32>
  %ys0 = tensor.empty(%T, %B) : tensor<?x?xHxE>
  %ys, %hT = lstm.recurrence over(%x = %xs : tensor<{sequence}xf32>) init(%h = %h0 : tensor<?xHxE>)
      lengths(%len : tensor<?xi32>) outs(%ys0 : tensor<?x?xHxE>) {{{CELLS[cell]()}
    lstm.yield state(%h1 : tensor<?xHxE>) out(%h1 : tensor<?xHxE>)
  }}
  return %ys, %hT : tensor<?x?xHxE>, tensor<?xHxE>
}}
"""
    if element != "f32":
        program = program.replace("init(%h = ", "init(%hs = ").replace("dot(%h, ", "dot(%hs, ").replace("%h1 : tensor<?xHxE>", "%hn : tensor<?xHxE>")
        program = program.replace("outs(%ys0 : tensor<?x?xHxE>) {", """outs(%ys0 : tensor<?x?xHxE>) {
    %h = lstm.gate identity add(%hs : tensor<?xHxE>) : tensor<?xHxf32>""")
        program = program.replace("    lstm.yield state", """    %hn = lstm.gate identity add(%h1 : tensor<?xHxf32>) : tensor<?xHxE>
    lstm.yield state""")
    program = program.replace("xE>", f"x{element}>")
    return re.sub(r"(?<=[x<, ])H(?=[x\].])", str(units), program)


def step(cell, x, h, U, gain):
    """One step of all rows."""
    def normed(z, center=True):
        mean = z.mean(-1, keepdims=True) if center else 0.0
        return (z - mean) / np.sqrt(((z - mean)**2).mean(-1, keepdims=True) + EPSILON)
    if cell == "gates":
        z = normed(x + np.einsum("bk,kgu->bgu", h, U))
        f = 1 / (1 + np.exp(-z[:, 0]))
        return (f * h + (1 - f) * np.tanh(z[:, 1])) * gain
    if cell == "stacked":
        y = np.tanh(x + np.einsum("bk,kgu->bgu", h, U))
        return (y[:, 0] * y[:, 1] - y.max((1, 2), keepdims=True)[:, 0]) * gain
    if cell == "before":
        return h / 2 + np.tanh(x + normed(h, False) * gain @ U)
    z = x + h @ U
    if cell == "rms":
        return np.tanh(normed(z, False) * gain)
    e = np.exp(z - z.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) * z.shape[-1] / 4 - gain


def arguments(cell, units, steps, batch, seed, lengths=None, rounded=np.float32):
    random = np.random.default_rng(seed)
    gates = (2,) if cell in TWO_GATES else ()
    made = {"xs": random.normal(0, 0.7, (steps, batch, *gates, units)),
            "h0": random.normal(0, 0.5, (batch, units)),
            "len": random.integers(0, steps + 1, batch) if lengths is None else np.array(lengths),
            "U": random.normal(0, units**-0.5, (units, *gates, units)), "gain": random.normal(1, 0.1, units)}
    kinds = {"h0": rounded, "U": rounded}
    return {name: value.astype(kinds.get(name, np.float32)).astype(np.float64) if value.dtype == np.float64 else value
            for name, value in made.items()}


def reference(cell, given, rounded=None):
    """With states that are `rounded`, where they are."""
    h, ys = given["h0"], []
    for t, x in enumerate(given["xs"]):
        new = step(cell, x, h, given["U"], given["gain"])
        if rounded:
            new = new.astype(rounded).astype(np.float64)
        lives = (t < given["len"])[:, None]
        h = np.where(lives, new, h)
        ys.append(np.where(lives, new, 0.0))
    return {"ys": np.array(ys).reshape(given["xs"].shape[:2] + h.shape[-1:]), "hT": h}
