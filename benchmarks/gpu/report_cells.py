# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What cells take that have the same products, as a table."""

from rows import TITLES, is_textbook, layers_of, number, sizes

SAME, OTHERS = ("peephole", "own"), ("norm", "gru")


def times(rows):
    """Our microseconds a step on the device by type and sizes, and there by cell."""
    made = {}
    for row in layers_of(rows):
        if is_textbook(row) and row["ours_us_per_step"]:
            made.setdefault((row["type"], sizes(row)), {})[row["cell"]] = row["ours_us_per_step"]
    return made


def section(rows):
    """Lines of the document."""
    known = {where: by_cell for where, by_cell in times(rows).items()
             if "lstm" in by_cell and any(cell in by_cell for cell in SAME)}
    if not known:
        return []
    lines = ["## Cells with the same products", "",
             "Ours, microseconds a step on the device, and how many times LSTM's. "
             "Peephole LSTM and a cell of our own have its products and states, and other functions of them; so has layer-norm "
             "LSTM, which waits for two norms in each step, too. GRU has three quarters of the weights. "
             "The cell of our own is `c' = max(-1, min(1, c + i * (g - r * c)))`, `h' = o * tanh(c')`, with sigmoids for i and o, "
             "`r = (1 + softsign(z_r)) / 2` and `g = elu(z_g)`.", ""]
    heads = ["", "B, T, I, H", *(TITLES[cell] for cell in ("lstm", *SAME)),
             *(f"{TITLES[cell]} / LSTM" for cell in (*SAME, *OTHERS))]
    lines += ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    for (kind, size), by_cell in known.items():
        cells = [kind, size] + [number(by_cell[cell]) if cell in by_cell else "–" for cell in ("lstm", *SAME)]
        cells += [f"{by_cell[cell] / by_cell['lstm']:.2f}" if cell in by_cell else "–" for cell in (*SAME, *OTHERS)]
        lines.append("| " + " | ".join(cells) + " |")
    return [*lines, ""]
