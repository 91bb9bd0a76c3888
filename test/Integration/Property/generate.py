# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws random programs: functions around one or two recurrences."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Optional

import numpy as np

from body import BodyBuilder
from formats import round_to
from program import (Argument, Dim, Node, Output, Program, Recurrence, Sequence, State, Type,
                     drop_unused)

# Element types of a program: of its states and weights; the last one is the widest.
ELEMENTS = [(("f32",), 78), (("f64",), 8), (("f16",), 3), (("bf16",), 3), (("f16", "f32"), 3),
            (("bf16", "f32"), 3), (("f32", "f64"), 2)]
WIDTHS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 16, 17, 33]
TOKENS = ["i32", "i32", "i64", "index"]
# What a state may grow to: the bound of all that is yielded for it.
STATE_MAGNITUDE = 2.0


@dataclass
class Value:
    """A value that nodes may use.

    `magnitude` bounds it roughly (a float) or strictly (an integer, by what it may
    index). `direction` is None for what does not depend on time, else whether it
    runs backwards: where rows have lengths, values of different direction belong
    to different times and are not mixed.
    """

    name: str
    type: Type
    magnitude: float
    direction: Optional[bool] = None


class Generator:
    def __init__(self, seed: int, attempt: int):
        self.random = random.Random(f"{seed}/{attempt}")
        self.data = np.random.default_rng([seed, attempt])
        self.program = Program(seed)
        self.count = 0
        self.sizes = set()
        self.shared: list[Value] = []  # Values of the function.
        self.elems = self.choose([e for e, _ in ELEMENTS], [w for _, w in ELEMENTS])
        self.static = self.choose(["all", "none", "some"], [2, 3, 5])

    # -- drawing ---------------------------------------------------------------

    def chance(self, p: float) -> bool:
        return self.random.random() < p

    def choose(self, options, weights=None):
        return self.random.choices(list(options), weights)[0]

    def elem(self) -> str:
        return self.choose(self.elems)

    def fresh(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count - 1}"

    def dim(self, prefix: str, options, static: bool = False) -> str:
        """A new dimension; sizes differ as long as there are any left."""
        free = [s for s in options if s not in self.sizes] or list(options)
        size = self.choose(free)
        self.sizes.add(size)
        shown = static or self.static == "all" or (self.static == "some" and self.chance(0.5))
        name = self.fresh(prefix)
        self.program.dims[name] = Dim(size, shown)
        return name

    def width(self) -> str:
        if self.widths and (len(self.widths) >= 4 or self.chance(0.75)):
            return self.choose(self.widths)
        name = self.dim("H", WIDTHS)
        self.widths.append(name)
        return name

    # -- arguments -------------------------------------------------------------

    def argument(self, prefix: str, t: Type, data, magnitude: float = 1.0) -> Value:
        value = Value(self.fresh(prefix), t, magnitude)
        data = np.asarray(data)
        self.program.arguments.append(Argument(value.name, t, round_to(t.elem, data) if t.is_float else data))
        self.shared.append(value)
        return value

    def floats(self, prefix: str, t: Type, scale: float = 1.0) -> Value:
        return self.argument(prefix, t, self.data.uniform(-scale, scale, self.program.shape(t)), scale)

    def integers(self, prefix: str, t: Type, limit: int) -> Value:
        return self.argument(prefix, t, self.data.integers(0, limit, self.program.shape(t)), limit - 1)

    def weight(self, dims: tuple[str, ...], elem: str) -> str:
        """A weight [K, ..., H], now and then one that is used already."""
        t = Type(dims, elem)
        old = [v for v in self.shared if v.type == t and v.name.startswith("W")]
        if old and self.chance(0.25):
            return self.choose(old).name
        scale = 1.5 / self.program.dims[dims[0]].size ** 0.5
        return self.floats("W", t, scale).name

    def vector(self, dims: tuple[str, ...], elem: str) -> str:
        t = Type(dims, elem)
        old = [v for v in self.shared if v.type == t and v.name.startswith("b")]
        if old and self.chance(0.25):
            return self.choose(old).name
        return self.floats("b", t, 0.75).name

    # -- program ---------------------------------------------------------------

    def run(self) -> Program:
        self.widths: list[str] = []
        self.sums: set[str] = set()
        time = self.dim("T", [0, *range(1, 7), *range(1, 7), *range(2, 7)])
        batch = self.dim("B", [0, *range(1, 6), *range(1, 6), *range(2, 6), 8, 13])
        if self.chance(0.1):
            self.program.dims[batch].size = 1
        lengths = self.lengths(time, batch) if self.chance(0.5) else None
        first = self.recurrence(time, batch, lengths)
        recurrences = [first]
        kind = self.choose(["one", "stacked", "beside"], [70, 14, 16])
        if kind == "stacked":
            self.share_results(first)
            recurrences.append(self.recurrence(time, batch, lengths, above=first))
        elif kind == "beside":
            if self.chance(0.2):
                time = self.dim("T", range(7))
                lengths = None
            elif self.chance(0.2):
                lengths = None
            recurrences.append(self.recurrence(time, batch, lengths))
        results = [name for r in recurrences
                   for name in [o.result for o in r.outputs] + [s.final for s in r.states]]
        share = self.choose([1.0, 0.6, 0.3], [3, 2, 1])
        self.program.returns = [r for r in results if self.chance(share)] or [self.choose(results)]
        if self.chance(0.1):
            self.program.returns.append(self.returned_input() or results[0])
        self.program.returns = list(dict.fromkeys(self.program.returns))
        drop_unused(self.program)
        return self.program

    def returned_input(self) -> Optional[str]:
        """An initial state or sequence that is also a result of the function."""
        inputs = [v.name for v in self.shared if v.name[0] in "hx" and not v.type.scalar]
        return self.choose(inputs) if inputs else None

    def lengths(self, time: str, batch: str) -> str:
        steps = self.program.dims[time].size
        size = self.program.dims[batch].size
        data = self.data.integers(0, steps + 1, size)
        if self.chance(0.1):
            data[:] = steps
        elif size > 1 and self.chance(0.7):
            data[self.random.randrange(size)] = 0
        return self.argument("len", Type((batch,), "i32"), data).name

    # -- recurrence ------------------------------------------------------------

    def recurrence(self, time, batch, lengths, above: Optional[Recurrence] = None) -> Recurrence:
        self.rec = Recurrence(time, batch, [], [], [], [], lengths)
        style = self.choose(["forward", "reverse", "mixed"], [55, 20, 25])
        direction = lambda: self.chance(0.5) if style == "mixed" else style == "reverse"
        pool: list[Value] = []
        self.add_sequences(pool, direction, above)
        kinds = self.add_states(pool, direction, above)
        separate = style == "mixed" and lengths is not None
        body = BodyBuilder(self, self.rec, pool, separate)
        for _ in range(self.choose([0, 1, 2, 3, 5], [3, 4, 4, 2, 1])):
            part = self.choose([v.direction for v in pool] or [direction()])
            body.produce(body.any_type(), part)
        for state, kind in zip(self.rec.states, kinds):
            state.next = self.next_value(body, state, kind)
        self.add_outputs(body, direction, separate)
        self.program.items.append(self.rec)
        return self.rec

    def share_results(self, rec: Recurrence) -> None:
        """Lets what follows use the results of a recurrence."""
        types = self.program.types()
        results = [o.result for o in rec.outputs] + [s.final for s in rec.states if s.init not in self.sums]
        self.shared += [Value(r, types[r], STATE_MAGNITUDE) for r in results if types[r].is_float]

    def sequence_type(self) -> Type:
        rec = self.rec
        kind = self.choose(["row", "gates", "token", "mask", "line", "number"], [60, 10, 12, 6, 6, 6])
        if kind == "row":
            return Type((rec.batch, self.width()), self.elem())
        if kind == "gates":
            return Type((rec.batch, self.dim("G", [2, 3, 4], static=True), self.width()), self.elem())
        if kind == "token":
            return Type((rec.batch,), self.choose(TOKENS))
        if kind == "mask":
            return Type((rec.batch, self.width()), "i1")
        if kind == "line":
            return Type((rec.batch,), self.elem())
        return Type((), self.elem())

    def add_sequences(self, pool, direction, above) -> None:
        rec = self.rec
        for _ in range(self.choose([0, 1, 2, 3], [15, 45, 25, 15])):
            stacked = [v for v in self.shared if v.type.dims[:1] == (rec.time,) and v.name[0] in "xy"
                       and (len(v.type.dims) == 1 or v.type.dims[1] == rec.batch)]
            fresh_stacks = [v for v in stacked if v.name.startswith("y")]
            if above and fresh_stacks and self.chance(0.8):
                source = self.choose(fresh_stacks)
            elif stacked and self.chance(0.2):
                source = self.choose(stacked)
            else:
                t = self.sequence_type().stacked(rec.time)
                if t.elem == "i1":
                    source = self.argument("x", t, self.data.integers(0, 2, self.program.shape(t)) > 0)
                elif t.is_float:
                    source = self.floats("x", t)
                else:
                    source = self.integers("x", t, self.random.randint(1, 7))
            if source.type.is_float and len(source.type.dims) == 3 and self.chance(0.15):
                source = self.before(source)
            sequence = Sequence(self.fresh("s"), source.name, direction())
            rec.sequences.append(sequence)
            pool.append(Value(sequence.name, source.type.element(), source.magnitude, sequence.reverse))

    def before(self, source: Value) -> Value:
        """Work on a whole sequence in front of the loop."""
        node = Node("unary", [source.name], [self.fresh("p")], [source.type], {"fn": "tanh"})
        self.program.items.append(node)
        return Value(node.results[0], source.type, 1.0)

    def add_states(self, pool, direction, above) -> list[str]:
        """Adds the states; returns what kind each one is."""
        rec = self.rec
        kinds = []
        batch_seen = any(len(v.type.dims) > 0 for v in pool)
        for _ in range(self.choose([1, 2, 3, 4], [40, 35, 15, 10])):
            kind = self.choose(["row", "gates", "line", "token", "number", "scalar", "count", "sum"],
                               [66, 5, 5, 5, 4, 4, 4, 7])
            if not kinds and not batch_seen:
                kind = "row"
            unmasked = kind in ("number", "scalar", "count", "sum") and rec.lengths is not None
            unmasked |= kind == "sum" or self.chance(0.07)
            if kind in ("number", "scalar", "count") and rec.lengths is None:
                unmasked = self.chance(0.2)
            init = self.initial_value(kind, above)
            state = State(self.fresh("h"), init.name, "", self.fresh("f"), unmasked, direction())
            rec.states.append(state)
            kinds.append(kind)
            if kind == "sum":
                self.sums.add(init.name)
            else:
                magnitude = STATE_MAGNITUDE if init.type.is_float else init.magnitude
                pool.append(Value(state.name, init.type, magnitude, state.reverse))
        return kinds

    def initial_value(self, kind: str, above) -> Value:
        rec = self.rec
        if kind == "count":
            return self.argument("n", Type((), "index", scalar=True), 3, 3)
        if kind == "token":
            return self.integers("h", Type((rec.batch,), self.choose(TOKENS)), 4)
        dims = {"row": lambda: (rec.batch, self.width()), "line": lambda: (rec.batch,),
                "gates": lambda: (rec.batch, self.dim("G", [2, 3, 4], static=True), self.width()),
                "number": lambda: (), "scalar": lambda: (), "sum": lambda: (self.width(), self.width())}[kind]()
        t = Type(dims, self.elem(), scalar=kind == "scalar")
        old = [v for v in self.shared if v.type == t and v.name[0] in "hf" and v.magnitude <= STATE_MAGNITUDE
               and (above or v.name[0] == "h")]
        if old and self.chance(0.5 if above else 0.2):
            return self.choose(old)
        return self.floats("h", t)

    def next_value(self, body: BodyBuilder, state: State, kind: str) -> str:
        t = next(v for v in self.shared if v.name == state.init).type if kind == "sum" else \
            next(v.type for v in body.pool if v.name == state.name)
        if kind == "sum":
            return body.accumulate(state, t)
        limit = STATE_MAGNITUDE if t.is_float else \
            next(v.magnitude for v in body.pool if v.name == state.name)
        fit = [v for v in body.visible(state.reverse) if v.type == t and v.magnitude <= limit]
        computed = [v for v in fit
                    if any(v.name in n.results and n.op != "constant" for n in self.rec.nodes)]
        if computed and self.chance(0.6):
            return self.choose(computed).name
        if fit and self.chance(0.12):  # Swapped, delayed or constant states, elements passed through.
            return self.choose(fit).name
        for _ in range(4):
            value = body.produce(t, state.reverse)
            if value.magnitude <= limit:
                return value.name
        if t.is_float:
            return body.unary("tanh", value).name
        return state.name

    def add_outputs(self, body: BodyBuilder, direction, separate: bool) -> None:
        rec = self.rec
        for _ in range(self.choose([0, 1, 2, 3], [15, 45, 25, 15])):
            reverse = direction()
            options = [v for v in body.visible(reverse if separate else None, everything=not separate)
                       if not v.type.scalar and (v.type.dims[:1] == (rec.batch,) or
                                                 (not v.type.dims and rec.lengths is None))]
            nodes = [v for v in options if any(v.name in n.results for n in rec.nodes)]
            if nodes and self.chance(0.8):
                options = nodes
            if not options:
                continue
            value = self.choose(options)
            output = Output(value.name, self.fresh("y"), None, reverse)
            t = value.type.stacked(rec.time)
            same = [a.name for a in self.program.arguments if a.type == t]
            if same and self.chance(0.3):
                output.destination = self.choose(same)
            elif self.chance(0.15) and t.is_float:
                output.destination = self.floats("d", t).name
            rec.outputs.append(output)


def generate(seed: int, attempt: int = 0) -> Program:
    return Generator(seed, attempt).run()
