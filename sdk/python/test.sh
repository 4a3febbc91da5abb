#!/usr/bin/env bash
# Runs mypy and all tests of the Python SDK, in a virtual environment of its own with exact versions.
set -euo pipefail
cd "$(dirname "$0")"
wanted=$(cksum requirements-dev.txt)
if [ "$(cat .venv/installed 2>/dev/null || true)" != "$wanted" ]; then
  rm -rf .venv
  if ! python3 -m venv .venv 2>/dev/null; then
    # Some systems ship venv without pip.
    python3 -m venv --without-pip .venv
    python3 -m pip --python .venv/bin/python install --quiet pip
  fi
  .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-compile --no-deps -r requirements-dev.txt
  echo "$wanted" > .venv/installed
fi
.venv/bin/python -m mypy & # beside the tests, which mostly wait
types=$!
# A machine that is busy for a moment breaks a test or two: up to three that failed run once more, and are named.
few_failed() { [ "$(grep -c true .venv/pytest-cache/v/cache/lastfailed)" -le 3 ]; }
.venv/bin/python -m pytest "$@" || { few_failed && .venv/bin/python -m pytest --last-failed -v "$@"; }
wait "$types"
