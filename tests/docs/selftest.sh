#!/usr/bin/env bash
# Each check of the documents is shown to fail on a fault that is planted in a
# small tree, and to say where it is. Prints TAP.
# Usage: selftest.sh LIBRARY SEEN_REPLAY COMPILER [FLAG...]
# shellcheck disable=SC2016 # the marks of Markdown are no commands
set -eu
here=$(cd "$(dirname "$0")" && pwd)
library=$1
replay=$2
compiler=("${@:3}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
number=0
failures=0

# A small tree in which every check holds.
tree() {
  rm -rf tree
  mkdir -p tree/docs tree/sdk/include/seen/sys tree/sdk/src/{trace,engine} \
    tree/samples tree/tests/traces/rules
  printf '%s\n' '# A tree' '' '[rules](docs/semantics.md#p1-merge-it), `sdk/src`' \
    '' '```c' '#include <stdio.h>' 'int main(void) { return puts("x") < 0; }' \
    '```' '' '```output' 'x' '```' >tree/README.md
  printf '%s\n' '### P1 Merge it' '' '```jsonl' \
    '{"at":0,"me":{"user":"ann"}}' '{"expect_totals":{"unread":0}}' '```' \
    '' '```output --states' '```' >tree/docs/semantics.md
  "$replay" --states - <<<'{"at":0,"me":{"user":"ann"}}' >states
  sed -i '/--states/r states' tree/docs/semantics.md
  echo '{}' >tree/tests/traces/rules/P1_merged.jsonl
  echo '/* P1 */' >tree/sdk/src/engine/engine.c
  names '' >tree/docs/trace.md
  names '  SN_OPTIONAL(' ',' >tree/sdk/src/trace/inputs.c
  touch tree/sdk/src/trace/{states,expects,items}.c
  names '  SEEN_EFFECT_' | tr '[:lower:]"' '[:upper:] ' | tr -d ' ' |
    sed 's/^/  /' >tree/sdk/include/seen/sys/effect.h
  sed 's/^ *\(.*\)$/`\1`/' tree/sdk/include/seen/sys/effect.h \
    >tree/docs/embedding-the-engine.md
  names '  X(E' ', -1)' | tr '[:lower:]' '[:upper:]' | tr -d '"' \
    >tree/sdk/include/seen/error.h
  sed -nE 's/^  X\((E[A-Z]*).*/`SEEN_\1`/p' tree/sdk/include/seen/error.h \
    >tree/docs/errors.md
  constants EVENT event.h guide.md
  constants PROBLEM event.h errors.md
  constants CONNECTION event.h errors.md
  constants ENDED sys/transport.h errors.md
  touch tree/sdk/src/engine/{a,b}.c
  (cd tree/sdk/src && find . -name '*.c') | sed 's|.*/|`|; s/$/`/' \
    >tree/docs/architecture.md
  {
    echo 'Usage: it'
    names '  ' | tr -d '"' | sed 's/$/  a suite/'
    echo 'Without'
  } >tree/tests/run.sh
  names '' >tree/docs/contributing.md
}

names() { # names BEFORE [AFTER]: five lines
  printf "$1\"%s\"${2:-}\n" one two three four five
}

# constants PREFIX HEADER PAGE: five of the header's, which the page names.
constants() {
  local word
  for word in ONE TWO THREE FOUR FIVE; do
    echo "  SEEN_$1_$word," >>"tree/sdk/include/seen/$2"
    echo "\`SEEN_$1_$word\`" >>"tree/docs/$3"
  done
}

say() { # say STATUS NAME
  number=$((number + 1))
  if [ "$1" = 0 ]; then
    echo "ok $number - $2"
  else
    echo "not ok $number - $2"
    sed 's/^/# /' output
    failures=$((failures + 1))
  fi
}

check() { # check NAME: that check of the tree
  case $1 in
  traces) "$here/traces.sh" tree "$replay" ;;
  demo) "$here/demo.sh" tree "$work/demo" none ;;
  programs) "$here/programs.sh" tree "$library" "${compiler[@]}" ;;
  *) "$here/$1.sh" tree ;;
  esac >output 2>&1
}

holds() { # holds CHECK
  tree
  local status=0
  check "$1" || status=1
  say $status "$1 holds in a tree without a fault"
}

# refuses CHECK NAME PATTERN: with the fault in the tree it fails and says so.
refuses() {
  local status=1
  if ! check "$1" && grep -qE "$3" output; then
    status=0
  fi
  say $status "$1 refuses $2"
}

append() { # append FILE LINE...
  printf '%s\n' "${@:2}" >>"tree/$1"
}

holds links
append README.md '[x](docs/lost.md)'
refuses links "a link to nowhere" 'README\.md:13: docs/lost\.md leads nowhere'
tree
append docs/trace.md '[x](semantics.md#p2)'
refuses links "a link to no heading" 'trace\.md:6: .* no such heading'
tree
append README.md '`sdk/src/lost.c`'
refuses links "a file that is not there" 'README\.md:13: there is no'
tree
append README.md "$(printf '%0121d' 0)"
refuses links "a long line" 'README\.md:13: longer'

holds rules
append docs/semantics.md '### P2 Report it'
refuses rules "a rule without a trace" 'P2 has no trace'
tree
touch tree/tests/traces/rules/P3_x.jsonl
refuses rules "a trace without a rule" 'P3 is no rule'
tree
append sdk/src/engine/engine.c '/* P4 */'
refuses rules "a rule that only the code knows" 'P4 is cited'
tree
append docs/semantics.md '### P1 Again'
refuses rules "an id that is given twice" 'P1 twice'

holds names
append sdk/src/trace/states.c '  SN_MASKED("six", NUMBER),'
refuses names "a field that no page names" 'trace\.md: does not name six'
tree
append sdk/include/seen/sys/effect.h '  SEEN_EFFECT_SIX,'
refuses names "an effect that no page names" 'embedding.* SEEN_EFFECT_SIX'
tree
append sdk/include/seen/error.h '  X(ESIX, -6)'
refuses names "an error that no page names" 'errors.* SEEN_ESIX'
for word in EVENT PROBLEM CONNECTION; do
  tree
  append sdk/include/seen/event.h "  SEEN_${word}_SIX,"
  refuses names "a SEEN_${word}_… that no page names" "SEEN_${word}_SIX"
done
tree
append sdk/include/seen/sys/transport.h '  SEEN_ENDED_SIX,'
refuses names "a cause that no page names" 'errors.* SEEN_ENDED_SIX'
tree
touch tree/sdk/src/engine/six.c
refuses names "a source that no page names" 'architecture.* six\.c'
tree
sed -i 's/^Without/  six  a suite\nWithout/' tree/tests/run.sh
refuses names "a suite that no page names" 'contributing.* six'
tree
: >tree/sdk/src/trace/inputs.c
refuses names "to compare with nothing" 'too few names'

holds traces
sed -i 's/"unread":0/"unread":1/' tree/docs/semantics.md
refuses traces "a trace that does not hold" 'expected totals unread 1'
tree
sed -i 's/^totals: unread 0/totals: unread 9/' tree/docs/semantics.md
refuses traces "an output that is not so" 'semantics\.md:9 is what it'

holds programs
sed -i 's/^x$/y/' tree/README.md
refuses programs "an output that is not so" '^# \+x'
tree
sed -i 's/int main(void)/int main()/; s/return puts/int a; return puts/' \
  tree/README.md
refuses programs "a program with a warning" 'unused variable'

tree
sed -i 's/return puts("x") < 0;/puts("x"); return 1;/' tree/README.md
refuses programs "a program that fails in the end" 'not ok 2'

# A page that wants a server, and one that says where it listens, and no more.
cat >seen-server <<'END'
#!/bin/sh
if [ "$1" = token ]; then echo t; else echo listening on here; exec sleep 60; fi
END
chmod +x seen-server
asking() { # asking COMMAND: what the page says to the server
  tree
  append README.md '```sh server' "$1" '```'
}
asking '[ "$SEEN_URL$SEEN_TOKEN" = http://heret ]'
say "$(SEEN_SERVER=$PWD/seen-server check programs && echo 0 || echo 1)" \
  "programs finds a server that it started"
asking false
say "$(! SEEN_SERVER=$PWD/seen-server check programs &&
  grep -q 'not ok 2 - README.md: its server is prepared' output && echo 0 ||
  echo 1)" "programs refuses a server that can't be prepared"
say "$(SEEN_SERVER='' check programs && grep -q 'SKIP no seen-server' output &&
  echo 0 || echo 1)" "programs skips a page without its server by name"

printf '%s\n' '#!/bin/sh' 'printf "1\n 2\n3\n"' >demo
chmod +x demo
tree
append README.md '```demo' '1' '3' '```'
say "$(check demo && echo 0 || echo 1)" "demo holds in a tree without a fault"
append README.md '```demo' '3' '1' '```'
refuses demo "lines out of order" 'README\.md:18: the demo does not print: 1'

echo "1..$number"
[ $failures -eq 0 ]
