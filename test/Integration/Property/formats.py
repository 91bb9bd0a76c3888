# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types: rounding, and how arrays of them stand in a file."""

from __future__ import annotations

import numpy as np

# How much one rounding changes a value, relative to it.
EPSILON = {"f64": 2.0**-53, "f32": 2.0**-24, "f16": 2.0**-11, "bf16": 2.0**-8}
_INTEGERS = {"i1": np.bool_, "i32": np.int32, "i64": np.int64, "index": np.int64}
_PLAIN = {"f64": np.float64, "f32": np.float32, "f16": np.float16}


def _to_bf16(values: np.ndarray) -> np.ndarray:
    """The bits of the nearest bf16, ties to even. NaN does not occur."""
    bits = np.atleast_1d(values).astype(np.float32).view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    return rounded.astype(np.uint16).reshape(np.shape(values))


def _from_bf16(bits: np.ndarray) -> np.ndarray:
    wide = np.atleast_1d(bits).astype(np.uint32) << 16
    return wide.view(np.float32).astype(np.float64).reshape(np.shape(bits))


def round_to(elem: str, values: np.ndarray) -> np.ndarray:
    """Rounds float64 values to what `elem` can hold; integers stay."""
    if elem == "bf16":
        return _from_bf16(_to_bf16(values))
    if elem in _PLAIN:
        return np.asarray(values).astype(_PLAIN[elem]).astype(np.float64)
    return values


def to_file(elem: str, values: np.ndarray) -> np.ndarray:
    """The array that a .npz holds for values of type `elem`."""
    if elem == "bf16":
        return _to_bf16(values)
    dtype = _PLAIN.get(elem) or _INTEGERS[elem]
    return np.asarray(values).astype(dtype)


def from_file(elem: str, values: np.ndarray) -> np.ndarray:
    """The reverse of `to_file`; raises ValueError for an array of another type."""
    if elem == "bf16":
        if values.dtype.itemsize != 2:
            raise ValueError(f"expected bf16, got {values.dtype}")
        return _from_bf16(values.view(np.uint16))
    dtype = np.dtype(_PLAIN.get(elem) or _INTEGERS[elem])
    if values.dtype != dtype:
        raise ValueError(f"expected {dtype}, got {values.dtype}")
    if elem in _PLAIN:
        return values.astype(np.float64)
    return values
