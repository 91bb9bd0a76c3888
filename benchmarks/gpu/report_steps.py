# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Microseconds a step over H, as a table and as a picture."""

from rows import number, steps_of

NAMES = {"ours": ("ours", "#c1272d", "D"), "cudnn": ("cuDNN", "#0b6fb8", "o"), "xla": ("XLA", "#4d8b31", "s")}


def points(rows):
    """Microseconds by B, who, and H; who has none is left out."""
    made = {}
    for row in steps_of(rows):
        times = {"ours": row["ours_us_per_step"], **{name: entry.get("us_per_step") for name, entry in row["opponents"].items()}}
        for name in NAMES:
            if times.get(name):
                made.setdefault(row["B"], {}).setdefault(name, {})[row["H"]] = times[name]
    return made


def section(rows, picture=None):
    """Lines of the document."""
    known = points(rows)
    if not known:
        return []
    first = steps_of(rows)[0]
    names = [name for name in NAMES if any(name in by_name for by_name in known.values())]
    lines = ["## Steps over H", "", f"LSTM, {first['type']}, T = {first['T']}, I = H, microseconds a step: "
             + ", ".join(NAMES[name][0] for name in names) + "; as above device time of a replayed graph, XLA as called.", ""]
    if picture:
        lines += [f"![Microseconds a step over H]({picture})", ""]
    heads = ["H", *(f"B = {B}, {NAMES[name][0]}" for B in known for name in names)]
    lines += ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    for H in sorted({H for by_name in known.values() for values in by_name.values() for H in values}):
        values = [known[B].get(name, {}).get(H) for B in known for name in names]
        lines.append(f"| {H} | " + " | ".join(number(value) if value else "–" for value in values) + " |")
    return [*lines, ""]


def draw(rows, target):
    """Returns whether there was something to draw."""
    known = points(rows)
    if not known:
        return False
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    figure, panels = plt.subplots(1, len(known), figsize=(1 + 3.8 * len(known), 4.2), sharey=True, squeeze=False)
    for panel, (B, by_name) in zip(panels[0], known.items(), strict=True):
        for name, values in by_name.items():
            label, color, marker = NAMES[name]
            panel.plot(*zip(*sorted(values.items()), strict=True), marker=marker, color=color, label=label, markersize=5)
        ticks = sorted({H for values in by_name.values() for H in values})
        panel.set_xscale("log", base=2)
        panel.set_yscale("log")
        panel.set_xticks(ticks, [str(H) for H in ticks], rotation=60, fontsize=8)
        panel.minorticks_off()
        panel.yaxis.set_major_locator(matplotlib.ticker.LogLocator(subs=(1, 2, 5)))
        panel.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
        panel.grid(alpha=0.25)
        panel.set_title(f"B = {B}", fontsize=10)
        panel.set_xlabel("H = I")
        panel.legend(fontsize=8)
    panels[0][0].set_ylabel("µs a step")
    first = steps_of(rows)[0]
    figure.suptitle(f"LSTM, {first['type']}, T = {first['T']}: {first['run']['gpu']}, {first['run']['date']}; lower is faster",
                    fontsize=10, x=0.01, ha="left")
    figure.tight_layout()
    figure.savefig(target, dpi=110)
    return True
