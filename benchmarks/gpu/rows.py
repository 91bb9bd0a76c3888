# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What rows of the GPU benchmark are and are called."""

import importlib.util
import pathlib

_spec = importlib.util.spec_from_file_location("cpu_report", pathlib.Path(__file__).resolve().parents[1] / "cpu/report.py")
cpu_report = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(cpu_report)
number, geometric_mean = cpu_report.number, cpu_report.geometric_mean

TITLES = {"lstm": "LSTM", "gru": "GRU", "peephole": "peephole LSTM", "own": "cell of our own",
          "norm": "layer-norm LSTM"}
# They are in no mean of all rows, which is compared with that of runs before there were such rows.
APART = ("own", "norm")


def layers_of(rows):
    """Those that are compared."""
    return [row for row in rows if row["cell"] in TITLES and "group" not in row]


def steps_of(rows):
    """Those over H."""
    return [row for row in rows if row.get("group") == "steps"]


def is_textbook(row):
    return row["layers"] == 1 and row["directions"] == 1


def title(row):
    more = f", {row['layers']} layers" * (row["layers"] > 1) + ", both directions" * (row["directions"] > 1)
    return f"{TITLES[row['cell']]}{more}, {row['type']}"


def sizes(row):
    return f"{row['B']}, {row['T']}, {row['I']}, {row['H']}"
