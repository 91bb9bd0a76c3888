#!/usr/bin/env bash
# Puts the pretrained weights into .cache/checkpoint20.npz: the one file of the package g2p-en
# that the model needs, without what the package itself depends on.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
exec 1>&2 </dev/null

file=.cache/checkpoint20.npz
digest=b8af35e4596d8dd5836dfd3fe9b2ba4f97b9c311efe8879544cbcfcbd566d8c6

is_there() { [[ -f $file ]] && sha256sum --check --status <<<"$digest  $file"; }

is_there && exit
mkdir -p .cache
.venv/bin/python -m pip download --quiet --disable-pip-version-check --retries 5 --no-deps \
  --only-binary :all: --dest .cache g2p-en==2.1.0
.venv/bin/python - <<'END'
import zipfile

with zipfile.ZipFile(".cache/g2p_en-2.1.0-py3-none-any.whl") as wheel:
    data = wheel.read("g2p_en/checkpoint20.npz")
with open(".cache/checkpoint20.npz", "wb") as file:
    file.write(data)
END
is_there || {
  echo "weights: error: $file is not the file expected (SHA-256 $digest)"
  exit 1
}
