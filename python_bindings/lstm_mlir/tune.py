# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds the fastest layouts of persistent kernels by measuring. See docs/Compiling.md, "Measured plans".

    python -m lstm_mlir.tune build model.mlir -o DIR [-- FLAGS OF lstm-compile]     where the compiler is
    python -m lstm_mlir.tune measure DIR -o plans.json --sizes x=128,B h0=B --rows 1,64,256     where the GPU is
    lstm-compile model.mlir --target=cuda --kernel-plans=plans.json -o libmodel.so
"""

import argparse
import json
import math
import pathlib
import shutil
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from . import arrays, load

# What programs call, which lies beside them where there is no compiler.
RUNTIME = "liblstm_cuda_runtime.so"
# A plan that is that much slower than the fastest one is as good, if it is the one for fewer rows.
SAME = 1.02


def parse(argv):
    split = argv.index("--") if "--" in argv else len(argv)
    parser = argparse.ArgumentParser(prog="lstm_mlir.tune", description=__doc__.split("\n\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    build = commands.add_parser("build", help="compile a program with each of its candidates")
    build.add_argument("program", type=pathlib.Path, metavar="FILE.mlir")
    build.add_argument("-o", "--output", type=pathlib.Path, required=True, metavar="DIR")
    build.add_argument("--lstm-compile", default="lstm-compile", metavar="PATH")
    build.add_argument("--jobs", type=int, default=2, metavar="N")
    measure = commands.add_parser("measure", help="time what was built and write the plans of the fastest")
    measure.add_argument("programs", type=pathlib.Path, metavar="DIR")
    measure.add_argument("-o", "--output", type=pathlib.Path, required=True, metavar="FILE.json",
                         help="other recurrences in the file stay")
    measure.add_argument("--entry", default="main", metavar="NAME")
    measure.add_argument("--rows", type=lambda text: sorted(map(int, text.split(","))), default=[1, 16, 64, 256],
                         metavar="N,N,...", help="numbers of rows, each for those up to it (1,16,64,256)")
    measure.add_argument("--sizes", nargs="*", default=[], metavar="ARGUMENT=N,B",
                         help="the sizes of an argument that the program leaves open; B is the number of rows")
    measure.add_argument("--values", nargs="*", default=[], metavar="ARGUMENT=N",
                         help="integers in an argument, as lengths (1)")
    measure.add_argument("--rounds", type=int, default=15, metavar="N", help="timings of which the median counts (15)")
    measure.add_argument("--calls", type=int, default=10, metavar="N", help="in a timing (10)")
    measure.add_argument("--tolerance", type=float, metavar="X",
                         help="by which results may differ, relative to max(1, |value|) (by the types)")
    options = parser.parse_args(argv[:split])
    options.flags = argv[split + 1:]
    return options


def stop(message):
    sys.exit(f"lstm_mlir.tune: error: {message}")


def copy_runtime(options):
    """To DIR, from where the compiler is built or installed."""
    compiler = shutil.which(options.lstm_compile)
    runtime = pathlib.Path(compiler).resolve().parents[1] / "lib" / RUNTIME if compiler else pathlib.Path(RUNTIME)
    if runtime.exists():
        shutil.copy(runtime, options.output)
    else:
        print(f"{RUNTIME}: not found beside the compiler; the programs need it", file=sys.stderr)


def build(options):
    """DIR/library.so, DIR/predicted.so, DIR/N.so, the runtime, and DIR/manifest.json that says what they are."""
    folder = options.output
    folder.mkdir(parents=True, exist_ok=True)
    candidates = folder / "candidates.json"
    candidates.unlink(missing_ok=True)

    def compile_to(name, *flags):
        command = [options.lstm_compile, options.program, "--target=cuda", "-o", folder / name, *options.flags, *flags]
        try:
            done = subprocess.run(command, capture_output=True, text=True)
        except OSError as error:
            stop(f"'{options.lstm_compile}': {error.strerror}")
        if done.returncode:
            print(f"{name}: {done.stderr.strip()}", file=sys.stderr, flush=True)
        return done.returncode == 0

    if not compile_to("predicted.so", f"--kernel-candidates={candidates}"):
        stop("the program does not compile")
    found = json.loads(candidates.read_text())["recurrences"] if candidates.exists() else {}
    if not found:
        stop("no recurrence may become a kernel")
    programs = [{"file": "predicted.so"}]
    if compile_to("library.so", "--strategy=library"):
        programs.append({"file": "library.so"})

    # One recurrence after the other has another plan than the predicted one.
    varied = [{"file": f"{number}.so", "recurrence": key, "plan": plan}
              for number, (key, plan) in enumerate((key, plan) for key, plans in found.items() for plan in plans)]

    def compile_plan(program):
        plans = folder / program["file"].replace(".so", ".json")
        plans.write_text(json.dumps({"recurrences": {program["recurrence"]: [
            {**program["plan"], "microseconds": 0, "rows": 1}]}}))
        return compile_to(program["file"], f"--kernel-plans={plans}")

    with ThreadPoolExecutor(options.jobs) as pool:
        done = list(pool.map(compile_plan, varied))
    programs += [program for program, is_made in zip(varied, done) if is_made]
    copy_runtime(options)
    (folder / "manifest.json").write_text(json.dumps({"flags": options.flags, "programs": programs}, indent=1) + "\n")
    print(f"{len(programs)} programs of {len(found)} recurrences in {folder}")
    return 0 if all(done) else 1


class OnHost:
    """Of programs for CPUs, and where there is no PyTorch: times then have copies in them."""

    name = "host"

    def place(self, array, dtype):
        return array

    def fetch(self, value):
        return np.asarray(value.numpy() if hasattr(value, "numpy") else value)

    def time(self, call, count):
        start = time.perf_counter()
        for _ in range(count):
            call()
        return 1e6 * (time.perf_counter() - start) / count


class OnGPU(OnHost):
    def __init__(self, torch):
        self.torch, self.name = torch, torch.cuda.get_device_name()

    def place(self, array, dtype):
        placed = self.torch.from_numpy(array.view(np.int16) if dtype == "bf16" else array).cuda()
        return placed.view(self.torch.bfloat16) if dtype == "bf16" else placed

    def fetch(self, value):
        return value.double().cpu().numpy()

    def time(self, call, count):
        start, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        for _ in range(count):
            call()
        end.record()
        end.synchronize()
        return 1e3 * start.elapsed_time(end) / count


def find_place(program):
    try:
        import torch
    except ImportError:
        torch = None
    return OnGPU(torch) if program.target == "cuda" and torch and torch.cuda.is_available() else OnHost()


def split_option(option, texts, names):
    """{"x": "128,B"} of ["x=128,B"]."""
    found = {}
    for text in texts:
        name, separator, value = text.partition("=")
        if not separator or name not in names:
            stop(f"--{option}: expects ARGUMENT=... with one of {', '.join(names)}, but got '{text}'")
        found[name] = value
    return found


def get_number(text, option, rows=None):
    try:
        return rows if rows and text == "B" else int(text)
    except ValueError:
        stop(f"--{option}: expects an integer{' or B' if rows else ''}, but got '{text}'")


def make_arguments(entry, rows, options, where):
    """Weights, whose sizes are all known, are small enough that a state's rounding errors do not grow."""
    names, random = [port.name for port in entry.arguments], np.random.default_rng(1)
    sizes, values = (split_option(option, getattr(options, option), names) for option in ("sizes", "values"))
    made = []
    for port in entry.arguments:
        number = get_number(values.get(port.name, "1"), "values")
        if not port.is_tensor:
            made.append(number)
            continue
        given = [get_number(n, "sizes", rows) for n in sizes.get(port.name, "").split(",") if n]
        if len(given) != port.shape.count(-1):
            stop(f"--sizes: expects {port.shape.count(-1)} for '{port}', but got {len(given)}")
        open_sizes = iter(given)
        shape = [next(open_sizes) if size < 0 else size for size in port.shape]
        if port.dtype in ("f64", "f32", "f16", "bf16"):
            is_weight = port.has_known_shape and len(shape) > 1
            value = random.normal(0, 0.5 / math.sqrt(max(shape)) if is_weight else 0.5, shape)
            value = (value.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16) if port.dtype == "bf16" \
                else value.astype(arrays.STORAGE[port.dtype])
        else:
            value = np.full(shape, number, arrays.STORAGE[port.dtype])
        made.append(where.place(value, port.dtype))
    return made


def get_tolerance(entry, flags):
    """Of the coarsest numbers that are multiplied."""
    bits = {"bf16": 8, "f16": 11, "f32": 23, "f64": 52}
    exact = min((bits[port.dtype] for port in entry.arguments if port.dtype in bits), default=23)
    coarse = 11 if "--allow-tf32" in flags or "--f32-mode=tf32" in flags else 16 if "--f32-mode=bf16x3" in flags else 52
    exact = min(exact, coarse)
    return 2.0 ** -exact * (16 if exact <= 16 else 256)


def get_difference(found, expected):
    """The largest one, relative to max(1, |value|)."""
    worst = 0.0
    for one, other in zip(found, expected):
        one, other = np.asarray(one, np.float64), np.asarray(other, np.float64)
        with np.errstate(invalid="ignore"):
            error = np.where((one == other) | (np.isnan(one) & np.isnan(other)), 0,
                             np.abs(one - other) / np.maximum(1, np.abs(other)))
        worst = max(worst, float(np.where(np.isnan(error), np.inf, error).max(initial=0)))
    return worst


def time_programs(programs, rows, options, flags, where):
    """Microseconds of a call by file; without those whose results are not those of the others, which are returned, too."""
    calls, expected, wrong = {}, None, []
    for file, program in programs.items():
        entry = program[options.entry]
        arguments = make_arguments(entry, rows, options, where)
        results = entry(*arguments)
        results = results if isinstance(results, tuple) else (results,)
        found = [where.fetch(result) for result in results]
        if expected is None:
            expected = found
        difference = get_difference(found, expected)
        limit = options.tolerance or get_tolerance(entry, flags)
        if difference > limit:
            print(f"{file}: with {rows} rows results differ by {difference:.3g} from those of {next(iter(programs))} "
                  f"(allowed {limit:.3g})", flush=True)
            wrong.append(file)
            continue
        out = [place if port.is_tensor else None for port, place in zip(entry.results, results)]
        calls[file] = lambda entry=entry, arguments=arguments, out=out: entry(*arguments, out=out)
    times = {file: [] for file in calls}
    # The first calls load kernels and capture graphs.
    for call in calls.values():
        where.time(call, 3)
    for _ in range(options.rounds):
        for file, call in calls.items():
            times[file].append(where.time(call, options.calls))
    return {file: statistics.median(found) for file, found in times.items()}, wrong


def choose(times, programs, rows_list):
    """The fastest plans of a recurrence, by number of rows; `programs` are its files and their plans."""
    chosen = []
    for rows in rows_list:
        there = {file: times[rows][file] for file in programs if file in times[rows]}
        if not there:
            continue
        best = min(there, key=there.get)
        # The plan for fewer rows is there anyway.
        before = next((file for file in there if chosen and programs[file] == chosen[-1]["plan"]), None)
        if before and there[before] <= SAME * there[best]:
            best = before
            chosen.pop()
        chosen.append({"plan": programs[best], "rows": rows, "microseconds": round(there[best], 2)})
    return [{**({"max_rows": part["rows"]} if part is not chosen[-1] else {}), **part["plan"], "rows": part["rows"],
             "microseconds": part["microseconds"]} for part in chosen]


def measure(options):
    try:
        manifest = json.loads((options.programs / "manifest.json").read_text())
        plans = json.loads(options.output.read_text()) if options.output.exists() else {}
    except (OSError, ValueError) as error:
        stop(error)
    # Libraries first: the others have to agree with them.
    order = sorted(manifest["programs"], key=lambda program: program["file"] != "library.so")
    programs = {program["file"]: load(options.programs / program["file"]) for program in order}
    where = find_place(next(iter(programs.values())))
    print(f"{len(programs)} programs on {where.name}", flush=True)
    times, all_wrong = {}, set()
    for rows in options.rows:
        right = {file: program for file, program in programs.items() if file not in all_wrong}
        times[rows], wrong = time_programs(right, rows, options, manifest["flags"], where)
        all_wrong.update(wrong)
        known = {file: f"{times[rows][file]:.1f} us" for file in ("predicted.so", "library.so") if file in times[rows]}
        print(f"{rows} rows: predicted {known.get('predicted.so')}, libraries {known.get('library.so')}, "
              f"fastest {min(times[rows].values()):.1f} us by {min(times[rows], key=times[rows].get)}", flush=True)
    # Also not for those numbers of rows with which they were right.
    times = {rows: {file: t for file, t in found.items() if file not in all_wrong} for rows, found in times.items()}
    recurrences = plans.setdefault("recurrences", {})
    for key in dict.fromkeys(program["recurrence"] for program in order if "recurrence" in program):
        of_key = {program["file"]: program["plan"] for program in order if program.get("recurrence") == key}
        recurrences[key] = choose(times, of_key, options.rows)
        if not recurrences[key]:
            stop(f"no candidate for '{key}' is right")
    plans["gpu"] = where.name
    options.output.write_text(json.dumps(plans, indent=1) + "\n")
    print(f"{len(recurrences)} recurrences in {options.output}")
    return 1 if all_wrong else 0


def main(argv):
    options = parse(argv)
    return build(options) if options.command == "build" else measure(options)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
