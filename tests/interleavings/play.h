/*
 * What can happen in a state. The person, the timers and the network are free:
 * whatever is possible may be next.
 */
#ifndef TESTS_INTERLEAVINGS_PLAY_H
#define TESTS_INTERLEAVINGS_PLAY_H

#include "state.h"

typedef enum model_act_kind {
  MODEL_READS, /* up to `value` */
  MODEL_MARKS, /* as unread, down to `value` */
  MODEL_READS_ALL,
  MODEL_SENDS,        /* what is due next */
  MODEL_SERVER_TAKES, /* the first frame of a device */
  MODEL_DEVICE_TAKES, /* the first frame of the server */
  MODEL_CUT,          /* all on its way is lost, but the `value`-th frame */
  MODEL_LINKS,
  MODEL_WRITES,
  MODEL_CRASHES,
  MODEL_LEAVES, /* from here on `device` says nothing */
  MODEL_REJOINS,
  MODEL_MESSAGE,
  MODEL_STRAY_COMES, /* a frame of an older link */
  MODEL_STRAY_LOST,
  MODEL_WORD_KEPT,  /* a word is late */
  MODEL_WORD_COMES, /* to `device` */
  MODEL_WORD_LOST,
  MODEL_BACKUP,
  MODEL_FORGETS,
  MODEL_ACT_KINDS
} model_act_kind;

typedef struct model_act {
  uint8_t kind;
  uint8_t device;
  uint8_t value;
} model_act;

/* Set in an answer that was given since the backup. */
enum { MODEL_SINCE = 8 };

model_state model_start(const model_scene *scene);

/* False, and anything in `state`, where that can't be now. */
bool model_play(const model_scene *scene, model_act act, model_state *state);

/* How many values of an act there are. */
unsigned model_values(const model_scene *scene, model_act_kind kind);

/* The next act once the network is healed; false: all is quiet. */
bool model_heal(const model_scene *scene, const model_state *state,
                model_act *act);

/* The device (device.c); true if it did something. */
bool model_device_sends(const model_scene *scene, model_state *state,
                        unsigned d);
bool model_device_pending(const model_device *device);
bool model_device_has_news(const model_device *device);
void model_device_reads(const model_scene *scene, model_state *state,
                        unsigned d, uint8_t seq);
void model_device_marks(model_device *device, uint8_t target);
void model_device_reads_all(const model_scene *scene, model_state *state,
                            unsigned d);
void model_device_takes(const model_scene *scene, model_device *device,
                        model_frame frame);
void model_device_links(const model_scene *scene, model_device *device);

/* A real read of `epoch` is at the server, or was rolled back (P2). */
bool model_arrived(model_position read, unsigned epoch, uint8_t seq);

/* The server (server.c); no answer goes to device MODEL_DEVICES. */
bool model_server_ready(const model_scene *scene, const model_state *state);
void model_server_takes(const model_scene *scene, model_state *state,
                        unsigned d, model_frame frame);
void model_server_tells(model_state *state, model_frame_kind kind);
void model_server_rejoins(const model_scene *scene, model_state *state);
model_frame model_server_says(const model_server *server,
                              model_frame_kind kind);

#endif
