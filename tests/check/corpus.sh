#!/usr/bin/env bash
# Every input of a corpus is named by the SHA-1 of its bytes, as libFuzzer does,
# so that none is there twice; all together they stay below a megabyte.
# Usage: corpus.sh [ROOT]
set -eu
cd "${1:-$(dirname "$0")/../..}"
most=1000000
bad=0
[ -d tests/fuzz/corpus ] || exit 0

while read -r sum path; do
  [ "$(basename "$path")" = "$sum" ] && continue
  echo "$path: is not named by its bytes, $sum"
  bad=1
done < <(find tests/fuzz/corpus -type f -exec sha1sum {} + | LC_ALL=C sort -k 2)

size=$(find tests/fuzz/corpus -type f -exec cat {} + | wc -c)
if [ "$size" -gt $most ]; then
  echo "tests/fuzz/corpus: $size bytes, at most $most"
  bad=1
fi
exit $bad
