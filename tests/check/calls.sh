#!/usr/bin/env bash
# By the objects of a build: no file of the library calls a file that calls it,
# on whatever way, nor does a file of a sample within its folder; and what a
# file shows is used by another one, or by a test.
# Usage: calls.sh ROOT BUILD
set -eu
root=$1
build=$2
bad=0
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

# The objects whose sources are still there.
objects() {
  local object source
  find "$build" -name '*.c.o' | LC_ALL=C sort | while read -r object; do
    source=${object#"$build"/}
    source=${source%%CMakeFiles/*}${source#*.dir/}
    case $source in
    sdk/*/__/* | samples/*/__/*) ;;
    sdk/* | samples/*) [ -e "$root/${source%.o}" ] || continue ;;
    esac
    echo "$object"
  done
}

# FILE SYMBOL, of what is defined (D) and of what is used (U); the compiler's
# own names aside.
objects | xargs -d '\n' -r nm -A |
  awk -v build="$build/" -v place="$place" '
    $NF ~ /^(main$|__)/ { next }
    {
      file = $1
      sub(/:.*/, "", file)
      file = substr(file, length(build) + 1)
      sub(/\.o$/, "", file)
      if ($(NF - 1) ~ /^[TDBRV]$/) print file, $NF > (place "/defined")
      if ($(NF - 1) == "U") print file, $NF > (place "/used")
    }'

if [ ! -s "$place/used" ] && [ ! -s "$place/defined" ]; then
  echo "no objects to look at in $build"
  exit 1
fi
touch "$place/used" "$place/defined"

# circles NAME FILES: FILES is what the names of its objects match.
circles() {
  grep -E "^$2" "$place/defined" | sort -k 2 >"$place/theirs"
  grep -E "^$2" "$place/used" | sort -k 2 >"$place/wanted"
  join -1 2 -2 2 -o 1.1,2.1 "$place/wanted" "$place/theirs" | sort -u >"$place/calls"
  tsort "$place/calls" >/dev/null 2>"$place/loop" && return
  echo "$1: files that call each other:"
  sed -n 's/^tsort: \(.*\.c\)$/  \1/p' "$place/loop" | sort -u
  bad=1
}

circles "the library" 'sdk/'
for folder in "$build"/samples/*/; do
  folder=samples/$(basename "$folder")/
  grep -q "^$folder" "$place/defined" && circles "$folder" "$folder"
done

cut -d' ' -f2 "$place/used" | sort -u >"$place/wanted"
while read -r file symbol; do
  echo "$file: nobody else uses $symbol"
  bad=1
done < <(grep -E '^(sdk|samples)/' "$place/defined" | grep -v ' seen_' |
  sort -k 2 | join -1 2 -v 1 -o 1.1,1.2 - "$place/wanted")

exit $bad
