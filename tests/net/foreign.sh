#!/usr/bin/env bash
# The transport against a server that is not of this project.
# Usage: foreign.sh PROGRAM, the test.
set -eu
here=$(cd "$(dirname "$0")" && pwd)

for python in python3 /usr/bin/python3; do
  if "$python" -c 'import websockets' 2>/dev/null; then
    export PYTHONDONTWRITEBYTECODE=1
    coproc "$python" "$here/foreign.py"
    read -r port <&"${COPROC[0]}"
    # Not by exec: the server ends with this shell's end of its input.
    status=0
    "$1" "$port" || status=$?
    exit $status
  fi
done
echo "1..1"
echo "ok 1 - net_foreign # SKIP no python3 with websockets"
