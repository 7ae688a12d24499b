#!/usr/bin/env bash
# What tools find by reading the sources. Prints TAP, a test a tool and a file.
# Usage: run.sh BUILD, a folder with compile_commands.json.
set -eu
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
cores=$(getconf _NPROCESSORS_ONLN)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
number=0
failures=0

result() { # result STATUS NAME
  number=$((number + 1))
  if [ "$1" = 0 ]; then
    echo "ok $number - $2"
  else
    echo "not ok $number - $2"
    sed 's/^/# /' "$work/output"
    failures=$((failures + 1))
  fi
}

have() { # have TOOL: else the tests of it are skipped
  command -v "$1" >/dev/null && return
  number=$((number + 1))
  echo "ok $number - $1 # SKIP no $1 here"
  return 1
}

sources() { # sources PATTERN...: files of the tree, without what is built
  local names=() pattern
  for pattern in "$@"; do
    names+=(-o -name "$pattern")
  done
  find . \( -path ./build -o -path ./.git \) -prune -o \
    -type f \( "${names[@]:1}" \) -print | sed 's|^\./||' | LC_ALL=C sort
}

mapfile -t compiled < <(
  sed -n 's|^ *"file": "\(.*\)",*$|\1|p' "$build/compile_commands.json" |
    sed "s|^$PWD/||" | LC_ALL=C sort -u
)

# The commands are gcc's, and may name warnings that clang does not know.
if have clang-tidy; then
  # shellcheck disable=SC2016 # expanded by the inner shell
  printf '%s\0' "${compiled[@]}" |
    xargs -0 -P "$cores" -n 1 bash -c '
      clang-tidy --quiet -p "$1" --extra-arg=-Wno-unknown-warning-option \
        "$3" >"$2/${3//\//+}" 2>/dev/null ||
        touch "$2/${3//\//+}.failed"
    ' bash "$build" "$work" || true
  for file in "${compiled[@]}"; do
    cp "$work/${file//\//+}" "$work/output"
    status=0
    [ ! -e "$work/${file//\//+}.failed" ] || status=1
    result $status "clang-tidy $file"
  done
fi

if have cppcheck; then
  mkdir "$work/cppcheck"
  status=0
  cppcheck --project="$build/compile_commands.json" -j "$cores" --quiet \
    --enable=warning,style,performance,portability --inline-suppr \
    --suppressions-list=tests/lint/cppcheck.txt \
    --library=tests/lint/cjson.cfg --error-exitcode=1 \
    --cppcheck-build-dir="$work/cppcheck" >"$work/output" 2>&1 || status=1
  result $status cppcheck
fi

# Each version formats in its own way; the tree is held to one.
if have clang-format; then
  mapfile -t files < <(sources '*.c' '*.h')
  if ! clang-format --version | grep -q 'version 14\.'; then
    files=()
    number=$((number + 1))
    echo "ok $number - clang-format # SKIP not version 14"
  fi
  for file in "${files[@]}"; do
    status=0
    clang-format "$file" | diff -u "$file" - >"$work/output" || status=1
    result $status "clang-format $file"
  done
fi

if have shellcheck; then
  mapfile -t files < <(sources '*.sh')
  status=0
  shellcheck -x -P SCRIPTDIR .ci/run "${files[@]}" >"$work/output" 2>&1 ||
    status=1
  result $status shellcheck
fi

echo "1..$number"
[ $failures -eq 0 ]
