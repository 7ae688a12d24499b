#!/usr/bin/env bash
# The vectors and the transport's rules, by seen-conform, against seen-server;
# and that seen-conform finds what does not hold.
# Usage: conform.sh SEEN-SERVER SEEN-CONFORM
set -eu
server=$1
conform=$2
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
pid=

finish() {
  [ -z "$pid" ] || kill "$pid" 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT

echo "a secret of the tests, of no use elsewhere" >"$work/key"
"$server" --listen 127.0.0.1:0 --token-key "$work/key" --db "$work/db" \
  >"$work/out" 2>"$work/log" &
pid=$!
for ((i = 0; i < 600; i++)); do
  grep -q listening "$work/out" && break
  sleep 0.1
done
url=ws://$(sed 's/listening on //' "$work/out")

number=0
result() { # result EXIT_CODE TITLE
  number=$((number + 1))
  if [ "$1" = 0 ]; then
    echo "ok $number - $2"
  else
    echo "not ok $number - $2"
    sed 's/^/# /' "$work/table"
  fi
}

checked() { # checked ARGUMENT...
  "$conform" "$url" --token-key "$work/key" "$@" >"$work/table" 2>&1
}

status=0
checked --patience-ms 30000 "$root"/docs/vectors/*.jsonl || status=$?
grep FAILS "$work/table" || true
result "$status" "every vector and rule holds"

cat >"$work/wrong.jsonl" <<'END'
{"vector":"not so"}
{"connect":"a1","user":"$ann"}
{"expect":"a1","frame":{"t":"welcome","user":"$bob"}}
END
status=0
checked --only "not so" "$work/wrong.jsonl" || status=$?
grep -q 'line 3: did not come' "$work/table" && [ $status = 1 ] && status=0
result "$status" "what does not hold is found, and told by its line"

echo '{"connect"' >"$work/broken.jsonl"
status=0
checked --only none "$work/broken.jsonl" || status=$?
[ $status = 2 ] && status=0
result "$status" "what is no vector is not run"

refused() { # refused WORDS URL ARGUMENT...: is not run, and says why
  local words=$1
  shift
  status=0
  "$conform" "$@" >"$work/table" 2>&1 || status=$?
  if [ $status = 2 ] && grep -q "$words" "$work/table"; then status=0; else status=1; fi
}
key=(--token-key "$work/key")
refused "no title has" "$url" "${key[@]}" --only nothing "$work/wrong.jsonl"
result "$status" "nothing to play is told"
refused "No such file" "$url" "${key[@]}" "$work/none.jsonl"
result "$status" "vectors that are not there are told"
refused "no token" "$url" --token-key "$work/none"
result "$status" "so is that there are no tokens"
refused "no WebSocket" ws://127.0.0.1:1 "${key[@]}"
result "$status" "so is that there is no server"

status=0
"$conform" "$url" --only "taken" --token-command \
  "$server token --token-key $work/key --user \$SEEN_USER" \
  >"$work/table" 2>&1 || status=$?
result "$status" "tokens may come from a command"

kill "$pid"
status=0
wait "$pid" || status=$?
pid=
cp "$work/log" "$work/table"
if grep -qE 'Sanitizer|runtime error' "$work/log"; then status=1; fi
result "$status" "the server ends in order"
echo "1..$number"
