# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A call of a case: its arguments and places, and what came of it."""

import numpy as np
import runner


class Call:
    """Arguments and places of a case, for calls that all use the same memory."""

    def __init__(self, case, where, arguments=None):
        self.case, self.where = case, where
        self.arguments = arguments or [where.place(a) if isinstance(a, np.ndarray) else a for a in case.arguments]
        self.places = None

    def make_places(self, entry):
        """Once the shapes are known: of a result that is not judged, from a first call."""
        if self.places is None:
            self.places = [None if result is None or not port.is_tensor
                           else self.where.empty(result.value.shape, result.type)
                           for port, result in zip(entry.results, self.case.results)]

    def run(self, program, **options):
        """Calls with poisoned places."""
        entry = program[self.case.entry]
        self.make_places(entry)
        for place in self.places:
            if place is not None:
                self.where.poison(place)
        made = entry(*self.arguments, out=self.places, **options)
        self.made = made if len(entry.results) != 1 else (made,)
        return self

    def fetch(self):
        """Results as arrays on the host, once all is done; None for those that are not judged."""
        found = [None if result is None
                 else self.where.fetch(value) if hasattr(value, "shape") else runner.encode(value, result.type)
                 for value, result in zip(self.made or (), self.case.results)]
        self.where.finish()
        return found

    def check(self, found=None):
        for value, result in zip(self.fetch() if found is None else found, self.case.results):
            if result is not None:
                try:
                    result.check(value)
                except runner.Failure as failure:
                    raise runner.Failure(f"{self.case.label}: {failure}") from None

    def check_arguments(self):
        """That none was written to."""
        for number, (now, before) in enumerate(zip(self.arguments, self.case.arguments)):
            if isinstance(before, np.ndarray) and self.where.fetch(now).tobytes() != before.tobytes():
                raise runner.Failure(f"{self.case.label}: argument #{number} was changed")


def check_same(label, found, others):
    """Bit for bit."""
    for number, (one, other) in enumerate(zip(found, others)):
        if one is not None and one.tobytes() != other.tobytes():
            different = int(np.sum(one.reshape(-1).view(np.uint8) != other.reshape(-1).view(np.uint8)))
            raise runner.Failure(f"{label}: result #{number} differs from the first call's in {different} bytes")
