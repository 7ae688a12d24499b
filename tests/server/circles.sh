#!/usr/bin/env bash
# No file of the server calls a file that calls it, on whatever way; and each
# function that a file shows is called by another one, or by a test.
# Usage: circles.sh FOLDER-OF-TESTS OBJECT...
set -u
tests=$1
shift
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

# SYMBOL FILE, of what is defined and of what is asked for.
nm -A "$@" | sed 's|^[^:]*/||; s|\.o:| |' >"$place/symbols"
awk '$(NF - 1) ~ /^[TDBRV]$/ {print $NF, $1}' "$place/symbols" |
  sort >"$place/defined"
awk '$(NF - 1) == "U" {print $NF, $1}' "$place/symbols" | sort >"$place/wanted"

echo 1..2
join "$place/wanted" "$place/defined" | awk '{print $2, $3}' | sort -u \
  >"$place/calls"
if [ -s "$place/calls" ] && tsort "$place/calls" >/dev/null 2>"$place/loop"; then
  echo "ok 1 - no file calls one that calls it"
else
  echo "not ok 1 - no file calls one that calls it"
  sed 's/^/# /' "$place/loop"
fi

unused=
for symbol in $(join -v 2 "$place/wanted" "$place/defined" | cut -d' ' -f1 |
  grep -v '^main$\|^__'); do
  grep -rqw "$symbol" "$tests" --include='*.[ch]' || unused+=" $symbol"
done
if [ -z "$unused" ]; then
  echo "ok 2 - what a file shows is called from elsewhere"
else
  echo "not ok 2 - what a file shows is called from elsewhere:$unused"
fi
