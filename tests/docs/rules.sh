#!/usr/bin/env bash
# Each rule of docs/semantics.md has a trace, each trace of a rule has its rule,
# and what the sources cite as a rule is one.
# Usage: rules.sh [ROOT]
set -eu
cd "${1:-$(dirname "$0")/../..}"
export LC_ALL=C
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

sed -nE 's/^### ([A-Z][0-9]+) .*/\1/p' docs/semantics.md >"$work/all"
sort -u "$work/all" >"$work/rules"
find tests/traces/rules -name '*.jsonl' | sed 's|.*/||; s|_.*||' |
  sort -u >"$work/traces"
# Ids are single capitals of the page and a number, in comments of the sources.
find sdk samples -name '*.[ch]' -exec grep -ohE \
  '(/\*|^ \*|//).*' {} + | grep -oE '\b[FPUMBVSR][0-9]{1,2}\b' |
  sort -u >"$work/cited"

if [ ! -s "$work/rules" ]; then
  echo "docs/semantics.md: no rule has a heading"
  bad=1
fi
for id in $(sort "$work/all" | uniq -d); do
  echo "docs/semantics.md: $id twice"
  bad=1
done
for id in $(comm -23 "$work/rules" "$work/traces"); do
  echo "docs/semantics.md: $id has no trace in tests/traces/rules"
  bad=1
done
for id in $(comm -13 "$work/rules" "$work/traces"); do
  echo "tests/traces/rules: $id is no rule of docs/semantics.md"
  bad=1
done
for id in $(comm -13 "$work/rules" "$work/cited"); do
  echo "$id is cited and no rule:"
  grep -rnE "\b$id\b" sdk samples --include='*.[ch]' | head -n 3
  bad=1
done
exit $bad
