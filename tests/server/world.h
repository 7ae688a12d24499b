/*
 * A server on a stage, the brute-force model beside it, and devices of users
 * whose frames go to both.
 */
#ifndef TESTS_SERVER_WORLD_H
#define TESTS_SERVER_WORLD_H

#include "server/faulty.h"
#include "server/model.h"
#include "server/replica.h"
#include "server/stage.h"

enum { ROOT = MODEL_USERS - 1, DEVICES = 2, DONE_OPS = 40, FRAME_BYTES = 4096 };

typedef struct device {
  player *player;
  replica replica;
  bool connected;
} device;

/* An op that was taken, to be sent again. */
typedef struct done_op {
  char frame[FRAME_BYTES];
  int user;
  double seq; /* of a message */
  char result[32];
  char code[32];
} done_op;

typedef struct world {
  stage stage;
  faulty faulty;
  model truth;
  device devices[MODEL_USERS][DEVICES];
  uint64_t seed;
  uint64_t start_seed;
  uint64_t next_op;
  uint64_t step;
  uint64_t frames;
  uint64_t failures;
  bool fails; /* this world's storage fails now and then */
  char frame[FRAME_BYTES];
  done_op done[DONE_OPS];
  size_t done_count;
} world;

uint64_t world_pick(world *self, uint64_t below);

/* Fails, with the seed, the step, the frame and what came. */
void world_differ(const world *self, const char *what, const cJSON *came);

void world_connect_device(world *self, int user, int i);
void world_disconnect_device(world *self, int user, int i);
void world_restart(world *self);

/* All that waits at the devices goes into their replicas. */
void world_take_frames(world *self);

/* Windows and sweeps over, every replica agrees with the model. */
void world_check_at_rest(world *self);

/* Sends `self->frame`; the answer, or NULL where the storage failed and so
 * nothing happened. */
cJSON *world_ask(world *self, device *from);

void world_check_word(const world *self, const cJSON *came, const cJSON *item,
                      int conv, int user);
void world_check_result(const world *self, const cJSON *came, const cJSON *item,
                        const char *expected);
/* The numbers of a `receipts` against those of now. */
void world_check_receipts(const world *self, const cJSON *frame);
/* An `error` with this code; or, where it is "", an `ack`: then true. */
bool world_check_taken(const world *self, const cJSON *came, const char *code);

/* It may be sent again. */
void world_keep_op(world *self, int user, const cJSON *came);

/* Mostly near the end, sometimes anywhere or too far. */
uint64_t world_some_seq(world *self, const model_conv *conv);
const model_member *world_member_of(const world *self, int conv, int user);
bool world_is_known(const world *self, int conv, int user);
bool world_is_full(const world *self, int conv);

/* Each sends a random frame of its kind to both and compares. */
void act_read(world *self, int user, device *from);
void act_delivered(world *self, int user, device *from);
void act_mark(world *self, int user, device *from);
void act_read_all(world *self, int user, device *from);
void act_text(world *self, int user, device *from);
void act_create(world *self, int user, device *from);
void act_membership(world *self, int user, device *from);
void act_set(world *self, int user, device *from);
void act_settings(world *self, int user, device *from);
void act_admin(world *self, int user, device *from);
void act_again(world *self, int user, device *from);

/* Each asks for something, which changes nothing. */
void query_fetch(world *self, int user, device *from);
void query_subscribe(world *self, int user, device *from);
void query_readers(world *self, int user);
void query_unread(world *self, int user);

#endif
