/* How a player compares: each function says the first difference it finds. */
#ifndef NAIVE_COMPARE_H
#define NAIVE_COMPARE_H

#include "naive/player.h"

enum { PLAYER_CONVS = 160, PLAYER_SENT = 512, PLAYER_CLEARED = 8192 };

/* The effects of one step, the store's apart. */
typedef struct naive_effects {
  seen_effect sent[PLAYER_SENT]; /* `cleared` points into the array below */
  size_t sent_count;
  uint64_t cleared[PLAYER_CLEARED];
  size_t cleared_count;
  bool changed[PLAYER_CONVS + 1]; /* by handle */
  bool list_changed;
  bool totals_changed;
  bool drifted;
} naive_effects;

/* Every conversation that was named, and what was last shown. */
typedef struct naive_known {
  char ids[PLAYER_CONVS][NAIVE_ID_MAX];
  size_t count;
  bool there[PLAYER_CONVS];
  seen_state shown[PLAYER_CONVS];
  char order[PLAYER_CONVS][NAIVE_ID_MAX];
  size_t rows;
  seen_totals totals;
} naive_known;

typedef struct naive_pair {
  naive_player *player;
  seen_engine *engine;
  const naive *model;
  naive_known *known;
  uint64_t now;
  const seen_options *options;
  const naive_effects *effects;
  bool told; /* a change has to be told to the UI */
} naive_pair;

/* Notes the first difference; returns false. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
bool differ(naive_player *player, const char *format, ...);

/* false: there are too many. */
bool effects_keep(naive_effects *effects, const seen_effect *effect);

bool compare_sent(const naive_pair *pair);
bool compare_rows(const naive_pair *pair);
bool compare_session(const naive_pair *pair);
bool compare_written(const naive_pair *pair);
bool compare_receipts(const naive_pair *pair, const char *id);

#endif
