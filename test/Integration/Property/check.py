# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program through lstm-run and compares its numbers with the evaluation."""

from __future__ import annotations

import re
import subprocess
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

import numpy as np

from emit import emit
from formats import from_file, to_file
from judge import Expected, expectation
from program import Program, Recurrence

MODES = {"optimized": [], "unoptimized": ["--no-optimize"]}


@dataclass
class Failure:
    mode: str
    kind: str  # Failures of the same kind have the same cause, most likely.
    message: str
    tolerance: float = 0.0


def compare(program: Program, values, reference, tolerance) -> Optional[tuple[str, str]]:
    """The kind and the message of the first difference."""
    types = program.types()
    for name, expected in reference.items():
        actual = values[name]
        if actual.shape != expected.shape:
            return "shape", f"result '{name}' has the shape {actual.shape}, expected {expected.shape}"
        if expected.size == 0:
            continue
        if types[name].is_float:
            error = np.abs(actual - expected) / np.maximum(1.0, np.abs(expected))
            error = np.where(np.isfinite(actual), error, np.inf)
        else:
            error = (actual != expected).astype(np.float64)
        at = np.unravel_index(np.argmax(error), error.shape)
        if error[at] > tolerance[name]:
            return "numbers", (f"result '{name}' at [{', '.join(map(str, at))}]: got {actual[at]}, expected "
                               f"{expected[at]} (error {error[at]:.3g}, allowed {tolerance[name]:.3g})")
    return None


class Checker:
    def __init__(self, lstm_run: str, timeout: float = 60, fault: bool = False):
        self.lstm_run = lstm_run
        self.timeout = timeout
        self.fault = fault

    def write(self, program: Program, stem: Path, failure: Optional[Failure] = None) -> Optional[Expected]:
        """Writes stem.mlir and stem.npz; with a failure also what is expected and how to repeat it."""
        text, inputs = emit(program)
        expected = expectation(program, self.fault)
        np.savez(stem.with_suffix(".npz"), **inputs)
        if failure:
            types = program.types()
            want = stem.with_name(stem.name + "-expected.npz")
            np.savez(want, **{n: to_file(types[n].elem, v) for n, v in expected.values.items()})
            command = [self.lstm_run, f"{stem}.mlir", *MODES[failure.mode], "--inputs", f"{stem}.npz",
                       "--expect", str(want), "--tolerance", f"{max(failure.tolerance, 1e-12):.3g}"]
            reason = failure.message.strip().replace("\n", "\n//   ")
            text = f"// Fails {failure.mode}: {reason}\n// {' '.join(command)}\n{text}"
        stem.with_suffix(".mlir").write_text(text)
        return expected

    def check(self, program: Program, stem: Path, first_mode: str = "optimized") -> Optional[Failure]:
        """Compiles and runs the program both ways. Uses files that start with `stem`."""
        expected = self.write(program, stem)
        if expected is None:
            return None
        types = program.types()
        tolerance = max(expected.tolerance.values())
        outputs = stem.with_name(stem.name + "-outputs.npz")
        results = {}
        for mode in sorted(MODES, key=lambda m: m != first_mode):
            outputs.unlink(missing_ok=True)
            command = [self.lstm_run, str(stem.with_suffix(".mlir")), *MODES[mode],
                       "--inputs", str(stem.with_suffix(".npz")), "--outputs", str(outputs)]
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=self.timeout,
                                      errors="replace")
            except subprocess.TimeoutExpired:
                return Failure(mode, "timeout", f"no end within {self.timeout} s", tolerance)
            if done.returncode:
                return Failure(mode, *self._diagnose(done), tolerance)
            try:
                with np.load(outputs, allow_pickle=False) as arrays:
                    results[mode] = {n: from_file(types[n].elem, arrays[n]) for n in program.returns}
            except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
                return Failure(mode, "outputs", f"unreadable outputs: {error!r}", tolerance)
            difference = compare(program, results[mode], expected.values, expected.tolerance)
            if difference:
                return Failure(mode, *difference, tolerance)
        difference = compare(program, results["optimized"], results["unoptimized"], expected.tolerance)
        if difference:
            return Failure("optimized", difference[0], "against unoptimized: " + difference[1], tolerance)
        return None

    @staticmethod
    def _diagnose(done: subprocess.CompletedProcess) -> tuple[str, str]:
        """The kind and the message of a run that failed."""
        lines = done.stderr.splitlines()
        status = f"exit status {done.returncode}"
        if done.returncode < 0 or done.returncode > 128:
            frames = [line for line in lines if re.match(r" *#\d+ 0x", line)]
            own = [line for line in frames if not re.search(r"lib(MLIR|LLVM|c|stdc)\S*\.so", line)]
            calls = [re.sub(r"^ *#\d+ 0x\w+ ", "", line).split("(")[0] for line in own]
            said = [line for line in lines if line not in frames and not line.startswith("PLEASE submit")]
            return f"{status} in {(calls or [''])[0]}", "\n".join([status, *said[:3], *own[:6]])
        errors = [line for line in lines if "error:" in line] or [""]
        kind = re.sub(r"%[\w#:]+|<[^ ]*>|\d+", "#", errors[0].split("error:", 1)[-1])[:120]
        return kind, "\n".join([status, *lines[:12]])


def describe(program: Program) -> str:
    """One line that says what the program holds."""
    parts = []
    for item in program.items:
        if isinstance(item, Recurrence):
            parts.append(f"{len(item.sequences)} sequences, {len(item.states)} states, {len(item.outputs)} outputs, "
                         f"{len(item.nodes)} nodes" + (", lengths" if item.lengths else ""))
    return "; ".join(parts)
