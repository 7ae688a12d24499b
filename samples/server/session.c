/* The beginning of a connection, and rows for it: hello, sync, fetch. */
#include "session.h"
#include "answers.h"
#include "connections.h"
#include "conversations.h"
#include "frames.h"
#include "persons.h"
#include "requests.h"
#include "rows.h"

#include <stdio.h>
#include <string.h>

static bool identify(server *self, connection *from, const json *frame) {
  const char *token = json_is_text(json_member(frame, "token"));
  if (!from->has_identity && token && self->hooks.authenticate)
    from->has_identity =
        self->hooks.authenticate(self->hooks.user_data, token, &from->who);
  return from->has_identity &&
         (!from->who.expires_at || from->who.expires_at > self->now);
}

static void reject(connection *from, uint64_t id, const char *code, int close,
                   const char *reason) {
  refuse(from, id, code, reason);
  connection_close(from, close, reason);
}

static stored_user settings_of(server *self, const char *user) {
  stored_user found = {user, true, false, 0};
  core_check(self, self->storage.get_user(self->storage.self, user, &found));
  return found;
}

static void join(server *self, connection *from) {
  person *who = persons_find(self, from->who.user);
  bool first = !who->connections;
  from->person = who;
  from->sibling = who->connections;
  if (from->sibling) from->sibling->elder = from;
  who->connections = from;
  if (first) conversations_online(self, who, true);
}

void session_leave(server *self, connection *from) {
  person *who = from->person;
  if (from->sibling) from->sibling->elder = from->elder;
  if (from->elder)
    from->elder->sibling = from->sibling;
  else
    who->connections = from->sibling;
  if (!who->connections) conversations_online(self, who, false);
}

static void add_limits(const limits *of, text *into) {
  text_member(into, "limits");
  text_add(into, "{");
  text_member_number(into, "frame_bytes", of->frame_bytes);
  text_member_number(into, "items", of->items);
  text_member_number(into, "body_bytes", of->body_bytes);
  text_member_number(into, "subscribe", of->subscribe_messages);
  text_member_number(into, "subscriptions", of->subscriptions);
  text_member_number(into, "peer_limit", of->peer_limit);
  text_member_number(into, "roster_limit", of->roster_limit);
  text_member_number(into, "window_ms", of->window_ms);
  text_member_number(into, "reports_per_second", of->reports_per_second);
  text_add(into, "}");
}

static void welcome(server *self, connection *to, uint64_t id, bool resumes,
                    bool receipts) {
  text frame = frames_begin_answer("welcome", id);
  text_member_quoted(&frame, "user", to->who.user);
  text_member_quoted(&frame, "incarnation", self->incarnation);
  text_member_number(&frame, "version", self->version);
  text_member_quoted(&frame, "mode", resumes ? "resume" : "snapshot");
  text_member_bool(&frame, "receipts", receipts);
  if (to->name) text_member_quoted(&frame, "connection", to->name);
  add_limits(&self->limits, &frame);
  text_add(&frame, "}");
  connection_answer(to, &frame);
}

/* One row more; false: the frame is full without it. */
static bool add_row(server *self, text *frame, const connection *to,
                    const row_name *row, uint64_t above) {
  enum { TAIL = 64 };
  size_t before = frame->length;
  conversation *conv;
  member *of;
  if (!above && row->leave_seq != SEEN_SEQ_MAX) return true;
  conv = conversations_find(self, row->conv);
  of = conv ? conversations_member(conv, to->person->user) : NULL;
  if (!of) return true;
  frames_row(self, frame, conv, of);
  if (frame->length + TAIL <= self->limits.frame_bytes) {
    if (connection_is_back(to) && of->moved_at > above &&
        of->moved_by != to->device_mark)
      self->metrics.resume_rows_behind++;
    return true;
  }
  text_cut(frame, before);
  return false;
}

void session_changes(server *self, connection *to, uint64_t id, uint64_t above,
                     size_t limit) {
  text frame = frames_begin_answer("changes", id);
  uint64_t version = above;
  size_t taken = 0;
  rows list;
  rows_of(self, to->person->user, above, limit + 1, &list);
  text_member_number(&frame, "from", above);
  text_member(&frame, "conversations");
  text_add(&frame, "[");
  while (taken < list.count && taken < limit &&
         add_row(self, &frame, to, &list.rows[taken], above))
    version = list.rows[taken++].version;
  bool more = taken < list.count;
  text_add(&frame, "]");
  text_member_number(&frame, "version", more ? version : self->version);
  text_member_bool(&frame, "more", more);
  text_add(&frame, "}");
  rows_free(&list);
  to->paging = true;
  to->paged = !more;
  connection_answer(to, &frame);
}

void take_hello(server *self, connection *from, const json *frame,
                uint64_t id) {
  const char *device = json_is_name(json_member(frame, "device"));
  const char *incarnation = json_is_name(json_member(frame, "incarnation"));
  uint64_t version = 0;
  if (!device) {
    reject(from, id, "invalid", CLOSE_POLICY, "device: a name");
    return;
  }
  if (!identify(self, from, frame)) {
    reject(from, id, "unauthorized", CLOSE_UNAUTHORIZED, "bring a new token");
    return;
  }
  stored_user user = settings_of(self, from->who.user);
  if (user.disabled) {
    reject(from, id, "disabled", CLOSE_DISABLED, "the account is disabled");
    return;
  }
  bool receipts = user.receipts;
  json_is_number(json_member(frame, "version"), &version);
  bool resumes = incarnation && !strcmp(incarnation, self->incarnation) &&
                 version > 0 && version <= self->version;
  connection_set_device(from, device);
  if (resumes) {
    from->resumed_at = self->now;
    self->metrics.resumes++;
  }
  join(self, from);
  welcome(self, from, id, resumes, receipts);
  session_changes(self, from, id, resumes ? version : 0,
                  self->limits.page_rows);
}

void take_sync(server *self, connection *from, const json *frame, uint64_t id) {
  uint64_t version;
  if (!json_is_number(json_member(frame, "version"), &version)) {
    refuse_invalid(from, id, "version: that of the last changes");
    return;
  }
  connection_resumed(from);
  session_changes(self, from, id, version, self->limits.page_rows);
}

static void add_missing(server *self, connection *from, const json *names,
                        text *into) {
  conversation *conv;
  text_member(into, "missing");
  text_add(into, "[");
  for (const json *at = json_first(names); at; at = json_after(at)) {
    if (find_membership(self, from, json_is_name(at), &conv)) continue;
    text_comma(into);
    text_add_quoted(into, json_is_name(at));
  }
  text_add(into, "]");
}

static bool are_names(const json *list, size_t limit) {
  if (!json_is_array(list) || json_count(list) > limit || !json_count(list))
    return false;
  for (const json *at = json_first(list); at; at = json_after(at))
    if (!json_is_name(at)) return false;
  return true;
}

void take_fetch(server *self, connection *from, const json *frame,
                uint64_t id) {
  const json *names = json_member(frame, "convs");
  conversation *conv;
  answer page;
  if (!are_names(names, self->limits.items)) {
    refuse_invalid(from, id, "convs: 1 to 100 names");
    return;
  }
  text missing = {NULL, 0, 0};
  add_missing(self, from, names, &missing);
  answer_begin_with(&page, from, "changes", id, &missing, "conversations");
  for (const json *at = json_first(names); at; at = json_after(at)) {
    member *of = find_membership(self, from, json_is_name(at), &conv);
    text row = {NULL, 0, 0};
    if (!of) continue;
    frames_row(self, &row, conv, of);
    answer_item(&page, &row);
  }
  answer_end(&page);
}
