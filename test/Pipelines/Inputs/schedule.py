"""Whether schedules/cpu/default.mlir and the passes that it stands for make the same of
each example cell: schedule.py LSTM_OPT SOURCE_FOLDER."""

import pathlib
import subprocess
import sys

opt, source = sys.argv[1], pathlib.Path(sys.argv[2])
SCHEDULE = ["--transform-preload-library=transform-library-paths=" + str(source / "schedules/cpu/default.mlir"),
            "--transform-interpreter"]
PASSES = ["--lstm-to-phases", "--lstm-pack-weights", "--lstm-lower-recurrence"]


def lines(path, flags):
    done = subprocess.run([opt, path, *flags], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{path.name}: {done.stderr}")
    return done.stdout.splitlines()


for example in sorted((source / "examples/cells").glob("*.mlir")):
    scheduled, passes = lines(example, SCHEDULE), lines(example, PASSES)
    for ours, theirs in zip(scheduled + [""], passes + [""]):
        if ours != theirs:
            sys.exit(f"{example.name}: the schedule makes\n{ours}\nthe passes\n{theirs}")
    print(f"{example.name}: the same")
