# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers of compiled functions against float64, optimized and unoptimized.

    check.py example NAME…      cells of examples/cells: ragged and empty batches, padding of NaN,
                                no steps, dynamic and static shapes
    check.py rows NAME…         the same cells, so many rows that threads share out rows, not units
    check.py op FILE.mlir       the functions of a file, by ops.py
    check.py activation NAME…   an activation with several parameters in every type, by itself
    check.py numbers FILE.mlir  arguments and results that stand in comments of the file

In the last form, `CASE text [@entry] [flags…]` starts a case, `IN name = value` and
`OUT name = value` are Python expressions with nan, inf and np; `TOLERANCE x` is absolute
and holds from there on (1e-6).
"""

import argparse
import os
import re
import sys
import tempfile

import numpy as np

import examples
import ops
import reference as ref
import runner
from runner import Failure


def example(name, fortran=False):
    path = examples.path(name)
    with open(path) as file:
        text = file.read()

    def case(what, steps, batch, lengths=None):
        arguments = examples.inputs(text, steps, batch, hash_of(name, what), lengths=lengths)
        return what, arguments, examples.REFERENCES[name](arguments)

    ragged = case("ragged", 7, 5)
    if fortran:
        return runner.check(path, [ragged], scale=16.0, fortran=True)
    worst = runner.check(path, [ragged, case("one row", 4, 1, [3]), case("no steps", 0, 3), case("no rows", 4, 0)],
                         scale=16.0)
    with tempfile.TemporaryDirectory() as folder:
        static = os.path.join(folder, name + "-static.mlir")
        with open(static, "w") as file:
            file.write(examples.make_static(text, 6, 3))
        return max(worst, runner.check(static, [case("static", 6, 3, [6, 0, 2])], scale=16.0))


def rows(name):
    path = examples.path(name)
    with open(path) as file:
        arguments = examples.inputs(file.read(), 3, 203, hash_of(name, "rows"))
    return runner.check(path, [("many rows", arguments, examples.REFERENCES[name](arguments))], scale=16.0)


def hash_of(*parts):
    """A seed that is the same in every run."""
    return sum(ord(c) * (i + 1) for i, c in enumerate("/".join(parts)))


def op_functions(path):
    """The text of each function's module."""
    with open(path) as file:
        chunks = re.split(r"(?m)^// -----$", file.read())
    return {re.search(r"func\.func @(\w+)", chunk)[1]: chunk for chunk in chunks}


def op_cases(name, entry, text):
    """(label, arguments, expected values) of a function."""
    results = runner.signature(text, entry)[1]
    for steps, batch in [(6, 5), (0, 3), (3, 0), (4, 1)] if name in ("recurrence", "scan") else [(3, 5)]:
        arguments = examples.inputs(text, steps, batch, hash_of(name, entry), entry,
                                    shapes=ops.SHAPES.get((name, entry)))
        want = {slot.name: value for slot, value in zip(results, ops.CASES[name][entry](arguments))}
        yield f"T={steps} B={batch}", arguments, want


def op(path):
    name = os.path.basename(path)[:-5]
    chunks = op_functions(path)
    if set(chunks) != set(ops.CASES[name]):
        raise Failure(f"{name}: functions without a case or cases without a function: "
                      f"{sorted(set(chunks) ^ set(ops.CASES[name]))}")
    worst, failures = 0.0, []
    with tempfile.TemporaryDirectory() as folder:
        for entry, text in chunks.items():
            alone = os.path.join(folder, f"{name}-{entry}.mlir")
            with open(alone, "w") as file:
                file.write(text)
            try:
                worst = max(worst, runner.check(alone, list(op_cases(name, entry, text)), entry))
            except Failure as failure:
                failures.append(str(failure))
    if failures:
        raise Failure("\n".join(failures))
    return worst


# How each activation is written, and whether it is defined at the infinities.
FORMS = {
    "identity": ["identity"],
    "sigmoid": ["sigmoid"],
    "tanh": ["tanh"],
    "relu": ["relu"],
    "hard_sigmoid": ["hard_sigmoid", "hard_sigmoid(0.3)", "hard_sigmoid(0.25, 0.4)"],
    "leaky_relu": ["leaky_relu", "leaky_relu(0.3)"],
    "elu": ["elu", "elu(0.5)"],
    "softsign": ["softsign"],
    "softplus": ["softplus"],
    "affine": ["affine", "affine(-1.0, 1.0)", "affine(2.0)"],
    "thresholded_relu": ["thresholded_relu", "thresholded_relu(0.25)"],
    "scaled_tanh": ["scaled_tanh", "scaled_tanh(1.7159)", "scaled_tanh(1.7159, 0.6667)"],
    "gelu": ["gelu"],
    "exp": ["exp"],
}
UNDEFINED_AT_INFINITY = ("softsign", "gelu")
# Written as e^x - 1, which loses digits where x is near 0.
ABSOLUTE = ("elu",)


def activation_program(name):
    """All forms in all types in one function: its text, its arguments, what it must give."""
    random = np.random.default_rng(hash_of(name))
    x = np.concatenate([[0.0, -0.0, 1.0, -1.0, 1e-6, -1e-6, 0.25, 6.0, -6.0, 20.0, -20.0, 88.0, -88.0,
                         100.0, -100.0, 1000.0, -1000.0],
                        [] if name in UNDEFINED_AT_INFINITY else [np.inf, -np.inf],
                        random.uniform(-8, 8, 75)])
    types = ("f64", "f32", "f16", "bf16")
    width = len(x)
    arguments = ", ".join(f"%{t}: tensor<?x{width}x{t}>" for t in types)
    results, body, returned, want = [], [], [], {}
    for kind in types:
        typed = f"tensor<?x{width}x{kind}>"
        for form in FORMS[name]:
            value = f"%v{len(body)}"
            body.append(f"  {value} = lstm.gate {form} add(%{kind} : {typed}) : {typed}\n")
            results.append(f'{typed} {{lstm.name = "{kind} {form}"}}')
            returned.append((value, typed))
            with np.errstate(all="ignore"):
                exact = ref.activate(form, runner.rounded(x, kind))
            want[f"{kind} {form}"] = runner.rounded(exact[None], kind)
    text = (f"func.func @main({arguments}) -> ({', '.join(results)}) {{\n{''.join(body)}"
            f"  return {', '.join(v for v, _ in returned)} : {', '.join(t for _, t in returned)}\n}}\n")
    return text, {t: x[None] for t in types}, want


def activation(name):
    text, arguments, want = activation_program(name)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, name + ".mlir")
        with open(path, "w") as file:
            file.write(text)
        for mode in runner.MODES:
            got = runner.execute(path, arguments, flags=mode)
            for label, value in want.items():
                kind = label.split()[0]
                try:
                    close(label, got[label], value, runner.rounded(arguments[kind][0], kind))
                except Failure as failure:
                    raise Failure(" ".join(filter(None, [*mode, str(failure)]))) from None
    return 0.0


def close(label, got, want, x, units=8):
    """Each value within so many units in the last place of itself, or of an eighth of min(|x|, 1)."""
    if label.split()[1].startswith(ABSOLUTE):
        x = np.ones(x.shape)
    unit = runner.EPSILON[label.split()[0]]
    with np.errstate(invalid="ignore"):
        error = np.abs(got - want)
        allowed = units * unit * np.maximum(np.abs(want), 2.0**-3 * np.minimum(np.abs(x), 1))
        bad = ~((got == want) | (np.isnan(got) & np.isnan(want)) | (error <= allowed + 1e-37))
    if bad.any():
        at = tuple(np.argwhere(bad)[0])
        raise Failure(f"{label}: at x = {x[at[1]]:.9g} got {got[at]:.9g}, expected {want[at]:.9g}")


def numbers_cases(path):
    """The text of a file, and its cases: (title, entry, arguments, expected values, tolerance)."""
    with open(path) as file:
        text = file.read()
    cases, tolerance = [], 1e-6
    for line in text.split("\n"):
        found = re.match(r"//\s*(CASE|IN|OUT|TOLERANCE)\b\s*(.*)", line)
        if not found:
            continue
        word, rest = found.groups()
        if word == "TOLERANCE":
            tolerance = float(rest)
        elif word == "CASE":
            entry = re.search(r"@(\w+)", rest)
            cases.append((rest, entry[1] if entry else "main", {}, {}, tolerance))
        else:
            key, _, value = rest.partition("=")
            cases[-1][2 if word == "IN" else 3][key.strip()] = eval(value, {"nan": np.nan, "inf": np.inf, "np": np})
    if not cases:
        raise Failure(f"{path}: no CASE")
    return text, cases


def numbers(path):
    text, cases = numbers_cases(path)
    worst = 0.0
    for title, entry, given, expected, allowed in cases:
        slots = {slot.name: slot for slot in runner.signature(text, entry)[1]}
        for mode in runner.MODES:
            label = " ".join([title, *mode])
            try:
                got = runner.execute(path, given, entry, mode)
            except Failure as failure:
                raise Failure(f"{label}: {failure}") from None
            for name, value in expected.items():
                want = np.array(value, np.float64)
                if got[name].shape != want.shape:
                    raise Failure(f"{label}: {name} has shape {got[name].shape}, expected {want.shape}")
                with np.errstate(invalid="ignore"):
                    error = np.where((got[name] == want) | (np.isnan(got[name]) & np.isnan(want)), 0,
                                     np.abs(got[name] - want))
                error = np.where(np.isnan(error), np.inf, error)
                if (error > allowed).any():
                    raise Failure(f"{label}: {name} is\n{got[name]}\nexpected\n{want}")
                worst = max(worst, error.max(initial=0.0))
            if not set(expected) <= set(slots):
                raise Failure(f"{label}: no result is named {sorted(set(expected) - set(slots))}")
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=["example", "rows", "op", "activation", "numbers"])
    parser.add_argument("what", nargs="+")
    parser.add_argument("--fortran", action="store_true", help="pass arrays in Fortran order")
    options = parser.parse_args()
    failed = False
    for what in options.what:
        try:
            if options.kind == "example":
                worst = example(what, options.fortran)
            else:
                worst = {"rows": rows, "op": op, "activation": activation, "numbers": numbers}[options.kind](what)
            print(f"{what}: ok, largest error {worst:.3g}")
        except Failure as failure:
            failed = True
            print(f"{what}: FAILED\n{failure}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
