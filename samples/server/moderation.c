/* `admin`: takedown, approval, retention, accounts. */
#include "account.h"
#include "answers.h"
#include "channels.h"
#include "connections.h"
#include "conversations.h"
#include "frames.h"
#include "messages.h"
#include "ops.h"
#include "requests.h"

#include <stdio.h>
#include <string.h>

typedef struct act {
  const char *op;
  const char *name;
  const char *conv;
  const char *user;
  uint64_t seq;
} act;

static bool is_about_user(const act *what) {
  return !strcmp(what->name, "disable") || !strcmp(what->name, "enable");
}

static bool read_act(const json *frame, act *into) {
  static const char *const names[] = {"takedown", "approve", "purge", "disable",
                                      "enable"};
  bool known = false;
  *into = (act){.op = json_is_name(json_member(frame, "op")),
                .name = json_is_text(json_member(frame, "act")),
                .conv = json_is_name(json_member(frame, "conv")),
                .user = json_is_name(json_member(frame, "user"))};
  if (!into->op || !into->name) return false;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    known = known || !strcmp(into->name, names[i]);
  if (!known) return false;
  if (is_about_user(into)) return into->user != NULL;
  return into->conv && json_is_number(json_member(frame, "seq"), &into->seq) &&
         into->seq;
}

/* The tally of everybody changed, and no seq says so. */
static void tell_all(server *self, conversation *conv, bool row) {
  conv->version = core_next_version(self);
  conversations_save(self, conv);
  messages_mark_all(conv, row);
  channels_changed(self, conv);
}

static bool find_message(server *self, const conversation *conv, uint64_t seq,
                         unsigned *state, char *from) {
  stored_message row;
  int status =
      self->storage.get_message(self->storage.self, conv->id, seq, &row);
  if (!core_check(self, status) || status || seq <= conv->floor) return false;
  *state = row.state;
  snprintf(from, NAME_MAX_BYTES + 1, "%s", row.from);
  return true;
}

static void set_state(server *self, const conversation *conv, uint64_t seq,
                      unsigned state, bool no_body) {
  if (core_write(self))
    core_check(self, self->storage.set_message(self->storage.self, conv->id,
                                               seq, state, no_body));
}

/* false: there is no such message. */
static bool take_down(server *self, conversation *conv, uint64_t seq) {
  char from[NAME_MAX_BYTES + 1];
  unsigned state;
  if (!find_message(self, conv, seq, &state, from)) return false;
  if (state & MESSAGE_TAKEN_DOWN) return true;
  state = (state | MESSAGE_TAKEN_DOWN) & ~(unsigned)MESSAGE_HELD;
  set_state(self, conv, seq, state, true);
  messages_bury(conv, seq, from);
  tell_all(self, conv, false);
  return true;
}

static bool approve(server *self, conversation *conv, uint64_t seq) {
  char from[NAME_MAX_BYTES + 1];
  unsigned state;
  if (!find_message(self, conv, seq, &state, from)) return false;
  if (!(state & MESSAGE_HELD)) return true;
  state &= ~(unsigned)MESSAGE_HELD;
  set_state(self, conv, seq, state, false);
  if (!state) {
    messages_unbury(conv, seq, from);
    conv->updated_at = most(conv->updated_at, self->now);
  }
  tell_all(self, conv, true);
  return true;
}

static bool purge(server *self, conversation *conv, uint64_t seq) {
  uint64_t floor = least(seq, conv->last_seq);
  if (floor <= conv->floor) return true;
  conv->floor = floor;
  if (core_write(self))
    core_check(self, self->storage.purge(self->storage.self, conv->id, floor));
  runs_drop_to(&conv->dead, floor);
  runs_drop_to(&conv->held, floor);
  tell_all(self, conv, false);
  return true;
}

static void set_disabled(server *self, const char *user, bool disabled) {
  stored_user now = account_of(self, user);
  person *who = map_get(&self->persons, user);
  if (now.disabled == disabled) return;
  now.disabled = disabled;
  account_change(self, &now);
  if (!disabled || !who) return;
  for (connection *at = who->connections; at; at = at->sibling)
    connection_close(at, CLOSE_DISABLED, "the account is disabled");
}

static bool carry_out(server *self, const act *what) {
  conversation *conv;
  if (is_about_user(what)) {
    set_disabled(self, what->user, !strcmp(what->name, "disable"));
    return true;
  }
  conv = conversations_find(self, what->conv);
  if (!conv) return false;
  if (!strcmp(what->name, "takedown")) return take_down(self, conv, what->seq);
  if (!strcmp(what->name, "approve")) return approve(self, conv, what->seq);
  return purge(self, conv, what->seq);
}

/* The word only where the admin is in that conversation. */
static void answer_act(server *self, connection *from, uint64_t id,
                       const act *what) {
  conversation *conv = NULL;
  member *of = NULL;
  if (!is_about_user(what)) of = find_membership(self, from, what->conv, &conv);
  text item = item_begin(what->conv ? what->conv : "", "ok", "");
  if (of) frames_word(self, &item, conv, of);
  text_add(&item, "}");
  answer_one(from, id, "admin", &item);
}

void take_admin(server *self, connection *from, const json *frame,
                uint64_t id) {
  act what;
  op_done done;
  if (!from->who.admin) {
    refuse(from, id, "forbidden", "for an admin's token");
    return;
  }
  if (!read_act(frame, &what)) {
    refuse_invalid(from, id, "op, act, and conv with seq, or user");
    return;
  }
  const char *about = is_about_user(&what) ? what.user : what.conv;
  op_state state = ops_find(self, from, id, what.op, "admin", about, &done);
  if (state == OP_REUSED) return;
  if (state == OP_NEW && !carry_out(self, &what)) {
    refuse(from, id, "not_found", "no such message");
    return;
  }
  if (state == OP_NEW) ops_keep(self, from, what.op, "admin", about, "", 0);
  answer_act(self, from, id, &what);
}
