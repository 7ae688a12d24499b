/* `send`: texts, recalls, edits, reactions. */
#include "answers.h"
#include "connections.h"
#include "conversations.h"
#include "frames.h"
#include "mentions.h"
#include "messages.h"
#include "ops.h"
#include "requests.h"

#include <string.h>

typedef struct sending {
  const char *op;
  const char *conv;
  const char *body;
  seen_message_kind kind;
  uint64_t target;
  bool has_countable;
  bool countable;
  const json *mentions; /* NULL: nothing is said about them */
} sending;

static bool read_kind(const json *value, seen_message_kind *kind) {
  static const seen_message_kind kinds[] = {
      SEEN_MESSAGE_TEXT, SEEN_MESSAGE_RECALL, SEEN_MESSAGE_EDIT,
      SEEN_MESSAGE_REACTION};
  const char *name = value ? json_is_text(value) : "text";
  for (size_t i = 0; name && i < sizeof kinds / sizeof *kinds; i++) {
    *kind = kinds[i];
    if (!strcmp(name, frames_kind(*kind))) return true;
  }
  return false;
}

static bool are_mentions(const json *value) {
  const char *all = json_is_text(value);
  if (all) return !strcmp(all, "all");
  if (!json_is_array(value) || json_count(value) > NAMED_USERS) return false;
  for (const json *at = json_first(value); at; at = json_after(at))
    if (!json_is_name(at)) return false;
  return true;
}

/* What is wrong; NULL: nothing. */
static const char *read_sending(const server *self, const json *frame,
                                sending *into) {
  const json *body = json_member(frame, "body");
  const json *target = json_member(frame, "target");
  const json *countable = json_member(frame, "countable");
  *into = (sending){.op = json_is_name(json_member(frame, "op")),
                    .conv = json_is_name(json_member(frame, "conv")),
                    .body = body ? json_is_text(body) : "",
                    .has_countable = countable != NULL,
                    .mentions = json_member(frame, "mentions")};
  if (!into->op || !into->conv) return "op, conv: names";
  if (!read_kind(json_member(frame, "kind"), &into->kind)) return "kind";
  bool changes =
      into->kind == SEEN_MESSAGE_RECALL || into->kind == SEEN_MESSAGE_EDIT;
  if (!into->body || strlen(into->body) > self->limits.body_bytes)
    return "body: text of at most 8192 bytes";
  if (target && (!json_is_number(target, &into->target) || !into->target))
    return "target: a seq";
  if (changes && !into->target) return "target: what is recalled or edited";
  if (countable && (changes || !json_is_bool(countable, &into->countable)))
    return "countable: true or false, of a text or a reaction";
  if (into->mentions &&
      ((into->kind != SEEN_MESSAGE_TEXT && into->kind != SEEN_MESSAGE_EDIT) ||
       !are_mentions(into->mentions)))
    return "mentions: \"all\" or at most 64 names, of a text or an edit";
  return NULL;
}

typedef struct target {
  bool found;
  bool own;
  bool gone; /* recalled or taken down */
  bool held;
  seen_message_kind kind;
  unsigned state;
  char from[NAME_MAX_BYTES + 1];
} target;

static target find_target(server *self, const conversation *conv,
                          const member *by, uint64_t seq) {
  target found = {.found = false};
  stored_message row;
  if (!seq || seq <= conv->floor || seq > conv->last_seq) return found;
  int status =
      self->storage.get_message(self->storage.self, conv->id, seq, &row);
  if (!core_check(self, status) || status) return found;
  found.found = true;
  found.own = !strcmp(row.from, by->user);
  found.gone = row.state & (MESSAGE_RECALLED | MESSAGE_TAKEN_DOWN);
  found.held = row.state & MESSAGE_HELD;
  found.kind = row.kind;
  found.state = row.state;
  strcpy(found.from, row.from);
  return found;
}

static bool suits(const sending *what, const target *of) {
  if (!of->found || of->gone) return false;
  if (what->kind == SEEN_MESSAGE_RECALL)
    return of->kind == SEEN_MESSAGE_TEXT || of->kind == SEEN_MESSAGE_REACTION;
  return of->kind == SEEN_MESSAGE_TEXT && (of->own || !of->held);
}

static bool is_allowed(const connection *from, const conversation *conv,
                       const member *by, const sending *what,
                       const target *of) {
  bool admin = by->role == ROLE_ADMIN || from->who.admin;
  if (what->kind == SEEN_MESSAGE_RECALL) return of->own || admin;
  /* An edit would go past the approval. */
  if (what->kind == SEEN_MESSAGE_EDIT)
    return of->own && (admin || !(conv->flags & CONVERSATION_MODERATED));
  return true;
}

static unsigned state_of(const connection *from, const conversation *conv,
                         const member *by, const sending *what) {
  bool counts =
      what->has_countable ? what->countable : what->kind == SEEN_MESSAGE_TEXT;
  bool waits = (conv->flags & CONVERSATION_MODERATED) &&
               by->role != ROLE_ADMIN && !from->who.admin &&
               what->kind != SEEN_MESSAGE_RECALL;
  return (counts ? 0u : MESSAGE_UNCOUNTABLE) | (waits ? MESSAGE_HELD : 0u);
}

static void add_line(text *into, const char *sign, const char *user) {
  if (into->length) text_add(into, "\n");
  text_add(into, sign);
  text_add(into, user);
}

/* The text for the database (mentions.h); empty: said nothing. */
static void write_mentions(const conversation *conv, const sending *what,
                           const target *of, text *into) {
  const mention_event *before = mentions_latest(conv, what->target);
  const char *quoted = NULL;
  bool says = what->mentions != NULL;
  if (what->kind == SEEN_MESSAGE_TEXT && what->target && !of->own)
    quoted = of->from;
  if (what->kind == SEEN_MESSAGE_EDIT && says && before)
    quoted = before->quoted;
  if (quoted) add_line(into, ">", quoted);
  if (json_is_text(what->mentions)) add_line(into, "*", "");
  for (const json *at =
           json_is_array(what->mentions) ? json_first(what->mentions) : NULL;
       at; at = json_after(at))
    add_line(into, "@", json_is_name(at));
}

static void recall_target(server *self, conversation *conv, const sending *what,
                          const target *of) {
  if (core_write(self))
    core_check(self, self->storage.set_message(self->storage.self, conv->id,
                                               what->target,
                                               (of->state | MESSAGE_RECALLED) &
                                                   ~(unsigned)MESSAGE_HELD,
                                               true));
  messages_bury(conv, what->target, of->from);
}

/* Whom an edit mentions no more, or for another reason, gets a word. */
static void tell_otherwise_mentioned(const conversation *conv, uint64_t seq,
                                     uint64_t about) {
  const mention_event *event = mentions_latest(conv, about);
  if (!event || event->seq != seq || !event->previous) return;
  const mention_event *before = &conv->events[event->previous - 1];
  for (size_t i = 0; i < conv->online_count; i++) {
    const member *reader = conv->online[i];
    seen_mention_why why = mentions_why(before, reader->user);
    if (why && why != mentions_why(event, reader->user))
      person_mark(reader->online, conv->id, false, NULL);
  }
}

static void answer_sent(server *self, connection *from, uint64_t id,
                        conversation *conv, member *of, uint64_t seq,
                        uint64_t sent_at) {
  text item = item_begin(conv->id, "ok", "");
  text_member_number(&item, "seq", seq);
  text_member_number(&item, "sent_at", sent_at);
  frames_word(self, &item, conv, of);
  text_add(&item, "}");
  answer_one(from, id, "send", &item);
}

static void answer_again(server *self, connection *from, uint64_t id,
                         conversation *conv, member *of, uint64_t seq) {
  stored_message row = {.sent_at = 0};
  int status =
      self->storage.get_message(self->storage.self, conv->id, seq, &row);
  core_check(self, status);
  answer_sent(self, from, id, conv, of, seq, row.sent_at);
}

static void post(server *self, connection *from, uint64_t id,
                 conversation *conv, member *by, const sending *what,
                 const target *of) {
  text mentions = {NULL, 0, 0};
  write_mentions(conv, what, of, &mentions);
  bool empties = what->kind == SEEN_MESSAGE_EDIT && what->mentions &&
                 mentions_latest(conv, what->target);
  stored_message message = {
      .from = by->user,
      .kind = what->kind,
      .state = state_of(from, conv, by, what),
      .target = what->target,
      .mentions = mentions.length ? mentions.bytes
                  : empties       ? ""
                                  : NULL,
      .body = what->body,
  };
  if (what->kind == SEEN_MESSAGE_RECALL) recall_target(self, conv, what, of);
  messages_append(self, conv, &message);
  ops_keep(self, from, what->op, "send", conv->id, "", message.seq);
  messages_deliver(conv, &message, from);
  if (what->kind == SEEN_MESSAGE_EDIT)
    tell_otherwise_mentioned(conv, message.seq, what->target);
  answer_sent(self, from, id, conv, by, message.seq, message.sent_at);
  text_free(&mentions);
}

void take_send(server *self, connection *from, const json *frame, uint64_t id) {
  sending what;
  op_done done;
  conversation *conv;
  const char *wrong = read_sending(self, frame, &what);
  if (wrong) {
    refuse_invalid(from, id, wrong);
    return;
  }
  op_state state = ops_find(self, from, id, what.op, "send", what.conv, &done);
  if (state == OP_REUSED) return;
  if (state == OP_DONE) {
    member *of = find_membership(self, from, what.conv, &conv);
    if (of) answer_again(self, from, id, conv, of, done.seq);
    return;
  }
  member *by = require_membership(self, from, id, what.conv, &conv);
  if (!by) return;
  target of = find_target(self, conv, by, what.target);
  if (what.target && !suits(&what, &of))
    refuse(from, id, "target_invalid", "nothing there for this");
  else if (!is_allowed(from, conv, by, &what, &of))
    refuse(from, id, "forbidden", "not for this member");
  else
    post(self, from, id, conv, by, &what, &of);
}
