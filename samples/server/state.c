/* The server's turns: frames, time, commit. What frames do is elsewhere. */
#include "audience.h"
#include "channels.h"
#include "connections.h"
#include "conversations.h"
#include "frames.h"
#include "memory.h"
#include "parking.h"
#include "persons.h"
#include "requests.h"
#include "session.h"

#include <stdlib.h>
#include <string.h>

enum {
  STALL_MS = 100,
  SWEEP_MS = 1000,
  CHECKED_MEMBERS = 1000,
  EXPIRE_MS = 60 * 60 * 1000,
};
#define OPS_KEPT_MS UINT64_C(2592000000) /* 30 days */

void limits_init(limits *self) {
  *self = (limits){
      .frame_bytes = 65536,
      .body_bytes = 8192,
      .depth = 8,
      .items = 100,
      .page_rows = 200,
      .page_messages = 100,
      .added = 500,
      .subscribe_messages = 200,
      .subscriptions = 16,
      .peer_limit = 50,
      .roster_limit = 500,
      .large_limit = 100000,
      .window_ms = 1000,
      .reports_per_second = 20,
      .reports_burst = 40,
      .reports_parked = 64,
      .requests_per_second = 50,
      .requests_burst = 100,
      .lists_per_second = 5,
      .lists_burst = 20,
      .queue_bytes = 262144,
      .dirty_rows = 1000,
      .poll_idle_ms = 60000,
      .cache_entries = 2000000,
  };
}

server *server_open(const storage *over, const limits *within,
                    const hooks *with, const uint8_t cursor_key[32],
                    uint64_t now, int *status) {
  stored_root root;
  *status = over->get_root(over->self, &root);
  if (*status) return NULL;
  server *self = must_allocate(1, sizeof *self);
  self->storage = *over;
  self->limits = *within;
  if (with) self->hooks = *with;
  memcpy(self->cursor_key, cursor_key, sizeof self->cursor_key);
  self->incarnation = must_copy_text(root.incarnation);
  self->version = self->committed = root.version;
  self->now = self->swept_at = self->drained_at = now;
  return self;
}

void server_close(server *self) {
  if (!self) return;
  if (self->writing) self->storage.rollback(self->storage.self);
  channels_free(self);
  while (self->connections) {
    connection *gone = self->connections;
    self->connections = gone->next;
    connection_free(gone);
  }
  conversations_drop_all(self);
  map_free(&self->conversations);
  map_free(&self->polled);
  persons_free(self);
  free(self->turn);
  free(self->unsaved);
  free(self->incarnation);
  free(self);
}

connection *server_connect(server *self, const identity *who, const char *name,
                           uint64_t now) {
  connection *fresh = connection_new(self, who, name);
  self->now = most(self->now, now);
  fresh->used_at = self->now;
  fresh->next = self->connections;
  if (fresh->next) fresh->next->previous = fresh;
  self->connections = fresh;
  if (fresh->name) map_put(&self->polled, fresh->name, fresh);
  self->metrics.connections++;
  return fresh;
}

static void forget_waiting(server *self, const connection *gone) {
  connection **at = &self->waiting;
  if (!gone->waits) return;
  while (*at != gone)
    at = &(*at)->waiting_next;
  *at = gone->waiting_next;
}

void server_disconnect(server *self, connection *gone, uint64_t now) {
  self->now = most(self->now, now);
  if (gone->parked_count) parking_apply(self, gone);
  if (gone->person) {
    channels_leave(self, gone);
    session_leave(self, gone);
  }
  for (size_t i = 0; i < self->turn_count; i++)
    if (self->turn[i].from == gone) self->turn[i].from = NULL;
  forget_waiting(self, gone);
  if (gone->name) map_remove(&self->polled, gone->name);
  if (gone->next) gone->next->previous = gone->previous;
  if (gone->previous)
    gone->previous->next = gone->next;
  else
    self->connections = gone->next;
  self->metrics.connections--;
  connection_free(gone);
}

typedef struct route {
  const char *type;
  take_request *take;
} route;

static take_request *find_route(const char *type) {
  static const route routes[] = {
      {"read", take_read},
      {"delivered", take_delivered},
      {"mark_unread", take_mark_unread},
      {"read_all", take_read_all},
      {"fetch", take_fetch},
      {"sync", take_sync},
      {"subscribe", take_subscribe},
      {"unsubscribe", take_unsubscribe},
      {"set", take_set},
      {"send", take_send},
      {"history", take_history},
      {"create", take_create},
      {"add", take_add},
      {"remove", take_remove},
      {"join", take_join},
      {"leave", take_leave},
      {"settings", take_settings},
      {"admin", take_admin},
  };
  for (size_t i = 0; i < sizeof routes / sizeof *routes; i++)
    if (!strcmp(routes[i].type, type)) return routes[i].take;
  return NULL;
}

static void greet(server *self, connection *from, const json *frame,
                  uint64_t id, bool is_hello) {
  if (!is_hello) {
    connection_close(from, CLOSE_POLICY, "the first frame is hello");
    return;
  }
  core_add_frame(self, from, id, true);
  if (!self->failed) take_hello(self, from, frame, id);
}

/* Whether the frame was kept: it is answered later. */
static bool route_frame(server *self, connection *from, json *frame,
                        const char *type, uint64_t id) {
  take_request *take = find_route(type);
  person *who = from->person;
  if (!take) {
    refuse(from, id, "unsupported", "no such type, or not now");
    core_add_frame(self, from, id, false);
    return false;
  }
  if (take == take_read || take == take_delivered)
    return parking_take(self, from, frame, type, id);
  uint64_t wait =
      persons_spend(&who->requests, self->limits.requests_per_second,
                    self->limits.requests_burst, self->now);
  core_add_frame(self, from, id, false);
  if (wait)
    refuse_rate(from, frame, id, type, wait);
  else if (!self->failed)
    take(self, from, frame, id);
  return false;
}

static int take_frame(server *self, connection *from, const char *bytes,
                      size_t length) {
  const char *why, *type;
  uint64_t id;
  bool kept = false;
  json *frame = json_parse(bytes, length, self->limits.depth, &why);
  if (!frame || !json_is_object(frame)) {
    connection_close(from, CLOSE_MALFORMED, frame ? "not an object" : why);
    json_free(frame);
    return from->closing;
  }
  type = json_is_text(json_member(frame, "t"));
  if (!type || !json_is_number(json_member(frame, "id"), &id)) {
    if (from->person)
      connection_error(from, false, 0, "invalid", "t: text, id: a number", 0);
    else
      connection_close(from, CLOSE_POLICY, "the first frame is hello");
  } else if (!from->person) {
    greet(self, from, frame, id, !strcmp(type, "hello"));
  } else {
    kept = route_frame(self, from, frame, type, id);
  }
  if (!kept) json_free(frame);
  return from->closing;
}

int server_frame(server *self, connection *from, const char *bytes,
                 size_t length, uint64_t now) {
  self->said_at = self->now = most(self->now, now);
  from->used_at = self->now;
  self->metrics.frames++;
  if (from->closing) return from->closing;
  if (length <= self->limits.frame_bytes)
    return take_frame(self, from, bytes, length);
  connection_close(from, CLOSE_TOO_LARGE, "a frame over 64 KiB");
  return from->closing;
}

/* The sums of the conversation used last, if it is small, by a recount. */
static void check_counts(server *self) {
  const conversation *conv = self->newest;
  if (!conv || conv->members.count > CHECKED_MEMBERS || !conv->last_seq) return;
  uint64_t seq = 1 + self->now % conv->last_seq;
  counts kept = audience_count(conv, seq, NULL);
  counts found = audience_recount(conv, seq);
  self->metrics.counts_checked++;
  if (memcmp(&kept, &found, sizeof kept) != 0) self->metrics.counts_drifted++;
}

static void sweep(server *self) {
  connection *next;
  for (connection *at = self->connections; at; at = next) {
    next = at->next;
    if (at->who.expires_at && at->who.expires_at <= self->now)
      connection_close(at, CLOSE_UNAUTHORIZED, "bring a new token");
    if (at->name &&
        (at->closing || at->used_at + self->limits.poll_idle_ms <= self->now))
      server_disconnect(self, at, self->now);
  }
  channels_sweep(self);
  persons_sweep(self);
  check_counts(self);
  self->swept_at = self->now;
}

void server_tick(server *self, uint64_t now) {
  self->now = most(self->now, now);
  parking_tick(self);
  channels_tick(self);
  if (self->swept_at + SWEEP_MS <= self->now) sweep(self);
  if (self->expired_at + EXPIRE_MS <= self->now && core_write(self)) {
    core_check(self, self->storage.expire_ops(
                         self->storage.self,
                         self->now - least(OPS_KEPT_MS, self->now)));
    self->expired_at = self->now;
  }
}

uint64_t server_deadline(const server *self) {
  uint64_t deadline = least(channels_deadline(self), parking_deadline(self));
  if (self->stalled) deadline = least(deadline, self->now + STALL_MS);
  if (!self->connections && !self->persons.count) return deadline;
  return least(deadline, self->swept_at + SWEEP_MS);
}

/* Nothing of the turn has happened; its frames are told so. */
static void undo(server *self) {
  if (self->writing) self->storage.rollback(self->storage.self);
  self->failed = false;
  self->version = self->committed;
  self->metrics.commits_failed++;
  conversations_drop_all(self);
  for (connection *at = self->waiting; at; at = at->waiting_next)
    connection_undo(at);
  for (size_t i = 0; i < self->turn_count; i++) {
    const turn_frame *of = &self->turn[i];
    if (!of->from) continue;
    connection_error(of->from, true, of->id, "storage",
                     "nothing was changed; send it again", 0);
    if (of->is_hello)
      connection_close(of->from, CLOSE_STORAGE, "the storage failed");
  }
}

bool server_commit(server *self, uint64_t now) {
  self->now = most(self->now, now);
  conversations_write(self);
  if (self->writing && !self->failed)
    core_check(self, self->storage.commit(self->storage.self, self->version));
  bool done = !self->failed;
  if (done)
    self->committed = self->version;
  else
    undo(self);
  if (self->writing && done) self->metrics.commits++;
  if (self->writing || !done) self->unwell = !done;
  self->writing = false;
  if (self->stalled) connections_go_on(self);
  self->turn_count = 0;
  for (connection *at = self->waiting; at; at = at->waiting_next)
    connection_commit(at);
  conversations_trim(self);
  return done;
}

connection *server_next_waiting(server *self) {
  connection *next = self->waiting;
  if (!next || self->turn_count || self->writing) return NULL;
  self->waiting = next->waiting_next;
  next->waiting_next = NULL;
  next->waits = false;
  return next;
}

void server_report_now(server *self) {
  for (connection *at = self->connections; at; at = at->next) {
    if (!at->person) continue;
    text frame = frames_begin("report_now");
    text_add(&frame, "}");
    connection_answer(at, &frame);
  }
}

/* A version of its own: SQLite writes nothing that is there already. */
void server_examine(server *self) {
  if (self->unwell && core_write(self)) core_next_version(self);
}

const metrics *server_metrics(const server *self) {
  return &self->metrics;
}

uint64_t server_version(const server *self) {
  return self->committed;
}
