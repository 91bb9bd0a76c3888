# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks benchmarks/cpu: check_cpu.py programs|limits|machine|rows"""

import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks/cpu"))
import bench  # noqa: E402
import cases  # noqa: E402
import expected  # noqa: E402
import machine  # noqa: E402
import participants  # noqa: E402
import report  # noqa: E402
import runner  # noqa: E402

# Of normalized values of about one; the others stay near one unit in the last place.
TOLERANCE = {"layer_norm_lstm": 5e-5}


def close_to(got, want):
    assert abs(got - want) <= 1e-9 * abs(want), f"got {got}, expected {want}"


def programs():
    """Every cell's program and NumPy's loop against float64, all sizes different."""
    with tempfile.TemporaryDirectory() as folder:
        inputs = str(pathlib.Path(folder, "inputs.npz"))
        numpy = participants.Opponent("numpy", 1, "0-1023", sys.executable, folder, {})
        ours = [participants.Ours(runner.tool("lstm-run"), 1, "0-1023", folder, static) for static in (False, True)]
        for cell in cases.CELLS:
            case = cases.Case(cell, B=3, T=5, I=11, H=7)
            arrays = cases.inputs(case)
            assert all(array.all() for array in arrays.values()), "an input is zero"
            np.savez(inputs, **arrays)
            want = expected.outputs(case, arrays)
            assert want.shape == (5, 3, 7 * case.definition.directions), want.shape
            for who in (*ours, numpy):
                ys = who.prepare(case, inputs)
                error = expected.error(ys, want)
                assert ys.shape == want.shape and error <= TOLERANCE.get(cell, 2e-6), f"{case}: {type(who)} errs by {error}"
                assert cell != "lstm" or min(who.measure(0.001)) > 0
            # A part of the steps has the same values; of both directions all are needed.
            some = expected.outputs(case, arrays, seconds=0)
            assert len(some) == (5 if cell == "bidirectional" else 1) and np.array_equal(some, want[:len(some)])
        # A failure is an answer, and the process serves on.
        pathlib.Path(folder, "empty.npz").write_bytes(b"")
        for arguments in ((case, str(pathlib.Path(folder, "empty.npz"))), (case, "/nonexistent.npz")):
            try:
                numpy.prepare(*arguments)
                raise AssertionError("no failure")
            except participants.Failure as failure:
                assert "Error" in str(failure), failure
        assert numpy.prepare(case, inputs).shape == want.shape
        numpy.close()


def limits():
    """Worked out by hand."""
    lstm = cases.Case("lstm", 2, 10, 3, 5)
    close_to(lstm.flops_per_step(), 2 * (2 * 4 * 5 * (3 + 5) + 2 * 5 * 79))
    both = cases.Case("bidirectional", 2, 10, 3, 5)
    close_to(both.flops_per_step(), 2 * 2 * (2 * 4 * 5 * ((3 + 5) + (10 + 5)) + 2 * 2 * 5 * 79))
    assert both.recurrent_bytes() == (4 * 4 * 5 * 5, 4)
    assert cases.Case("gru", 2, 10, 3, 5).recurrent_bytes() == (4 * 3 * 5 * 5, 1)

    caches = {"L1": 1000, "L2": 4000, "L3": 10000}
    for size, threads, level in [(1000, 1, "L1"), (1001, 1, "L2"), (2000, 2, "L1"), (8000, 2, "L2"),
                                 (9000, 2, "L3"), (10001, 2, "DRAM")]:
        assert machine.holding_level(size, threads, caches) == level, (size, threads)
    peaks = {"gflops": 10.0, "gbps": {"L1": 100.0, "L2": 1.0, "L3": 0.1, "DRAM": 0.01}, "cache_bytes": caches}
    # 400 bytes from L1 take 0.004 us, 1900 multiply-adds 0.222.
    value, bound = machine.limit(lstm, 1, peaks)
    close_to(value, lstm.flops_per_step() / 1e4)
    assert bound == "FMA"
    one_row = cases.Case("lstm", 1, 10, 3, 15)
    value, bound = machine.limit(one_row, 1, peaks)
    close_to(value, 4 * 4 * 15 * 15 / 1e3)
    assert bound == "L2"

    sizes = {"L1": 32 << 10, "L2": 1 << 20, "L3": 32 << 20}
    sets = [machine.working_set(level, sizes) for level in (*sizes, "DRAM")]
    assert sets == [16 << 10, 512 << 10, 4 << 20, 128 << 20], sets


def machine_program():
    with tempfile.TemporaryDirectory() as folder:
        program = str(pathlib.Path(folder, "machine"))
        subprocess.run([machine.compiler(), "-O3", "-march=native", "-ffp-contract=fast", "-Wall", "-Werror", "-pthread",
                        ROOT / "benchmarks/cpu/machine.c", "-o", program], check=True)
        for arguments in (["1", "fma"], ["2", "read", "16384"]):
            made = subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout
            assert float(made) > 0.1, made
        for arguments in ([], ["0", "fma"], ["1", "read"], ["1", "write", "4"]):
            assert subprocess.run([program, *arguments], capture_output=True).returncode == 1, arguments


def rows():
    """A whole run, with an opponent that is not there."""
    assert len({str(case) for case in cases.grid()}) == len(cases.grid()) == 31
    with tempfile.TemporaryDirectory() as folder:
        target = pathlib.Path(folder, "rows", "cpu.json")
        bench.main(["--quick", "--only", "mgu", "--threads", "1", "--opponents", "numpy,onnxruntime", "--static",
                    "--json", str(target), "--python", sys.executable, "--lstm-run", runner.tool("lstm-run")])
        made = json.loads(target.read_text())
        assert isinstance(made, list) and len(made) == 1, made
        row = made[0]
        for name, kind in {"cell": str, "B": int, "T": int, "I": int, "H": int, "threads": int, "ours_us_per_step": float,
                           "ours_error": float, "opponents": dict, "limit_us_per_step": float}.items():
            assert isinstance(row[name], kind), (name, row[name])
        assert (row["cell"], row["B"], row["T"], row["I"], row["H"], row["threads"]) == ("mgu", 4, 20, 128, 128, 1)
        timed, missing = row["opponents"]["numpy"], row["opponents"]["onnxruntime"]
        assert timed["us_per_step"] > 0 and 0 < timed["error"] < 1e-5, timed
        assert missing["us_per_step"] is None and "onnxruntime" in missing["failure"], missing
        assert row["ours_static"]["us_per_step"] > 0 and row["run"]["versions"] == {"numpy": np.__version__}

        text = (target.parent / "bench-cpu.md").read_text()
        assert "## minimal gated unit" in text and "failed" in text and "## Failures" in text, text
        close_to(report.ratio({**row, "ours_us_per_step": 2.0}), timed["us_per_step"] / 2)
        assert report.ratio({**row, "ours_us_per_step": None}) is None
        # Of ours, too, a failure is reported, and the run goes on.
        try:
            bench.main(["--quick", "--only", "mgu|peephole", "--threads", "1", "--opponents", "numpy", "--json", str(target),
                        "--python", sys.executable, "--lstm-run", "false"])
            raise AssertionError("no failure")
        except SystemExit as stopped:
            assert stopped.code == 1
        made = json.loads(target.read_text())
        assert [row["ours_us_per_step"] for row in made] == [None, None] and "ours_failure" in made[0], made
        assert made[1]["opponents"]["numpy"]["us_per_step"] > 0


if __name__ == "__main__":
    {"programs": programs, "limits": limits, "machine": machine_program, "rows": rows}[sys.argv[1]]()
