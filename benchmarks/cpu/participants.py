# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Who takes part: this project through lstm-run, and opponents, each a process of its own.

Both have prepare(case, inputs) -> ys and measure(seconds) -> microseconds of calls.
"""

import json
import os
import pathlib
import select
import signal
import subprocess
import time

import numpy as np

import cases

HERE = pathlib.Path(__file__).resolve().parent
# Seconds that an answer may take beside what is measured. torch.compile compiles meanwhile.
PATIENCE = {"torch.compile": 240}
PATIENCE_OF_OTHERS = 120


class Failure(Exception):
    """A participant cannot do a case; the text says why."""


def environment(threads, **more):
    # NumPy's library is to choose its kernel and its blocks itself.
    kept = {name: value for name, value in os.environ.items() if not name.startswith("OPENBLAS_")}
    count = str(threads)
    return kept | dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "LSTM_NUM_THREADS",
                                 "TBB_NUM_THREADS", "DPCPP_CPU_NUM_CUS"), count) | more


class Ours:
    """A process for each measurement: it compiles the program, and then calls it often."""

    def __init__(self, lstm_run, threads, cpus, folder, static=False):
        self.static = static
        self.command = ["taskset", "-c", cpus, lstm_run]
        self.environment = environment(threads)
        name = "static" if static else "ours"
        self.source, self.outputs, self.times = (str(pathlib.Path(folder, f"{name}.{suffix}"))
                                                 for suffix in ("mlir", "npz", "json"))
        usage = subprocess.run([lstm_run, "--help"], capture_output=True, text=True).stdout
        self.options = ["--threads", str(threads)] if "--threads" in usage else []

    def run(self, repeat, timeout):
        command = [*self.command, self.source, *self.options, "--inputs", self.inputs, "--outputs", self.outputs,
                   "--repeat", str(repeat), "--timing-json", self.times]
        try:
            done = subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=timeout)
        except subprocess.TimeoutExpired:
            raise Failure(f"no answer within {timeout:.0f} s") from None
        if done.returncode:
            raise Failure(f"lstm-run exited with {done.returncode}: {done.stderr.strip()[:500]}")
        with open(self.times) as file:
            return json.load(file)

    def prepare(self, case, inputs):
        self.inputs = inputs
        pathlib.Path(self.source).write_text(cases.program(case, self.static))
        self.call_us = min(self.run(2, PATIENCE_OF_OTHERS)["run_us"])
        with np.load(self.outputs) as made:
            return made["ys"]

    def measure(self, seconds):
        calls = max(2, round(1e6 * seconds / self.call_us))
        warm = max(1, calls // 5)
        return self.run(warm + calls, PATIENCE_OF_OTHERS + 10 * seconds)["run_us"][warm:]

    def close(self):
        pass


class Opponent:
    """A worker that lives as long as the benchmark does; stopped while others run."""

    def __init__(self, name, threads, cpus, python, folder, more):
        self.name, self.outputs = name, str(pathlib.Path(folder, f"{name}.npy"))
        # Ends with us however we end: a stopped process would stay for ever.
        self.command = ["setpriv", "--pdeathsig", "KILL", "taskset", "-c", cpus, python,
                        str(HERE / "opponents/worker.py"), name, str(threads)]
        self.environment = environment(threads, **more)
        self.log = str(pathlib.Path(folder, f"{name}.{threads}.log"))
        self.process = None
        self.version = None
        self.start()

    def start(self):
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(self.command, env=self.environment, stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, stderr=log, start_new_session=True)
        self.version = self.answer(PATIENCE_OF_OTHERS)["version"]
        self.signal(signal.SIGSTOP)

    def signal(self, number):
        if self.process and self.process.poll() is None:
            os.killpg(self.process.pid, number)

    def answer(self, timeout):
        """A line from the worker; a worker that does not answer is ended."""
        text, until = b"", time.monotonic() + timeout
        pipe = self.process.stdout.fileno()
        while not text.endswith(b"\n"):
            ready, _, _ = select.select([pipe], [], [], max(0, until - time.monotonic()))
            part = os.read(pipe, 1 << 20) if ready else b""
            if not part:
                self.close()
                raise Failure(self.last_words() if ready else f"no answer within {timeout:.0f} s")
            text += part
        made = json.loads(text)
        if "failure" in made:
            raise Failure(made["failure"])
        return made

    def last_words(self):
        lines = pathlib.Path(self.log).read_text(errors="replace").strip().splitlines()
        return "the process ended" + (f": {lines[-1][:300]}" if lines else "")

    def ask(self, request, timeout):
        if self.process is None:
            self.start()
        self.signal(signal.SIGCONT)
        try:
            self.process.stdin.write(json.dumps(request).encode() + b"\n")
            self.process.stdin.flush()
            return self.answer(timeout)
        except BrokenPipeError:
            self.close()
            raise Failure(self.last_words()) from None
        finally:
            self.signal(signal.SIGSTOP)

    def prepare(self, case, inputs):
        request = {"prepare": [case.cell, case.B, case.T, case.I, case.H], "inputs": inputs, "outputs": self.outputs}
        self.ask(request, PATIENCE.get(self.name, PATIENCE_OF_OTHERS))
        return np.load(self.outputs)

    def measure(self, seconds):
        return self.ask({"measure": seconds}, PATIENCE_OF_OTHERS + 10 * seconds)["calls"]

    def close(self):
        if self.process:
            self.signal(signal.SIGKILL)
            self.process.wait()
            self.process.stdin.close()
            self.process.stdout.close()
            self.process = None


def opponents_of(case):
    """The names of those who have the cell."""
    if case.cell in ("lstm", "gru", "bidirectional"):
        return ["onednn", "onnxruntime", "torch", "numpy"]
    return ["onnxruntime", "torch", "torch.compile", "numpy"]
