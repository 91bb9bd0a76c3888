#!/usr/bin/env python3
# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares who computes one case, the calls of all taking turns.

  pair.py 'lstm 32,100,256,256' [--threads N] [--seconds S] WHO WHO...

WHO is an lstm-compile with its options ('build/bin/lstm-compile --cpu=haswell'), or the name of
an opponent. A shared host changes its speed within seconds, but hardly from one call to the next:
differences of a few percent, which are noise in scripts/bench-cpu.sh, show here. Start it with the
interpreter that bench-cpu.sh has installed.
"""

import argparse
import os
import pathlib
import statistics
import sys
import tempfile
import time

import numpy as np

import bench
import cases
import expected
from participants import Opponent


def start(who, threads, cpus, folder):
    if who not in bench.NAMES:
        return Opponent("ours", threads, cpus, sys.executable, folder, {"LSTM_BENCH_COMPILE": who})
    more = bench.build_onednn(sys.executable, folder) if who == "onednn" else {}
    return Opponent(who, threads, cpus, sys.executable, folder, more)


def measure_in_turn(participants, seconds):
    """Microseconds of the better of two calls, in turn until the time is over; others of theirs
    bring back before what the one before has displaced."""
    times = [[] for _ in participants]
    end = time.monotonic() + seconds
    while time.monotonic() < end or len(times[0]) < 5:
        for participant, spent in zip(participants, times):
            spent.append(min(participant.measure(0)))
    return times


def main(arguments):
    parser = argparse.ArgumentParser(prog="pair.py", description=__doc__.split("\n\n")[0])
    parser.add_argument("case", help="as bench-cpu.sh prints it: cell B,T,I,H")
    parser.add_argument("who", nargs="+", help="an lstm-compile with its options, or an opponent")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=4)
    options = parser.parse_args(arguments)
    cell, sizes = options.case.split()
    case = cases.Case(cell, *map(int, sizes.split(",")))
    arrays = cases.inputs(case)
    known = expected.outputs(case, arrays, 0.3)
    cpus = ",".join(map(str, sorted(os.sched_getaffinity(0))[:options.threads]))
    with tempfile.TemporaryDirectory(prefix="pair-") as folder:
        inputs = pathlib.Path(folder, "inputs.npz")
        np.savez(inputs, **arrays)
        participants = [start(who, options.threads, cpus, tempfile.mkdtemp(dir=folder)) for who in options.who]
        try:
            errors = [expected.error(who.prepare(case, str(inputs)), known) for who in participants]
            times = measure_in_turn(participants, options.seconds)
        finally:
            for participant in participants:
                participant.close()
    for who, spent, error in zip(options.who, times, errors):
        quarter = statistics.quantiles(spent, n=4)[0]
        ratio = statistics.median(own / first for own, first in zip(spent, times[0]))
        print(f"{min(spent) / case.T:.4g} us a step at least, {quarter / case.T:.4g} lower quartile, {ratio:.3f} "
              f"times the first, {len(spent)} pairs, error {error:.0e}: {who}")


if __name__ == "__main__":
    main(sys.argv[1:])
