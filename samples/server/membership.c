/* create, add, remove, join, leave (P5, R3). */
#include "answers.h"
#include "audience.h"
#include "channels.h"
#include "connections.h"
#include "conversations.h"
#include "frames.h"
#include "memory.h"
#include "mentions.h"
#include "messages.h"
#include "ops.h"
#include "periods.h"
#include "requests.h"

#include <stdlib.h>
#include <string.h>

typedef struct change {
  const char *act; /* the frame's type */
  const char *op;
  const char *conv;
  const json *users; /* NULL: the user alone */
  seen_kind kind;
  unsigned flags;
  member_role role;
} change;

static bool read_choice(const json *value, const char *const *names, int count,
                        int *choice) {
  const char *name = value ? json_is_text(value) : names[*choice];
  for (int i = 0; name && i < count; i++) {
    if (strcmp(name, names[i]) != 0) continue;
    *choice = i;
    return true;
  }
  return false;
}

static bool read_flag(const json *value, unsigned flag, unsigned *flags) {
  bool on = false;
  if (value && !json_is_bool(value, &on)) return false;
  if (on) *flags |= flag;
  return true;
}

static bool read_users(const server *self, const json *users) {
  if (!users) return true;
  if (!json_is_array(users) || json_count(users) > self->limits.added)
    return false;
  for (const json *at = json_first(users); at; at = json_after(at))
    if (!json_is_name(at)) return false;
  return true;
}

static bool read_change(const server *self, const json *frame, const char *act,
                        change *into) {
  static const char *const kinds[] = {"direct", "group", "large"};
  static const char *const roles[] = {"member", "admin", "bot"};
  int kind = SEEN_KIND_GROUP, role = ROLE_MEMBER;
  *into = (change){.act = act,
                   .op = json_is_name(json_member(frame, "op")),
                   .conv = json_is_name(json_member(frame, "conv")),
                   .users = json_member(frame, "users")};
  if (!into->op || !into->conv || !read_users(self, into->users) ||
      !read_choice(json_member(frame, "kind"), kinds, 3, &kind) ||
      !read_choice(json_member(frame, "role"), roles, 3, &role) ||
      !read_flag(json_member(frame, "open"), CONVERSATION_OPEN, &into->flags) ||
      !read_flag(json_member(frame, "moderated"), CONVERSATION_MODERATED,
                 &into->flags))
    return false;
  into->kind = (seen_kind)kind;
  into->role = (member_role)role;
  return true;
}

static void answer_word(server *self, connection *from, uint64_t id,
                        const change *what, conversation *conv) {
  member *of = conversations_member(conv, from->person->user);
  text item = item_begin(conv->id, "ok", "");
  if (of && periods_is_present(of))
    frames_word(self, &item, conv, of);
  else if (of)
    text_member_number(&item, "leave_seq", periods_latest(of)->leave_seq);
  text_add(&item, "}");
  answer_one(from, id, what->act, &item);
}

/* A first or a new membership from `join_seq` on (P5). */
static member *enter(server *self, conversation *conv, const char *user,
                     member_role role, uint64_t join_seq) {
  member *of = conversations_member(conv, user);
  bool again = of != NULL;
  /* A `peer` will be of this membership; the roster has them all (R3). */
  if (channels_owes(self, conv, user)) messages_mark_all(conv, true);
  if (again)
    audience_take(conv, of);
  else
    of = conversations_add_member(self, conv, user);
  of->version = core_next_version(self);
  of->role = role;
  of->removed = false;
  of->read = again ? seen_position_rejoin(of->read, conv->last_seq)
                   : (seen_position){0, conv->last_seq, 0};
  period *in = periods_begin(of, join_seq);
  if (of->off) periods_exclude(in, join_seq, 'p');
  if (of->disabled) periods_exclude(in, join_seq, 'd');
  mentions_forget(conv, of);
  audience_put(conv, of);
  conv->present++;
  conv->entries++;
  conversations_attach(self, conv, of);
  conversations_save_member(self, conv, of);
  return of;
}

static void depart(server *self, conversation *conv, member *of,
                   uint64_t leave_seq, bool removed) {
  audience_take(conv, of);
  of->version = core_next_version(self);
  of->removed = removed;
  periods_latest(of)->leave_seq = leave_seq;
  audience_put(conv, of);
  conv->present--;
  conversations_detach(conv, of);
  conversations_save_member(self, conv, of);
}

static void write_stretch(text *into, const member *of, uint64_t seq) {
  if (of->off || of->disabled) return;
  text_comma(into);
  text_add(into, "{");
  text_member_quoted(into, "user", of->user);
  text_member_number(into, "seq", seq);
  if (of->role == ROLE_BOT) text_member_bool(into, "bot", true);
  text_add(into, "}");
}

static void tell_members(server *self, conversation *conv, const text *joined,
                         const text *left) {
  if (conv->kind == SEEN_KIND_LARGE ||
      conv->present > self->limits.roster_limit)
    return;
  text frame = frames_begin("members");
  text_member_quoted(&frame, "conv", conv->id);
  text_member(&frame, "joined");
  text_add(&frame, "[");
  text_add_bytes(&frame, joined->bytes, joined->length);
  text_add(&frame, "]");
  text_member(&frame, "left");
  text_add(&frame, "[");
  text_add_bytes(&frame, left->bytes, left->length);
  text_add(&frame, "]}");
  packet *written = packet_new(&frame);
  if (written->length > self->limits.frame_bytes) /* the row says as much */
    messages_mark_all(conv, true);
  for (size_t i = 0; i < conv->online_count; i++)
    if (written->length <= self->limits.frame_bytes)
      person_push(conv->online[i]->online, written, conv->id, NULL);
  packet_release(written);
}

/* Who is a member from now on gets the row, on all connections. */
static void show_row(const conversation *conv, const member *of) {
  if (of->online) person_mark(of->online, conv->id, true, NULL);
}

static void add_users(server *self, conversation *conv, const change *what,
                      const char *const *users, size_t count) {
  text joined = {NULL, 0, 0}, left = joined;
  uint64_t seq = conv->last_seq;
  for (size_t i = 0; i < count; i++) {
    member *of = enter(self, conv, users[i], what->role, seq);
    write_stretch(&joined, of, seq);
    show_row(conv, of);
  }
  tell_members(self, conv, &joined, &left);
  text_free(&joined);
}

static void tell_left(server *self, const conversation *conv,
                      const member *of) {
  person *who = map_get(&self->persons, of->user);
  text frame = frames_begin("left");
  text_member_quoted(&frame, "conv", conv->id);
  text_member_number(&frame, "leave_seq", periods_latest(of)->leave_seq);
  text_add(&frame, "}");
  packet *written = packet_new(&frame);
  if (who) person_push(who, written, conv->id, NULL);
  packet_release(written);
}

static void remove_users(server *self, conversation *conv, const char *by,
                         const change *what, member *const *gone,
                         size_t count) {
  text joined = {NULL, 0, 0}, left = joined;
  uint64_t seq = conv->last_seq;
  for (size_t i = 0; i < count; i++) {
    depart(self, conv, gone[i], seq, !strcmp(what->act, "remove"));
    write_stretch(&left, gone[i], seq);
    tell_left(self, conv, gone[i]);
  }
  messages_notice(self, conv, by, what->act);
  tell_members(self, conv, &joined, &left);
  channels_changed(self, conv);
  text_free(&left);
}

static bool is_among(const char *const *users, size_t count, const char *user) {
  for (size_t i = 0; i < count; i++)
    if (!strcmp(users[i], user)) return true;
  return false;
}

/* Those named who are no members now, each once. */
static size_t strangers(const conversation *conv, const json *names,
                        const char **users) {
  size_t count = 0;
  for (const json *at = names ? json_first(names) : NULL; at;
       at = json_after(at)) {
    const char *user = json_is_name(at);
    const member *of = conversations_member(conv, user);
    if ((!of || !periods_is_present(of)) && !is_among(users, count, user))
      users[count++] = user;
  }
  return count;
}

static uint64_t room_of(const server *self, const conversation *conv) {
  switch (conv->kind) {
  case SEEN_KIND_DIRECT: return 2;
  case SEEN_KIND_GROUP: return self->limits.roster_limit;
  default: return self->limits.large_limit;
  }
}

/* The start of each: fields, op, and what is there. Without an op in `what` it
 * was answered. */
static conversation *begin(server *self, connection *from, const json *frame,
                           uint64_t id, const char *act, change *what) {
  op_done done;
  conversation *conv;
  if (!read_change(self, frame, act, what)) {
    refuse_invalid(from, id,
                   "op, conv: names; users: at most 500; kind, role, open, "
                   "moderated: as the protocol has them");
    what->op = NULL;
    return NULL;
  }
  op_state state = ops_find(self, from, id, what->op, act, what->conv, &done);
  if (state != OP_NEW) what->op = NULL;
  if (state == OP_REUSED) return NULL;
  conv = conversations_find(self, what->conv);
  if (state == OP_NEW) return conv;
  if (conv) answer_word(self, from, id, what, conv);
  return NULL;
}

static void finish(server *self, connection *from, uint64_t id,
                   const change *what, conversation *conv) {
  ops_keep(self, from, what->op, what->act, conv->id, "", 0);
  answer_word(self, from, id, what, conv);
}

void take_create(server *self, connection *from, const json *frame,
                 uint64_t id) {
  const char *user = from->person->user, **users;
  change what;
  what.op = NULL;
  conversation *conv = begin(self, from, frame, id, "create", &what);
  if (conv) refuse(from, id, "exists", "the name is taken");
  if (conv || !what.op || self->failed) return;
  size_t named = what.users ? json_count(what.users) : 0, count;
  if (what.kind == SEEN_KIND_DIRECT &&
      (named != 1 || !strcmp(json_is_name(json_first(what.users)), user))) {
    refuse_invalid(from, id, "users: the other one");
    return;
  }
  if (what.kind == SEEN_KIND_GROUP && named >= self->limits.roster_limit) {
    refuse(from, id, "full", "so many members it can't hold");
    return;
  }
  conv = conversations_create(self, what.conv, what.kind, what.flags);
  conv->version = core_next_version(self);
  conv->updated_at = self->now;
  conversations_save(self, conv);
  show_row(conv, enter(self, conv, user, ROLE_ADMIN, 1));
  users = must_allocate(named, sizeof *users);
  count = strangers(conv, what.users, users);
  for (size_t i = 0; i < count; i++)
    show_row(conv, enter(self, conv, users[i], what.role, 1));
  free(users);
  finish(self, from, id, &what, conv);
}

/* Admins of the conversation, and those of the server. */
static conversation *begin_as_admin(server *self, connection *from,
                                    const json *frame, uint64_t id,
                                    const char *act, change *what) {
  what->op = NULL;
  conversation *conv = begin(self, from, frame, id, act, what);
  member *by = conv ? conversations_member(conv, from->person->user) : NULL;
  bool present = by && periods_is_present(by);
  if (!what->op) return NULL;
  if (from->who.admin && conv && conv->kind != SEEN_KIND_DIRECT) return conv;
  if (!by)
    refuse(from, id, "not_found", "no such conversation");
  else if (!present)
    refuse(from, id, "not_member", "no member of it any more");
  else if (by->role != ROLE_ADMIN || conv->kind == SEEN_KIND_DIRECT)
    refuse(from, id, "forbidden", "for an admin of a group");
  else if (!what->users || !json_count(what->users))
    refuse_invalid(from, id, "users: names");
  else
    return conv;
  return NULL;
}

/* `add` of a member only sets the role. */
static void set_roles(server *self, conversation *conv, const change *what) {
  for (const json *at = what->users ? json_first(what->users) : NULL; at;
       at = json_after(at)) {
    member *of = conversations_member(conv, json_is_name(at));
    if (!of || !periods_is_present(of) || of->role == what->role ||
        of->role == ROLE_BOT || what->role == ROLE_BOT)
      continue;
    of->role = what->role;
    conversations_save_member(self, conv, of);
  }
}

void take_add(server *self, connection *from, const json *frame, uint64_t id) {
  change what;
  conversation *conv = begin_as_admin(self, from, frame, id, "add", &what);
  if (!conv) return;
  const char **users = must_allocate(self->limits.added, sizeof *users);
  size_t count = strangers(conv, what.users, users);
  if (conv->present + count > room_of(self, conv)) {
    refuse(from, id, "full", "so many members it can't hold");
  } else {
    set_roles(self, conv, &what);
    if (count) {
      messages_notice(self, conv, from->person->user, "add");
      add_users(self, conv, &what, users, count);
    }
    finish(self, from, id, &what, conv);
  }
  free(users);
}

void take_remove(server *self, connection *from, const json *frame,
                 uint64_t id) {
  change what;
  conversation *conv = begin_as_admin(self, from, frame, id, "remove", &what);
  size_t count = 0;
  if (!conv) return;
  member **gone = must_allocate(self->limits.added, sizeof(member *));
  for (const json *at = what.users ? json_first(what.users) : NULL; at;
       at = json_after(at)) {
    member *of = conversations_member(conv, json_is_name(at));
    bool again = false;
    for (size_t i = 0; i < count; i++)
      again = again || gone[i] == of;
    if (of && periods_is_present(of) && !again) gone[count++] = of;
  }
  if (count) remove_users(self, conv, from->person->user, &what, gone, count);
  finish(self, from, id, &what, conv);
  free(gone);
}

void take_join(server *self, connection *from, const json *frame, uint64_t id) {
  const char *user = from->person->user;
  change what;
  what.op = NULL;
  conversation *conv = begin(self, from, frame, id, "join", &what);
  if (!what.op) return;
  member *of = conv ? conversations_member(conv, user) : NULL;
  bool open = conv && (conv->flags & CONVERSATION_OPEN);
  if (!of && !open) {
    refuse(from, id, "not_found", "no such conversation");
    return;
  }
  if (of && !periods_is_present(of) && (of->removed || !open)) {
    refuse(from, id, "forbidden", "not open to this user");
    return;
  }
  if (!of || !periods_is_present(of)) {
    if (conv->present >= room_of(self, conv)) {
      refuse(from, id, "full", "it can't hold more members");
      return;
    }
    what.role = ROLE_MEMBER;
    messages_notice(self, conv, user, "join");
    add_users(self, conv, &what, &user, 1);
  }
  finish(self, from, id, &what, conv);
}

void take_leave(server *self, connection *from, const json *frame,
                uint64_t id) {
  change what;
  what.op = NULL;
  conversation *conv = begin(self, from, frame, id, "leave", &what);
  if (!what.op) return;
  member *of = conv ? conversations_member(conv, from->person->user) : NULL;
  if (!of) {
    refuse(from, id, "not_found", "no such conversation");
    return;
  }
  if (periods_is_present(of)) remove_users(self, conv, of->user, &what, &of, 1);
  finish(self, from, id, &what, conv);
}
