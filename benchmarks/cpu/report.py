# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows as text: report.py JSON prints the table."""

import json
import math
import sys

TITLES = {"lstm": "LSTM", "gru": "GRU", "bidirectional": "LSTM, 2 layers, both directions",
          "peephole": "peephole LSTM", "layer_norm_lstm": "layer-norm LSTM", "mgu": "minimal gated unit"}


def best(row):
    """The fastest opponent: its name, its time; None if none has a time."""
    times = [(entry["us_per_step"], name) for name, entry in row["opponents"].items() if entry["us_per_step"]]
    return (min(times)[1], min(times)[0]) if times else None


def ratio(row):
    """How many times as fast as the best opponent we are."""
    fastest = best(row)
    return fastest[1] / row["ours_us_per_step"] if fastest and row["ours_us_per_step"] else None


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def number(value):
    return f"{value:.0f}" if value >= 1000 else f"{value:.3g}"


def entry(made):
    if made["us_per_step"] is None:
        return "failed"
    return f"{number(made['us_per_step'])} ({made['error']:.0e})"


def ours(row):
    return {"us_per_step": row["ours_us_per_step"], "error": row["ours_error"]}


def line(row):
    """For the terminal."""
    parts = [f"{row['cell']} {row['B']},{row['T']},{row['I']},{row['H']} x{row['threads']}:", "ours", entry(ours(row))]
    for name, made in {**({"static": row["ours_static"]} if "ours_static" in row else {}), **row["opponents"]}.items():
        parts += ["|", name, entry(made)]
        if "failure" in made:
            parts.append(made["failure"].splitlines()[0][:80])
    if "ours_failure" in row:
        parts += ["| ours:", row["ours_failure"][:200]]
    parts += ["| limit", number(row["limit_us_per_step"])]
    if ratio(row):
        parts.append(f"| {ratio(row):.2f}x {best(row)[0]}")
    return " ".join(parts)


def groups(rows):
    """(title, rows) by kind of cell and threads."""
    for cell in dict.fromkeys(row["cell"] for row in rows):
        for threads in dict.fromkeys(row["threads"] for row in rows):
            chosen = [row for row in rows if row["cell"] == cell and row["threads"] == threads]
            if chosen:
                yield f"{TITLES[cell]}, {threads} thread{'s' * (threads > 1)}", chosen


def summary(rows):
    """A table of geometric means."""
    lines = ["| | rows | best opponent's time / ours | rows ahead | limit / ours |", "|---|---|---|---|---|"]
    for title, chosen in [*groups(rows), ("all", rows)]:
        ratios = [r for r in map(ratio, chosen) if r]
        reached = [row["limit_us_per_step"] / row["ours_us_per_step"] for row in chosen if row["ours_us_per_step"]]
        lines.append(f"| {title} | {len(chosen)} | "
                     + (f"{geometric_mean(ratios):.2f}" if ratios else "–")
                     + f" | {sum(r > 1 for r in ratios)} of {len(ratios)} | "
                     + (f"{100 * geometric_mean(reached):.0f} %" if reached else "–") + " |")
    return "\n".join(lines)


def table(rows):
    """One line a row; the fastest opponent is bold."""
    names = list(dict.fromkeys(name for row in rows for name in row["opponents"]))
    static = any("ours_static" in row for row in rows)
    heads = ["B, T, I, H", "threads", "ours", *(["ours, static"] if static else []), *names, "best / ours", "limit",
             "limit / ours"]
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    for row in rows:
        fastest = best(row)
        cells = [f"{row['B']}, {row['T']}, {row['I']}, {row['H']}", str(row["threads"]), entry(ours(row))]
        if static:
            cells.append(entry(row["ours_static"]) if "ours_static" in row else "–")
        for name in names:
            text = entry(row["opponents"][name]) if name in row["opponents"] else "–"
            cells.append(f"**{text}**" if fastest and name == fastest[0] else text)
        cells.append(f"{ratio(row):.2f}" if ratio(row) else "–")
        cells.append(f"{number(row['limit_us_per_step'])} ({row['limit_is']})")
        reached = row["ours_us_per_step"] and 100 * row["limit_us_per_step"] / row["ours_us_per_step"]
        cells.append(f"{reached:.0f} %" if reached else "–")
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def failures(rows):
    """What failed, each once."""
    seen = {}
    for row in rows:
        where = f"{row['cell']} {row['B']},{row['T']},{row['I']},{row['H']}, threads {row['threads']}"
        entries = {**row["opponents"], "ours": {"failure": row.get("ours_failure")},
                   "static": row.get("ours_static", {})}
        for name, made in entries.items():
            if made.get("failure"):
                seen.setdefault((name, " ".join(made["failure"].split())[:200]), []).append(where)
    return [f"* {name}: `{text}` ({where[0]}{f' and {len(where) - 1} more' if len(where) > 1 else ''})"
            for (name, text), where in seen.items()]


def document(rows, picture=None):
    run = rows[-1]["run"]
    versions = ", ".join(f"{name} {version}" for name, version in run["versions"].items()
                         if name != "torch.compile") or "no opponents"
    lines = ["# CPU benchmark", "",
             "Written by `scripts/bench-cpu.sh`; [Performance.md](Performance.md) says what is measured and how.", "",
             f"`{run['command']}`, {run['date']}, revision {run['revision']}, {run['cpu']} ({run['vectors']}); "
             f"{versions}.",
             "", "| threads | FMA peak, GFLOP/s | read, GB/s |", "|---|---|---|"]
    for threads, peaks in run["machine"].items():
        rates = ", ".join(f"{level} {rate:.0f}" for level, rate in peaks["gbps"].items())
        lines.append(f"| {threads} | {peaks['gflops']:.0f} | {rates} |")
    lines += ["", "Geometric means:", "", summary(rows), ""]
    if picture:
        lines += [f"![Time at least needed as a part of the time taken, case by case]({picture})", ""]
    lines += ["Microseconds a step, in parentheses the largest absolute error against float64. The best opponent is "
              "bold.", ""]
    for cell in dict.fromkeys(row["cell"] for row in rows):
        lines += [f"## {TITLES[cell]}", "", table([row for row in rows if row["cell"] == cell]), ""]
    failed = failures(rows)
    if failed:
        lines += ["## Failures", "", *failed, ""]
    return "\n".join(lines)


if __name__ == "__main__":
    with open(sys.argv[1]) as file:
        print(document(json.load(file)))
