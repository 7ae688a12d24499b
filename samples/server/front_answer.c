/*
 * Requests that wait: for the commit of their turn, or, as a held poll, until
 * something waits for them.
 */
#include "front_parts.h"

#include <stdlib.h>
#include <string.h>

static void list(front *self, request *about) {
  if (about->is_listed) return;
  about->is_listed = true;
  about->next = self->requests;
  about->previous = NULL;
  if (about->next != NULL) about->next->previous = about;
  self->requests = about;
}

static void unlist(front *self, request *about) {
  if (!about->is_listed) return;
  about->is_listed = false;
  if (about->next != NULL) about->next->previous = about->previous;
  if (about->previous != NULL)
    about->previous->next = about->next;
  else
    self->requests = about->next;
}

/*
 * The connection that a held poll waits on, or NULL: it may have ended
 * meanwhile, so it is looked up again.
 */
static connection *held_on(front *self, const request *about) {
  return http_poll(self->server, &about->who, about->connection_name,
                   self->now);
}

static void let_go(front *self, request *about) {
  connection *from = about->is_held ? held_on(self, about) : NULL;

  if (from != NULL && connection_owner(from) == &about->owner)
    connection_set_owner(from, NULL);
  about->is_held = false;
  about->polled = NULL;
}

void request_forget(front *self, request *about) {
  unlist(self, about);
  let_go(self, about);
  response_free(&about->response);
  free(about->body);
  memset(about, 0, sizeof *about);
}

void request_answer(front *self, request *about, response with) {
  response_free(&about->response);
  about->response = with;
  about->is_plain = false;
  about->is_answered = true;
  list(self, about);
}

/* After the commit: what it says now can be said. */
void request_settle(front *self, request *about, bool committed) {
  if (about->is_held) about->polled = held_on(self, about);
  if (about->rests && !committed)
    request_answer(self, about,
                   http_error(503, "storage", "nothing was changed", 0));
  else if (about->gathers && about->polled == NULL)
    request_answer(self, about,
                   http_error(404, "not_found", "no such connection", 0));
  else if (about->gathers)
    request_answer(self, about,
                   http_gather(self->server, about->polled, self->now));
  let_go(self, about);
  unlist(self, about);
  lws_callback_on_writable(about->wsi);
}

int request_end_poll(front *self, request *about) {
  if (!about->is_held || about->is_answered) return 0;
  about->gathers = true;
  about->is_answered = true;
  list(self, about);
  return 0;
}
