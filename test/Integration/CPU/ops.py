# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the functions of the operations' .mlir files must give.

CASES[file][function] takes the arguments by SSA name, in float64, and returns the
results in their order.
"""

import numpy as np

import reference as ref


def plain(step, a, states, sequences=("x",), reverse=False, steps=None):
    """Outputs, then final states, of one recurrence; see `reference.recurrence`."""
    outputs, finals = ref.recurrence(step, [a[x] for x in sequences], [a[s] for s in states],
                                     a.get("len"), reverse, steps)
    return [*outputs, *finals]


def h_and_y(function):
    """A step with one sequence and one state, whose new state is its output."""
    def step(xs, states):
        h = function(xs[0], states[0])
        return [h], [h]
    return step


def both_directions(a):
    ys, hT = plain(h_and_y(lambda x, h: h + x), a, ["h0"])
    zs, gT = plain(h_and_y(lambda x, g: x - g), a, ["g0"], reverse=True)
    return [ys, zs, hT, gT]


def unmasked(a):
    steps = a["x"].shape[0]
    return [plain(lambda xs, s: ([s[0] + xs[0]], []), a, ["h0"])[0], a["a0"] + steps * a["v"], np.array(steps)]


def captured(a):
    return plain(h_and_y(lambda x, h: np.tanh(ref.dot(x, 2 * a["W"]) + h * np.abs(a["b"]))), a, ["h0"])


def scalars(a):
    steps = a["x"].shape[0]
    return [*plain(h_and_y(lambda x, h: h + x), a, ["h0"]), np.array(3 * steps), np.array(0.5**steps)]


def passed_through(a):
    # A value from above belongs to a row: it goes in as a sequence of its own.
    a = {**a, "vs": np.broadcast_to(a["v"], a["x"].shape[:1] + a["v"].shape)}
    return plain(lambda xs, s: ([xs[0]], [xs[0], xs[1], s[0]]), a, ["h0"], ["x", "vs"])


def leaves_twice(xs, states):
    h = (xs[0] - states[0]) * states[1]
    return [h, h], [h, h]


def nested(x, h, steps):
    for _ in range(steps):
        h = 0.5 * (h + x) + 0.25
    return h


def integers(xs, states):
    h = states[0] + xs[0]
    return [h, np.maximum(states[1], xs[0] > 5)], [h]


def steps_alone(a):
    b = np.broadcast_to(a["b"], (int(a["n"]),) + a["b"].shape)
    return plain(h_and_y(lambda x, h: 0.5 * (h + x) + 0.25), {**a, "bs": b}, ["h0"], ["bs"])


def cell(**options):
    return lambda a: ref.lstm(a["x"], a["h"], a["c"], a["W"], a["U"], a.get("b"), a.get("p"), a.get("R"), **options)


def gru(after, **options):
    return lambda a: [ref.gru(a["x"], a["h"], a["W"], a["U"], a.get("b"), a.get("d"), after, **options)]


def gru_cases():
    made = {}
    for suffix, after in (("after", True), ("before", False)):
        for name in ("plain", "biases", "bias_alone", "recurrent_bias_alone", "f64", "f16", "dynamic"):
            made[f"{name}_{suffix}"] = gru(after)
        made[f"clip_activations_{suffix}"] = gru(after, clip=0.4, acts=("hard_sigmoid", "softsign"))
    return made


def rnn(**options):
    return lambda a: [ref.rnn(a["x"], a["h"], a["W"], a["U"], a.get("b"), **options)]


def gate(acts, dots="", scales="", adds="", **options):
    """Operands by name: `gate("tanh", "x W h U", "c p", "b")`."""
    def pairs(names, a):
        names = names.split()
        return [(a[s], a[p]) for s, p in zip(names[::2], names[1::2])]
    return lambda a: [ref.gate(acts, pairs(dots, a), pairs(scales, a), [a[b] for b in adds.split()], **options)]


def every_operand(a):
    z = ref.dot(a["h"], a["U"]) + ref.dot(a["x"], a["W"]) + a["p"] + a["b"]
    c1 = (np.tanh(z[:, 0] * a["w"][0]) * a["c"] + a["v"]) * a["m"][:, None]
    return [c1, (z[:, 1] * a["w"][1] + a["e"]) * a["k"] + c1]


def f16_phase(a):
    z = ref.dot(a["h"], a["U"])
    return [z[:, 1], z[:, 0] + a["c"]]


def two_slots(a):
    slots, ys = a["hh"].copy(), []
    for t, x in enumerate(a["x"]):
        slots[1 - t % 2] = x - slots[t % 2]
        ys.append(slots[1 - t % 2].copy())
    return [slots, np.reshape(ys, a["ys"].shape)]


def in_place(a):
    c, ys = a["c"], []
    for t, x in enumerate(a["x"][::-1]):
        c = x - c
        ys.append(c + t)
    return [c, np.reshape(ys, a["ys"].shape)]


def product(a):
    slots, ys = a["hh"].copy(), []
    for t, x in enumerate(a["x"][::-1]):
        slots[1 - t % 2] = np.tanh(ref.dot(slots[t % 2], a["U"][:, 0]) + x[:, 0])
        ys.append(slots[1 - t % 2].copy())
    return [slots, np.reshape(ys[::-1], a["ys"].shape)]


CASES = {
    "recurrence": {
        "running_sum": lambda a: plain(h_and_y(lambda x, h: h + x), a, ["h0"]),
        "reverse_old_state": lambda a: plain(lambda xs, s: ([xs[0] - s[0]], [s[0] * xs[0]]), a, ["h0"], reverse=True),
        "reverse_whole": lambda a: plain(h_and_y(lambda x, h: x - h), a, ["h0"], reverse=True),
        "both_directions": both_directions,
        "unmasked": unmasked,
        "steps_alone": steps_alone,
        "captured": captured,
        "states_change_places": lambda a: plain(lambda xs, s: ([s[1], s[0] + xs[0]], [s[0]]), a, ["a0", "b0"]),
        "scalars": scalars,
        "rank_four": lambda a: plain(h_and_y(lambda x, h: x - h), a, ["h0"], reverse=True),
        "integers": lambda a: plain(integers, a, ["h0", "s0"]),
        "passed_through": passed_through,
        "leaves_twice": lambda a: plain(leaves_twice, a, ["g0", "h0"]),
        "nested": lambda a: plain(h_and_y(lambda x, h: nested(x, h, int(a["n"]))), a, ["h0"]),
        "no_state": lambda a: plain(lambda xs, s: ([], [xs[0] / (1 + np.abs(xs[0]))]), a, []),
        "two_sequences": lambda a: plain(h_and_y(lambda x, h: x - h),
                                         {**a, "s": a["x"] + a["v"]}, ["h0"], ["s"], reverse=True),
    },
    "gate": {
        "two_dots": gate("sigmoid", "x W h U", "", "b"),
        "three_dots": gate("identity", "x W h U h V"),
        "no_product": gate("tanh", "", "", "b c"),
        "scales": gate("elu(0.5)", "", "c p c d"),
        "rank3": gate("sigmoid", "x W", "", "b", gates=3),
        "rank3_every_operand": gate(["sigmoid", "leaky_relu(0.1)", "tanh"], "x W", "c p1 c p2 e p3 e p2",
                                    "b1 b2 e", gates=3),
        "one_gate_of_rank3": gate(["relu"], "x W", gates=1),
        "clip": gate("affine(2.0, 0.5)", "x W", "", "b", clip=0.75),
        "dynamic": gate("tanh", "x W", "", "b"),
        "f64": gate("tanh", "x W", "", "b"),
        "f16_to_f32": gate("identity", "x W", "", "b"),
        "f16": gate("sigmoid", "x W", "", "b"),
        "bf16": gate("sigmoid", "x W", "", "b"),
        "f32_and_f64": gate("sigmoid", "x W", "", "b"),
        "wide": gate("tanh", "x W", gates=2),
    },
    "cell": {
        **{name: cell() for name in ("plain", "bias", "peephole", "projection", "no_bias_peephole", "f64",
                                     "f16_beside_f32", "bf16", "dynamic", "one_unit", "wide")},
        **{name: cell(coupled=True) for name in ("coupled", "coupled_peephole")},
        "clip": cell(clip=0.4),
        "activations": cell(acts=("hard_sigmoid(0.3, 0.4)", "softsign", "leaky_relu(0.2)")),
        "everything": cell(clip=0.6, acts=("hard_sigmoid", "elu(0.7)", "scaled_tanh(1.2, 0.8)")),
        "everything_coupled": cell(coupled=True, clip=0.6, acts=("sigmoid", "relu", "identity")),
    },
    "gru_cell": gru_cases(),
    "rnn_cell": {
        "plain": rnn(),
        "bias_clip_relu": rnn(clip=0.5, act="relu"),
        "f64": rnn(),
        "bf16": rnn(),
    },
    "phase": {
        "one_gate": lambda a: [np.tanh(ref.dot(a["h"], a["U"][:, 0]) + a["p"][:, 0])],
        "every_operand": every_operand,
        "no_product": lambda a: [np.where((a["t"] < a["n"])[:, None], a["a"], a["to"])],
        "f16_accumulates_in_f32": f16_phase,
        "dynamic": lambda a: [np.prod(ref.dot(a["h"], a["U"]), axis=1)],
    },
    "scan": {"two_slots": two_slots, "in_place": in_place, "product": product},
}

# Sizes that more than T and B are unknown of: (file, function) to shapes by name.
SHAPES = {
    ("gate", "dynamic"): {"x": (5, 9), "W": (9, 13), "b": (13,)},
    ("cell", "dynamic"): {"x": (5, 9), "W": (9, 4, 13), "h": (5, 13), "U": (13, 4, 13), "c": (5, 13), "b": (4, 13)},
    ("gru_cell", "dynamic_after"): {"x": (5, 9), "W": (9, 3, 13), "h": (5, 13), "U": (13, 3, 13),
                                    "b": (3, 13), "d": (3, 13)},
    ("phase", "dynamic"): {"h": (5, 9), "U": (9, 2, 13), "to": (5, 13)},
}
SHAPES["gru_cell", "dynamic_before"] = SHAPES["gru_cell", "dynamic_after"]
