# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a case must give, in float64."""

import time

import numpy as np

import cases  # noqa: F401 (finds the tests' reference)
import reference as ref


def layer(step, x, states, reverse=False, seconds=None):
    """ys of one recurrence: the first steps, as many as fit into the time."""
    states = [s.astype(np.float64) for s in states]
    ys, start = [], time.monotonic()
    for xt in x[::-1] if reverse else x:
        states = step(xt, *states)
        ys.append(states[0])
        if seconds is not None and time.monotonic() - start > seconds:
            break
    return np.stack(ys[::-1] if reverse else ys)


def bidirectional(a, layers):
    y = a["x"]
    for number in range(layers):
        halves = []
        for side in ("f", "b"):
            h, c, W, U, b = (a[f"{name}_{side}_{number}"] for name in ("h0", "c0", "W", "U", "b"))
            step = lambda x, h, c: ref.lstm(x, h, c, W, U, b)  # noqa: B023, E731
            halves.append(layer(step, y, [h, c], reverse=side == "b"))
        y = np.concatenate(halves, axis=2)
    return y


def outputs(case, arrays, seconds=None):
    """ys, or the first steps of it: at least one, then until the seconds are over. What reads
    the sequence from both ends is always complete."""
    a = {name: array.astype(np.float64) for name, array in arrays.items()}
    if case.cell == "bidirectional":
        return bidirectional(a, case.definition.layers)
    if case.cell in ("gru", "mgu"):
        if case.cell == "gru":
            step = lambda x, h: (ref.gru(x, h, a["W"], a["U"], a["b"], a["d"]),)  # noqa: E731
        else:
            W, U, b = (np.stack([a[k + "f"], a[k + "n"]], axis=-2) for k in "WUb")
            step = lambda x, h: (ref.mgu(x, h, W, U, b),)  # noqa: E731
        return layer(step, a["x"], [a["h0"]], seconds=seconds)
    if case.cell == "layer_norm_lstm":
        more = [a[n] for n in ("W", "U", "b", "gain_x", "shift_x", "gain_h", "shift_h", "gain_c", "shift_c")]
        step = lambda x, h, c: ref.layer_norm_lstm(x, h, c, *more)  # noqa: E731
    else:
        step = lambda x, h, c: ref.lstm(x, h, c, a["W"], a["U"], a["b"], a.get("p"))  # noqa: E731
    return layer(step, a["x"], [a["h0"], a["c0"]], seconds=seconds)


def error(ys, expected):
    """The largest absolute one, over the steps that are known."""
    if ys.shape[1:] != expected.shape[1:]:
        raise ValueError(f"ys has the shape {ys.shape}; expected [T, {', '.join(map(str, expected.shape[1:]))}]")
    return float(np.max(np.abs(ys[:len(expected)].astype(np.float64) - expected)))
