#!/usr/bin/env bash
# seen-chat without a terminal: what it refuses, and what two people see of
# one conversation, as text.
# Usage: plain.sh SEEN_CHAT SEEN_SERVER
# shellcheck disable=SC2317 # functions are called through ok
set -u
chat=$1
server=$2
# shellcheck source=tests/chat/stage.sh
. "$(dirname "$0")/stage.sh"

as() { # as USER: runs the script from the standard input
  "$chat" --server "$url" --token "$(token "$1")" --db "$work/$1.db" \
    --script - 2>&1
}

refuses() { # refuses EXIT WORDS ARGUMENTS...
  local status=$1 words=$2
  shift 2
  "$chat" "$@" >"$work/out" 2>&1 </dev/null
  local got=$?
  cat "$work/out"
  [ "$got" = "$status" ] && grep -q -- "$words" "$work/out"
}

plays() { # plays EXIT USER: the script, whose screens are kept
  local got
  as "$2" >"$work/screen"
  got=$?
  cat "$work/screen"
  [ "$got" = "$1" ]
}

shows() { # shows USER PATTERN: which has to stand in its screens
  plays 0 "$1" && grep -q -- "$2" "$work/screen"
}

lacks() { # lacks USER PATTERN
  plays 0 "$1" && ! grep -q -- "$2" "$work/screen"
}

complains() { # complains USER PATTERN
  plays 1 "$1" && grep -q -- "$2" "$work/screen"
}

ann=(--token "$(token ann)" --db "$work/ann.db")

ok "help says what there is" refuses 0 "--script" --help
ok "a server is needed" refuses 2 "--server is missing" "${ann[@]}"
ok "a token is needed" refuses 2 "--token is missing" --server "$url" \
  --db "$work/x"
ok "a database is needed" refuses 2 "--db is missing" --server "$url" \
  --token "$(token ann)"
ok "an option is known" refuses 2 "--sever" --sever x
ok "a value is needed" refuses 2 "needs a value" --server
ok "a token is one" refuses 2 "no JSON Web Token" --server "$url" \
  --token hello --db "$work/x"
ok "a token's file is there" refuses 2 "No such file" --server "$url" \
  --token "@$work/nowhere" --db "$work/x"
ok "an url is one" refuses 2 "url" --plain --server "ftp://x" "${ann[@]}"
ok "a folder is there" refuses 2 "folder can't be written" --plain \
  --server "$url" --token "$(token ann)" --db "$work/no/such/folder/db"
ok "a size is one" refuses 2 "--size" --size 3x3
ok "a terminal is needed, or a script" refuses 2 "no terminal" \
  --server "$url" "${ann[@]}"
ok "a wrong token is told" refuses 1 "token" --plain --server "$url" \
  --token "$(sed 's/.$/x/;s/\.[^.]*$/.AAAA/' "$work/ann.token")" --db "$work/y"

printf 'until synced\n' >"$work/wait"
ok "and in a script" refuses 1 "token" --script "$work/wait" --server "$url" \
  --token "$(sed 's/.$/x/;s/\.[^.]*$/.AAAA/' "$work/ann.token")" --db "$work/y"
printf '%s\n' 'until offline' show >"$work/wait"
ok "that nobody answers is told" refuses 0 "offline: nobody answers" \
  --script "$work/wait" --server "http://127.0.0.1:1" "${ann[@]}"

ok "a conversation is made, and written in" shows ann "sent\|delivered" <<'END'
until synced
create team bob
until row team
open team
say hello bob
say @bob, are you there?
until filled
until last team 2
show
END

ok "the other has it unread, and a mention" shows bob "team  *@ 2" <<'END'
until synced
until unread team 2
until mentions team 1
show
END

ok "looking at the list reads nothing" shows bob "team  *@ 2" <<'END'
until synced
wait 500
show
END

ok "opening shows a divider above what is new" shows bob "new messages" <<'END'
until synced
open team
until filled
show
wait 300
until unread team 0
until sent team
END

ok "what was on screen is read" lacks bob "team  *@" <<'END'
until synced
until unread team 0
show
END

ok "the sender sees that it was read" shows ann "read" <<'END'
until synced
open team
until filled
until read team 2 1
show
who 2
until readers
show
END
ok "and by whom" grep -q "bob" "$work/screen"

ok "a message is marked as unread again" shows bob "team  *1" <<'END'
until synced
open team
until filled
unread
until unread team 1
until sent team
show
END

ok "a recall takes the number back" shows bob "(recalled)" < <(
  printf 'until synced\nopen team\nuntil filled\nrecall 2\nuntil last team 3\n' |
    as ann >"$work/ann.out"
  printf 'until synced\nuntil unread team 0\nopen team\nuntil filled\nshow\n'
)

ok "muted is a dot, pinned is first" shows bob "\\^ team  *•" < <(
  printf 'until synced\nopen team\nuntil filled\nsay again\nuntil filled\n' |
    as ann >"$work/ann.out"
  # It is read while it is open, and then marked as unread.
  printf '%s\n' 'until synced' 'until unread team 1' 'open team' \
    'until unread team 0' mute pin unread 'until unread team 1' \
    'until muted team' 'until pinned team' 'until sent team' show
)

ok "an edit is shown as one" shows ann "(edited)" <<'END'
until synced
open team
until filled
edit 1 hello, dear bob
until last team 5
until filled
show
END

ok "wide characters stay in their columns" shows ann "世界" <<'END'
until synced
open team
until filled
say 你好，世界 — ğüş 👋
until filled
show
END

ok "a long text is broken at spaces" shows ann "^ *.*wrapped" <<END
until synced
size 60x20
open team
until filled
say $(printf 'these words are many and have to be wrapped %.0s' 1 2 3)
until filled
show
END
ok "no line is wider than the screen" awk '{ if (length > 240) exit 1 }' \
  "$work/screen"

ok "what is not possible is told with its line" complains ann \
  "line 2: there is no such conversation" <<'END'
until synced
open nowhere
END
ok "an unknown command too" complains ann "line 1: dance is no command" <<'END'
dance
END

stop_server
ok "without a server the list is there" shows bob "offline" <<'END'
until row team
until offline
show
END

ok "and can be read" plays 0 bob <<'END'
until offline
open team
read
until unread team 0
END
start_server
# But not what came since.
ok "what is read offline is told later" shows bob "team  *•" <<'END'
until synced
until sent team
until unread team 2
show
END

done_testing
