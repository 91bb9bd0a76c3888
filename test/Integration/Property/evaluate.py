# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a program means, in float64, written from the operations' documentation."""

from __future__ import annotations

import math

import numpy as np

from formats import round_to
from program import Node, Program, Recurrence, Type

_erf = np.vectorize(math.erf, otypes=[np.float64])


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


# Name: function of x, alpha, beta.
ACTIVATIONS = {
    "identity": lambda x, a, b: x,
    "sigmoid": lambda x, a, b: _sigmoid(x),
    "tanh": lambda x, a, b: np.tanh(x),
    "relu": lambda x, a, b: np.maximum(x, 0),
    "hard_sigmoid": lambda x, a, b: np.clip(a * x + b, 0, 1),
    "leaky_relu": lambda x, a, b: np.where(x >= 0, x, a * x),
    "elu": lambda x, a, b: np.where(x >= 0, x, a * np.expm1(np.minimum(x, 0))),
    "softsign": lambda x, a, b: x / (1 + np.abs(x)),
    "softplus": lambda x, a, b: np.logaddexp(0, x),
    "affine": lambda x, a, b: a * x + b,
    "thresholded_relu": lambda x, a, b: np.where(x >= a, x, 0.0),
    "scaled_tanh": lambda x, a, b: a * np.tanh(b * x),
    "gelu": lambda x, a, b: x * (1 + _erf(x / math.sqrt(2))) / 2,
    "exp": lambda x, a, b: np.exp(x),
}
DEFAULTS = {
    "hard_sigmoid": (0.2, 0.5), "leaky_relu": (0.01,), "elu": (1.0,), "affine": (1.0, 0.0),
    "thresholded_relu": (1.0,), "scaled_tanh": (1.0, 1.0),
}
UNARY = {
    "tanh": np.tanh, "absf": np.abs, "exp": np.exp, "negf": np.negative,
    "sin": np.sin, "cos": np.cos, "erf": _erf,
}
BINARY = {
    "addf": np.add, "subf": np.subtract, "mulf": np.multiply,
    "minimumf": np.minimum, "maximumf": np.maximum, "addi": np.add,
}
LAYER_NORM_EPSILON = 0.125


class Evaluator:
    """Evaluates one program.

    With `rounding`, every node's result is rounded to its type: the distance from
    the exact evaluation shows how much the program magnifies rounding errors.
    With `fault`, biases of gates count negatively: a fault that a test must find.
    """

    def __init__(self, program: Program, rounding: bool = False, fault: bool = False):
        self.program = program
        self.rounding = rounding
        self.fault = fault
        self.types = program.types()
        # How close a value came to a jump of a function, and the largest magnitude.
        self.margin = math.inf
        self.largest = 0.0

    def run(self) -> dict[str, np.ndarray]:
        env = {a.name: a.data for a in self.program.arguments}
        for item in self.program.items:
            if isinstance(item, Node):
                self._node(item, env)
            else:
                self._recurrence(item, env)
        return {name: np.asarray(env[name]) for name in self.program.returns}

    # -- recurrence ------------------------------------------------------------

    def _recurrence(self, rec: Recurrence, env: dict) -> None:
        steps = self.program.dims[rec.time].size
        lengths = env[rec.lengths] if rec.lengths else None
        states = {s.name: env[s.init] for s in rec.states}
        stacks = {}
        for output in rec.outputs:
            t = self.types[output.result]
            stacks[output.result] = np.zeros(self.program.shape(t), self._dtype(t))

        def valid(time: int, like: np.ndarray) -> np.ndarray:
            return (time < lengths).reshape((-1,) + (1,) * (np.ndim(like) - 1))

        for count in range(steps):
            def time(part) -> int:
                return steps - 1 - count if part.reverse else count

            body = {**env, **states}
            for sequence in rec.sequences:
                body[sequence.name] = env[sequence.source][time(sequence)]
            for node in rec.nodes:
                self._node(node, body)
            for output in rec.outputs:
                value = body[output.source]
                if lengths is not None:
                    value = np.where(valid(time(output), value), value, np.zeros_like(value))
                stacks[output.result][time(output)] = value
            after = {}
            for state in rec.states:
                value = body[state.next]
                if lengths is not None and not state.unmasked:
                    value = np.where(valid(time(state), value), value, states[state.name])
                after[state.name] = value
            states = after
        env.update(stacks)
        for state in rec.states:
            env[state.final] = states[state.name]

    @staticmethod
    def _dtype(t: Type):
        return np.float64 if t.is_float else np.bool_ if t.elem == "i1" else np.int64

    # -- nodes -----------------------------------------------------------------

    def _node(self, node: Node, env: dict) -> None:
        values = getattr(self, "_" + node.op)(node, [env[a] for a in node.args])
        if len(node.results) == 1:
            values = (values,)
        for name, t, value in zip(node.results, node.types, values):
            if np.shape(value) != self.program.shape(t):
                raise ValueError(f"{name} is {t} but has the shape {np.shape(value)}")
            if t.is_float and np.size(value):
                self.largest = max(self.largest, float(np.max(np.abs(value))))
                if self.rounding:
                    value = round_to(t.elem, value)
            env[name] = value

    def _activate(self, act, x, clip=None):
        if clip is not None:
            x = np.clip(x, -clip, clip)
        name, parameters = act
        alpha, beta = (tuple(parameters) + DEFAULTS.get(name, ())[len(parameters):] + (0, 0))[:2]
        if name == "thresholded_relu" and np.size(x):
            self.margin = min(self.margin, float(np.min(np.abs(x - alpha))))
        return ACTIVATIONS[name](x, alpha, beta)

    def _gate(self, node, args):
        attrs = node.attrs
        args = list(args)
        total = 0.0
        three = len(node.types[0].dims) == 3

        def per_gate(s, rank):
            return s[:, None, :] if three and rank == 2 else s

        for _ in range(attrs["dots"]):
            a, w = args.pop(0), args.pop(0)
            total = total + np.tensordot(a, w, axes=(1, 0))
        for _ in range(attrs["scales"]):
            s, p = args.pop(0), args.pop(0)
            # Of [B, H] and [B, G, H] only the left one may stand for every gate.
            total = total + per_gate(s, np.ndim(s)) * p
        for b in args:
            total = total - b if self.fault else total + b
        total = total + np.zeros(self.program.shape(node.types[0]))
        acts, clip = attrs["acts"], attrs["clip"]
        if len(acts) == 1:
            return self._activate(acts[0], total, clip)
        return np.stack([self._activate(a, total[:, g], clip) for g, a in enumerate(acts)], axis=1)

    def _cell(self, node, args):
        v = dict(zip(node.attrs["roles"], args))
        clip = node.attrs["clip"]
        F, G, A = node.attrs["acts"] or [("sigmoid", ()), ("tanh", ()), ("tanh", ())]
        act = lambda a, x: self._activate(a, x, clip)
        coupled = node.attrs["coupled"]
        z = np.tensordot(v["x"], v["W"], (1, 0)) + np.tensordot(v["h"], v["U"], (1, 0)) + v.get("bias", 0)
        c = v["c"]
        p = v.get("peephole", np.zeros((3, 1)))
        if coupled:
            i = act(F, z[:, 0] + p[0] * c)
            g = act(G, z[:, 1])
            f = 1 - i
            zo, po = z[:, 2], p[1]
        else:
            i = act(F, z[:, 0] + p[0] * c)
            f = act(F, z[:, 1] + p[1] * c)
            g = act(G, z[:, 2])
            zo, po = z[:, 3], p[2]
        c1 = f * c + i * g
        h1 = act(F, zo + po * c1) * act(A, c1)
        if "projection" in v:
            h1 = h1 @ v["projection"]
        return h1, c1

    def _gru_cell(self, node, args):
        v = dict(zip(node.attrs["roles"], args))
        clip = node.attrs["clip"]
        F, G = node.attrs["acts"] or [("sigmoid", ()), ("tanh", ())]
        b = v.get("bias", np.zeros((3, 1)))
        d = v.get("recurrent_bias", np.zeros((3, 1)))
        h = v["h"]
        x = np.tensordot(v["x"], v["W"], (1, 0)) + b
        u = lambda k, left: left @ v["U"][:, k]
        r = self._activate(F, x[:, 0] + u(0, h) + d[0], clip)
        z = self._activate(F, x[:, 1] + u(1, h) + d[1], clip)
        if node.attrs["reset_after"]:
            n = x[:, 2] + r * (u(2, h) + d[2])
        else:
            n = x[:, 2] + u(2, r * h) + d[2]
        n = self._activate(G, n, clip)
        return (1 - z) * n + z * h

    def _rnn_cell(self, node, args):
        v = dict(zip(node.attrs["roles"], args))
        (F,) = node.attrs["acts"] or [("tanh", ())]
        return self._activate(F, v["x"] @ v["W"] + v["h"] @ v["U"] + v.get("bias", 0), node.attrs["clip"])

    def _unary(self, node, args):
        return UNARY[node.attrs["fn"]](args[0])

    def _binary(self, node, args):
        return BINARY[node.attrs["fn"]](*args)

    def _constant(self, node, args):
        return np.full(self.program.shape(node.types[0]), node.attrs["value"])

    def _select(self, node, args):
        return np.where(*args)

    def _slice(self, node, args):
        return args[0][:, node.attrs["gate"]]

    def _columns(self, node, args):
        start = node.attrs["start"]
        return args[0][:, start:start + self.program.shape(node.types[0])[1]]

    def _concat(self, node, args):
        return np.concatenate(args, axis=1)

    def _matmul(self, node, args):
        return args[0] @ args[1]

    def _accumulate(self, node, args):
        acc, a, b = args
        return acc + a.T @ b

    def _broadcast(self, node, args):
        x, y = args
        if node.attrs["axes"] == "r":
            y = y[:, None]
        return BINARY[node.attrs["fn"]](x, y)

    def _reduce(self, node, args):
        x = args[0]
        return np.sum(x, axis=1) if node.attrs["fn"] == "addf" else np.max(x, axis=1)

    def _layer_norm(self, node, args):
        x = args[0]
        x = x - np.mean(x, axis=1, keepdims=True)
        return x / np.sqrt(np.mean(x * x, axis=1, keepdims=True) + LAYER_NORM_EPSILON)

    def _gather(self, node, args):
        table, tokens = args
        return table[tokens]

    def _argmax(self, node, args):
        x = args[0]
        if x.shape[0] and x.shape[1] > 1:
            best = np.sort(x, axis=1)
            self.margin = min(self.margin, float(np.min(best[:, -1] - best[:, -2])))
        return np.argmax(x, axis=1) if x.shape[0] else np.zeros(0, np.int64)
