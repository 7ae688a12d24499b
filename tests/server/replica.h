/*
 * What one device makes of the frames that come to it: words replace words,
 * live messages lie on top (U2–U4). At rest it has to agree with the model.
 */
#ifndef TESTS_SERVER_REPLICA_H
#define TESTS_SERVER_REPLICA_H

#include "server/model.h"

#include <cjson/cJSON.h>

typedef struct replica_row {
  bool exists;
  bool left;
  uint64_t epoch, seq, high;
  uint64_t version;
  uint64_t last; /* of the word, or of a live message above it */
  uint64_t said; /* of the word */
  uint64_t from;
  uint64_t counted;
  uint64_t floor;
  uint64_t join;
  bool uncountable[MODEL_SEQS + 1];
  uint64_t buried; /* live recalls between base and `from` */
  model_why mentions[MODEL_SEQS + 1];
  bool muted;
  bool pinned;
} replica_row;

typedef struct replica {
  int user;
  replica_row rows[MODEL_CONVS];
  uint64_t version;        /* to resume from */
  bool named[MODEL_CONVS]; /* by the snapshot that is coming in */
  bool more;
} replica;

/* Takes a frame; the name of a conversation is g0, g1 … */
void replica_take(replica *self, const cJSON *frame);

/* What differs from the model; NULL: nothing. */
const char *replica_differs(const replica *self, const model *truth, int conv);

/* A word against the model, field by field; NULL: it agrees. */
const char *replica_word_differs(const cJSON *word, const model_conv *conv,
                                 int user);

/* The conversation that a frame names; −1: none. */
int replica_conv(const char *name);
int replica_user(const char *name);

#endif
