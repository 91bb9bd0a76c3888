# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks what of benchmarks/gpu needs no GPU: check_gpu.py programs|predictions|rows FOLDER"""

import importlib.util
import itertools
import pathlib
import subprocess
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "benchmarks/gpu"))
import gpu_cases  # noqa: E402
import predictions as predicted  # noqa: E402
import report  # noqa: E402
import report_predictions  # noqa: E402
import rows as benchmark_rows  # noqa: E402
import runner  # noqa: E402
from gpu_cases import Case  # noqa: E402

folder = pathlib.Path(sys.argv[2])


def programs():
    """Numbers of each kind of program, compiled for the CPU, all sizes different."""
    import lstm_mlir
    kinds = [("lstm", "f32"), ("lstm", "bf16"), ("gru", "bf16"), ("peephole", "f32"),
             ("lstm", "f16", 2, 2), ("lstm", "tf32", 4, 1)]
    kinds += [(cell, *more) for cell in ("own", "norm") for more in (("f32",), ("bf16",), ("f32", 2, 2))]
    kinds += [(cell, "f32", 1, 1, True) for cell in ("lstm", "gru", "own")]
    for cell, kind, *stack in kinds:
        case = Case(cell, kind, 3, 5, 11, 7, *stack)
        source = folder / "program.mlir"
        source.write_text(gpu_cases.program(case))
        subprocess.run([runner.tool("lstm-compile"), source, "-o", folder / case.file], check=True)
        lengths = [5, 0, 3] if case.ragged else None
        arrays = gpu_cases.inputs(case, lengths=lengths)
        assert all(array.all() for name, array in arrays.items() if not name.startswith("len")), "an input is zero"
        program = lstm_mlir.load(folder / case.file)
        results = program.main(*(runner.encode(arrays[port.name], port.dtype) for port in program.main.arguments))
        exact = {name: array.astype(np.float64) for name, array in arrays.items()}
        want = gpu_cases.reference(case, exact)
        assert want.shape == (5, 3, 7 * case.directions)
        error = np.abs(runner.decode(results[0], case.element) - want).max()
        # Norms divide by what is below 1: NumPy's own error in f32 is 28 units for two layers of them.
        assert error < (64 if case.cell == "norm" else 4) * runner.EPSILON[case.element], f"{case}: {error}"
        # The reference is not blind to anything that it is given.
        for changed_name in arrays:
            changed = {name: array.copy() for name, array in exact.items()}
            # Not all units alike, which norms would not see; of lengths the last one.
            changed[changed_name][..., -1] += 1 if changed_name.startswith("len") else 0.5
            change = np.abs(gpu_cases.reference(case, changed) - want).max()
            assert change > 1e-4, f"{case}, {changed_name}: {change}"


def predictions():
    """What remarks say, and that lstm-opt makes such."""
    inf, exchanging = float("inf"), "exchanging what is projected"
    groups, clusters = "one kernel, groups of 32 blocks, tiles of 16 rows, 8 + 4 warps", "one kernel, clusters of 8 blocks, tiles of 8 rows, 2 x 4 warps"
    text = f"up to 64 rows: {groups}, 3.3 us a step, most of it {exchanging}; more than 64 rows: libraries, 11.7 us a step, most of it products"
    assert predicted.parse_remark(text) == [predicted.Part(64, groups, 3.3, exchanging, 64), predicted.Part(inf, "libraries", 11.7, "products", inf)]
    assert predicted.parse_remark(f"{clusters}, 1.0 us a step, most of it {exchanging}", 16) == [predicted.Part(inf, clusters, 1, exchanging, 16)]
    assert predicted.parse_remark(f"{clusters}, 1.25 us a step with 32 rows, most of it products", 8) == [predicted.Part(inf, clusters, 1.25, "products", 32)]
    for other in ("libraries: 'memref.copy' stands in the step", f"{groups}, chosen by measuring: 12.5 us a call with 16 rows"):
        assert predicted.parse_remark(other, 16) == [predicted.Part(inf, other, None, None, 16)]
    assert predicted.kernel_plan(groups) == "kernel-plan=32,2,8,4" and predicted.kernel_plan(clusters) == "kernel-plan=8,1,2,4,1"
    for plan, option in (("clusters of 16 blocks, 2 tiles of 8 rows, 2 x 4 warps", "16,2,2,4,1"), ("groups of 96 blocks, tiles of 32 rows, 2 x 4 + 8 warps", "96,4,2,8,2"),
                         ("groups of 128 blocks, tiles of single rows, 11 + 1 warps", "128,1,11,1,0,1"),
                         ("groups of 16 blocks, tiles of 2 single rows, 7 + 1 warps", "16,2,7,1,0,1"),
                         ("clusters of 3 blocks, 4 tiles of single rows, 1 x 2 warps", "3,4,1,2,1,1")):
        assert predicted.kernel_plan("one kernel, " + plan) == "kernel-plan=" + option, plan
    step = "a kernel a step, groups of 500 blocks, tiles of 16 rows, 4 + 2 warps"
    assert predicted.kernel_plan(step) == "kernel-plan=500,2,4,2,3"
    assert predicted.kernel_plan("a kernel a step, groups of 5 blocks, tiles of single rows, 7 + 1 warps") == "kernel-plan=5,1,7,1,3,1"
    assert predicted.parse_remark(f"up to 64 rows: {step}, 3.3 us a step, most of it launches; more than 64 rows: libraries, 11.7 us a step, most of it products")[0] \
        == predicted.Part(64, step, 3.3, "launches", 64)
    assert predicted.kernel_plan("libraries") is None
    assert predicted.count_parts(groups) == 1 and predicted.count_parts(groups + " for each of 3 parts") == 3
    asked = predicted.Predictor(runner.tool("lstm-opt"), [])
    one, eight, many = (asked.predict(Case("lstm", "bf16", B, 128, 256, 256), []) for B in (1, 8, 1024))
    assert len(one) == 1 and one == eight and one[0]["us"] > 0 and one[0]["plan"].startswith("one kernel, "), one
    assert many[0]["plan"] != one[0]["plan"], many
    (large,) = asked.predict(Case("lstm", "f32", 64, 128, 4096, 4096), [])
    assert large["plan"] == "libraries" and large["bound"] == "products" and large["us"] > 10, large
    # A kernel for both directions of a layer; one for all layers, if it does one a step behind the other.
    assert [part["parts"] for part in asked.predict(Case("lstm", "bf16", 64, 128, 256, 256, 2, 2), [])] == [2, 2]
    assert [part["parts"] for part in asked.predict(Case("lstm", "bf16", 8, 128, 256, 256, 3), [])] == [3]
    assert len(asked.predict(Case("lstm", "bf16", 8, 128, 1024, 1024, 2), [])) == 2
    assert len(asked.predict(Case("gru", "tf32", 64, 128, 256, 256), ["--allow-tf32"])) == 1
    # One kernel, whatever the cell; of 20 rows the program is asked again.
    for case in (Case(cell, kind, 20, 128, 256, 256) for cell in ("own", "norm") for kind in ("bf16", "f32")):
        (part,) = asked.predict(case, [])
        assert part["plan"].startswith("one kernel, ") and part["us"] > 0, f"{case}: {part}"
    # What plans no kernels says nothing.
    assert predicted.Predictor(runner.tool("lstm-opt"), ["--strategy=library"]).predict(Case("lstm", "bf16", 8, 128, 256, 256), []) == []


def rows():
    """The table of two rows, of which one failed."""
    programs_of = {case.file: case for case in gpu_cases.grid()}
    assert all((case.cell, case.type, case.H) == (programs_of[case.file].cell, programs_of[case.file].type, programs_of[case.file].H)
               for case in gpu_cases.grid()), "two programs share a file"
    assert len({str(case) for case in gpu_cases.grid()}) == len(gpu_cases.grid())
    # Whose mean is compared over time.
    assert sum(case.cell not in benchmark_rows.APART for case in gpu_cases.grid()) == 62
    assert {case.cell for case in gpu_cases.grid()} == set(benchmark_rows.TITLES)
    steps = gpu_cases.steps_cases()
    assert {case.H for case in steps} > set(gpu_cases.STEPS_XLA_H) and len(set(steps)) == len(steps)
    files = [case.file for case in steps]
    assert len(list(itertools.groupby(files))) == len(set(files)), "those of an H are apart"
    run = {"date": "2026-01-01", "gpu": "H", "revision": "r", "command": "c", "versions": {}, "peaks": {"bf16": 700.0}}
    size = {"cell": "lstm", "type": "bf16", "B": 1, "T": 128, "I": 256, "H": 256, "layers": 1, "directions": 1, "run": run}
    entry = {"called_us_per_step": 12.0, "graph_us_per_step": 6.0, "us_per_step": 6.0, "error": 1e-3}
    good = {**size, "ours_us_per_step": 2.0, "ours_error": 1e-3, "called_us_per_step": 3.0, "graph_us_per_step": 2.0,
            "replay_us_per_step": 2.5, "host_us_per_call": 11.0, "workspace_bytes": 3000000, "bound_host_us_per_call": 5.0, "limit_us_per_step": 0.1,
            "opponents": {"cudnn": entry, "cudnn-f16": {**entry, "us_per_step": 0.5, "called_us_per_step": 0.5}}}
    bad = {**good, "B": 64, "ours_us_per_step": None, "ours_error": None, "called_us_per_step": None, "failure": "Failure: no kernel"}
    assert report.ratio(good, "us_per_step") == 3 and report.ratio(good, "called_us_per_step") == 4
    assert report.ratio(bad, "us_per_step") is None
    baselines = [{"cell": "naive", "case": "n", "called_us_per_step": 60.0, "default_called_us_per_step": 4.0, "run": run},
                 {"cell": "host cost", "case": "h", "us_per_call": 4.5, "run": run},
                 {"cell": "new pointers", "cases": [{"case": "p", **{name: {"called_us_per_step": us, "host_us_per_call": 40.0, "error": 1e-3}
                                                     for name, us in (("ours", 3.0), ("cudnn", 12.0))}}], "run": run},
                 {"cell": "ragged", "cases": [{"case": "r", "lengths": "l", "ours": {"graph_us_per_call": 10.0, "called_us_per_call": 12.0, "error": 1e-3},
                                               "mixed": {"graph_us_per_call": 11.0, "called_us_per_call": 13.0, "error": 1e-3},
                                               # Not captured.
                                               "cudnn": {"called_us_per_call": 25.0, "error": 2e-3}}], "run": run}]
    assert [str(case) for case in gpu_cases.small_cases(quick=True)] == ["lstm bf16 1,128,256,256", "lstm bf16 64,128,512,512"]
    others = [*baselines, {"cell": "g2p", "words_per_s": 5, "words_wrong": 0, "words_compared": 7, "run": run}]
    report.write([good, bad, *others], folder, ["left out"])
    text = (folder / "bench-gpu.md").read_text()
    assert "over H" not in text and "Predicted" not in text and not (folder / "bench-gpu-steps.png").exists()
    for wanted in ("| 1, 128, 256, 256 | 2 / 3 (1e-03) | 2.5 | 11 | 6 / 12 (1e-03) |", "* ours: `Failure: no kernel` (LSTM, bf16, 64, 128",
                   "* left out", "g2p: 5 words/s", "60 us a step, 15.0 times the default's", "the host 4.5 us from C", "| p | 3 / 40 (1e-03) | 12 / 40 (1e-03) | 4.00 |", "| r | l | 10 / 12 (1e-03) | 11 / 13 (1e-03) | – / 25 (2e-03) | 2.50 |", "| 0.1 | 3 |", "| all | 2 | 3.00 | 1 of 1 | 4.00 | 1 of 1 |"):
        assert wanted in text, f"{wanted}\n{text}"
    assert "no kernel" in report.line(bad)

    # Cells that came later count in lines of their own; beside LSTM stands what has a time.
    later = [{**good, "cell": cell, "ours_us_per_step": us} for cell, us in (("own", 2.1), ("norm", 5.0), ("gru", 1.5))]
    report.write([good, bad, *later, {**later[0], "type": "f32"}, *others], folder)
    made = (folder / "bench-gpu.md").read_text()
    for wanted in ("*all* is without “cell of our own” and “layer-norm LSTM”, ", "| cell of our own, bf16 | 1 | 2.86 |",
                   "| layer-norm LSTM, bf16 | 1 | 1.20 |", "| GRU, bf16 | 1 | 4.00 |", "| all | 3 | 3.46 | 2 of 2 |",
                   "| LSTM | peephole LSTM | cell of our own | peephole LSTM / LSTM | cell of our own / LSTM | "
                   "layer-norm LSTM / LSTM | GRU / LSTM |",
                   "|\n| bf16 | 1, 128, 256, 256 | 2 | – | 2.1 | – | 1.05 | 2.50 | 0.75 |\n\n"):
        assert wanted in made, f"{wanted}\n{made}"
    assert "Cells with the same products" in made and "Cells with the same products" not in text

    # Over H: what has no time is left out, and so is who has none at all.
    over_h = [{**good, "group": "steps", "H": H, "B": B, "opponents": {"cudnn": entry, **({"xla": {"failure": "Failure: none", "us_per_step": None}} if failed else {})}}
              for B in (1, 64) for H, failed in ((256, False), (1024, True))]
    report.write([good, *over_h, *others], folder)
    text = (folder / "bench-gpu.md").read_text()
    for wanted in ("| H | B = 1, ours | B = 1, cuDNN | B = 64, ours | B = 64, cuDNN |", "| 1024 | 2 | 6 | 2 | 6 |", "ours, cuDNN; as above", "| all | 1 | 3.00 | 1 of 1 |",
                   "* xla: `Failure: none` (LSTM, bf16, 1, 128, 256, 1024 and 1 more)"):
        assert wanted in text, f"{wanted}\n{text}"
    over_h[1]["opponents"]["xla"] = {"us_per_step": 9.5}
    report.write([good, *over_h, *others], folder)
    text = (folder / "bench-gpu.md").read_text()
    assert "| 1024 | 2 | 6 | 9.5 | 2 | 6 | – |" in text, text
    has_pictures = importlib.util.find_spec("matplotlib") is not None
    assert has_pictures == ("(bench-gpu-steps.png)" in text) == (folder / "bench-gpu-steps.png").exists()

    # Predictions: 2·1·256·4·256 operations at 700 TFLOP/s and 4·1·4·256 bytes at 2000 GB/s are 0.0028 us.
    run["memory_gb_per_s"] = 2000
    part = {"plan": "one kernel, P", "us": 1.9, "bound": "products"}
    close, off = {**good, "predicted": [part]}, {**good, "predicted": [{**part, "us": 3.0}]}
    unknown = {**good, "predicted": [{"plan": "one kernel, Q", "us": None, "bound": None}]}
    # Two layers of two directions: 1.9 + 2 and four projections, of which two are twice as wide.
    deep = {**good, "layers": 2, "directions": 2, "predicted": [part, {**part, "us": 1.0}, {**part, "us": 1.5}, {**part, "us": 2.0}], "ours_us_per_step": 3.0}
    # By six products of bf16: 6·2·64·1024·4096 operations at 700 TFLOP/s, of which sixths would be faster than 8·64·4096 bytes, 1.3 times, and
    # 10·1024·(64 + 4096 / 128) bytes; with too few rows one product of f32 and 4·4096 bytes.
    run["peaks"]["f32"] = 50.0
    split = {**good, "type": "f32", "B": 64, "I": 1024, "H": 1024, "predicted": [part], "ours_us_per_step": 7.0}
    assert abs(report_predictions.projections(split) - (1.3 * (5 * 2 * 64 * 1024 * 4096 / 700e6 + 2 * 8 * 64 * 4096 / 2e6) + 10 * 1024 * 96 / 2e6)) < 1e-6
    normed, plain = (report_predictions.projections({**split, "cell": cell}) for cell in ("norm", "lstm"))
    assert abs(normed - plain - 2 * 4 * 64 * 4096 / 2e6) < 1e-6
    assert abs(report_predictions.projections({**split, "B": 7}) - (2 * 7 * 1024 * 4096 / 50e6 + 4 * 7 * 4096 / 2e6)) < 1e-6
    report.write([close, off, unknown, deep, {**bad, "predicted": [part]}, good, *others], folder)
    text = (folder / "bench-gpu.md").read_text()
    for wanted in ("| LSTM, bf16 | 1, 128, 256, 256 | one kernel, P | products | 1.9 | 0.0028 | 1.9 | 2 | 0.95 |", "| 3 | 0.0028 | 3 | 2 | 1.50 |",
                   "| one kernel, Q | – | – | 0.0028 | – | 2 | – |", "| one kernel, P | products | 3.9 | 0.0127 | 3.91 | 3 | 1.30 |", "4·B·G·H bytes at 2000 GB/s, that of a copy",
                   "1 of 3 within 25 % of what was measured, root mean square of the relative error 34 %. 2 more have"):
        assert wanted in text, f"{wanted}\n{text}"


{"programs": programs, "predictions": predictions, "rows": rows}[sys.argv[1]]()
