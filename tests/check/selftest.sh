#!/usr/bin/env bash
# Each check is shown to fail on a fault that is planted in a small tree, and to
# say where it is; and the sum over all tests is shown to count. Prints TAP.
# Usage: selftest.sh [COMPILER]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cc=${1:-cc}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
number=0
failures=0

say() { # say STATUS NAME: what came of one test, with the last output if bad
  number=$((number + 1))
  if [ "$1" = 0 ]; then
    echo "ok $number - $2"
  else
    echo "not ok $number - $2"
    sed 's/^/# /' output
    failures=$((failures + 1))
  fi
}

# A small tree in which every check holds.
tree() {
  rm -rf tree
  mkdir -p tree/sdk/include/seen tree/sdk/src/{base,model,engine} \
    tree/samples/chat tree/tests/{base,model,engine}
  local layer
  for layer in base model engine; do
    printf '#include <seen/seen.h>\n\nint %s;\n' $layer \
      >tree/sdk/src/$layer/$layer.c
    echo "seen_layer($layer $layer.c)" >tree/sdk/src/$layer/CMakeLists.txt
    echo "int test;" >tree/tests/$layer/${layer}_test.c
    echo "seen_test($layer ${layer}_test.c)" >tree/tests/$layer/CMakeLists.txt
  done
  {
    echo "/**"
    echo " * Says something."
    echo " *"
    echo " * Thread: any."
    echo " */"
    echo "SEEN_API int seen_say(void);"
  } >tree/sdk/include/seen/seen.h
  echo "#include <seen/seen.h>" >tree/samples/chat/main.c
}

# holds CHECK: it accepts the tree as it is.
holds() {
  tree
  "$here/$1.sh" tree >output 2>&1
  say $? "$1 holds in a tree without a fault"
}

# refuses CHECK NAME PATTERN: with the fault in it, the check fails and says so.
refuses() {
  local status=1
  if ! "$here/$1.sh" tree >output 2>&1 && grep -qE "$3" output; then
    status=0
  fi
  say $status "$1 refuses $2"
}

# refuses_not CHECK NAME: it accepts what was added to the tree.
refuses_not() {
  "$here/$1.sh" tree >output 2>&1
  say $? "$1 accepts $2"
}

append() { # append FILE LINE...
  printf '%s\n' "${@:2}" >>"tree/$1"
}

lines() { # lines COUNT
  awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) print "  call();" }'
}

layers() {
  holds layers
  append sdk/src/base/base.c '#include "model/run.h"'
  refuses layers "an include that points up" 'base\.c:4: base must not include'

  tree
  append sdk/src/engine/engine.c '#include "trace/line.h"'
  refuses layers "an include of a blind neighbour" 'engine\.c:4'

  tree
  append sdk/include/seen/seen.h '#include "base/memory.h"'
  refuses layers "an inner header in a public one" 'seen\.h:7'

  tree
  append samples/chat/main.c '#include "engine/engine.h"'
  refuses layers "a sample that reaches inside" 'main\.c:2'

  tree
  append sdk/src/model/model.c '#include <cjson/cJSON.h>'
  refuses layers "a library outside its one file" 'model\.c:4'

  tree
  append sdk/src/engine/engine.c '#include <pthread.h>'
  refuses layers "an operating system's header" 'engine\.c:4'

  tree
  append sdk/src/engine/engine.c '#include "../../../tests/x.h"'
  refuses layers "an include that climbs" 'engine\.c:4'

  tree
  mkdir tree/sdk/src/attic
  append sdk/src/attic/attic.c 'int x;'
  refuses layers "a folder on no floor" 'attic\.c:1'
}

cases() {
  tree
  refuses cases "a case that no test names" 'C150: no test names it'
  append tests/base/base_test.c "/* $(sed 's/:.*//' output | tr '\n' ' ') */"
  refuses_not cases "cases that tests name"
  sed -i 's/C209//' tree/tests/base/base_test.c
  refuses cases "one that is named no more" '^C209: no test names it'
}

sizes() {
  holds sizes
  lines 598 >>tree/sdk/src/base/base.c
  refuses sizes "a file of 601 lines" 'base\.c:601: 601 lines'

  tree
  append tests/base/base_test.c 'static int' 'long_one(int a,' '  int b) {'
  lines 77 >>tree/tests/base/base_test.c
  append tests/base/base_test.c '}'
  refuses sizes "a function of 81 lines" 'base_test\.c:2: a function of 81'

  tree
  append sdk/src/base/base.c 'static int f(void) {'
  lines 78 >>tree/sdk/src/base/base.c
  append sdk/src/base/base.c '}' 'static const int table[] = {'
  lines 100 >>tree/sdk/src/base/base.c
  append sdk/src/base/base.c '};'
  "$here/sizes.sh" tree >output 2>&1
  say $? "sizes accepts a function of 80 lines and a long table"
}

twins() {
  holds twins
  rm tree/tests/model/model_test.c
  refuses twins "a source without its test" 'model\.c: has no tests/model/model_test\.c'

  tree
  mkdir -p tree/platform/posix
  append platform/posix/clock.c 'int x;'
  append platform/posix/CMakeLists.txt 'seen_layer(platform clock.c)'
  refuses twins "a platform without its test" 'no tests/platform/clock_test\.c'

  tree
  append sdk/src/base/lost.c 'int x;'
  append tests/base/lost_test.c 'int x;'
  refuses twins "a source that is not built" 'base/lost\.c: is not in'
  refuses twins "a test that is not built" 'base/lost_test\.c: is not in'
}

comments() {
  holds comments
  append sdk/include/seen/seen.h '/** Says. */' 'SEEN_API int seen_b(void);'
  refuses comments "a comment without a Thread: line" 'seen\.h:8: no Thread'

  tree
  append sdk/include/seen/seen.h '' 'SEEN_API int seen_b(void);'
  refuses comments "a public function without a comment" 'seen\.h:8: no comm'
}

words() {
  holds words
  append samples/chat/main.c "/* see /hom""e/someone/notes */"
  refuses words "a path of one machine" 'main\.c:2'

  tree
  append samples/chat/main.c "/* from pypi"".org */"
  refuses words "a host of a registry" 'main\.c:2'

  tree
  append samples/chat/main.c "/* ..""/shared/notes */"
  refuses words "what lies outside the tree" 'main\.c:2'
}

# An input of a corpus, named by its bytes.
input() { # input TEXT
  mkdir -p tree/tests/fuzz/corpus/chat
  printf '%s' "$1" >input
  cp input "tree/tests/fuzz/corpus/chat/$(sha1sum <input | cut -d' ' -f1)"
}

corpus() {
  holds corpus
  input "as it came"
  refuses_not corpus "an input that is named by its bytes"
  append tests/fuzz/corpus/chat/crash-1 'as somebody found it'
  refuses corpus "an input with another name" 'crash-1: is not named'

  tree
  input "$(head -c 1100000 /dev/zero | tr '\0' a)"
  refuses corpus "corpora over a megabyte" '1100000 bytes'
}

# object NAME LINE...: NAME.o, compiled from these lines.
object() {
  printf '%s\n' "${@:2}" >"$1.c"
  "$cc" -fPIC -fvisibility=hidden -c "$1.c" -o "$1.o"
}

# accepts / rejects NAME PATTERN COMMAND...
accepts() {
  "${@:2}" >output 2>&1
  say $? "$1"
}
rejects() {
  local status=1
  if ! "${@:3}" >output 2>&1 && grep -qE "$2" output; then
    status=0
  fi
  say $status "$1"
}

purity() {
  object base 'void *malloc(__SIZE_TYPE__);' \
    'void *sn_new(void) { return malloc(1); }'
  object engine 'void *sn_new(void); void *memset(void *, int, __SIZE_TYPE__);' \
    'int sn_size(void *x) { return memset(x, 1, 100) == sn_new(); }' \
    'static const char *const names[] = {"a", "b"};' \
    'const char *sn_name(int i) { return names[i]; }'
  accepts "purity holds in objects without a fault" \
    "$here/purity.sh" engine.o -- base.o

  object clock 'long time(long *); long sn_now(void) { return time(0); }'
  rejects "purity refuses a clock" '^time is needed by clock\.o' \
    "$here/purity.sh" engine.o clock.o -- base.o
  rejects "purity refuses a clock in the floor below" '^time is needed by' \
    "$here/purity.sh" engine.o -- base.o clock.o

  object direct 'void *malloc(__SIZE_TYPE__);' \
    'void *sn_more(void) { return malloc(2); }'
  rejects "purity refuses another allocator" '^malloc is needed by direct\.o' \
    "$here/purity.sh" engine.o direct.o -- base.o

  object copy 'char *strdup(const char *);' \
    'char *sn_copy(char *x) { return strdup(x); }'
  rejects "purity refuses a str* that allocates" '^strdup is needed by' \
    "$here/purity.sh" engine.o copy.o -- base.o

  object static 'int sn_next(void) { static int last; return ++last; }'
  rejects "purity refuses a static variable" \
    'static\.o keeps a variable: (sn_next\.)?last' \
    "$here/purity.sh" engine.o static.o -- base.o

  rejects "purity refuses to look at nothing" 'no objects' "$here/purity.sh"
}

# built FOLDER NAME LINE...: that object, where a build puts it.
built() {
  object "$2" "${@:3}"
  mkdir -p "$1" "build/$1/CMakeFiles/x.dir"
  mv "$2.o" "build/$1/CMakeFiles/x.dir/$2.c.o"
  mv "$2.c" "$1"
}

calls() {
  rm -rf build
  built sdk low 'void sn_low(void) {}'
  built sdk high 'void sn_low(void); void seen_high(void) { sn_low(); }'
  accepts "calls holds where one file is above the other" \
    "$here/calls.sh" . build

  built sdk low 'void seen_high(void); void sn_low(void) { seen_high(); }'
  rejects "calls refuses files that call each other" '^  sdk/.*/(low|high)\.c' \
    "$here/calls.sh" . build

  rm -rf build
  built sdk low 'void sn_low(void) {}'
  rejects "calls refuses what nobody else uses" 'low\.c: nobody else uses sn_low' \
    "$here/calls.sh" . build
  built tests low_test 'void sn_low(void); int main(void) { sn_low(); }'
  accepts "calls takes a test's use" "$here/calls.sh" . build

  built sdk gone 'void sn_gone(void) {}'
  rm sdk/gone.c
  accepts "calls does not look at what is built no more" \
    "$here/calls.sh" . build
  rejects "calls refuses to look at nothing" 'no objects' "$here/calls.sh" . output
}

exports() {
  local api='#define SEEN_API __attribute__((visibility("default")))'
  object api "$api" 'SEEN_API int seen_a; SEEN_API int seen_b;' 'int sn_c;'
  "$cc" -shared api.o -o lib.so
  printf '%s\n' seen_a seen_b >list
  accepts "exports holds in a library without a fault" \
    "$here/exports.sh" list lib.so api.o

  echo seen_a >list
  rejects "exports refuses an exported symbol that is not listed" \
    'seen_b is exported and not in list' "$here/exports.sh" list lib.so api.o
  rejects "exports refuses a public symbol that is not listed" \
    'seen_b is SEEN_API and not in list' "$here/exports.sh" list lib.so api.o

  printf '%s\n' seen_a seen_b seen_c >list
  rejects "exports refuses a listed symbol that is not exported" \
    'seen_c is in list and not exported' "$here/exports.sh" list lib.so api.o
  rejects "exports refuses a listed symbol that is not public" \
    'seen_c is in list and nowhere SEEN_API' \
    "$here/exports.sh" list lib.so api.o

  printf '%s\n' seen_b seen_a >list
  rejects "exports refuses a list out of order" 'not sorted' \
    "$here/exports.sh" list lib.so api.o
}

# counts NAME EXPECTED: what tests/tally.awk makes of the log of ctest that
# comes in.
counts() {
  awk -v sums=sums -f "$here/../tally.awk" >output
  local got
  got=$(cat sums)
  echo "expected $2, got $got" >>output
  [ "$got" = "$2" ]
  say $? "tally counts $1"
}

tally() {
  counts "passed, failed and skipped tests of two programs" "3 1 2" <<'END'
1: 1..4
2: ok 1 - d
1: ok 1 - a
1: not ok 2 - b
1: # b.c:6: error: Failure!
1: not ok 3 # SKIP c
1: ok 4 - e
2: ok 2 - f # SKIP no compiler
2: 1..2
1/2 Test #1: base_a .......................***Failed    0.00 sec
2/2 Test #2: base_b .......................   Passed    0.00 sec
END
  counts "a program that died as failed" "1 1 0" <<'END'
7: 1..2
7: ok 1 - a
1/1 Test #7: base_a .......................***Exception: SegFault  0.00 sec
END
  counts "a program that stopped too early as failed" "1 1 0" <<'END'
7: 1..2
7: ok 1 - a
1/1 Test #7: base_a .......................   Passed    0.00 sec
END
  counts "a leak after the tests as failed" "1 1 0" <<'END'
7: 1..1
7: ok 1 - a
1/1 Test #7: base_a .......................***Failed    0.00 sec
END
  counts "a script without results by its exit" "1 1 0" <<'END'
1: all is well
1/2 Test #1: check_a .......................   Passed    0.00 sec
2/2 Test #2: check_b .......................***Failed    0.00 sec
END
  counts "no test where none ran" "0 0 0" </dev/null
}

set +e
layers
cases
sizes
twins
comments
words
corpus
purity
calls
exports
tally
echo "1..$number"
[ $failures -eq 0 ]
