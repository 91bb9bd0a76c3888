# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs functions of .mlir files through lstm-run with NumPy arrays and compares."""

import os
import re
import shutil
import subprocess
import tempfile

import numpy as np

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
DTYPES = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "bf16": np.uint16,
          "i64": np.int64, "i32": np.int32, "i1": np.bool_, "index": np.int64}
# Flags of lstm-run: every function runs both ways.
MODES = ((), ("--no-optimize",))
# One unit in the last place, relative.
EPSILON = {"f64": 2.0**-52, "f32": 2.0**-23, "f16": 2.0**-10, "bf16": 2.0**-7}


class Failure(Exception):
    """A test that does not hold; its text says why."""


def tool(name):
    return shutil.which(name) or os.path.join(ROOT, "build", "bin", name)


# Signatures


class Slot:
    """An argument or a result: its name here, its name in the .npz, its type."""

    def __init__(self, ssa, key, text):
        self.key = key or ssa
        self.name = ssa or key
        shaped = re.fullmatch(r"tensor<((?:[\d?]+x)*)(\w+)>", text)
        self.shape = tuple(None if d == "?" else int(d)
                           for d in shaped[1].split("x")[:-1]) if shaped else ()
        self.type = shaped[2] if shaped else text
        self.text = text


def split_top(text):
    """Splits at commas that stand in no bracket."""
    parts, depth, start = [], 0, 0
    for at, char in enumerate(text):
        if char in "(<{[":
            depth += 1
        elif char in ")}]" or (char == ">" and text[at - 1] != "-"):
            depth -= 1
        elif char == "," and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    return [p.strip() for p in parts + [text[start:]] if p.strip()]


def closing(text, at):
    depth = 0
    while True:
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return at
        at += 1


def signature(text, entry="main"):
    """The arguments and results of `entry`, by its source text."""
    begin = text.index("(", text.index(f"func.func @{entry}("))
    end = closing(text, begin)
    arguments = []
    for item in split_top(text[begin + 1:end]):
        ssa, _, rest = item.partition(":")
        kind = rest.split("{")[0].strip()
        named = re.search(r'lstm\.name\s*=\s*"([^"]+)"', rest)
        arguments.append(Slot(ssa.strip().lstrip("%"), named[1] if named else None, kind))
    rest = text[end + 1:].lstrip()
    results = []
    if rest.startswith("->"):
        rest = rest[2:].lstrip()
        listed = rest[1:closing(rest, 0)] if rest.startswith("(") else re.match(r"[^\s{]+", rest)[0]
        for number, item in enumerate(split_top(listed)):
            named = re.search(r'lstm\.name\s*=\s*"([^"]+)"', item)
            results.append(Slot(None, named[1] if named else f"result{number}",
                                item.split("{")[0].strip()))
    return arguments, results


# Arrays


def to_bf16(x):
    """float to the bits of bf16, to nearest even."""
    bits = np.asarray(x, np.float32).view(np.uint32).astype(np.uint64)
    nan = np.isnan(np.asarray(x, np.float32))
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    return np.where(nan, 0x7FC0, rounded).astype(np.uint16)


def from_bf16(bits):
    bits = np.ascontiguousarray(bits).view(np.uint16).astype(np.uint32) << 16
    return bits.view(np.float32).astype(np.float64)


def encode(value, kind):
    with np.errstate(over="ignore"):
        return to_bf16(value) if kind == "bf16" else np.asarray(value).astype(DTYPES[kind])


def decode(array, kind):
    if kind == "bf16":
        return from_bf16(array)
    expected = np.dtype(DTYPES[kind])
    if array.dtype != expected:
        raise Failure(f"a result of type {kind} came as {array.dtype}")
    return array.astype(np.float64) if kind in EPSILON else array


def rounded(value, kind):
    """What arrives of a float64 value in the given type, in float64."""
    return decode(encode(value, kind), kind) if kind in EPSILON else np.asarray(value)


# Running


def shorten(text):
    """The lines of a tool's output that say what went wrong, of a crash the topmost calls."""
    return "\n".join(re.findall(r"(?m)^.*(?:error:| #\d+ ).*$", text)[:12]) or text[-2000:]


def execute(path, inputs, entry="main", flags=(), fortran=False):
    """Runs `entry`; `inputs` are by SSA name. Returns its results by name."""
    with open(path) as file:
        arguments, results = signature(file.read(), entry)
    with tempfile.TemporaryDirectory() as folder:
        arrays = {}
        for slot in arguments:
            array = encode(inputs[slot.name], slot.type)
            arrays[slot.key] = np.asfortranarray(array) if fortran else array
        source, target = (os.path.join(folder, n) for n in ("in.npz", "out.npz"))
        command = [tool("lstm-run"), path, "--entry", entry, "--outputs", target, *flags]
        if arrays:
            np.savez(source, **arrays)
            command += ["--inputs", source]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, timeout=300)
        if done.returncode != 0:
            raise Failure(f"lstm-run exited with {done.returncode}:\n{shorten(done.stdout)}")
        with np.load(target) as made:
            missing = [slot.key for slot in results if slot.key not in made.files]
            if missing or len(made.files) != len(results):
                raise Failure(f"lstm-run wrote {made.files}, not {[s.key for s in results]}")
            return {slot.name: decode(made[slot.key], slot.type) for slot in results}


def compare(name, got, want, kind, scale=16.0):
    """Compares within `scale` units in the last place of the largest value.

    NaN equals NaN, an infinity only itself. Returns the largest error in those units.
    """
    want = np.asarray(want)
    if got.shape != want.shape:
        raise Failure(f"{name}: shape {got.shape}, expected {want.shape}")
    if kind not in EPSILON:
        if not np.array_equal(got, want):
            at = tuple(np.argwhere(got != want)[0])
            raise Failure(f"{name}{list(map(int, at))}: got {got[at]}, expected {want[at]}")
        return 0.0
    finite = np.isfinite(want)
    unit = EPSILON[kind] * max(1.0, np.abs(want[finite]).max(initial=0.0))
    same = (got == want) | (np.isnan(got) & np.isnan(want))
    with np.errstate(invalid="ignore"):
        error = np.where(same, 0.0, np.where(finite & np.isfinite(got), np.abs(got - want), np.inf))
    worst = error.max(initial=0.0) / unit
    if worst > scale:
        at = tuple(np.argwhere(error == error.max())[0])
        raise Failure(f"{name}{list(map(int, at))}: got {got[at]:.9g}, expected {want[at]:.9g} "
                      f"({worst:.1f} units in the last place, {scale:g} allowed)")
    return worst


def check(path, cases, entry="main", scale=16.0, fortran=False):
    """Runs all `cases` in one program, optimized and unoptimized, and compares every result.

    A case is (label, arguments by SSA name, expected values by result name). The program calls
    `entry` for each, so that one binary has to serve all sizes.
    """
    with open(path) as file:
        text = file.read()
    results = signature(text, entry)[1]
    worst = 0.0
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, os.path.basename(path))
        with open(program, "w") as file:
            file.write(call_repeatedly(text, entry, len(cases)))
        inputs = {f"{name}_{number}": value for number, (_, arguments, _) in enumerate(cases)
                  for name, value in arguments.items()}
        for mode in MODES:
            where = f"{os.path.basename(path)} @{entry}"
            try:
                got = execute(program, inputs, "all", mode, fortran)
            except (Failure, subprocess.TimeoutExpired) as failure:
                raise Failure(" ".join([where, *mode, str(failure)])) from None
            for number, (label, _, want) in enumerate(cases):
                if set(want) != {slot.name for slot in results}:
                    raise Failure(f"{where}: expected values are for {sorted(want)}")
                for position, slot in enumerate(results):
                    try:
                        value = got[f"result{number * len(results) + position}"]
                        worst = max(worst, compare(slot.name, value, want[slot.name], slot.type, scale))
                    except Failure as failure:
                        raise Failure(" ".join([where, label, *mode, str(failure)])) from None
    return worst


def call_repeatedly(text, entry, times):
    """The module with a function @all that calls `entry` with so many sets of arguments."""
    begin = text.index("(", text.index(f"func.func @{entry}("))
    body = text.index("{\n", closing(text, begin))
    text = f"{text[:body]}attributes {{no_inline}} {text[body:]}"
    arguments, results = signature(text, entry)
    kinds = ", ".join(a.text for a in arguments)
    made = ", ".join(r.text for r in results)
    parameters = ", ".join(f"%{a.name}_{n}: {a.text}" for n in range(times) for a in arguments)
    calls = "".join(f"  %r{n}:{len(results)} = call @{entry}({', '.join(f'%{a.name}_{n}' for a in arguments)})"
                    f" : ({kinds}) -> ({made})\n" for n in range(times))
    values = ", ".join(f"%r{n}#{k}" for n in range(times) for k in range(len(results)))
    every = ", ".join([made] * times)
    return f"{text}\nfunc.func @all({parameters}) -> ({every}) {{\n{calls}  return {values} : {every}\n}}\n"
