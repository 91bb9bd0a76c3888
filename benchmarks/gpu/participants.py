# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Who is timed on a GPU. Each prepares a case and gives a function without arguments that
enqueues one call on PyTorch's current stream and returns ys."""

import functools
import json
import os
import pathlib
import subprocess
import sys

import lstm_mlir
import numpy as np
import torch
import torch.nn.functional as F
from gpu_cases import GATES
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

HERE = pathlib.Path(__file__).resolve().parent
TYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16, "i32": torch.int32}


class Failure(Exception):
    """Of one participant in one case."""


def on_device(value, kind):
    return torch.from_numpy(value).cuda().to(TYPES[kind])


def set_tf32(case):
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = case.type == "tf32"


def prepare(case, arrays, folder, file=None):
    """Our function, its arguments, and a session of its own, whose workspace is no larger than the case needs."""
    program = lstm_mlir.load(folder / (file or case.file))
    entry = program.main
    return entry, [on_device(arrays[port.name], port.dtype) for port in entry.arguments], lstm_mlir.Session(program)


def ours(case, arrays, folder, file=None):
    entry, arguments, session = prepare(case, arrays, folder, file)
    sizes = [case.T, case.B]
    places = []
    for port in entry.results:
        unknown = iter(sizes if len(port.shape) == 3 else sizes[1:])
        places.append(torch.empty([next(unknown) if n < 0 else n for n in port.shape], dtype=TYPES[port.dtype], device="cuda"))
    for place in places:
        place.fill_(float("nan"))

    def call():
        entry(*arguments, out=places, session=session)
        return places[0]
    call.bound = entry.bind(*arguments, out=places, session=session)
    call.session = session
    return call


def ours_anew(case, arrays, folder):
    """A function that copies the inputs but not the weights, and one that calls with such a copy and gives new results."""
    entry, arguments, session = prepare(case, arrays, folder)
    inputs = [i for i, port in enumerate(entry.arguments) if port.name[:2] in ("x", "h0", "c0")]

    def call(copies):
        given = arguments.copy()
        for i, copied in zip(inputs, copies, strict=True):
            given[i] = copied
        return entry(*given, session=session)
    return lambda: [arguments[i].clone() for i in inputs], call


def torch_model(case, arrays, kind=None):
    """torch.nn.LSTM and GRU, x and the states; in another type than the case's where `kind` says so."""
    dtype = TYPES[kind or case.element]
    model = getattr(torch.nn, case.cell.upper())(case.I, case.H, case.layers, bidirectional=case.directions == 2)
    G, H, states = GATES[case.cell], case.H, {"h0": [], "c0": []}
    with torch.no_grad():
        for number, (name, width, backwards) in enumerate(case.parts()):
            suffix = f"l{number // case.directions}" + "_reverse" * backwards
            flat = lambda key, rows: torch.from_numpy(arrays[f"{key}_{name}"].reshape(rows, G * H).T.copy())  # noqa: B023, E731
            getattr(model, "weight_ih_" + suffix).copy_(flat("W", width))
            getattr(model, "weight_hh_" + suffix).copy_(flat("U", H))
            getattr(model, "bias_ih_" + suffix).copy_(torch.from_numpy(arrays[f"b_{name}"].reshape(-1)))
            d = arrays.get(f"d_{name}", np.zeros(G * H, np.float32))
            getattr(model, "bias_hh_" + suffix).copy_(torch.from_numpy(d.reshape(-1)))
            for key in states:
                if f"{key}_{name}" in arrays:
                    states[key].append(torch.from_numpy(arrays[f"{key}_{name}"]))
    model = model.to("cuda", dtype).eval()
    # Weights in one piece, as cuDNN wants them.
    model.flatten_parameters()
    x = torch.from_numpy(arrays["x"]).to("cuda", dtype)
    h0, *c0 = (torch.stack(values).to("cuda", dtype) for values in states.values() if values)
    return model, x, (h0, *c0) if c0 else h0


def cudnn(case, arrays, kind=None):
    model, x, given = torch_model(case, arrays, kind)

    def call():
        with torch.no_grad():
            return model(x, given)[0]
    return call


def cudnn_packed(case, arrays):
    """A batch whose longest rows come first, packed before: what that takes is not counted."""
    model, x, given = torch_model(case, arrays)
    packed = pack_padded_sequence(x, torch.from_numpy(arrays["len_0f"]).long())

    def call():
        with torch.no_grad():
            return model(packed, given)[0]
    return call


def padded(packed, case):
    return pad_packed_sequence(packed, total_length=case.T)[0]


def cudnn_anew(case, arrays):
    """As ours_anew, of an LSTM."""
    model, x, (h0, c0) = torch_model(case, arrays)

    def call(copies):
        with torch.no_grad():
            return model(copies[0], tuple(copies[1:]))
    return lambda: [value.clone() for value in (x, h0, c0)], call


def peephole_step(p, h, c, U, peep):
    i, f, g, o = (p + h @ U).chunk(4, 1)
    i, f = torch.sigmoid(i + peep[0] * c), torch.sigmoid(f + peep[1] * c)
    c = f * c + i * torch.tanh(g)
    return torch.sigmoid(o + peep[2] * c) * torch.tanh(c), c


def own_step(p, h, c, U):
    i, r, g, o = (p + h @ U).chunk(4, 1)
    c = torch.clamp(c + torch.sigmoid(i) * (F.elu(g) - (1 + F.softsign(r)) / 2 * c), -1, 1)
    return torch.sigmoid(o) * torch.tanh(c), c


def norm_step(p, h, c, U, gain_h, shift_h, gain_c, shift_c):
    i, f, g, o = (p + F.layer_norm(h @ U, gain_h.shape, gain_h, shift_h)).chunk(4, 1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(F.layer_norm(c, gain_c.shape, gain_c, shift_c)), c


# Steps, and what they take besides the projected input and the states.
STEPS = {"peephole": (peephole_step, ["U", "p"]), "own": (own_step, ["U"]),
         "norm": (norm_step, ["U", "gain_h", "shift_h", "gain_c", "shift_c"])}


def custom(case, arrays, prepared=lambda step: step):
    """A cell that PyTorch does not have, as one writes it: the input's product for all steps at once, then a loop."""
    a = {name.removesuffix("_0f"): on_device(array, case.element) for name, array in arrays.items()}
    # All gates in one axis; peepholes are looked at one by one.
    a |= {name: a[name].flatten(-2) for name in ("W", "U", "b", "gain_x", "shift_x", "gain_h", "shift_h") if name in a}
    step, names = STEPS[case.cell]
    step, weights = prepared(step), [a[name] for name in names]

    def project():
        projected = a["x"] @ a["W"]
        if case.cell == "norm":
            projected = F.layer_norm(projected, a["gain_x"].shape, a["gain_x"], a["shift_x"])
        return projected + a["b"]

    def call():
        with torch.no_grad():
            h, c, ys = a["h0"], a["c0"], []
            for projected in project():
                h, c = step(projected, h, c, *weights)
                ys.append(h)
            return torch.stack(ys)
    return call


def compiled(case, arrays):
    """The step by torch.compile; the whole loop unrolled would compile for minutes."""
    return custom(case, arrays, functools.partial(torch.compile, dynamic=False))


class Xla:
    """lax.scan in a process of its own, which JAX and PyTorch do not share well."""

    def __init__(self):
        environment = {**os.environ, "XLA_PYTHON_CLIENT_PREALLOCATE": "false", "TF_CPP_MIN_LOG_LEVEL": "2"}
        self.process = subprocess.Popen([sys.executable, str(HERE / "xla_worker.py")], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, env=environment)

    def ask(self, **question):
        try:
            self.process.stdin.write(json.dumps(question) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except OSError as error:
            line = ""
            print(error, file=sys.stderr)
        if not line:
            raise Failure(f"its process ended with {self.process.wait()}")
        answer = json.loads(line)
        if "failure" in answer:
            raise Failure(answer["failure"])
        return answer

    def prepare(self, case, inputs, outputs):
        """Returns ys."""
        self.ask(inputs=inputs, outputs=outputs, cell=case.cell, kind=case.type)
        return np.load(outputs)

    def measure(self, seconds):
        """Microseconds of calls, the host's waiting included."""
        return self.ask(seconds=seconds)["times"]

    def close(self):
        self.process.stdin.close()
        self.process.wait()
