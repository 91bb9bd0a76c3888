# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs that are compiled beforehand and called where the GPU is: their text, what they are
called with, and what they must give, all from the suites that test the CPU.

    cell/NAME         examples/cells; static/NAME and static/NAME/SIZES with all sizes written down
    large/NAME        the same with more units and steps, where threads can race
    op/FILE/FUNCTION  test/Integration/CPU/*.mlir
    activation/NAME   all forms and types of an activation
    fault/NAME        test/Regression: numbers of public fault reports
    property/SEED     random programs
    norm/NAME/UNITS[/f16] norms.py: cells that reduce over the units of a row
    persistent/…      cells, large ones, random programs and those that reduce by --strategy=persistent
    cells/MODE/N      eight random cells each, by --strategy=persistent, for several numbers of steps and rows;
                      cells/MODE/static of sizes that are written down, cells/MODE/warp_groups by warp groups,
                      cells/MODE/clusters, per_step, single_rows, ... by such layouts
    warp_groups/…     cells and large ones by warp groups; warp_groups/streamed/… with more weights than a block has place
                      for, warp_groups/special/… with weights that are not finite
    clusters/…, per_step/…, single_rows/…, single_rows_per_step/…, single_row_clusters/…
                      cells and large ones by clusters, by a kernel a step, in single rows of f32, and by both
    library/…         cells by --strategy=library
    overlap/…         large ones so, with projections beside the steps, too
    stacked/NAME/MODE layers of a cell, which one kernel runs, each a step behind the one before; apart/… by a kernel each
    split/NAME        cells and a product so large that products of f32 become products of bf16; library/split/… so,
                      unsplit/split/… without
    g2p               examples/g2p on random words
"""

import hashlib
import pathlib
import re
import sys
from dataclasses import dataclass, field

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / folder) for folder in
                ("test/Integration/GPU", "test/Integration/CPU", "test/Integration/Property", "examples/g2p", "python_bindings")]

# Both suites have a module of this name.
import importlib.util  # noqa: E402


def _load(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


import cells  # noqa: E402
import examples  # noqa: E402
import judge  # noqa: E402
import norms  # noqa: E402
import ops  # noqa: E402
import runner  # noqa: E402
from emit import emit  # noqa: E402

suite = _load("suite_check", ROOT / "test/Integration/CPU/check.py")


@dataclass
class Expected:
    """A result: its type, its value in float64 and how exact it has to be.

    `how` is ("units", n), in the last place of the largest value; ("absolute", x);
    ("relative", x), to max(1, |value|); ("activation", the rounded inputs)."""

    name: str
    type: str
    value: np.ndarray
    how: tuple

    def check(self, got):
        """Raises a Failure; `got` is as it is stored."""
        if got.shape != self.value.shape:
            raise runner.Failure(f"{self.name}: shape {got.shape}, expected {self.value.shape}")
        got = runner.decode(got, self.type)
        kind, limit = self.how
        if kind == "units":
            runner.compare(self.name, got, self.value, self.type, limit)
        elif kind == "activation":
            # The documented error of CUDA's erf on f64 is twice that of libm's.
            suite.close(self.name, got, self.value, limit, units=16)
        else:
            with np.errstate(invalid="ignore"):
                same = (got == self.value) | ((got != got) & (self.value != self.value))
                error = np.abs(got.astype(np.float64) - self.value)
                if kind == "relative":
                    error /= np.maximum(1.0, np.abs(self.value))
            error = np.where(same, 0.0, error)
            error = np.where(np.isfinite(error), error, np.inf)
            if (error > limit).any():
                at = np.unravel_index(np.argmax(error), error.shape)
                raise runner.Failure(f"{self.name}{[int(i) for i in at]}: got {got[at]:.9g}, expected "
                                     f"{self.value[at]:.9g} (error {error[at]:.3g}, allowed {limit:.3g})")


@dataclass
class Case:
    """A call. Arguments are arrays as they are stored, or numbers for scalars, by position."""

    label: str
    arguments: list
    results: list
    entry: str = "main"
    names: list = field(default_factory=list)


class Program:
    name: str
    # Of lstm-compile, for GPUs.
    flags: tuple = ()

    def text(self):
        raise NotImplementedError

    def cases(self):
        raise NotImplementedError

    @property
    def library(self):
        return self.name.replace("/", "-") + ".so"

    def digest(self):
        return hashlib.sha256(self.text().encode()).hexdigest()[:16]


def case_of(text, label, arguments, want, how, entry="main", by_key=False):
    """From arguments by name in float64, as the CPU's suite has them."""
    slots, results = runner.signature(text, entry)
    given = []
    for slot in slots:
        value = arguments[slot.key if by_key else slot.name]
        is_tensor = slot.text.startswith("tensor")
        given.append(runner.encode(value, slot.type) if is_tensor else np.asarray(value).item())
    expected = [Expected(slot.name, slot.type, np.asarray(want[slot.name]), how(slot) if callable(how) else how)
                for slot in results]
    return Case(label, given, expected, entry, [slot.name for slot in slots])


# Number of random programs that are compiled to persistent kernels, too.
PERSISTENT = 60

UNITS = ("units", 16.0)
SIZES = [("ragged", 7, 5, None), ("one row", 4, 1, [3]), ("no steps", 0, 3, None), ("no rows", 4, 0, None),
         ("more rows than a warp", 9, 67, None),
         # Tiles of rows that all end early, that have no step, and that have all.
         ("rows that end early", 11, 71, [4, 0, 3, 5] * 4 + [0] * 16 + [1, 0] * 8 + [2, 11] * 8 + [0, 0, 7, 10, 0, 1, 0]),
         ("rows without steps", 5, 9, [0] * 9)]


class Cell(Program):
    sizes = SIZES

    def __init__(self, cell):
        self.cell, self.name = cell, "cell/" + cell

    def text(self):
        return pathlib.Path(examples.path(self.cell)).read_text()

    def make(self, label, steps, batch, lengths=None, seed=0):
        text = self.text()
        arguments = examples.inputs(text, steps, batch, suite.hash_of(self.cell, label) + seed, lengths=lengths)
        return case_of(text, label, arguments, examples.REFERENCES[self.cell](arguments), UNITS)

    def cases(self):
        return [self.make(*size) for size in self.sizes]


class Static(Cell):
    LENGTHS = [6, 0, 2]
    # Sizes of 1 look like dimensions that are not there.
    ONES = [(6, 1), (1, 1), (1, 3)]

    def __init__(self, cell, steps=6, batch=3):
        super().__init__(cell)
        self.name = "static/" + cell + (f"/{steps}x{batch}" if (steps, batch) != (6, 3) else "")
        self.sizes = [("static", steps, batch, [min(n, steps) for n in self.LENGTHS[:batch]])]

    def text(self):
        (_, steps, batch, _), = self.sizes
        return examples.make_static(super().text(), steps, batch)


class Large(Cell):
    """Sizes as in the example, to the larger ones."""

    GROWN = {"lstm": {24: 80, 40: 256, 160: 1024}, "gru_reset_before": {}, "two_layer": {}, "bidirectional": {},
             "layer_norm_lstm": {24: 64, 40: 128, 160: 512}, "gru_reset_after": {28: 64, 40: 192, 120: 576}}
    sizes = [("long", 100, 37, None), ("several launches", 300, 37, None), ("all end in the first launch", 300, 19, [90, 0, 17, 33] * 4 + [5, 1, 64]),
             # A group of blocks has several tiles, of which the last ones end before the others.
             ("tiles that end early", 30, 300, [30 - i // 10 for i in range(300)])]

    def __init__(self, cell):
        super().__init__(cell)
        self.name = "large/" + cell

    def text(self):
        grown = self.GROWN[self.cell]
        text = re.sub(r"(?m)^ *//.*\n", "", super().text())
        if not grown:
            return text
        numbers = "|".join(map(str, grown))
        return re.sub(rf"(?<![\d.a-wyz])({numbers})(?=x|\]|\.0)", lambda found: str(grown[int(found[1])]), text)

    def make(self, *size, **options):
        case = super().make(*size, **options)
        # Rounding adds up over a hundred steps and some hundred units.
        for result in case.results:
            result.how = ("units", 256.0)
        return case


class Streamed(Large):
    """So many units that few blocks have more weights than they have place for; in the types of a mode."""

    # Units and gates of the example.
    SIZES = {"lstm": (40, 4), "gru_reset_before": (44, 3), "mgu": (36, 1)}
    # Several tiles in a group of blocks, too.
    sizes = [("ragged", 4, 70, None), ("many rows", 3, 1100, None), ("tiles that end early", 8, 700, [8 - i // 80 for i in range(700)]), ("one row", 3, 1, [3]), ("no steps", 0, 3, None), ("no rows", 2, 0, None)]
    # Of states below 1: what their types, and those of factors, leave over a few steps.
    EXACTNESS = {"exact": ("units", 32.0), "bf16x3": ("absolute", 2.0**-15), "tf32": ("absolute", 2.0**-9),
                 "f16": ("units", 4.0), "bf16": ("units", 4.0)}

    def __init__(self, cell, mode, units):
        self.cell, self.mode, self.name = cell, mode, f"streamed/{cell}/{mode}/{units}"
        before, gates = self.SIZES[cell]
        self.GROWN = {cell: {before: units, gates * before: gates * units}}

    def text(self):
        return super().text().replace("xf32>", f"x{self.mode}>") if self.mode in ("f16", "bf16") else super().text()

    def make(self, *size, **options):
        case = super().make(*size, **options)
        for result in case.results:
            result.how = self.EXACTNESS[self.mode]
        return case


class Special(Large):
    """Weights that are not finite: the first step's results are NaN for their units alone, later ones for all, but
    for rows that have ended."""

    GROWN = {"lstm": {}, "gru_reset_before": {}}
    sizes = [("one step", 1, 5, [1, 0, 1, 1, 1]), ("more steps", 3, 20, None)]
    # By row and unit of U, of a gate that other units' gates don't need, the bits. All ones but for the sign, as GPUs make NaN; ones in no bit that a product reads.
    NUMBERS = {(0, 1): 0x7FFFFFFF, (7, 5): 0x7F800001, (39, 5): 0x7F800000, (12, 37): 0xFFC00000, (30, 18): 0xFF800000}

    def __init__(self, cell):
        super().__init__(cell)
        self.name = "special/" + cell

    def make(self, label, steps, batch, lengths, seed=0):
        text = self.text()
        arguments = examples.inputs(text, steps, batch, suite.hash_of(self.name, label), lengths=lengths)
        bits = arguments["U"].astype(np.float32).view(np.uint32)
        for (k, unit), number in self.NUMBERS.items():
            bits[k, 1, unit] = number
        # An infinity that is multiplied with parts, of which one may be 0, may be NaN: here it has to be.
        arguments["h0"][:, 30] = 0.0
        with np.errstate(invalid="ignore"):
            arguments["U"] = bits.view(np.float32).astype(np.float64)
            case = case_of(text, label, arguments, examples.REFERENCES[self.cell](arguments), UNITS)
        case.arguments[case.names.index("U")] = bits.view(np.float32)
        return case


class Split(Large):
    """Sizes with which projections of f32 become products of bf16, and numbers of rows with which they don't."""

    GROWN = {"lstm": {24: 1032, 40: 320}, "gru_reset_after": {28: 1160, 40: 320}, "peephole": {20: 512, 36: 520}, "mgu": {22: 1032, 36: 520},
             "reverse": {26: 520, 38: 512}, "bidirectional": {24: 520, 20: 512, 40: 1024}}
    sizes = [("many rows", 24, 67, None), ("several chunks", 70, 37, None), ("few rows", 25, 40, None), ("no rows", 4, 0, None)]

    def __init__(self, cell):
        super().__init__(cell)
        self.name = "split/" + cell


class SplitStatic(Split):
    sizes = [("static", 20, 64, None)]

    def __init__(self, cell):
        super().__init__(cell)
        self.name = f"split/{cell}/static"

    def text(self):
        (_, steps, batch, _), = self.sizes
        return examples.make_static(super().text(), steps, batch)


class SplitProduct(Program):
    """A product alone, also of numbers that are not finite, very large or very small."""

    name, K, N = "split/product", 1024, 1024

    def text(self):
        K, N = self.K, self.N
        return f"""func.func @main(%x: tensor<?x{K}xf32>, %w: tensor<{K}x{N}xf32>) -> (tensor<?x{N}xf32> {{lstm.name = "y"}}) {{
  %i0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %rows = tensor.dim %x, %i0 : tensor<?x{K}xf32>
  %to = tensor.empty(%rows) : tensor<?x{N}xf32>
  %sums = linalg.fill ins(%zero : f32) outs(%to : tensor<?x{N}xf32>) -> tensor<?x{N}xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x{K}xf32>, tensor<{K}x{N}xf32>) outs(%sums : tensor<?x{N}xf32>) -> tensor<?x{N}xf32>
  return %y : tensor<?x{N}xf32>
}}
"""

    def cases(self):
        random, made = np.random.default_rng(3), []
        special = [np.inf, -np.inf, np.nan, np.finfo(np.float32).max, -np.finfo(np.float32).max, 0.0, -0.0, 2.0**-126, 2.0**-130]
        for label, rows in (("many rows", 3000), ("few rows", 1000), ("no rows", 0), ("special numbers", 2000)):
            x = random.uniform(-1, 1, (rows, self.K))
            w = runner.rounded(random.uniform(-1, 1, (self.K, self.N)) / self.K**0.5, "f32")
            if label.startswith("special"):
                for row, number in enumerate(special * 2):
                    x[row, row * 50] = number
                # Of one row nothing but small numbers, of which no product is normal.
                x[1999] = 2.0**-127
                # Numbers whose second and third parts are 0.
                w[:, :3] = 2.0**-5, 2.0**-6, 2.0**-100
            x = runner.rounded(x, "f32")
            with np.errstate(invalid="ignore"):
                y = x @ w
            made.append(case_of(self.text(), label, {"x": x, "w": w}, {"y": y}, ("relative", 4e-6)))
        return made


class Stacked(Program):
    """Layers of an example's cell, with lengths that end at different steps; in the types of a mode."""

    MODES = {"lstm": ("f16", "bf16", "tf32"), "reverse": ("bf16",), "gru_reset_after": ("bf16", "tf32"), "gru_reset_before": ("tf32",)}
    LAYERS = 3
    sizes = [*SIZES, ("several launches", 300, 9, None)]

    def __init__(self, cell, mode):
        self.cell, self.mode, self.name = cell, mode, f"stacked/{cell}/{mode}"
        self.flags = tuple(get_mode_flags(mode))
        self.one = re.sub(r"(?m)^ *//.*\n", "", Cell(cell).text())
        self.slots, self.results = runner.signature(self.one)
        # Layers have these of their own.
        self.own = [slot for slot in self.slots if slot.name not in ("x", "len")]

    @classmethod
    def every(cls):
        return [cls(cell, mode) for cell, modes in cls.MODES.items() for mode in modes]

    def layer(self, number):
        """As @main."""
        text = re.sub(r' \{lstm.name = "\w+"\}', "", self.one)
        if number == 0:
            return text
        narrow, wide = self.slots[0].shape[-1], self.results[0].shape[-1]
        return re.sub(rf"(?<![\d.a-wyz]){narrow}(?=x)", str(wide), text)

    def text(self):
        texts = [self.layer(number) for number in range(self.LAYERS)]
        body, values, kinds, read = [], [], [], "%x"
        parameters = [f"%{slot.name}: {slot.text}" for slot in self.slots if slot not in self.own]
        for number, text in enumerate(texts):
            slots, results = runner.signature(text)
            names = {slot.name: f"%{slot.name}{number}" for slot in self.own} | {"x": read, "len": "%len"}
            parameters += [f"%{slot.name}{number}: {slot.text}" for slot in slots if slot.name not in ("x", "len")]
            body.append(f"  %r{number}:{len(results)} = call @layer{number}({', '.join(names[slot.name] for slot in slots)})"
                        f" : ({', '.join(slot.text for slot in slots)}) -> ({', '.join(result.text for result in results)})\n")
            read = f"%r{number}#0"
            for i, result in list(enumerate(self.results))[1:]:
                values.append(f"%r{number}#{i}")
                kinds.append(f'{results[i].text} {{lstm.name = "{result.name}{number}"}}')
        values.insert(0, read)
        kinds.insert(0, f'{results[0].text} {{lstm.name = "ys"}}')
        plain = ", ".join(kind.split(" {")[0] for kind in kinds)
        layers = [text.replace("func.func @main", f"func.func private @layer{number}") for number, text in enumerate(texts)]
        text = "".join(layers) + f"func.func @main({', '.join(parameters)}) -> ({', '.join(kinds)}) {{\n{''.join(body)}" \
                                f"  return {', '.join(values)} : {plain}\n}}\n"
        return text.replace("xf32>", f"x{self.mode}>") if self.mode in ("f16", "bf16") else text

    def cases(self):
        made, text = [], self.text()
        for label, steps, batch, lengths in self.sizes:
            given, want = {}, {}
            for number in range(self.LAYERS):
                own = examples.inputs(self.layer(number), steps, batch,
                                      suite.hash_of(self.name, label) + number, lengths=lengths)
                own = {name: runner.rounded(value, self.mode) if self.mode in ("f16", "bf16") and name != "len" else value
                       for name, value in own.items()}
                if number:
                    own |= {"x": ys, "len": given["len"]}  # noqa: F821
                else:
                    given = {name: own[name] for name in ("x", "len")}
                given |= {f"{slot.name}{number}": own[slot.name] for slot in self.own}
                results = examples.REFERENCES[self.cell](own)
                ys = results[self.results[0].name]  # noqa: F841
                want |= {f"{slot.name}{number}": results[slot.name] for slot in self.results[1:]}
            how = Streamed.EXACTNESS[self.mode] if self.mode in ("f16", "bf16") else ("absolute", 2.0**-9)
            made.append(case_of(text, label, given, {"ys": ys} | want, how))
        return made


class Norm(Program):
    """Units that are no multiple of what a block has are folded, too."""

    UNITS = (8, 44, 300)
    sizes = SIZES

    def __init__(self, cell, units, element="f32"):
        self.cell, self.units, self.element = cell, units, element
        self.name = f"norm/{cell}/{units}" + f"/{element}" * (element != "f32")

    def text(self):
        return norms.text(self.cell, self.units, self.element)

    def cases(self):
        made = []
        rounded = {"f32": None, "f16": np.float16}[self.element]
        for label, steps, batch, lengths in self.sizes:
            arguments = norms.arguments(self.cell, self.units, steps, batch, suite.hash_of(self.name, label), lengths,
                                        rounded or np.float32)
            # Rounding adds up over some hundred units.
            how = UNITS if self.units < 100 or rounded else ("units", 64.0)
            made.append(case_of(self.text(), label, arguments, norms.reference(self.cell, arguments, rounded), how))
        return made


class Op(Program):
    def __init__(self, file, entry, text):
        self.file, self.entry, self._text, self.name = file, entry, text, f"op/{file}/{entry}"

    def text(self):
        return self._text

    def cases(self):
        return [case_of(self._text, label, arguments, want, UNITS, self.entry)
                for label, arguments, want in suite.op_cases(self.file, self.entry, self._text)]


class Activation(Program):
    def __init__(self, activation):
        self.activation, self.name = activation, "activation/" + activation

    def text(self):
        return suite.activation_program(self.activation)[0]

    def cases(self):
        text, arguments, want = suite.activation_program(self.activation)

        def how(slot):
            kind = slot.name.split()[0]
            return "activation", runner.rounded(arguments[kind][0], kind)
        return [case_of(text, "all forms", arguments, want, how)]


class Fault(Program):
    def __init__(self, path):
        self.path, self.name = path, "fault/" + path.stem

    def text(self):
        return self.path.read_text()

    def cases(self):
        text, cases = suite.numbers_cases(self.path)
        made = []
        for title, entry, given, expected, tolerance in cases:
            slots, results = runner.signature(text, entry)
            # What the file does not state is not judged.
            want = {slot.name: np.asarray(expected[slot.name], np.float64) for slot in results if slot.name in expected}
            case = case_of(text, title, {n: np.array(v, np.float64) for n, v in given.items()},
                           {slot.name: want.get(slot.name, np.zeros(())) for slot in results},
                           ("absolute", tolerance), entry)
            case.results = [result if result.name in want else None for result in case.results]
            made.append(case)
        return made


class Property(Program):
    def __init__(self, seed):
        self.seed, self.name = seed, f"property/{seed}"

    def draw(self):
        return judge.draw(self.seed)

    def text(self):
        return emit(self.draw())[0]

    def cases(self):
        program = self.draw()
        text, inputs = emit(program)
        expected, types = judge.expectation(program), program.types()
        given = []
        for slot in runner.signature(text)[0]:
            value = inputs[slot.key]
            if not slot.text.startswith("tensor"):
                value = runner.decode(value, slot.type).item()
            given.append(value)
        results = [Expected(name, types[name].elem, np.asarray(expected.values[name]),
                            ("relative", expected.tolerance[name])) for name in program.returns]
        return [Case("as drawn", given, results)]


class StaticProperty(Property):
    """With all sizes written down, where none is zero: kernels of all steps need static units."""

    def draw(self):
        program = super().draw()
        if all(dim.size > 0 for dim in program.dims.values()):
            for dim in program.dims.values():
                dim.static = True
        return program


def get_mode_flags(mode):
    """Types of elements are modes, too."""
    return [] if mode in ("f16", "bf16") else [f"--f32-mode={mode}"]


class RandomCells(Program):
    """Random cells as functions of one library, which is quicker to compile than one for each."""

    MODES, LIBRARIES, CELLS, SIZES = tuple(cells.ELEMENTS), 2, 8, 6

    def __init__(self, mode, number):
        self.mode, self.name = mode, f"cells/{mode}/{number}"
        self.seeds = range(self.CELLS * (number - 1) + 1, self.CELLS * number + 1)
        self.flags = ("--strategy=persistent", *get_mode_flags(mode))

    def text(self):
        return "".join(emit(cells.draw(seed, self.mode))[0].replace("@main(", f"@cell{seed}(") for seed in self.seeds)

    def cases(self):
        made = []
        for seed in self.seeds:
            drawn = cells.draw(seed, self.mode)
            made += [self.case(seed, *cells.draw_sizes(drawn, seed, number, self.mode)) for number in range(self.SIZES)]
        return made

    @staticmethod
    def case(seed, program, expected):
        text, inputs = emit(program)
        types, sizes = program.types(), program.dims
        (rec,) = program.items
        return Case(f"cell {seed}, {sizes[rec.time].size} steps, {sizes[rec.batch].size} rows",
                    [inputs[slot.key] for slot in runner.signature(text)[0]],
                    [Expected(name, types[name].elem, np.asarray(expected.values[name]),
                              ("relative", expected.tolerance[name])) for name in program.returns],
                    f"cell{seed}")


class PlannedCells(RandomCells):
    """Those of the first cells for which all layouts are, by one of them."""

    SEEDS = {"f16": [3, 4, 8, 10, 11, 12, 17, 18, 19, 20], "bf16": [1, 2, 5, 6, 8, 9, 10, 11, 12, 14],
             "exact": [1, 2, 6, 7, 8, 10, 15, 17, 19, 20], "bf16x3": [1, 3, 4, 6, 9, 13, 15, 16, 25, 31],
             "tf32": [1, 2, 3, 6, 7, 8, 9, 10, 11, 12]}
    PLANS = {"warp_groups": "3,2,2,4,2", "clusters": "3,2,2,2,1", "per_step": "3,2,2,2,3", "single_rows": "3,2,3,1,0,1",
             "single_rows_per_step": "3,2,3,1,3,1",
             "single_row_clusters": "3,2,2,2,1,1"}

    def __init__(self, mode, layout):
        super().__init__(mode, 1)
        self.name, self.seeds = f"cells/{mode}/{layout}", self.SEEDS[mode]
        self.flags += (f"--kernel-plan={self.PLANS[layout]}",)

    @classmethod
    def every(cls):
        # Single rows are for f32; how its products are rounded makes no difference to them.
        return [cls(mode, layout) for mode in cls.SEEDS for layout in cls.PLANS
                if mode == "exact" or (mode == "tf32" and not layout.startswith("single_rows")) or not layout.startswith("single")]


class StaticCells(RandomCells):
    """Sizes of 1 among those that are written down, for each cell other ones."""

    SHAPES = [(5, 1), (9, 3), (2, 1), (1, 1), (7, 8), (1, 3), (3, 13), (4, 1)]

    def __init__(self, mode):
        super().__init__(mode, 1)
        self.name = f"cells/{mode}/static"

    def draw(self, seed):
        steps, rows = self.SHAPES[(seed - 1) % len(self.SHAPES)]
        program, expected = cells.draw_sizes(cells.draw(seed, self.mode), seed, 0, self.mode, [steps], [rows])
        for dim in program.dims.values():
            dim.static = True
        return program, expected

    def text(self):
        return "".join(emit(self.draw(seed)[0])[0].replace("@main(", f"@cell{seed}(") for seed in self.seeds)

    def cases(self):
        return [self.case(seed, *self.draw(seed)) for seed in self.seeds]


class Variant(Program):
    """A program compiled by another strategy than the one that is predicted to be faster, or by other flags, too."""

    def __init__(self, strategy, program, name=None, flags=()):
        self.program, self.name = program, f"{name or strategy}/{program.name}"
        self.flags = (f"--strategy={strategy}", *flags)

    def text(self):
        return self.program.text()

    def cases(self):
        return self.program.cases()


class G2P(Program):
    name = "g2p"

    def text(self):
        return (ROOT / "examples/g2p/g2p.mlir").read_text()

    def cases(self):
        import g2p
        # The tests' reference has this name, too.
        model = _load("g2p_reference", ROOT / "examples/g2p/reference.py")
        weights = g2p_weights()
        random = np.random.default_rng(11)
        words = sorted(("".join(random.choice(list("abcdefghijklmnopqrstuvwxyz"), random.integers(1, 18)))
                        for _ in range(700)), key=len)
        graphemes, lengths = g2p.pad([g2p.tokenize(word) for word in words])
        reference = model.Reference({name: value.astype(np.float64) for name, value in weights.items()})
        phonemes = np.concatenate([reference.batch(graphemes[:, i:i + 256], lengths[i:i + 256])
                                   for i in range(0, len(words), 256)], axis=1)
        slots = runner.signature(self.text())[0]
        given = {**weights, "graphemes": graphemes, "lengths": lengths}
        return [Case("700 words", [given[slot.key] for slot in slots],
                     [Expected("phonemes", "i32", phonemes, UNITS)])]


# Layouts of kernels.
PLANNED = ["bidirectional", "clip", "coupled", "gru_reset_after", "gru_reset_before", "lstm", "lstm_eight_products", "mgu",
           "peephole", "projection", "reverse", "rnn", "two_layer"]
LAYOUTS = {"warp_groups": {Cell: dict.fromkeys(PLANNED, "2,2,1,4,2"),
                           Large: {"lstm": "16,2,2,4,2", "gru_reset_before": "2,2,1,8,2", "two_layer": "2,1,2,4,2",
                                   "bidirectional": "2,4,1,4,2", "gru_reset_after": "12,2,2,4,2"}},
           # Of 16 blocks, whole parts of blocks are copied.
           "clusters": {Cell: dict.fromkeys([*PLANNED, "layer_norm_lstm"], "3,2,1,2,1"),
                        Large: {"lstm": "16,1,2,2,1", "gru_reset_before": "3,3,2,2,1", "gru_reset_after": "12,2,2,2,1",
                                "layer_norm_lstm": "8,2,2,1,1"}},
           # The first ones have weights in registers, others also in memory.
           "per_step": {Cell: dict.fromkeys([*PLANNED, "layer_norm_lstm"], "3,2,2,3,3"),
                        Large: {"lstm": "16,2,1,4,3", "gru_reset_before": "3,1,4,4,3", "two_layer": "2,1,2,4,3",
                                "bidirectional": "2,4,1,4,3", "gru_reset_after": "12,2,2,4,3", "layer_norm_lstm": "8,2,4,4,3"}},
           "single_rows": {Cell: dict.fromkeys(PLANNED, "5,1,3,1,0,1"), Large: {"lstm": "16,2,7,1,0,1"}},
           "single_rows_per_step": {Cell: dict.fromkeys(PLANNED, "5,1,3,1,3,1"), Large: {"lstm": "16,2,7,1,3,1"}},
           "single_row_clusters": {Cell: dict.fromkeys(PLANNED, "3,3,1,2,1,1"), Large: {"lstm": "16,1,2,2,1,1"}}}
# Clusters that reduce rows, by units: of padded ones, and with warps that have half of the rows.
REDUCING = {8: "1,3,1,1,1", 44: "3,2,1,2,1", 300: "10,1,2,4,1"}
# For a kernel a step; and plans with which weights are streamed, by cell, mode and units.
PER_STEP = {8: "1,2,2,2,3", 44: "3,1,4,2,3", 300: "19,2,4,4,3"}
STREAMED = {"warp_groups": {
                ("lstm", "exact", 500): "16,1,2,4,2", ("lstm", "bf16x3", 500): "12,4,1,4,2", ("lstm", "tf32", 500): "8,4,1,4,2",
                ("lstm", "f16", 500): "8,1,1,4,2", ("lstm", "bf16", 500): "12,8,1,4,2",
                ("gru_reset_before", "exact", 500): "16,8,1,4,2", ("gru_reset_before", "exact", 900): "16,1,1,4,2",
                ("mgu", "exact", 500): "4,1,1,4,2", ("mgu", "f16", 900): "8,1,2,4,2"},
            "per_step": {("lstm", "exact", 500): "63,1,1,2,3", ("lstm", "tf32", 500): "16,2,2,4,3", ("lstm", "bf16", 500): "63,2,1,3,3",
                         ("gru_reset_before", "exact", 900): "57,4,2,4,3"}}


# The folder of the compiled programs; run.py says.
folder = ROOT / "gpu"


def g2p_weights():
    """The checkpoint's where it was there when the programs were compiled, else random ones."""
    path = folder / "checkpoint20.npz"
    if path.exists():
        with np.load(path) as arrays:
            return {name: arrays[name] for name in arrays.files}
    random, made = np.random.default_rng(7), {"fc_w": (74, 256), "fc_b": (74,)}
    for part, symbols in (("enc", 29), ("dec", 74)):
        made |= {part + "_emb": (symbols, 256), part + "_w_ih": (768, 256), part + "_w_hh": (768, 256),
                 part + "_b_ih": (768,), part + "_b_hh": (768,)}
    return {name: random.normal(0, 0.1, shape).astype(np.float32) for name, shape in made.items()}


# Of those that only look at the IR there is nothing to call.
def faults():
    for path in sorted((ROOT / "test/Regression").glob("*.mlir")):
        if "check.py numbers" in path.read_text():
            yield Fault(path)


def every(count):
    """All programs, `count` random ones among them."""
    made = [kind(name) for kind in (Cell, Static) for name in examples.names()]
    made += [Large(name) for name in Large.GROWN]
    for file in ops.CASES:
        text = suite.op_functions(ROOT / f"test/Integration/CPU/{file}.mlir")
        made += [Op(file, entry, text[entry]) for entry in ops.CASES[file]]
    norm = [Norm(cell, units) for cell in norms.CELLS for units in Norm.UNITS]
    norm += [Norm(cell, units, "f16") for cell in norms.CELLS if cell != "before" for units in Norm.UNITS]
    made += norm
    made += [Activation(name) for name in suite.FORMS]
    made += [*faults(), G2P()]
    made += [Property(seed) for seed in range(1, count + 1)]
    persistent = [*map(Cell, examples.names()), *map(Large, Large.GROWN), *norm,
                  *(StaticProperty(seed) for seed in range(1, min(count, PERSISTENT) + 1))]
    persistent += [Static(name, *sizes) for name in ("lstm", "gru_reset_before", "reverse", "layer_norm_lstm") for sizes in Static.ONES]
    made += [Variant("persistent", program) for program in persistent]
    made += [Variant("library", Cell(name)) for name in examples.names()]
    made += [Variant("library", Large(name), "overlap", ["--overlap-projections"]) for name in Large.GROWN]
    stacked = Stacked.every()
    made += stacked
    made += [Variant("auto", program, "apart", [*program.flags, "--stacked-bytes=0"]) for program in stacked if program.mode == "bf16"]
    split = [*map(Split, Split.GROWN), SplitStatic("lstm"), SplitProduct()]
    made += split
    made += [Variant("library", program) for program in split]
    # Other modes leave to libraries what is theirs.
    made += [Variant("library", program, "unsplit", ["--f32-mode=tf32"]) for program in split]
    made += [RandomCells(mode, number) for mode in RandomCells.MODES for number in range(1, RandomCells.LIBRARIES + 1)]
    made += [StaticCells(mode) for mode in StaticCells.MODES]
    made += PlannedCells.every()
    made += [Variant("persistent", kind(name), layout, [f"--kernel-plan={plan}"])
             for layout, kinds in LAYOUTS.items() for kind, plans in kinds.items() for name, plan in plans.items()]
    # 'before' reduces rows before it projects.
    made += [Variant("persistent", Norm(cell, units, element), "clusters", [f"--kernel-plan={plan}"])
             for cell in norms.CELLS if cell != "before" for element in ("f32", "f16") for units, plan in REDUCING.items()]
    made += [Variant("persistent", Norm(cell, units, element), "per_step", [f"--kernel-plan={plan}"])
             for cell in norms.CELLS for element in ("f32", "f16") if (cell, element) != ("before", "f16") for units, plan in PER_STEP.items()]
    made += [Variant("persistent", Streamed(*sizes), layout, [f"--kernel-plan={plan}", *get_mode_flags(sizes[1])])
             for layout, plans in STREAMED.items() for sizes, plan in plans.items()]
    made += [Variant("persistent", Special(name), "warp_groups", ["--kernel-plan=2,2,1,4,2"]) for name in Special.GROWN]
    return {program.name: program for program in made}
