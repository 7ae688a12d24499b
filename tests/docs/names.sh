#!/usr/bin/env bash
# docs/trace.md names every verb and field that the parser knows, the page on
# embedding the engine every effect, docs/guide.md every event, docs/errors.md
# every error, problem, state of the link and why it ended,
# docs/architecture.md every source of the library and docs/contributing.md
# every suite of tests/run.sh.
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

# A name in the parser's tables is the first text of an entry; an "item" is
# what errors call an id in a list.
mapfile -t fields < <(
  cat sdk/src/trace/{inputs,states,expects,items}.c | tr '\n' ' ' |
    grep -oE '\b[A-Z][A-Z_]*\([^"()]*"[a-z_]+" *,|\.name = "[a-z_]+"|, "[a-z_]+", &' |
    sed -E 's/.*"([a-z_]+)".*/\1/' | grep -vx item | sort -u
)
named docs/trace.md "${fields[@]}"

# constants PREFIX HEADER: those of an enumeration.
constants() {
  grep -oE "^  SEEN_$1_[A-Z_]+" "sdk/include/seen/$2" | sed 's/^ *//' | sort -u
}

mapfile -t effects < <(constants EFFECT sys/effect.h)
named docs/embedding-the-engine.md "${effects[@]}"

# The last event is only for who pulls; no app has to know it.
mapfile -t events < <(constants EVENT event.h | grep -v _CLOSED)
named docs/guide.md "${events[@]}"

mapfile -t errors < <(
  sed -nE 's/^  X\((E[A-Z]+), .*/SEEN_\1/p' sdk/include/seen/error.h
)
named docs/errors.md "${errors[@]}"

for set in "PROBLEM event.h" "CONNECTION event.h" "ENDED sys/transport.h"; do
  read -r prefix header <<<"$set"
  mapfile -t words < <(constants "$prefix" "$header")
  named docs/errors.md "${words[@]}"
done

mapfile -t sources < <(
  find sdk/src -name '*.c' | sed 's|.*/||' | sort -u
)
named docs/architecture.md "${sources[@]}"

mapfile -t suites < <(
  sed -nE '/^Usage/,/^Without/s/^  ([a-z]+)  .*/\1/p' tests/run.sh
)
named docs/contributing.md "${suites[@]}"

exit $bad
