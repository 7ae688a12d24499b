/*
 * A server of the state part on a stage: a clock that tests move, connections
 * by name, frames in as text and out as parsed JSON.
 */
#ifndef TESTS_SERVER_STAGE_H
#define TESTS_SERVER_STAGE_H

#include "http.h"
#include "state.h"

#include <cjson/cJSON.h>

enum { STAGE_PLAYERS = 512, STAGE_START = 1000000 };

typedef struct player {
  char name[32];
  char user[NAME_MAX_BYTES + 1];
  connection *connection; /* NULL: closed */
  cJSON *came;            /* an array of frames that were not used up */
  uint64_t frames;        /* how many ever came */
  uint64_t next_id;
} player;

typedef struct stage {
  server *server;
  storage storage;
  limits limits;
  uint64_t now;
  player players[STAGE_PLAYERS];
  size_t player_count;
  bool commits; /* false: the last one failed */
} stage;

/* Over a storage, which it closes; `limits` NULL: generous rates. */
void stage_begin(stage *self, storage over, const limits *with);
void stage_begin_memory(stage *self);
void stage_end(stage *self);

/* The server's memory is gone, the storage is not. */
void stage_restart(stage *self);

/* A connection that says hello; its answers wait like all frames. */
player *stage_connect(stage *self, const char *name, const char *user,
                      bool admin);
player *stage_connect_as(stage *self, const char *name, const char *user,
                         bool admin, const char *hello);
void stage_close(stage *self, player *who);

/* One frame, printf-like, `id` filled in as the next one, which is returned;
 * what comes of it is gathered after the commit. */
uint64_t stage_send(stage *self, player *from, const char *frame, ...)
    __attribute__((format(printf, 3, 4)));
/* The same without a commit. */
uint64_t stage_put(stage *self, player *from, const char *frame, ...)
    __attribute__((format(printf, 3, 4)));

/* Commits, and gathers what leaves. */
void stage_turn(stage *self);

/* Time passes; all that is due on the way happens. */
void stage_wait(stage *self, uint64_t ms);

/* Takes the first frame of that type (and, if not 0, that id) out; NULL: none.
 * The caller deletes it. */
cJSON *stage_take(player *from, const char *type, uint64_t id);
cJSON *stage_answer(player *from, uint64_t id); /* of any type */
void stage_drop(player *from);                  /* all that came */
size_t stage_count(const player *from, const char *type);

/* Sends, and takes the answer out: it has to come. */
cJSON *stage_ask(stage *self, player *from, const char *frame, ...)
    __attribute__((format(printf, 3, 4)));
/* The same, and the answer is deleted. */
void stage_do(stage *self, player *from, const char *frame, ...)
    __attribute__((format(printf, 3, 4)));

/* The user's row as `fetch` has it; NULL: it is missing. */
cJSON *stage_row(stage *self, player *from, const char *conv);

/* The commonest frames, which have to be taken. */
void stage_create(stage *self, player *from, const char *conv,
                  const char *users); /* "\"ann\",\"bob\"" */
void stage_text_to(stage *self, player *from, const char *conv, int n);
void stage_read(stage *self, player *from, const char *conv, int seq);
double stage_row_number(stage *self, player *from, const char *conv,
                        const char *path);

/* A number below an object, by "a.b.c" with array indices; −1: none. */
double stage_number(const cJSON *in, const char *path);
const char *stage_text(const cJSON *in, const char *path); /* "": none */
const cJSON *stage_at(const cJSON *in, const char *path);

/* What the protocol's vectors call "holds at least". */
bool stage_holds(const cJSON *frame, const cJSON *least);

/* A number from a seed; the seed is changed. */
uint64_t stage_random(uint64_t *seed, uint64_t below);

/* SEEN_SEED and SEEN_SCALE; `count` divided, at least 1. */
uint64_t stage_seed(void);
uint64_t stage_scaled(uint64_t count);

#endif
