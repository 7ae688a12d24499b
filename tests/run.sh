#!/usr/bin/env bash
# Builds libseen and runs its tests, from nothing but a fresh Debian: what is
# missing is named and installed first. The last line is the sum over all tests.
set -eu
cd "$(dirname "$0")/.."

usage() {
  cat <<'END'
Usage: tests/run.sh [SUITE...] [--seconds N]
       tests/run.sh sim --seeds N [--from N] [--jobs N] [--traces DIR]

  check     the repository itself: layers, purity, exports, sizes, twins, and
            what the documents claim
  unit      base, model, trace and engine, each source file by its twin
  traces    every rule and case as a trace, run by seen-replay
  replay    the program seen-replay
  model     random inputs against a naive model; every interleaving of two
            devices and a server, up to a bound
  store     a mirror whose process is killed, whose disk fails, whose power
            fails, whose files are spoilt, which others read
  server    the sample server: storages, vectors of the protocol, every frame
            against a brute-force model
  client    the transport and the client over sockets, through a network that
            fails; the chat in a terminal
  sim       whole systems in virtual time, with all that can fail, by their
            seeds; each frame in each state of a connection
  alloc     every trace with the n-th allocation failing, for every n
  corpus    every input that a fuzzer kept, to its target
  package   install, find_package, pkg-config; each header alone, C and C++
  clang     all of the above but check and package, built by clang
  sanitize  the same under address, undefined and thread sanitizers
  valgrind  the same under valgrind
  lint      clang-tidy, cppcheck, clang-format, shellcheck
  docs      the API pages build without a warning
  demo      samples/demo.sh runs without a terminal
  soak      random inputs against the naive model, killed mirrors and whole
            systems, under ever new seeds for SEEN_SECONDS; interleavings up
            to a wider bound
  fuzz      libFuzzer on each target, from its corpus, for SEEN_SECONDS in all
  coverage  lines and branches of the library that unit, traces, replay, model,
            store, alloc and corpus run; fails below 95 % and 90 %
  mutants   mistakes made on purpose, one after another: each is noticed
  bench     times and memory, measured

Without a SUITE: check to package. `all` is everything but soak, fuzz, coverage
and bench.

SEEN_SEED     seed of the random tests; a fresh one if not set
SEEN_SCALE    divides the counts of the random tests; sanitize, valgrind and
              clang take 20 times that
SEEN_SECONDS  what the tests of a soak, or the targets of fuzz, take all
              together; 600 if not set; --seconds says it too

What is built goes to build/, and so do the logs: build/log/.
END
}

default=(check unit traces replay model store server client sim alloc corpus
  package)
all=("${default[@]}" mutants clang sanitize valgrind lint docs demo)
programs='^(unit|traces|replay|model|store|server|client|sim|alloc|corpus)$'
covers='^(unit|traces|replay|model|store|alloc|corpus)$'

: "${SEEN_SCALE:=1}" "${SEEN_SEED:=$(($(date +%s) * 1000 + $$ % 1000))}"
export SEEN_SCALE SEEN_SEED
arguments=()
while [ $# -gt 0 ]; do
  if [ "$1" = --seconds ] && [ "${arguments[0]:-}" != sim ]; then
    SEEN_SECONDS=${2:?--seconds takes a number}
    shift
  else
    arguments+=("$1")
  fi
  shift
done
set -- ${arguments[@]+"${arguments[@]}"}
long_seconds=${SEEN_SECONDS:-600}
unset SEEN_SECONDS # no other suite takes as long as it is told to
cores=$(getconf _NPROCESSORS_ONLN)

passed=0
failed=0
skipped=0

add() { # add PASSED FAILED SKIPPED
  passed=$((passed + $1))
  failed=$((failed + $2))
  skipped=$((skipped + $3))
}

skip() { # skip SUITE WHY
  echo "  $1 skipped: $2"
  add 0 0 1
}

have() {
  command -v "$1" >/dev/null
}

# Debian's packages that these suites need.
packages_of() { # packages_of SUITE...
  echo gcc libc6-dev cmake ninja-build pkg-config libcmocka-dev libcjson-dev \
    libsqlite3-dev libssl-dev libwebsockets-dev libjwt-dev \
    libcurl4-openssl-dev libncurses-dev
  local suite
  for suite in "$@"; do
    case $suite in
    check) echo curl git ;;
    server) echo python3-websockets curl openssl ;;
    client | sanitize) echo python3-websockets curl openssl tmux ;;
    mutants) echo git ;;
    package) echo g++ ;;
    clang | fuzz) echo clang ;;
    valgrind) echo valgrind libc6-dbg ;;
    lint) echo clang-tidy clang-format cppcheck shellcheck ;;
    docs) echo doxygen ;;
    esac
  done
}

install_missing() { # install_missing SUITE...
  have apt-get && have dpkg-query || return 0
  local package missing=() root=()
  for package in $(packages_of "$@"); do
    dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null |
      grep -qx installed || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0

  if [ "$(id -u)" != 0 ]; then
    if ! have sudo; then
      echo "Missing, and neither root nor sudo to install it: ${missing[*]}"
      return 0
    fi
    root=(sudo)
  fi
  echo "Installing by apt-get: ${missing[*]}"
  mkdir -p build/log
  # A list that can't be refreshed may be one that is not needed.
  "${root[@]}" apt-get update >build/log/apt.log 2>&1 || true
  if ! "${root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends "${missing[@]}" \
    >>build/log/apt.log 2>&1; then
    tail -n 20 build/log/apt.log
    echo "Could not install; going on with what is here."
  fi
}

declare -A built

# build NAME CMAKE_ARGUMENT...: configures and builds build/NAME, once; of it
# $target alone, where that is set.
build() {
  if [ -n "${built[$1]:-}" ]; then
    return "${built[$1]}"
  fi
  local log=build/log/build-$1.log
  mkdir -p build/log
  built[$1]=0
  if {
    cmake -S . -B "build/$1" -G Ninja -DSEEN_BUILD_TESTS=ON -DSEEN_WERROR=ON \
      -DCMAKE_BUILD_TYPE=RelWithDebInfo \
      -DCMAKE_C_FLAGS_RELWITHDEBINFO="-O2 -g" \
      -DCMAKE_EXPORT_COMPILE_COMMANDS=ON "${@:2}" &&
      cmake --build "build/$1" --parallel "$cores" --target "${target:-all}"
  } >"$log" 2>&1; then
    return 0
  fi
  echo "  build/$1 does not build; $log ends:"
  tail -n 40 "$log"
  built[$1]=1
  add 0 1 0
  return 1
}

# run NAME LABELS [COMMAND...]: the tests of build/NAME with these labels, but
# for those named by $unless, by ctest, which COMMAND may wrap.
run() {
  local log=build/log/$suite-$1.log sums=build/log/sums show=0
  [[ $suite =~ ^(bench|soak|fuzz|mutants)$ ]] && show=1
  "${@:3}" ctest --test-dir "build/$1" -V -L "$2" -E "${unless:-^$}" -j "$cores" \
    --timeout $((1800 + ${SEEN_SECONDS:-0})) >"$log" 2>&1 || true
  awk -v sums="$sums" -v show="$show" -f tests/tally.awk "$log"
  local results
  read -ra results <"$sums"
  if [ "${results[*]}" = "0 0 0" ]; then
    echo "  nothing ran: see $log"
    results=(0 1 0)
  fi
  add "${results[@]}"
}

# Slow builds and launchers take a twentieth of the counts.
at_a_twentieth() {
  SEEN_SCALE=$((SEEN_SCALE * 20)) "$@"
}

has_libfuzzer() {
  local say='int LLVMFuzzerTestOneInput(void); int LLVMFuzzerTestOneInput(void)'
  mkdir -p build/log
  have clang && echo "$say { return 0; }" |
    clang -fsanitize=fuzzer,address,undefined -x c - -o build/log/libfuzzer \
      2>/dev/null
}

# What the tests that just ran have run of the library, by gcov.
sum_coverage() {
  local log=build/log/coverage.log
  find build/coverage/sdk -name '*.gcda' -print0 | LC_ALL=C sort -z |
    xargs -0 gcov -b -t 2>/dev/null |
    awk -v root="$PWD/" -v least_lines=95 -v least_branches=90 \
      -v held="model engine wire store session" -v missed=build/log/coverage.missed \
      -f tests/coverage/sum.awk >"$log"
  sed -n 's/^# /  /p; s/^not ok/  &/p' "$log"
  add "$(grep -c '^ok' "$log")" "$(grep -c '^not ok' "$log")" 0
}

# These seeds and no others, by the simulator itself.
run_seeds() { # run_seeds ARGUMENT...
  local log=build/log/seeds.log
  SEEN_SECONDS=0 build/dev/tests/sim/seen-sim "$@" | tee "$log"
  add "$(grep -c '^ok' "$log")" "$(grep -c '^not ok' "$log")" 0
}

run_suite() {
  case $1 in
  check | unit | traces | replay | model | store | server | client | sim | alloc | corpus | package | docs | demo | lint | mutants)
    if [ ${#seeds[@]} -gt 0 ]; then
      target=seen-sim build dev && run_seeds "${seeds[@]}"
      return
    fi
    build dev && run dev "^$1\$"
    ;;
  fuzz)
    if ! has_libfuzzer; then
      skip fuzz "no clang with libFuzzer here"
      return
    fi
    target=fuzzers build fuzz -DCMAKE_C_COMPILER=clang -DSEEN_FUZZ=ON \
      -DSEEN_SANITIZE=address,undefined &&
      SEEN_SECONDS=$long_seconds run fuzz '^fuzz$'
    ;;
  coverage)
    if ! have gcov; then
      skip coverage "no gcov here"
      return
    fi
    # What ran before, or of other sources, says nothing.
    find build/coverage -name '*.gcda' -delete 2>/dev/null || true
    build coverage -DCMAKE_C_COMPILER=gcc -DCMAKE_C_FLAGS=--coverage \
      -DCMAKE_C_FLAGS_RELWITHDEBINFO="-O0 -g" &&
      at_a_twentieth run coverage "$covers" && sum_coverage
    ;;
  soak)
    build dev && SEEN_SECONDS=$long_seconds run dev '^soak$'
    ;;
  clang)
    if ! have clang; then
      skip clang "no clang here"
      return
    fi
    build clang -DCMAKE_C_COMPILER=clang &&
      at_a_twentieth run clang "$programs"
    ;;
  sanitize)
    echo " address, undefined"
    build address -DSEEN_SANITIZE=address,undefined &&
      at_a_twentieth run address "$programs"
    echo " thread"
    # The thread sanitizer wants its addresses free of randomness.
    local fixed=()
    if setarch -R true 2>/dev/null; then
      fixed=(setarch -R)
    fi
    build thread -DSEEN_SANITIZE=thread &&
      at_a_twentieth run thread "$programs" "${fixed[@]}"
    ;;
  valgrind)
    if ! have valgrind; then
      skip valgrind "no valgrind here"
      return
    fi
    local launcher="valgrind;--quiet;--error-exitcode=99;--leak-check=full"
    # Scripts start their programs by themselves, without it; what several
    # devices do within seconds is too slow under it.
    build valgrind -DSEEN_TEST_LAUNCHER="$launcher" &&
      unless='^(server_net|chat|load$|client_net_(foreign|storm))' \
        at_a_twentieth run valgrind "$programs"
    ;;
  bench)
    build bench -DSEEN_BUILD_TESTS=OFF \
      -DSEEN_BUILD_BENCH=ON -DCMAKE_BUILD_TYPE=Release && run bench '^bench$'
    ;;
  esac
}

summary() {
  echo
  local line="$passed passed, $failed failed"
  [ "$skipped" -eq 0 ] || line="$line, $skipped skipped"
  echo "$line"
  [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}

seeds=()
if [ "${1:-}" = sim ] && [[ ${2:-} == --* ]]; then
  seeds=("${@:2}")
  set -- sim
fi
[ $# -gt 0 ] || set -- "${default[@]}"
[ "$*" != all ] || set -- "${all[@]}"
for suite in "$@"; do
  case $suite in
  -h | --help)
    usage
    exit 0
    ;;
  esac
  case " ${all[*]} soak fuzz coverage bench " in
  *" $suite "*) ;;
  *)
    echo "tests/run.sh: no suite '$suite'; --help lists them" >&2
    exit 2
    ;;
  esac
done

install_missing "$@"
for tool in cc cmake ninja pkg-config; do
  if ! have $tool; then
    echo "tests/run.sh: $tool is needed and not here" >&2
    failed=1
  fi
done
if [ $failed -eq 0 ]; then
  echo "SEEN_SEED=$SEEN_SEED SEEN_SCALE=$SEEN_SCALE"
  for suite in "$@"; do
    echo "$suite"
    run_suite "$suite" || true
  done
fi
summary
