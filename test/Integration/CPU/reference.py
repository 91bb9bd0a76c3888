# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What recurrences, cells and activations mean, in float64 and plain NumPy.

Written from the equations in the operations' documentation and in the examples.
Rows are computed one by one, so that nothing here knows of padding or masks.
"""

import math

import numpy as np


def recurrence(step, sequences, states, lengths=None, reverse=False, steps=None):
    """Runs `step(elements, states) -> (states, outputs)` for every row by itself.

    `sequences` are `[T, B, ...]`, `states` `[B, ...]`. A padded output is 0, a
    row of length 0 returns its initial states. Returns (outputs, states).
    """
    sequences = [np.asarray(x, np.float64) for x in sequences]
    states = [np.asarray(s, np.float64) for s in states]
    total = sequences[0].shape[0] if sequences else steps
    batch = states[0].shape[0] if states else sequences[0].shape[1]
    # The shapes of the outputs, also where no row takes a step.
    probe = step([np.zeros((1,) + x.shape[2:]) for x in sequences],
                 [np.zeros((1,) + s.shape[1:]) for s in states])[1]
    outputs = [np.zeros((total, batch) + y.shape[1:]) for y in probe]
    finals = [s.copy() for s in states]
    for row in range(batch):
        length = total if lengths is None else int(lengths[row])
        carried = [s[row:row + 1] for s in states]
        order = range(length - 1, -1, -1) if reverse else range(length)
        for t in order:
            carried, made = step([x[t, row:row + 1] for x in sequences], carried)
            for output, value in zip(outputs, made):
                output[t, row] = value[0]
        for final, value in zip(finals, carried):
            final[row] = value[0]
    return outputs, finals


# Activations


def sigmoid(x):
    x = np.asarray(x, np.float64)
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, 1 / (1 + small), small / (1 + small))


def softplus(x):
    x = np.asarray(x, np.float64)
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


_erf = np.vectorize(math.erf, otypes=[np.float64])

ACTIVATIONS = {
    "identity": lambda x: x,
    "sigmoid": sigmoid,
    "tanh": np.tanh,
    "relu": lambda x: np.maximum(x, 0),
    "hard_sigmoid": lambda x, a=0.2, b=0.5: np.clip(a * x + b, 0, 1),
    "leaky_relu": lambda x, a=0.01: np.where(x >= 0, x, a * x),
    "elu": lambda x, a=1.0: np.where(x >= 0, x, a * np.expm1(np.minimum(x, 0))),
    "softsign": lambda x: x / (1 + np.abs(x)),
    "softplus": softplus,
    "affine": lambda x, a=1.0, b=0.0: a * x + b,
    "thresholded_relu": lambda x, a=1.0: np.where(x >= a, x, 0),
    "scaled_tanh": lambda x, a=1.0, b=1.0: a * np.tanh(b * x),
    "gelu": lambda x: x * (1 + _erf(x / math.sqrt(2))) / 2,
    "exp": np.exp,
}


def activate(name, x):
    """`name` is an activation as it is written: `tanh`, `leaky_relu(0.1)`."""
    kind, _, parameters = name.partition("(")
    values = [float(v) for v in parameters.rstrip(")").split(",") if v]
    return ACTIVATIONS[kind](np.asarray(x, np.float64), *values)


def clamp(x, clip):
    return x if clip is None else np.clip(x, -clip, clip)


# Operations and cells: one step, `[B, ...]` in and out


def dot(a, w):
    """`[B, K]` times `[K, H]` or `[K, G, H]`."""
    return np.tensordot(a, w, 1)


def gate(acts, dots=(), scales=(), adds=(), clip=None, gates=None):
    """`acts` is one activation, or a list with one for each gate; `gates` is G of
    a result `[B, G, H]`, None for `[B, H]`."""
    total = 0
    for a, w in dots:
        total = total + dot(a, w)
    for s, p in scales:
        total = total + (s[:, None, :] if gates and s.ndim == 2 else s) * p
    for b in adds:
        total = total + b
    total = clamp(total, clip)
    if not isinstance(acts, list):
        return activate(acts, total)
    return np.stack([activate(a, total[:, g]) for g, a in enumerate(acts)], axis=1)


def lstm(x, h, c, W, U, b=None, p=None, R=None, coupled=False, clip=None,
         acts=("sigmoid", "tanh", "tanh")):
    z = dot(x, W) + dot(h, U) + (0 if b is None else b)
    zi, zf, zg, zo = (z[:, 0], None, z[:, 1], z[:, 2]) if coupled else (z[:, k] for k in range(4))
    pi, pf, po = (0, 0, 0) if p is None else (p[0], 0, p[1]) if coupled else p
    F, G, A = acts
    i = activate(F, clamp(zi + pi * c, clip))
    f = 1 - i if coupled else activate(F, clamp(zf + pf * c, clip))
    g = activate(G, clamp(zg, clip))
    c1 = f * c + i * g
    o = activate(F, clamp(zo + po * c1, clip))
    h1 = o * activate(A, clamp(c1, clip))
    return (h1 if R is None else dot(h1, R)), c1


def gru(x, h, W, U, b=None, d=None, after=True, clip=None, acts=("sigmoid", "tanh")):
    gates, hidden = U.shape[1:]
    b = np.zeros((gates, hidden)) if b is None else b
    d = np.zeros((gates, hidden)) if d is None else d
    F, G = acts
    r = activate(F, clamp(dot(x, W[:, 0]) + dot(h, U[:, 0]) + b[0] + d[0], clip))
    z = activate(F, clamp(dot(x, W[:, 1]) + dot(h, U[:, 1]) + b[1] + d[1], clip))
    recurrent = r * (dot(h, U[:, 2]) + d[2]) if after else dot(r * h, U[:, 2]) + d[2]
    n = activate(G, clamp(dot(x, W[:, 2]) + b[2] + recurrent, clip))
    return (1 - z) * n + z * h


def rnn(x, h, W, U, b=None, clip=None, act="tanh"):
    return activate(act, clamp(dot(x, W) + dot(h, U) + (0 if b is None else b), clip))


def mgu(x, h, W, U, b):
    """Zhou et al. 2016; gates f, n."""
    f = sigmoid(dot(x, W[:, 0]) + dot(h, U[:, 0]) + b[0])
    n = np.tanh(dot(x, W[:, 1]) + dot(f * h, U[:, 1]) + b[1])
    return (1 - f) * h + f * n


def layer_norm(z, gain, shift, epsilon=1e-5):
    """Over all axes but the first."""
    axes = tuple(range(1, z.ndim))
    centred = z - z.mean(axis=axes, keepdims=True)
    variance = (centred**2).mean(axis=axes, keepdims=True)
    return centred / np.sqrt(variance + epsilon) * gain + shift


def layer_norm_lstm(x, h, c, W, U, b, gain_x, shift_x, gain_h, shift_h, gain_c, shift_c):
    """Ba, Kiros, Hinton 2016."""
    z = layer_norm(dot(x, W), gain_x, shift_x) + layer_norm(dot(h, U), gain_h, shift_h) + b
    i, f, o = sigmoid(z[:, 0]), sigmoid(z[:, 1]), sigmoid(z[:, 3])
    c1 = f * c + i * np.tanh(z[:, 2])
    return o * np.tanh(layer_norm(c1, gain_c, shift_c)), c1


def indrnn(x, h, W, u, b):
    """Li et al. 2018."""
    return np.maximum(dot(x, W) + u * h + b, 0)


def sru(x, c, W, v, b):
    """Lei et al. 2018; products in the order candidate, f, r, highway. Returns h, c."""
    z = dot(x, W)
    f = sigmoid(z[:, 1] + v[0] * c + b[0])
    r = sigmoid(z[:, 2] + v[1] * c + b[1])
    c1 = f * c + (1 - f) * z[:, 0]
    return r * c1 + (1 - r) * z[:, 3], c1
