#!/usr/bin/env bash
# Each block of kind `jsonl` in a page is a trace that holds. A block of kind
# `output` with arguments is what seen-replay with them prints of the page's
# first trace. Prints TAP.
# Usage: traces.sh ROOT SEEN_REPLAY
set -eu
here=$(cd "$(dirname "$0")" && pwd)
replay=$2
cd "$1"
# shellcheck source=tests/docs/pages.sh
. "$here/pages.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
number=0
failures=0

result() { # result STATUS NAME: with what is in $work/said if it is bad
  number=$((number + 1))
  if [ "$1" = 0 ]; then
    echo "ok $number - $2"
  else
    echo "not ok $number - $2"
    sed 's/^/# /' "$work/said"
    failures=$((failures + 1))
  fi
}

while read -r page; do
  rm -f "$work"/*
  while read -r count line _; do
    status=0
    "$replay" "$work/trace.$count" >"$work/said" 2>&1 || status=1
    result $status "$page:$line holds"
  done < <(awk -v kind=jsonl -v prefix="$work/trace" \
    -f "$here/blocks.awk" "$page")
  while read -r count line arguments; do
    [ -n "$arguments" ] || continue
    read -ra arguments <<<"$arguments"
    status=0
    { "$replay" "${arguments[@]}" "$work/trace.1" |
      diff -u "$work/output.$count" -; } >"$work/said" 2>&1 || status=1
    result $status "$page:$line is what it prints"
  done < <(awk -v kind=output -v prefix="$work/output" \
    -f "$here/blocks.awk" "$page")
done < <(pages .)

echo "1..$number"
[ $failures -eq 0 ] && [ $number -gt 0 ]
