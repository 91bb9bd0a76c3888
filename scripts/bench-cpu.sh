#!/usr/bin/env bash
# Usage: scripts/bench-cpu.sh [--json FILE] [--quick] [--only REGEX] [--opponents A,B]
#                             [--threads N,M] [--static] [--report DIR]
# Times LSTM, GRU and other cells on the CPU beside oneDNN, ONNX Runtime, PyTorch and NumPy, in
# one run; docs/Performance.md says what is measured and how. The opponents are installed into
# ~/.cache/lstm-mlir/bench-venv (8 GB); one that cannot be installed is reported and left out.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
for argument; do
  if [[ "$argument" == -h || "$argument" == --help ]]; then
    sed -n '2,/^set/s/^# \?//p' "${BASH_SOURCE[0]}"
    exit
  fi
done

"$root/scripts/setup.sh"
"$root/scripts/build.sh" lstm-run

opponents="${XDG_CACHE_HOME:-$HOME/.cache}/lstm-mlir/bench-venv"
requirements="$root/benchmarks/cpu/opponents/requirements.txt"

# What torch.compile compiles with.
missing=()
for package in g++ python3-dev; do
  [[ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" == installed ]] || missing+=("$package")
done
if ((${#missing[@]})); then
  as_root=()
  ((EUID == 0)) || as_root=(sudo -n)
  {
    "${as_root[@]}" apt-get update -qq &&
      "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "${missing[@]}"
  } >&2 </dev/null || echo "bench-cpu: ${missing[*]} could not be installed; torch.compile will fail" >&2
fi

# One by one: what cannot be installed does not keep the others out.
if ! cmp -s "$requirements" "$opponents/installed.txt"; then
  echo "bench-cpu: installing opponents into $opponents" >&2
  [[ -x "$opponents/bin/python" ]] || /usr/bin/python3 -m venv "$opponents"
  complete=true
  mapfile -t pinned <"$requirements"
  for requirement in "${pinned[@]}"; do
    "$opponents/bin/python" -m pip install --quiet --disable-pip-version-check --retries 5 \
      --constraint "$requirements" "$requirement" >&2 </dev/null || {
      complete=false
      echo "bench-cpu: $requirement could not be installed" >&2
    }
  done
  # The next run tries again what is missing.
  ! $complete || cp "$requirements" "$opponents/installed.txt"
fi

export LSTM_BENCH_PYTHON="$opponents/bin/python"
exec "$root/.venv/bin/python" "$root/benchmarks/cpu/bench.py" "$@"
