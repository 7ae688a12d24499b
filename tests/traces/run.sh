#!/usr/bin/env bash
# Runs every trace in this folder. Prints TAP, a test a trace. One in bad/ has
# to be refused at the line that its first comment names.
# Usage: run.sh REPLAY [ARGUMENT...], the command that a trace is given to.
set -eu
cd "$(dirname "$0")"
output=$(mktemp)
trap 'rm -f "$output"' EXIT
number=0
failures=0

holds() { # holds TRACE REPLAY [ARGUMENT...]
  local trace=$1 line status=0
  shift
  "$@" "$trace" >"$output" 2>&1 </dev/null || status=$?
  case $trace in
  bad/*)
    line=$(sed -n '1s/^# error at line //p' "$trace")
    [ $status -eq 2 ] && grep -qF "$trace:$line:" "$output"
    ;;
  *) [ $status -eq 0 ] ;;
  esac
}

while read -r trace; do
  number=$((number + 1))
  if holds "$trace" "$@"; then
    echo "ok $number - $trace"
  else
    echo "not ok $number - $trace"
    sed 's/^/# /' "$output"
    failures=$((failures + 1))
  fi
done < <(find . -name '*.jsonl' | sed 's|^\./||' | LC_ALL=C sort)

echo "1..$number"
[ $failures -eq 0 ]
