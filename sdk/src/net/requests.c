/* What the host asks goes to asks.c, what a polled connection is told to
 * poll.c, and their answers to the host. */
#include "net/requests.h"

#include "base/fail.h"
#include "base/memory.h"
#include "net/asks.h"
#include "net/poll.h"

#include <string.h>

enum { TURN_MS = 60000 /* of rest at most */ };

struct sn_requests {
  sn_net *net;
  sn_commands commands;
  sn_thread thread;
  sn_asks asks;
  sn_polls polls;
};

static void answer(sn_net *net, const sn_ask *ask, sn_arrival *event,
                   seen_ended failed) {
  event->said.status = failed ? 0 : ask->status;
  event->said.ended = failed;
  event->said.code = failed ? ask->code : 0;
  event->said.retry_ms = ask->retry_ms;
  sn_arrivals_push(&net->events, event);
}

/* A body needs an event of its size; without memory there is no answer. */
static void tell(sn_net *net, sn_ask *ask) {
  sn_arrival *event = NULL;

  if (ask->status != 0)
    event = sn_arrival_new(net->memory, SEEN_TRANSPORT_ANSWER,
                           ask->command->number, ask->length);
  if (event) {
    sn_arrival_write(event, ask->text ? ask->text : "", ask->length);
    answer(net, ask, event, (seen_ended)0);
    return;
  }
  event = ask->command->last;
  ask->command->last = NULL;
  answer(net, ask, event, ask->failed ? ask->failed : SEEN_ENDED_LOST);
}

static void on_answer(sn_ask *ask) {
  tell(ask->owner, ask);
}

static void refuse(sn_net *net, sn_command *command, seen_ended why) {
  sn_arrival *event = command->last;

  command->last = NULL;
  event->said.ended = why;
  sn_arrivals_push(&net->events, event);
}

static void request(sn_requests *self, sn_command *command) {
  sn_ask *ask;
  char *body = command->has_body ? command->text : NULL;

  if (body) command->text = NULL;
  ask =
      sn_ask_begin(&self->asks, command->token, command->path, body,
                   command->length, command->timeout_ms, on_answer, self->net);
  if (ask) {
    ask->command = command;
    return;
  }
  refuse(self->net, command, SEEN_ENDED_LOST);
  sn_command_free(self->net->memory, command);
}

static void cancel(sn_requests *self, sn_command *command) {
  sn_ask *at = self->asks.first;

  while (at && (!at->command || at->command->number != command->number))
    at = at->next;
  if (at) {
    refuse(self->net, at->command, SEEN_ENDED_LOCAL);
    sn_ask_drop(&self->asks, at);
  }
  sn_command_free(self->net->memory, command);
}

static void obey(sn_requests *self) {
  sn_command *next;

  for (sn_command *at = sn_commands_take(&self->commands); at; at = next) {
    next = at->next;
    if (at->kind == SN_COMMAND_REQUEST)
      request(self, at);
    else if (at->kind == SN_COMMAND_CANCEL)
      cancel(self, at);
    else
      sn_polls_obey(&self->polls, at);
  }
}

static void *run(void *argument) {
  sn_requests *self = argument;

  while (!sn_commands_stopped(&self->commands)) {
    obey(self);
    sn_asks_turn(&self->asks);
    sn_asks_rest(&self->asks, sn_polls_turn(&self->polls, TURN_MS));
  }
  sn_asks_drop(&self->asks);
  sn_polls_free(&self->polls);
  return NULL;
}

void sn_requests_wake(sn_requests *self) {
  sn_asks_wake(&self->asks);
}

void sn_requests_command(sn_requests *self, sn_command *command) {
  sn_commands_push(&self->commands, command);
  sn_requests_wake(self);
}

static void free_requests(sn_requests *self) {
  sn_asks_close(&self->asks);
  sn_commands_close(&self->commands);
  sn_release(self->net->memory, self);
}

int sn_requests_start(sn_net *net, sn_requests **out, seen_error *error) {
  sn_requests *self = sn_allocate_zero(net->memory, sizeof *self);
  int status;

  *out = NULL;
  if (!self) return sn_fail_memory(error);
  self->net = net;
  self->polls = (sn_polls){.net = net, .asks = &self->asks};
  status = sn_asks_open(net, &self->asks, error);
  if (!status && sn_commands_open(net->memory, &self->commands))
    status = sn_fail_memory(error);
  if (!status) status = sn_platform_thread(run, self, &self->thread, error);
  if (status)
    free_requests(self);
  else
    *out = self;
  return status;
}

void sn_requests_stop(sn_requests *self) {
  if (!self) return;
  sn_commands_stop(&self->commands);
  sn_requests_wake(self);
  sn_platform_join(self->thread);
  free_requests(self);
}
