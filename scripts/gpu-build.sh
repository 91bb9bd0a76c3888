#!/usr/bin/env bash
# Usage: scripts/gpu-build.sh [--target cuda|cpu] [--output DIR] [--pack FILE] [--only REGEX]
#                             [--property N] [--jobs N] [-- FLAGS OF lstm-compile]
# Compiles what scripts/gpu-test.sh runs into gpu/, which is then taken to a machine with a GPU:
# all programs of the numeric tests, random ones, g2p. Reports what does not compile and goes on;
# the exit status is 1 then. --pack makes an archive of all, a seventh of the size, which
# scripts/gpu-test.sh takes as well.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python=.venv/bin/python
[[ -x $python ]] || python=python3
exec "$python" -B test/Integration/GPU/build.py "$@"
