#!/usr/bin/env bash
# seen-server and its commands, by their exit codes and what they print.
# Usage: commands.sh SEEN-SERVER FOLDER-OF-LOGS
set -u
program=$1 logs=$2
place=$(mktemp -d)
serving=
trap '[ -z "$serving" ] || kill "$serving"; rm -rf "$place"' EXIT
count=0

# expect NAME CODE WORDS COMMAND...: its exit code, and words that it prints.
expect() {
  local name=$1 code=$2 words=$3 said got
  shift 3
  said=$("$@" 2>&1)
  got=$?
  count=$((count + 1))
  if [ "$got" = "$code" ] && [[ $said == *"$words"* ]]; then
    echo "ok $count - $name"
  else
    echo "not ok $count - $name"
    echo "# exit $got, not $code: $said"
  fi
}

db=$place/db
printf '%s' a-secret-of-at-least-thirty-two-bytes >"$place/key"
plan=42
echo 1..$plan
expect "a word that is no option is told" 2 "no option 'x'" "$program" x
expect "an address of brackets alone is none" 2 "listen takes ADDRESS:PORT" \
  "$program" --listen "[]:80" --token-key "$place/key"
setting() { # what a file of settings says beside the key, in its second line
  printf 'token-key = %s\n%s\n' "$place/key" "$1" >"$place/settings"
  timeout 5 "$program" --config "$place/settings"
}
expect "a setting that is none is told by its line" 2 "settings:2: there is no" \
  setting "depth = 9"
expect "so is a number out of its range" 2 "settings:2: peer-limit takes" \
  setting "peer-limit = 1"
expect "an address that is none" 2 "settings:2: listen takes" \
  setting "listen = 8420"
expect "a database without a name" 2 "db names no file" \
  "$program" --token-key "$place/key" --db ""
expect "a level that is none" 2 "settings:2: log-level takes" \
  setting "log-level = loud"
expect "a file that is not there" 2 "settings:2: tls-cert $place/none can't" \
  setting "tls-cert = $place/none"
expect "a folder holds no settings" 2 "Is a directory" \
  "$program" --config "$place"
expect "nor a key" 2 "Is a directory" "$program" --token-key "$place"
few_files() { # for its connections
  (ulimit -n 40 && timeout 5 "$program" --listen 127.0.0.1:0 \
    --token-key "$place/key")
}
expect "a server needs files" 2 "over 64 needed" few_files
expect "help is there for commands too" 0 "usage:" "$program" token --help
token() { "$program" token --token-key="$place/key" "$@"; }
expect "a token is for somebody" 2 "1 to 64 bytes" token --user ""
expect "whose name can be one" 2 "1 to 64 bytes" token --user "$(printf 'a\nb')"
expect "and for a time" 2 "--ttl" token --user u1 --ttl soon
expect "a flag has no value" 2 "'--admin=no' is not" token --user u1 --admin=no
expect "a word too many is told" 2 "'u2' is not known" token --user u1 u2
expect "no database is not checked" 2 "No such file" "$program" check --db "$db"
echo '{"t":1,"kind":"text","from":"u1"}' >"$place/bad"
mkdir "$place/new"
expect "a log that is wrong is refused by its line" 2 "line 1: chars" \
  "$program" import "$place/bad" --conv g --db "$place/new/db"
expect "so is a name that is none" 2 "was not made" \
  "$program" import "$logs/log080.jsonl" --conv "" --db "$place/new/db"
expect "and nothing is left behind" 0 "" rmdir "$place/new"
expect "a log is imported" 0 "1500 messages of 102 members" \
  "$program" import "$logs/log080.jsonl" --conv g --db "$db"
expect "nobody else may read it" 0 600 stat -c %a "$db"
expect "a second time it is refused" 2 "the conversation exists" \
  "$program" import "$logs/log076.jsonl" --conv g --db "$db"
expect "another conversation is not" 0 "1764 messages of 146 members" \
  "$program" import "$logs/log076.jsonl" --conv h --db "$db"
expect "both are clean" 0 "0 found, 0 repaired" "$program" check --db "$db"
expect "a log that is not there is told" 2 "No such file" \
  "$program" import "$place/none" --conv i --db "$db"
expect "what is missing is told" 2 "check needs --db" "$program" check --repair
expect "nor is a folder" 2 "Is a directory" "$program" check --db "$place"
head -c 100 "$logs/README.md" >"$place/other"
expect "what is no database is not checked" 2 "not a database" \
  "$program" check --db "$place/other"
# The key through a pipe, which can be read once.
"$program" --listen 127.0.0.1:0 --token-key <(cat "$place/key") --db "$db" \
  >"$place/said" 2>"$place/log" &
serving=$!
for _ in $(seq 300); do
  grep -q listening "$place/said" && break
  sleep 0.1
done
expect "a database in use is not checked" 2 "another server has it open" \
  "$program" check --db "$db"

ln -s "$db" "$place/link"
expect "by whatever name it goes" 2 "another server has it open" \
  timeout 5 "$program" --listen 127.0.0.1:0 --token-key "$place/key" \
  --db "$place/link"

expect "nor is a port in use" 2 "Address already in use" timeout 5 "$program" \
  --listen "$(sed 's/.* //' "$place/said")" --token-key "$place/key"

url=http://$(sed 's/.* //' "$place/said")
token=$("$program" token --token-key "$place/key" --user root --admin)
theirs=$("$program" token --token-key "$place/key" --user u1)
if ! command -v curl >/dev/null ||
  [[ $("$program" admin 2>&1) == *libcurl* ]]; then
  for n in $(seq $((count + 1)) $plan); do echo "ok $n - admin # SKIP no curl"; done
  exit 0
fi
moderate() { "$program" admin "$url" "$@"; }
floors() { # as a member of both is told
  curl -s -H "Authorization: Bearer $theirs" -d \
    '[{"t":"hello","id":1,"device":"d"},{"t":"fetch","id":2,"convs":["g"]}]' \
    "$url/im/frames" | grep -o '"floor":[0-9]*'
}
expect "an act needs its fields" 2 "admin needs" moderate takedown --token x
expect "a message is taken down" 0 "" \
  moderate takedown --conv g --seq 3 --token "$token" --op t1
expect "and again by the same op" 0 "" \
  moderate takedown --conv g --seq 3 --token "$token" --op t1
expect "there is no such message" 1 "not_found" \
  moderate takedown --conv g --seq 9999 --token "$token"
expect "a member may not" 1 "forbidden" \
  moderate purge --conv g --seq 2 --token "$theirs"
expect "what is old is purged" 0 "" \
  moderate purge --conv g --seq 2 --token "$token"
expect "the floor says so" 0 '"floor":2' floors
expect "a token that is none is told" 2 "HTTP 401" \
  moderate purge --conv g --seq 2 --token none
kill "$serving"
wait "$serving"
serving=
expect "what the server left is clean" 0 "0 found" "$program" check --db "$db"
