# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy, a loop over the steps in f32: one product projects the inputs of all steps, one
product a step takes the state with all gates."""

import numpy as np


def version():
    return np.__version__


def flat(weight):
    """[K, G, H] as [K, G * H]."""
    return np.ascontiguousarray(weight.reshape(len(weight), -1))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def norm(z, gain, shift):
    z = z - z.mean(axis=-1, keepdims=True)
    return z / np.sqrt((z * z).mean(axis=-1, keepdims=True) + np.float32(1e-5)) * gain + shift


def lstm(x, h, c, W, U, b, p=None, reverse=False):
    n = h.shape[1]
    projected = x.reshape(-1, x.shape[2]) @ W + b.ravel()
    projected = projected.reshape(*x.shape[:2], 4 * n)
    ys = np.empty((*x.shape[:2], n), np.float32)
    for t in reversed(range(len(x))) if reverse else range(len(x)):
        z = h @ U
        z += projected[t]
        if p is None:
            s = sigmoid(z)
            i, f, o = s[:, :n], s[:, n:2 * n], s[:, 3 * n:]
        else:
            i, f = sigmoid(z[:, :n] + p[0] * c), sigmoid(z[:, n:2 * n] + p[1] * c)
        c = f * c + i * np.tanh(z[:, 2 * n:3 * n])
        if p is not None:
            o = sigmoid(z[:, 3 * n:] + p[2] * c)
        h = o * np.tanh(c)
        ys[t] = h
    return ys


def gru(x, h, W, U, b, d):
    n = h.shape[1]
    b, d = b.ravel().copy(), d.ravel()
    b[:2 * n] += d[:2 * n]
    projected = (x.reshape(-1, x.shape[2]) @ W + b).reshape(*x.shape[:2], 3 * n)
    ys = np.empty((*x.shape[:2], n), np.float32)
    for t, xt in enumerate(projected):
        u = h @ U
        s = sigmoid(xt[:, :2 * n] + u[:, :2 * n])
        candidate = np.tanh(xt[:, 2 * n:] + s[:, :n] * (u[:, 2 * n:] + d[2 * n:]))
        h = candidate + s[:, n:] * (h - candidate)
        ys[t] = h
    return ys


def mgu(x, h, W, Uf, Un, b):
    n = h.shape[1]
    projected = (x.reshape(-1, x.shape[2]) @ W + b).reshape(*x.shape[:2], 2 * n)
    ys = np.empty((*x.shape[:2], n), np.float32)
    for t, xt in enumerate(projected):
        f = sigmoid(xt[:, :n] + h @ Uf)
        h = h + f * (np.tanh(xt[:, n:] + (f * h) @ Un) - h)
        ys[t] = h
    return ys


def layer_norm_lstm(x, h, c, W, U, b, gain_x, shift_x, gain_h, shift_h, gain_c, shift_c):
    n = h.shape[1]
    projected = norm(x.reshape(-1, x.shape[2]) @ W, gain_x, shift_x + b).reshape(*x.shape[:2], 4 * n)
    ys = np.empty((*x.shape[:2], n), np.float32)
    for t, xt in enumerate(projected):
        z = xt + norm(h @ U, gain_h, shift_h)
        s = sigmoid(z)
        c = s[:, n:2 * n] * c + s[:, :n] * np.tanh(z[:, 2 * n:3 * n])
        h = s[:, 3 * n:] * np.tanh(norm(c, gain_c, shift_c))
        ys[t] = h
    return ys


def bidirectional(x, a, layers):
    for number in range(layers):
        x = np.concatenate([lstm(x, *a[number, side], reverse=side == "b") for side in "fb"], axis=2)
    return x


def prepare(case, a, threads):
    x = a["x"]
    if case.cell == "bidirectional":
        layers = case.definition.layers
        sides = {(number, side): [(flat if name in "WU" else lambda v: v)(a[f"{name}_{side}_{number}"])
                                  for name in ("h0", "c0", "W", "U", "b")]
                 for number in range(layers) for side in "fb"}
        return lambda: bidirectional(x, sides, layers), np.asarray
    if case.cell == "mgu":
        W, b = (np.concatenate([a[k + "f"], a[k + "n"]], axis=-1) for k in "Wb")
        return lambda: mgu(x, a["h0"], W, a["Uf"], a["Un"], b), np.asarray
    W, U = flat(a["W"]), flat(a["U"])
    if case.cell == "gru":
        return lambda: gru(x, a["h0"], W, U, a["b"], a["d"]), np.asarray
    if case.cell == "layer_norm_lstm":
        more = [a[n].ravel() for n in ("b", "gain_x", "shift_x", "gain_h", "shift_h", "gain_c", "shift_c")]
        return lambda: layer_norm_lstm(x, a["h0"], a["c0"], W, U, *more), np.asarray
    return lambda: lstm(x, a["h0"], a["c0"], W, U, a["b"], a.get("p")), np.asarray
