# What the tests of seen-replay share; to be sourced. The command that runs it
# is in the array `replay`.
# shellcheck shell=bash disable=SC2034,SC2154
number=0
failures=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# is NAME WHAT EXPECTED GOT: one test.
is() {
  number=$((number + 1))
  if [ "$3" = "$4" ]; then
    echo "ok $number - $1: $2"
  else
    echo "not ok $number - $1: $2"
    printf 'expected: %s\ngot:      %s\n' "$3" "$4" | sed 's/^/# /'
    failures=$((failures + 1))
  fi
}

# run ARGUMENT...: sets status, out and err.
run() {
  status=0
  (cd "$work" && "${replay[@]}" "$@") >"$work/.out" 2>"$work/.err" || status=$?
  out=$(cat "$work/.out")
  err=$(cat "$work/.err")
}

finish() {
  echo "1..$number"
  [ $failures -eq 0 ]
}
