# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a program must give, and how exactly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

import numpy as np

from evaluate import Evaluator
from formats import EPSILON
from generate import generate
from program import Program


@dataclass(frozen=True)
class Precision:
    """What a program whose narrowest type is this one has to keep to."""

    base: float  # Allowed error, relative to max(1, |value|).
    cap: float  # The most by which a program's own magnification may widen that.
    margin: float  # The distance to a jump below which a program is not judged.


PRECISION = {
    "f64": Precision(1e-12, 1e-9, 1e-7), "f32": Precision(2e-5, 5e-4, 2e-3),
    "f16": Precision(8e-3, 0.06, 0.05), "bf16": Precision(6e-2, 0.3, 0.2),
}
# How many times the error of an evaluation that rounds each value is allowed.
MAGNIFICATION = 16.0


@dataclass
class Expected:
    values: dict[str, np.ndarray]
    tolerance: dict[str, float]


def narrowest(program: Program) -> str:
    elems = {t.elem for t in program.types().values() if t.is_float}
    return max(elems, key=lambda e: EPSILON[e], default="f64")


def expectation(program: Program, fault: bool = False) -> Optional[Expected]:
    """The results and how exact they must be; None for a program that cannot be
    judged: one that is ill-conditioned or close to a jump."""
    limits = PRECISION[narrowest(program)]
    evaluator = Evaluator(program)
    values = evaluator.run()
    rounded = Evaluator(program, rounding=True).run()
    if evaluator.margin < limits.margin or evaluator.largest > 1e3:
        return None
    types = program.types()
    tolerance = {}
    for name, exact in values.items():
        if not types[name].is_float:
            if not np.array_equal(exact, rounded[name]):
                return None
            tolerance[name] = 0.0
            continue
        magnified = MAGNIFICATION * float(np.max(np.abs(exact - rounded[name]), initial=0.0))
        if not magnified <= limits.cap:
            return None
        tolerance[name] = limits.base + magnified
    if fault:
        values = Evaluator(program, fault=True).run()
    return Expected(values, tolerance)


def draw(seed: int) -> Program:
    """The program of a seed: the first one drawn from it that can be judged."""
    attempt = 0
    while True:
        program = generate(seed, attempt)
        if expectation(program):
            return program
        attempt += 1
