#!/usr/bin/env bash
# seen-replay on traces: exit codes, messages, and that each expectation can
# fail. Usage: traces.sh REPLAY [ARGUMENT...]
set -eu
. "$(dirname "$0")/tap.sh"
replay=("$@")

# Two conversations: a group with one unread mention, and a direct one.
cat >"$work/base" <<'END'
# a comment
{"at":0,"me":{"user":"u1","device":"d1"}}
{"conversation":{"id":"g_1","kind":"group","last_seq":10,"read":{"epoch":0,"seq":8,"high":0},"mentions":[9],"updated_at":5,"roster":[{"user":"u1"},{"user":"u2","read_seq":9},{"user":"u3"}]}}
{"conversation":{"id":"d_1","kind":"direct","last_seq":3,"read":{"epoch":0,"seq":3,"high":0},"updated_at":9}}

{"at":100,"mark_read":{"conv":"g_1","seq":9}}
END
lines=$(wc -l <"$work/base")

trace() { # trace NAME LINE...: the base, and these lines behind it
  local name=$1
  shift
  { cat "$work/base" && printf '%s\n' "$@"; } >"$work/$name"
}

# What is expected and holds.
trace held \
  '{"expect":{"conv":"g_1","unread":1,"exact":true,"mentions":0,"first_mention":0,"badge":"1","read":9,"server_read":{"epoch":0,"seq":8,"high":0},"last_seq":10,"first_unread":10,"marked_unread":false,"pending":true,"muted":false,"pinned":false,"absent":false}}' \
  '{"expect":{"conv":"x_1","absent":true}}' \
  '{"expect":{"conv":"g_1"}}' \
  '{"expect_totals":{"unread":1,"conversations":1,"muted":0,"mentions":0}}' \
  '{"expect_totals":{}}' \
  '{"expect_order":["d_1","g_1"]}' \
  '{"expect_order":["d_1"]}' \
  '{"expect_order":[]}' \
  '{"expect_sent":[{"report":{"conv":"g_1","epoch":0,"seq":9}}]}' \
  '{"expect_sent":[]}' \
  '{"expect_receipt":{"conv":"g_1","seq":9,"state":"sent","read":1,"delivered":1,"audience":2,"read_by":["u2"],"unread_by":["u3"]}}' \
  '{"expect_metric":{"advances":1,"reports_sent":1,"report_frames":1,"reports_merged":0,"stale_positions":0,"refused":0,"unread_drift":0}}'
run held
is held 'exits 0' 0 "$status"
is held 'prints nothing' '' "$out"

# differs NAME LINE TEXT: the line does not hold, and is told so.
differs() {
  trace "$1" "$2"
  run "$1"
  is "$1" 'exits 1' 1 "$status"
  is "$1" 'says what differs' "$1:$((lines + 1)): expected $3" "$out"
}

field() { # field NAME EXPECTED GOT: of a conversation
  differs "$1" "{\"expect\":{\"conv\":\"g_1\",\"$1\":$2}}" \
    "g_1 $1 $2, got $3"
}
field unread 2 1
field exact false true
field mentions 1 0
field first_mention 9 0
field badge '"2"' '"1"'
field badge '""' '"1"'
field read 8 9
field last_seq 11 10
field first_unread 9 10
field marked_unread true false
field pending false true
field muted true false
field pinned true false
field absent true 'a row'
for part in epoch seq high; do
  differs "server_read_$part" \
    "{\"expect\":{\"conv\":\"g_1\",\"server_read\":{\"$part\":77}}}" \
    "g_1 server_read $part 77, got $([ $part = seq ] && echo 8 || echo 0)"
done
differs no_row '{"expect":{"conv":"x_1","unread":0}}' \
  'x_1 unread 0, got no row'
differs no_row_badge '{"expect":{"conv":"x_1","badge":""}}' \
  'x_1 badge "", got no row'
differs not_absent '{"expect":{"conv":"x_1","absent":false}}' \
  'x_1 absent false, got no row'
for total in unread conversations muted mentions; do
  differs "totals_$total" "{\"expect_totals\":{\"$total\":7}}" \
    "totals $total 7, got $(case $total in
      unread | conversations) echo 1 ;;
      *) echo 0 ;;
    esac)"
done
differs order '{"expect_order":["g_1"]}' '["g_1"], got ["d_1"]'
differs order_longer '{"expect_order":["d_1","g_1","x_1"]}' \
  '["d_1","g_1","x_1"], got ["d_1","g_1"]'

sent='[{"report":{"conv":"g_1","epoch":0,"seq":9}}]'
sent() { # sent NAME EXPECTED: it was something else that was sent
  differs "sent_$1" "{\"expect_sent\":$2}" "$2, got $sent"
}
sent nothing '[]'
sent more '[{"report":{}},{"report":{}}]'
sent kind '[{"fetch":{"conv":"g_1"}}]'
sent conv '[{"report":{"conv":"d_1"}}]'
sent epoch '[{"report":{"epoch":1}}]'
sent seq '[{"report":{"seq":8}}]'
sent cleared '[{"report":{"cleared":[9]}}]'
sent keep '[{"report":{"keep":true}}]'
for output in mark_unread read_all delivered resync unsubscribe subscribe; do
  sent "$output" "[{\"$output\":{}}]"
done

receipt() { # receipt NAME EXPECTED GOT: of seq 9
  differs "receipt_$1" \
    "{\"expect_receipt\":{\"conv\":\"g_1\",\"seq\":9,\"$1\":$2}}" \
    "g_1 9 $1 ${2//\"sent\"/sent}, got $3"
}
receipt read 2 1
receipt delivered 0 1
receipt audience 3 2
receipt read_by '["u3"]' '["u2"]'
receipt unread_by '[]' '["u3"]'
differs receipt_state \
  '{"expect_receipt":{"conv":"g_1","seq":9,"state":"read"}}' \
  'g_1 9 state read, got sent'
differs receipt_no_row \
  '{"expect_receipt":{"conv":"x_1","seq":9,"audience":2}}' \
  'x_1 9 audience 2, got no row'

for metric in advances reports_sent report_frames reports_merged \
  stale_positions refused unread_drift; do
  differs "metric_$metric" "{\"expect_metric\":{\"$metric\":7}}" \
    "metric $metric 7, got $(case $metric in
      advances | reports_sent | report_frames) echo 1 ;;
      *) echo 0 ;;
    esac)"
done

# What outputs say, each member of it.
cat >"$work/outputs" <<'END'
{"at":0,"me":{"user":"u1","device":"d1","policy":{"delivered":true,"subscriptions":true}}}
{"conversation":{"id":"g_1","kind":"group","last_seq":10,"read":{"epoch":0,"seq":8,"high":0}}}
{"mute":{"conv":"g_1","on":true}}
{"expect_sent":[{"mute":{"conv":"g_1","on":false}}]}
{"mark_unread":{"conv":"g_1","target":5}}
{"expect_sent":[{"mark_unread":{"expected":{"epoch":1}}}]}
{"link":"down"}
{"link":"up"}
{"expect_sent":[{"mute":{"on":true}},{"mark_unread":{"expected":{"seq":9}}}]}
{"link":"down"}
{"link":"up"}
{"expect_sent":[{"mute":{}},{"mark_unread":{"target":4}}]}
{"message":{"conv":"g_1","seq":11,"from":"u1"}}
{"message":{"conv":"g_1","seq":12,"from":"u2"}}
{"open":{"conv":"g_1"}}
{"visible":{"conv":"g_1","from":9,"to":12}}
{"expect_sent":[{"subscribe":{"conv":"g_1","from":10}}]}
{"close":{"conv":"g_1"}}
{"expect_sent":[{"unsubscribe":{"to":12}}]}
{"at":500,"expect_sent":[{"delivered":{"seq":11}}]}
END
run outputs
is outputs 'exits 1' 1 "$status"
is outputs 'says each difference' \
  'outputs:4: expected [{"mute":{"conv":"g_1","on":false}}], got [{"mute":{"conv":"g_1","on":true}}]
outputs:6: expected [{"mark_unread":{"expected":{"epoch":1}}}], got [{"mark_unread":{"conv":"g_1","expected":{"epoch":0,"seq":8},"target":5}}]
outputs:9: expected [{"mute":{"on":true}},{"mark_unread":{"expected":{"seq":9}}}], got [{"mute":{"conv":"g_1","on":true}},{"mark_unread":{"conv":"g_1","expected":{"epoch":0,"seq":8},"target":5}}]
outputs:12: expected [{"mute":{}},{"mark_unread":{"target":4}}], got [{"mute":{"conv":"g_1","on":true}},{"mark_unread":{"conv":"g_1","expected":{"epoch":0,"seq":8},"target":5}}]
outputs:17: expected [{"subscribe":{"conv":"g_1","from":10}}], got [{"subscribe":{"conv":"g_1","from":11,"to":11}}]
outputs:19: expected [{"unsubscribe":{"to":12}}], got [{"unsubscribe":{"conv":"g_1","from":11,"to":11}}]
outputs:20: expected [{"delivered":{"seq":11}}], got [{"delivered":{"conv":"g_1","seq":12}}]' \
  "$out"

# All differences are told, to the end.
trace many '{"expect":{"conv":"g_1","unread":3,"read":3}}' \
  '{"expect":{"conv":"g_1","unread":4}}'
run many
is many 'exits 1' 1 "$status"
is many 'says each' "many:$((lines + 1)): expected g_1 unread 3, got 1
many:$((lines + 1)): expected g_1 read 3, got 9
many:$((lines + 2)): expected g_1 unread 4, got 1" "$out"

# Errors end a trace, not the traces behind it.
trace wrong '{"expect":{"conv":"g_1","unread":3}}' '{"tock":{}}' \
  '{"expect":{"conv":"g_1","unread":4}}'
run wrong many held
is wrong 'exits 2' 2 "$status"
is wrong 'says where, and goes on with the next' \
  "wrong:$((lines + 1)): expected g_1 unread 3, got 1
wrong:$((lines + 2)): error: unknown verb 'tock' in the line
many:$((lines + 1)): expected g_1 unread 3, got 1
many:$((lines + 1)): expected g_1 read 3, got 9
many:$((lines + 2)): expected g_1 unread 4, got 1" "$out"

error() { # error NAME TEXT LINE...: the last line of a trace is refused
  local name=$1 text=$2
  shift 2
  printf '%s\n' "$@" >"$work/$name"
  run "$name"
  is "$name" 'exits 2' 2 "$status"
  is "$name" 'says why' "$name:$#: error: $text" "$out"
}
me='{"at":5,"me":{"user":"u1","device":"d1"}}'
error falls "'at' falls" "$me" '{"at":4,"tick":{}}'
error twice "'me' twice" "$me" "$me"
error first "the first line is not 'me'" '{"tick":{}}'
run missing
is missing 'exits 2' 2 "$status"
is missing 'says why' 'missing: No such file or directory' "$err"
is 'policy out of range' 'exits 2' 2 "$(
  echo '{"me":{"user":"u1","policy":{"burst":0}}}' >"$work/policy"
  run policy
  echo "$status"
)"

# State lines: what is restored is there, and is sent at link up.
cat >"$work/state" <<'END'
{"at":0,"me":{"user":"u1","device":"d1"}}
{"state":{"conv":"g_1","kind":"group","read":{"epoch":0,"seq":3},"last_seq":9,"join_seq":1,"tally":{"last_seq":9,"from":3,"base":3,"counted":0},"uncountable":[5],"wish":{"epoch":0,"read":6,"shown":6}}}
{"state":{"link":"down"}}
{"expect":{"conv":"g_1","unread":3,"read":6,"pending":true}}
{"expect_sent":[]}
{"at":10,"link":"up"}
{"expect_sent":[{"report":{"conv":"g_1","seq":6}}]}
END
run state
is state 'exits 0' 0 "$status"
is state 'prints nothing' '' "$out"

# Options.
run --states held
is --states 'exits 0' 0 "$status"
is --states 'is a table and totals' \
  'conversation     kind   badge    unread mentions  divider     read       server     last
d_1              direct               0        0        0        3        0:3:0        3
g_1              group  1             1        0       10        9        0:8:0       10 pending
totals: unread 1 in 1 conversations, muted 0, mentions 0' "$out"
run held --explain g_1
is --explain 'exits 0' 0 "$status"
is --explain 'begins with the sum' \
  'unread 1 = last_seq 10 - base 9 - 0 uncountable, exact' \
  "$(sed -n 2p <<<"$out")"
run held --explain x_1
is '--explain of none' 'exits 2' 2 "$status"
is '--explain of none' 'says so' \
  "held: no conversation 'x_1' to explain" "$err"
status=0
out=$("${replay[@]}" - <"$work/many" 2>&1) || status=$?
is 'standard input' 'exits 1' 1 "$status"
is 'standard input' 'is called -' "-:$((lines + 1))" \
  "$(head -n 1 <<<"$out" | cut -d: -f1,2)"
run --help
is --help 'exits 0' 0 "$status"
is --help 'is the usage' 'usage: seen-replay' "${out:0:18}"

refused() { # refused TEXT ARGUMENT...
  local text=$1
  shift
  run "$@"
  is "refused: $*" 'exits 2' 2 "$status"
  is "refused: $*" 'says why' "seen-replay: $text" "$(head -n 1 <<<"$err")"
}
refused "nothing to run: 'FILE'"
refused "unknown option '--state'" --state held
refused "unknown option '-x'" -x held
refused "nothing behind '--store'" held --store
refused "--pseudonyms needs '--dump'" --pseudonyms held
refused "one trace only with '--dump'" --dump out held held
refused "--check needs '--db'" --check held
refused "with --db there is no 'held'" --db db held
refused "with --db there is no '--store'" --db db --store db
refused "with --db there is no '--dump'" --db db --dump out
refused "with --recording there is no 'held'" --recording r held
refused "with --log there is no '--db'" --log held --me u1 --db db
refused "with --log there is no '--store'" --log held --me u1 --store db
refused "nothing behind '--explain'" held --explain
refused "--me, --reader and --write-trace need '--log'" --me u1 held
refused "--log needs '--me'" --log held
refused "with --log there is no 'held'" --log held --me u1 held
for habit in every=1 rows=2,every=1 every=0,rows=1 every=1,rows=0 \
  every=-1,rows=1 every=1,rows=1x every=99999999999999999999,rows=1; do
  refused "not every=SECONDS,rows=N: '$habit'" --log held --me u1 \
    --reader "$habit"
done

finish
