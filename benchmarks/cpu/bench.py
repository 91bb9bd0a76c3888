#!/usr/bin/env python3
# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times recurrent layers on the CPU beside the libraries that have them, in one run.

For each case and number of threads, all who take part get the same inputs and are measured
in turn, several rounds; a time is the median of all calls. The error is the largest absolute
one of ys against float64. Start it with scripts/bench-cpu.sh.
"""

import argparse
import datetime
import json
import os
import pathlib
import re
import shlex
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

import cases
import expected
import machine
import participants
import report
from participants import Failure

NAMES = ["onednn", "onnxruntime", "torch", "torch.compile", "numpy"]
# Of one participant in one case, whatever the reason.
FAILURES = (Failure, OSError, ValueError, KeyError, subprocess.SubprocessError)


def log(*text):
    print(*text, file=sys.stderr, flush=True)


def parse(arguments):
    parser = argparse.ArgumentParser(prog="bench-cpu.sh", description=__doc__.split("\n\n")[0])
    parser.add_argument("--json", type=pathlib.Path, default=cases.ROOT / "build/bench-cpu.json", metavar="FILE",
                        help="where the rows go, anew after each (build/bench-cpu.json)")
    parser.add_argument("--quick", action="store_true", help="few small cases, short measurements")
    parser.add_argument("--only", type=re.compile, metavar="REGEX",
                        help="only cases that match, as in 'lstm 16,100,128,128'")
    parser.add_argument("--opponents", type=lambda text: [name for name in text.split(",") if name],
                        default=NAMES, metavar="A,B", help=f"of {','.join(NAMES)}")
    parser.add_argument("--threads", type=lambda text: [int(n) for n in text.split(",")], default=[1, 2],
                        metavar="N,M", help="numbers of threads (1,2)")
    parser.add_argument("--static", action="store_true",
                        help="time our programs with B and T fixed at compile time, too")
    parser.add_argument("--report", type=pathlib.Path, metavar="DIR",
                        help="where table and picture go (docs if nothing is left out, else beside the JSON)")
    parser.add_argument("--python", metavar="PATH", default=os.environ.get("LSTM_BENCH_PYTHON"),
                        help="the interpreter that has the opponents ($LSTM_BENCH_PYTHON)")
    parser.add_argument("--lstm-run", default=cases.ROOT / "build/bin/lstm-run", metavar="PATH")
    options = parser.parse_args(arguments)
    unknown = set(options.opponents) - set(NAMES)
    if unknown:
        parser.error(f"unknown opponent '{min(unknown)}'; there are {', '.join(NAMES)}")
    if min(options.threads) < 1:
        parser.error(f"expects --threads to be 1 or more, but got {min(options.threads)}")
    whole = not options.quick and not options.only and options.opponents == NAMES and options.threads == [1, 2]
    options.report = options.report or (cases.ROOT / "docs" if whole else options.json.parent)
    options.rounds, options.seconds = (2, 0.2) if options.quick else (3, 0.8)
    return options


def build_onednn(python, folder):
    """Compiles the worker's library against the packages of the interpreter. Returns the
    environment in which oneDNN finds its CPU device."""
    root = pathlib.Path(python).absolute().parents[1]
    library = pathlib.Path(folder, "onednn.so")
    command = [machine.compiler("clang++"), "-O2", "-std=c++17", "-shared", "-fPIC", f"-I{root}/include",
               participants.HERE / "opponents/onednn.cpp", "-o", library, f"-L{root}/lib", "-ldnnl",
               f"-Wl,-rpath,{root}/lib,--allow-shlib-undefined"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise Failure("its interface does not build: " + done.stderr.strip()[:300])
    return {"LSTM_BENCH_ONEDNN": str(library), "LD_LIBRARY_PATH": f"{root}/lib",
            "OCL_ICD_FILENAMES": f"{root}/lib/libintelocl.so"}


class Field:
    """All who take part with one number of threads; opponents start when they are needed."""

    def __init__(self, threads, cpus, options, folder):
        self.threads, self.cpus, self.options = threads, cpus, options
        self.folder = tempfile.mkdtemp(prefix=f"{threads}-", dir=folder)
        self.ours, self.static = (participants.Ours(options.lstm_run, threads, cpus, self.folder, static)
                                  for static in (False, True))
        self.running, self.missing = {}, {}

    def opponent(self, name):
        """Raises a Failure, always the same, if it cannot be started."""
        if name in self.missing:
            raise Failure(self.missing[name])
        if name not in self.running:
            try:
                if not self.options.python:
                    raise Failure("not installed")
                cache = pathlib.Path(self.options.python).absolute().parents[2] / "torch-compile"
                more = {"TORCHINDUCTOR_CACHE_DIR": str(cache), "TORCHINDUCTOR_COMPILE_THREADS": "1"}
                if name == "onednn":
                    more = build_onednn(self.options.python, self.folder)
                self.running[name] = participants.Opponent(
                    name, self.threads, self.cpus, self.options.python, self.folder, more)
            except FAILURES as failure:
                self.missing[name] = str(failure)
                log(f"{name} is left out: {failure}")
                raise Failure(str(failure)) from None
        return self.running[name]

    def close(self):
        for opponent in self.running.values():
            opponent.close()


def measure_in_turn(case, finders, inputs, known, options):
    """Times and errors by name; a finder returns who takes part. Who fails gets a "failure"
    instead, and does not keep the others from going on."""
    made, ready = {}, {}
    for name, find in finders.items():
        made[name] = {"us_per_step": None, "error": None}
        try:
            who = find()
            made[name]["error"] = float(f"{expected.error(who.prepare(case, inputs), known):.3g}")
            ready[name] = (who, [])
        except FAILURES as failure:
            made[name]["failure"] = str(failure)
    for _ in range(options.rounds):
        for name, (who, rounds) in list(ready.items()):
            # Who takes seconds for a call has fewer rounds.
            if sum(map(sum, rounds)) > 2e6 * options.seconds:
                continue
            try:
                rounds.append(who.measure(options.seconds / options.rounds))
            except FAILURES as failure:
                made[name]["failure"] = str(failure)
                del ready[name]
    for name, (_, rounds) in ready.items():
        def per_step(calls):
            return round(statistics.median(calls) / case.T, 3)
        made[name]["us_per_step"] = per_step([call for calls in rounds for call in calls])
        made[name]["rounds"] = [per_step(calls) for calls in rounds]
    return made


def measure_row(case, field, inputs, known, peaks, options):
    finders = {"ours": lambda: field.ours}
    if options.static:
        finders["static"] = lambda: field.static
    for name in participants.opponents_of(case):
        if name in options.opponents:
            finders[name] = lambda name=name: field.opponent(name)
    made = measure_in_turn(case, finders, inputs, known, options)
    limit, bound = machine.limit(case, field.threads, peaks)
    ours = made.pop("ours")
    row = {"cell": case.cell, "B": case.B, "T": case.T, "I": case.I, "H": case.H, "threads": field.threads,
           "ours_us_per_step": ours["us_per_step"], "ours_error": ours["error"]}
    static = made.pop("static", None)
    row |= {"opponents": made, "limit_us_per_step": round(limit, 4), "limit_is": bound,
            "ours_rounds": ours.get("rounds"), "steps_compared": len(known)}
    if "failure" in ours:
        row["ours_failure"] = ours["failure"]
    if static:
        row["ours_static"] = static
    return row


def write(path, rows):
    """The file is never half written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".part")
    partial.write_text("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n")
    partial.replace(path)


def describe(arguments):
    """What a run is known by; every row has it."""
    done = subprocess.run(["git", "-C", cases.ROOT, "describe", "--always", "--dirty"], capture_output=True, text=True)
    return {"date": datetime.date.today().isoformat(), "cpu": machine.cpu_name(), "vectors": machine.vector_flags(),
            "command": shlex.join(["scripts/bench-cpu.sh", *arguments]), "revision": done.stdout.strip(),
            "versions": {}, "machine": {}}


def run(options, arguments, folder):
    cpus = sorted(os.sched_getaffinity(0))
    information, rows, fields = describe(arguments), [], {}
    try:
        for threads in options.threads:
            if threads > len(cpus):
                log(f"no rows with {threads} threads: there are {len(cpus)} cores")
                continue
            chosen = ",".join(map(str, cpus[:threads]))
            peaks = machine.measure(threads, chosen, folder)
            information["machine"][str(threads)] = {name: peaks[name] for name in ("gflops", "gbps")}
            log(f"on {threads} of {len(cpus)} cores: {peaks['gflops']:.0f} GFLOP/s;",
                ", ".join(f"{level} {rate:.0f} GB/s" for level, rate in peaks["gbps"].items()))
            fields[threads] = (Field(threads, chosen, options, folder), peaks)
        for case in cases.grid(options.quick):
            if options.only and not options.only.search(str(case)):
                continue
            arrays = cases.inputs(case)
            inputs = str(pathlib.Path(folder, "inputs.npz"))
            np.savez(inputs, **arrays)
            known = expected.outputs(case, arrays, options.seconds / 2)
            for threads, (field, peaks) in fields.items():
                start = time.monotonic()
                row = measure_row(case, field, inputs, known, peaks, options)
                for name, opponent in field.running.items():
                    information["versions"][name] = opponent.version
                rows.append({**row, "run": information})
                write(options.json, rows)
                log(report.line(row), f"({time.monotonic() - start:.0f} s)")
    finally:
        for field, _ in fields.values():
            field.close()
    return rows


def main(arguments):
    options = parse(arguments)
    # What is temporary goes away then, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with tempfile.TemporaryDirectory(prefix="bench-cpu-") as folder:
        rows = run(options, arguments, folder)
    if not rows:
        sys.exit("bench-cpu: error: no case matches")
    options.report.mkdir(parents=True, exist_ok=True)
    picture = options.report / "bench-cpu.png"
    drawn = options.python and subprocess.run(
        [options.python, participants.HERE / "picture.py", options.json, picture]).returncode == 0
    (options.report / "bench-cpu.md").write_text(report.document(rows, picture.name if drawn else None))
    log(report.summary(rows))
    log(f"rows in {options.json}, table{' and picture' if drawn else ''} in {options.report}/bench-cpu.*")
    if any("ours_failure" in row for row in rows):
        sys.exit(1)


if __name__ == "__main__":
    main(sys.argv[1:])
