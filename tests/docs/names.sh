#!/usr/bin/env bash
# docs/trace.md names every verb and field that the parser knows, the page on
# embedding every effect, docs/conventions.md every error, docs/architecture.md
# every source of the library and docs/contributing.md every suite of
# tests/run.sh.
# Usage: names.sh [ROOT]
set -eu
cd "${1:-$(dirname "$0")/../..}"
export LC_ALL=C
bad=0

# named PAGE NAME...: each stands in code marks, in quotes, or in an object.
named() {
  local page=$1 name
  shift
  if [ $# -lt 5 ]; then
    echo "$page: too few names to compare with: $*"
    bad=1
  fi
  for name in "$@"; do
    grep -qE "[\`\"]${name}[\`\"]" "$page" && continue
    echo "$page: does not name $name"
    bad=1
  done
}

# A name in the parser's tables is the first text of an entry.
mapfile -t fields < <(
  cat sdk/src/trace/{inputs,states,expects,items}.c | tr '\n' ' ' |
    grep -oE '\b[A-Z][A-Z_]*\([^"()]*"[a-z_]+" *,|\.name = "[a-z_]+"|, "[a-z_]+", &' |
    sed -E 's/.*"([a-z_]+)".*/\1/' | sort -u
)
named docs/trace.md "${fields[@]}"

mapfile -t effects < <(
  grep -oE '^  SEEN_EFFECT_[A-Z_]+' sdk/include/seen/sys/effect.h |
    sed 's/^ *//' | sort -u
)
named docs/embedding-the-engine.md "${effects[@]}"

mapfile -t errors < <(
  sed -nE 's/^  X\((E[A-Z]+), .*/SEEN_\1/p' sdk/include/seen/error.h
)
named docs/conventions.md "${errors[@]}"

mapfile -t sources < <(
  find sdk/src -name '*.c' | sed 's|.*/||' | sort -u
)
named docs/architecture.md "${sources[@]}"

mapfile -t suites < <(
  sed -nE '/^Usage/,/^Without/s/^  ([a-z]+)  .*/\1/p' tests/run.sh
)
named docs/contributing.md "${suites[@]}"

exit $bad
