# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where arguments and results lie: NumPy arrays, or PyTorch's on the GPU.

Arrays come and go as they are stored: bf16 as its 16 bits."""

import numpy as np
import runner


TYPES = {**runner.DTYPES, "bool": np.bool_}


class Host:
    """Of programs for CPUs; of those for GPUs the loader then copies to and fro."""

    def place(self, value):
        return np.array(value)

    def poison(self, place):
        """NaN in every type of float, -1 in integers."""
        raw = np.full(place.shape + (place.itemsize,), 0xFF, np.uint8)
        place[...] = raw.view(place.dtype).reshape(place.shape) if place.size else 0

    def empty(self, shape, kind):
        return np.empty(shape, TYPES[kind])

    def fetch(self, array):
        return np.array(array)

    def transpose(self, array, axes):
        return array.transpose(axes)

    def set(self, array, value):
        array[...] = value

    def finish(self):
        pass


class Torch(Host):
    def __init__(self):
        import torch
        self.torch = torch
        self.types = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16,
                      "i64": torch.int64, "index": torch.int64, "i32": torch.int32, "i1": torch.bool,
                      "bool": torch.bool}

    def place(self, value):
        if value.dtype == np.uint16:
            return self.torch.from_numpy(value.view(np.int16).copy()).cuda().view(self.torch.bfloat16)
        return self.torch.from_numpy(np.array(value)).cuda()

    def poison(self, place):
        if place.dtype == self.torch.bool:
            place.fill_(True)
        elif place.is_floating_point():
            place.fill_(float("nan"))
        else:
            place.fill_(-1)

    def empty(self, shape, kind):
        return self.torch.empty(shape, dtype=self.types[kind], device="cuda")

    def fetch(self, array):
        if array.dtype == self.torch.bfloat16:
            return array.view(self.torch.int16).cpu().numpy().view(np.uint16)
        return array.cpu().numpy()

    def transpose(self, array, axes):
        return array.permute(axes)

    def set(self, array, value):
        array.copy_(self.place(value))

    def finish(self):
        # Not the whole device: that would end what other threads capture.
        self.torch.cuda.current_stream().synchronize()


def scattered(where, value_shape, kind):
    """A place in which no dimension is contiguous."""
    if not value_shape:
        return where.empty(value_shape, kind)
    memory = where.empty((2 * value_shape[-1], *value_shape[-2::-1]), kind)
    return where.transpose(memory, tuple(range(len(value_shape)))[::-1])[..., ::2]
