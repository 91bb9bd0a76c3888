"""Usage: workspace.py FOLDER [CELL...]

Compiles cells with all sizes written down for a GPU, calls them, and compares the workspace that the session has then
with the peak that lstm-plan-memory remarks. It needs lstm-opt and lstm-compile in PATH and a driver, but no kernels."""

import pathlib
import re
import subprocess
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "python_bindings"), str(ROOT / "test/Integration/CPU")]
import examples
import lstm_mlir


def get_peak(source):
    """What the remark says."""
    done = subprocess.run(["lstm-opt", source, "--lstm-to-nvvm", "--remarks-filter=lstm-plan-memory", "-o", "/dev/null"],
                          check=True, stderr=subprocess.PIPE, text=True)
    plans = re.findall(r"peak (\d+) bytes", done.stderr)
    # All sizes are known, and there is one function.
    assert len(plans) == 1 and "not known" not in done.stderr, done.stderr
    return int(plans[0])


def get_workspace(library):
    program = lstm_mlir.load(library)
    session = lstm_mlir.Session(program)
    dtypes = {"f32": np.float32, "i32": np.int32}
    arrays = [np.zeros(port.shape, dtypes[port.dtype]) for port in program["main"].arguments]
    assert session.get("workspace") == 0
    program["main"](*arrays, session=session)
    first = session.get("workspace")
    # The next call has what it needs.
    program["main"](*arrays, session=session)
    assert session.get("workspace") == first
    return first


def main():
    folder, failures = pathlib.Path(sys.argv[1]), 0
    for cell in sys.argv[2:] or examples.names():
        source, library = folder / f"{cell}.mlir", folder / f"{cell}.so"
        source.write_text(examples.make_static((ROOT / f"examples/cells/{cell}.mlir").read_text(), 7, 3))
        subprocess.run(["lstm-compile", "--target=cuda", source, "-o", library], check=True)
        peak, workspace = get_peak(source), get_workspace(library)
        print(f"{cell}: workspace {workspace} bytes, planned {peak}")
        failures += workspace != peak
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
