#!/usr/bin/env bash
# Adds to the corpora what runs of the fuzzers found: of what reaches something
# new, the smallest inputs, as long as there is room for them. What is there
# stays: some of it is a fault's that was mended.
# Usage: keep.sh BUILD [TARGET...], BUILD being build/fuzz/tests/fuzz
set -eu
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/corpus"
shift
most=64000 # bytes a target
[ $# -gt 0 ] || set -- *
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

size() { # size FOLDER
  find "$1" -type f -exec cat {} + | wc -c
}

for target in "$@"; do
  mkdir -p "$target" "$build/corpus/$target"
  cp -r "$target" "$work"
  TMPDIR=$work "$build/fuzz_$target" -merge=1 -max_len=8192 -timeout=20 \
    "$work/$target" "$build/corpus/$target" >"$work/log" 2>&1
  # Many small ones say more than a few large ones.
  find "$work/$target" -type f -printf '%s %f\n' | sort -n |
    while read -r bytes name; do
      [ ! -e "$target/$name" ] || continue
      [ $(($(size "$target") + bytes)) -le $most ] || break
      cp "$work/$target/$name" "$target"
    done
  echo "$target: $(find "$target" -type f | wc -l) inputs," \
    "$(size "$target") bytes"
done
