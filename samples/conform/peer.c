/* What came waits in an array until it is taken. */
#include "peer.h"

#include "memory.h"
#include "net.h"

#include <stdlib.h>
#include <string.h>

enum {
  DIAL_MS = 30000,
  CLOSE_MS = 1000,
  SEND_MS = 3000,
  SOCKETS = 64,
  WHY_BYTES = 512
};

struct peer {
  peers *of;
  peer *next;
  size_t number;
  wire *wire;
  char name[64];
  int code;
  cJSON **frames;
  size_t count;
};

struct peers {
  net *net;
  peer *first;
  size_t last_number;
};

static void start_clock(peers *self, int ms) {
  net_alarm(self->net, (uint64_t)(ms > 0 ? ms : 0) * 1000000);
}

/* Serves sockets until something comes; false: the time is over. */
static bool turn(peers *self) {
  return !net_has_rung(self->net) && net_turn(self->net);
}

void peers_wait(peers *self, int ms) {
  start_clock(self, ms);
  while (turn(self)) {
  }
}

static peer *numbered(peers *self, size_t number) {
  peer *at = self->first;

  while (at != NULL && at->number != number)
    at = at->next;
  return at;
}

static void keep(void *self, size_t number, const char *text, size_t length) {
  cJSON *frame = cJSON_ParseWithLength(text, length);
  peer *of = numbered(self, number);

  if (frame == NULL || of == NULL) {
    cJSON_Delete(frame);
    return;
  }
  of->frames = must_resize(of->frames, of->count + 1, sizeof *of->frames);
  of->frames[of->count++] = frame;
}

static void note_code(void *self, size_t number, int code, const char *why) {
  peer *of = numbered(self, number);

  (void)why;
  if (of != NULL) of->code = code;
}

peers *peers_open(const options *how) {
  const net_server at = {how->host, how->port, how->tls, how->insecure};
  peers *self = must_allocate(1, sizeof *self);
  const net_hooks hooks = {self, keep, note_code};
  char why[WHY_BYTES];

  self->net = net_open(&at, &hooks, SOCKETS, why);
  if (self->net != NULL) return self;
  free(self);
  return NULL;
}

void peers_close(peers *self) {
  peer *next;

  if (self == NULL) return;
  for (peer *at = self->first; at != NULL; at = next) {
    next = at->next;
    peer_close(at);
  }
  net_close(self->net);
  free(self);
}

peer *peer_open(peers *of, const char *name, const char *token) {
  peer *self = must_allocate(1, sizeof *self);

  self->of = of;
  self->number = ++of->last_number;
  self->next = of->first;
  of->first = self;
  snprintf(self->name, sizeof self->name, "%s", name);
  self->wire = net_dial(of->net, self->number, token);
  start_clock(of, DIAL_MS);
  while (!wire_is_open(self->wire) && !wire_is_gone(self->wire) && turn(of)) {
  }
  return self;
}

void peer_close(peer *self) {
  peer **link = &self->of->first;

  wire_close(self->wire);
  start_clock(self->of, CLOSE_MS);
  while (wire_is_open(self->wire) && turn(self->of)) {
  }
  wire_cut(self->wire);
  while (*link != self)
    link = &(*link)->next;
  *link = self->next;
  peer_drop(self);
  free(self->frames);
  free(self);
}

bool peer_is_open(const peer *self) {
  return wire_is_open(self->wire);
}

const char *peer_name(const peer *self) {
  return self->name;
}

bool peer_send(peer *self, const void *text, size_t length, int parts) {
  const char *at = text;
  size_t size = length / (size_t)parts, left = length;

  if (!wire_is_open(self->wire)) return false;
  for (int i = 1; i <= parts; i++) {
    if (i == parts) size = left;
    wire_say_part(self->wire, at, size, i == 1, i == parts);
    at += size;
    left -= size;
  }
  start_clock(self->of, SEND_MS);
  while (!wire_is_idle(self->wire) && wire_is_open(self->wire) &&
         turn(self->of)) {
  }
  return wire_is_idle(self->wire);
}

/* Where the first frame that fits stands; `count`: none came in time. */
static size_t find(peer *self, peer_fits fits, const void *wanted, int ms) {
  size_t seen = 0;

  start_clock(self->of, ms);
  for (;;) {
    for (; seen < self->count; seen++)
      if (fits(self->frames[seen], wanted)) return seen;
    if (wire_is_gone(self->wire) || !turn(self->of)) return self->count;
  }
}

bool peer_has(peer *self, peer_fits fits, const void *wanted, int ms) {
  return find(self, fits, wanted, ms) < self->count;
}

cJSON *peer_take(peer *self, peer_fits fits, const void *wanted, int ms) {
  size_t at = find(self, fits, wanted, ms);
  cJSON *found;

  if (at == self->count) return NULL;
  found = self->frames[at];
  memmove(self->frames + at, self->frames + at + 1,
          (self->count - at - 1) * sizeof *self->frames);
  self->count--;
  return found;
}

void peer_drop(peer *self) {
  for (size_t i = 0; i < self->count; i++)
    cJSON_Delete(self->frames[i]);
  self->count = 0;
}

int peer_code(peer *self, int ms) {
  start_clock(self->of, ms);
  while (!wire_is_gone(self->wire) && turn(self->of)) {
  }
  return self->code;
}
