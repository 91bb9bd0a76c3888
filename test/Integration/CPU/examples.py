# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cells of examples/cells: inputs, and what they must give."""

import os
import re

import numpy as np

import reference as ref
import runner

FOLDER = os.path.join(runner.ROOT, "examples", "cells")


def path(name):
    return os.path.join(FOLDER, name + ".mlir")


def names():
    return sorted(f[:-5] for f in os.listdir(FOLDER) if f.endswith(".mlir"))


def layer(step, a, states, finals, reverse=False, x="x"):
    """One recurrence; `step(x, *states)` returns h or what is carried, h first."""
    def one(xs, carried):
        made = step(xs[0], *carried)
        made = made if isinstance(made, tuple) else (made,)
        return list(made), [made[0]]
    (ys,), last = ref.recurrence(one, [a[x]], [a[s] for s in states], a.get("len"), reverse)
    return {"ys": ys, **dict(zip(finals, last))}


def lstm(a, reverse=False, **options):
    return layer(lambda x, h, c: ref.lstm(x, h, c, a["W"], a["U"], a["b"], **options), a,
                 ["h0", "c0"], ["hT", "cT"], reverse)


def gru(a, after):
    return layer(lambda x, h: ref.gru(x, h, a["W"], a["U"], a["b"], a["d"], after), a, ["h0"], ["hT"])


def mgu(a):
    W, U, b = (np.stack([a[k + "f"], a[k + "n"]], axis=-2) for k in "WUb")
    return layer(lambda x, h: ref.mgu(x, h, W, U, b), a, ["h0"], ["hT"])


def layer_norm_lstm(a):
    more = [a[n] for n in ("W", "U", "b", "gain_x", "shift_x", "gain_h", "shift_h", "gain_c", "shift_c")]
    return layer(lambda x, h, c: ref.layer_norm_lstm(x, h, c, *more), a, ["h0", "c0"], ["hT", "cT"])


def sru(a):
    W = np.stack([a["W"], a["Wf"], a["Wr"], a["Ws"]], axis=1)
    v, b = ([a[k + "f"], a[k + "r"]] for k in "vb")

    def step(xs, carried):
        h, c1 = ref.sru(xs[0], carried[0], W, v, b)
        return [c1], [h]
    (ys,), (cT,) = ref.recurrence(step, [a["x"]], [a["c0"]], a["len"])
    return {"ys": ys, "cT": cT}


def bidirectional(a):
    made = {}
    for side, reverse in (("_f", False), ("_b", True)):
        W, U, b = (a[k + side] for k in "WUb")
        made[side] = layer(lambda x, h, c: ref.lstm(x, h, c, W, U, b), a,
                           ["h0" + side, "c0" + side], ["hT" + side, "cT" + side], reverse)
    ys = np.concatenate([made[side].pop("ys") for side in ("_f", "_b")], axis=2)
    return {"ys": ys, **made["_f"], **made["_b"]}


def two_layer(a):
    def step(xs, carried):
        h1, c1, h2, c2 = carried
        h1, c1 = ref.lstm(xs[0], h1, c1, a["W1"], a["U1"], a["b1"])
        h2, c2 = ref.lstm(h1, h2, c2, a["W2"], a["U2"], a["b2"])
        return [h1, c1, h2, c2], [h2]
    (ys,), last = ref.recurrence(step, [a["x"]], [a[s] for s in ("h0_1", "c0_1", "h0_2", "c0_2")], a["len"])
    return {"ys": ys, **dict(zip(("hT_1", "cT_1", "hT_2", "cT_2"), last))}


def lstm_eight_products(a):
    W, U, b = (np.stack([a[k + g] for g in "ifgo"], axis=-2) for k in "WUb")
    return lstm({**a, "W": W, "U": U, "b": b})


REFERENCES = {
    "lstm": lstm,
    "peephole": lambda a: lstm(a, p=a["p"]),
    "projection": lambda a: lstm(a, R=a["R"]),
    "coupled": lambda a: lstm(a, coupled=True),
    "clip": lambda a: lstm(a, clip=0.75),
    "reverse": lambda a: lstm(a, reverse=True),
    "gru_reset_after": lambda a: gru(a, True),
    "gru_reset_before": lambda a: gru(a, False),
    "rnn": lambda a: layer(lambda x, h: ref.rnn(x, h, a["W"], a["U"], a["b"]), a, ["h0"], ["hT"]),
    "mgu": mgu,
    "layer_norm_lstm": layer_norm_lstm,
    "indrnn": lambda a: layer(lambda x, h: ref.indrnn(x, h, a["W"], a["u"], a["b"]), a, ["h0"], ["hT"]),
    "sru": sru,
    "bidirectional": bidirectional,
    "two_layer": two_layer,
    "lstm_eight_products": lstm_eight_products,
}


def ragged(steps, batch):
    """Lengths with a full one and, where there is room, a zero and short ones."""
    spread = [steps, 0, max(steps - 1, 0), min(1, steps), steps, steps // 2]
    return np.array((spread * (batch // len(spread) + 1))[:batch], np.int32)


def inputs(text, steps, batch, seed, entry="main", lengths=None, shapes=None, clean=False):
    """Random arguments of `entry`: `len` holds lengths, an index the number of steps,
    and `?` means T and B in front of more than one `?`, else B; `shapes` says otherwise
    by name. Padding of sequences is NaN, unless they are to be `clean`."""
    random = np.random.default_rng(seed)
    made = {}
    slots = runner.signature(text, entry)[0]
    padded = not clean and any(slot.name == "len" for slot in slots)
    lengths = ragged(steps, batch) if lengths is None else np.array(lengths, np.int32)
    for slot in slots:
        sequence = slot.shape[:2] == (None, None)
        sizes = [steps, batch] if sequence else [batch]
        shape = (shapes or {}).get(slot.name) or tuple(sizes.pop(0) if d is None else d for d in slot.shape)
        if slot.name == "len":
            made[slot.name] = lengths
        elif slot.type == "index":
            made[slot.name] = np.array(steps)
        elif slot.type not in runner.EPSILON:
            made[slot.name] = random.integers(0, 2 if slot.type == "i1" else 9, shape)
        else:
            weight = None not in slot.shape and len(shape) > 1 and shape[0] > 4
            value = random.uniform(-1, 1, shape) * (2.0 / shape[0]**0.5 if weight else 1.0)
            made[slot.name] = value = runner.rounded(value, slot.type)
            if sequence and padded:
                for row, length in enumerate(lengths):
                    value[length:, row] = np.nan
    return made


def make_static(text, steps, batch):
    """The same module with every dynamic size written down."""
    text = text.replace("<?x?x", f"<{steps}x{batch}x").replace("<?x", f"<{batch}x")
    lines = []
    for line in text.split("\n"):
        line = re.sub(r"tensor\.empty\([^)]*\)", "tensor.empty()", line)
        if "_slice" in line:
            line = line.replace("%T", str(steps)).replace("%B", str(batch))
        lines.append(line)
    return "\n".join(lines)
