#!/usr/bin/env bash
# Lets libFuzzer invent inputs, SEEN_SECONDS over all targets: each goes on from
# its corpus and from what earlier runs found. What is new is kept beside the
# programs in corpus/, what crashes in crashes/. Prints TAP, a test a target.
# Usage: run.sh BUILD TARGET..., BUILD being the folder of the programs.
set -eu
build=$1
shift
corpora=$(cd "$(dirname "$0")" && pwd)/corpus
words=$(dirname "$corpora")/words.dict
each=$((${SEEN_SECONDS:-60} / $#))
[ "$each" -gt 0 ] || each=1
number=0
failures=0

# Where targets put their files: in memory, if that can be had.
TMPDIR=$(mktemp -d -p "$([ -w /dev/shm ] && echo /dev/shm || echo /tmp)")
export TMPDIR UBSAN_OPTIONS=print_stacktrace=1
trap 'rm -rf "$TMPDIR"' EXIT

count() { # count FOLDER
  find "$1" -type f | wc -l
}

last() { # last FIELD LOG: the number behind the field, in the last line with it
  sed -n "s/.* $1: \([0-9]*\).*/\1/p" "$2" | sed -n '$p'
}

fuzz() { # fuzz TARGET SECONDS
  local found=$build/corpus/$1 crashes=$build/crashes/$1 log=$build/$1.log
  local before crashed first options=()
  mkdir -p "$found" "$crashes"
  before=$(count "$found")
  crashed=$(count "$crashes")
  case $1 in
  chat_log | import | server | session | trace | wire)
    options=("-dict=$words")
    ;;
  esac
  nice "$build/fuzz_$1" "-max_total_time=$2" -max_len=8192 -timeout=20 \
    -rss_limit_mb=2048 -print_final_stats=1 "-artifact_prefix=$crashes/" \
    "${options[@]}" "$found" "$corpora/$1" >"$log" 2>&1 || true

  first=$(sed -n 's/.*INITED cov: \([0-9]*\).*/\1/p' "$log")
  echo "# $1: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log")" \
    "executions, coverage ${first:-0} to $(last cov "$log")," \
    "$(($(count "$found") - before)) new inputs," \
    "$(($(count "$crashes") - crashed)) crashes"
  number=$((number + 1))
  if grep -q '^Done ' "$log" && [ "$(count "$crashes")" = "$crashed" ]; then
    echo "ok $number - fuzz $1"
  else
    tail -n 30 "$log" | sed 's/^/# /'
    echo "not ok $number - fuzz $1"
    failures=$((failures + 1))
  fi
}

echo "1..$#"
for target in "$@"; do
  fuzz "$target" "$each"
done
[ $failures -eq 0 ]
