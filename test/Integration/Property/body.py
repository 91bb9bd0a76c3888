# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws what stands in the body of a recurrence."""

from __future__ import annotations

from program import Node, Recurrence, State, Type

# Activation: the bound of its result, or None for one that grows with its input.
BOUNDS = {
    "identity": None, "sigmoid": 1.0, "tanh": 1.0, "relu": None, "hard_sigmoid": 1.0, "leaky_relu": None,
    "elu": None, "softsign": 1.0, "softplus": None, "affine": None, "thresholded_relu": None,
    "scaled_tanh": 1.5, "gelu": None, "exp": None,
}
PARAMETERS = {
    "hard_sigmoid": [(), (0.25,), (0.3, 0.4)], "leaky_relu": [(), (0.1,)], "elu": [(), (0.5,)],
    "affine": [(-1.0, 1.0), (0.5, 0.25), (0.5,)], "thresholded_relu": [(0.3,), ()],
    "scaled_tanh": [(1.5, 0.6), (0.7,)],
}
GATE_ACTIVATIONS = ["sigmoid", "tanh"] * 6 + list(BOUNDS)
SIGMOIDS = ["sigmoid", "sigmoid", "hard_sigmoid"]
TANHS = ["tanh", "tanh", "softsign", "scaled_tanh", "relu", "gelu"]
LIMIT = 4.0


class BodyBuilder:
    """Adds nodes to `rec.nodes` and what they make to `pool`."""

    def __init__(self, generator, rec: Recurrence, pool: list, separate: bool):
        self.g = generator
        self.rec = rec
        self.pool = pool
        self.separate = separate

    # -- operands --------------------------------------------------------------

    def visible(self, direction, everything: bool = False) -> list:
        """The values that a node of this direction may use."""
        if not self.separate or everything:
            return list(self.pool)
        return [v for v in self.pool if v.direction in (None, direction)]

    def pick(self, direction, wanted, probability: float = 1.0):
        options = [v for v in self.visible(direction) if wanted(v)]
        if not options or not self.g.chance(probability):
            return None
        return self.g.choose(options[-3:] if self.g.chance(0.5) else options)

    def operand(self, t: Type, direction):
        """A value of the type; captures an argument where there is none."""
        value = self.pick(direction, lambda v: v.type == t, 0.95)
        if value is None:
            old = [v for v in self.g.shared if v.type == t and v.name[0] in "hc"]
            value = self.g.choose(old) if old and self.g.chance(0.5) else self.g.floats("c", t)
        return value

    def row(self, direction, elem: str | None = None):
        """Any value [B, K]."""
        value = self.pick(direction, lambda v: self.is_row(v.type) and elem in (None, v.type.elem))
        return value or self.operand(Type((self.rec.batch, self.g.width()), elem or self.g.elem()), direction)

    def is_row(self, t: Type) -> bool:
        return t.is_float and len(t.dims) == 2 and t.dims[0] == self.rec.batch

    def any_type(self) -> Type:
        rows = [v.type for v in self.pool if self.is_row(v.type)]
        if rows and self.g.chance(0.5):
            return self.g.choose(rows)
        kind = self.g.choose(["row", "gates", "line"], [75, 17, 8])
        dims = {"row": lambda: (self.rec.batch, self.g.width()), "line": lambda: (self.rec.batch,),
                "gates": lambda: (self.rec.batch, self.g.dim("G", [2, 3, 4], static=True), self.g.width())}
        return Type(dims[kind](), self.g.elem())

    # -- nodes -----------------------------------------------------------------

    def node(self, op, args, types, magnitudes, **attrs):
        """Adds a node; returns its results."""
        from generate import Value
        names = [a if isinstance(a, str) else a.name for a in args]
        directions = {v.direction for v in self.pool if v.name in names}
        direction = next((d for d in sorted(directions, key=str) if d is not None), None)
        node = Node(op, names, [self.g.fresh("v") for _ in types], types, attrs)
        self.rec.nodes.append(node)
        values = [Value(n, t, m, direction) for n, t, m in zip(node.results, types, magnitudes)]
        self.pool += values
        return values if len(values) > 1 else values[0]

    def produce(self, t: Type, direction):
        """Adds nodes whose last result has the type."""
        if not t.is_float:
            return self.integer(t, direction)
        if self.is_row(t):
            makers = {self.gate: 7, self.elementwise: 4, self.slice: 2, self.cell: 3, self.matmul: 1,
                      self.layer_norm: 1, self.broadcast: 1.5, self.gather: 1.5, self.select: 1,
                      self.columns: 0.5, self.concat: 0.5}
        elif len(t.dims) == 3:
            makers = {self.gate: 3, self.elementwise: 1}
        elif t.dims == (self.rec.batch,):
            makers = {self.reduce: 3, self.elementwise: 1}
        else:
            makers = {self.elementwise: 1}
        batch = self.g.program.dims[self.rec.batch]
        if batch.static and batch.size == 0:  # Upstream's slices must start inside.
            makers = {m: w for m, w in makers.items() if m not in (self.slice, self.columns)}
        maker = self.g.choose(list(makers), list(makers.values()))
        value = maker(t, direction) or self.elementwise(t, direction)
        if value.magnitude > LIMIT or (value.magnitude > 2 and self.g.chance(0.7)):
            value = self.unary("tanh", value)
        return value

    def unary(self, fn: str, x):
        bounds = {"absf": x.magnitude, "negf": x.magnitude, "exp": 2.72 ** min(x.magnitude, 5)}
        return self.node("unary", [x], [x.type], [bounds.get(fn, 1.0)], fn=fn)

    def elementwise(self, t, direction):
        x = self.operand(t, direction)
        if self.g.chance(0.35):
            fns = ["tanh", "tanh", "absf", "negf", "sin", "cos", "erf"] + ["exp"] * (x.magnitude <= 1.1)
            return self.unary(self.g.choose(fns), x)
        if self.g.chance(0.1):
            y = self.node("constant", [], [t], [1.0], value=self.g.choose([0.5, -0.75, 1.0, 0.0]))
        else:
            y = self.operand(t, direction)
        fn = self.g.choose(["addf", "subf", "mulf", "mulf", "minimumf", "maximumf"])
        return self.node("binary", [x, y], [t], [self.combined(fn, x, y)], fn=fn)

    @staticmethod
    def combined(fn, x, y) -> float:
        if fn == "mulf":
            return x.magnitude * y.magnitude
        if fn in ("addf", "subf"):
            return x.magnitude + y.magnitude
        return max(x.magnitude, y.magnitude)

    def activation(self):
        name = self.g.choose(GATE_ACTIVATIONS)
        return name, self.g.choose(PARAMETERS.get(name, [()]))

    def gate(self, t, direction):
        """A gate of any form; its elements and those of its operands may differ."""
        g, three = self.g, len(t.dims) == 3
        tail = t.dims[1:]
        magnitude, dots, scales, adds = 0.0, [], [], []
        for _ in range(g.choose([0, 1, 2, 3], [1, 4, 5, 1])):
            a = self.row(direction)
            dots += [a, g.weight((a.type.dims[1], *tail), g.elem())]
            magnitude += a.magnitude
        for _ in range(g.choose([0, 1, 2], [7, 3, 1])):
            shape = (t.dims[0], t.dims[-1]) if three and g.chance(0.5) else t.dims
            s = self.operand(Type(shape, g.elem()), direction)
            if g.chance(0.6):
                p = g.vector(tail if g.chance(0.7) else tail[-1:], g.elem())
                factor = 0.75
            else:
                p = self.operand(Type(t.dims, g.elem()), direction)
                factor = p.magnitude
            scales += [s, p]
            magnitude += s.magnitude * factor
        for _ in range(g.choose([0, 1, 2], [3, 6, 2])):
            if g.chance(0.7):
                adds.append(g.vector(tail if g.chance(0.7) else tail[-1:], g.elem()))
                magnitude += 0.75
            else:
                adds.append(self.operand(t if g.chance(0.8) else Type(t.dims, g.elem()), direction))
                magnitude += adds[-1].magnitude
        if not dots + scales and all(isinstance(b, str) for b in adds):  # Nothing shows the rows yet.
            adds.append(self.operand(t, direction))
            magnitude += adds[-1].magnitude
        gates = g.program.dims[tail[0]].size if three else 1
        acts = [self.activation() for _ in range(gates if three and g.chance(0.7) else 1)]
        clip = g.choose([0.8, 1.5, 3.0]) if g.chance(0.15) else None
        if any(a[0] == "exp" for a in acts):
            clip = 1.0
        if clip is not None:
            magnitude = min(magnitude, clip)
        bound = max(BOUNDS[a[0]] or {"exp": 2.72, "softplus": magnitude + 0.7, "affine": magnitude + 1}.get(
            a[0], magnitude) for a in acts)
        return self.node("gate", dots + scales + adds, [t], [bound], dots=len(dots) // 2,
                         scales=len(scales) // 2, acts=acts, clip=clip)

    def slice(self, t, direction):
        """One gate of a value of rank 3."""
        fits = lambda v: len(v.type.dims) == 3 and v.type.dims[::2] == t.dims and v.type.elem == t.elem
        whole = self.pick(direction, fits, 0.7)
        if whole is None:
            gates = self.g.dim("G", [2, 3, 4], static=True)
            whole = self.gate(Type((t.dims[0], gates, t.dims[1]), t.elem), direction)
        index = self.g.random.randrange(self.g.program.dims[whole.type.dims[1]].size)
        return self.node("slice", [whole], [t], [whole.magnitude], gate=index)

    def columns(self, t, direction):
        """The left, right or middle part of a wider row."""
        dims = self.g.program.dims
        small = dims[t.dims[1]]
        wide = [w for w in self.g.widths if dims[w].size > small.size]
        if not wide:
            return None
        x = self.operand(Type((t.dims[0], self.g.choose(wide)), t.elem), direction)
        start = self.g.random.randint(0, dims[x.type.dims[1]].size - small.size)
        return self.node("columns", [x], [t], [x.magnitude], start=start)

    def concat(self, t, direction):
        """A product with two rows side by side."""
        a, b = self.row(direction, t.elem), self.row(direction, t.elem)
        dims = self.g.program.dims
        parts = [dims[v.type.dims[1]] for v in (a, b)]
        if not all(p.static for p in parts):
            return None
        both = self.g.dim("K", [sum(p.size for p in parts)], static=True)
        joined = self.node("concat", [a, b], [Type((t.dims[0], both), t.elem)],
                           [max(a.magnitude, b.magnitude)])
        w = self.g.weight((both, t.dims[1]), t.elem)
        return self.node("gate", [joined, w], [t], [1.0], dots=1, scales=0, acts=[("tanh", ())], clip=None)

    def cell(self, t, direction):
        g, (batch, hidden) = self.g, t.dims
        mixed = lambda: t.elem if g.chance(0.7) else g.elem()
        clip = g.choose([0.8, 3.0]) if g.chance(0.15) else None
        sigmoid = lambda: (name := g.choose(SIGMOIDS), g.choose(PARAMETERS.get(name, [()])))
        tanh = lambda: (name := g.choose(TANHS), g.choose(PARAMETERS.get(name, [()])))
        own = g.chance(0.3)
        kind = g.choose(["cell", "gru_cell", "rnn_cell"], [5, 4, 2])
        x = self.row(direction)
        if kind == "cell":
            coupled = g.chance(0.25)
            gates = self.gates(3 if coupled else 4)
            projected = g.chance(0.25)
            state_first = g.chance(0.6)  # Whether the result asked for is h or c.
            inner = g.width() if projected else hidden
            outer = hidden
            if projected and not state_first:
                inner, outer = hidden, g.width()
            h = self.operand(Type((batch, outer), t.elem if state_first else mixed()), direction)
            c = self.operand(Type((batch, inner), mixed() if state_first else t.elem), direction)
            roles = {"x": x, "W": g.weight((x.type.dims[1], gates, inner), mixed()), "h": h,
                     "U": g.weight((outer, gates, inner), mixed()), "c": c}
            if g.chance(0.7):
                roles["bias"] = g.vector((gates, inner), mixed())
            if g.chance(0.3):
                roles["peephole"] = g.vector((self.gates(2 if coupled else 3), inner), mixed())
            if projected:
                roles["projection"] = g.weight((inner, outer), mixed())
            acts = [sigmoid(), tanh(), tanh()] if own else None
            h1, c1 = self.node("cell", list(roles.values()), [h.type, c.type],
                               [1.5, c.magnitude + 1.0], roles=list(roles), coupled=coupled, clip=clip, acts=acts)
            return h1 if state_first else c1
        h = self.operand(t, direction)
        gates = (self.gates(3),) if kind == "gru_cell" else ()
        roles = {"x": x, "W": g.weight((x.type.dims[1], *gates, hidden), mixed()), "h": h,
                 "U": g.weight((hidden, *gates, hidden), mixed())}
        if g.chance(0.7):
            roles["bias"] = g.vector((*gates, hidden), mixed())
        if kind == "rnn_cell":
            return self.node("rnn_cell", list(roles.values()), [t], [1.5], roles=list(roles), clip=clip,
                             acts=[tanh()] if own else None)
        if g.chance(0.5):
            roles["recurrent_bias"] = g.vector((*gates, hidden), mixed())
        return self.node("gru_cell", list(roles.values()), [t], [max(1.5, h.magnitude)], roles=list(roles),
                         clip=clip, acts=[sigmoid(), tanh()] if own else None, reset_after=g.chance(0.5))

    def gates(self, count: int) -> str:
        """The dimension of the gates of a cell; the same one for all, so that weights fit."""
        name = f"G_{count}"
        self.g.program.dims.setdefault(name, type(self.g.program.dims[self.rec.time])(count, True))
        return name

    def matmul(self, t, direction):
        a = self.row(direction, t.elem)
        return self.node("matmul", [a, self.g.weight((a.type.dims[1], t.dims[1]), t.elem)], [t], [a.magnitude])

    def layer_norm(self, t, direction):
        return self.node("layer_norm", [self.operand(t, direction)], [t], [2.0])

    def broadcast(self, t, direction):
        x = self.operand(t, direction)
        axes = self.g.choose(["r", "u", ""])
        fn = self.g.choose(["addf", "mulf", "subf", "maximumf"])
        if axes == "u":
            y = self.g.vector(t.dims[1:], t.elem)
            return self.node("broadcast", [x, y], [t], [x.magnitude + 0.75], fn=fn, axes=axes)
        dims = t.dims[:1] if axes == "r" else ()
        if axes == "" and self.g.chance(0.4):
            y = self.operand(Type((), t.elem, scalar=True), direction)
        else:
            y = self.operand(Type(dims, t.elem), direction)
        return self.node("broadcast", [x, y], [t], [self.combined(fn, x, y)], fn=fn, axes=axes)

    def reduce(self, t, direction):
        x = self.row(direction, t.elem)
        width = self.g.program.dims[x.type.dims[1]].size
        if width <= 4 and self.g.chance(0.5):
            return self.node("reduce", [x], [t], [x.magnitude * width], fn="addf")
        return self.node("reduce", [x], [t], [x.magnitude], fn="maximumf")

    def select(self, t, direction):
        mask = self.pick(direction, lambda v: v.type == Type(t.dims, "i1"))
        if mask is None:
            return None
        x, y = self.operand(t, direction), self.operand(t, direction)
        return self.node("select", [mask, x, y], [t], [max(x.magnitude, y.magnitude)])

    def gather(self, t, direction):
        token = self.pick(direction, lambda v: not v.type.is_float and v.type.dims == t.dims[:1]
                          and v.magnitude <= 12)
        if token is None:
            return None
        rows = self.g.dim("V", [int(token.magnitude) + 1])
        return self.node("gather", [self.g.floats("E", Type((rows, t.dims[1]), t.elem)), token], [t], [1.0])

    def integer(self, t, direction):
        if t.scalar:
            one = self.node("constant", [], [t], [0], value=2)
            x = self.pick(direction, lambda v: v.type == t and v.magnitude > 0)
            value = self.node("binary", [x, one], [t], [0], fn="addi")
            return value
        wide = [v for v in self.visible(direction) if self.is_row(v.type)]
        if wide and self.g.chance(0.7):
            x = self.g.choose(wide)
        else:
            x = self.operand(Type((t.dims[0], self.g.width()), self.g.elem()), direction)
        most = self.g.program.dims[x.type.dims[1]].size - 1
        return self.node("argmax", [x], [t], [most])

    def accumulate(self, state: State, t: Type) -> str:
        """Adds a product over the batch, as a weight's gradient does, to an unmasked state."""
        a = self.operand(Type((self.rec.batch, t.dims[0]), t.elem), state.reverse)
        b = self.operand(Type((self.rec.batch, t.dims[1]), t.elem), state.reverse)
        node = self.node("accumulate", [state.name, a, b], [t], [LIMIT])
        self.pool.remove(node)
        return node.name
