/*
 * What a host does around an engine, in a time of its own: it lets timers fire
 * when they are due, feeds inputs and pulls effects.
 */
#ifndef LOGCHAT_HOST_H
#define LOGCHAT_HOST_H

#include <seen/sys/engine.h>
#include <seen/sys/mirror.h>
#include <seen/sys/recorder.h>

typedef struct host host;

/* Called for each effect, in order; it may ask the engine, but not feed it. */
typedef int (*host_effect)(host *from, const seen_effect *effect,
                           seen_error *error);

struct host {
  seen_engine *engine;
  seen_mirror *mirror;     /* the engine is its; NULL: nothing is written */
  seen_recorder *recorder; /* who listens, or NULL; the caller's */
  uint64_t now;
  host_effect on_effect;
  void *user_data; /* of on_effect */
};

int host_start(host *self, const seen_options *options, uint64_t now,
               seen_error *error);
void host_stop(host *self);

/* The engine, which was not fed yet, is written to a store from now on; or one
 * begins with what a store holds. */
int host_attach(host *self, const seen_options *options, seen_store *store,
                seen_error *error);
int host_open(host *self, const seen_options *options, seen_store *store,
              uint64_t now, seen_error *error);

/* Lets time pass to `at`: all timers that are due by then fire. */
int host_run_until(host *self, uint64_t at, seen_error *error);

/* Lets time pass to `at` and feeds an input there. */
int host_feed(host *self, const seen_input *input, uint64_t at,
              seen_error *error);

/* An input of a type that needs no more than a conversation's id or NULL. */
seen_input host_input(seen_input_type type, const char *id);

/* What a conversation shows; all zero where it has no row. */
seen_state host_state(const seen_engine *engine, const char *id);

seen_metrics host_metrics(const seen_engine *engine);

#endif
