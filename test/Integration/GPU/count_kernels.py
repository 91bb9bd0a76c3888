"""Usage: count_kernels.py FOLDER PROGRAM...

Some cells of programs of random ones: how many become kernels, and whether the CPU computes what is expected of them. Needs lstm-opt
and lstm-compile in PATH."""

import pathlib
import subprocess
import sys

import programs
import lstm_mlir  # noqa: I100 (programs says where it is)
from calls import Call
from device import Host


def count_kernels(source, flags):
    """lstm-opt's option has no dashes."""
    options = " ".join(flag.lstrip("-") for flag in flags)
    done = subprocess.run(["lstm-opt", source, f"--lstm-to-nvvm={options} format=ptx", "--remarks-filter=lstm-plan-kernels", "-o", "/dev/null"],
                          check=True, stderr=subprocess.PIPE, text=True)
    return done.stderr.count("[Passed] PlanKernels")


def main():
    folder, right, cases, kernels, cells = pathlib.Path(sys.argv[1]), 0, 0, 0, 0
    known = programs.every(0)
    for name in sys.argv[2:]:
        program = known[name]
        program.seeds = program.seeds[:3]
        source, library = folder / program.library.replace(".so", ".mlir"), folder / program.library
        source.write_text(program.text())
        kernels += count_kernels(source, program.flags)
        cells += len(program.seeds)
        subprocess.run(["lstm-compile", source, "-o", library], check=True)
        loaded = lstm_mlir.load(library)
        for case in program.cases():
            cases += 1
            try:
                Call(case, Host()).run(loaded).check()
                right += 1
            except programs.runner.Failure as failure:
                print(failure)
    print(f"{right} of {cases} cases right on the CPU")
    print(f"{kernels} kernels of {cells} cells")


if __name__ == "__main__":
    main()
