# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails if a block that can reach itself allocates on the stack; reads the LLVM dialect."""

import re
import sys

blocks = allocas = loops = 0
for function in re.split(r"(?m)^  llvm\.func ", sys.stdin.read())[1:]:
    name = re.search(r"@[\w$.]+", function)[0]
    pieces = re.split(r"(?m)^  (\^bb\d+)(?:\(.*\))?:.*$", function)
    bodies = dict(zip(["^entry", *pieces[1::2]], pieces[::2]))
    edges = {block: set(re.findall(r"\^bb\d+", body)) for block, body in bodies.items()}
    for block, body in bodies.items():
        blocks += 1
        reached, work = set(), [block]
        while work:
            new = edges[work.pop()] - reached
            reached |= new
            work += new
        if block not in reached:
            continue
        loops += 1
        if "llvm.alloca" in body:
            allocas += 1
            print(f"{name}: {block} runs repeatedly and holds\n{re.search('.*llvm.alloca.*', body)[0].strip()}",
                  file=sys.stderr)
print(f"{blocks} blocks, {loops} of them in loops, {allocas} of those allocate on the stack")
sys.exit(1 if allocas or not loops else 0)
