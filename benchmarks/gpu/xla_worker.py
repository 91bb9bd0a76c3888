# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A cell as lax.scan, of LSTM's states: answers lines of JSON, for participants.Xla."""

import json
import os
import sys
import time

import numpy as np

# What libraries print is no answer.
answers, sys.stdout = os.fdopen(os.dup(1), "w"), sys.stderr
os.dup2(2, 1)


def prepare(inputs, cell, kind):
    import jax
    import jax.numpy as jnp
    dtype = {"f32": jnp.float32, "tf32": jnp.float32, "bf16": jnp.bfloat16, "f16": jnp.float16}[kind]
    jax.config.update("jax_default_matmul_precision", "tensorfloat32" if kind == "tf32" else "highest")
    with np.load(inputs) as arrays:
        a = {name.removesuffix("_0f"): jnp.asarray(arrays[name], dtype) for name in arrays}
    # All gates in one axis; peepholes are looked at one by one.
    a |= {name: a[name].reshape(*a[name].shape[:-2], -1)
          for name in ("W", "U", "b", "gain_x", "shift_x", "gain_h", "shift_h") if name in a}
    sigmoid, tanh = jax.nn.sigmoid, jnp.tanh

    def norm(values, of):
        """In f32, as libraries do."""
        values = values.astype(jnp.float32)
        unit = (values - values.mean(-1, keepdims=True)) * jax.lax.rsqrt(values.var(-1, keepdims=True) + 1e-5)
        return (unit * a[f"gain_{of}"] + a[f"shift_{of}"]).astype(dtype)

    def lstm(c, z):
        i, f, g, o = jnp.split(z, 4, 1)
        c = sigmoid(f) * c + sigmoid(i) * tanh(g)
        return sigmoid(o) * tanh(norm(c, "c") if cell == "norm" else c), c

    def peephole(c, z):
        i, f, g, o = jnp.split(z, 4, 1)
        c = sigmoid(f + a["p"][1] * c) * c + sigmoid(i + a["p"][0] * c) * tanh(g)
        return sigmoid(o + a["p"][2] * c) * tanh(c), c

    def own(c, z):
        i, r, g, o = jnp.split(z, 4, 1)
        c = jnp.clip(c + sigmoid(i) * (jax.nn.elu(g) - (1 + jax.nn.soft_sign(r)) / 2 * c), -1, 1)
        return sigmoid(o) * tanh(c), c

    mapped = {"lstm": lstm, "norm": lstm, "peephole": peephole, "own": own}[cell]

    def product(values, weight, of):
        made = values @ a[weight]
        return norm(made, of) if cell == "norm" else made

    def step(state, projected):
        h, c = state
        h, c = mapped(c, projected + product(h, "U", "h"))
        return (h, c), h

    run = jax.jit(lambda x: jax.lax.scan(step, (a["h0"], a["c0"]), product(x, "W", "x") + a["b"])[1])
    return (lambda: run(a["x"]).block_until_ready()), jax.devices()[0].platform


call = None
for line in sys.stdin:
    question = json.loads(line)
    try:
        if "inputs" in question:
            call, platform = prepare(question["inputs"], question["cell"], question["kind"])
            if platform != "gpu":
                raise RuntimeError(f"JAX runs on '{platform}'")
            np.save(question["outputs"], np.asarray(call(), np.float32))
            answer = {}
        else:
            times, end = [], time.perf_counter() + question["seconds"]
            while len(times) < 10 or time.perf_counter() < end:
                start = time.perf_counter()
                call()
                times.append(1e6 * (time.perf_counter() - start))
            answer = {"times": times}
    except Exception as error:  # Whatever it is, the benchmark reports it and goes on.
        answer = {"failure": f"{type(error).__name__}: {error}"[:300]}
    print(json.dumps(answer), file=answers, flush=True)
