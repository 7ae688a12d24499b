/* What the files of the world share: the server's truth, and what is due. */
#ifndef NAIVE_TRUTH_H
#define NAIVE_TRUTH_H

#include "naive/world.h"

enum {
  WORLD_SEQS = 600,
  WORLD_MARKS = 16,
  WORLD_PEOPLE = 4,
  WORLD_LAST_ACTS = 40
};

/* A message as the server knows it. */
typedef struct truth_message {
  seen_message said;
  bool recalled;
  bool down;             /* taken down: it takes no seq (U4) */
  bool named;            /* it was a mention once (M1) */
  seen_mention_why open; /* and is an open one now */
} truth_message;

/* The truth of one conversation for this user. */
typedef struct truth {
  const char *id;
  seen_kind kind;
  truth_message *messages; /* by seq */
  uint64_t last;
  seen_position read;
  uint64_t floor;
  uint64_t join;
  uint64_t version;
  uint64_t updated_at;
  uint64_t delivered;
  bool member;
  bool muted;
  bool pinned;
  bool lost;              /* the server took back what it had said (S4) */
  bool found;             /* the device knows what the server does not (U7) */
  bool out[WORLD_PEOPLE]; /* of a group: who left */
  seen_mark took[WORLD_MARKS];
  size_t took_count;
} truth;

typedef enum event_type {
  EVENT_INPUT,  /* reaches the client */
  EVENT_OUTPUT, /* reaches the server */
  EVENT_ROW     /* a row is made and reaches the client */
} event_type;

typedef struct event {
  event_type type;
  uint64_t at;
  uint64_t order;
  unsigned link; /* what is on its way is lost with its link */
  bool survives; /* had reached the server before the link fell */
  bool twice;
  seen_input input;
  naive_output output;
  truth *truth;
} event;

typedef struct chunk chunk;

struct naive_world {
  test_random random;
  const uint8_t *bytes; /* in its place, as long as there are any */
  const uint8_t *bytes_end;
  naive_mood mood;
  seen_options options;
  uint64_t now;
  truth *truths;
  size_t truth_count;
  uint64_t version;
  bool versions; /* everywhere or nowhere */
  bool link;
  unsigned link_number;
  const char *open;
  uint64_t last_arrival;
  unsigned finishing; /* steps of the end; 0: it goes on */
  uint64_t reset_at;  /* when another incarnation came last */
  uint64_t moved;     /* who comes and goes does so after this seq */

  event *events;
  size_t event_count;
  uint64_t order;
  naive_step *queue; /* of the present moment */
  size_t queue_first;
  size_t queue_count;
  chunk *chunks;
};

/* world.c */
void *world_allocate(naive_world *world, size_t count, size_t size);
uint64_t world_below(naive_world *world, uint64_t limit);
uint64_t world_between(naive_world *world, uint64_t lo, uint64_t hi);
bool world_chance(naive_world *world, unsigned percent);
seen_input world_input(seen_input_type type, const char *id);
void world_put(naive_world *world, const seen_input *input);
event *world_later(naive_world *world, event_type type, uint64_t delay);
void world_send(naive_world *world, const seen_input *input, uint64_t delay);

/* truth.c */
extern const char *const world_people[WORLD_PEOPLE];
truth *truth_find(naive_world *world, const char *id);
bool truth_excluded(const truth *of, uint64_t seq);
uint64_t truth_low(const truth *of);
void truth_changed(naive_world *world, truth *of);
seen_word truth_word(naive_world *world, const truth *of);
seen_input truth_row(naive_world *world, const truth *of, bool roster);
const truth_message *truth_write(naive_world *world, truth *of);
void truth_report(truth *of, uint64_t epoch, uint64_t seq, bool keep);
void truth_hear(naive_world *world, const event *heard);

/* acts.c, hostile.c */
void world_act(naive_world *world, const naive *model);
void world_act_badly(naive_world *world, const naive *model);
void world_toggle_link(naive_world *world);
void world_rows(naive_world *world);
void world_act_last(naive_world *world);

#endif
