#!/usr/bin/env bash
# A file has at most 600 lines, a function at most 80.
# Usage: sizes.sh [ROOT]
set -eu
cd "${1:-$(dirname "$0")/../..}"

mapfile -t files < <(
  find sdk platform bindings samples tests -name '*.[ch]' 2>/dev/null |
    LC_ALL=C sort
)
awk -v most_lines=600 -v most_function=80 '
  function complain(line, what) {
    printf "%s:%d: %s\n", path, line, what
    bad = 1
  }

  function end_of_file() {
    if (lines > most_lines)
      complain(lines, lines " lines, at most " most_lines)
  }

  FNR == 1 {
    end_of_file()
    path = FILENAME
    start = open = 0
  }

  { lines = FNR }

  # A definition starts in the first column and its body ends with a brace
  # there: .clang-format sees to it.
  !open && /^[A-Za-z_]/ && !/^(typedef|extern "C")/ {
    if (!start)
      start = FNR
  }
  !open && start && /;[ \t]*$/ { start = 0 }
  !open && start && /\{[ \t]*$/ {
    if ($0 !~ /=[ \t]*\{/ && $0 !~ /^(struct|enum|union)[^()]*\{/)
      open = start
    start = 0
  }
  open && /^}/ {
    if (FNR - open + 1 > most_function)
      complain(open, "a function of " FNR - open + 1 " lines, at most " \
                     most_function)
    open = 0
  }
  /^[ \t]*$/ && !open { start = 0 }

  END {
    end_of_file()
    exit bad
  }
' "${files[@]}"
