#!/usr/bin/env bash
# seen-server import and check, by their exit codes and what they print.
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
echo 1..9
expect "no database is not checked" 2 "no such db" "$program" check --db "$db"
expect "a log is imported" 0 "1500 messages of 102 members" \
  "$program" import "$logs/log080.jsonl" --conv g --db "$db"
expect "a second time it is refused" 2 "the conversation exists" \
  "$program" import "$logs/log076.jsonl" --conv g --db "$db"
expect "another conversation is not" 0 "1764 messages of 146 members" \
  "$program" import "$logs/log076.jsonl" --conv h --db "$db"
expect "both are clean" 0 "0 found, 0 repaired" "$program" check --db "$db"
expect "a log that is not there is told" 2 "No such file" \
  "$program" import "$place/none" --conv i --db "$db"
expect "what is missing is told" 2 "check needs --db" "$program" check --repair
head -c 100 "$logs/README.md" >"$place/other"
expect "what is no database is not checked" 2 "not a database" \
  "$program" check --db "$place/other"
"$program" --listen 127.0.0.1:0 --token-key "$place/key" --db "$db" \
  >"$place/said" 2>"$place/log" &
serving=$!
for _ in $(seq 100); do
  grep -q listening "$place/said" && break
  sleep 0.1
done
expect "a database in use is not checked" 2 "another server has it open" \
  "$program" check --db "$db"
