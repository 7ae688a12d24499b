#!/usr/bin/env bash
# Each public function has a comment right above it, with a `Thread:` line.
# Usage: comments.sh [ROOT]
set -eu
cd "${1:-$(dirname "$0")/../..}"

mapfile -t files < <(find sdk/include -name '*.h' | LC_ALL=C sort)
awk '
  /^[ \t]*\/\*\*/ {
    comment = ""
    inside = 1
  }
  inside {
    comment = comment $0 "\n"
    if (/\*\//) {
      inside = 0
      end = FNR
    }
    next
  }
  /^(SEEN_API|static inline) / {
    if (end != FNR - 1)
      what = "no comment right above it"
    else if (comment !~ /Thread: /)
      what = "no Thread: line in its comment"
    else
      next
    printf "%s:%d: %s: %s\n", FILENAME, FNR, what, $0
    bad = 1
  }
  END { exit bad }
' "${files[@]}"
