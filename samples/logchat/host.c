#include "host.h"

#include <stdio.h>
#include <string.h>

/* A timer that is due again after each tick, this often, will never stop. */
#define MOST_TICKS_AT_ONCE 10000

int host_start(host *self, const seen_options *options, uint64_t now,
               seen_error *error) {
  self->now = now;
  self->mirror = NULL;
  self->recorder = NULL;
  return seen_engine_new(options, now, &self->engine, error);
}

void host_stop(host *self) {
  if (self->mirror != NULL)
    seen_mirror_free(self->mirror);
  else
    seen_engine_free(self->engine);
  self->mirror = NULL;
  self->engine = NULL;
}

int host_attach(host *self, const seen_options *options, seen_store *store,
                seen_error *error) {
  return seen_mirror_attach(options, self->engine, store, &self->mirror, error);
}

int host_open(host *self, const seen_options *options, seen_store *store,
              uint64_t now, seen_error *error) {
  size_t left_out;
  int status =
      seen_mirror_open(options, store, now, &self->mirror, &left_out, error);

  self->now = now;
  self->engine = NULL;
  self->recorder = NULL;
  if (status != SEEN_OK) return status;
  self->engine = seen_mirror_engine(self->mirror);
  if (left_out == 0) return SEEN_OK;
  snprintf(error->message, sizeof error->message,
           "%zu conversations of the store make no sense", left_out);
  return SEEN_ECORRUPT;
}

seen_input host_input(seen_input_type type, const char *id) {
  seen_input input;

  memset(&input, 0, sizeof input);
  input.size = (uint32_t)sizeof input;
  input.type = type;
  input.id = id;
  return input;
}

static bool next(host *self, seen_effect *effect) {
  return self->mirror != NULL ? seen_mirror_next(self->mirror, effect)
                              : seen_engine_next(self->engine, effect);
}

static int feed(host *self, const seen_input *input, seen_error *error) {
  seen_effect effect;
  int status = seen_engine_feed(self->engine, input, self->now, error);

  memset(&effect, 0, sizeof effect);
  effect.size = (uint32_t)sizeof effect;
  while (status == SEEN_OK && next(self, &effect))
    status = self->on_effect(self, &effect, error);
  if (status == SEEN_OK && self->mirror != NULL)
    status = seen_mirror_commit(self->mirror, self->now, error);
  if (status == SEEN_OK && self->recorder != NULL)
    status = seen_recorder_note(self->recorder, input, self->now, error);
  return status;
}

int host_run_until(host *self, uint64_t at, seen_error *error) {
  const seen_input tick = host_input(SEEN_INPUT_TICK, NULL);
  uint64_t due;
  int still = 0;

  while ((due = seen_engine_deadline(self->engine)) <= at) {
    int status;

    still = due > self->now ? 0 : still + 1;
    if (still > MOST_TICKS_AT_ONCE) {
      snprintf(error->message, sizeof error->message,
               "a timer that never ends its turn");
      return SEEN_ESTATE;
    }
    if (due > self->now) self->now = due;
    status = feed(self, &tick, error);
    if (status != SEEN_OK) return status;
  }
  self->now = at;
  return SEEN_OK;
}

int host_feed(host *self, const seen_input *input, uint64_t at,
              seen_error *error) {
  int status = host_run_until(self, at, error);

  return status == SEEN_OK ? feed(self, input, error) : status;
}

seen_state host_state(const seen_engine *engine, const char *id) {
  seen_conv conv = seen_engine_find(engine, id);
  seen_state state;

  memset(&state, 0, sizeof state);
  state.size = (uint32_t)sizeof state;
  if (conv != 0) (void)seen_engine_state(engine, conv, &state);
  return state;
}

seen_metrics host_metrics(const seen_engine *engine) {
  seen_metrics metrics;

  memset(&metrics, 0, sizeof metrics);
  metrics.size = (uint32_t)sizeof metrics;
  seen_engine_metrics(engine, &metrics);
  return metrics;
}
