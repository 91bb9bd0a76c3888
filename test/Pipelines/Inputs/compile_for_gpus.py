"""Compiles all example cells to PTX, as kernels of all steps and by libraries, and, with an assembler, that to
machine code:
compile_for_gpus.py LSTM_COMPILE LSTM_SRC [PTXAS]
"""

import pathlib
import re
import subprocess
import sys
import tempfile

lstm_compile, source, *ptxas = sys.argv[1:]
# These call libdevice, a part of the toolkit.
NEEDS_LIBDEVICE = {"layer_norm_lstm"}
# Without a product of the state.
NO_KERNEL = {"indrnn", "sru"}
cells = sorted(pathlib.Path(source, "examples", "cells").glob("*.mlir"))
done = 0
with tempfile.TemporaryDirectory() as folder:
    # A toolkit without anything: what is found then does not depend on the machine.
    empty = pathlib.Path(folder, "toolkit")
    empty.mkdir()
    for cell in cells:
        for chip, strategy in (("sm_80", "persistent"), ("sm_90", "persistent"), ("sm_90", "library")):
            flags = [] if cell.stem in NEEDS_LIBDEVICE else [f"--toolkit={empty}"]
            if cell.stem in NEEDS_LIBDEVICE and not ptxas:
                continue
            command = [lstm_compile, cell, "--target=cuda", "--emit=ptx", f"--chip={chip}", f"--strategy={strategy}", *flags]
            made = subprocess.run(command, capture_output=True, text=True)
            text = made.stdout
            assert made.returncode == 0 and not made.stderr, f"{cell.name}: {made.stderr}"
            assert re.search(r"^\.visible \.entry main_kernel", text, re.M), f"{cell.name}: no kernel"
            assert f".target {chip}" in text, f"{cell.name}: not for {chip}"
            assert "__nv_" not in text, f"{cell.name} calls libdevice"
            is_kernel = strategy == "persistent" and cell.stem not in NO_KERNEL
            assert ("mma.sync" in text) == is_kernel, f"{cell.name}, {strategy}: not the strategy"
            if ptxas:
                path = pathlib.Path(folder, "kernels.ptx")
                path.write_text(text)
                result = subprocess.run([ptxas[0], f"-arch={chip}", path, "-o", path.with_suffix(".cubin")],
                                        capture_output=True, text=True)
                assert result.returncode == 0, f"{cell.name}: {result.stdout}{result.stderr}"
            done += 1
print(f"{done} programs of {len(cells)} cells")
