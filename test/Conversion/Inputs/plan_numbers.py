"""Runs example cells on the CPU with lstm-plan-memory in the pipeline and compares with
float64: plan_numbers.py LSTM_OPT LSTM_SRC name ...
"""

import os
import subprocess
import sys

lstm_opt, source, *names = sys.argv[1:]
sys.path.insert(0, os.path.join(source, "test", "Integration", "CPU"))
import check
import runner

PLACE = "expand-realloc{"  # the first pass of deallocation


def pipeline(options):
    """The default pipeline as text, with the pass in it."""
    program = os.path.join(source, "examples", "cells", "rnn.mlir")
    text = subprocess.run([lstm_opt, program, f"--lstm-to-llvm={options}", "--dump-pass-pipeline"],
                          capture_output=True, text=True, check=True).stderr
    text = text[text.index("builtin.module("):]
    assert text.count(PLACE) == 1
    return " ".join(text.replace(PLACE, "func.func(lstm-plan-memory)," + PLACE).split())


runner.MODES = [("--pass-pipeline=" + pipeline(options),) for options in ("optimize=true", "optimize=false")]
for name in names:
    print(f"{name}: {check.example(name):.3g}")
print(f"{len(names)} cells agree")
