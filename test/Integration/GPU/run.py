# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls the programs that build.py compiled and compares all numbers with float64.

Each program is called three times with the same memory (plainly, captured, replayed), results
filled with NaN before; the scenarios of scenarios.py follow, then compute-sanitizer where it
is installed. What did not compile is a failure, too. The last line is "N passed, N failed".
"""

import argparse
import contextlib
import glob
import json
import multiprocessing
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from concurrent.futures import ProcessPoolExecutor

import programs
import lstm_mlir  # noqa: I100 (programs says where it is)
from calls import Call, check_same
from device import Host, Torch
from runner import Failure

# Of a test, after which it is one that does not end: a kernel waits for ever.
MOST_SECONDS = 120

CELLS = "cell/(lstm|bidirectional|gru_reset_before|layer_norm_lstm)"
LAYOUTS = "persistent|library|clusters|warp_groups|per_step|single_rows|single_rows_per_step|single_row_clusters"
# Of all layouts, and some that use others of the runtime's functions.
OTHERS = "op/gate/(f16|wide)|op/recurrence/integers|property/[1-4]"
MEMORY = f"^((({LAYOUTS})/)?{CELLS}|stacked/(lstm|reverse)/bf16|{OTHERS})$"
SANITIZED = {
    "memcheck": MEMORY,
    # It does not see what cuBLAS writes of products of 16 bits, by bulk copies: it reports torch's own
    # torch.mm(..., out_dtype=torch.float32), too.
    "initcheck": f"^((({LAYOUTS})/)?{CELLS}|stacked/(lstm/tf32|reverse/bf16)|{OTHERS})$",
    # It does not know what barrier.arrive orders, by which warps of persistent kernels hand over sums: it reports
    # the PTX ISA's own example of a producer and a consumer.
    "racecheck": f"^(library/{CELLS}|op/gate/(f16|wide)|op/recurrence/integers)$",
}


def parse():
    parser = argparse.ArgumentParser(prog="gpu-test.sh", description=__doc__.split("\n\n")[0])
    parser.add_argument("--programs", type=pathlib.Path, default=programs.ROOT / "gpu", metavar="DIR",
                        help="what gpu-build.sh made, a folder or an archive")
    parser.add_argument("--only", type=re.compile, metavar="REGEX", help="only tests whose name matches")
    parser.add_argument("--repetitions", type=int, default=100, metavar="N", help="of what could race (100)")
    parser.add_argument("--endurance", type=int, default=2000, metavar="N",
                        help="calls of kernels of all steps beside others' kernels (2000; 1000000 takes some minutes)")
    parser.add_argument("--processes", type=int, default=min(16, os.cpu_count() or 1), metavar="N",
                        help="that compute what is expected")
    parser.add_argument("--host-arrays", action="store_true", help="pass NumPy's arrays, without PyTorch")
    parser.add_argument("--no-scenarios", action="store_true", help="numbers alone")
    parser.add_argument("--no-sanitizer", action="store_true")
    parser.add_argument("--no-graphs", action="store_true", help="plain calls alone")
    return parser.parse_args()


def expected_cases(name, count):
    """In a process of its own."""
    program = programs.every(count)[name]
    return program.digest(), program.cases()


class Bench:
    """What tests share: loaded programs, their cases, where arrays lie."""

    def __init__(self, options, manifest):
        self.options, self.manifest = options, manifest
        self.on_gpu = manifest["target"] == "cuda"
        self.repetitions = options.repetitions
        self.libraries, self.known, self.notes = {}, {}, []
        # The processes are made before CUDA is there: they must not inherit it.
        self.count = max([int(n.rsplit("/")[-1]) for n in manifest["programs"] if "property/" in n], default=0)
        self.pool = None
        if options.processes > 1:
            self.pool = ProcessPoolExecutor(options.processes, mp_context=multiprocessing.get_context("fork"))
            self.pending = {n: self.pool.submit(expected_cases, n, self.count) for n in self.wanted()}
        self.where = Torch() if self.on_gpu and not options.host_arrays else Host()

    def is_wanted(self, test):
        return not self.options.only or self.options.only.search(test)

    def wanted(self):
        return [name for name in self.manifest["programs"] if self.is_wanted(name)]

    def load(self, name):
        if name not in self.libraries:
            if name not in self.manifest["programs"]:
                raise Failure(f"{name} is not compiled")
            self.libraries[name] = lstm_mlir.load(self.options.programs / self.manifest["programs"][name]["file"])
            if self.on_gpu and self.options.no_graphs:
                self.libraries[name].session().set_option("graph-after", -1)
        return self.libraries[name]

    def cases(self, name):
        if name not in self.known:
            pending = self.pool and self.pending.get(name)
            digest, cases = pending.result() if pending else expected_cases(name, self.count)
            if digest != self.manifest["programs"][name]["text"]:
                raise Failure("the program is another one than was compiled")
            if not cases:
                raise Failure("there is no case")
            self.known[name] = cases
        return self.known[name]

    def sessions(self, *settings):
        """Options of calls, a fresh session for each of the settings."""
        if not self.on_gpu:
            return [{}] * len(settings)
        made = []
        for options in settings:
            session = lstm_mlir.Session(next(iter(self.libraries.values())))
            for name, value in options.items():
                session.set_option(name, value)
            made.append({"session": session})
        return made

    def stream(self):
        return self.where.torch.cuda.current_stream().cuda_stream if isinstance(self.where, Torch) else None

    def own_stream(self):
        if not isinstance(self.where, Torch):
            return contextlib.nullcontext()
        torch = self.where.torch
        # What was copied is there before.
        torch.cuda.synchronize()
        return _stream_context(torch)

    def note(self, text):
        print("   ", text, flush=True)


@contextlib.contextmanager
def _stream_context(torch):
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        yield stream
        stream.synchronize()


def check_numbers(bench, name):
    library = bench.load(name)
    for case in bench.cases(name):
        call, first = Call(case, bench.where), None
        for number in range(3):
            found = call.run(library).fetch()
            first = found if first is None else first
            call.check(found)
            check_same(f"{case.label}, call {number}", first, found)
        call.check_arguments()
        if bench.on_gpu:
            library.session().wait(bench.stream())


def check_graphs(bench):
    """That the calls above were not all plain."""
    session = next(iter(bench.libraries.values())).session()
    counters = {name: session.get(name) for name in ("plain", "captures", "updates", "replays", "graphs", "launches", "products")}
    bench.note(", ".join(f"{name} {value}" for name, value in counters.items()))
    if bench.options.no_graphs:
        if counters["captures"] or not counters["launches"]:
            raise Failure("there were graphs, or no launches")
    elif min(counters["captures"], counters["replays"]) == 0:
        raise Failure("nothing was captured or replayed")


def find_sanitizer():
    return shutil.which("compute-sanitizer") or next(iter(sorted(glob.glob("/usr/local/cuda*/bin/compute-sanitizer"))), None)


def check_sanitizer(bench, tool):
    """Kernels and products in plain calls: compute-sanitizer 2025.3 with driver 580 crashes in its own
    callback of cuGraphLaunch."""
    command = [find_sanitizer(), "--tool", tool, "--error-exitcode", "9", "--target-processes", "all", sys.executable, __file__,
               "--programs", bench.options.programs, "--only", SANITIZED[tool], "--processes", "1", "--host-arrays",
               "--no-scenarios", "--no-sanitizer", "--no-graphs"]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=150)
    except subprocess.TimeoutExpired:
        raise Failure("no end within 150 s") from None
    if done.returncode:
        lines = [line for line in done.stdout.splitlines() if line.startswith("=====") or "failed" in line or "FAILED" in line]
        raise Failure(f"exit status {done.returncode}\n" + "\n".join(lines[:25] + lines[-2:]))


@contextlib.contextmanager
def watched(name, seconds, passed, failed):
    """Ends the process, as nothing else ends a call that waits for the device."""
    def give_up():
        print(f"FAILED {name}: no end within {seconds:.0f} s; nothing more is tested\n{passed} passed, {failed + 1} failed", flush=True)
        os._exit(1)
    timer = threading.Timer(seconds, give_up)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def tests_of(bench):
    """(name, function) of all tests that are wanted."""
    for name in bench.manifest["failures"]:
        if bench.is_wanted(name):
            yield f"compile {name}", lambda name=name: (_ for _ in ()).throw(Failure(bench.manifest["failures"][name]))
    for name in bench.wanted():
        yield name, lambda name=name: check_numbers(bench, name)
    if bench.on_gpu and bench.libraries:
        yield "graphs", lambda: check_graphs(bench)
    if not bench.options.no_scenarios:
        import scenarios
        for scenario, names, needs_gpu in scenarios.SCENARIOS:
            for name in names if bench.on_gpu or not needs_gpu else ():
                title = f"{scenario.__name__} {name}"
                # A part of the programs has a part of the scenarios.
                if bench.is_wanted(title) if bench.options.only else True:
                    yield title, lambda scenario=scenario, name=name: scenario(bench, name)
    if bench.on_gpu and not bench.options.no_sanitizer and bench.is_wanted("sanitizer"):
        if find_sanitizer():
            for tool in ("memcheck", "racecheck", "initcheck"):
                yield f"sanitizer {tool}", lambda tool=tool: check_sanitizer(bench, tool)
        else:
            bench.note("compute-sanitizer is not installed: not run")


def main():
    options = parse()
    with tempfile.TemporaryDirectory(prefix="gpu-test-") as folder:
        if options.programs.is_file():
            shutil.unpack_archive(options.programs, folder)
            options.programs = pathlib.Path(folder)
        return run(options)


def run(options):
    programs.folder = options.programs
    path = options.programs / "manifest.json"
    if not path.exists():
        print(f"gpu-test: error: '{path}' is missing; scripts/gpu-test.sh --build makes it", file=sys.stderr)
        print("0 passed, 1 failed")
        return 1
    passed = failed = 0
    try:
        bench = Bench(options, json.loads(path.read_text()))
        start = last = time.monotonic()
        for name, test in tests_of(bench):
            try:
                # Endurance is asked for, and sanitizers have limits of their own.
                with watched(name, MOST_SECONDS + options.endurance / 1000 + 150 * name.startswith("sanitizer"), passed, failed):
                    test()
                passed += 1
            except Failure as failure:
                failed += 1
                print(f"FAILED {name}: {failure}", flush=True)
            except lstm_mlir.Error as error:
                failed += 1
                print(f"FAILED {name}: {getattr(error.status, 'name', error.status)}: {error}", flush=True)
            except Exception:  # Of one test; the others go on.
                failed += 1
                print(f"FAILED {name}:\n{traceback.format_exc(limit=-6)}", flush=True)
            if time.monotonic() - last > 10:
                last = time.monotonic()
                print(f"    [{last - start:.0f} s: {passed} passed, {failed} failed, now at {name}]", flush=True)
        print(f"{time.monotonic() - start:.0f} s")
    except Exception:
        # As no GPU, or no PyTorch.
        failed += 1
        traceback.print_exc()
    if not passed:
        failed = max(failed, 1)
    sys.stdout.flush()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
