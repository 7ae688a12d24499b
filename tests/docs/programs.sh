#!/usr/bin/env bash
# The blocks of C in a page are one program: it compiles without a warning, runs
# and prints what the page's block of kind `output` says. What it writes lies in a
# folder of its own.
#
# A page with a block of kind `sh server` wants a server: one is started on a
# free port, SEEN_URL and SEEN_TOKEN (ann's) lead there, and the block is run
# before the program. SEEN_SERVER is the server; without one the page's program
# is only compiled. Prints TAP.
# Usage: [SEEN_SERVER=FILE] programs.sh ROOT LIBRARY COMPILER [FLAG...]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
library=$2
compile=("${@:3}" -std=c11 -Wall -Wextra -pedantic -Werror)
cd "$1"
# shellcheck source=tests/docs/pages.sh
. "$here/pages.sh"
work=$(mktemp -d)
server=
trap 'stop; rm -rf "$work"' EXIT
number=0
failures=0

try() { # try NAME COMMAND...
  number=$((number + 1))
  if "${@:2}" >"$work/said" 2>&1; then
    echo "ok $number - $1"
  else
    echo "not ok $number - $1"
    sed 's/^/# /' "$work/said"
    failures=$((failures + 1))
  fi
}

skip() { # skip NAME WHY
  number=$((number + 1))
  echo "ok $number - $1 # SKIP $2"
}

# A static library wants what it stands on.
libraries=("$library")
if [[ $library == *.a ]]; then
  read -ra net < <(pkg-config --libs libwebsockets libcurl libcrypto) || true
  libraries+=(-lcjson -lsqlite3 -pthread "${net[@]}")
fi

builds() {
  "${compile[@]}" -I sdk/include -o "$work/program" "$work/program.c" \
    "${libraries[@]}"
}

prints_what_stands_there() {
  (cd "$work" && LD_LIBRARY_PATH=$(dirname "$library") ./program >printed) &&
    diff -u "$work/output.1" "$work/printed"
}

stop() {
  [ -n "$server" ] || return 0
  kill "$server" 2>/dev/null || true
  wait "$server" 2>/dev/null || true
  server=
}

start() {
  local i
  head -c 32 /dev/urandom | base64 >"$work/key"
  (cd "$work" && exec "$SEEN_SERVER" --listen 127.0.0.1:0 --token-key key \
    >address 2>log) &
  server=$!
  for ((i = 0; i < 300; i++)); do
    grep -q '^listening' "$work/address" 2>/dev/null && return
    sleep 0.1
  done
  echo "seen-server does not listen"
  cat "$work/log"
  return 1
}

# The server runs, and what the page says to it was said.
prepares() {
  start || return
  PATH=$PATH:$(dirname "$SEEN_SERVER")
  SEEN_URL=http://$(sed 's/^listening on //' "$work/address")
  SEEN_TOKEN=$(seen-server token --token-key "$work/key" --user ann)
  export PATH SEEN_URL SEEN_TOKEN
  (cd "$work" && bash -eu server.1)
}

# Against a server, where the page wants one.
run_it() { # run_it PAGE
  local name="$1: its C prints what stands there"
  if [ ! -e "$work/server.1" ]; then
    try "$name" prints_what_stands_there
  elif [ ! -x "${SEEN_SERVER:-}" ]; then
    skip "$name" "no seen-server, or no transport"
  elif ! command -v curl >/dev/null; then
    skip "$name" "no curl here"
  else
    try "$1: its server is prepared" prepares
    try "$name" prints_what_stands_there
    stop
  fi
}

while read -r page; do
  rm -f "$work"/*
  blocks=$(awk -v kind=c -v prefix="$work/c" -f "$here/blocks.awk" "$page" |
    wc -l)
  [ "$blocks" -gt 0 ] || continue
  for ((i = 1; i <= blocks; i++)); do
    cat "$work/c.$i"
  done >"$work/program.c"
  awk -v kind=output -v prefix="$work/output" -f "$here/blocks.awk" \
    "$page" >/dev/null
  touch "$work/output.1"
  awk -v kind=sh -v prefix="$work/server" -f "$here/blocks.awk" "$page" |
    grep -q ' server$' || rm -f "$work"/server.*
  try "$page: its C builds" builds
  run_it "$page"
done < <(pages .)

echo "1..$number"
[ $failures -eq 0 ] && [ $number -gt 0 ]
