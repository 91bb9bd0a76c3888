# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An LSTM, with or without peepholes, as lax.scan: answers lines of JSON, for participants.Xla."""

import json
import os
import sys
import time

import numpy as np

# What libraries print is no answer.
answers, sys.stdout = os.fdopen(os.dup(1), "w"), sys.stderr
os.dup2(2, 1)


def prepare(inputs, kind):
    import jax
    import jax.numpy as jnp
    dtype = {"f32": jnp.float32, "tf32": jnp.float32, "bf16": jnp.bfloat16, "f16": jnp.float16}[kind]
    jax.config.update("jax_default_matmul_precision", "tensorfloat32" if kind == "tf32" else "highest")
    with np.load(inputs) as arrays:
        x, h0, c0, W, U, b = (jnp.asarray(arrays[n], dtype) for n in ("x", "h0_0f", "c0_0f", "W_0f", "U_0f", "b_0f"))
        p = jnp.asarray(arrays["p_0f"], dtype) if "p_0f" in arrays else None
    W, U, b = W.reshape(W.shape[0], -1), U.reshape(U.shape[0], -1), b.reshape(-1)

    def step(state, projected):
        h, c = state
        i, f, g, o = jnp.split(projected + h @ U, 4, 1)
        if p is not None:
            i, f = i + p[0] * c, f + p[1] * c
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        if p is not None:
            o = o + p[2] * c
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    run = jax.jit(lambda x: jax.lax.scan(step, (h0, c0), x @ W + b)[1])
    return (lambda: run(x).block_until_ready()), jax.devices()[0].platform


call = None
for line in sys.stdin:
    question = json.loads(line)
    try:
        if "inputs" in question:
            call, platform = prepare(question["inputs"], question["kind"])
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
