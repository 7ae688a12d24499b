#include "http.h"

#include "account.h"
#include "audience.h"
#include "connections.h"
#include "conversations.h"
#include "cursor.h"
#include "frames.h"
#include "mentions.h"
#include "periods.h"
#include "persons.h"
#include "readers.h"
#include "requests.h"
#include "rows.h"
#include "session.h"
#include "tally.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIST_DEFAULT = 100 };

void response_free(response *self) {
  free(self->body);
  *self = (response){0, NULL, 0};
}

static response respond(int status, text *body) {
  return (response){status, body->bytes, body->length};
}

response http_error(int status, const char *code, const char *message,
                    uint64_t retry_ms) {
  text body = frames_error(false, 0, code, message, retry_ms);
  return respond(status, &body);
}

static response storage_failed(void) {
  return http_error(503, "storage", "nothing was changed; try again", 0);
}

/* Requests by HTTP spend the tokens that frames do; 0: go on. */
static uint64_t begin(server *self, const identity *who, uint64_t now,
                      person **asker) {
  self->now = most(self->now, now);
  *asker = persons_find(self, who->user);
  return persons_spend(&(*asker)->requests, self->limits.requests_per_second,
                       self->limits.requests_burst, self->now);
}

/* A connection for this one request, to be answered by one frame. */
static connection *open_scratch(server *self, const identity *who,
                                person *asker) {
  connection *scratch = connection_new(self, who, NULL);
  scratch->scratch = true;
  scratch->person = asker;
  return scratch;
}

static response close_scratch(server *self, connection *scratch) {
  packet *frame = connection_take_answer(scratch);
  text body = {NULL, 0, 0};
  if (frame && !self->failed)
    text_add_bytes(&body, frame->bytes, frame->length);
  packet_release(frame);
  connection_free(scratch);
  if (self->failed || !body.bytes) return storage_failed();
  bool wrong = strncmp(body.bytes, "{\"t\":\"error\"", 12) == 0;
  return respond(wrong ? 400 : 200, &body);
}

static bool is_disabled(server *self, const identity *who) {
  return account_of(self, who->user).disabled;
}

response http_conversations(server *self, const identity *who, uint64_t after,
                            uint64_t limit, uint64_t now) {
  person *asker;
  uint64_t wait = begin(self, who, now, &asker);
  if (wait) return http_error(429, "rate_limited", "too fast", wait);
  if (is_disabled(self, who))
    return http_error(403, "disabled", "the account is disabled", 0);
  if (!limit || limit > self->limits.page_rows) limit = self->limits.page_rows;
  connection *scratch = open_scratch(self, who, asker);
  session_changes(self, scratch, 0, after, (size_t)limit);
  return close_scratch(self, scratch);
}

/* The body of a read-cursor as the `read` that it stands for. */
static bool write_read(server *self, const identity *who, const char *conv,
                       const json *body, text *frame) {
  const json *keep = json_member(body, "keep");
  const json *cleared = json_member(body, "cleared");
  const json *given = json_member(body, "epoch");
  conversation *found = conversations_find(self, conv);
  const member *of = found ? conversations_member(found, who->user) : NULL;
  uint64_t seq, epoch = of ? of->read.epoch : 0;
  bool keeps = false;
  if (!json_is_number(json_member(body, "read_to_seq"), &seq) ||
      (given && !json_is_number(given, &epoch)) ||
      (keep && !json_is_bool(keep, &keeps)))
    return false;
  text_add(frame, "{\"t\":\"read\",\"id\":0,\"items\":[{");
  text_member_quoted(frame, "conv", conv);
  text_member_number(frame, "epoch", epoch);
  text_member_number(frame, "seq", seq);
  text_member_bool(frame, "keep", keeps);
  if (cleared) {
    char *list = json_print(cleared);
    text_member(frame, "cleared");
    text_add(frame, list);
    free(list);
  }
  text_add(frame, "}]}");
  return true;
}

static response take_cursor(server *self, const identity *who, person *asker,
                            const char *conv, const json *body) {
  const char *device = json_is_name(json_member(body, "device_id"));
  text written = {NULL, 0, 0};
  const char *why;
  if (!json_is_object(body) || !write_read(self, who, conv, body, &written)) {
    text_free(&written);
    return http_error(400, "invalid", "read_to_seq: a seq", 0);
  }
  json *frame =
      json_parse(written.bytes, written.length, self->limits.depth, &why);
  connection *scratch = open_scratch(self, who, asker);
  if (device) connection_set_device(scratch, device);
  take_read(self, scratch, frame, 0);
  json_free(frame);
  text_free(&written);
  return close_scratch(self, scratch);
}

/* Nothing rests on what it is called: it is for who looks for it later. */
static void tell_reported(const server *self, const identity *who,
                          const char *conv, const json *body, int status) {
  const char *device = json_is_name(json_member(body, "device_id"));
  const char *event = json_is_name(json_member(body, "client_event_id"));
  if (self->hooks.reported)
    self->hooks.reported(self->hooks.user_data, who->user, conv,
                         device ? device : "", event ? event : "", status);
}

response http_read_cursor(server *self, const identity *who, const char *conv,
                          const char *body, size_t length, uint64_t now) {
  person *asker;
  const char *why;
  self->said_at = self->now = most(self->now, now);
  asker = persons_find(self, who->user);
  uint64_t wait =
      persons_spend(&asker->reports, self->limits.reports_per_second,
                    self->limits.reports_burst, self->now);
  if (wait) return http_error(429, "rate_limited", "too fast", wait);
  if (is_disabled(self, who))
    return http_error(403, "disabled", "the account is disabled", 0);
  if (length > self->limits.frame_bytes)
    return http_error(400, "invalid", "too large", 0);
  json *parsed = json_parse(body, length, self->limits.depth, &why);
  if (!parsed) return http_error(400, "invalid", why, 0);
  response taken = take_cursor(self, who, asker, conv, parsed);
  tell_reported(self, who, conv, parsed, taken.status);
  json_free(parsed);
  return taken;
}

typedef struct question {
  char conv[NAME_MAX_BYTES + 1];
  uint64_t seq;
  const char *status; /* NULL: numbers only */
  uint64_t limit;
  cursor from;
} question;

/* "conv:seq"; the name may hold colons too. */
static bool read_message_id(const char *id, question *into) {
  const char *colon = strrchr(id, ':');
  char *end;
  if (!colon || colon == id || colon - id > NAME_MAX_BYTES) return false;
  if (colon[1] < '1' || colon[1] > '9' || strlen(colon) > 17) return false;
  memcpy(into->conv, id, (size_t)(colon - id));
  into->conv[colon - id] = '\0';
  into->seq = strtoull(colon + 1, &end, 10);
  return !*end;
}

static bool read_cursor(const server *self, const identity *who,
                        const char *given, question *into) {
  cursor *of = &into->from;
  *of = (cursor){.as_of = self->version};
  if (!given || !*given) return true;
  return into->status && cursor_read(of, self->cursor_key, given) &&
         !strcmp(of->asker, who->user) && !strcmp(of->conv, into->conv) &&
         !strcmp(of->status, into->status) && of->seq == into->seq;
}

static void add_users(const server *self, const conversation *conv,
                      const identity *who, const question *what,
                      const char *sender, text *body) {
  char next[CURSOR_BYTES];
  const char *end = NULL;
  text_member(body, "users");
  text_add(body, "[");
  size_t left = readers_page(conv, what->seq, sender, what->status,
                             what->from.last, (size_t)what->limit, body, &end);
  text_add(body, "]");
  text_member(body, "cursor");
  if (!left) {
    text_add(body, "null");
    return;
  }
  cursor at = {.seq = what->seq, .as_of = what->from.as_of};
  snprintf(at.asker, sizeof at.asker, "%s", who->user);
  snprintf(at.conv, sizeof at.conv, "%s", what->conv);
  snprintf(at.status, sizeof at.status, "%s", what->status);
  snprintf(at.last, sizeof at.last, "%s", end);
  cursor_write(&at, self->cursor_key, next);
  text_add_quoted(body, next);
}

/* The message, if this user may ask about it: its sender, and admins. */
static bool may_ask(server *self, const identity *who, const question *what,
                    conversation **conv, char *sender) {
  stored_message row;
  *conv = conversations_find(self, what->conv);
  if (!*conv || what->seq <= (*conv)->floor || what->seq > (*conv)->last_seq)
    return false;
  const member *of = conversations_member(*conv, who->user);
  bool present = of && periods_is_present(of);
  int status = self->storage.get_message(self->storage.self, what->conv,
                                         what->seq, &row);
  if (!core_check(self, status) || status) return false;
  snprintf(sender, NAME_MAX_BYTES + 1, "%s", row.from);
  return who->admin ||
         (present && (of->role == ROLE_ADMIN || !strcmp(sender, who->user)));
}

static response list_readers(server *self, const identity *who,
                             const question *what) {
  char sender[NAME_MAX_BYTES + 1];
  conversation *conv;
  if (!may_ask(self, who, what, &conv, sender))
    return self->failed ? storage_failed()
                        : http_error(404, "not_found", "no such message", 0);
  counts found =
      audience_count(conv, what->seq, conversations_member(conv, sender));
  if (found.read > found.audience) self->metrics.read_above_audience++;
  text body = {NULL, 0, 0};
  text_add(&body, "{");
  text_member_quoted(&body, "conv", conv->id);
  text_member_number(&body, "seq", what->seq);
  text_member_number(&body, "read", found.read);
  text_member_number(&body, "audience", found.audience);
  text_member_number(&body, "delivered", found.delivered);
  text_member_number(&body, "hidden", found.hidden);
  if (what->status && conv->kind != SEEN_KIND_LARGE)
    add_users(self, conv, who, what, sender, &body);
  text_member_number(&body, "as_of", what->from.as_of);
  text_add(&body, "}");
  return respond(200, &body);
}

static response ask_readers(server *self, const identity *who,
                            const char *message, const char *status,
                            const char *given, uint64_t limit) {
  question what = {.status = status && *status ? status : NULL,
                   .limit = limit ? limit : LIST_DEFAULT};
  if (what.limit > LIST_DEFAULT) what.limit = LIST_DEFAULT;
  if (is_disabled(self, who))
    return http_error(403, "disabled", "the account is disabled", 0);
  if (!read_message_id(message, &what))
    return http_error(404, "not_found", "no such message", 0);
  if (what.status && !readers_is_status(what.status))
    return http_error(400, "invalid", "status: read, unread or delivered", 0);
  if (!read_cursor(self, who, given, &what))
    return http_error(400, "invalid", "cursor: not of this question", 0);
  response list = list_readers(self, who, &what);
  if (self->hooks.audit)
    self->hooks.audit(self->hooks.user_data, who->user, what.conv, what.seq,
                      what.status ? what.status : "", list.status);
  return list;
}

response http_read_receipts(server *self, const identity *who,
                            const char *message, const char *status,
                            const char *given, uint64_t limit, uint64_t now) {
  self->now = most(self->now, now);
  person *asker = persons_find(self, who->user);
  uint64_t wait = persons_spend(&asker->lists, self->limits.lists_per_second,
                                self->limits.lists_burst, self->now);
  if (wait) return http_error(429, "rate_limited", "too fast", wait);
  return ask_readers(self, who, message, status, given, limit);
}

/* B4 */
static void add_row(server *self, const identity *who, const row_name *row,
                    seen_totals *into) {
  seen_mention open[OPEN_MENTIONS];
  conversation *conv = conversations_find(self, row->conv);
  member *of = conv ? conversations_member(conv, who->user) : NULL;
  if (!of || !periods_is_present(of)) return;
  conversations_own(self, conv, of);
  uint64_t unread = tally_unread(conv, of);
  bool marked = of->read.seq < of->read.high;
  into->mentions += mentions_list(conv, of, open);
  if (of->muted) {
    into->muted += unread;
  } else {
    into->unread += unread;
    into->conversations += unread > 0 || marked;
  }
}

response http_unread(server *self, const identity *who, uint64_t now) {
  seen_totals totals = {0, 0, 0, 0};
  person *asker;
  rows list;
  uint64_t wait = begin(self, who, now, &asker);
  if (wait) return http_error(429, "rate_limited", "too fast", wait);
  if (is_disabled(self, who))
    return http_error(403, "disabled", "the account is disabled", 0);
  rows_of(self, who->user, 0, SIZE_MAX, &list);
  for (size_t i = 0; i < list.count; i++)
    add_row(self, who, &list.rows[i], &totals);
  rows_free(&list);
  if (self->failed) return storage_failed();
  text body = {NULL, 0, 0};
  text_add(&body, "{");
  text_member_number(&body, "unread", totals.unread);
  text_member_number(&body, "conversations", totals.conversations);
  text_member_number(&body, "muted", totals.muted);
  text_member_number(&body, "mentions", totals.mentions);
  text_member_number(&body, "version", self->version);
  text_add(&body, "}");
  return respond(200, &body);
}
