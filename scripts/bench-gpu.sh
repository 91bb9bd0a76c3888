#!/usr/bin/env bash
# Usage: scripts/bench-gpu.sh [--json FILE] [--quick] [--only REGEX] [--opponents A,B] [--minutes N]
#                             [--programs DIR] [--report DIR] [--no-steps]
#        scripts/bench-gpu.sh --build [--quick] [--only REGEX] [--output DIR] [--no-predictions] [-- FLAGS OF lstm-compile]
# Times LSTM, GRU and cells that no library has (peephole and layer-norm LSTM, one of our own) on the
# GPU beside cuDNN (torch.nn), a cell written in PyTorch, eager and by torch.compile, and XLA's
# lax.scan, in one run. It needs Python with NumPy and PyTorch, JAX for XLA, and nothing of LLVM:
# --build compiles the programs into gpu/bench/ beforehand, and asks what their steps are predicted to
# take. --no-steps leaves out what a step takes over H; --only ragged is for rows of several lengths alone.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
for argument; do
  if [[ "$argument" == -h || "$argument" == --help ]]; then
    sed -n '2,/^set/s/^# \?//p' "${BASH_SOURCE[0]}" | grep -v '^set'
    exit
  fi
done
python="$root/.venv/bin/python"
[[ -x "$python" ]] || python=python3
if [[ "${1-}" == --build ]]; then
  shift
  exec "$python" -B "$root/benchmarks/gpu/build.py" "$@"
fi
exec "$python" -B "$root/benchmarks/gpu/bench.py" "$@"
