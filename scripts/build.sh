#!/usr/bin/env bash
# Usage: scripts/build.sh [--sanitize] [TARGET…]
# Configures and builds into build/ (with --sanitize build-sanitize/): everything, or the targets named.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
exec 1>&2 </dev/null

preset=default build=build
if [[ "${1-}" == --sanitize ]]; then
  preset=sanitize build=build-sanitize
  shift
fi

if [[ ! -f $build/build.ninja ]]; then
  log="$(mktemp)"
  trap 'rm -f "$log"' EXIT
  cmake --preset "$preset" >"$log" || {
    cat "$log"
    exit 1
  }
fi
# The preset also sets what ccache needs to see.
cmake --build --preset "$preset" ${1+--target "$@"}
