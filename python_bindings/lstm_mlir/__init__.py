# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls programs that lstm-compile made. See docs/Python.md."""

from .runtime import DROPPED, Entry, Program, load
from .session import DeviceArray, Error, Session, Status

__all__ = ["DROPPED", "DeviceArray", "Entry", "Error", "Program", "Session", "Status", "load"]
