# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a step was predicted to take beside what it took."""

from gpu_cases import GATES
from rows import layers_of, number, sizes, title

# Where the run did not measure it.
MEMORY_GB_PER_S = 2500
CLOSE = 0.25


def recurrences(row):
    """One layer after the other, the directions of one side by side, for each of which that is predicted. None if unknown."""
    parts, D = row.get("predicted") or [], row["directions"]
    if len(parts) != row["layers"] * D or any(part["us"] is None for part in parts):
        return None
    return sum(max(part["us"] for part in parts[n:n + D]) for n in range(0, len(parts), D))


def projections(row):
    """Products at the rate of a large one; and what they project, written in f32 once."""
    made = 0
    for layer in range(row["layers"]):
        width = row["directions"] * row["H"] if layer else row["I"]
        projected = row["directions"] * row["B"] * GATES[row["cell"]] * row["H"]
        made += 2 * width * projected / (1e6 * row["run"]["peaks"][row["type"]])
        made += 4 * projected / (1e3 * row["run"].get("memory_gb_per_s", MEMORY_GB_PER_S))
    return made


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
             f"{run.get('memory_gb_per_s', MEMORY_GB_PER_S)} GB/s" + (", that of a copy" if "memory_gb_per_s" in run else "") + ".", ""]
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
