#!/usr/bin/env bash
# Runs one of the tests of this folder by a Python that has `websockets`.
# Usage: run.sh TEST.py PROGRAM [ARGUMENT...]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
name=$(basename "$1" .py)

skip() {
  echo "1..1"
  echo "ok 1 - $name # SKIP $1"
  exit 0
}

command -v curl >/dev/null || skip "no curl"
for python in python3 /usr/bin/python3; do
  if "$python" -c 'import websockets' 2>/dev/null; then
    export PYTHONDONTWRITEBYTECODE=1
    exec "$python" "$here/$1" "${@:2}"
  fi
done
skip "no python3 with websockets"
