# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows as a picture: picture.py JSON PNG. What part of the machine's limit each reaches."""

import json
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

STYLES = {"ours": ("D", "#c1272d"), "onednn": ("o", "#0b6fb8"), "onnxruntime": ("s", "#5b8c2a"),
          "torch": ("^", "#e08214"), "torch.compile": ("v", "#8c510a"), "numpy": ("x", "#777777")}


def draw(rows, target):
    threads = list(dict.fromkeys(row["threads"] for row in rows))
    cases = list(dict.fromkeys((row["cell"], row["B"], row["T"], row["H"]) for row in rows))
    figure, panels = plt.subplots(len(threads), 1, sharex=True, squeeze=False,
                                  figsize=(max(9, 1.5 + 0.38 * len(cases)), 3.2 * len(threads) + 1.6))
    for panel, count in zip(panels[:, 0], threads):
        for name, (marker, color) in STYLES.items():
            points = []
            for row in rows:
                times = {"ours": row["ours_us_per_step"],
                         **{other: made["us_per_step"] for other, made in row["opponents"].items()}}
                if row["threads"] == count and times.get(name):
                    place = cases.index((row["cell"], row["B"], row["T"], row["H"]))
                    points.append((place, 100 * row["limit_us_per_step"] / times[name]))
            if points:
                panel.plot(*zip(*points), marker, color=color, label=name, markersize=6 if name == "ours" else 5,
                           zorder=3 if name == "ours" else 2)
        panel.set_title(f"{count} thread{'s' * (count > 1)}", loc="left", fontsize=10)
        panel.set_ylabel("% of the limit")
        panel.set_ylim(bottom=0)
        panel.axhline(100, color="black", linewidth=0.8)
        panel.grid(axis="y", alpha=0.3)
        panel.grid(axis="x", alpha=0.15)
    names = [f"{cell} {B},{T},{H}" for cell, B, T, H in cases]
    panels[-1, 0].set_xticks(range(len(cases)), names, rotation=90, fontsize=8)
    panels[0, 0].legend(ncols=len(STYLES), fontsize=8, loc="lower right", bbox_to_anchor=(1, 1))
    run = rows[-1]["run"]
    figure.suptitle(f"Recurrent layers (B,T,I=H), f32: {run['cpu']}, {run['date']}; higher is faster",
                    fontsize=10, x=0.01, ha="left")
    figure.tight_layout()
    figure.savefig(target, dpi=110)


if __name__ == "__main__":
    with open(sys.argv[1]) as file:
        draw(json.load(file), sys.argv[2])
