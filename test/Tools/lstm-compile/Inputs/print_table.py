# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the table of a compiled program, a line an entry."""

import ctypes
import json
import sys

library = ctypes.CDLL(sys.argv[1])
table = json.loads(ctypes.string_at(ctypes.addressof(ctypes.c_char.in_dll(library, "lstm_program"))))


def ports(listed):
    return ", ".join(f"{p['name']} {p['dtype']}" + ("" if p["shape"] is None else f"[{','.join(map(str, p['shape']))}]")
                     for p in listed)


print(f"target {table['target']}, prefix {table['prefix']}")
for entry in table["entries"]:
    getattr(library, entry["symbol"])
    print(f"{entry['name']} = {entry['symbol']}: {ports(entry['arguments'])} -> {ports(entry['results'])}".replace("  ", " ").rstrip())
