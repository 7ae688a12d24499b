#!/usr/bin/env bash
# sdk/src/X/y.c has its test tests/X/y_test.c, and each is part of the build. So
# has platform/X/y.c, whatever X is, in tests/platform.
# Usage: twins.sh [ROOT]
set -eu
cd "${1:-$(dirname "$0")/../..}"
bad=0

listed() {
  grep -qsw -- "$(basename "$1")" "$(dirname "$1")/CMakeLists.txt" && return
  echo "$1: is not in its folder's CMakeLists.txt"
  bad=1
}

for source in sdk/src/*/*.c platform/*/*.c; do
  [ -e "$source" ] || continue
  listed "$source"
  case $source in
  platform/*) twin=platform/$(basename "$source") ;;
  *) twin=${source#sdk/src/} ;;
  esac
  twin=tests/${twin%.c}_test.c
  if [ ! -e "$twin" ]; then
    echo "$source: has no $twin"
    bad=1
  fi
done

for test in tests/*/*_test.c; do
  [ -e "$test" ] && listed "$test"
done

exit $bad
