#include "connections.h"

#include "conversations.h"
#include "frames.h"
#include "memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BACK_MS = 5000 };

typedef struct dirty_row {
  char *conv;
  bool row;
  uint64_t since; /* when the first report that it tells of came; 0: none */
  struct dirty_row *next;
} dirty_row;

packet *packet_new(text *frame) {
  packet *self = must_allocate(1, sizeof *self + frame->length + 1);
  self->references = 1;
  self->length = frame->length;
  memcpy(self->bytes, frame->bytes, frame->length);
  text_free(frame);
  return self;
}

void packet_release(packet *self) {
  if (self && --self->references == 0) free(self);
}

connection *connection_new(server *of, const identity *who, const char *name) {
  connection *self = must_allocate(1, sizeof *self);
  self->server = of;
  self->has_identity = who != NULL;
  if (who) self->who = *who;
  if (name) self->name = must_copy_text(name);
  return self;
}

static void forget_dirty(connection *self) {
  self->server->metrics.dirty_rows -= self->dirty.count;
  while (self->dirty_first) {
    dirty_row *row = self->dirty_first;
    self->dirty_first = row->next;
    free(row->conv);
    free(row);
  }
  self->dirty_last = NULL;
  map_free(&self->dirty);
}

static void cut_queue(connection *self, size_t to) {
  while (self->count > to) {
    packet *frame = self->queue[--self->count];
    self->bytes -= frame->length;
    packet_release(frame);
  }
  self->ready = least(self->ready, to);
}

void connection_free(connection *self) {
  cut_queue(self, self->first);
  forget_dirty(self);
  for (size_t i = 0; i < self->parked_count; i++)
    json_free(self->parked[i].frame);
  packet_release(self->taken);
  free(self->parked);
  free(self->queue);
  free(self->name);
  free(self);
}

static void wait_for_front(connection *self) {
  if (self->waits || self->scratch) return;
  self->waits = true;
  self->waiting_next = self->server->waiting;
  self->server->waiting = self;
}

/* What has left makes room at the front. */
static void compact(connection *self) {
  if (self->first < 64 || self->first * 2 < self->count) return;
  self->count -= self->first;
  self->ready -= self->first;
  memmove(self->queue, self->queue + self->first,
          self->count * sizeof(packet *));
  self->first = 0;
}

static void enqueue(connection *self, packet *frame) {
  compact(self);
  self->queue = MUST_GROW(self->queue, self->count, self->capacity);
  self->queue[self->count++] = frame;
  self->bytes += frame->length;
  wait_for_front(self);
}

void connection_answer(connection *self, text *frame) {
  enqueue(self, packet_new(frame));
  if (self->bytes > 8 * (size_t)self->server->limits.queue_bytes)
    connection_close(self, CLOSE_POLICY, "answers are not taken");
}

void connection_error(connection *self, bool has_id, uint64_t id,
                      const char *code, const char *message,
                      uint64_t retry_ms) {
  text frame = frames_error(has_id, id, code, message, retry_ms);
  connection_answer(self, &frame);
}

void connection_close(connection *self, int code, const char *reason) {
  if (self->closing) return;
  self->closing = code;
  self->closing_is_new = true;
  self->reason = reason;
  wait_for_front(self);
}

static void resync(connection *self, const char *why) {
  text frame = frames_begin("resync");
  text_member_quoted(&frame, "why", why);
  text_member_number(&frame, "version", self->server->committed);
  text_add(&frame, "}");
  forget_dirty(self);
  self->resyncing = self->resync_is_new = true;
  self->server->metrics.resyncs++;
  connection_answer(self, &frame);
}

void connection_resumed(connection *self) {
  self->resyncing = self->resync_is_new = false;
}

/* NULL: nothing is told one by one. */
static dirty_row *mark(connection *self, const char *conv, bool row) {
  dirty_row *found = map_get(&self->dirty, conv);
  if (self->resyncing || self->scratch) return NULL;
  if (found) {
    found->row = found->row || row;
    self->server->metrics.pushes_merged++;
    return found;
  }
  if (self->dirty.count >= self->server->limits.dirty_rows) {
    resync(self, "slow");
    return NULL;
  }
  found = must_allocate(1, sizeof *found);
  *found = (dirty_row){must_copy_text(conv), row, 0, NULL};
  map_put(&self->dirty, found->conv, found);
  if (self->dirty_last)
    self->dirty_last->next = found;
  else
    self->dirty_first = found;
  self->dirty_last = found;
  self->server->metrics.dirty_rows++;
  wait_for_front(self);
  return found;
}

bool connection_push(connection *self, packet *frame, const char *conv) {
  if (self->resyncing || self->scratch) return false;
  if (self->bytes + frame->length > self->server->limits.queue_bytes) {
    mark(self, conv, true);
    return false;
  }
  frame->references++;
  self->server->metrics.pushes++;
  enqueue(self, frame);
  return true;
}

void person_push(person *to, packet *frame, const char *conv,
                 const connection *but) {
  for (connection *at = to->connections; at; at = at->sibling)
    if (at != but) connection_push(at, frame, conv);
}

void person_push_beside(person *to, packet *frame, const char *conv) {
  for (connection *at = to->connections; at; at = at->sibling)
    if (at->paging)
      mark(at, conv, true);
    else
      connection_push(at, frame, conv);
}

void person_mark(person *to, const char *conv, bool row,
                 const connection *but) {
  for (connection *at = to->connections; at; at = at->sibling)
    if (at != but) mark(at, conv, row);
}

void person_moved(person *to, const char *conv, const connection *but) {
  for (connection *at = to->connections; at; at = at->sibling) {
    dirty_row *row = at != but ? mark(at, conv, false) : NULL;
    if (row && !row->since) row->since = at->server->said_at;
  }
}

void connection_set_device(connection *self, const char *device) {
  uint32_t hash = 2166136261u; /* FNV-1a */
  snprintf(self->device, sizeof self->device, "%s", device);
  for (; *device; device++)
    hash = (hash ^ (unsigned char)*device) * 16777619u;
  self->device_mark = hash;
}

bool connection_is_back(const connection *self) {
  return self->resumed_at &&
         self->server->said_at <= self->resumed_at + BACK_MS;
}

void connection_commit(connection *self) {
  self->ready = self->count;
  self->paging = self->paging && !self->paged;
  self->paged = self->resync_is_new = self->closing_is_new = false;
}

void connection_undo(connection *self) {
  cut_queue(self, self->ready);
  self->paged = false;
  if (self->closing_is_new && self->closing == CLOSE_DISABLED)
    self->closing = 0; /* the account is not, after all */
  /* The dirty rows of before are gone all the same. */
  if (self->resync_is_new) resync(self, "slow");
}

/* It could not be read: rows wait for the end of the next turn. */
static void give_up(server *self) {
  conversations_drop_all(self);
  self->failed = false;
  self->stalled = true;
}

void connections_go_on(server *self) {
  self->stalled = false;
  for (connection *at = self->connections; at; at = at->next)
    if (at->dirty_first) wait_for_front(at);
}

/* The oldest dirty row, as it is now; NULL: nothing is to be said of it. */
static packet *write_dirty(connection *self) {
  dirty_row *row = self->dirty_first;
  conversation *conv = conversations_find(self->server, row->conv);
  member *of = conv ? conversations_member(conv, self->person->user) : NULL;
  packet *written = NULL;
  if (of) {
    text frame = frames_begin(row->row ? "changes" : "position");
    if (row->row)
      frames_rows(self->server, &frame, conv, of);
    else
      frames_position(self->server, &frame, conv, of);
    written = packet_new(&frame);
    self->server->metrics.pushes++;
  }
  if (self->server->failed) {
    packet_release(written);
    give_up(self->server);
    return NULL;
  }
  if (written && row->since && self->server->hooks.cleared)
    self->server->hooks.cleared(self->server->hooks.user_data, row->since);
  map_remove(&self->dirty, row->conv);
  self->server->metrics.dirty_rows--;
  self->dirty_first = row->next;
  if (!row->next) self->dirty_last = NULL;
  free(row->conv);
  free(row);
  return written;
}

/* Outside a turn only, so that nothing is told before its commit. */
const char *connection_next(connection *self, size_t *length) {
  packet_release(self->taken);
  self->taken = NULL;
  if (self->first < self->ready) {
    self->taken = self->queue[self->first++];
    self->bytes -= self->taken->length;
  }
  while (!self->taken && self->dirty_first && self->first == self->count &&
         !self->server->turn_count && !self->server->writing &&
         !self->server->stalled)
    self->taken = write_dirty(self);
  self->used_at = self->server->now;
  if (!self->taken) return NULL;
  *length = self->taken->length;
  return self->taken->bytes;
}

bool connection_has_next(const connection *self) {
  return self->first < self->ready || self->dirty_first;
}

bool connection_is_full(const connection *self) {
  return self->bytes > self->server->limits.queue_bytes;
}

int connection_closing(const connection *self, const char **reason) {
  *reason = self->reason;
  return self->closing;
}

void connection_set_owner(connection *self, void *owner) {
  self->owner = owner;
}

void *connection_owner(const connection *self) {
  return self->owner;
}

const char *connection_user(const connection *self) {
  return self->person ? self->person->user : "";
}

packet *connection_take_answer(connection *self) {
  if (self->first == self->count) return NULL;
  packet *frame = self->queue[self->first++];
  self->bytes -= frame->length;
  return frame;
}
