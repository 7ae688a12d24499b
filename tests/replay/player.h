/*
 * A trace played in this process, as seen-replay plays one, line by line; what
 * is written is kept, and a recorder may listen.
 */
#ifndef TESTS_REPLAY_PLAYER_H
#define TESTS_REPLAY_PLAYER_H

#include "replay/script.h"
#include "support/dump.h"

/* What was written: a record as the line of a trace, by handle. */
typedef struct kept_record {
  seen_trace_line *line; /* NULL: nothing */
} kept_record;

typedef struct player {
  seen_options options;
  seen_engine *engine;
  uint64_t at;
  kept_record *kept;
  size_t kept_count;
  test_dump sent;          /* by the last line */
  size_t capacity;         /* of the recorder; 0: there is none */
  seen_recorder *recorder; /* from the first line that is no state */
} player;

/* The script's `me` outlives it. */
void player_begin(player *self, const script *trace, size_t capacity);
void player_end(player *self);

/* Plays a line behind `me`. */
void player_play(player *self, const seen_trace_line *line);

/* Played to its end, the trace holds what this engine does. */
void player_check(const script *trace, seen_engine *engine);

/* A recorder that begins where the player is, knowing what was written. */
seen_recorder *player_record(player *self, size_t capacity);

bool is_state(const seen_trace_line *line);

#endif
