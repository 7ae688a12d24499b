#!/usr/bin/env bash
# Engine, model, wire and session call nothing but mem*, str*, assert and the
# floors they stand on, and keep nothing in statics: no clock, no file, no
# thread, no allocator but the given one. What they stand on may do a little
# more.
# Usage: purity.sh OBJECT... -- BASE_OBJECT...
set -eu

core=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
  core+=("$1")
  shift
done
[ $# -gt 0 ] && shift
if [ ${#core[@]} -eq 0 ]; then
  echo "no objects to look at"
  exit 1
fi
bad=0

{
  nm --defined-only -P "${core[@]}" "$@" | sed 's/^/has /'
  nm -u -A -P "${core[@]}" | sed 's/^/core /'
  [ $# -eq 0 ] || nm -u -A -P "$@" | sed 's/^/base /'
} | awk '
  # Named by the compiler, not by the source.
  function intrinsic(symbol) {
    return symbol ~ /^__(asan|lsan|msan|tsan|ubsan|sanitizer)_/ || # sanitizers
      symbol ~ /^__(gcov|llvm_profile)_/ ||  # coverage
      symbol == "__stack_chk_fail" ||        # stack protector
      symbol == "_GLOBAL_OFFSET_TABLE_" ||   # position-independent code
      symbol ~ /^__(u?div|u?mod|mul|popcount|clz|ctz|ashl|ashr|lshr)[sdt]i[234]$/
                                             # arithmetic of narrow machines
  }

  function pure(symbol) {
    if (symbol ~ /^str(n?dup|error|tok|ftime|coll|xfrm)$/)
      return 0                               # malloc, locale, hidden state
    return symbol ~ /^(mem|str)[a-z]+$/ ||
      symbol ~ /^__(mem|str)[a-z]+_chk$/ ||  # the same, by _FORTIFY_SOURCE
      symbol ~ /^__assert(_fail|_rtn)?$/
  }

  function base_may(symbol) {
    return symbol ~ /^(malloc|calloc|realloc|free)$/ || # the default allocator
      symbol ~ /^(__)?v?snprintf(_chk)?$/ ||            # error and log text
      symbol ~ /^cJSON_/                                # JSON text
  }

  $1 == "has" { defined[$2] = 1 }
  $1 != "has" { users[$1, $3] = users[$1, $3] " " $2 }

  END {
    for (need in users) {
      split(need, part, SUBSEP)
      symbol = part[2]
      if (symbol in defined || pure(symbol) || intrinsic(symbol))
        continue
      if (part[1] == "base" && base_may(symbol))
        continue
      print symbol " is needed by" users[need]
      bad = 1
    }
    exit bad
  }
' || bad=1

# A constant that holds pointers is in .data.rel.ro: only the loader writes it.
objdump -t "${core[@]}" | awk '
  /file format/ { object = substr($1, 1, length($1) - 1) }
  / O \.(data|bss)/ && !/ O \.data\.rel\.ro/ {
    print object " keeps a variable: " $NF
    bad = 1
  }
  END { exit bad }
' || bad=1

exit $bad
