# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a program as MLIR text."""

from __future__ import annotations

import numpy as np

from evaluate import LAYER_NORM_EPSILON
from formats import to_file
from program import Node, Program, Recurrence, Type


def _float(value: float) -> str:
    text = repr(float(value))
    if "e" in text and "." not in text:
        text = text.replace("e", ".0e")
    return text


def _activation(act) -> str:
    name, parameters = act
    return name + (f"({', '.join(map(_float, parameters))})" if parameters else "")


class Emitter:
    def __init__(self, program: Program):
        self.program = program
        self.types = program.types()
        self.lines: list[str] = []
        self.indent = 1
        self.count = 0
        self.dims_used: dict[str, None] = {}
        # Arguments that only show how long a dimension is, by name.
        self.extents: dict[str, str] = {}

    # -- helpers ---------------------------------------------------------------

    def line(self, text: str) -> None:
        self.lines.append("  " * self.indent + text)

    def fresh(self) -> str:
        self.count += 1
        return f"%{self.count - 1}"

    def define(self, text: str, name: str | None = None) -> str:
        name = name or self.fresh()
        self.line(f"{name} = {text}")
        return name

    def type(self, t: Type) -> str:
        if t.scalar:
            return t.elem
        dims = (self.program.dims[d] for d in t.dims)
        return "tensor<" + "".join(f"{d.size if d.static else '?'}x" for d in dims) + f"{t.elem}>"

    def of(self, value: str) -> str:
        return self.type(self.types[value])

    def size(self, dim: str) -> str:
        """The size of a dimension as it stands in a list of sizes."""
        if self.program.dims[dim].static:
            return str(self.program.dims[dim].size)
        self.dims_used[dim] = None
        return f"%d_{dim}"

    def constant(self, value, elem: str) -> str:
        text = _float(value) if elem[0] in "fb" else str(value)
        return self.define(f"arith.constant {text} : {elem}")

    def index(self, dim: str) -> str:
        """The size of a dimension as a value."""
        size = self.size(dim)
        return size if size.startswith("%") else self.constant(size, "index")

    def empty(self, t: Type) -> str:
        dynamic = ", ".join(self.size(d) for d in t.dims if not self.program.dims[d].static)
        return self.define(f"tensor.empty({dynamic}) : {self.type(t)}")

    def filled(self, t: Type, value) -> str:
        cst = self.constant(value, t.elem)
        to = self.empty(t)
        return self.define(f"linalg.fill ins({cst} : {t.elem}) outs({to} : {self.type(t)}) -> {self.type(t)}")

    def generic(self, maps, iterators, ins, outs, body, result=None) -> str:
        """`ins` and `outs` are pairs of a value and its type; `body` makes the lines
        of the region from the names of its arguments and returns what is yielded."""
        space = ", ".join(f"d{i}" for i in range(len(iterators)))
        maps = ", ".join(f"affine_map<({space}) -> ({', '.join(m)})>" for m in maps)
        kinds = ", ".join('"parallel"' if k == "p" else '"reduction"' for k in iterators)
        operands = " ".join(
            f"{word}({', '.join(v for v, _ in part)} : {', '.join(self.type(t) for _, t in part)})"
            for word, part in (("ins", ins), ("outs", outs)) if part)
        results = result or [self.fresh() for _ in outs]
        self.line(f"{', '.join(results)} = linalg.generic {{indexing_maps = [{maps}], "
                  f"iterator_types = [{kinds}]}} {operands} {{")
        names = [self.fresh() for _ in ins + outs]
        elems = [t.elem for _, t in ins + outs]
        self.line(f"^bb0({', '.join(f'{n}: {e}' for n, e in zip(names, elems))}):")
        self.indent += 1
        yielded = body(*names)
        self.line(f"linalg.yield {', '.join(yielded)} : {', '.join(t.elem for _, t in outs)}")
        self.indent -= 1
        types = ", ".join(self.type(t) for _, t in outs)
        self.line(f"}} -> {types if len(outs) == 1 else f'({types})'}")
        return results[0]

    # -- whole program ---------------------------------------------------------

    def run(self) -> str:
        program = self.program
        for item in program.items:
            if isinstance(item, Node):
                self.node(item)
            else:
                self.recurrence(item)
        returned = []
        for name in program.returns:
            t = self.types[name]
            if t.scalar:
                boxed = Type((), t.elem)
                returned.append((self.define(f"tensor.from_elements %{name} : {self.type(boxed)}"), boxed))
            else:
                returned.append((f"%{name}", t))
        values = ", ".join(v for v, _ in returned)
        self.line(f"return {values} : {', '.join(self.type(t) for _, t in returned)}")
        body, self.lines = self.lines, []

        arguments = []
        for a in program.arguments:
            name = f"%{a.name}_box" if a.type.scalar else f"%{a.name}"
            boxed = Type((), a.type.elem) if a.type.scalar else a.type
            arguments.append(f'{name}: {self.type(boxed)} {{lstm.name = "{a.name}"}}')
            if a.type.scalar:
                self.line(f"%{a.name} = tensor.extract {name}[] : {self.type(boxed)}")
        for dim in self.dims_used:
            owners = [(a.name, a.type) for a in program.arguments if dim in a.type.dims]
            if not owners:
                owners = [(f"extent_{dim}", Type((dim,), "i1"))]
                self.extents[owners[0][0]] = dim
                arguments.append(f'%{owners[0][0]}: {self.type(owners[0][1])} {{lstm.name = "{owners[0][0]}"}}')
            name, t = owners[0]
            axis = self.constant(t.dims.index(dim), "index")
            self.line(f"%d_{dim} = tensor.dim %{name}, {axis} : {self.type(t)}")
        results = [f'{self.type(t)} {{lstm.name = "{name}"}}'
                   for name, (_, t) in zip(program.returns, returned)]
        head = (f"// Seed {program.seed}.\n"
                f"func.func @main({(',' + chr(10) + ' ' * 16).join(arguments)})\n"
                f"    -> ({', '.join(results)}) {{")
        return "\n".join([head, *self.lines, *body, "}"]) + "\n"

    def recurrence(self, rec: Recurrence) -> None:
        whole = bool(rec.directed()) and all(part.reverse for part in rec.directed())

        def prefix(part) -> str:
            text = "unmasked " if getattr(part, "unmasked", False) else ""
            return text + ("reverse " if part.reverse and not whole else "")

        def types(values) -> str:
            return ", ".join(self.of(v) for v in values)

        clauses = []
        if rec.sequences:
            pairs = ", ".join(f"{prefix(s)}%{s.name} = %{s.source}" for s in rec.sequences)
            clauses.append(f"over({pairs} : {types(s.source for s in rec.sequences)})")
        if rec.states:
            pairs = ", ".join(f"{prefix(s)}%{s.name} = %{s.init}" for s in rec.states)
            clauses.append(f"init({pairs} : {types(s.init for s in rec.states)})")
        if rec.lengths:
            clauses.append(f"lengths(%{rec.lengths} : {self.of(rec.lengths)})")
        if not rec.sequences:
            clauses.append(f"steps({self.index(rec.time)} : index)")
        if whole:
            clauses.append("reverse")
        if rec.outputs:
            outs = []
            for output in rec.outputs:
                to = f"%{output.destination}" if output.destination else self.empty(self.types[output.result])
                outs.append(prefix(output) + to)
            clauses.append(f"outs({', '.join(outs)} : {types(o.result for o in rec.outputs)})")
        results = [o.result for o in rec.outputs] + [s.final for s in rec.states]
        self.line(f"{', '.join('%' + r for r in results)} = lstm.recurrence {' '.join(clauses)} {{")
        self.indent += 1
        for node in rec.nodes:
            self.node(node)
        yielded = []
        for word, values in (("state", [s.next for s in rec.states]), ("out", [o.source for o in rec.outputs])):
            if values:
                yielded.append(f"{word}({', '.join('%' + v for v in values)} : {types(values)})")
        self.line(f"lstm.yield {' '.join(yielded)}")
        self.indent -= 1
        self.line("}")

    # -- nodes -----------------------------------------------------------------

    def node(self, node: Node) -> None:
        getattr(self, "_" + node.op)(node, [f"%{a}" for a in node.args], node.types[0], f"%{node.results[0]}")

    def _gate(self, node, args, t, result) -> None:
        attrs, names = node.attrs, list(node.args)
        acts = [_activation(a) for a in attrs["acts"]]
        text = acts[0] if len(acts) == 1 else f"[{', '.join(acts)}]"
        if attrs["clip"] is not None:
            text += f" clip {_float(attrs['clip'])}"
        for word, count in (("dot", attrs["dots"]), ("scale", attrs["scales"])):
            for _ in range(count):
                a, b = names.pop(0), names.pop(0)
                text += f" {word}(%{a}, %{b} : {self.of(a)}, {self.of(b)})"
        for b in names:
            text += f" add(%{b} : {self.of(b)})"
        self.line(f"{result} = lstm.gate {text} : {self.type(t)}")

    def _cell_like(self, node, mnemonic: str, clauses) -> None:
        value = dict(zip(node.attrs["roles"], node.args))
        text = mnemonic
        for word, roles in clauses:
            if roles[0] in value:
                names = [value[r] for r in roles]
                text += (f" {word}({', '.join('%' + n for n in names)} : "
                         f"{', '.join(self.of(n) for n in names)})")
        if node.attrs.get("coupled"):
            text += " coupled"
        if node.attrs["clip"] is not None:
            text += f" clip {_float(node.attrs['clip'])}"
        if node.attrs["acts"]:
            text += f" activations [{', '.join(map(_activation, node.attrs['acts']))}]"
        self.line(f"{', '.join('%' + r for r in node.results)} = lstm.{text}")

    def _cell(self, node, args, t, result) -> None:
        self._cell_like(node, "cell", [("input", "xW"), ("state", "hU"), ("cell", "c"), ("bias", ["bias"]),
                                       ("peephole", ["peephole"]), ("projection", ["projection"])])

    def _gru_cell(self, node, args, t, result) -> None:
        form = "reset_after" if node.attrs["reset_after"] else "reset_before"
        self._cell_like(node, f"gru_cell {form}", [("input", "xW"), ("state", "hU"), ("bias", ["bias"]),
                                                   ("recurrent_bias", ["recurrent_bias"])])

    def _rnn_cell(self, node, args, t, result) -> None:
        self._cell_like(node, "rnn_cell", [("input", "xW"), ("state", "hU"), ("bias", ["bias"])])

    def _unary(self, node, args, t, result) -> None:
        fn = node.attrs["fn"]
        dialect = "arith" if fn == "negf" else "math"
        self.line(f"{result} = {dialect}.{fn} {args[0]} : {self.type(t)}")

    def _binary(self, node, args, t, result) -> None:
        self.line(f"{result} = arith.{node.attrs['fn']} {args[0]}, {args[1]} : {self.type(t)}")

    def _constant(self, node, args, t, result) -> None:
        value = node.attrs["value"]
        text = _float(value) if t.is_float else str(value)
        if t.scalar:
            self.line(f"{result} = arith.constant {text} : {t.elem}")
        elif all(self.program.dims[d].static for d in t.dims):
            self.line(f"{result} = arith.constant dense<{text}> : {self.type(t)}")
        else:
            cst = self.constant(value, t.elem)
            dynamic = ", ".join(self.size(d) for d in t.dims if not self.program.dims[d].static)
            self.line(f"{result} = tensor.splat {cst}[{dynamic}] : {self.type(t)}")

    def _select(self, node, args, t, result) -> None:
        self.line(f"{result} = arith.select {', '.join(args)} : {self.of(node.args[0])}, {self.type(t)}")

    def _slice(self, node, args, t, result) -> None:
        self.line(f"{result} = tensor.extract_slice {args[0]}[0, {node.attrs['gate']}, 0] "
                  f"[{self.size(t.dims[0])}, 1, {self.size(t.dims[1])}] [1, 1, 1] : "
                  f"{self.of(node.args[0])} to {self.type(t)}")

    def _columns(self, node, args, t, result) -> None:
        self.line(f"{result} = tensor.extract_slice {args[0]}[0, {node.attrs['start']}] "
                  f"[{self.size(t.dims[0])}, {self.size(t.dims[1])}] [1, 1] : "
                  f"{self.of(node.args[0])} to {self.type(t)}")

    def _concat(self, node, args, t, result) -> None:
        types = ", ".join(self.of(a) for a in node.args)
        self.line(f"{result} = tensor.concat dim(1) {', '.join(args)} : ({types}) -> {self.type(t)}")

    def _matmul(self, node, args, t, result) -> None:
        zero = self.filled(t, 0.0)
        self.line(f"{result} = linalg.matmul ins({', '.join(args)} : {', '.join(map(self.of, node.args))}) "
                  f"outs({zero} : {self.type(t)}) -> {self.type(t)}")

    def _accumulate(self, node, args, t, result) -> None:
        acc, a, b = node.args

        def body(x, y, old):
            product = self.define(f"arith.mulf {x}, {y} : {t.elem}")
            return [self.define(f"arith.addf {old}, {product} : {t.elem}")]

        self.generic([("d2", "d0"), ("d2", "d1"), ("d0", "d1")], "ppr",
                     [(f"%{a}", self.types[a]), (f"%{b}", self.types[b])], [(f"%{acc}", t)], body, [result])

    def _broadcast(self, node, args, t, result) -> None:
        other = self.types[node.args[1]]
        axes = {"r": ("d0",), "u": ("d1",), "": ()}[node.attrs["axes"]]

        def body(x, y, old=None):
            if old is None:
                y = args[1]
            return [self.define(f"arith.{node.attrs['fn']} {x}, {y} : {t.elem}")]

        ins, maps = [(args[0], t)], [("d0", "d1")]
        if not other.scalar:
            ins.append((args[1], other))
            maps.append(axes)
        to = self.empty(t)
        self.generic(maps + [("d0", "d1")], "pp", ins, [(to, t)], body, [result])

    def _reduce(self, node, args, t, result) -> None:
        fn = node.attrs["fn"]
        start = self.filled(t, 0.0 if fn == "addf" else -10000.0)
        body = lambda x, old: [self.define(f"arith.{fn} {x}, {old} : {t.elem}")]
        self.generic([("d0", "d1"), ("d0",)], "pr", [(args[0], self.types[node.args[0]])], [(start, t)], body,
                     [result])

    def _layer_norm(self, node, args, t, result) -> None:
        row, e = Type(t.dims[:1], t.elem), t.elem
        both, one = ("d0", "d1"), ("d0",)
        width = self.define(f"arith.index_cast {self.index(t.dims[1])} : index to i64")
        width = self.define(f"arith.sitofp {width} : i64 to {e}")
        eps = self.constant(LAYER_NORM_EPSILON, e)
        add = lambda x, old: [self.define(f"arith.addf {x}, {old} : {e}")]

        def center(x, s, _):
            mean = self.define(f"arith.divf {s}, {width} : {e}")
            return [self.define(f"arith.subf {x}, {mean} : {e}")]

        def add_square(x, old):
            square = self.define(f"arith.mulf {x}, {x} : {e}")
            return [self.define(f"arith.addf {square}, {old} : {e}")]

        def normalize(x, s, _):
            mean = self.define(f"arith.divf {s}, {width} : {e}")
            safe = self.define(f"arith.addf {mean}, {eps} : {e}")
            scale = self.define(f"math.rsqrt {safe} : {e}")
            return [self.define(f"arith.mulf {x}, {scale} : {e}")]

        total = self.generic([both, one], "pr", [(args[0], t)], [(self.filled(row, 0.0), row)], add)
        centered = self.generic([both, one, both], "pp", [(args[0], t), (total, row)],
                                [(self.empty(t), t)], center)
        squares = self.generic([both, one], "pr", [(centered, t)], [(self.filled(row, 0.0), row)], add_square)
        self.generic([both, one, both], "pp", [(centered, t), (squares, row)], [(self.empty(t), t)],
                     normalize, [result])

    def _gather(self, node, args, t, result) -> None:
        table, tokens = node.args
        kind = self.types[tokens]

        def body(token, old):
            if kind.elem != "index":
                token = self.define(f"arith.index_cast {token} : {kind.elem} to index")
            unit = self.define("linalg.index 1 : index")
            return [self.define(f"tensor.extract %{table}[{token}, {unit}] : {self.of(table)}")]

        to = self.empty(t)
        self.generic([("d0",), ("d0", "d1")], "pp", [(f"%{tokens}", kind)], [(to, t)], body, [result])

    def _argmax(self, node, args, t, result) -> None:
        source = self.types[node.args[0]]
        best = Type(source.dims[:1], source.elem)

        def body(x, old, old_at):
            at = self.define("linalg.index 1 : index")
            if t.elem != "index":
                at = self.define(f"arith.index_cast {at} : index to {t.elem}")
            more = self.define(f"arith.cmpf ogt, {x}, {old} : {source.elem}")
            return [self.define(f"arith.select {more}, {x}, {old} : {source.elem}"),
                    self.define(f"arith.select {more}, {at}, {old_at} : {t.elem}")]

        low = self.filled(best, -10000.0)
        first = self.filled(t, 0)
        self.generic([("d0", "d1"), ("d0",), ("d0",)], "pr", [(args[0], source)],
                     [(low, best), (first, t)], body, [self.fresh(), result])


def emit(program: Program) -> tuple[str, dict[str, np.ndarray]]:
    """The text, and the arrays that its function `main` is to be called with."""
    emitter = Emitter(program)
    text = emitter.run()
    inputs = {a.name: to_file(a.type.elem, a.data) for a in program.arguments}
    for name, dim in emitter.extents.items():
        inputs[name] = np.zeros(program.dims[dim].size, np.bool_)
    return text, inputs
