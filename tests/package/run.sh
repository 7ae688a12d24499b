#!/usr/bin/env bash
# The package as hosts take it: installed or built along, shared or static, by
# CMake or pkg-config, from C11 and C++17. Prints TAP.
# Usage: run.sh BUILD, the built shared library's folder.
set -eu
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
consumer=$here/consumer
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
number=0
failures=0

result() { # result STATUS NAME: with the last output if it is bad
  number=$((number + 1))
  if [ "$1" = 0 ]; then
    echo "ok $number - $2"
  else
    echo "not ok $number - $2"
    sed 's/^/# /' "$work/output"
    failures=$((failures + 1))
  fi
}

try() { # try NAME COMMAND...
  local status=0
  "${@:2}" >"$work/output" 2>&1 || status=1
  result $status "$1"
}

skip() { # skip NAME WHY
  number=$((number + 1))
  echo "ok $number - $1 # SKIP $2"
}

have() {
  command -v "$1" >/dev/null
}

configure() { # configure SOURCE BUILD CMAKE_ARGUMENT...
  cmake -S "$1" -B "$2" -G Ninja -DCMAKE_BUILD_TYPE=Release "${@:3}"
}

# prints_version PROGRAM [WRAPPER...]: it runs, and says the package's version.
prints_version() {
  local version
  version=$(sed -n 's/^#define SEEN_VERSION "\(.*\)"/\1/p' \
    "$root/sdk/include/seen/types.h")
  [ "$("${@:2}" "$1")" = "$version" ]
}

by_cmake() { # by_cmake LANGUAGE CMAKE_ARGUMENT...
  rm -rf "$work/consumer"
  configure "$consumer" "$work/consumer" -DCONSUMER_LANGUAGE="$1" "${@:2}" &&
    cmake --build "$work/consumer" &&
    prints_version "$work/consumer/consumer"
}

by_pkg_config() { # by_pkg_config PREFIX COMPILER ARGUMENT...
  local path
  path=$(dirname "$(find "$1" -name seen.pc)")
  local flags libraries
  read -ra flags < <(PKG_CONFIG_PATH=$path pkg-config --cflags seen)
  read -ra libraries < <(PKG_CONFIG_PATH=$path pkg-config --libs seen)
  "${@:2}" "${flags[@]}" "$consumer/main.c" -x none "${libraries[@]}" \
    -o "$work/program" &&
    prints_version "$work/program" env LD_LIBRARY_PATH="$(dirname "$path")"
}

# consumers KIND PREFIX: of the package of that kind that is installed there.
consumers() {
  try "$1: find_package from C11" by_cmake C -DCMAKE_PREFIX_PATH="$2"
  try "$1: pkg-config from C11" \
    by_pkg_config "$2" cc -std=c11 -pedantic -Werror -x c
  if have g++; then
    try "$1: find_package from C++17" by_cmake CXX -DCMAKE_PREFIX_PATH="$2"
    try "$1: pkg-config from C++17" \
      by_pkg_config "$2" g++ -std=c++17 -pedantic -Werror -x c++
  else
    skip "$1: from C++17" "no g++ here"
  fi
}

# headers_alone COMPILER ARGUMENT...: each public header, by itself.
headers_alone() {
  local header
  if ! have "$1"; then
    skip "headers alone: $*" "no $1 here"
    return
  fi
  while read -r header; do
    echo "#include <$header>" >"$work/alone"
    try "$header alone: $*" "$@" -Wall -Wextra -Werror -fsyntax-only \
      -I "$work/shared/include" "$work/alone"
  done < <(cd "$work/shared/include" && find seen -name '*.h' | LC_ALL=C sort)
}

# A release's shared library, without what only a debugger reads.
is_small() { # is_small LIBRARY
  local most=$((300 * 1024)) size
  strip -o "$work/stripped" "$1"
  size=$(stat -c %s "$work/stripped")
  echo "$size bytes, at most $most"
  [ "$size" -le $most ]
}

install_static() {
  configure "$root" "$work/build" -DBUILD_SHARED_LIBS=OFF -DSEEN_WERROR=ON &&
    cmake --build "$work/build" &&
    cmake --install "$work/build" --prefix "$work/static"
}

build_samples() {
  configure "$root/samples" "$work/samples" \
    -DCMAKE_PREFIX_PATH="$work/shared" &&
    cmake --build "$work/samples"
}

try "shared: installs" cmake --install "$build" --prefix "$work/shared"
consumers shared "$work/shared"
try "static: builds as a release and installs" install_static
consumers static "$work/static"
try "built along with the host" by_cmake C -DSEEN_SOURCE="$root"
try "built along with the host, shared" \
  by_cmake C -DSEEN_SOURCE="$root" -DBUILD_SHARED_LIBS=ON
small="gcc's release of the shared library takes 300 KB at most"
if cc --version | grep -q 'Free Software'; then
  try "$small" is_small "$(find "$work/consumer" -name 'libseen.so.*' -type f)"
else
  skip "$small" "cc is not gcc"
fi
try "the samples build on the installed package" build_samples
headers_alone gcc -std=c11 -pedantic -x c
headers_alone g++ -std=c++17 -pedantic -x c++
headers_alone clang -std=c11 -pedantic -x c
headers_alone clang++ -std=c++17 -pedantic -x c++

echo "1..$number"
[ $failures -eq 0 ]
