# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch: nn.LSTM and nn.GRU, and for other cells what its users write, a loop over the
steps; one product projects the inputs of all steps."""

import torch
from torch.nn.functional import layer_norm


def version():
    return torch.__version__


# Steps of other cells: the projected input and the states, then weights. The first of what
# they return is h, and all of it is the states.


def peephole(xt, h, c, U, p):
    i, f, g, o = torch.addmm(xt, h, U).chunk(4, 1)
    i, f = torch.sigmoid(i + p[0] * c), torch.sigmoid(f + p[1] * c)
    c = f * c + i * torch.tanh(g)
    return torch.sigmoid(o + p[2] * c) * torch.tanh(c), c


def layer_norm_lstm(xt, h, c, U, gain_h, shift_h, gain_c, shift_c):
    i, f, g, o = (xt + layer_norm(h @ U, gain_h.shape, gain_h, shift_h)).chunk(4, 1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(layer_norm(c, gain_c.shape, gain_c, shift_c)), c


def mgu(xt, h, Uf, Un):
    xf, xn = xt.chunk(2, 1)
    f = torch.sigmoid(torch.addmm(xf, h, Uf))
    n = torch.tanh(torch.addmm(xn, f * h, Un))
    return (h + f * (n - h),)


def loop(step, projected, states, weights):
    ys = []
    for xt in projected:
        states = step(xt, *states, *weights)
        ys.append(states[0])
    return torch.stack(ys), states


def project(case, x, W, b, norm):
    """The inputs of all steps, [T, B, G * H]."""
    rows = x.reshape(-1, case.I)
    projected = layer_norm(rows @ W, *norm) if norm else torch.addmm(b, rows, W)
    return projected.reshape(case.T, case.B, -1)


def custom(case, a, run):
    """A call of a cell that PyTorch does not have; `run` is `loop` or does as it does."""
    norm = None
    if case.cell == "mgu":
        W, b = (torch.cat([a[k + "f"], a[k + "n"]], -1) for k in "Wb")
        step, names = mgu, ["Uf", "Un"]
    else:
        a = {**a, **{k: a[k].flatten(-2) for k in a if k in "WUb" or k[-2:] in ("_x", "_h")}}
        W, b = a["W"], a["b"]
        if case.cell == "peephole":
            step, names = peephole, ["U", "p"]
        else:
            step, names = layer_norm_lstm, ["U", "gain_h", "shift_h", "gain_c", "shift_c"]
            norm = (a["gain_x"].shape, a["gain_x"], a["shift_x"] + b)
    weights = [a[name].contiguous() for name in names]
    states = tuple(a[name] for name in ("h0", "c0") if name in a)
    W = W.contiguous()
    return lambda: run(step, project(case, a["x"], W, b, norm), states, weights)


def fill(module, suffix, W, U, b, d=None):
    for kind, weight in (("ih", W), ("hh", U)):
        getattr(module, f"weight_{kind}_{suffix}").copy_(weight.reshape(len(weight), -1).T)
    getattr(module, f"bias_ih_{suffix}").copy_(b.flatten())
    recurrent = getattr(module, f"bias_hh_{suffix}")
    recurrent.copy_(torch.zeros_like(recurrent) if d is None else d.flatten())


def textbook(case, a):
    """nn.LSTM or nn.GRU; their gates lie in our order."""
    if case.cell == "bidirectional":
        layers = case.definition.layers
        module = torch.nn.LSTM(case.I, case.H, layers, bidirectional=True)
        places = [(number, side) for number in range(layers) for side in "fb"]
        for number, side in places:
            fill(module, f"l{number}" + ("_reverse" if side == "b" else ""),
                 *(a[f"{name}_{side}_{number}"] for name in "WUb"))
        states = tuple(torch.stack([a[f"{name}_{side}_{number}"] for number, side in places])
                       for name in ("h0", "c0"))
    elif case.cell == "lstm":
        module, states = torch.nn.LSTM(case.I, case.H), (a["h0"][None], a["c0"][None])
        fill(module, "l0", a["W"], a["U"], a["b"])
    else:
        module, states = torch.nn.GRU(case.I, case.H), a["h0"][None]
        fill(module, "l0", a["W"], a["U"], a["b"], a["d"])
    module.eval()
    return lambda: module(a["x"], states)


def prepare(case, arrays, threads, run=loop):
    torch.set_num_threads(threads)
    torch.set_grad_enabled(False)
    a = {name: torch.from_numpy(array) for name, array in arrays.items()}
    call = textbook(case, a) if case.cell in ("lstm", "gru", "bidirectional") else custom(case, a, run)
    return call, lambda made: made[0].numpy()
