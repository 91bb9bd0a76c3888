# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""oneDNN's primitives for LSTM and GRU (reset after), weights in the library's own layout."""

import ctypes
import os

import numpy as np

# Built by bench.py; the worker's environment says where.
library = ctypes.CDLL(os.environ["LSTM_BENCH_ONEDNN"])
library.layerCreate.restype = ctypes.c_void_p


def version():
    text = ctypes.create_string_buffer(64)
    library.libraryVersion(text, ctypes.c_size_t(len(text)))
    return text.value.decode()


class Layer:
    """One layer; holds the arrays that it works on."""

    def __init__(self, case, x, h0, c0, W, U, b, d=None):
        """Arrays of one direction or two, stacked in front, all but x."""
        directions, _, gates, units = U.shape
        if d is None:
            bias = b
        else:
            # Its gates are update, reset, candidate, and the candidate has two biases.
            W, U = W[:, :, [1, 0, 2]], U[:, :, [1, 0, 2]]
            bias = np.stack([b[:, 1] + d[:, 1], b[:, 0] + d[:, 0], b[:, 2], d[:, 2]], axis=1)
        self.y = np.empty((case.T, case.B, directions * units), np.float32)
        arrays = [x, h0, c0, W, U, bias, self.y, np.empty_like(h0), np.empty_like(h0)]
        self.arrays = [None if array is None else np.ascontiguousarray(array) for array in arrays]
        message = ctypes.create_string_buffer(256)
        sizes = (directions, case.T, case.B, x.shape[2], units)
        self.handle = library.layerCreate(
            int(d is None), *map(ctypes.c_int64, sizes),
            *(None if array is None else array.ctypes.data_as(ctypes.c_void_p) for array in self.arrays),
            message, ctypes.c_size_t(len(message)))
        if not self.handle:
            raise RuntimeError(message.value.decode())

    def __del__(self):
        if getattr(self, "handle", None):
            library.layerDestroy(ctypes.c_void_p(self.handle))


def prepare(case, a, threads):
    names = ("h0", "c0", "W", "U", "b") + (("d",) if case.cell == "gru" else ())
    if case.cell == "bidirectional":
        # The primitive cannot concatenate directions between layers: one primitive a layer.
        sides = [[f"_{side}_{number}" for side in "fb"] for number in range(case.definition.layers)]
    elif case.cell in ("lstm", "gru"):
        sides = [[""]]
    else:
        raise NotImplementedError(f"oneDNN has no {case.cell}")
    layers, x = [], a["x"]
    for suffixes in sides:
        stacked = [np.stack([a[name + s] for s in suffixes]) if name + suffixes[0] in a else None for name in names]
        layers.append(Layer(case, x, *stacked))
        x = layers[-1].y
    handles = [ctypes.c_void_p(layer.handle) for layer in layers]

    def call():
        for handle in handles:
            if not library.layerRun(handle):
                raise RuntimeError("oneDNN could not execute the primitive")
        return layers[-1].y
    return call, np.copy
