/*
 * An engine with many conversations, visited in a random order, and the floors
 * over the same ids. Memory is counted by what is asked of the allocator.
 */
#ifndef BENCH_WORLD_H
#define BENCH_WORLD_H

#include <seen/sys/engine.h>

#include "bench/floors.h"

#define WORLD_USER "u0"

enum { WORLD_ID_SIZE = 24, WORLD_LAST = 10000 };

/* One conversation, and the next seq that it takes. */
typedef struct world_visit {
  seen_conv conv;
  uint64_t seq;
  char id[WORLD_ID_SIZE];
} world_visit;

typedef struct world_memory {
  uint64_t calls; /* of allocate and resize */
  size_t bytes;   /* held now */
} world_memory;

typedef struct bench_world {
  seen_allocator allocator;
  world_memory memory;
  seen_engine *engine;
  seen_error error; /* what feeds are given */
  uint64_t now;
  uint64_t sent_at;
  uint64_t version;
  uint64_t random;
  size_t count;
  size_t next;         /* to be visited */
  world_visit *visits; /* in random order */
  const char **ids;    /* of the floors' records: conversation - 1 */
  floor_table floors;
  seen_conv special; /* the last one added, in no visit */
  uint64_t top;      /* its first row on screen, or its last message */
  char (*members)[WORLD_ID_SIZE]; /* of its roster */
  size_t member_count;
} bench_world;

/* Conversations with a position and a tally, and nothing else yet. */
void world_make(bench_world *world, size_t count);
void world_free(bench_world *world);

/* The next conversation, again and again through all of them. */
world_visit *world_next(bench_world *world);

/* Feeds at the world's time; ends the program where it fails. */
void world_feed(bench_world *world, const seen_input *input);

/* Pulls all effects; returns how many were for the server. */
size_t world_drain(bench_world *world);

/* A snapshot of a group up to `last`, read up to `read`. */
seen_conv world_add(bench_world *world, const char *id, uint64_t read,
                    uint64_t last);

/*
 * A group with a roster of `count` people, who joined, left and read at random
 * seqs up to its last one, WORLD_LAST.
 */
seen_conv world_add_roster(bench_world *world, const char *id, size_t count);

uint64_t world_random(bench_world *world);
uint64_t world_allocs(const void *subject);

/* Ends the program and says why. */
void world_fail(const char *what);

/* Ends the program if the engine's totals are not the sum over its rows. */
void world_check(bench_world *world);

#endif
