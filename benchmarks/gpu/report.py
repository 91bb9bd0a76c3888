# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of the GPU benchmark as text and as pictures: report.py JSON DIR writes all."""

import json
import pathlib
import sys

import report_cells
import report_predictions
import report_steps
from rows import APART, TITLES, geometric_mean, is_textbook, layers_of, number, sizes, steps_of, title

OPPONENTS = ["cudnn", "cudnn-f16", "eager", "compile", "xla"]

# What an opponent in another type is shown for, not compared with.
OTHER_TYPE = "cudnn-f16"


def ragged_line(entry):
    def cell(side):
        graph, called = entry[side].get("graph_us_per_call"), entry[side]["called_us_per_call"]
        return f"{number(graph) if graph else '–'} / {number(called)} ({entry[side]['error']:.0e})"
    device = {side: entry[side].get("graph_us_per_call", entry[side]["called_us_per_call"]) for side in ("ours", "cudnn")}
    return (f"| {entry['case']} | {entry['lengths']} | {cell('ours')} | {cell('mixed')} | {cell('cudnn')} | "
            f"{device['cudnn'] / device['ours']:.2f} |")


def baseline(row):
    """What is said of measurements at few sizes; empty for other rows."""
    if row["cell"] == "naive":
        return (f"strategy=naive, called, {row['case']}: {number(row['called_us_per_step'])} us a step, "
                f"{row['called_us_per_step'] / row['default_called_us_per_step']:.1f} times the default's.")
    if row["cell"] == "host cost":
        return f"A call with unchanged shapes costs the host {number(row['us_per_call'])} us from C, {row['case']}."
    if row["cell"] == "new pointers":
        lines = ["| new pointers every call, µs a step as called / host, µs a call | ours | torch.nn | theirs / ours |", "|---|---|---|---|"]
        for entry in row["cases"]:
            cells = [f"{number(entry[name]['called_us_per_step'])} / {number(entry[name]['host_us_per_call'])} ({entry[name]['error']:.0e})"
                     for name in ("ours", "cudnn")]
            ratio = entry["cudnn"]["called_us_per_step"] / entry["ours"]["called_us_per_step"]
            lines.append(f"| {entry['case']} | {' | '.join(cells)} | {ratio:.2f} |")
        return "\n".join(lines)
    if row["cell"] == "ragged":
        return "\n".join(["| ragged batches, µs a call on the device / as called | lengths | ours | ours, rows in any order | torch.nn, packed | theirs / ours |",
                          "|---|---|---|---|---|---|", *map(ragged_line, row["cases"])])
    return ""


def ratio(row, key):
    """How many times as fast as the best opponent we are: "us_per_step", which the device needs, or "called_us_per_step"."""
    ours = row["ours_us_per_step"] if key == "us_per_step" else row[key]
    times = [entry[key] for name, entry in row["opponents"].items() if name != OTHER_TYPE and entry.get(key)]
    return min(times) / ours if times and ours else None


def ours(row):
    return {**row, "us_per_step": row["ours_us_per_step"], "error": row["ours_error"]}


def times(entry):
    """On the device, as called, and the error."""
    if entry.get("us_per_step") is None:
        return "failed"
    graph = entry.get("graph_us_per_step") or entry.get("replay_us_per_step")
    return f"{number(graph) if graph else '–'} / {number(entry['called_us_per_step'])} ({entry['error']:.0e})"


def line(row):
    """For the terminal."""
    parts = [f"{title(row)}, {sizes(row)}: ours", times(ours(row))]
    if row.get("replay_us_per_step"):
        parts.append(f"own graph {number(row['replay_us_per_step'])}, host {row['host_us_per_call']:.0f} us, "
                     f"bound {row['bound_host_us_per_call']:.0f}")
    for name, entry in row["opponents"].items():
        parts += ["|", name, times(entry)]
    for key, label in (("us_per_step", "device"), ("called_us_per_step", "called")):
        if ratio(row, key):
            parts.append(f"| {label} {ratio(row, key):.2f}x")
    for name, entry in {"ours": row, **row["opponents"]}.items():
        parts += [f"| {name}: {entry[key][:150]}" for key in ("failure", "graph_failure") if entry.get(key)]
    return " ".join(parts)


def groups(rows):
    found = {}
    for row in layers_of(rows):
        found.setdefault(title(row), []).append(row)
    return found


def summary(rows):
    """A table of geometric means."""
    lines = ["| | rows | device time, best opponent's / ours | rows ahead | called | rows ahead |", "|---|---|---|---|---|---|"]
    compared = [row for row in layers_of(rows) if row["cell"] not in APART]
    for name, chosen in [*groups(rows).items(), ("all", compared)]:
        cells = []
        for key in ("us_per_step", "called_us_per_step"):
            ratios = [r for r in (ratio(row, key) for row in chosen) if r]
            cells += [f"{geometric_mean(ratios):.2f}" if ratios else "–", f"{sum(r > 1 for r in ratios)} of {len(ratios)}"]
        lines.append(f"| {name} | {len(chosen)} | {' | '.join(cells)} |")
    return "\n".join(lines)


def megabytes(row):
    """Our workspace, and cuDNN's."""
    entries = [entry for entry in (row, row["opponents"].get("cudnn", {})) if entry.get("workspace_bytes") is not None]
    return " / ".join(number(entry["workspace_bytes"] / 1e6) for entry in entries) or "–"


def table(rows):
    names = list(dict.fromkeys(name for row in rows for name in row["opponents"]))
    heads = ["B, T, I, H", "ours", "own graph", "host, µs a call", *names, "device", "called", "limit", "MB"]
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    for row in rows:
        cells = [sizes(row), times(ours(row))]
        cells += [number(row[key]) if row.get(key) else "–" for key in ("replay_us_per_step", "host_us_per_call")]
        cells += [times(row["opponents"][name]) if name in row["opponents"] else "–" for name in names]
        cells += [f"{ratio(row, key):.2f}" if ratio(row, key) else "–" for key in ("us_per_step", "called_us_per_step")]
        cells += [number(row["limit_us_per_step"]), megabytes(row)]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def failures(rows):
    """What failed, each once."""
    seen = {}
    for row in [*layers_of(rows), *steps_of(rows)]:
        for name, entry in {"ours": row, **row["opponents"]}.items():
            for key, what in (("failure", ""), ("graph_failure", " as a graph")):
                if entry.get(key):
                    seen.setdefault((name + what, entry[key][:200]), []).append(f"{title(row)}, {sizes(row)}")
    return [f"* {name}: `{text}` ({where[0]}{f' and {len(where) - 1} more' if len(where) > 1 else ''})"
            for (name, text), where in seen.items()]


def document(rows, picture=None, steps_picture=None, skipped=()):
    run = rows[-1]["run"]
    lines = ["# GPU benchmark", "", "Written by `scripts/bench-gpu.sh`.", "",
             f"`{run['command']}`, {run['date']}, revision {run['revision']}, {run['gpu']}; "
             + ", ".join(f"{name} {version}" for name, version in run["versions"].items())
             + "; a product of 8192³ runs at "
             + ", ".join(f"{value:.0f} TFLOP/s in {kind}" for kind, value in run["peaks"].items()) + ".", "",
             "Microseconds a step: on the device, replayed from a CUDA graph / as called, in parentheses the largest absolute "
             "error against float64. *Own graph* is our call among many, replayed by its session. *Device* and *called* are "
             "the best opponent's time over ours; who has no graph counts as called on the device, too. *Limit* is the products' "
             "time at the rate above. *MB* is our workspace / what PyTorch's allocator gave cuDNN besides ys. " + OTHER_TYPE + " stands beside bf16 because cuDNN's persistent kernels know f16 alone; "
             "it is not compared with.", "",
             "Geometric means; *all* is without " + " and ".join(f"“{TITLES[cell]}”" for cell in APART) + ", which came later, "
             "so that it can be compared with what it was:", "", summary(rows), ""]
    for row in rows:
        if baseline(row):
            lines += [baseline(row), ""]
        if row["cell"] == "g2p":
            lines += ["g2p: " + (row.get("ours_failure") or f"{row['words_per_s']} words/s, {row['words_wrong']} of "
                                 f"{row['words_compared']} words differ from float64's") + ".", ""]
    if picture:
        lines += [f"![How many times as fast as the best opponent, case by case]({picture})", ""]
    lines += report_steps.section(rows, steps_picture)
    lines += report_cells.section(rows)
    for name, chosen in groups(rows).items():
        lines += [f"## {name}", "", table(chosen), ""]
    lines += report_predictions.section(rows)
    for heading, listed in (("Failures", failures(rows)), ("Not run, for want of time", [f"* {case}" for case in skipped])):
        if listed:
            lines += [f"## {heading}", "", *listed, ""]
    return "\n".join(lines)


def draw(rows, target):
    """Returns whether there was something to draw."""
    rows = [row for row in layers_of(rows) if ratio(row, "us_per_step")]
    if not rows:
        return False
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    figure, panel = plt.subplots(figsize=(max(9, 1.5 + 0.3 * len(rows)), 5.5))
    for key, marker, color, label in (("us_per_step", "D", "#c1272d", "on the device"),
                                      ("called_us_per_step", "o", "#0b6fb8", "as called")):
        points = [(place, ratio(row, key)) for place, row in enumerate(rows) if ratio(row, key)]
        panel.plot(*zip(*points), marker, color=color, label=label, markersize=5)
    panel.axhline(1, color="black", linewidth=0.8)
    panel.set_yscale("log", base=2)
    panel.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    panel.set_ylabel("best opponent's time / ours")
    panel.grid(alpha=0.25)
    panel.legend(fontsize=8)
    names = [f"{row['cell']} {row['type']} {row['B']},{row['T']},{row['H']}"
             + (f" {row['layers']}x{row['directions']}" if not is_textbook(row) else "") for row in rows]
    panel.set_xticks(range(len(rows)), names, rotation=90, fontsize=7)
    run = rows[-1]["run"]
    panel.set_title(f"Recurrent layers (B,T,I=H): {run['gpu']}, {run['date']}; higher is faster", fontsize=10, loc="left")
    figure.tight_layout()
    figure.savefig(target, dpi=110)
    return True


def write(rows, folder, skipped=()):
    folder.mkdir(parents=True, exist_ok=True)
    pictures = []
    for name, drawn in (("bench-gpu.png", draw), ("bench-gpu-steps.png", report_steps.draw)):
        try:
            pictures.append(name if drawn(rows, folder / name) else None)
        except ImportError as error:  # No matplotlib.
            print(f"no picture: {error}", file=sys.stderr)
            pictures.append(None)
    (folder / "bench-gpu.md").write_text(document(rows, *pictures, skipped))


if __name__ == "__main__":
    write(json.loads(pathlib.Path(sys.argv[1]).read_text()), pathlib.Path(sys.argv[2]))
