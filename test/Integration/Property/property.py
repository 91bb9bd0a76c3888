#!/usr/bin/env python3
# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws random programs, runs them with and without optimization and compares
their numbers with an evaluation in float64.

    property.py --count 2000 --seed 1

Each program has a seed of its own, the first one being `--seed`; `--count 1
--seed N` repeats the one of seed N. What fails is written to the folder `--keep`:
the program, its inputs, what is expected, and the same after reduction. The first
lines of each file say what fails and how to run it.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import check
import judge
from shrink import shrink

ROOT = Path(__file__).resolve().parents[3]


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200, help="number of programs (200)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first program (1)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="programs at a time")
    parser.add_argument("--lstm-run", default=shutil.which("lstm-run") or str(ROOT / "build/bin/lstm-run"))
    parser.add_argument("--keep", type=Path, default=ROOT / "build/test/property-failures",
                        help="folder for programs that fail")
    parser.add_argument("--reduce", type=int, default=5, metavar="N", help="failures to reduce (5), one of a kind")
    parser.add_argument("--timeout", type=float, default=60, metavar="S",
                        help="seconds that compiling and running a program may take (60)")
    parser.add_argument("--inject-fault", action="store_true",
                        help="evaluate with a wrong sign: the test has to fail")
    parser.add_argument("--print", action="store_true", help="only print the programs")
    return parser.parse_args()


def reduce(checker: check.Checker, program, failure: check.Failure, work: Path):
    """The smallest program found that fails in the same way, and its failure."""
    last = failure

    def fails(candidate) -> bool:
        nonlocal last
        try:
            found = checker.check(candidate, work / "candidate", failure.mode)
        except (ValueError, IndexError, KeyError):
            return False  # The change made no sense, as a slice of too narrow a row.
        if found and found.kind == failure.kind:
            last = found
            return True
        return False

    return shrink(program, fails), last


def main() -> int:
    options = parse()
    seeds = range(options.seed, options.seed + options.count)
    if options.print:
        for seed in seeds:
            print(check.emit(judge.draw(seed))[0])
        return 0
    checker = check.Checker(options.lstm_run, options.timeout, options.inject_fault)
    print(f"seeds {seeds.start} to {seeds.stop - 1}", flush=True)
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)

        def one(seed: int):
            program = judge.draw(seed)
            stem = work / f"seed-{seed}"
            failure = checker.check(program, stem)
            for path in work.glob(f"seed-{seed}[.-]*"):
                path.unlink()
            return program, failure

        with ThreadPoolExecutor(options.jobs) as pool:
            for seed, (program, failure) in zip(seeds, pool.map(one, seeds)):
                if failure:
                    failures.append((seed, program, failure))
                    print(f"seed {seed} ({check.describe(program)}) fails {failure.mode}: "
                          f"{failure.message.strip()[:600]}", flush=True)

        kinds = set()
        for seed, program, failure in failures:
            options.keep.mkdir(parents=True, exist_ok=True)
            stem = options.keep / f"seed-{seed}"
            checker.write(program, stem, failure)
            if failure.kind in kinds or len(kinds) >= options.reduce:
                print(f"seed {seed}: {stem}.mlir")
                continue
            kinds.add(failure.kind)
            small, failure = reduce(checker, program, failure, work)
            stem = stem.with_name(stem.name + "-reduced")
            checker.write(small, stem, failure)
            print(f"seed {seed}: reduced to {stem}.mlir", flush=True)
    print(f"{options.count - len(failures)} programs passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
