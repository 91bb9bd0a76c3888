# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the programs of programs.py into a folder, for run.py on a machine without LLVM.

What follows `--` goes to lstm-compile. A program that does not compile is reported, and the others
go on; the exit status is 1 then. manifest.json says what the folder holds.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

import programs
import runner

# Of what is taken to another machine.
LIMIT = 60 << 20


def parse():
    argv = sys.argv[1:]
    split = argv.index("--") if "--" in argv else len(argv)
    parser = argparse.ArgumentParser(prog="gpu-build.sh", description=__doc__.split("\n\n")[0])
    parser.add_argument("--target", default="cuda", choices=["cuda", "cpu"])
    parser.add_argument("--output", type=pathlib.Path, default=programs.ROOT / "gpu", metavar="DIR")
    parser.add_argument("--pack", type=pathlib.Path, metavar="FILE", help="also all in one archive (tar.xz), a seventh of the size, for run.py")
    parser.add_argument("--only", type=re.compile, metavar="REGEX", help="only programs whose name matches")
    parser.add_argument("--property", type=int, default=200, metavar="N", help="number of random programs (200)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--lstm-compile", default=runner.tool("lstm-compile"), metavar="PATH")
    parser.add_argument("--timeout", type=float, default=300, metavar="S", help="seconds a program may take (300)")
    options = parser.parse_args(argv[:split])
    options.flags = argv[split + 1:]
    return options


def compile_one(program, options, folder):
    """Returns the program's entry of the manifest, or what went wrong."""
    library = options.output / program.library
    library.unlink(missing_ok=True)
    try:
        source = pathlib.Path(folder, program.library[:-3] + ".mlir")
        source.write_text(program.text())
        flags = [f"--target={options.target}", *program.flags, *options.flags]
        done = subprocess.run([options.lstm_compile, source, "-o", library, *flags],
                              capture_output=True, text=True, errors="replace", timeout=options.timeout)
    except subprocess.TimeoutExpired:
        return None, f"no end within {options.timeout:g} s"
    if done.returncode or not library.exists():
        return None, f"exit status {done.returncode}: {runner.shorten(done.stderr)}"
    return {"file": program.library, "text": program.digest()}, None


def copy_more(options):
    """What the programs need beside them."""
    if options.target == "cuda":
        runtime = "liblstm_cuda_runtime.so"
        found = pathlib.Path(options.lstm_compile).resolve().parents[1] / "lib" / runtime
        shutil.copy(found, options.output / runtime)
    checkpoint = programs.ROOT / ".cache/checkpoint20.npz"
    if checkpoint.exists():
        shutil.copy(checkpoint, options.output / checkpoint.name)


def main():
    options = parse()
    options.output.mkdir(parents=True, exist_ok=True)
    path = options.output / "manifest.json"
    manifest = json.loads(path.read_text()) if path.exists() else {}
    if manifest.get("target") != options.target or not options.only:
        manifest = {}
    manifest = {"target": options.target, "programs": manifest.get("programs", {}), "failures": manifest.get("failures", {})}
    chosen = [program for program in programs.every(options.property).values()
              if not options.only or options.only.search(program.name)]
    # On the CPU there is one strategy.
    chosen = [program for program in chosen if options.target == "cuda" or not program.flags]
    if not chosen:
        sys.exit("gpu-build: error: no program matches")
    failures, start = {}, time.monotonic()
    with tempfile.TemporaryDirectory(prefix="gpu-build-") as folder, ThreadPoolExecutor(options.jobs) as pool:
        for program, (entry, failure) in zip(chosen, pool.map(lambda p: compile_one(p, options, folder), chosen)):
            if failure:
                failures[program.name] = failure
                manifest["programs"].pop(program.name, None)
                print(f"{program.name}: {failure}", file=sys.stderr, flush=True)
            else:
                manifest["programs"][program.name] = entry
    try:
        copy_more(options)
    except OSError as error:
        failures["run-time"] = str(error)
        print(f"run-time: {error}", file=sys.stderr)
    # Those that failed are failures where the others run, too.
    names = {program.name for program in chosen} | {"run-time"}
    manifest["failures"] = {name: failure for name, failure in manifest["failures"].items() if name not in names} | failures
    path.write_text(json.dumps(manifest, indent=1) + "\n")
    size = sum(file.stat().st_size for file in options.output.rglob("*") if file.is_file())
    print(f"{len(chosen) - len(failures)} of {len(chosen)} programs in {options.output}, {size / 2**20:.1f} MiB, "
          f"{time.monotonic() - start:.0f} s", file=sys.stderr)
    if options.pack:
        with tarfile.open(options.pack, "w:xz") as archive:
            archive.add(options.output, ".")
        size = options.pack.stat().st_size
        print(f"{options.pack}, {size / 2**20:.1f} MiB", file=sys.stderr)
    if size > LIMIT:
        print(f"error: more than {LIMIT >> 20} MiB" + ("" if options.pack else ": --pack makes it less"), file=sys.stderr)
    return 1 if failures or size > LIMIT else 0


if __name__ == "__main__":
    sys.exit(main())
