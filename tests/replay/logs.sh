#!/usr/bin/env bash
# seen-replay on chat logs: what it counts, and that the trace it writes comes
# to the same states. Usage: logs.sh REPLAY [ARGUMENT...]
set -eu
. "$(dirname "$0")/tap.sh"
replay=("$@")
data=$(cd "$(dirname "$0")/../../samples/data" && pwd)

# A small chat, counted by hand: u1 is named in 1, 5 and (by himself) 4.
cat >"$work/small.jsonl" <<'END'
{"t":0,"kind":"text","from":"u2","chars":3,"mentions":["u1"]}
{"t":1000,"kind":"system","event":"join"}
{"t":2000,"kind":"text","from":"u3","chars":3,"mentions":["u2"]}
{"t":3000,"kind":"text","from":"u1","chars":3,"mentions":["u1"]}
{"t":60000,"kind":"text","from":"u2","chars":3,"mentions":["u3","u1"]}
END
run --log small.jsonl --me u1 --states
is small 'exits 0' 0 "$status"
is small 'is counted' \
  'small: 4 messages and 1 system lines of 3 people
u1: unread 3, mentions 2 of 3
advances 0, merged 0, reports 0, frames 0' "$(head -n 3 <<<"$out")"
is small 'has a row' \
  'small            group  3             3        2        1        0        0:0:0        5' \
  "$(sed -n 5p <<<"$out")"
run --log small.jsonl --me u1 --reader every=40,rows=2
is 'small, read' 'leaves what came after the visit' \
  'u1: unread 1, mentions 1 of 3' "$(sed -n 2p <<<"$out")"
run --log small.jsonl --me u9
is 'a stranger' 'exits 0' 0 "$status"
is 'a stranger' 'is told of' 'seen-replay: u9 says nothing in small.jsonl' "$err"
is 'a stranger' 'has all unread' 'u9: unread 4, mentions 0 of 0' \
  "$(sed -n 2p <<<"$out")"
run --log small.jsonl --me u1 --explain small
is 'small, explained' 'exits 0' 0 "$status"
is 'small, explained' 'names the conversation' 'small (group)' \
  "$(sed -n 4p <<<"$out")"

# An id that system lines would have.
sed 's/"u3"/"system"/' "$work/small.jsonl" >"$work/system.jsonl"
run --log system.jsonl --me u1
is 'somebody called system' 'is counted' 'u1: unread 3, mentions 2 of 3' \
  "$(sed -n 2p <<<"$out")"

# round LOG USER ARGUMENT...: the trace it writes comes to the same.
round() {
  local name=$1 user=$2 first
  shift 2
  run --log "$data/$name.jsonl" --me "$user" --states --write-trace out "$@"
  is "$name $user $*" 'is played' 0 "$status"
  first=$(sed -n '/^conversation/,$p' <<<"$out")
  run --states out
  is "$name $user $*" 'holds as a trace' 0 "$status"
  is "$name $user $*" 'has the same states' "$first" "$out"
}
round log050 u42
round log050 u93 --reader every=600,rows=12
round log076 u17 --reader every=60,rows=3
round log080 u2 --reader every=3600,rows=40

# The expectations in it are some that can fail.
for change in '/"expect"/s/"unread":0,/"unread":1,/' \
  '/"expect_sent"/s/"seq":[0-9]*/"seq":1/' \
  '/"expect_totals"/s/"mentions":[0-9]*/"mentions":77/' \
  '/"expect_metric"/s/"advances":[0-9]*/"advances":1/'; do
  run --log "$data/log050.jsonl" --me u93 --reader every=600,rows=12 \
    --write-trace out
  sed "$change" "$work/out" >"$work/changed"
  is "changed by $change" 'is another trace' 1 \
    "$(cmp -s "$work/out" "$work/changed" && echo 0 || echo 1)"
  run changed
  is "changed by $change" 'does not hold' 1 "$status"
done

wrong() { # wrong NAME TEXT LINE...: the last line of a log is refused
  local name=$1 text=$2
  shift 2
  printf '%s\n' "$@" >"$work/$name"
  run --log "$name" --me u1
  is "$name" 'exits 2' 2 "$status"
  is "$name" 'says why' "$name:$#: error: $text" "$err"
}
good='{"t":5,"kind":"text","from":"u1","chars":1}'
wrong json 'no JSON object' "$good" '{"t":5'
wrong time "'t' is not a time" '{"kind":"system","event":"join"}'
wrong falls "'t' falls" "$good" '{"t":4,"kind":"system","event":"join"}'
wrong nokind "no 'kind'" '{"t":5}'
wrong kind "'kind' is neither text nor system" '{"t":5,"kind":"note"}'
wrong from "no 'from'" '{"t":5,"kind":"text"}'
wrong list "'mentions' is not a list" \
  '{"t":5,"kind":"text","from":"u1","mentions":"u2"}'
wrong mention 'a mention is not an id' \
  '{"t":5,"kind":"text","from":"u1","mentions":[2]}'
: >"$work/empty"
run --log empty --me u1
is empty 'exits 2' 2 "$status"
is empty 'says why' 'empty: error: an empty log' "$err"
run --log none --me u1
is none 'exits 2' 2 "$status"
is none 'says why' 'none: No such file or directory' "$err"
run --log small.jsonl --me u1 --write-trace no/such/folder
is 'a folder that is not there' 'exits 2' 2 "$status"
is 'a folder that is not there' 'says why' "the trace can't be written" "$err"

finish
