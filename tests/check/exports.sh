#!/usr/bin/env bash
# What is public in the sources, what the list says and what the shared library
# exports are the same symbols.
# Usage: exports.sh LIST LIBRARY OBJECT...
set -eu
export LC_ALL=C

list=$1
name=$(basename "$1")
library=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

if ! sort -cu "$list"; then
  echo "$list: not sorted, or a symbol twice"
  bad=1
fi
sort -u "$list" >"$work/list"

nm -D --defined-only -P "$library" | awk '$2 != "A" { print $1 }' |
  sort -u >"$work/exported"
readelf -sW "$@" |
  awk '$5 ~ /GLOBAL|WEAK/ && $6 == "DEFAULT" && $7 ~ /^[0-9]+$/ { print $8 }' |
  sort -u >"$work/public"

compare() {
  if [ -n "$(comm "$1" "$work/list" "$2")" ]; then
    comm "$1" "$work/list" "$2" | sed "s|$| $3|"
    bad=1
  fi
}
compare -13 "$work/public" "is SEEN_API and not in $name"
compare -23 "$work/public" "is in $name and nowhere SEEN_API"
compare -13 "$work/exported" "is exported and not in $name"
compare -23 "$work/exported" "is in $name and not exported"

exit $bad
