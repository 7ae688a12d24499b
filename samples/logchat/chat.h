/*
 * The server's side of one chat for one user: how much of the log was said so
 * far, the user's position, and the word on both (U2), counted from the log.
 */
#ifndef LOGCHAT_CHAT_H
#define LOGCHAT_CHAT_H

#include "log.h"

#include <seen/position.h>
#include <seen/sys/engine.h>

typedef struct chat {
  const char *id;
  const char *user;
  const chat_log *log;
  char *system;      /* whom system lines are from: an id of no speaker */
  uint64_t last_seq; /* lines said so far */
  seen_position read;
  bool muted;
  bool pinned;
  bool *open; /* by seq: a mention of the user that is not cleared (M1) */
  seen_run *runs;
  seen_mention *mentions;
  seen_member *roster;
} chat;

void chat_begin(chat *self, const char *id, const chat_log *log,
                const char *user);
void chat_end(chat *self);

/* The word; what it points at lives until the next one. */
void chat_word(chat *self, seen_word *word);

/* The row as the server has it, with its roster. */
void chat_snapshot(chat *self, seen_snapshot *snapshot);

/* Says the next line. */
void chat_say(chat *self, seen_message *message);

/* Takes a report (P2, P3, M3) or a mark (P4). */
seen_verdict chat_take_report(chat *self, const seen_report *report);
seen_verdict chat_take_mark(chat *self, const seen_mark *mark);

/* Reads everything and clears no mention (V11). */
void chat_read_all(chat *self);

#endif
