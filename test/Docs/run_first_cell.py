"""Does what README.md says about a cell of one's own, and checks the result.

Usage: run_first_cell.py README.md DIRECTORY; lstm-run is on the PATH.
"""

import pathlib
import re
import subprocess
import sys

import numpy as np


def main():
    section = pathlib.Path(sys.argv[1]).read_text().split("## A cell of your own", 1)[1]
    directory = pathlib.Path(sys.argv[2])
    program = re.search(r"^```mlir\n(.*?)^```$", section, re.MULTILINE | re.DOTALL).group(1)
    commands = re.search(r"^```sh\n(.*?)^```$", section, re.MULTILINE | re.DOTALL).group(1)
    (directory / "cell.mlir").write_text(program)
    commands = commands.replace(".venv/bin/python", sys.executable).replace("build/bin/", "")
    subprocess.run(["bash", "-euc", commands], cwd=directory, check=True)

    arrays = {name: array.astype("f8") for name, array in np.load(directory / "in.npz").items()}
    h = arrays["h0"]
    for x in arrays["xs"]:
        h = (h + np.tanh(x @ arrays["W"] + h @ arrays["U"])) / 2
    np.testing.assert_allclose(np.load(directory / "out.npz")["hT"], h, rtol=1e-5, atol=1e-5)


if __name__ == "__main__":
    main()
