# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What this machine can do, measured, and what a case therefore takes at least."""

import os
import pathlib
import re
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
LEVELS = ("L1", "L2", "L3")


def compiler(name="clang"):
    return shutil.which(f"/usr/lib/llvm-22/bin/{name}") or shutil.which("c++" if "+" in name else "cc")


def cpu_name():
    found = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    return found[1] if found else os.uname().machine


def vector_flags():
    flags = pathlib.Path("/proc/cpuinfo").read_text()
    return next((name for flag, name in (("avx512f", "AVX-512"), ("avx2", "AVX2"), ("avx", "AVX"))
                 if re.search(rf"\b{flag}\b", flags)), "SSE")


def cache_sizes(folder="/sys/devices/system/cpu/cpu0/cache"):
    """Bytes of each level that holds data."""
    sizes = {}
    for index in sorted(pathlib.Path(folder).glob("index*")):
        if (index / "type").read_text().strip() != "Instruction":
            size = re.fullmatch(r"(\d+)([KM]?)", (index / "size").read_text().strip())
            level = "L" + (index / "level").read_text().strip()
            sizes[level] = int(size[1]) << {"": 0, "K": 10, "M": 20}[size[2]]
    return sizes


def working_set(level, sizes):
    """Bytes a thread reads to measure a level: well inside it, well outside the one before."""
    if level == "DRAM":
        return min(max(4 * max(sizes.values()), 128 << 20), 1 << 30)
    # The last level is shared with whoever else runs on the chip.
    share = 2 if level in ("L1", "L2") else 8
    inner = sizes.get(f"L{int(level[1]) - 1}", 0)
    return max(sizes[level] // share, min(2 * inner, sizes[level]))


def measure(threads, cpus, folder):
    """GFLOP/s and GB/s of each level with so many threads, all of them together."""
    program = pathlib.Path(folder, "machine")
    if not program.exists():
        subprocess.run([compiler(), "-O3", "-march=native", "-ffp-contract=fast", "-pthread", HERE / "machine.c",
                        "-o", program], check=True)
    sizes = cache_sizes()

    def run(*arguments):
        command = ["taskset", "-c", cpus, program, str(threads), *map(str, arguments)]
        return float(subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout)
    levels = [level for level in LEVELS if level in sizes] + ["DRAM"]
    return {"gflops": run("fma"), "cache_bytes": sizes,
            "gbps": {level: run("read", working_set(level, sizes)) for level in levels}}


def holding_level(size, threads, sizes):
    """The level that holds a matrix of which each thread reads its share."""
    for level in LEVELS:
        # L1 and L2 are a core's own.
        shared = 1 if level == "L3" else threads
        if level in sizes and size <= sizes[level] * shared:
            return level
    return "DRAM"


def limit(case, threads, measured):
    """Microseconds that a step takes at least, and what bounds it: multiply-adds, or reading U."""
    compute = case.flops_per_step() / (measured["gflops"] * 1e3)
    size, count = case.recurrent_bytes()
    level = holding_level(size, threads, measured["cache_bytes"])
    read = size * count / (measured["gbps"][level] * 1e3)
    return max(compute, read), "FMA" if compute >= read else level
