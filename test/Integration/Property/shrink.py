# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a failing program smaller, one change at a time, while it still fails."""

from __future__ import annotations

import copy
from typing import Callable, Iterator

import numpy as np

from formats import round_to
from program import Argument, Node, Program, Recurrence, Type, drop_unused

# A change gets a copy of the program to work on; it returns False where it does not apply.
Change = Callable[[Program], object]


def shrink(program: Program, fails: Callable[[Program], bool], budget: int = 250) -> Program:
    """Applies changes as long as `fails` holds, up to `budget` trials."""
    progress = True
    while progress and budget > 0:
        progress = False
        position = 0
        while budget > 0:
            changes = list(_changes(program))
            if position >= len(changes):
                break
            candidate = copy.deepcopy(program)
            position += 1
            if changes[position - 1](candidate) is False:
                continue
            drop_unused(candidate)
            if not candidate.returns:
                continue
            budget -= 1
            if fails(candidate):
                program, progress = candidate, True
                position -= 1
    return program


def _recurrences(program: Program) -> Iterator[tuple[int, Recurrence]]:
    return ((i, item) for i, item in enumerate(program.items) if isinstance(item, Recurrence))


def _changes(program: Program) -> Iterator[Change]:
    """Every change that may apply, those that remove most first."""
    for name in program.returns:
        yield lambda p, n=name: _set(p, "returns", [n]) if len(p.returns) > 1 else False
    for name in program.returns:
        yield lambda p, n=name: p.returns.remove(n)
    for i in range(len(program.items)):
        yield lambda p, i=i: _free_results(p, p.items[i])
    for i, rec in _recurrences(program):
        for k in reversed(range(len(rec.nodes))):
            yield lambda p, i=i, k=k: _free_results(p, p.items[i].nodes[k])
        for k in range(len(rec.outputs)):
            yield lambda p, i=i, k=k: _drop_output(p, p.items[i], k)
        for k in range(len(rec.states)):
            yield lambda p, i=i, k=k: _drop_state(p, p.items[i], k)
        for k in range(len(rec.sequences)):
            yield lambda p, i=i, k=k: _drop_sequence(p, p.items[i], k)
    for i, rec in _recurrences(program):
        if rec.lengths:
            yield lambda p, i=i: _set(p.items[i], "lengths", None)
        if any(part.reverse for part in rec.directed()):
            yield lambda p, i=i: [_set(part, "reverse", False) for part in p.items[i].directed()]
        for k, part in enumerate(rec.directed()):
            if part.reverse:
                yield lambda p, i=i, k=k: _set(p.items[i].directed()[k], "reverse", False)
        for k, output in enumerate(rec.outputs):
            if output.destination:
                yield lambda p, i=i, k=k: _set(p.items[i].outputs[k], "destination", None)
        for k, state in enumerate(rec.states):
            if state.unmasked:
                yield lambda p, i=i, k=k: _set(p.items[i].states[k], "unmasked", False)
        for k, node in enumerate(rec.nodes):
            yield from _node_changes(i, k, node)
    yield lambda p: False if all(d.static for d in p.dims.values()) else \
        [_set(d, "static", True) for d in p.dims.values()]
    for name, dim in program.dims.items():
        for size in sorted({1, 2, dim.size // 2, dim.size - 1}):
            if 0 < size < dim.size:
                yield lambda p, n=name, s=size: _resize(p, n, s)


def _node_changes(i: int, k: int, node: Node) -> Iterator[Change]:
    attrs = node.attrs
    for value in node.args:
        yield lambda p, v=value: _forward(p, p.items[i].nodes[k], v)
    if node.op == "gate":
        pairs = attrs["dots"] + attrs["scales"]
        terms = [(2 * n, 2) for n in range(pairs)] + [(n, 1) for n in range(2 * pairs, len(node.args))]
        for at, width in terms:
            if len(terms) > 1:
                yield lambda p, at=at, w=width: _drop_term(p.items[i].nodes[k], at, w)
        if attrs["acts"] != [("identity", ())]:
            yield lambda p: _set_attr(p.items[i].nodes[k], "acts", [("identity", ())])
    if attrs.get("clip") is not None:
        yield lambda p: _set_attr(p.items[i].nodes[k], "clip", None)
    if "roles" in attrs:
        if attrs["acts"]:
            yield lambda p: _set_attr(p.items[i].nodes[k], "acts", None)
        for role in ("bias", "recurrent_bias", "peephole"):
            if role in attrs["roles"]:
                yield lambda p, r=role: _drop_role(p.items[i].nodes[k], r)


def _set(holder, name: str, value) -> None:
    setattr(holder, name, value)


def _set_attr(node: Node, name: str, value) -> None:
    node.attrs[name] = value


def _rename(program: Program, old: str, new: str) -> None:
    """Lets everything that reads `old` read `new`."""
    swap = lambda v: new if v == old else v
    for item in program.items:
        nodes = [item] if isinstance(item, Node) else item.nodes
        for node in nodes:
            node.args = [swap(a) for a in node.args]
        if isinstance(item, Recurrence):
            for sequence in item.sequences:
                sequence.source = swap(sequence.source)
            for state in item.states:
                state.init, state.next = swap(state.init), swap(state.next)
            for output in item.outputs:
                output.source = swap(output.source)


def _capture(program: Program, name: str, t: Type) -> str:
    """Replaces a value by a new argument."""
    rng = np.random.default_rng(len(program.arguments))
    shape = program.shape(t)
    if t.is_float:
        data = round_to(t.elem, rng.uniform(-1, 1, shape))
    else:
        data = np.zeros(shape, np.bool_ if t.elem == "i1" else np.int64)
    argument = Argument(f"{name}_free", t, np.asarray(data))
    program.arguments.append(argument)
    _rename(program, name, argument.name)
    return argument.name


def _free_results(program: Program, item):
    """Makes what an item computes an argument, so that the item goes."""
    types = program.types()
    names = item.results if isinstance(item, Node) else \
        [s.final for s in item.states] + [o.result for o in item.outputs]
    program.returns = [r for r in program.returns if r not in names]
    for name in names:
        _capture(program, name, types[name])


def _forward(program: Program, node: Node, value: str):
    """Replaces a node by one of its operands of the same type."""
    types = program.types()
    if types[value] != node.types[0] or len(node.results) != 1:
        return False
    _rename(program, node.results[0], value)


def _drop_output(program: Program, rec: Recurrence, k: int):
    output = rec.outputs[k]
    if output.result in program.returns:
        return False
    _capture(program, output.result, program.types()[output.result])
    del rec.outputs[k]
    return bool(rec.outputs or rec.states)


def _drop_state(program: Program, rec: Recurrence, k: int):
    """The state becomes its initial value."""
    state = rec.states[k]
    if state.final in program.returns:
        return False
    _rename(program, state.name, state.init)
    _rename(program, state.final, state.init)
    del rec.states[k]
    return bool(rec.outputs or rec.states)


def _drop_sequence(program: Program, rec: Recurrence, k: int):
    sequence = rec.sequences[k]
    _capture(program, sequence.name, program.types()[sequence.name])
    del rec.sequences[k]


def _drop_term(gate: Node, at: int, width: int) -> None:
    if at < 2 * gate.attrs["dots"]:
        gate.attrs["dots"] -= 1
    elif width == 2:
        gate.attrs["scales"] -= 1
    del gate.args[at:at + width]


def _drop_role(cell: Node, role: str) -> None:
    at = cell.attrs["roles"].index(role)
    cell.attrs["roles"] = [r for r in cell.attrs["roles"] if r != role]
    del cell.args[at]


def _resize(program: Program, name: str, size: int):
    if name.startswith("G"):
        return False
    program.dims[name].size = size
    lengths = {r.lengths: r.time for _, r in _recurrences(program) if r.lengths}
    for argument in program.arguments:
        cut = tuple(slice(0, program.dims[d].size) for d in argument.type.dims)
        argument.data = argument.data[cut]
        if argument.name in lengths:
            argument.data = np.minimum(argument.data, program.dims[lengths[argument.name]].size)
