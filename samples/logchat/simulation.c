#include "simulation.h"

#include "memory.h"

#include <stdlib.h>
#include <string.h>

static int take_effect(host *from, const seen_effect *effect,
                       seen_error *error) {
  simulation *self = from->user_data;

  (void)error;
  if (effect_is_output(effect))
    server_take(&self->server, effect,
                seen_engine_id(from->engine, effect->conv), from->now);
  if (self->watch.effect != NULL)
    self->watch.effect(self, effect, self->watch.user_data);
  return SEEN_OK;
}

static void settle(simulation *self) {
  if (self->watch.settled != NULL)
    self->watch.settled(self, self->watch.user_data);
}

/* An act of the person, now. */
static int act(simulation *self, const seen_input *input, seen_error *error) {
  int status;

  if (self->watch.input != NULL)
    self->watch.input(self, input, self->watch.user_data);
  status = host_feed(&self->host, input, self->host.now, error);
  if (status == SEEN_OK) settle(self);
  return status;
}

static uint64_t line_due(const chat *of) {
  return of->last_seq < of->log->count ? of->log->lines[of->last_seq].at
                                       : SEEN_NEVER;
}

/* The chat whose next line is the earliest. */
static chat *next_chat(const simulation *self) {
  chat *next = &self->chats[0];
  size_t i;

  for (i = 1; i < self->chat_count; i++)
    if (line_due(&self->chats[i]) < line_due(next)) next = &self->chats[i];
  return next;
}

static uint64_t earlier(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

uint64_t simulation_due(const simulation *self) {
  uint64_t due = earlier(line_due(next_chat(self)), server_due(&self->server));

  due = earlier(due, self->reader.due);
  return earlier(due, seen_engine_deadline(self->host.engine));
}

int simulation_step(simulation *self, seen_error *error) {
  uint64_t now = simulation_due(self);
  chat *speaks = next_chat(self);
  seen_input input;
  int status = host_run_until(&self->host, now, error);

  if (status != SEEN_OK) return status;
  settle(self);
  if (server_due(&self->server) <= now) {
    input = server_answer(&self->server);
  } else if (line_due(speaks) <= now) {
    input = host_input(SEEN_INPUT_MESSAGE, speaks->id);
    chat_say(speaks, &input.u.message);
  } else if (self->reader.due <= now) {
    input = reader_act(&self->reader, self->host.engine);
  } else {
    return SEEN_OK; /* a timer was all */
  }
  return act(self, &input, error);
}

static int add_chats(simulation *self, const simulation_plan *plan,
                     seen_error *error) {
  size_t i;

  for (i = 0; i < plan->chat_count; i++) {
    const simulation_chat *from = &plan->chats[i];
    const log_line *last = &from->log->lines[from->log->count - 1];
    seen_input row = host_input(SEEN_INPUT_CONVERSATION, from->conv);
    int status;

    chat_begin(&self->chats[i], from->conv, from->log, plan->options->user);
    self->places[i] = (reader_place){from->conv, last->at};
    chat_snapshot(&self->chats[i], &row.u.snapshot);
    status = act(self, &row, error);
    if (status != SEEN_OK) return status;
  }
  return SEEN_OK;
}

int simulation_begin(simulation *self, const simulation_plan *plan,
                     seen_error *error) {
  int status;

  memset(self, 0, sizeof *self);
  self->host.on_effect = take_effect;
  self->host.user_data = self;
  self->watch = plan->watch;
  self->chat_count = plan->chat_count;
  self->chats = must_allocate(plan->chat_count, sizeof *self->chats);
  self->places = must_allocate(plan->chat_count, sizeof *self->places);
  server_begin(&self->server, self->chats, plan->chat_count, plan->latency_ms);
  status = host_start(&self->host, plan->options, 0, error);
  if (status == SEEN_OK) status = add_chats(self, plan, error);
  reader_begin(&self->reader, &plan->habit, self->places, plan->chat_count);
  if (status != SEEN_OK) simulation_end(self);
  return status;
}

void simulation_end(simulation *self) {
  size_t i;

  for (i = 0; i < self->chat_count; i++)
    chat_end(&self->chats[i]);
  free(self->chats);
  free(self->places);
  server_end(&self->server);
  host_stop(&self->host);
  memset(self, 0, sizeof *self);
}
