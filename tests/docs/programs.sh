#!/usr/bin/env bash
# The blocks of C in a page are one program: it compiles without a warning, runs
# and prints what the page's block of kind `output` says. What it writes lies in a
# folder of its own. Prints TAP.
# Usage: programs.sh ROOT LIBRARY COMPILER [FLAG...]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
library=$2
compile=("${@:3}" -std=c11 -Wall -Wextra -pedantic -Werror)
cd "$1"
# shellcheck source=tests/docs/pages.sh
. "$here/pages.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
number=0
failures=0

try() { # try NAME COMMAND...
  number=$((number + 1))
  if "${@:2}" >"$work/said" 2>&1; then
    echo "ok $number - $1"
  else
    echo "not ok $number - $1"
    sed 's/^/# /' "$work/said"
    failures=$((failures + 1))
  fi
}

# A static library wants what it stands on.
libraries=("$library")
[[ $library == *.a ]] && libraries+=(-lcjson -lsqlite3)

builds() {
  "${compile[@]}" -I sdk/include -o "$work/program" "$work/program.c" \
    "${libraries[@]}"
}

prints_what_stands_there() { # prints_what_stands_there FILE
  (cd "$work" && LD_LIBRARY_PATH=$(dirname "$library") ./program) |
    diff -u "$1" -
}

while read -r page; do
  rm -f "$work"/*
  blocks=$(awk -v kind=c -v prefix="$work/c" -f "$here/blocks.awk" "$page" |
    wc -l)
  [ "$blocks" -gt 0 ] || continue
  for ((i = 1; i <= blocks; i++)); do
    cat "$work/c.$i"
  done >"$work/program.c"
  awk -v kind=output -v prefix="$work/output" -f "$here/blocks.awk" \
    "$page" >/dev/null
  touch "$work/output.1"
  try "$page: its C builds" builds
  try "$page: its C prints what stands there" \
    prints_what_stands_there "$work/output.1"
done < <(pages .)

echo "1..$number"
[ $failures -eq 0 ] && [ $number -gt 0 ]
