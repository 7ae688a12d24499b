/*
 * The others: who speaks most in a chat log, each with a client, saying the
 * lines of the log from where it was cut, and reading along.
 */
#ifndef DEMO_CROWD_H
#define DEMO_CROWD_H

#include "device.h"
#include "log.h"

#define CROWD 6

typedef struct demo_crowd {
  chat_log *log;
  const char *conv;
  size_t next; /* line of the log */
  demo_device *people[CROWD];
} demo_crowd;

/* Brings up those who say most from line `from` on, but `me`. */
bool crowd_open(demo_crowd *crowd, demo_devices *all, chat_log *log,
                size_t from, const char *conv, const char *me);

/* The next line of the log is said; false where it can't be, or is over.
 * `*mentions_me`, where not NULL: whether it names `me`. */
bool crowd_say(demo_crowd *crowd, const char *me, bool *mentions_me);

/* How long after the line before the next one comes, ms in the log. */
uint64_t crowd_pause(const demo_crowd *crowd);

/* Whether all of them have heard of a message. */
bool crowd_has(const demo_crowd *crowd, uint64_t seq);

/* One of them reads everything. */
void crowd_read(demo_crowd *crowd, size_t who);

#endif
