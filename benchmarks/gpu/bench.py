# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times recurrent layers on the GPU beside cuDNN, PyTorch and XLA, in one run.

For each case all who take part get the same inputs and are measured in turn, several rounds; a time
is the median of all calls by CUDA events: `called` as a user calls it, one call at a time, `graph`
the same call replayed from a CUDA graph, where the host costs nothing. The error is the largest
absolute one of ys against float64.
"""

import argparse
import dataclasses
import datetime
import functools
import json
import pathlib
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

import gpu_cases
import numpy as np
import participants
import report
import torch
from participants import Failure

ROUNDS = 5
# For points of a picture: rounds, seconds of each participant in one, and what is measured.
STEPS_ROUNDS, STEPS_SECONDS, STEPS_MODES = 3, 0.03, ("called", "graph")


def log(*text):
    print(*text, file=sys.stderr, flush=True)


def parse(arguments):
    parser = argparse.ArgumentParser(prog="bench-gpu.sh", description=__doc__.split("\n\n")[0])
    parser.add_argument("--json", type=pathlib.Path, default=gpu_cases.ROOT / "build/bench-gpu.json", metavar="FILE",
                        help="where the rows go, anew after each (build/bench-gpu.json)")
    parser.add_argument("--programs", type=pathlib.Path, default=gpu_cases.ROOT / "gpu/bench", metavar="DIR")
    parser.add_argument("--quick", action="store_true", help="few cases, short measurements")
    parser.add_argument("--only", type=re.compile, metavar="REGEX", help="only cases that match, as in 'lstm bf16 64,128'")
    parser.add_argument("--opponents", type=lambda text: [name for name in text.split(",") if name],
                        default=report.OPPONENTS, metavar="A,B", help=f"of {','.join(report.OPPONENTS)}")
    parser.add_argument("--no-steps", action="store_true", help="without what a step takes over H, for a picture of its own")
    parser.add_argument("--minutes", type=float, metavar="N", help="start no case after these")
    parser.add_argument("--report", type=pathlib.Path, metavar="DIR",
                        help="where table and picture go (docs if nothing is left out, else beside the JSON)")
    options = parser.parse_args(arguments)
    unknown = set(options.opponents) - set(report.OPPONENTS)
    if unknown:
        parser.error(f"unknown opponent '{min(unknown)}'; there are {', '.join(report.OPPONENTS)}")
    options.seconds = 0.05 if options.quick else 0.15
    return options


def timed(call, seconds, least=10):
    """Microseconds of the device's stream for each of many calls."""
    times, end = [], time.perf_counter() + seconds
    while len(times) < least or time.perf_counter() < end:
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        call()
        stop.record()
        stop.synchronize()
        times.append(1e3 * start.elapsed_time(stop))
    return times


def timed_together(call, seconds):
    """Of a call among many that are enqueued at once: the device's time, where that is more than the host's."""
    start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    single = min(timed(call, 0, 3))
    count = max(5, min(200, int(1e6 * seconds / single)))
    start.record()
    for _ in range(count):
        call()
    stop.record()
    stop.synchronize()
    return [1e3 * start.elapsed_time(stop) / count]


def timed_on_host(call, least=10):
    times = []
    for _ in range(least):
        start = time.perf_counter()
        call()
        times.append(1e6 * (time.perf_counter() - start))
        torch.cuda.synchronize()
    return times


def capture(call):
    """The call as a CUDA graph, and where that writes."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        ys = call()
    return graph, ys


class Timed:
    """A participant whose calls are on PyTorch's stream."""

    def __init__(self, call, known, own_graph=False):
        self.call = call
        call()
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        ys = call()
        torch.cuda.synchronize()
        # What PyTorch's allocator gave for a while: the workspace and, of others, small results besides ys.
        taken = torch.cuda.max_memory_allocated() - before - ys.numel() * ys.element_size()
        self.made = {"error": error_of(ys, known),
                     "workspace_bytes": call.session.get("workspace") if own_graph else taken}
        self.modes = {"called": lambda s: timed(call, s), "host": lambda s: timed_on_host(call)}
        if own_graph:
            self.modes["replay"] = lambda s: timed_together(call.bound, s)
            self.modes["bound"] = lambda s: timed_on_host(call.bound)
        try:
            graph, captured = capture(call)
            captured.fill_(float("nan"))
            graph.replay()
            torch.cuda.synchronize()
            again = error_of(captured, known)
            # It need not be the same kernel, but it is no worse.
            if not again <= max(4 * self.made["error"], 1e-6):
                raise Failure(f"replayed, the error is {again}")
            self.modes["graph"] = lambda s: timed(graph.replay, s)
        except (RuntimeError, Failure) as failure:
            torch.cuda.synchronize()
            self.made["graph_failure"] = " ".join(str(failure).split())[:300]


class TimedXla:
    def __init__(self, worker, case, known, folder, arrays):
        inputs, outputs = str(folder / "inputs.npz"), str(folder / "ys.npy")
        np.savez(inputs, **arrays)
        ys = torch.from_numpy(worker.prepare(case, inputs, outputs)).cuda()
        self.made = {"error": error_of(ys, known)}
        self.modes = {"called": worker.measure}


def error_of(ys, known):
    if ys.shape != known.shape:
        raise Failure(f"ys has the shape {tuple(ys.shape)}, expected {tuple(known.shape)}")
    value = float((ys.double() - known).abs().max())
    if value != value:
        raise Failure("ys has NaN")
    return float(f"{value:.3g}")


@functools.lru_cache(maxsize=1)
def inputs_and_known(case):
    """Also ys in float64, on the device."""
    arrays = gpu_cases.inputs(case)
    torch.backends.cuda.matmul.allow_tf32, tf32 = False, torch.backends.cuda.matmul.allow_tf32
    known = gpu_cases.reference(case, {n: torch.from_numpy(a).cuda().double() for n, a in arrays.items()}, torch)
    torch.backends.cuda.matmul.allow_tf32 = tf32
    return arrays, known


def first_rows(case):
    """The same of a case over H: it has the first rows of that with the most, which is worked out once."""
    arrays, known = inputs_and_known(dataclasses.replace(case, B=max(gpu_cases.STEPS_B)))
    batch = {"x": (slice(None), slice(case.B)), "h0_0f": slice(case.B), "c0_0f": slice(case.B)}
    return {n: np.ascontiguousarray(a[batch.get(n, ...)]) for n, a in arrays.items()}, known[:, :case.B]


def steps_makers(case, arrays, options, xla):
    """As makers, of a case over H."""
    made = {"ours": lambda known, folder: Timed(participants.ours(case, arrays, options.programs), known, own_graph=True),
            "cudnn": lambda known, folder: Timed(participants.cudnn(case, arrays), known)}
    if case.H in gpu_cases.STEPS_XLA_H:
        made["xla"] = lambda known, folder: TimedXla(xla(), case, known, folder, arrays)
    return {name: maker for name, maker in made.items() if name == "ours" or name in options.opponents}


def makers(case, arrays, options, xla):
    """Functions that prepare, by name."""
    made = {"ours": lambda known, folder: Timed(participants.ours(case, arrays, options.programs), known, own_graph=True)}
    if case.cell not in gpu_cases.LIBRARY_CELLS:
        made["eager"] = lambda known, folder: Timed(participants.custom(case, arrays), known)
        made["compile"] = lambda known, folder: Timed(participants.compiled(case, arrays), known)
        made["xla"] = lambda known, folder: TimedXla(xla(), case, known, folder, arrays)
    else:
        made["cudnn"] = lambda known, folder: Timed(participants.cudnn(case, arrays), known)
        if case.type == "bf16":
            # The one type that cuDNN's persistent kernels have.
            made["cudnn-f16"] = lambda known, folder: Timed(participants.cudnn(case, arrays, "f16"), known)
    return {name: maker for name, maker in made.items() if name == "ours" or name in options.opponents}


def measure_row(case, options, xla, folder, peaks, is_step=False):
    participants.set_tf32(case)
    arrays, known = first_rows(case) if is_step else inputs_and_known(case)
    made, ready, samples = {}, {}, {}
    for name, make in (steps_makers if is_step else makers)(case, arrays, options, xla).items():
        try:
            ready[name] = make(known, folder)
            made[name] = ready[name].made
        except Exception as failure:  # An opponent's, of any kind: reported, and the run goes on.
            made[name] = {"error": None, "failure": f"{type(failure).__name__}: {' '.join(str(failure).split())[:300]}"}
    for _ in range(STEPS_ROUNDS if is_step else ROUNDS):
        for name, who in ready.items():
            for mode, measure in who.modes.items():
                if not is_step or mode in STEPS_MODES:
                    samples.setdefault((name, mode), []).extend(measure(STEPS_SECONDS if is_step else options.seconds / 2))
    for name, entry in made.items():
        def median(mode, steps=case.T):
            return round(statistics.median(samples[name, mode]) / steps, 3) if (name, mode) in samples else None  # noqa: B023
        entry |= {"called_us_per_step": median("called"), "graph_us_per_step": median("graph"),
                  "replay_us_per_step": median("replay"), "host_us_per_call": median("host", 1)}
        if (name, "bound") in samples:
            entry["bound_host_us_per_call"] = median("bound", 1)
        # Measured alike for all: a replayed graph, alone between two events; else what there is.
        entry["us_per_step"] = entry["graph_us_per_step"] or entry["replay_us_per_step"] or entry["called_us_per_step"]
    ours = made.pop("ours")
    row = {"cell": case.cell, "type": case.type, "B": case.B, "T": case.T, "I": case.I, "H": case.H, "layers": case.layers,
           "directions": case.directions, "ours_us_per_step": ours.pop("us_per_step"), "ours_error": ours.pop("error"), **ours}
    if is_step:
        row["group"] = "steps"
    return {**row, "opponents": made, "limit_us_per_step": round(case.flops_per_step() / peaks[case.type] / 1e6, 4)}


def measure_peaks():
    """TFLOP/s of a large product in each type."""
    made = {}
    for kind, dtype in {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32, "tf32": torch.float32}.items():
        torch.backends.cuda.matmul.allow_tf32 = kind == "tf32"
        a = torch.randn(8192, 8192, device="cuda").to(dtype)
        made[kind] = round(2 * 8192**3 / statistics.median(timed(lambda: a @ a, 0.1, 5)) / 1e6, 1)  # noqa: B023
    return made


def measure_memory():
    """GB/s of a large copy, read and written."""
    source = torch.empty(2**30, dtype=torch.uint8, device="cuda")
    target = torch.empty_like(source)
    return round(2 * source.numel() / statistics.median(timed(lambda: target.copy_(source), 0.05, 5)) / 1e3)


def measure_g2p(options):
    """Words a second, and how many phonemes are NumPy's."""
    sys.path.insert(0, str(gpu_cases.ROOT / "test/Integration/GPU"))
    import lstm_mlir
    import programs
    programs.folder = options.programs
    (case,) = programs.G2P().cases()
    entry = lstm_mlir.load(options.programs / "g2p.so").main
    arguments = [torch.from_numpy(a).cuda() for a in case.arguments]
    wrong = (entry(*arguments).cpu().numpy() != case.results[0].value).any(axis=0).sum()
    # Again and again the same words: as many as the CPU's benchmark has.
    repeats = 18
    arguments[-2:] = arguments[-2].repeat(1, repeats), arguments[-1].repeat(repeats)
    order = torch.argsort(arguments[-1], stable=True)
    arguments[-2:] = arguments[-2][:, order].contiguous(), arguments[-1][order]
    words = len(arguments[-1])
    out = torch.empty(20, words, dtype=torch.int32, device="cuda")
    times = timed(lambda: entry(*arguments, out=out), 1)
    return {"cell": "g2p", "words": words, "words_per_s": round(1e6 * words / statistics.median(times)),
            "words_compared": case.results[0].value.shape[1], "words_wrong": int(wrong)}


def measure_naive(options):
    """As its session enqueues it, one kernel after the other, beside what is compiled by default."""
    case = gpu_cases.BASELINE
    arrays = gpu_cases.inputs(case)
    times = [statistics.median(timed(participants.ours(case, arrays, options.programs, file), 1)) / case.T
             for file in ("naive.so", "host_cost.so")]
    return {"cell": "naive", "case": str(case), "called_us_per_step": round(times[0], 2),
            "default_called_us_per_step": round(times[1], 2)}


def measure_host_cost(options):
    """From C, without Python."""
    case = gpu_cases.BASELINE
    done = subprocess.run([options.programs / "host_cost", *(str(n) for n in (case.B, case.T, case.I, case.H))],
                          capture_output=True, text=True, check=True)
    return {"cell": "host cost", "case": str(case), "us_per_call": float(done.stdout.split()[0])}


def measure_new_pointers(options, calls=20):
    """As a user calls who keeps nothing: inputs and results lie elsewhere in every call, weights do not."""
    made = []
    for case in gpu_cases.small_cases(options.quick):
        arrays = gpu_cases.inputs(case)
        known = gpu_cases.reference(case, {n: torch.from_numpy(a).cuda().double() for n, a in arrays.items()}, torch)
        sides = {"ours": participants.ours_anew(case, arrays, options.programs), "cudnn": participants.cudnn_anew(case, arrays)}
        kept, times = [], {}
        for _ in range(ROUNDS):
            for name, (copy, call) in sides.items():
                for mode, measure in (("called", lambda once, count: timed(once, 0, count)), ("host", timed_on_host)):
                    # All are kept: what PyTorch's allocator got back it would give again.
                    copies = [copy() for _ in range(calls)]
                    kept.append(copies)
                    given = iter(copies)
                    torch.cuda.synchronize()
                    times.setdefault((name, mode), []).extend(measure(lambda: kept.append(call(next(given))), calls))  # noqa: B023
                    times.setdefault((name, "error"), []).append(error_of(kept[-1][0], known))
        made.append({"case": str(case), **{name: {
            "called_us_per_step": round(statistics.median(times[name, "called"]) / case.T, 3),
            "host_us_per_call": round(statistics.median(times[name, "host"]), 1), "error": max(times[name, "error"])} for name in sides}})
    return {"cell": "new pointers", "cases": made}


def measure_ragged(options):
    """Rows of several lengths, the longest first, beside cuDNN's packed sequences; ours also in another order."""
    made = []
    for case in gpu_cases.ragged_cases(options.quick):
        participants.set_tf32(case)
        for name, get_lengths in gpu_cases.LENGTHS.items():
            lengths = get_lengths(case.T, case.B).astype(np.int32)
            arrays = gpu_cases.inputs(case, lengths=lengths)
            known = gpu_cases.reference(case, {n: torch.from_numpy(a).cuda() if n.startswith("len") else torch.from_numpy(a).cuda().double()
                                               for n, a in arrays.items()}, torch)
            order = np.random.default_rng(2).permutation(case.B)
            mixed = {n: a[order] if n.startswith(("h0", "c0", "len")) else np.ascontiguousarray(a[:, order]) if n == "x" else a
                     for n, a in arrays.items()}
            sides = {"ours": (participants.ours(case, arrays, options.programs), lambda ys: ys, known),
                     "mixed": (participants.ours(case, mixed, options.programs), lambda ys: ys, known[:, order.tolist()]),
                     "cudnn": (participants.cudnn_packed(case, arrays), lambda ys: participants.padded(ys, case), known)}  # noqa: B023
            times, replays = {}, {}
            for side, (call, _, _) in sides.items():
                try:
                    replays[side] = capture(call)[0].replay
                except RuntimeError:
                    torch.cuda.synchronize()
            for _ in range(ROUNDS):
                for side, (call, _, _) in sides.items():
                    for mode, measured in (("called", call), ("graph", replays.get(side))):
                        if measured:
                            times.setdefault((side, mode), []).extend(timed(measured, options.seconds / 3))
            entry = {side: {f"{mode}_us_per_call": round(statistics.median(times[side, mode]), 1)
                            for mode in ("called", "graph") if (side, mode) in times} | {"error": error_of(get_ys(call()), expected)}
                     for side, (call, get_ys, expected) in sides.items()}
            made.append({"case": str(case), "lengths": name, **entry})
            log(report.ragged_line(made[-1]))
    return {"cell": "ragged", "cases": made}


def write(path, rows):
    """The file is never half written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".part")
    partial.write_text("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n")
    partial.replace(path)


def main(arguments):
    options = parse(arguments)
    start = time.monotonic()
    manifest = json.loads((options.programs / "manifest.json").read_text())
    chosen = [case for case in gpu_cases.grid(options.quick) if not options.only or options.only.search(str(case))]
    with_g2p = not options.quick if not options.only else options.only.search("g2p")
    extras = [measure for name, measures in {"baseline": (measure_naive, measure_host_cost), "new pointers": (measure_new_pointers,), "ragged": (measure_ragged,)}.items()
              if not options.only or options.only.search(name) for measure in measures]
    over_h = gpu_cases.steps_cases(options.quick) if options.only and options.only.search("steps") or not (
        options.only or options.quick or options.no_steps) else []
    if not chosen and not over_h and not with_g2p and not extras:
        sys.exit("bench-gpu: error: no case matches")
    properties = torch.cuda.get_device_properties(0)
    peaks = measure_peaks()
    run = {"date": datetime.date.today().isoformat(), "gpu": properties.name, "revision": manifest["revision"],
           "flags": manifest["flags"], "command": shlex.join(["scripts/bench-gpu.sh", *arguments]), "peaks": peaks,
           "memory_gb_per_s": measure_memory(),
           "versions": {"torch": torch.__version__, "cudnn": torch.backends.cudnn.version(), "cuda": torch.version.cuda}}
    log(f"{properties.name}: " + ", ".join(f"{kind} {value:.0f} TFLOP/s" for kind, value in peaks.items()))
    rows, workers, skipped = [], [], []

    def xla():
        if not workers:
            workers.append(participants.Xla())
        return workers[0]

    def is_late():
        return options.minutes and time.monotonic() - start > 60 * options.minutes

    with tempfile.TemporaryDirectory(prefix="bench-gpu-") as folder:
        for case, is_step in [*((case, False) for case in chosen), *((case, True) for case in over_h)]:
            if is_late():
                skipped.append(f"{'steps ' * is_step}{case}")
                continue
            begun = time.monotonic()
            row = measure_row(case, options, xla, pathlib.Path(folder), peaks, is_step)
            if not is_step and str(case) in manifest.get("predictions", {}):
                row["predicted"] = manifest["predictions"][str(case)]
            rows.append({**row, "run": run})
            write(options.json, rows)
            log(*["steps:"] * is_step, report.line(rows[-1]), f"({time.monotonic() - begun:.0f} s)")
            torch.cuda.empty_cache()
        for worker in workers:
            worker.close()
        for measure in extras if not is_late() else ():
            try:
                rows.append({**measure(options), "run": run})
                log(report.baseline(rows[-1]))
            except Exception as failure:  # As that the program did not compile.
                log(f"{measure.__name__} failed: {failure}")
        if with_g2p and not is_late():
            try:
                rows.append({**measure_g2p(options), "run": run})
                log("g2p: {words_per_s} words/s, {words_wrong} of {words_compared} words wrong".format(**rows[-1]))
            except Exception as failure:  # As that the program did not compile.
                rows.append({"cell": "g2p", "ours_failure": f"{type(failure).__name__}: {failure}"[:300], "run": run})
                log("g2p failed:", rows[-1]["ours_failure"])
            write(options.json, rows)
    for case in skipped:
        log(f"no time left for {case}")
    whole = not (options.quick or options.only or options.no_steps or skipped) and options.opponents == report.OPPONENTS
    folder = options.report or (gpu_cases.ROOT / "docs" if whole else options.json.parent)
    report.write(rows, folder, skipped)
    log(report.summary(rows))
    log(f"rows in {options.json}, table and pictures in {folder}/bench-gpu*")
    if any(row.get("failure") or row.get("ours_failure") or row.get("words_wrong") for row in rows):
        sys.exit(1)


if __name__ == "__main__":
    main(sys.argv[1:])
