#!/usr/bin/env bash
# What a page quotes of the demo's summary, in a block of kind `demo`, is what
# seen-demo prints: line by line, in order, indentation apart.
# Usage: demo.sh ROOT SEEN_DEMO SEEN_SERVER
set -eu
here=$(cd "$(dirname "$0")" && pwd)
demo=$2
server=$3
cd "$1"
# shellcheck source=tests/docs/pages.sh
. "$here/pages.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
quoted=0

"$demo" "$server" samples/data </dev/null | sed 's/^ *//' >"$work/printed"
while read -r page; do
  while read -r count line _; do
    quoted=$((quoted + 1))
    sed 's/^ *//' "$work/demo.$count" >"$work/quoted"
    awk -v place="$page:$line" '
      NR == FNR { printed[FNR] = $0; last = FNR; next }
      {
        for (i = at + 1; i <= last && printed[i] != $0; i++)
          ;
        if (i > last) {
          print place ": the demo does not print: " $0
          exit 1
        }
        at = i
      }
    ' "$work/printed" "$work/quoted" || bad=1
  done < <(awk -v kind=demo -v prefix="$work/demo" -f "$here/blocks.awk" "$page")
done < <(pages .)

if [ $quoted = 0 ]; then
  echo "no page quotes the demo"
  bad=1
fi
exit $bad
