/*
 * A session and its engine, and whatever comes to them, a line each:
 *
 *   {…} […]   a frame, or several, on the connection that was dialled last
 *   o  k      it is open; a ping was answered
 *   e4 1006   it ended, why and with which code
 *   d         it, or the last request, could not be begun
 *   &…        the same of the connection before
 *   h200 {…}  an answer to the last request
 *   s  x  n   start, stop, another network
 *   f         flush
 *   T…        a token; T alone: there is none
 *   P…        a notification brought that
 *   q3  c     a host asks for something; gives its last up
 *   rg7 ug2   a person reads g up to 7, marks it unread; mg mutes, wg looks
 *   a         marks all as read
 *   +500      ms pass
 *   ?7        the seventh allocation from now on fails
 *
 * Whatever a server says, what comes of it can be fed, what is said in turn is
 * a frame, and each request has one reply.
 */
#include "fuzz/holds.h"
#include "fuzz/target.h"

#include "session/session.h"
#include "support/alloc.h"

#include <cjson/cJSON.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  MOST_LINES = 100,
  MOST_TURNS = 400, /* of time that passes in one line */
  MOST_WAIT = 1000000,
  REQUESTS = 64,
  FIRST_REQUEST = 1000
};

typedef struct target {
  test_alloc memory;
  sn_session *session;
  seen_engine *engine;
  uint64_t now;
  uint64_t connections[2]; /* dialled last, and before */
  uint64_t request;        /* by HTTP, the last */
  size_t asked;            /* by the host */
  bool replied[REQUESTS];
} target;

static void check_json(const char *text, size_t length) {
  cJSON *parsed = cJSON_ParseWithLength(text, length);

  REQUIRE(parsed != NULL && strlen(text) == length);
  cJSON_Delete(parsed);
}

/* What the engine has to say goes to the session. */
static void hand_over(target *self) {
  seen_effect effect = {.size = (uint32_t)sizeof effect};

  while (seen_engine_next(self->engine, &effect))
    sn_session_effect(self->session, &effect,
                      seen_engine_id(self->engine, effect.conv), self->now);
}

static void feed(target *self, const seen_input *input) {
  REQUIRE(seen_engine_feed(self->engine, input, self->now, NULL) == SEEN_OK);
  hand_over(self);
}

static void note_reply(target *self, const seen_reply *reply) {
  size_t at = (size_t)(reply->request - FIRST_REQUEST);

  REQUIRE(reply->request >= FIRST_REQUEST && at < self->asked);
  REQUIRE(!self->replied[at]);
  self->replied[at] = true;
}

static void take(target *self, const sn_out *out) {
  switch (out->type) {
  case SN_OUT_INPUT: feed(self, &out->u.input); break;
  case SN_OUT_REPLY: note_reply(self, &out->u.reply); break;
  case SN_OUT_DIAL:
    REQUIRE(out->u.dial.connection > self->connections[0]);
    self->connections[1] = self->connections[0];
    self->connections[0] = out->u.dial.connection;
    break;
  case SN_OUT_WRITE:
    REQUIRE(out->u.write.length <= SEEN_FRAME_MAX);
    REQUIRE(out->u.write.connection <= self->connections[0]);
    check_json(out->u.write.text, out->u.write.length);
    break;
  case SN_OUT_REQUEST:
    REQUIRE(*out->u.request.path == '/');
    if (out->u.request.body != NULL)
      check_json(out->u.request.body, out->u.request.length);
    self->request = out->u.request.request;
    break;
  default: break;
  }
}

static void pull(target *self) {
  sn_out out;

  while (sn_session_next(self->session, &out, self->now))
    take(self, &out);
  REQUIRE(sn_session_deadline(self->session) > self->now);
}

static void tick(target *self) {
  seen_input input = {.size = (uint32_t)sizeof input};

  feed(self, &input);
  sn_session_tick(self->session, self->now);
  pull(self);
}

static uint64_t deadline(const target *self) {
  uint64_t engine = seen_engine_deadline(self->engine);
  uint64_t session = sn_session_deadline(self->session);

  return engine < session ? engine : session;
}

static void pass(target *self, uint64_t ms) {
  uint64_t end = self->now + ms;

  for (int i = 0; i < MOST_TURNS && deadline(self) <= end; i++) {
    if (deadline(self) > self->now) self->now = deadline(self);
    tick(self);
  }
  self->now = end;
  tick(self);
}

static uint64_t number_of(const char *text) {
  uint64_t number = 0;

  for (; *text >= '0' && *text <= '9' && number <= MOST_WAIT; text++)
    number = number * 10 + (uint64_t)(*text - '0');
  return number > MOST_WAIT ? MOST_WAIT : number;
}

/* What stands behind the first space; "": nothing. */
static const char *behind(const char *text) {
  const char *space = strchr(text, ' ');

  return space != NULL ? space + 1 : "";
}

static void happen(target *self, seen_transport_event event) {
  event.size = (uint32_t)sizeof event;
  event.length = event.text != NULL ? strlen(event.text) : 0;
  REQUIRE(sn_session_transport(self->session, &event, self->now) == SEEN_OK);
  pull(self);
}

static void transport(target *self, uint64_t connection, const char *line) {
  seen_transport_event event = {.number = connection};

  switch (*line) {
  case '{':
  case '[':
    event.type = SEEN_TRANSPORT_FRAME;
    event.text = line;
    break;
  case 'o': event.type = SEEN_TRANSPORT_OPEN; break;
  case 'k': event.type = SEEN_TRANSPORT_ALIVE; break;
  default:
    event.type = SEEN_TRANSPORT_ENDED;
    event.ended = (seen_ended)(1 + number_of(line + 1) % SEEN_ENDED_LOST);
    event.code = (uint32_t)number_of(behind(line));
    event.text = "";
    break;
  }
  happen(self, event);
}

static void answer(target *self, const char *line) {
  const seen_transport_event event = {.type = SEEN_TRANSPORT_ANSWER,
                                      .number = self->request,
                                      .ended = SEEN_ENDED_LOST,
                                      .status = (uint32_t)number_of(line),
                                      .text = behind(line)};

  if (self->request != 0) happen(self, event);
}

/* One of each kind, and some that have to be refused. */
static void ask(target *self, unsigned which) {
  static const char *const users[] = {"bob", "cy"};
  const seen_post post = {.size = (uint32_t)sizeof post,
                          .kind = (seen_message_kind)(which / 10 % 5),
                          .body = "soup?",
                          .mentions = users,
                          .mention_count = which / 50 % 3,
                          .target = which / 10 % 3};
  const seen_creation creation = {.size = (uint32_t)sizeof creation,
                                  .kind = (seen_kind)(which / 10 % 3),
                                  .users = users,
                                  .user_count = which / 30 % 3};
  const sn_ask what = {.act = (seen_act)(1 + which % SEEN_ACT_SETTINGS),
                       .conv = "g",
                       .post = &post,
                       .seq = 1 + which / 10,
                       .which = (seen_ask)(which / 10 % 4),
                       .limit = which % 120,
                       .create = &creation,
                       .users = users,
                       .user_count = 1 + which / 10 % 2};
  sn_request *request;

  if (self->asked == REQUESTS) return;
  if (sn_request_new(&what, FIRST_REQUEST + self->asked,
                     &self->memory.allocator, &request, NULL) != SEEN_OK)
    return;
  self->asked++;
  sn_session_request(self->session, request, self->now);
  pull(self);
}

/* What a person does with a conversation, g, h or i. */
static void act(target *self, char what, const char *line) {
  char id[2] = {*line != '\0' ? *line : 'g', '\0'};
  uint64_t seq = *line != '\0' ? number_of(line + 1) : 0;
  seen_input input = {.size = (uint32_t)sizeof input, .id = id};

  switch (what) {
  case 'r': input.type = SEEN_INPUT_MARK_READ; break;
  case 'u': input.type = SEEN_INPUT_MARK_UNREAD; break;
  case 'm': input.type = SEEN_INPUT_MUTE; break;
  default: input.type = SEEN_INPUT_OPEN; break;
  }
  if (what == 'm')
    input.u.on = seq % 2 == 0;
  else
    input.u.seq = (seen_optional_seq){seq > 0, seq};
  feed(self, &input);
  if (what == 'w') {
    input.type = SEEN_INPUT_VISIBLE;
    input.u.range = (seen_run){1, seq + 1};
    feed(self, &input);
  }
  pull(self);
}

static void say(target *self, seen_input_type type) {
  seen_input input = {.size = (uint32_t)sizeof input, .type = type};

  feed(self, &input);
  pull(self);
}

/* A call, and what comes of it. */
static void call(target *self, const char *line) {
  sn_session *session = self->session;

  switch (*line) {
  case 's': sn_session_start(session, self->now); break;
  case 'x': sn_session_stop(session, self->now); break;
  case 'n': sn_session_network_changed(session, self->now); break;
  case 'f': sn_session_flush(session, self->now); break;
  case 'T':
    (void)sn_session_token(session, line[1] != '\0' ? line + 1 : NULL,
                           self->now);
    break;
  case 'P':
    (void)sn_session_push(session, line + 1, strlen(line + 1), self->now, NULL);
    break;
  case 'c':
    if (self->asked > 0)
      sn_session_cancel(session, FIRST_REQUEST + self->asked - 1);
    break;
  case 'd':
    sn_session_transport_failed(
        session, line[1] == 'h' ? self->request : self->connections[0],
        self->now);
    break;
  default: break;
  }
  pull(self);
}

static void take_line(target *self, const char *line) {
  switch (*line) {
  case '\0': break;
  case '{':
  case '[':
  case 'o':
  case 'k':
  case 'e': transport(self, self->connections[0], line); break;
  case '&':
    if (self->connections[1] != 0 && line[1] != '\0')
      transport(self, self->connections[1], line + 1);
    break;
  case 'h': answer(self, line + 1); break;
  case 'q': ask(self, (unsigned)number_of(line + 1)); break;
  case 'r':
  case 'u':
  case 'm':
  case 'w': act(self, *line, line + 1); break;
  case 'a': say(self, SEEN_INPUT_READ_ALL); break;
  case '+': pass(self, number_of(line + 1)); break;
  case '?': test_alloc_fail(&self->memory, number_of(line + 1)); break;
  default: call(self, line); break;
  }
}

static void begin(target *self) {
  sn_session_options with = {
      .user = "ann", .device = "phone", .token = "t", .seed = 7};
  seen_options options;

  memset(self, 0, sizeof *self);
  test_alloc_init(&self->memory);
  sn_intervals_init(&with.intervals);
  with.memory = &self->memory.allocator;
  seen_options_init(&options);
  options.user = "ann";
  options.subscriptions = options.delivered = true;
  self->now = 1000;
  REQUIRE(seen_engine_new(&options, self->now, &self->engine, NULL) == SEEN_OK);
  REQUIRE(sn_session_new(&with, self->now, &self->session, NULL) == SEEN_OK);
}

/* Whatever was asked has its reply by now. */
static void end(target *self) {
  test_alloc_fail(&self->memory, 0);
  sn_session_cancel_all(self->session, SEEN_ECLOSED);
  sn_session_stop(self->session, self->now);
  pull(self);
  for (size_t i = 0; i < self->asked; i++)
    REQUIRE(self->replied[i]);
  holds_now(self->engine);
  sn_session_free(self->session);
  seen_engine_free(self->engine);
  test_alloc_check(&self->memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  target_bytes lines = {bytes, bytes + size};
  target self;

  begin(&self);
  for (int i = 0; i < MOST_LINES; i++) {
    size_t length;
    char *line = target_line(&lines, &length);
    char *text;

    if (line == NULL) break;
    text = target_text((const uint8_t *)line, length);
    free(line);
    take_line(&self, text);
    free(text);
  }
  end(&self);
  return 0;
}
