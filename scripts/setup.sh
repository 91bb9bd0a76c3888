#!/usr/bin/env bash
# Installs what the build, the tests and the demo need on Debian 12: packages, and a
# Python environment in .venv. What is already there is left alone.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
exec 1>&2 </dev/null

packages=(
  # LLVM and MLIR; the compiler, its linker and its sanitizers' runtime
  libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools clang-22 lld-22 libclang-rt-22-dev
  # what LLVM's CMake package looks for
  zlib1g-dev libzstd-dev libxml2-dev
  # the build
  cmake ninja-build ccache pkg-config libzip-dev libffi-dev libgtest-dev
  # the tests and the demo
  python3-venv ca-certificates wamerican
  # the tests of code for another processor
  gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user
)

missing=()
for package in "${packages[@]}"; do
  if [[ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" != installed ]]; then
    missing+=("$package")
  fi
done

if ((${#missing[@]})); then
  echo "setup: installing ${missing[*]}"
  as_root=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null || {
      echo "setup: error: installing packages needs root, and there is no sudo"
      exit 1
    }
    as_root=(sudo)
  fi
  for attempt in 1 2 3; do
    "${as_root[@]}" apt-get update -qq && break
    ((attempt < 3)) || {
      echo "setup: error: apt-get update failed three times"
      exit 1
    }
    sleep $((attempt * 5))
  done
  for package in "${missing[@]}"; do
    policy="$(LC_ALL=C apt-cache policy "$package")"
    if [[ "$policy" != *"Candidate: "[^\(]* ]]; then
      echo "setup: error: no package '$package' in the sources that apt knows;" \
        "LLVM 22 comes from Debian 12's suite bookworm-security, component main, the rest from bookworm"
      exit 1
    fi
  done
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends \
    -o Acquire::Retries=3 -o Dpkg::Use-Pty=0 "${missing[@]}" >/dev/null
fi

# The system's Python: python3-venv serves no other.
if ! cmp -s scripts/requirements.txt .venv/installed.txt || ! .venv/bin/python -c 'import numpy' 2>/dev/null; then
  echo "setup: making .venv"
  /usr/bin/python3 -m venv --clear .venv
  .venv/bin/python -m pip install --quiet --disable-pip-version-check --retries 5 -r scripts/requirements.txt
  cp scripts/requirements.txt .venv/installed.txt
fi
