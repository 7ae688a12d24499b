/*
 * What is asked for: counts of a message's readers and lists of them by HTTP,
 * subscriptions by WebSocket, in turn, one at a time of a user. Some have read
 * before, so that there is something to count.
 */
#include "run.h"

#include "clock.h"
#include "memory.h"

#include <stdlib.h>
#include <string.h>

enum { KINDS = 3, COUNT = 0, LIST = 1, SUBSCRIPTION = 2, REPORTED = 100 };

typedef struct asking {
  uint64_t turn; /* how many it has asked */
  uint64_t at;   /* when the one in the air was due */
  load_group *about;
  uint64_t lo, hi; /* of a subscription */
  bool subscribed, has_rows;
  char *token;
} asking;

typedef struct queries {
  asks *asks;
  asking *users;
  uint64_t users_listed, rows;
} queries;

static void done(run *of, size_t user) {
  queries *self = of->kept;
  asking *by = &self->users[user];

  of->figures.answered++;
  run_answered(of, user);
  by->turn++;
}

static void took(run *of, const asking *by) {
  latency_add(&of->figures.waits[by->turn % KINDS].took,
              clock_precise() - by->at);
}

/* Errors say their code; whatever else is no JSON says its status. */
static void take_refusal(run *of, long status, const cJSON *body) {
  const char *code = frame_text(body, "code");
  char text[32];

  snprintf(text, sizeof text, "http %ld", status);
  tally_add(&of->figures.errors, *code != '\0' ? code : text, 1);
}

static void answered(void *context, size_t user, long status, const char *text,
                     size_t length) {
  run *of = context;
  queries *self = of->kept;
  cJSON *body;

  if (status == 0) {
    run_fail(of, "the server is lost: %.200s", text);
    return;
  }
  of->heard_at = clock_precise();
  body = cJSON_ParseWithLength(text, length);
  if (status == 200) {
    tally_add(&of->figures.results, "ok", 1);
    took(of, &self->users[user]);
    self->users_listed += (uint64_t)cJSON_GetArraySize(
        cJSON_GetObjectItemCaseSensitive(body, "users"));
  } else {
    take_refusal(of, status, body);
  }
  cJSON_Delete(body);
  done(of, user);
}

static bool open_queries(run *of) {
  static const char *const names[KINDS] = {"count", "list", "subscribe"};
  queries *self = must_allocate(1, sizeof *self);

  of->kept = self;
  self->users = must_allocate(of->how->users, sizeof *self->users);
  self->asks = asks_open(of->how, of->net, of->how->users, answered, of);
  if (self->asks == NULL) {
    snprintf(of->why, sizeof of->why, "libcurl can't be started");
    return false;
  }
  for (int i = 0; i < KINDS; i++)
    of->figures.waits[i].name = names[i];
  for (size_t i = 0; i < of->how->users; i++)
    if ((self->users[i].token = run_token(of, i)) == NULL) return false;
  return true;
}

static void close_queries(run *of) {
  queries *self = of->kept;

  asks_close(self->asks);
  for (size_t i = 0; i < of->how->users; i++)
    free(self->users[i].token);
  free(self->users);
  free(self);
}

/* Reads from conversation `first` on, each user to another message. */
static void read_some(run *of, size_t user, size_t first, size_t end) {
  char text[16384];
  int length =
      snprintf(text, sizeof text, "{\"t\":\"read\",\"id\":2,\"items\":[");

  for (size_t i = first; i < end; i++) {
    const load_group *to = &of->groups[run_group_of(of, user, i)];
    uint64_t seq = to->first + user % of->how->messages;

    length += snprintf(text + length, sizeof text - (size_t)length,
                       "%s{\"conv\":\"%s\",\"epoch\":0,\"seq\":%llu}",
                       i > first ? "," : "", to->name, (unsigned long long)seq);
  }
  length += snprintf(text + length, sizeof text - (size_t)length, "]}");
  run_say(of, user, text, (size_t)length);
  of->preparing++;
}

static void ready(run *of) {
  size_t conversations = of->how->conversations;

  for (size_t user = 0; user < of->how->users; user++)
    for (size_t i = 0; i < conversations; i += REPORTED)
      read_some(of, user, i,
                i + REPORTED < conversations ? i + REPORTED : conversations);
}

static void say_range(run *of, size_t user, const char *type) {
  const queries *self = of->kept;
  const asking *by = &self->users[user];
  char text[200];
  int length = snprintf(text, sizeof text,
                        "{\"t\":\"%s\",\"id\":3,\"conv\":\"%s\","
                        "\"from\":%llu,\"to\":%llu}",
                        type, by->about->name, (unsigned long long)by->lo,
                        (unsigned long long)by->hi);

  run_say(of, user, text, (size_t)length);
}

/* The newest messages, as many as one subscription takes. */
static void subscribe(run *of, size_t user) {
  queries *self = of->kept;
  asking *by = &self->users[user];
  uint64_t most = of->limits.subscribe;

  by->hi = by->about->last;
  by->lo = by->about->first;
  if (by->hi - by->lo >= most) by->lo = by->hi - most + 1;
  by->subscribed = true;
  by->has_rows = false;
  say_range(of, user, "subscribe");
}

static bool act(run *of, size_t user, uint64_t at) {
  queries *self = of->kept;
  asking *by = &self->users[user];
  uint64_t n = by->turn * 7 + user, seq;
  char path[160];

  by->about = &of->groups[run_group_of(of, user, (size_t)n)];
  by->at = at;
  seq = by->about->first + n % of->how->messages;
  of->figures.sent++;
  if (by->turn % KINDS == SUBSCRIPTION) {
    subscribe(of, user);
    return true;
  }
  snprintf(path, sizeof path, "/im/messages/%s:%llu/read-receipts%s",
           by->about->name, (unsigned long long)seq,
           by->turn % KINDS == LIST ? "?status=unread" : "");
  if (!asks_get(self->asks, user, by->token, path))
    run_fail(of, "libcurl takes no request");
  return true;
}

/* Its rows have come; the subscription is given back before the next. */
static void take_rows(run *of, size_t user, const cJSON *frame) {
  queries *self = of->kept;

  self->rows += (uint64_t)cJSON_GetArraySize(
      cJSON_GetObjectItemCaseSensitive(frame, "rows"));
  tally_add(&of->figures.results, "ok", 1);
  took(of, &self->users[user]);
  self->users[user].has_rows = true;
  say_range(of, user, "unsubscribe");
}

/* What is refused is the subscription, or later its end. */
static void take_error(run *of, const asking *by, const cJSON *frame) {
  char text[64];

  snprintf(text, sizeof text, "%s%.40s", by->has_rows ? "unsubscribe: " : "",
           frame_text(frame, "code"));
  tally_add(&of->figures.errors, text, 1);
}

static void frame_came(run *of, size_t user, const char *type,
                       const cJSON *frame) {
  queries *self = of->kept;
  asking *by = &self->users[user];
  uint64_t id = frame_number(frame, "id");

  if (id == 2 && of->preparing > 0) {
    of->preparing--;
    if (strcmp(type, "error") == 0)
      run_fail(of, "a report was refused: %.40s", frame_text(frame, "code"));
  } else if (id == 3 && by->subscribed && strcmp(type, "receipts") == 0) {
    take_rows(of, user, frame);
  } else if (id == 3 && by->subscribed) {
    if (strcmp(type, "error") == 0) take_error(of, by, frame);
    by->subscribed = false;
    done(of, user);
  } else {
    of->figures.pushes++;
  }
}

static void tell(const run *of, cJSON *into) {
  const queries *self = of->kept;

  cJSON_AddNumberToObject(into, "users_listed", (double)self->users_listed);
  cJSON_AddNumberToObject(into, "rows_subscribed", (double)self->rows);
}

const load load_queries = {
    .unit = "queries",
    .admins = true,
    .open = open_queries,
    .close = close_queries,
    .ready = ready,
    .act = act,
    .frame = frame_came,
    .section = "answers",
    .tell = tell,
};
