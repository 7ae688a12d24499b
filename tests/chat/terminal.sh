#!/usr/bin/env bash
# seen-chat in a real pseudo-terminal: keys in, screens out.
# Usage: terminal.sh SEEN_CHAT SEEN_SERVER
# shellcheck disable=SC2317 # functions are called through ok
set -u
chat=$1
server=$2
if ! command -v tmux >/dev/null; then
  echo "1..0 # SKIP no tmux"
  exit 0
fi
# shellcheck source=tests/chat/stage.sh
. "$(dirname "$0")/stage.sh"
socket=$work/tmux
export LC_ALL=C.UTF-8 TERM=xterm-256color

tm() {
  tmux -S "$socket" -f /dev/null "$@"
}

# The chat of one person, in a terminal of a size.
open_chat() { # open_chat USER WIDTHxHEIGHT
  tm new-session -d -s "$1" -x "${2%x*}" -y "${2#*x}" \
    "'$chat' --server '$url' --token '$(token "$1")' --db '$work/$1.db' \
    2>'$work/$1.err'; echo ended with \$? >'$work/$1.end'"
  tm set-option -g status off >/dev/null
}

keys() { # keys USER KEY...
  local user=$1
  shift
  tm send-keys -t "$user" "$@"
}

screen() { # screen USER
  tm capture-pane -p -t "$1"
}

sees() { # sees USER PATTERN: in time
  for _ in $(seq 600); do
    screen "$1" | grep -q -- "$2" && return 0
    sleep 0.05
  done
  screen "$1"
  return 1
}

ends() { # ends USER STATUS
  for _ in $(seq 600); do
    grep -q "ended with $2" "$work/$1.end" 2>/dev/null && return 0
    sleep 0.05
  done
  cat "$work/$1.err"
  return 1
}

for size in 80x24 200x60; do
  ann=ann${size%x*}
  bob=bob${size%x*}
  team=team${size%x*}
  open_chat "$ann" $size
  ok "$size: it comes up, and is online" sees "$ann" "online"
  keys "$ann" "/create $team $bob" Enter
  # In the list, not where the command is typed.
  ok "$size: a conversation is there" sees "$ann" "^[^/]*$team"
  keys "$ann" "/open $team" Enter
  keys "$ann" "hello there" Enter
  ok "$size: what is typed is said" sees "$ann" "hello there"
  ok "$size: and is sent" sees "$ann" "sent"
  for i in $(seq 70); do
    printf 'say number %d\n' "$i"
  done >"$work/many"
  printf '%s\n' 'until synced' "open $team" 'until filled' >"$work/script"
  cat "$work/many" >>"$work/script"
  printf '%s\n' "say @$bob look" 'until filled' >>"$work/script"
  "$chat" --server "$url" --token "$(token "$ann")" --db "$work/$ann.other.db" \
    --device other --script "$work/script" >/dev/null 2>"$work/script.err"

  open_chat "$bob" $size
  ok "$size: the other one has a badge and a mention" \
    sees "$bob" "$team  *@ 72"
  keys "$bob" Enter
  ok "$size: opened, the divider is on top" sees "$bob" "new messages"
  ok "$size: the first unread message is below it" sees "$bob" "hello there"
  if [ $size = 80x24 ]; then
    sleep 0.5
    ok "$size: what is below the screen stays unread" sees "$bob" "@ 5"
    keys "$bob" NPage
    ok "$size: a page further, more is read" sees "$bob" "@ 3"
  fi
  keys "$bob" C-n
  ok "$size: the mention is jumped to" sees "$bob" "@$bob look"
  keys "$bob" End
  sleep 0.5 # a moment on screen
  ok "$size: at the end all is read" sees "$bob" "nothing unread\|$team *$"
  ok "$size: the sender sees it" sees "$ann" "read"
  keys "$ann" End C-w
  ok "$size: a panel says who" sees "$ann" "$bob"
  keys "$ann" Escape "/receipts off" Enter
  ok "$size: receipts that are off are shown" \
    sees "$ann" "online   receipts off"
  keys "$bob" C-u
  ok "$size: marked as unread, the list shows it" sees "$bob" "$team  *1"
  keys "$bob" C-a
  ok "$size: all marked as read" sees "$bob" "nothing unread"
  keys "$bob" C-t
  ok "$size: muted is told by how it looks" sees "$bob" "$team"
  keys "$bob" Enter "a draft"
  ok "$size: a draft is being written" sees "$bob" "a draft"
  keys "$bob" Escape
  sleep 0.2
  ok "$size: and is kept" sees "$bob" "draft"
  keys "$bob" F1
  ok "$size: help is there" sees "$bob" "Ctrl-U"
  keys "$bob" Escape
  tm resize-window -t "$bob" -x 50 -y 12
  ok "$size: a smaller terminal is filled" sees "$bob" "online"
  keys "$bob" C-q
  ok "$size: it ends when told" ends "$bob" 0
  keys "$ann" C-x
  ok "$size: a recall" sees "$ann" "recalled"
  stop_server
  ok "$size: without a server it says so" sees "$ann" "offline"
  start_server
  ok "$size: and it comes back by itself" sees "$ann" "● online"
  keys "$ann" C-q
  ok "$size: and ends" ends "$ann" 0
done

# The wheel: three lines up in the protocol of xterm.
open_chat cyd 80x24
"$chat" --server "$url" --token "$(token cyd)" --db "$work/cyd2.db" \
  --device other --script - >/dev/null 2>&1 <<END
until synced
create wheel
until row wheel
open wheel
$(cat "$work/many")
until filled
END
ok "all of one's own is there" sees cyd "wheel"
keys cyd Enter
ok "the newest is at the end" sees cyd "number 70"
for _ in 1 2 3 4 5; do
  tm send-keys -t cyd -H 1b 5b 3c 36 34 3b 34 30 3b 31 30 4d # ESC[<64;40;10M
done
not_newest() {
  for _ in $(seq 600); do
    screen cyd | grep -q "number 70" || return 0
    sleep 0.05
  done
  screen cyd
  return 1
}
ok "the wheel scrolls up" not_newest
keys cyd C-q
ok "and it ends" ends cyd 0

done_testing
