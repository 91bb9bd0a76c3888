#!/usr/bin/env bash
# Usage: scripts/test.sh [--sanitize]
# Installs, builds and runs every test. The last line of standard output is "N passed, N failed".
# With --sanitize it builds with the Address and UndefinedBehavior sanitizers, in build-sanitize/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build=build
[[ "${1-}" == --sanitize ]] && build="build-sanitize"

results="$PWD/$build/test-results.json"
rm -f "$results"
# Whatever keeps the tests from running is one failure.
trap '[[ -f $results ]] || echo "0 passed, 1 failed"' EXIT

scripts/setup.sh
scripts/build.sh "$@"

status=0
/usr/lib/llvm-22/bin/lit -sv --time-tests --output "$results" "$build/test" </dev/null || status=$?
.venv/bin/python - "$results" "$status" <<'END'
import collections, json, sys

codes = collections.Counter(test["code"] for test in json.load(open(sys.argv[1]))["tests"])
print(", ".join(f"{code}: {count}" for code, count in sorted(codes.items())))
passed = codes["PASS"] + codes["FLAKYPASS"] + codes["XFAIL"]
failed = sum(codes.values()) - passed - codes["UNSUPPORTED"] - codes["SKIPPED"] - codes["EXCLUDED"]
# lit fails for other reasons too, as a configuration that it cannot read.
failed = max(failed, int(sys.argv[2] != "0" or not passed))
print(f"{passed} passed, {failed} failed")
sys.exit(failed != 0)
END
