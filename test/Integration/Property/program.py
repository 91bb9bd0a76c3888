# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A tiny representation of programs around recurrences.

Every value has a name that is unique in the whole program, so that values of the
function can be captured in a body and nodes can be moved and dropped freely. A
dimension is a name too; the program says how long it is and whether the types
show that.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Optional, Union

import numpy as np

FLOATS = ("f32", "f64", "f16", "bf16")


@dataclass(frozen=True)
class Type:
    """A tensor of named dimensions, or a scalar."""

    dims: tuple[str, ...]
    elem: str
    scalar: bool = False

    @property
    def is_float(self) -> bool:
        return self.elem in FLOATS

    def stacked(self, time: str) -> "Type":
        return Type((time,) + self.dims, self.elem)

    def element(self) -> "Type":
        return Type(self.dims[1:], self.elem)


@dataclass
class Dim:
    size: int
    static: bool


@dataclass
class Argument:
    """An argument of the function, with the data that it gets (float64, int64 or bool)."""

    name: str
    type: Type
    data: np.ndarray


@dataclass
class Node:
    """One operation, or a few that belong together; `op` is a key of emit.py and evaluate.py."""

    op: str
    args: list[str]
    results: list[str]
    types: list[Type]
    attrs: dict = field(default_factory=dict)


@dataclass
class Sequence:
    name: str
    source: str
    reverse: bool = False


@dataclass
class State:
    """`next` is yielded; `final` names the result."""

    name: str
    init: str
    next: str
    final: str
    unmasked: bool = False
    reverse: bool = False


@dataclass
class Output:
    """`source` is yielded; `destination` is None for a fresh tensor."""

    source: str
    result: str
    destination: Optional[str] = None
    reverse: bool = False


@dataclass
class Recurrence:
    time: str
    batch: str
    sequences: list[Sequence]
    states: list[State]
    outputs: list[Output]
    nodes: list[Node]
    lengths: Optional[str] = None

    def directed(self) -> list[Union[Sequence, State, Output]]:
        return [*self.sequences, *self.states, *self.outputs]


Item = Union[Node, Recurrence]


@dataclass
class Program:
    seed: int
    dims: dict[str, Dim] = field(default_factory=dict)
    arguments: list[Argument] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    returns: list[str] = field(default_factory=list)

    def shape(self, t: Type) -> tuple[int, ...]:
        return tuple(self.dims[d].size for d in t.dims)

    def types(self) -> dict[str, Type]:
        """The type of every value."""
        types = {a.name: a.type for a in self.arguments}

        def add(nodes: list[Node]) -> None:
            for node in nodes:
                types.update(zip(node.results, node.types))

        for item in self.items:
            if isinstance(item, Node):
                add([item])
                continue
            for sequence in item.sequences:
                types[sequence.name] = types[sequence.source].element()
            for state in item.states:
                types[state.name] = types[state.final] = types[state.init]
            add(item.nodes)
            for output in item.outputs:
                types[output.result] = types[output.source].stacked(item.time)
        return types


def uses(program: Program) -> set[str]:
    """Every value that something reads."""
    used = set(program.returns)
    for item in program.items:
        if isinstance(item, Node):
            used.update(item.args)
            continue
        used.update(s.source for s in item.sequences)
        for state in item.states:
            used.update((state.init, state.next))
        for output in item.outputs:
            used.add(output.source)
            if output.destination:
                used.add(output.destination)
        for node in item.nodes:
            used.update(node.args)
        if item.lengths:
            used.add(item.lengths)
    return used


def drop_unused(program: Program) -> None:
    """Removes nodes, recurrences and arguments that nothing reads."""
    while True:
        used = uses(program)

        def dead(names: list[str]) -> bool:
            return not any(name in used for name in names)

        before = (len(program.arguments), len(program.items),
                  sum(len(i.nodes) for i in program.items if isinstance(i, Recurrence)))
        program.arguments = [a for a in program.arguments if a.name in used]
        program.items = [
            i for i in program.items
            if not dead(i.results if isinstance(i, Node) else
                        [s.final for s in i.states] + [o.result for o in i.outputs])
        ]
        for item in program.items:
            if isinstance(item, Recurrence):
                item.nodes = [n for n in item.nodes if not dead(n.results)]
        after = (len(program.arguments), len(program.items),
                 sum(len(i.nodes) for i in program.items if isinstance(i, Recurrence)))
        if before == after:
            return
