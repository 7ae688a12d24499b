#include "recount.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct recount {
  uint64_t unread;
  uint64_t mentions;
} recount;

static bool is_of_others(const log_line *line, const char *user) {
  return line->from != NULL && strcmp(line->from, user) != 0;
}

/* Unread is above the position. A mention that was ever read past stays
 * cleared, also after the position was rolled back (M3). */
static recount count_lines(const chat *of) {
  uint64_t read_once = seen_position_receipt(of->read);
  recount sum = {0, 0};
  size_t i;

  for (i = 0; i < of->log->count; i++) {
    const log_line *line = &of->log->lines[i];

    if (!is_of_others(line, of->user)) continue;
    sum.unread += i + 1 > of->read.seq;
    sum.mentions += i + 1 > read_once && log_line_mentions(line, of->user);
  }
  return sum;
}

static bool check(const char *of, const char *what, uint64_t engine,
                  uint64_t logs) {
  printf(" %-12s %-14s %6" PRIu64 " %6" PRIu64 "  %s\n", of, what, engine, logs,
         engine == logs ? "same" : "DIFFERENT");
  return engine == logs;
}

static bool check_totals(const simulation *of, const seen_totals *logs) {
  seen_totals engine;
  bool same;

  seen_engine_totals(of->host.engine, &engine);
  same = check("totals", "unread", engine.unread, logs->unread);
  same &= check("totals", "conversations", engine.conversations,
                logs->conversations);
  same &= check("totals", "muted", engine.muted, logs->muted);
  return check("totals", "mentions", engine.mentions, logs->mentions) && same;
}

bool recount_agrees(const simulation *of) {
  seen_totals totals = {0, 0, 0, 0};
  bool same = true;
  size_t i;

  printf(" %-12s %-14s %6s %6s\n", "", "", "engine", "logs");
  for (i = 0; i < of->chat_count; i++) {
    const chat *of_chat = &of->chats[i];
    seen_state state = host_state(of->host.engine, of_chat->id);
    recount sum = count_lines(of_chat);
    bool marked = of_chat->read.seq < of_chat->read.high;

    same &= check(of_chat->id, "read", state.read_seq, of_chat->read.seq);
    same &= check(of_chat->id, "unread", state.unread, sum.unread);
    same &= check(of_chat->id, "mentions", state.mentions, sum.mentions);
    totals.mentions += sum.mentions;
    if (of_chat->muted)
      totals.muted += sum.unread;
    else
      totals.unread += sum.unread;
    totals.conversations += !of_chat->muted && (sum.unread > 0 || marked);
  }
  return check_totals(of, &totals) && same;
}
