#!/usr/bin/env bash
# Builds libseen and its samples, starts a server on a free port with a database
# in a temporary folder, and fills it from real chats. In a terminal it opens
# seen-chat as one of their people, while the others go on talking; without
# one it plays a story on two devices as lines of text, and exits 0 only if
# these and the server agree. What is missing to build it is named and
# installed first, by Debian's packages.
set -eu
cd "$(dirname "$0")/.."
build=build/demo
log=$build/build.log

have() {
  command -v "$1" >/dev/null
}

header() { # header NAME: whether it is there
  [ -n "$(find /usr/include /usr/local/include -name "$1" -print -quit \
    2>/dev/null)" ]
}

# The packages that what is missing comes with.
missing() {
  have cmake || echo cmake
  have make || echo make
  have cc || echo gcc
  have pkg-config || echo pkg-config
  header stdlib.h || echo libc6-dev
  header cJSON.h || echo libcjson-dev
  header sqlite3.h || echo libsqlite3-dev
  header evp.h || echo libssl-dev
  header libwebsockets.h || echo libwebsockets-dev
  header jwt.h || echo libjwt-dev
  header curl.h || echo libcurl4-openssl-dev
  header curses.h || echo libncurses-dev
}

install_missing() {
  local packages root=()
  mapfile -t packages < <(missing)
  [ ${#packages[@]} -gt 0 ] || return 0
  echo "To build the demo these packages are missing: ${packages[*]}"
  if ! have apt-get; then
    echo "There is no apt-get to install them with."
    exit 1
  fi
  if [ "$(id -u)" != 0 ]; then
    if ! have sudo; then
      echo "Install them as root, or install sudo."
      exit 1
    fi
    root=(sudo)
  fi
  echo "Installing them by apt-get …"
  # A list that can't be refreshed may be one that is not needed.
  "${root[@]}" apt-get update >"$log" 2>&1 || true
  if ! "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y \
    --no-install-recommends "${packages[@]}" >>"$log" 2>&1; then
    tail -n 20 "$log"
    echo "They could not be installed."
    exit 1
  fi
}

build_demo() {
  echo "Building …"
  if ! {
    cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DSEEN_INSTALL=OFF &&
      cmake --build "$build" --parallel "$(getconf _NPROCESSORS_ONLN)" \
        --target seen-server seen-chat seen-demo
  } >"$log" 2>&1; then
    tail -n 20 "$log"
    echo "It could not be built."
    exit 1
  fi
}

mkdir -p "$build"
install_missing
build_demo
exec "$build/samples/demo/seen-demo" "$build/samples/server/seen-server" \
  samples/data "$build/samples/chat/seen-chat"
