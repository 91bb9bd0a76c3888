#!/usr/bin/env bash
# Usage: scripts/gpu-test.sh [--programs DIR|FILE] [--only REGEX] [--repetitions N] [--endurance N] [--no-sanitizer]
#        scripts/gpu-test.sh --build [options of scripts/gpu-build.sh]
# Calls the programs in gpu/ on the GPU of this machine, which needs Python with NumPy and PyTorch
# and nothing of LLVM. The last line of standard output is "N passed, N failed".
# With --build it compiles them instead, where the compiler is.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
if [[ "${1-}" == --build ]]; then
  shift
  exec scripts/gpu-build.sh "$@"
fi
python=.venv/bin/python
[[ -x $python ]] || python=python3
# One thread for each of the processes that compute in float64.
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
exec "$python" -B test/Integration/GPU/run.py "$@"
