/*
 * An engine and the naive model side by side: each step goes to both, and
 * after it all that they answer has to agree. What the engine writes is kept
 * as the lines of a trace's state, and a restart takes it from there (S6).
 */
#ifndef NAIVE_PLAYER_H
#define NAIVE_PLAYER_H

#include "naive/naive.h"

typedef enum naive_deed {
  NAIVE_FEED,    /* the input is fed */
  NAIVE_RESTART, /* the process dies and starts again from what is written */
  NAIVE_MOVE     /* all that the engine holds goes to a new one */
} naive_deed;

typedef struct naive_step {
  uint64_t at;
  naive_deed deed;
  seen_input input; /* `id` says the conversation */
} naive_step;

typedef struct naive_player naive_player;

naive_player *player_new(const seen_options *options, naive_fault fault);
void player_free(naive_player *player);

/* false: they differ, and player_difference() says in what. */
bool player_step(naive_player *player, const naive_step *step);
const char *player_difference(const naive_player *player);

/* Answers, and what was sent in the last step, for who invents the next. */
const naive *player_model(const naive_player *player);

#endif
