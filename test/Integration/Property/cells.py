# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws random cells that one kernel can run: products of states, units that are known, no reduction over them.

The numbers of steps and rows are left open, so that one program serves many of them."""

from __future__ import annotations

import copy
import random

import numpy as np

import judge
from body import BodyBuilder
from evaluate import Evaluator
from formats import round_to
from generate import STATE_MAGNITUDE, Generator, Value
from judge import MAGNIFICATION, PRECISION, Expected
from program import Output, Program, Recurrence, Sequence, State, Type, drop_unused

# Elements of a cell by how it is compiled; the last one is the widest.
ELEMENTS = {"f16": [("f16",)] * 3 + [("f16", "f32")], "bf16": [("bf16",)] * 3 + [("bf16", "f32")],
            "exact": [("f32",)], "bf16x3": [("f32",)], "tf32": [("f32",)]}
# What f32 loses in products, relative to f16.
COARSENESS = {"tf32": 1.0, "bf16x3": 2.0**-5}
UNITS = [1, 5, 8, 12, 16, 24, 31, 33, 40, 48, 64, 72, 100, 130, 160, 192]
ROWS = [1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, 100, 130]
STEPS = [1, 2, 3, 4, 5, 7, 9, 12]


class CellBody(BodyBuilder):
    def activation(self):
        """None that jumps, as rows times units come close to any jump."""
        while True:
            name, parameters = super().activation()
            if name != "thresholded_relu":
                return name, parameters

    def elementwise(self, t, direction):
        x, y = self.operand(t, direction), self.operand(t, direction)
        if self.g.chance(0.3):
            return self.unary(self.g.choose(["tanh", "negf", "sin", "cos"]), x)
        fn = self.g.choose(["addf", "subf", "mulf"])
        return self.node("binary", [x, y], [t], [self.combined(fn, x, y)], fn=fn)

    def operand(self, t, direction):
        """What the step has; another row comes from a product."""
        value = self.pick(direction, lambda v: v.type == t)
        return value or self.gate(t, direction)

    def row(self, direction, elem=None):
        return self.pick(direction, lambda v: self.is_row(v.type))

    def produce(self, t, direction):
        makers = {self.gate: 6, self.elementwise: 4, self.slice: 2, self.cell: 4} if len(t.dims) == 2 else {self.gate: 1}
        value = self.g.choose(list(makers), list(makers.values()))(t, direction)
        return self.unary("tanh", value) if value.magnitude > STATE_MAGNITUDE else value


class CellGenerator(Generator):
    def __init__(self, seed: int, attempt: int, mode: str):
        super().__init__(seed, attempt)
        self.random = random.Random(f"cell/{mode}/{seed}/{attempt}")
        self.elems, self.static = self.choose(ELEMENTS[mode]), "none"

    def width(self) -> str:
        if len(self.widths) < 2 and (not self.widths or self.chance(0.4)):
            self.widths.append(self.dim("H", UNITS, static=True))
        return self.choose(self.widths)

    def run(self) -> Program:
        self.widths, self.sums = [], set()
        time, batch = self.dim("T", [3]), self.dim("B", [2])
        lengths = self.lengths(time, batch) if self.chance(0.5) else None
        rec = self.rec = Recurrence(time, batch, [], [], [], [], lengths)
        reverse = self.chance(0.3)
        pool: list[Value] = []
        for _ in range(self.choose([0, 1, 2], [1, 6, 3])):
            source = self.floats("x", Type((time, batch, self.width()), self.elem()))
            rec.sequences.append(self.sequence(source, reverse, pool))
        for _ in range(self.choose([1, 2, 3], [4, 4, 2])):
            init = self.floats("h", Type((batch, self.width()), self.elem()))
            rec.states.append(State(self.fresh("h"), init.name, "", self.fresh("f"), False, reverse))
            pool.append(Value(rec.states[-1].name, init.type, STATE_MAGNITUDE, reverse))
        body = CellBody(self, rec, pool, separate=False)
        for state in rec.states:
            own = next(v.type for v in pool if v.name == state.name)
            for _ in range(self.choose([0, 1, 2], [3, 4, 2])):
                body.produce(own, reverse)
            # Of its own: no state takes the place of another one.
            value = body.cell(own, reverse) if self.chance(0.4) else body.produce(own, reverse)
            state.next = (body.unary("tanh", value) if value.magnitude > STATE_MAGNITUDE else value).name
        made = [v for v in pool if any(v.name in n.results for n in rec.nodes) and len(v.type.dims) == 2]
        for value in self.random.sample(made, min(len(made), self.choose([0, 1, 2], [2, 5, 3]))):
            rec.outputs.append(Output(value.name, self.fresh("y"), None, reverse))
        self.program.items.append(rec)
        self.program.returns = [o.result for o in rec.outputs] + [s.final for s in rec.states]
        drop_unused(self.program)
        return self.program

    def sequence(self, source, reverse, pool):
        made = Sequence(self.fresh("s"), source.name, reverse)
        pool.append(Value(made.name, source.type.element(), source.magnitude, reverse))
        return made


def projects_a_state(program: Program) -> bool:
    """Whether there is a product of a state."""
    (rec,) = program.items
    states = {s.name for s in rec.states}
    for node in rec.nodes:
        roles = node.attrs.get("roles")
        products = [a for a, role in zip(node.args, roles) if role == "h"] if roles else \
            node.args[:2 * node.attrs.get("dots", 0):2]
        if states & set(products):
            return True
    return False


def resize(program: Program, steps: int, rows: int, seed: int) -> Program:
    """The same for other numbers of steps and rows, with other data of the same size."""
    made, data = copy.deepcopy(program), np.random.default_rng(seed)
    (rec,) = made.items
    made.dims[rec.time].size, made.dims[rec.batch].size = steps, rows
    for argument in made.arguments:
        shape = made.shape(argument.type)
        if argument.name == rec.lengths:
            argument.data = data.integers(0, steps + 1, shape)
        else:
            scale = float(np.max(np.abs(argument.data), initial=0.0))
            argument.data = round_to(argument.type.elem, data.uniform(-scale, scale, shape))
    return made


def expectation(program: Program, mode: str):
    """Results and tolerances; None where rounding errors grow too much to judge."""
    if mode not in COARSENESS:
        return judge.expectation(program)
    # Products round their operands about as f16 does, or by a part of that.
    coarse = copy.deepcopy(program)
    for argument in coarse.arguments:
        if argument.type.elem == "f32":
            argument.type = Type(argument.type.dims, "f16")
    for node in coarse.items[0].nodes:
        node.types = [Type(t.dims, "f16") if t.elem == "f32" else t for t in node.types]
    values, near, rounded = Evaluator(program).run(), Evaluator(coarse).run(), Evaluator(coarse, rounding=True).run()
    limits, tolerance = PRECISION["f16"], {}
    for name in program.returns:
        magnified = MAGNIFICATION * float(np.max(np.abs(near[name] - rounded[name]), initial=0.0))
        if not magnified <= limits.cap:
            return None
        tolerance[name] = COARSENESS[mode] * (limits.base + magnified)
    return Expected(values, tolerance)


def draw(seed: int, mode: str) -> Program:
    """The cell of a seed; `mode` is how it is compiled."""
    attempt = 0
    while True:
        program = CellGenerator(seed, attempt, mode).run()
        if projects_a_state(program) and expectation(resize(program, 4, 9, seed), mode):
            return program
        attempt += 1


def draw_sizes(program: Program, seed: int, number: int, mode: str, steps=STEPS, rows=ROWS):
    """The `number`-th size of a cell's program, of some steps and rows, and what is expected of it."""
    attempt = 0
    while True:
        choices = random.Random(f"sizes/{seed}/{number}/{attempt}")
        sized = resize(program, choices.choice(steps), choices.choice(rows), choices.randrange(2**31))
        expected = expectation(sized, mode)
        if expected:
            return sized, expected
        attempt += 1
