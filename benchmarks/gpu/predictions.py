# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What lstm-plan-kernels predicts of a case, as its remarks say.

A program serves every B and says what it does up to so many rows, with the time that the most of them
take. Of fewer rows others are asked: the same program with so many rows, where it has the same
plan, else with that plan given.
"""

import dataclasses
import re
import subprocess

import gpu_cases

# A kernel multiplies tiles of so many rows.
TILE_ROWS = 8
# Flags of lstm-compile that change what is planned, under the same names in the pipeline.
FLAGS = re.compile(r"--(strategy|chip|kernel-plans?|f32-mode|allow-tf32|activations)(=.*)?")


@dataclasses.dataclass(frozen=True)
class Part:
    """Of a remark: what is done with up to `most` rows, and what `rows` rows are predicted to take."""
    most: float
    plan: str
    us: float | None
    bound: str | None
    rows: float


def parse_remark(text, rows=float("inf")):
    """Its parts. Where they have no limits, what they predict is for `rows`, unless they say themselves."""
    parts = []
    for piece in text.split("; "):
        limit = re.match(r"(?:up to (\d+)|more than (\d+)) rows: (?=one kernel|a kernel a step|libraries)", piece)
        most = float(limit[1]) if limit and limit[1] else float("inf")
        piece = piece[limit.end():] if limit else piece
        time = re.search(r", ([\d.]+) us a step(?: with (\d+) rows)?, most of it (.*)", piece)
        us, known, bound = time.groups() if time else (None, None, None)
        known = known or (most if limit else rows)
        parts.append(Part(most, piece[:time.start()] if time else piece, us and float(us), bound, float(known)))
    return parts


def kernel_plan(plan):
    """The option that gives it; None of libraries."""
    found = re.match(r"(?:one kernel|(?P<step>a kernel a step)), (?P<kind>groups|clusters) of (?P<blocks>\d+) blocks, (?:(?P<tiles>\d+) )?tiles of (?:(?P<rows>\d+) )?(?P<single>single )?rows, "
                     r"(?P<splits>\d+) (?:\+|x|(?P<groups>x 4 \+)) (?P<warps>\d+) warps", plan)
    if not found:
        return None
    kind = 1 if found["kind"] == "clusters" else 2 if found["groups"] else 3 if found["step"] else 0
    # Blocks of a cluster do tiles one after the other, others so many rows at once.
    tiles = int(found["tiles"] or 1) if kind == 1 else int(found["rows"] or 1) // (1 if found["single"] else TILE_ROWS)
    numbers = [int(found["blocks"]), tiles, int(found["splits"]), int(found["warps"]), kind, int(bool(found["single"]))]
    while len(numbers) > 4 and numbers[-1] == 0:
        numbers.pop()
    return "kernel-plan=" + ",".join(map(str, numbers))


def count_parts(plan):
    """Directions or layers that one kernel runs side by side; what is predicted is for all."""
    found = re.search(r" for each of (\d+) parts", plan)
    return int(found[1]) if found else 1


def with_rows(text, rows):
    """A program of gpu_cases with so many rows."""
    text = re.sub(r"tensor<\?x(?!\?)", f"tensor<{rows}x", text).replace("tensor<?x?x", f"tensor<?x{rows}x")
    for unknown, known in (("empty(%T, %B)", "empty(%T)"), ("empty(%B)", "empty()"),
                           ("[%T, %B,", f"[%T, {rows},"), ("[%B, 1,", f"[{rows}, 1,")):
        text = text.replace(unknown, known)
    return text


def remarks(lstm_opt, text, flags):
    """Of each recurrence, in order."""
    options = [match[1] + (match[2] or "") for match in map(FLAGS.fullmatch, flags) if match]
    # Of machine code, what is asked of text.
    if not any(option.startswith("chip=") for option in options):
        options.append("chip=sm_90a")
    done = subprocess.run([lstm_opt, "-", f"--lstm-to-nvvm={' '.join(['format=ptx', *options])}", "-o", "/dev/null",
                           "--remarks-filter=lstm-plan-kernels"], input=text, capture_output=True, text=True, errors="replace")
    return re.findall(r'PlanKernels \|.*(?:Remark|Reason)="(.*)"', done.stderr) if done.returncode == 0 else []


class Predictor:
    def __init__(self, lstm_opt, flags):
        self.lstm_opt, self.flags, self.planned = lstm_opt, flags, {}

    def ask(self, text, flags, rows=float("inf")):
        return [parse_remark(remark, rows) for remark in remarks(self.lstm_opt, text, [*flags, *self.flags])]

    def predict(self, case, flags):
        """For each recurrence its plan, time and what bounds it; empty if nothing is known of them."""
        rows = case.B
        text = gpu_cases.program(case)
        if case.file not in self.planned:
            self.planned[case.file] = self.ask(text, flags)
        chosen = [next(part for part in parts if case.B <= part.most) for parts in self.planned[case.file]]
        if sum(count_parts(part.plan) for part in chosen) != case.layers * case.directions:
            return []

        def answer(others):
            """`chosen` where others say what it takes with so many rows."""
            if len(others) != len(chosen):
                return chosen
            return [new if new.plan == old.plan and new.rows == rows else old for old, (new, *_) in zip(chosen, others, strict=True)]

        known = lambda: all(part.rows == rows or part.us is None for part in chosen)  # noqa: E731
        if not known():
            chosen = answer(self.ask(with_rows(text, rows), flags, rows))
        plans = {kernel_plan(part.plan) for part in chosen} - {None}
        if not known() and len(plans) == 1:
            # Of a given plan a remark without rows is for one tile.
            chosen = answer(self.ask(with_rows(text, rows), [*flags, f"--{plans.pop()}"], TILE_ROWS))
        return [{"plan": part.plan, "parts": count_parts(part.plan), **({"us": part.us, "bound": part.bound} if part.rows == rows else {"us": None, "bound": None})}
                for part in chosen]
