#!/usr/bin/env bash
# Tests the tests: each patch here makes one mistake, as people make them. Its
# first line is the rule that this breaks, its second those who are to notice,
# from cheap to dear. The sources are copied to build/mutants, built and shown
# to pass; then each patch in turn is applied, what it changes is built, its
# catchers run until one fails, and it is taken back. Prints TAP; exits 0 only
# if each mistake was noticed.
#
# A catcher is the id of a rule, for its traces; `traces`, for all of them; the
# name of a test program; or `sim`, for SEEN_SIM_SEEDS seeds of the simulator.
# Usage: run.sh [--sample | --by CATCHER] [NAME...]   of all patches, or these
#        run.sh --check [ROOT]   whether each still applies; builds nothing
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
sample=(P1_max_without_epoch V3_debounce_drops_the_last M3_keep_not_written)
: "${SEEN_SIM_SEEDS:=1000}"

# The same each time; a twentieth of the random inputs is enough.
export SEEN_SEED=1 SEEN_SCALE=20

catchers_of() { # catchers_of PATCH
  sed -n '2s/^Catchers: //p' "$1"
}

# Prints a test a patch, as TAP does.
check() { # check ROOT
  local patch number=0 failures=0
  cd "$1"
  for patch in "$here"/*.patch; do
    number=$((number + 1))
    # A repository of its own, or none, so that paths begin here.
    if [ -n "$(catchers_of "$patch")" ] &&
      GIT_DIR=$here/none git apply --check "$patch"; then
      echo "ok $number - $(basename "$patch" .patch)"
    else
      echo "not ok $number - $(basename "$patch" .patch)"
      failures=$((failures + 1))
    fi
  done
  echo "1..$number"
  [ $failures -eq 0 ]
}

# Only what differs is written, so that only that is built.
copy_sources() {
  local sources
  git init -q "$tree"
  sources=$(
    export GIT_DIR=$tree/.git GIT_INDEX_FILE=$work/index GIT_WORK_TREE=$root
    cd "$root"
    git add -A
    git write-tree
  )
  git -C "$tree" read-tree --reset -u "$sources"
}

configure() {
  cmake -S "$tree" -B "$work/build" -G Ninja -DSEEN_BUILD_TESTS=ON \
    -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O1
}

is_rule() {
  [[ $1 =~ ^[A-Z][0-9]+$ ]]
}

target_of() { # target_of CATCHER
  if is_rule "$1" || [ "$1" = traces ]; then
    echo seen-replay
  elif [ "$1" = sim ]; then
    echo seen-sim
  else
    echo "$1"
  fi
}

# Mutants may go on for ever.
limited() { # limited COMMAND...
  timeout 300 "$@"
}

replay() { # replay TRACE...
  local trace
  for trace in "$@"; do
    limited "$work/build/samples/replay/seen-replay" "$trace" || return 1
  done
}

# Whether the catcher has nothing to say against what was built.
passes() { # passes CATCHER
  if is_rule "$1"; then
    replay "$tree/tests/traces/rules/$1"_*
  elif [ "$1" = traces ]; then
    limited bash "$tree/tests/traces/run.sh" \
      "$work/build/samples/replay/seen-replay"
  elif [ "$1" = sim ]; then
    SEEN_SCALE=1 limited "$work/build/tests/sim/seen-sim" \
      --seeds "$SEEN_SIM_SEEDS" --jobs 2
  else
    ctest --test-dir "$work/build" -R "^$1\$" --no-tests=error \
      --output-on-failure --timeout 300
  fi
}

# 0: it passes; 1: it does not; 2: it can't be built.
run_catcher() { # run_catcher CATCHER
  cmake --build "$work/build" --parallel 2 --target "$(target_of "$1")" \
    >"$log" 2>&1 || return 2
  passes "$1" >"$log" 2>&1 </dev/null || return 1
}

wanted() { # wanted PATCH: the catchers to run
  echo "${by:-$(catchers_of "$1")}"
}

# All catchers of the patches, each once, on what is as it should be.
baseline() { # baseline PATCH...
  local catcher patch catchers=()
  mapfile -t catchers < <(
    for patch in "$@"; do wanted "$patch"; done | tr ' ' '\n' | sort -u
  )
  for catcher in "${catchers[@]}"; do
    if ! run_catcher "$catcher"; then
      echo "not ok 1 - without a mutant $catcher fails; $log ends:"
      tail -n 20 "$log" | sed 's/^/# /'
      return 1
    fi
  done
  echo "# ${#catchers[@]} catchers pass without a mutant"
}

seconds_since() { # seconds_since EPOCHREALTIME
  local us=$((${EPOCHREALTIME/./} - ${1/./}))
  printf '%d.%d' $((us / 1000000)) $((us / 100000 % 10))
}

# Prints who noticed; false: nobody.
try() { # try PATCH
  local catcher catchers status began=$EPOCHREALTIME
  if ! git -C "$tree" apply "$1" 2>"$log"; then
    echo "MISSED: it no longer applies"
    return 1
  fi
  read -ra catchers <<<"$(wanted "$1")"
  for catcher in "${catchers[@]}"; do
    status=0
    run_catcher "$catcher" || status=$?
    [ $status -eq 0 ] || break
  done
  git -C "$tree" apply -R "$1"
  case $status in
  0) echo "MISSED by ${catchers[*]}" ;;
  1) echo "caught by $catcher in $(seconds_since "$began") s" ;;
  *) echo "MISSED: it does not build" ;;
  esac
  [ $status -eq 1 ]
}

try_all() { # try_all PATCH...
  local patch result verdict number=0 caught=0
  for patch in "$@"; do
    number=$((number + 1))
    verdict="not ok"
    if result=$(try "$patch"); then
      verdict=ok
      caught=$((caught + 1))
    fi
    echo "$verdict $number - $(basename "$patch" .patch): $result"
  done
  echo "1..$number"
  echo "# $caught of $number mutants caught"
  [ $caught -eq $number ]
}

by=
case ${1:-} in
--check)
  check "${2:-$root}"
  exit
  ;;
--sample) set -- "${sample[@]}" ;;
--by)
  by=${2:?--by takes a catcher}
  shift 2
  ;;
esac

work=$root/build/mutants
tree=$work/tree
log=$work/log
mkdir -p "$work"
exec 9>"$work/lock"
flock 9 # one at a time
patches=()
for name in "$@"; do
  patches+=("$here/$name.patch")
done
[ $# -gt 0 ] || patches=("$here"/*.patch)
for patch in "${patches[@]}"; do
  [ -f "$patch" ] || { echo "no $patch" >&2; exit 2; }
done

copy_sources
if ! configure >"$log" 2>&1; then
  cat "$log"
  exit 1
fi
baseline "${patches[@]}"
try_all "${patches[@]}"
