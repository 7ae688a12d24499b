/*
 * One user with two devices, the server, and all that is on its way between
 * them: a state small enough that every one within a bound can be visited.
 *
 * Positions, wishes and marks are the shipped ones (<seen/position.h>,
 * engine/wish.h, engine/reporter.h); here they are only packed. Each byte of a
 * state is below 16, so that two of them are stored as one.
 */
#ifndef TESTS_INTERLEAVINGS_STATE_H
#define TESTS_INTERLEAVINGS_STATE_H

#include <seen/position.h>

#include "engine/wish.h"

enum {
  MODEL_DEVICES = 2,
  MODEL_EPOCHS = 5,
  MODEL_SENT = 2,  /* frames on their way to the server, a device */
  MODEL_ASKED = 3, /* frames on their way to a device */
  MODEL_OPS = 12   /* that something still names */
};

/* What is planted to see that it is found. */
typedef enum model_fault {
  MODEL_RIGHT,
  MODEL_MERGE_WITHOUT_EPOCH,
  MODEL_REPORT_WITHOUT_EPOCH,
  MODEL_LOST_HIGH,
  MODEL_MARK_WITHOUT_COMPARE,
  MODEL_EXPECTED_NOT_REPORTED,
  MODEL_OP_FORGOTTEN,
  MODEL_REJOIN_IN_THE_SAME_EPOCH,
  MODEL_CONFLICT_DROPS_READS,
  MODEL_OLD_EPOCH_DROPS_READS,
  MODEL_ANSWER_ENDS_THE_WISH,
  MODEL_NOT_SENT_AGAIN,
  MODEL_SETTLED_UNDER_A_MARK,
  MODEL_OPEN_MARK_NOT_WRITTEN,
  MODEL_SNAPSHOT_REVIVES_NOTHING,
  MODEL_RANGE_NOT_REFUSED,
  MODEL_RECEIPT_FALLS,
  MODEL_READ_ALL_BEHIND_A_MARK,
  MODEL_FAULTS
} model_fault;

/* How far the enumeration goes. */
typedef struct model_scene {
  const char *name;
  uint8_t last;    /* the last seq at the start */
  uint8_t most;    /* … and the highest that there may be */
  uint8_t marks;   /* made by the person, on both devices together */
  uint8_t rejoins; /* each after a leave */
  uint8_t read_alls;
  uint8_t crashes;   /* of devices, which keep what is written */
  uint8_t forgets;   /* of the server, which falls back to a backup */
  uint8_t to_server; /* frames on their way, a device */
  uint8_t to_device;
  uint8_t strays; /* frames of a link that was cut: 0 or 1 */
  uint8_t late;   /* words out of all order: 0 or 1 */
  model_fault fault;
} model_scene;

typedef struct model_position {
  uint8_t epoch;
  uint8_t seq;
  uint8_t high;
} model_position;

typedef enum model_frame_kind {
  MODEL_NO_FRAME,
  /* to the server */
  MODEL_REPORT,
  MODEL_MARK,
  MODEL_READ_ALL,
  /* to a device, each with a position */
  MODEL_ROW,
  MODEL_WORD,
  MODEL_LEFT,
  MODEL_ACK,
  MODEL_ACK_MARK,
  MODEL_CONFLICT,
  MODEL_EPOCH_AHEAD,
  MODEL_OUT_OF_RANGE,
  MODEL_NOT_MEMBER,
  MODEL_FRAME_KINDS
} model_frame_kind;

typedef struct model_frame {
  uint8_t kind;
  uint8_t epoch;
  uint8_t seq;
  uint8_t more; /* high, or a mark's target */
  uint8_t op;   /* of a mark */
} model_frame;

/* What a device writes and finds again after a crash. */
typedef struct model_memory {
  model_position held; /* the server's, as far as is known */
  uint8_t gone;        /* no member */
  uint8_t wish_set;
  uint8_t wish_keep;
  uint8_t wish_epoch;
  uint8_t wish_read;
  uint8_t wish_shown;
  uint8_t mark_set;
  uint8_t mark_keep;
  uint8_t mark_epoch;
  uint8_t mark_seq;
  uint8_t mark_target;
  uint8_t mark_op;
  uint8_t acked;
  uint8_t acked_epoch;
  uint8_t acked_seq;
  /* Not the device's: the highest real read in each epoch (for the check). */
  uint8_t owed[MODEL_EPOCHS];
} model_memory;

typedef struct model_device {
  model_memory now;
  model_memory written;
  uint8_t up;
  uint8_t sent;
  uint8_t sent_epoch;
  uint8_t sent_seq;
  uint8_t mark_sent;
  model_frame to_server[MODEL_SENT];
  model_frame to_device[MODEL_ASKED];
} model_device;

typedef struct model_server {
  model_position read;
  uint8_t last;
  uint8_t low; /* join_seq - 1 */
  uint8_t member;
  uint8_t answers[MODEL_OPS]; /* by op: the kind of frame; see MODEL_SINCE */
  uint8_t kept;               /* there is a backup */
  uint8_t backup_last;
  model_position backup;
  /* Not the server's, but for the check. */
  uint8_t receipt; /* the highest seq reported in this membership (P9) */
  uint8_t fell;    /* it lost an epoch or messages */
  /* What of the scene was played. */
  uint8_t marks;
  uint8_t rejoins;
  uint8_t read_alls;
  uint8_t crashes;
  uint8_t forgets;
} model_server;

typedef struct model_state {
  model_server server;
  model_position late; /* a word that was said once */
  uint8_t late_set;
  model_frame stray; /* sent on a link that was cut */
  model_device device[MODEL_DEVICES];
} model_state;

enum {
  MODEL_STATE_BYTES = sizeof(model_state),
  MODEL_PACKED_BYTES = (MODEL_STATE_BYTES + 1) / 2
};

seen_position model_unpack(model_position position);
model_position model_pack(seen_position position);

sn_wish model_wish(const model_memory *memory);
void model_set_wish(model_memory *memory, const sn_wish *wish);
sn_mark model_mark(const model_memory *memory);
void model_set_mark(model_memory *memory, const sn_mark *mark);

/* What the person sees (P6). */
uint8_t model_shown(const model_memory *memory);

/* A queue of frames has none after the first that is none. */
unsigned model_count(const model_frame *queue, unsigned size);
void model_put(model_frame *queue, unsigned size, model_frame frame);
model_frame model_take(model_frame *queue, unsigned size);

/*
 * The one of all symmetric states that is stored: ops are numbered as they
 * are met, and one of the two devices stands first. True if they were swapped.
 */
bool model_canonical(model_state *state);

void model_store(const model_state *state, uint8_t *packed);
void model_load(const uint8_t *packed, model_state *state);

#endif
