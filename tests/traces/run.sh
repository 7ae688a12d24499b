#!/usr/bin/env bash
# Runs every trace in this folder. Prints TAP, a test a trace.
# Usage: run.sh REPLAY [ARGUMENT...], the command that a trace is given to.
set -eu
cd "$(dirname "$0")"
output=$(mktemp)
trap 'rm -f "$output"' EXIT
number=0
failures=0

while read -r trace; do
  number=$((number + 1))
  if "$@" "$trace" >"$output" 2>&1 </dev/null; then
    echo "ok $number - $trace"
  else
    echo "not ok $number - $trace"
    sed 's/^/# /' "$output"
    failures=$((failures + 1))
  fi
done < <(find . -name '*.jsonl' | sed 's|^\./||' | LC_ALL=C sort)

echo "1..$number"
[ $failures -eq 0 ]
