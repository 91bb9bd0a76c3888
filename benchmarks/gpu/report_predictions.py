# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a step was predicted to take beside what it took."""

from gpu_cases import GATES
from rows import layers_of, number, sizes, title

# Where the run did not measure it.
MEMORY_GB_PER_S = 2500
CLOSE = 0.25
# Of a product of first parts; read and written of what is split into parts; and how much longer these products take than
# at the rate of a large one, as measured for K, N from 512, 2048 to 2048, 8192 (docs/Performance.md, "f32").
CHUNK = 512
SPLIT_BYTES = 4 + 6
SPLIT_SLOWER = 1.3
# How often more what is projected is read: for the sums of a mean and a variance.
FOLDS = {"norm": 2}


def recurrences(row):
    """One layer after the other, the directions of one side by side, predicted for each of them or for both. None if unknown."""
    parts, D = row.get("predicted") or [], row["directions"]
    if not parts or any(part["us"] is None for part in parts):
        return None
    if any(part.get("parts", 1) > 1 for part in parts):
        return sum(part["us"] for part in parts)
    return sum(max(part["us"] for part in parts[n:n + D]) for n in range(0, len(parts), D))


def are_split(row, width, columns):
    """Whether lstm-split-products, by its defaults, makes products of bf16 of a projection."""
    return (row["type"] == "f32" and min(width, columns) >= 256 and width % 8 == 0 and columns % 8 == 0
            and row["T"] * row["B"] >= max(1024, 2**30 / (width * columns)))


def projection(row, width, columns, bytes_per_us):
    """Of one layer and direction: a product at the rate of a large one, and what is projected, written in f32 once."""
    B, peaks = row["B"], row["run"]["peaks"]
    if not are_split(row, width, columns):
        return 2 * B * width * columns / (1e6 * peaks[row["type"]]) + 4 * B * columns / bytes_per_us
    # Of each call the longer of its operations and of its results' way; and the way of what is split.
    depths = [3 * width, 2 * width, *(min(CHUNK, width - start) for start in range(0, width, CHUNK))]
    calls = sum(max(2 * B * depth * columns / (1e6 * peaks["bf16"]), (8 if number else 4) * B * columns / bytes_per_us)
                for number, depth in enumerate(depths))
    return SPLIT_SLOWER * calls + SPLIT_BYTES * width * (B + columns / row["T"]) / bytes_per_us


def projections(row):
    bytes_per_us = 1e3 * row["run"].get("memory_gb_per_s", MEMORY_GB_PER_S)
    widths = [row["I"]] + [row["directions"] * row["H"]] * (row["layers"] - 1)
    columns = GATES[row["cell"]] * row["H"]
    folds = FOLDS.get(row["cell"], 0) * 4 * row["B"] * columns / bytes_per_us
    return row["directions"] * sum(projection(row, width, columns, bytes_per_us) + folds for width in widths)


def said(row, key):
    """Of the recurrences, each once."""
    return "; ".join(dict.fromkeys(part[key] for part in row["predicted"] if part[key]))


def section(rows):
    """Lines of the document."""
    chosen = [row for row in layers_of(rows) if row.get("predicted")]
    if not chosen:
        return []
    run = chosen[-1]["run"]
    lines = ["## Predicted and measured", "",
             "Microseconds a step on the device. *Recurrences* is what `lstm-plan-kernels` predicts ([its remark](Passes.md)), summed over "
             "the layers; of two directions the larger, as it predicts what each takes beside the other. *Projections* is an estimate: for "
             "each layer and direction 2·B·I·G·H operations at the rate above, G the gates and I the width of the layer's input, and 4·B·G·H bytes at "
             f"{run.get('memory_gb_per_s', MEMORY_GB_PER_S)} GB/s" + (", that of a copy" if "memory_gb_per_s" in run else "")
             + ". f32 that is multiplied as bf16 ([lstm-split-products](Passes.md)): the six products at the rate of bf16, but of each call no less than "
             f"its results take to be read and written, {SPLIT_SLOWER} times that, and 10 bytes for each element that is split."
             + " Layer norms read what is projected twice more." * any(row["cell"] in FOLDS for row in chosen), ""]
    heads = ["", "B, T, I, H", "plan", "most of it", "recurrences", "projections", "sum", "measured", "sum / measured"]
    table = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    errors = []
    for row in chosen:
        steps, measured = recurrences(row), row["ours_us_per_step"]
        whole = None if steps is None else steps + projections(row)
        ratio = whole / measured if whole and measured else None
        if ratio:
            errors.append(ratio - 1)
        cells = [title(row), sizes(row), said(row, "plan"), said(row, "bound") or "–"]
        cells += [number(value) if value else "–" for value in (steps, projections(row), whole, measured)]
        cells.append(f"{ratio:.2f}" if ratio else "–")
        table.append("| " + " | ".join(cells) + " |")
    if errors:
        root = (sum(error**2 for error in errors) / len(errors))**0.5
        lines += [f"{sum(abs(error) <= CLOSE for error in errors)} of {len(errors)} within {100 * CLOSE:.0f} % of what was measured, "
                  f"root mean square of the relative error {100 * root:.0f} %."
                  + f" {len(chosen) - len(errors)} more have no prediction for their number of rows, or no time." * (len(chosen) > len(errors)), ""]
    return [*lines, *table, ""]
