# A seen-server with an empty database, tokens for people, and TAP. Sourced by
# the scripts beside it, after `chat` and `server` were set.
# shellcheck shell=bash disable=SC2154,SC2034

work=$(mktemp -d)
server_pid=
count=0
bad=0

end() {
  [ -z "$server_pid" ] || kill "$server_pid" 2>/dev/null || true
  rm -rf "$work"
}
trap end EXIT

start_server() { # on the port that it had
  "$server" --token-key "$work/key" --db "$work/db" --listen \
    "127.0.0.1:${port:-0}" --window-ms 100 --log-level error \
    >"$work/listening" 2>"$work/server.log" &
  server_pid=$!
  for _ in $(seq 1500); do
    grep -q '^listening' "$work/listening" && break
    sleep 0.02
  done
  port=$(sed 's/.*://' "$work/listening")
  url=http://127.0.0.1:$port
}

stop_server() {
  kill -9 "$server_pid"
  wait "$server_pid" 2>/dev/null || true
  server_pid=
}

token() { # token USER: a file that holds one
  [ -s "$work/$1.token" ] || "$server" token --token-key "$work/key" \
    --user "$1" --ttl 3600 >"$work/$1.token"
  echo "@$work/$1.token"
}

ok() { # ok WHAT COMMAND...
  local what=$1
  shift
  count=$((count + 1))
  if "$@" >"$work/said" 2>&1; then
    echo "ok $count - $what"
  else
    echo "not ok $count - $what"
    sed 's/^/# /' "$work/said"
    bad=1
  fi
}

done_testing() {
  echo "1..$count"
  exit "$bad"
}

head -c 32 /dev/urandom | base64 >"$work/key"
start_server
