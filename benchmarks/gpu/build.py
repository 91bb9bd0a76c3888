# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the programs that bench.py times into a folder, for a machine without LLVM.

What follows `--` goes to lstm-compile.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import gpu_cases
import predictions
import runner

# What lets products of f32 round to TF32.
TF32 = "--allow-tf32"


def parse():
    argv = sys.argv[1:]
    split = argv.index("--") if "--" in argv else len(argv)
    parser = argparse.ArgumentParser(prog="bench-gpu.sh --build", description=__doc__.split("\n\n")[0])
    parser.add_argument("--target", default="cuda", choices=["cuda", "cpu"])
    parser.add_argument("--output", type=pathlib.Path, default=gpu_cases.ROOT / "gpu/bench", metavar="DIR")
    parser.add_argument("--only", type=re.compile, metavar="REGEX", help="only cases that match, as in 'lstm bf16 64,128'")
    parser.add_argument("--quick", action="store_true", help="few cases")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--tf32", default=TF32, metavar="FLAG", help=f"lstm-compile's flag for TF32 ({TF32})")
    parser.add_argument("--no-predictions", action="store_true", help="do not ask what a step is predicted to take")
    parser.add_argument("--lstm-compile", default=runner.tool("lstm-compile"), metavar="PATH")
    options = parser.parse_args(argv[:split])
    options.flags = argv[split + 1:]
    return options


def predict(cases, flags_of, options):
    """By case. Without lstm-opt there is nothing, and that is no failure."""
    predictor = predictions.Predictor(pathlib.Path(options.lstm_compile).with_name("lstm-opt"), options.flags)
    try:
        with ThreadPoolExecutor(options.jobs) as pool:
            made = list(pool.map(lambda case: predictor.predict(case, flags_of(case)), cases))
    except OSError as error:
        print(f"no predictions: {error}", file=sys.stderr)
        return {}
    known = {str(case): parts for case, parts in zip(cases, made, strict=True) if parts}
    whole = sum(all(part["us"] for part in parts) for parts in known.values())
    print(f"predictions for {whole} of {len(cases)} cases", file=sys.stderr)
    return known


def main():
    options = parse()
    options.output.mkdir(parents=True, exist_ok=True)
    cases = [case for case in gpu_cases.grid(options.quick) if not options.only or options.only.search(str(case))]

    def flags_of(case):
        return [options.tf32] if case.type == "tf32" and options.target == "cuda" else []
    texts = {case.file: (gpu_cases.program(case), flags_of(case)) for case in cases}
    if not options.only or options.only.search("steps"):
        texts |= {case.file: (gpu_cases.program(case), []) for case in gpu_cases.steps_cases(options.quick)}
    if options.only and options.only.search("new pointers"):
        texts |= {case.file: (gpu_cases.program(case), []) for case in gpu_cases.small_cases(options.quick)}
    if not options.only or options.only.search("ragged"):
        texts |= {case.file: (gpu_cases.program(case), []) for case in gpu_cases.ragged_cases(options.quick)}
    if not options.only or options.only.search("g2p"):
        texts["g2p.so"] = (gpu_cases.ROOT / "examples/g2p/g2p.mlir").read_text(), []
    if options.target == "cuda" and (not options.only or options.only.search("baseline")):
        text = gpu_cases.program(gpu_cases.BASELINE)
        texts["naive.so"] = text, ["--strategy=naive"]
        texts["host_cost.so"] = text, ["--header", options.output / "host_cost.h"]
    if not texts:
        sys.exit("bench-gpu: error: no case matches")
    failures = {}

    def compile_one(file):
        text, flags = texts[file]
        library = options.output / file
        library.unlink(missing_ok=True)
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder, file[:-3] + ".mlir")
            source.write_text(text)
            done = subprocess.run([options.lstm_compile, source, "-o", library, f"--target={options.target}", "--prefix=bench",
                                   *flags, *options.flags], capture_output=True, text=True, errors="replace")
        if done.returncode:
            failures[file] = f"exit status {done.returncode}: {runner.shorten(done.stderr)}"
            print(f"{file}: {failures[file]}", file=sys.stderr, flush=True)

    with ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(compile_one, texts))
    if options.target == "cuda":
        shutil.copy(pathlib.Path(options.lstm_compile).resolve().parents[1] / "lib/liblstm_cuda_runtime.so", options.output)
    if "host_cost.so" in texts and "host_cost.so" not in failures:
        source = pathlib.Path(__file__).with_name("host_cost.c")
        libraries = [options.output / name for name in ("host_cost.so", "liblstm_cuda_runtime.so")]
        subprocess.run(["cc", "-std=gnu11", "-O2", "-Wall", "-I", options.output, source, *libraries, "-Wl,-rpath,$ORIGIN",
                        "-o", options.output / "host_cost"], check=True)
    checkpoint = gpu_cases.ROOT / ".cache/checkpoint20.npz"
    if checkpoint.exists():
        shutil.copy(checkpoint, options.output)
    predicted = {} if options.target == "cpu" or options.no_predictions else predict(cases, flags_of, options)
    manifest = options.output / "manifest.json"
    if options.only and manifest.exists():
        # As programs do, those of other cases stay.
        made = {str(case) for case in cases}
        predicted |= {case: parts for case, parts in json.loads(manifest.read_text()).get("predictions", {}).items() if case not in made}
    described = subprocess.run(["git", "-C", gpu_cases.ROOT, "describe", "--always", "--dirty"], capture_output=True, text=True)
    # Where the programs run there may be no repository.
    manifest.write_text(json.dumps({"target": options.target, "revision": described.stdout.strip(), "flags": options.flags,
                                    "failures": failures, "predictions": predicted}))
    size = sum(file.stat().st_size for file in options.output.iterdir())
    print(f"{len(texts) - len(failures)} of {len(texts)} programs in {options.output}, {size / 2**20:.1f} MiB", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
