#include "conversations.h"

#include "audience.h"
#include "memory.h"
#include "mentions.h"
#include "periods.h"

#include <stdlib.h>

static void unlink_use(server *self, conversation *conv) {
  if (conv->newer)
    conv->newer->older = conv->older;
  else
    self->newest = conv->older;
  if (conv->older)
    conv->older->newer = conv->newer;
  else
    self->oldest = conv->newer;
  conv->newer = conv->older = NULL;
}

static void link_use(server *self, conversation *conv) {
  conv->older = self->newest;
  if (self->newest) self->newest->newer = conv;
  self->newest = conv;
  if (!self->oldest) self->oldest = conv;
}

static void free_member(member *of) {
  periods_free(of);
  runs_free(&of->own);
  free(of->open);
  free(of->named);
  free(of->user);
  free(of);
}

static void free_conversation(conversation *conv) {
  member *of;
  for (size_t at = 0; (of = map_next(&conv->members, &at));)
    free_member(of);
  map_free(&conv->members);
  mentions_free(conv);
  audience_free(&conv->audience);
  runs_free(&conv->dead);
  runs_free(&conv->held);
  free(conv->online);
  free(conv->id);
  free(conv);
}

/* What a conversation takes may have changed since. */
static void account(server *self, conversation *conv) {
  self->entries += conv->entries - conv->accounted;
  conv->accounted = conv->entries;
}

static void keep(server *self, conversation *conv) {
  map_put(&self->conversations, conv->id, conv);
  link_use(self, conv);
  account(self, conv);
  self->metrics.conversations_loaded++;
}

static void drop(server *self, conversation *conv) {
  map_remove(&self->conversations, conv->id);
  unlink_use(self, conv);
  self->entries -= conv->accounted;
  self->metrics.conversations_loaded--;
  free_conversation(conv);
}

typedef struct loading {
  server *server;
  conversation *conv;
  member *of;
} loading;

static member *new_member(conversation *conv, const char *user) {
  member *of = must_allocate(1, sizeof *of);
  of->user = must_copy_text(user);
  map_put(&conv->members, of->user, of);
  return of;
}

static int load_member(void *visitor, const stored_membership *found) {
  loading *load = visitor;
  const stored_member *from = &found->member;
  member *of = new_member(load->conv, from->user);
  of->role = from->role;
  of->off = !found->receipts;
  of->disabled = found->disabled;
  of->read = from->read;
  of->marked_at = from->marked_at;
  of->version = from->version;
  of->muted = from->muted;
  of->pinned = from->pinned;
  of->removed = from->removed;
  of->settled = from->settled;
  int status = periods_read(of, from);
  if (!status) status = mentions_read(of, from->mentions);
  if (status) return status;
  load->conv->present += periods_is_present(of);
  audience_put(load->conv, of);
  load->conv->entries += of->period_count + of->open_count;
  conversations_attach(load->server, load->conv, of);
  return SEEN_OK;
}

static int load_dead(void *visitor, const stored_message *found) {
  loading *load = visitor;
  runs_add(&load->conv->dead, found->seq);
  if (found->state == MESSAGE_HELD) runs_add(&load->conv->held, found->seq);
  load->conv->entries++;
  return SEEN_OK;
}

static int load_mention(void *visitor, const stored_message *found) {
  loading *load = visitor;
  mentions_add(load->conv, found->seq,
               found->kind == SEEN_MESSAGE_EDIT ? found->target : found->seq,
               found->mentions);
  return SEEN_OK;
}

static int load_all(server *self, conversation *conv) {
  const storage *from = &self->storage;
  loading load = {self, conv, NULL};
  int status = from->each_member(from->self, conv->id, &load, load_member);
  if (!status)
    status = from->each_uncountable(from->self, conv->id, &load, load_dead);
  if (!status)
    status = from->each_mention(from->self, conv->id, &load, load_mention);
  return status;
}

static conversation *load(server *self, const char *id) {
  stored_conversation found;
  int status = self->storage.get_conversation(self->storage.self, id, &found);
  if (!core_check(self, status) || status == SEEN_ENOTFOUND) return NULL;
  conversation *conv = must_allocate(1, sizeof *conv);
  conv->id = must_copy_text(id);
  conv->kind = found.kind;
  conv->flags = found.flags;
  conv->last_seq = found.last_seq;
  conv->floor = found.floor;
  conv->version = found.version;
  conv->updated_at = found.updated_at;
  conv->entries = 1;
  if (!core_check(self, load_all(self, conv))) {
    free_conversation(conv);
    return NULL;
  }
  keep(self, conv);
  return conv;
}

conversation *conversations_find(server *self, const char *id) {
  conversation *conv = map_get(&self->conversations, id);
  if (self->failed) return NULL;
  if (!conv) return load(self, id);
  unlink_use(self, conv);
  link_use(self, conv);
  account(self, conv);
  return conv;
}

conversation *conversations_create(server *self, const char *id, seen_kind kind,
                                   unsigned flags) {
  conversation *conv = must_allocate(1, sizeof *conv);
  conv->id = must_copy_text(id);
  conv->kind = kind;
  conv->flags = flags;
  conv->entries = 1;
  keep(self, conv);
  return conv;
}

member *conversations_member(const conversation *conv, const char *user) {
  return map_get(&conv->members, user);
}

member *conversations_add_member(server *self, conversation *conv,
                                 const char *user) {
  stored_user found = {user, true, false, 0};
  member *of = new_member(conv, user);
  core_check(self, self->storage.get_user(self->storage.self, user, &found));
  of->off = !found.receipts;
  of->disabled = found.disabled;
  of->own_loaded = true;
  of->settled = conv->last_seq;
  conv->entries++;
  return of;
}

static int load_own(void *visitor, const stored_message *found) {
  loading *load = visitor;
  if (!found->state) runs_add(&load->of->own, found->seq);
  return SEEN_OK;
}

void conversations_own(server *self, conversation *conv, member *of) {
  const storage *from = &self->storage;
  loading load = {self, conv, of};
  if (of->own_loaded) return;
  of->own_loaded = core_check(
      self, from->each_from(from->self, conv->id, of->user, &load, load_own));
  conv->entries += runs_size(&of->own);
}

static void add_unsaved(server *self, conversation *conv, member *of) {
  self->unsaved =
      MUST_GROW(self->unsaved, self->unsaved_count, self->unsaved_capacity);
  self->unsaved[self->unsaved_count++] = (unsaved_row){conv, of};
}

void conversations_save(server *self, conversation *conv) {
  if (conv->unsaved || !core_write(self)) return;
  conv->unsaved = true;
  add_unsaved(self, conv, NULL);
}

void conversations_save_member(server *self, conversation *conv, member *of) {
  if (of->unsaved || !core_write(self)) return;
  of->unsaved = true;
  add_unsaved(self, conv, of);
}

static int write_conversation(const storage *to, conversation *conv) {
  stored_conversation row = {conv->id,        conv->kind,  conv->flags,
                             conv->last_seq,  conv->floor, conv->version,
                             conv->updated_at};
  conv->unsaved = false;
  return to->put_conversation(to->self, &row);
}

static int write_member(const storage *to, const conversation *conv,
                        member *of) {
  const period *latest = periods_latest(of);
  text excluded = {NULL, 0, 0}, past = excluded, mentions = excluded;
  periods_write_excluded(of, &excluded);
  periods_write_past(of, &past);
  mentions_write(of, &mentions);
  stored_member row = {
      .conv = conv->id,
      .user = of->user,
      .role = of->role,
      .read = of->read,
      .marked_at = of->marked_at,
      .join_seq = latest->join_seq,
      .leave_seq = latest->leave_seq,
      .receipt = latest->receipt,
      .delivered = latest->delivered,
      .excluded = excluded.bytes ? excluded.bytes : "",
      .past = past.bytes ? past.bytes : "",
      .settled = of->settled,
      .mentions = mentions.bytes ? mentions.bytes : "",
      .muted = of->muted,
      .pinned = of->pinned,
      .removed = of->removed,
      .version = of->version,
  };
  int status = to->put_member(to->self, &row);
  of->unsaved = false;
  text_free(&excluded);
  text_free(&past);
  text_free(&mentions);
  return status;
}

/* After a failure they are left: what they are about is dropped. */
void conversations_write(server *self) {
  for (size_t i = 0; i < self->unsaved_count && !self->failed; i++) {
    const unsaved_row *of = &self->unsaved[i];
    core_check(self, of->of ? write_member(&self->storage, of->conv, of->of)
                            : write_conversation(&self->storage, of->conv));
  }
  if (!self->failed) self->unsaved_count = 0;
}

void conversations_attach(server *self, conversation *conv, member *of) {
  person *who = map_get(&self->persons, of->user);
  if (of->online || !who || !who->connections || !periods_is_present(of))
    return;
  conv->online =
      MUST_GROW(conv->online, conv->online_count, conv->online_capacity);
  of->online = who;
  of->online_at = conv->online_count;
  conv->online[conv->online_count++] = of;
}

void conversations_detach(conversation *conv, member *of) {
  if (!of->online) return;
  member *last = conv->online[--conv->online_count];
  conv->online[of->online_at] = last;
  last->online_at = of->online_at;
  of->online = NULL;
}

typedef struct coming {
  server *server;
  person *who;
  bool online;
} coming;

static int come(void *visitor, const stored_row *found) {
  coming *of = visitor;
  conversation *conv = map_get(&of->server->conversations, found->conv);
  member *self = conv ? map_get(&conv->members, of->who->user) : NULL;
  if (self && of->online) conversations_attach(of->server, conv, self);
  if (self && !of->online) conversations_detach(conv, self);
  return SEEN_OK;
}

void conversations_online(server *self, person *who, bool online) {
  coming of = {self, who, online};
  conversations_write(self);
  core_check(self, self->storage.each_row(self->storage.self, who->user, 0,
                                          SIZE_MAX, &of, come));
}

void conversations_trim(server *self) {
  while (self->entries > self->limits.cache_entries && self->oldest) {
    drop(self, self->oldest);
    self->metrics.conversations_evicted++;
  }
}

void conversations_drop_all(server *self) {
  self->unsaved_count = 0;
  while (self->oldest)
    drop(self, self->oldest);
}
