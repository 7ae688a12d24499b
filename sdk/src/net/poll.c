/*
 * A polled connection is open as soon as it is dialled; the server knows it by
 * a name from the `welcome` in the first answer on. Until that has come, all
 * but the first array waits.
 */
#include "net/poll.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/platform.h"
#include "base/text.h"
#include "net/connections.h"
#include "net/split.h"

#include <string.h>

enum { CLOSE_MS = 900, REST_MS = 1000, NAME_MAX_BYTES = 256 };

struct sn_poll {
  sn_poll *next;
  sn_polls *of;
  uint64_t number;
  sn_arrival *last; /* NULL: was told */
  char *token;
  char name[NAME_MAX_BYTES];               /* "": not known yet */
  sn_command *first, *end;                 /* frames that wait */
  sn_ask *post, *wait;                     /* what was asked and not answered */
  bool wants_alive, is_closing, has_heard; /* frames in the last answer */
  uint64_t close_by, waits_since, rest_until;
};

static sn_net *net_of(const sn_poll *self) {
  return self->of->net;
}

static sn_command *take_frame(sn_poll *self) {
  sn_command *frame = self->first;

  self->first = frame->next;
  if (!self->first) self->end = NULL;
  sn_connections_sent(net_of(self), self->number, frame->length);
  return frame;
}

static void end(sn_poll *self, seen_ended why, uint32_t code,
                const char *words) {
  sn_arrival *last = self->last;

  if (!last) return;
  self->last = NULL;
  while (self->first)
    sn_command_free(net_of(self)->memory, take_frame(self));
  if (self->post) sn_ask_drop(self->of->asks, self->post);
  if (self->wait) sn_ask_drop(self->of->asks, self->wait);
  self->post = self->wait = NULL;
  sn_connections_end(net_of(self), last, why, code, words);
}

static void tell(sn_poll *self, seen_transport_event_type type,
                 const char *text, size_t length) {
  sn_arrival *event =
      sn_arrival_new(net_of(self)->memory, type, self->number, length);

  if (!event) {
    end(self, SEEN_ENDED_LOST, 0, "out of memory");
    return;
  }
  if (text) sn_arrival_write(event, text, length);
  sn_arrivals_push(&net_of(self)->events, event);
}

/* A name goes into a path as it is. */
static bool takes_name(const char *name) {
  static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnop"
                                "qrstuvwxyz0123456789-._~";
  size_t size = strlen(name);

  return size > 0 && size < NAME_MAX_BYTES && strspn(name, allowed) == size;
}

/* The connection's name, where this is the welcome. */
static void look_for_name(sn_poll *self, const char *frame, size_t length) {
  const sn_json *member;
  const char *text;
  sn_json *json;

  if (sn_json_parse(frame, length, &json, NULL)) return;
  member = sn_json_type_of(json) == SN_JSON_OBJECT
               ? sn_json_member(json, "connection")
               : NULL;
  if (member && sn_json_text(member, &text) && takes_name(text))
    memcpy(self->name, text, strlen(text) + 1);
  sn_json_free(json);
}

static void deliver(sn_poll *self, const char *text, size_t size) {
  const char *frame;
  size_t length;
  sn_split items;
  sn_split_found found =
      sn_split_begin(text, size, &items) ? SN_SPLIT_ONE : SN_SPLIT_BAD;

  while (self->last && found == SN_SPLIT_ONE) {
    found = sn_split_next(&items, &frame, &length);
    if (found == SN_SPLIT_ONE && length > SEEN_FRAME_MAX) found = SN_SPLIT_BAD;
    if (found != SN_SPLIT_ONE) break;
    if (!*self->name) look_for_name(self, frame, length);
    self->has_heard = true;
    if (!self->is_closing) tell(self, SEEN_TRANSPORT_FRAME, frame, length);
  }
  if (found != SN_SPLIT_BAD) return;
  if (*self->name)
    end(self, SEEN_ENDED_PROTOCOL, 0, "no array of frames");
  else /* as an upgrade that a portal answers */
    end(self, SEEN_ENDED_HTTP, 200, "a page, but no frames");
}

static void answered(sn_poll *self, const sn_ask *ask) {
  if (ask->retry_ms > 0 && self->last)
    self->last->said.retry_ms = ask->retry_ms;
  if (ask->status == 0)
    end(self, ask->failed, ask->code, "a request had no answer");
  else if (ask->status == 404 && *self->name)
    end(self, SEEN_ENDED_LOST, 0, "the server has forgotten the connection");
  else if (ask->status != 200)
    end(self, SEEN_ENDED_HTTP, ask->status, "a request was refused");
  else
    deliver(self, ask->text, ask->length);
  if (self->last && !*self->name)
    end(self, SEEN_ENDED_PROTOCOL, 0, "no welcome that names a connection");
  if (self->last && self->wants_alive && !self->is_closing) {
    self->wants_alive = false;
    tell(self, SEEN_TRANSPORT_ALIVE, NULL, 0);
  }
}

static void on_post(sn_ask *ask) {
  sn_poll *self = ask->owner;

  self->post = NULL;
  answered(self, ask);
}

/* A server that answers nothing without waiting is not asked all the time. */
static void on_wait(sn_ask *ask) {
  sn_poll *self = ask->owner;
  uint32_t wait_ms = net_of(self)->poll_ms;

  self->wait = NULL;
  self->has_heard = false;
  answered(self, ask);
  if (!self->has_heard)
    self->rest_until =
        self->waits_since + (wait_ms < REST_MS ? wait_ms : REST_MS);
}

/* As many of the frames that wait as one request may hold. */
static bool gather(sn_poll *self, sn_text *array) {
  sn_text_add(array, "[");
  do {
    sn_command *frame = take_frame(self);

    if (array->length > 1) sn_text_add(array, ",");
    sn_text_add_bytes(array, frame->text, frame->length);
    sn_command_free(net_of(self)->memory, frame);
  } while (self->first &&
           array->length + self->first->length + 2 <= SEEN_FRAME_MAX);
  sn_text_add(array, "]");
  return array->status == SEEN_OK;
}

static void post(sn_poll *self) {
  char path[NAME_MAX_BYTES + 64];
  sn_text array, text;

  sn_text_fixed(&text, path, sizeof path);
  sn_text_add(&text, "/im/frames");
  if (*self->name) sn_text_format(&text, "?connection=%s", self->name);
  sn_text_growing(&array, net_of(self)->memory);
  if (gather(self, &array))
    self->post = sn_ask_begin(self->of->asks, self->token, path, array.bytes,
                              array.length, 0, on_post, self);
  else
    sn_text_free(&array);
  if (!self->post) end(self, SEEN_ENDED_LOST, 0, "out of memory");
}

static void wait(sn_poll *self) {
  char path[NAME_MAX_BYTES + 64];
  sn_text text;

  sn_text_fixed(&text, path, sizeof path);
  sn_text_format(&text, "/im/poll?connection=%s&wait=%u", self->name,
                 (uint64_t)net_of(self)->poll_ms);
  self->wait = sn_ask_begin(self->of->asks, self->token, path, NULL, 0, 0,
                            on_wait, self);
  self->waits_since = sn_platform_clock();
  if (!self->wait) end(self, SEEN_ENDED_LOST, 0, "out of memory");
}

static void dial(sn_polls *self, sn_command *command) {
  const seen_allocator *memory = self->net->memory;
  sn_poll *made = sn_allocate_zero(memory, sizeof *made);

  if (!made) {
    sn_connections_end(self->net, command->last, SEEN_ENDED_LOST, 0,
                       "out of memory");
    command->last = NULL;
    return;
  }
  made->of = self;
  made->number = command->number;
  made->last = command->last;
  made->token = command->token;
  made->next = self->first;
  self->first = made;
  sn_arrivals_push(&net_of(made)->events, command->open);
  command->open = command->last = NULL;
  command->token = NULL;
}

static sn_poll *find(const sn_polls *self, uint64_t number) {
  sn_poll *at = self->first;

  while (at && (at->number != number || !at->last))
    at = at->next;
  return at;
}

static void keep_frame(sn_poll *self, sn_command *frame) {
  frame->next = NULL;
  if (self->first)
    self->end->next = frame;
  else
    self->first = frame;
  self->end = frame;
}

void sn_polls_obey(sn_polls *self, sn_command *command) {
  sn_net *net = self->net;
  sn_poll *to = NULL;

  if (command->kind == SN_COMMAND_DIAL)
    dial(self, command);
  else
    to = find(self, command->number);
  if (command->kind == SN_COMMAND_WRITE && to && !to->is_closing) {
    keep_frame(to, command);
    return;
  }
  if (command->kind == SN_COMMAND_WRITE)
    sn_connections_sent(net, command->number, command->length);
  if (command->kind == SN_COMMAND_PING && to) to->wants_alive = true;
  if (command->kind == SN_COMMAND_CLOSE && to && !to->is_closing) {
    to->is_closing = true;
    to->close_by = sn_platform_clock() + CLOSE_MS;
  }
  sn_command_free(net->memory, command);
}

static void act(sn_poll *self, uint64_t now) {
  bool is_sent = !self->first && !self->post;

  if (!self->last) return;
  if (self->is_closing && (is_sent || now >= self->close_by)) {
    end(self, SEEN_ENDED_LOCAL, 0, "closed");
    return;
  }
  if (self->first && !self->post) post(self);
  if (self->last && *self->name && !self->wait && !self->is_closing &&
      now >= self->rest_until && !sn_arrivals_full(&net_of(self)->events))
    wait(self);
}

static void free_poll(sn_poll *self) {
  const seen_allocator *memory = net_of(self)->memory;

  while (self->first)
    sn_command_free(memory, take_frame(self));
  if (self->token) memset(self->token, 0, strlen(self->token));
  sn_release(memory, self->token);
  sn_release(memory, self->last);
  sn_release(memory, self);
}

/* When it has something to do that no answer brings; 0: never. */
static uint64_t due(const sn_poll *self) {
  if (self->is_closing) return self->close_by;
  return self->wait || !*self->name ? 0 : self->rest_until;
}

uint32_t sn_polls_turn(sn_polls *self, uint32_t most_ms) {
  uint64_t now = sn_platform_clock();
  sn_poll **link = &self->first, *at;

  while ((at = *link) != NULL) {
    act(at, now);
    if (!at->last) {
      *link = at->next;
      free_poll(at);
      continue;
    }
    if (due(at) > now && due(at) - now < most_ms)
      most_ms = (uint32_t)(due(at) - now);
    link = &at->next;
  }
  return most_ms;
}

void sn_polls_free(sn_polls *self) {
  sn_poll *next;

  for (sn_poll *at = self->first; at; at = next) {
    next = at->next;
    free_poll(at);
  }
  self->first = NULL;
}
