# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Canonicalizes every .mlir file of a folder; fails where that does not converge."""

import glob
import os
import subprocess
import sys

failed = False
for path in sorted(glob.glob(os.path.join(sys.argv[1], "*.mlir"))):
    for passes in ([], ["--lstm-decompose-cells"]):
        done = subprocess.run(["lstm-opt", path, *passes, "--canonicalize=test-convergence=true", "-o", os.devnull],
                              stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            failed = True
            print(f"{path} {' '.join(passes)}:\n{done.stderr}", file=sys.stderr)
sys.exit(1 if failed else 0)
