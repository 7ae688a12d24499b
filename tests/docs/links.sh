#!/usr/bin/env bash
# What a page links to is there, headings too, and so are the files of the tree
# that it names in code marks. No line of README.md and docs/ is longer than 120
# characters.
# Usage: links.sh [ROOT]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$here/../..}"
# shellcheck source=tests/docs/pages.sh
. "$here/pages.sh"
export LC_ALL=C.UTF-8
bad=0

complain() {
  echo "$1"
  bad=1
}

headings() { # headings PAGE: their anchors
  awk '/^```/ { inside = !inside } !inside && /^#+ / {
    sub(/^#+ /, "")
    print
  }' "$1" | tr '[:upper:]' '[:lower:]' | sed 's/[^[:alnum:] _-]//g; s/ /-/g'
}

# Prints "LINE KIND TARGET" for links and for names of files in code marks.
targets() { # targets PAGE
  awk '/^```/ { inside = !inside } !inside && !/^    / {
    rest = $0
    while (match(rest, /\]\([^)]*\)/)) {
      print FNR, "link", substr(rest, RSTART + 2, RLENGTH - 3)
      rest = substr(rest, RSTART + RLENGTH)
    }
    rest = $0
    while (match(rest, /`(sdk|docs|samples|tests|\.ci)\/[A-Za-z0-9_.\/-]+`/)) {
      print FNR, "file", substr(rest, RSTART + 1, RLENGTH - 2)
      rest = substr(rest, RSTART + RLENGTH)
    }
  }' "$1"
}

check_link() { # check_link PAGE LINE TARGET
  local path=${3%%#*} anchor=
  [[ $3 == http*://* || $3 == mailto:* ]] && return
  if [[ $3 == *#* ]]; then
    anchor=${3#*#}
  fi
  path=${path:+$(dirname "$1")/$path}
  path=${path:-$1}
  if [ ! -e "$path" ]; then
    complain "$1:$2: $3 leads nowhere"
  elif [ -n "$anchor" ] && ! headings "$path" | grep -qxF -- "$anchor"; then
    complain "$1:$2: $3 has no such heading"
  fi
}

while read -r page; do
  while read -r line kind target; do
    if [ "$kind" = link ]; then
      check_link "$page" "$line" "$target"
    elif [ ! -e "$target" ]; then
      complain "$page:$line: there is no $target"
    fi
  done < <(targets "$page")
  [[ $page == README.md || $page == docs/* ]] || continue
  while read -r line; do
    complain "$page:$line: longer than 120 characters"
  done < <(grep -nE '^.{121}' "$page" | cut -d: -f1)
done < <(pages .)

exit $bad
