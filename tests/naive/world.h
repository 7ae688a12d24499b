/*
 * A small world that invents inputs: a server with the truth of a few
 * conversations, which answers late, twice or never; other devices; the
 * person; and now and then somebody who says what no server would say.
 */
#ifndef NAIVE_WORLD_H
#define NAIVE_WORLD_H

#include "naive/player.h"
#include "support/random.h"

typedef struct naive_world naive_world;

/* How far the world can be trusted. */
typedef enum naive_mood {
  NAIVE_MOOD_CONSISTENT, /* late, lost and repeated, but never wrong */
  NAIVE_MOOD_HOSTILE,    /* anything well-formed */
  NAIVE_MOOD_CROWD       /* more conversations than one frame holds */
} naive_mood;

naive_world *naive_world_new(uint64_t seed, naive_mood mood);

/* As long as there are bytes, they make the choices. They outlive the world. */
naive_world *naive_world_of_bytes(const uint8_t *bytes, size_t size,
                                  naive_mood mood);
bool naive_world_has_bytes(const naive_world *world);

void naive_world_free(naive_world *world);

const seen_options *naive_world_options(const naive_world *world);

/*
 * The next step, not before the last one. It, and what it points at, lives as
 * long as the world. The model is the one that heard all steps so far.
 */
naive_step naive_world_next(naive_world *world, const naive *model);

/* From now on all is delivered and said; naive_world_finished(): it was. */
void naive_world_finish(naive_world *world);
bool naive_world_finished(const naive_world *world);

/* What the model says and is not the server's truth; false: nothing. */
bool naive_world_untrue(const naive_world *world, const naive *model, char *why,
                        size_t size);

/* Hands what the last step sent to the server. */
void naive_world_hear(naive_world *world, const naive *model);

#endif
