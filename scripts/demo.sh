#!/usr/bin/env bash
# Usage: scripts/demo.sh [WORD…]
# Installs what is needed, builds, and turns English words into phonemes with a pretrained
# encoder–decoder compiled by this project. Standard output has one line a word: the word, a
# tab, the phonemes. Then a batch of a dictionary's words is timed against NumPy; the figures
# go to standard error.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/setup.sh
scripts/build.sh lstm-opt lstm-run
examples/g2p/weights.sh
# NumPy's library is to choose its kernel and its blocks itself.
unset "${!OPENBLAS_@}"
.venv/bin/python examples/g2p/g2p.py -- "$@"
.venv/bin/python examples/g2p/compare.py
