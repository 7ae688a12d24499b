#!/usr/bin/env bash
# What a corpus is begun with: traces, the protocol's vectors, chat logs and some
# settings, each as its target takes them, or any bytes.
# Usage: seeds.sh TARGET FOLDER
set -eu
target=$1
folder=$(mkdir -p "$2" && cd "$2" && pwd)
cd "$(dirname "$0")/../.."

# A vector a file: who connects says hello; their frames get an id.
vectors() {
  awk -v folder="$folder" '
    function letter(connection,    first, second) {
      first = substr(connection, 1, 1)
      second = connection ~ /2$/
      if (first !~ /[a-d]/)
        first = "r"
      return second ? toupper(first) : first
    }

    function value(line, name) {
      if (!match(line, "\"" name "\":\"[^\"]*\""))
        return ""
      line = substr(line, RSTART, RLENGTH - 1)
      sub(/^"[^"]*":"/, "", line)
      return line
    }

    { gsub(/"\$/, "\"") }
    /^{"vector"/ { file = folder "/" FILENAME "-" ++count; sub(/docs\/vectors\//, "", file) }
    /^{"connect"/ {
      who = letter(value($0, "connect"))
      print who "{\"t\":\"hello\",\"id\":1,\"device\":\"" who "\"}" >file
    }
    /^{"send"/ {
      frame = $0
      sub(/^.*"frame":{/, "", frame)
      sub(/}$/, "", frame)
      print letter(value($0, "send")) "{\"id\":" FNR "," frame >file
    }
    /^{"close"/ { print letter(value($0, "close")) "-" >file }
    /^{"none"/ || /^{"wait"/ { print "+1500" >file }
    /^{"http"/ {
      body = ""
      if ((at = index($0, "\"body\":")))
        body = " " substr($0, at + 7)
      print letter(value($0, "user")) value($0, "http") body >file
    }
  ' docs/vectors/*.jsonl
}

# What servers are expected to say in a vector, as lines; `begin` comes first.
answers() { # answers BEGIN
  awk -v folder="$folder" -v begin="$1" '
    { gsub(/"\$/, "\"") }
    /^{"vector"/ {
      file = folder "/" ++count
      printf "%s", begin >file
    }
    /^{"expect"/ {
      sub(/^.*"frame":/, "")
      sub(/}$/, "")
      print >file
    }
  ' docs/vectors/*.jsonl
}

# Each line as a file of its own, or a few together.
lines() { # lines COUNT FILE...
  awk -v count="$1" -v folder="$folder" '
    FNR % count == 1 || count == 1 { file = folder "/" ++files }
    files > 40 { exit }
    { print >file }
  ' "${@:2}"
}

text() { # text NAME LINE...
  printf '%s\n' "${@:2}" >"$folder/$1"
}

case $target in
server) vectors ;;
wire) answers '' ;;
session)
  answers 's
o
{"t":"welcome","id":1,"user":"ann","incarnation":"b1","version":9,"mode":"snapshot","receipts":true}
{"t":"changes","id":1,"from":0,"version":9,"conversations":[{"id":"g","kind":"group","read":{"epoch":0,"seq":3,"high":0},"last_seq":9,"version":9,"join_seq":1}],"more":false}
wg8
rg9
q0
q17
+500
'
  ;;
site)
  text plain 'https://chat.example:8420/below' 'http://me:secret@proxy:3128' \
    'x3Xnt1ft5jDNCqERO9ECZhqziCnKUqZCKreChi8mhkY=' 'a.b.c' \
    '[{"t":"position","conv":"g]"}, [1, "\"", {}] ]'
  text old 'ws://[::1]:80' 'http://proxy' '' '' '[]'
  ;;
trace)
  cp tests/traces/rules/*.jsonl tests/traces/cases/*.jsonl "$folder"
  ;;
chat_log | import) lines 12 samples/data/*.jsonl ;;
config)
  text file '--token-key k' '# a comment' 'listen = [::1]:80' \
    'db = mirror.db' 'ping-ms=20' 'give-up-ms = 30' 'poll-ms = 0'
  text line '--listen=127.0.0.1:0 --token-key k --origins * --roster-limit 9'
  text tls '--token-key k' 'tls-cert = a' 'tls-key = b' 'log-level = warn'
  ;;
token)
  text signed 's{"alg":"HS256","typ":"JWT"}' \
    '{"sub":"ann","exp":1800000000,"nbf":1600000000,"admin":true}'
  text none 's{"alg":"none"}' '{"sub":"ann"}'
  text bare 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm4ifQ.AAAA'
  ;;
engine | naive)
  for size in $(seq 200 50 1200); do
    head -c "$size" /dev/urandom >"$folder/$size"
  done
  ;;
*) text empty '' ;;
esac
