#!/usr/bin/env bash
# seen-replay over a database, what it says of one, and what it dumps.
# Usage: store.sh REPLAY [ARGUMENT...]
set -eu
. "$(dirname "$0")/tap.sh"
replay=("$@")
traces=$(cd "$(dirname "$0")/../traces" && pwd)

# Two conversations, one of them with a read that no server has yet.
cat >"$work/two" <<'END'
{"at":0,"me":{"user":"zoe","device":"phone"}}
{"conversation":{"id":"team","kind":"group","last_seq":10,"read":{"epoch":0,"seq":4,"high":0},"mentions":[9],"updated_at":5,"roster":[{"user":"zoe"},{"user":"adam"}]}}
{"conversation":{"id":"adam","kind":"direct","last_seq":3,"read":{"epoch":0,"seq":3,"high":0},"updated_at":9}}
{"at":300,"tick":{}}
{"at":310,"link":"down"}
{"at":320,"mark_read":{"conv":"team","seq":7}}
{"at":330,"message":{"conv":"team","seq":11,"from":"adam"}}
END
{
  cat "$work/two"
  echo '{"expect":{"conv":"team","unread":4,"pending":true}}'
} >"$work/held"

# Over a database: the same, and it stays to be looked at.
run --store db held
is '--store' 'exits 0' 0 "$status"
is '--store' 'prints nothing' '' "$out$err"
run --db db --check
is '--check' 'exits 0' 0 "$status"
is '--check' 'has nothing to say' 'db: 2 conversations, nothing to correct' \
  "$out"
run --db db --states
is '--db --states' 'is what was written: the message at 330 was not' \
  'team             group  3             3        1        8        7        0:4:0       10 pending' \
  "$(grep '^team' <<<"$out")"
run --db db --explain team
is '--db --explain' 'begins with the sum' \
  'unread 3 = last_seq 10 - base 7 - 0 uncountable, exact' \
  "$(sed -n 2p <<<"$out")"
run --db db --explain nobody
is '--db --explain of none' 'exits 2' 2 "$status"
is '--db --explain of none' 'says so' \
  "db: no conversation 'nobody' to explain" "$err"
before=$(cksum <"$work/db")
run --db db --check --states
is '--db' 'writes nothing' "$before" "$(cksum <"$work/db")"
run --store db held
is '--store over one that is there' 'exits 2' 2 "$status"
is '--store over one that is there' 'says so' \
  'seen-replay: db is there already' "$err"
run --db none --states
is '--db of none' 'exits 2' 2 "$status"
is '--db of none' 'makes none' absent \
  "$([ -e "$work/none" ] && echo there || echo absent)"
run --db held --states
is '--db of another file' 'exits 2' 2 "$status"

# A restart is from what was written.
{
  cat "$work/two"
  echo '{"restart":{}}'
  echo '{"expect":{"conv":"team","unread":3,"pending":true}}'
  echo '{"link":"up"}'
  echo '{"expect_sent":[{"report":{"conv":"team","epoch":0,"seq":7}}]}'
} >"$work/again"
run --store db2 again
is '--store with a restart' 'exits 0' 0 "$status"
is '--store with a restart' 'prints nothing' '' "$out$err"
run again
is 'a restart from memory' 'is the same' '0' "$status$out$err"

# Several traces have a database each; the last one's stays.
run --store db3 held again
is '--store of several' 'exits 0' 0 "$status"
run --db db3 --check
is '--store of several' 'leaves the last one' 0 "$status"
echo 'no trace' >"$work/none_at_all"
{
  cat "$work/two"
  echo '{"tock":{}}'
} >"$work/broken"
run --store db5 broken none_at_all held
is '--store of one that breaks off' 'goes on with the next' \
  'broken:8: none_at_all:1:' "$(cut -d' ' -f1 <<<"$out" | xargs)"
run --db db5 --check
is '--store of one that breaks off' 'leaves the last one' 0 "$status"

# A dump replays to what it was taken from, and goes on.
run --dump dump held
is '--dump' 'exits 0' 0 "$status"
is '--dump' 'begins with whose it is' \
  '{"at":0,"me":{"user":"zoe","device":"phone"}}' "$(head -n 1 "$work/dump")"
run --explain team held
explained=$out
run --explain team dump
is '--explain on a dump' 'says the same' "$explained" "$out"
is '--explain on a dump' 'answers' \
  'unread 4 = last_seq 11 - base 7 - 0 uncountable, exact' \
  "$(sed -n 2p <<<"$out")"
{
  cat "$work/dump"
  sed 1,7d "$work/again"
} >"$work/dump_on"
run --store db4 dump_on
is 'a dump over a database' 'goes on as the trace' '0' "$status$out$err"
run --dump - held
is '--dump -' 'is the same' "$(cat "$work/dump")" "$out"
run --dump no/such/folder held
is '--dump to nowhere' 'exits 2' 2 "$status"
is '--dump to nowhere' 'says why' \
  'seen-replay: no/such/folder: No such file or directory' "$err"

# Under other names.
run --dump named --pseudonyms held
is '--pseudonyms' 'exits 0' 0 "$status"
is '--pseudonyms' 'leaves no real one' '' \
  "$(grep -E 'zoe|adam|team|phone' "$work/named" || true)"
run --states named
is '--pseudonyms' 'replays to the same, in the same order' \
  'c1 c2' "$(awk '/^c[0-9]/ { print $1 }' <<<"$out" | xargs)"
run --explain c2 named
is '--pseudonyms' 'explains the same' "${explained/team/c2}" "$out"

# A state has its place.
{
  cat "$work/two"
  echo '{"state":{"link":"down"}}'
} >"$work/late"
run late
is 'a state behind an input' 'exits 2' 2 "$status"
is 'a state behind an input' 'says so' \
  'late:8: error: a state behind the first input' "$out"

# A recorder's files.
run --recording none
is '--recording of none' 'exits 2' 2 "$status"
printf 'no recording at all, but long enough for a head' >"$work/junk-0"
run --recording junk
is '--recording of junk' 'exits 2' 2 "$status"
is '--recording of junk' 'says so' 'junk: junk-0 holds no recording' "$err"

# Every trace holds over a database too.
for folder in rules cases; do
  run "$traces/$folder"/*.jsonl
  plain=$status$out
  run --store "$folder" "$traces/$folder"/*.jsonl
  is "--store of $folder" 'is as without' "$plain" "$status$out"
done
finish
