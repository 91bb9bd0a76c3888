# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is measured: cells, their sizes, their programs, their inputs, what they cost."""

import collections
import dataclasses
import pathlib
import re
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
# How examples are read and what cells mean in float64 is the tests' own.
sys.path.insert(0, str(ROOT / "test/Integration/CPU"))
import runner  # noqa: E402

# Fused multiply-adds that an activation is counted as: a polynomial of degree 5 for
# exp, its scaling, a division.
ACTIVATION = 15


@dataclasses.dataclass(frozen=True)
class Cell:
    """One file of examples/cells: `inputs` and `hidden` are the numbers that stand there
    for the sizes, `math` is counted in multiply-adds for a row and unit."""
    example: str
    inputs: int
    hidden: int
    gates: int
    math: int
    layers: int = 1
    directions: int = 1


CELLS = {
    "lstm": Cell("lstm", 24, 40, 4, 5 * ACTIVATION + 4),
    "gru": Cell("gru_reset_after", 28, 40, 3, 3 * ACTIVATION + 5),
    "bidirectional": Cell("bidirectional", 24, 20, 4, 5 * ACTIVATION + 4, layers=2, directions=2),
    "peephole": Cell("peephole", 20, 36, 4, 5 * ACTIVATION + 7),
    # Nine elements of a unit are normalized: sum, squares, scale, gain and shift.
    "layer_norm_lstm": Cell("layer_norm_lstm", 24, 40, 4, 5 * ACTIVATION + 8 + 9 * 4),
    "mgu": Cell("mgu", 22, 36, 2, 2 * ACTIVATION + 3),
}


@dataclasses.dataclass(frozen=True)
class Case:
    cell: str
    B: int
    T: int
    I: int  # noqa: E741
    H: int

    def __str__(self):
        return f"{self.cell} {self.B},{self.T},{self.I},{self.H}"

    @property
    def definition(self):
        return CELLS[self.cell]

    def layer_inputs(self):
        """The width of what each layer reads."""
        cell = self.definition
        return [self.I] + [cell.directions * self.H] * (cell.layers - 1)

    def flops_per_step(self):
        """Two for each multiply-add of the products and of the cells' mathematics."""
        cell = self.definition
        depth = sum(width + self.H for width in self.layer_inputs())
        units = cell.layers * self.H
        return 2 * cell.directions * self.B * (cell.gates * self.H * depth + units * cell.math)

    def recurrent_bytes(self):
        """Of U of one layer and direction, in f32, and how many of them a step reads."""
        cell = self.definition
        return 4 * cell.gates * self.H * self.H, cell.layers * cell.directions


SHAPES = [(1, 100, 64), (1, 100, 256), (1, 100, 1024), (4, 50, 512), (16, 100, 128), (16, 100, 512),
          (32, 100, 256), (32, 100, 1024), (64, 50, 512)]
ODD_SHAPES = [(3, 40, 70), (17, 33, 200), (5, 64, 1000)]
CUSTOM_SHAPES = [(1, 100, 256), (32, 100, 256)]
QUICK_SHAPES = [(1, 100, 64), (1, 100, 256), (16, 100, 128), (3, 40, 70)]


def grid(quick=False):
    textbook, custom = (QUICK_SHAPES, [(4, 20, 128)]) if quick else (SHAPES + ODD_SHAPES, CUSTOM_SHAPES)
    chosen = [("lstm", *shape) for shape in textbook] + [("gru", *shape) for shape in textbook]
    chosen.append(("bidirectional", 8, 20 if quick else 100, 256))
    chosen += [(cell, *shape) for cell in ("peephole", "layer_norm_lstm", "mgu") for shape in custom]
    return [Case(cell, B, T, H, H) for cell, B, T, H in chosen]


# Programs


def resize(text, sizes, fixed=None):
    """An example with other sizes and without lengths; `fixed` are T and B, if not dynamic."""
    text = re.sub(r"(?m)^ *//.*\n", "", text)
    text = re.sub(r"\s*%len: tensor<\?xi32>,", "", text)
    text = re.sub(r"\s*lengths\(%len : tensor<\?xi32>\)", "", text)
    # Sizes stand in shapes, in slices and as divisors of means; f32 is none of them.
    numbers = "|".join(str(size) for size in sizes)
    text = re.sub(rf"(?<![\d.a-wyz])({numbers})(?=x|\]|\.0)", lambda found: str(sizes[int(found[1])]), text)
    if fixed:
        steps, rows = map(str, fixed)
        text = text.replace("tensor<?x?x", f"tensor<{steps}x{rows}x").replace("tensor<?x", f"tensor<{rows}x")
        text = re.sub(r"tensor\.empty\([^)]*\)", "tensor.empty()", text)
        text = re.sub(r"\[[^]\[]*%[TB]\b[^]\[]*\]",
                      lambda found: found[0].replace("%T", steps).replace("%B", rows), text)
    return text


def stack(layers):
    """A program that calls each layer's @main on what the one before returns first; names get
    the layer's number."""
    functions, parameters, calls, values, results = [], [], [], [], []
    read = "%x"
    for number, text in enumerate(layers):
        arguments, returned = runner.signature(text)
        if number == 0:
            parameters.append(f"%x: {arguments[0].text}")
        own = arguments[1:]
        parameters += [f"%{a.name}_{number}: {a.text}" for a in own]
        calls.append(f"  %r{number}:{len(returned)} = call @layer_{number}("
                     + ", ".join([read] + [f"%{a.name}_{number}" for a in own])
                     + f") : ({', '.join(a.text for a in arguments)}) -> ({', '.join(r.text for r in returned)})")
        read = f"%r{number}#0"
        for place, result in enumerate(returned):
            if place or number == len(layers) - 1:
                values.append(f"%r{number}#{place}")
                name = f"{result.name}_{number}" if place else result.name
                results.append(f'{result.text} {{lstm.name = "{name}"}}')
        text = re.sub(r' \{lstm\.name = "\w+"\}', "", text)
        functions.append(text.replace("func.func @main", f"func.func private @layer_{number}"))
    types = ", ".join(result.split(" {")[0] for result in results)
    return "\n".join(functions + [f"func.func @main({', '.join(parameters)}) -> ({', '.join(results)}) {{", *calls,
                                  f"  return {', '.join(values)} : {types}", "}", ""])


def program(case, static=False):
    """The text of the case's program; T and B are dynamic unless it is to be static."""
    cell = case.definition
    text = (ROOT / "examples/cells" / f"{cell.example}.mlir").read_text()
    made = []
    for width in case.layer_inputs():
        sizes = {cell.inputs: width, cell.hidden: case.H, cell.gates * cell.hidden: cell.gates * case.H}
        if cell.directions == 2:
            sizes[2 * cell.hidden] = 2 * case.H
        made.append(resize(text, sizes, (case.T, case.B) if static else None))
    return made[0] if cell.layers == 1 else stack(made)


# Inputs


def inputs(case, seed=1):
    """Random arrays for the program's arguments by name, f32; nothing of it is zero."""
    random = np.random.default_rng(seed)
    made = {}
    for slot in runner.signature(program(case))[0]:
        dynamic = collections.deque([case.T, case.B] if slot.shape[:2] == (None, None) else [case.B])
        shape = [dynamic.popleft() if size is None else size for size in slot.shape]
        if slot.name == "x":
            value = random.standard_normal(shape)
        elif slot.name[:2] in ("h0", "c0"):
            value = 0.5 * random.standard_normal(shape)
        else:
            value = random.uniform(-1, 1, shape) / case.H**0.5 + (1 if slot.name.startswith("gain") else 0)
        made[slot.name] = value.astype(np.float32)
    return made
