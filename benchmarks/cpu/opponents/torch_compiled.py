# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.compile of the loops of torch_loops. It unrolls a loop, and takes the longer to compile
for it: ten steps are compiled as one, and run again and again."""

import torch

from opponents import torch_loops
from opponents.torch_loops import version  # noqa: F401

CHUNK = 10


def prepare(case, arrays, threads):
    torch._dynamo.reset()
    compiled = torch.compile(torch_loops.loop, dynamic=False)

    def run(step, projected, states, weights):
        parts = []
        for chunk in projected.split(CHUNK):
            ys, states = compiled(step, chunk, states, weights)
            parts.append(ys)
        return torch.cat(parts), states
    return torch_loops.prepare(case, arrays, threads, run)
