/* Outputs are told in the order in which they are pulled. */
#include "support/session.h"

#include <stdio.h>
#include <stdlib.h>

#include "model/names.h"

static test_session stage;

static void tell(test_session *t, const char *format, ...) {
  char *at = t->said + t->length;
  size_t left = sizeof t->said - t->length;
  va_list list;
  int written;
  va_start(list, format);
  written = vsnprintf(at, left, format, list);
  va_end(list);
  assert_true(written >= 0 && (size_t)written + 2 < left);
  t->length += (size_t)written;
  t->said[t->length++] = '\n';
  t->said[t->length] = '\0';
}

static const char *input_name(seen_input_type type) {
  switch (type) {
  case SEEN_INPUT_CONVERSATION: return "row";
  case SEEN_INPUT_MESSAGE: return "message";
  case SEEN_INPUT_POSITION: return "position";
  case SEEN_INPUT_MEMBERS: return "members";
  case SEEN_INPUT_PEER: return "peer";
  case SEEN_INPUT_RECEIPTS: return "receipts";
  case SEEN_INPUT_SET: return "set";
  case SEEN_INPUT_LEFT: return "left";
  case SEEN_INPUT_REPORT_NOW: return "report_now";
  case SEEN_INPUT_SERVER_RESET: return "reset";
  case SEEN_INPUT_SNAPSHOT_END: return "snapshot_end";
  default: return "?";
  }
}

static void tell_input(test_session *t, const seen_input *input) {
  const seen_answer *said = &input->u.answer;
  if (input->type == SEEN_INPUT_LINK)
    tell(t, "link %s", input->u.on ? "up" : "down");
  else if (input->type == SEEN_INPUT_ACK)
    tell(t, "ack %s %s", sn_request_name(said->of), input->id);
  else if (input->type == SEEN_INPUT_REFUSE)
    tell(t, "refuse %s %s %s", sn_request_name(said->of), input->id,
         sn_refusal_name(said->refusal));
  else if (input->id)
    tell(t, "%s %s", input_name(input->type), input->id);
  else
    tell(t, "%s", input_name(input->type));
}

static const char *state_name(seen_connection is) {
  static const char *const names[] = {"off",     "connecting",   "online",
                                      "waiting", "unauthorized", "disabled"};
  return names[is];
}

static void tell_reply(test_session *t, const seen_reply *reply) {
  if (reply->code == SEEN_OK)
    tell(t, "reply %llu ok", (unsigned long long)reply->request);
  else
    tell(t, "reply %llu %s%s%s", (unsigned long long)reply->request,
         seen_error_name(reply->code), *reply->reason ? " " : "",
         reply->reason);
}

static void tell_out(test_session *t, const sn_out *out) {
  typedef unsigned long long number;
  switch (out->type) {
  case SN_OUT_INPUT: tell_input(t, &out->u.input); break;
  case SN_OUT_SERVER:
    tell(t, "server %s %llu", out->u.server.incarnation,
         (number)out->u.server.version);
    break;
  case SN_OUT_MESSAGE:
    tell(t, "text %s %llu %s", out->u.message.conv,
         (number)out->u.message.text.seq,
         out->u.message.text.body ? out->u.message.text.body : "-");
    break;
  case SN_OUT_REPLY: tell_reply(t, &out->u.reply); break;
  case SN_OUT_STATE:
    tell(t, "state %s%s%s", state_name(out->u.state.connection),
         out->u.state.synced ? " synced" : "",
         out->u.state.portal ? " portal" : "");
    break;
  case SN_OUT_TOKEN: tell(t, "ask"); break;
  case SN_OUT_CLOSE:
    tell(t, "close %llu %u", (number)out->u.close.connection,
         (unsigned)out->u.close.code);
    break;
  case SN_OUT_CANCEL: tell(t, "cancel %llu", (number)out->u.number); break;
  case SN_OUT_DIAL:
    tell(t, "dial %llu %s", (number)out->u.dial.connection,
         out->u.dial.link == SEEN_LINK_POLL ? "poll" : "socket");
    break;
  case SN_OUT_WRITE:
    assert_int_equal(out->u.write.length, strlen(out->u.write.text));
    tell(t, "write %llu %s", (number)out->u.write.connection,
         out->u.write.text);
    break;
  case SN_OUT_PING: tell(t, "ping %llu", (number)out->u.number); break;
  case SN_OUT_REQUEST:
    tell(t, "%s %llu %s%s%s", out->u.request.body ? "post" : "get",
         (number)out->u.request.request, out->u.request.path,
         out->u.request.body ? " " : "",
         out->u.request.body ? out->u.request.body : "");
    break;
  }
}

static void hand_over(test_session *t) {
  seen_effect what;
  while (seen_engine_next(t->engine, &what))
    if (what.type <= SEEN_EFFECT_SUBSCRIBE)
      sn_session_effect(t->session, &what,
                        what.conv ? seen_engine_id(t->engine, what.conv) : NULL,
                        t->now);
}

void person(test_session *t, const seen_input *input) {
  seen_error error = SEEN_ERROR_INIT;
  if (seen_engine_feed(t->engine, input, t->now, &error))
    fail_msg("%s", error.message);
  hand_over(t);
  pull(t);
}

static void take(test_session *t, const sn_out *out) {
  seen_error error = SEEN_ERROR_INIT;
  switch (out->type) {
  case SN_OUT_INPUT:
    if (!t->engine) break;
    if (seen_engine_feed(t->engine, &out->u.input, t->now, &error))
      fail_msg("%s", error.message);
    hand_over(t);
    break;
  case SN_OUT_SERVER:
    snprintf(t->incarnation, sizeof t->incarnation, "%s",
             out->u.server.incarnation);
    t->version = out->u.server.version;
    break;
  case SN_OUT_STATE: t->state = out->u.state; break;
  case SN_OUT_DIAL:
    t->connection = out->u.dial.connection;
    t->dials++;
    break;
  case SN_OUT_WRITE:
    t->frames++;
    t->reads += strncmp(out->u.write.text, "{\"t\":\"read\"", 11) == 0;
    break;
  case SN_OUT_PING: t->pings++; break;
  case SN_OUT_REQUEST: t->request = out->u.request.request; break;
  case SN_OUT_TOKEN: t->asked++; break;
  default: break;
  }
}

void pull(test_session *t) {
  sn_out out;
  while (sn_session_next(t->session, &out, t->now)) {
    tell_out(t, &out);
    take(t, &out);
  }
}

static uint64_t deadline_of(const test_session *t) {
  uint64_t at = sn_session_deadline(t->session);
  uint64_t engine = t->engine ? seen_engine_deadline(t->engine) : SEEN_NEVER;
  return at < engine ? at : engine;
}

void until(test_session *t, uint64_t now) {
  const seen_input tick = {.size = sizeof tick, .type = SEEN_INPUT_TICK};
  uint64_t at;
  int still = 0;
  while ((at = deadline_of(t)) <= now) {
    still = at > t->now ? 0 : still + 1;
    assert_true(still < 10); /* a deadline has to move */
    if (at > t->now) t->now = at;
    sn_session_tick(t->session, t->now);
    pull(t);
    if (t->engine) person(t, &tick);
  }
  t->now = now;
}

sn_session_options session_options(void) {
  sn_session_options options = {
      .user = "ann", .device = "phone", .token = "T", .seed = 7};
  sn_intervals_init(&options.intervals);
  return options;
}

test_session *session_open_with(const sn_session_options *options) {
  test_session *t = &stage;
  memset(t, 0, sizeof *t);
  test_alloc_init(&t->memory);
  t->now = 1000;
  t->options = *options;
  t->options.memory = &t->memory.allocator;
  assert_int_equal(sn_session_new(&t->options, t->now, &t->session, NULL),
                   SEEN_OK);
  return t;
}

test_session *session_open(void) {
  sn_session_options options = session_options();
  return session_open_with(&options);
}

test_session *session_open_engine(const seen_options *options) {
  test_session *t = session_open();
  seen_options with = *options;
  const seen_input down = {.size = sizeof down, .type = SEEN_INPUT_LINK};
  with.user = "ann";
  with.device = "phone";
  with.allocator = &t->memory.allocator;
  assert_int_equal(seen_engine_new(&with, t->now, &t->engine, NULL), SEEN_OK);
  person(t, &down);
  return t;
}

void session_end(test_session *t) {
  seen_engine_free(t->engine);
  sn_session_free(t->session);
  test_alloc_check(&t->memory);
}

static void happens(test_session *t, const seen_transport_event *event) {
  assert_int_equal(sn_session_transport(t->session, event, t->now), SEEN_OK);
  pull(t);
}

void opened(test_session *t) {
  const seen_transport_event event = {.size = sizeof event,
                                      .type = SEEN_TRANSPORT_OPEN,
                                      .number = t->connection};
  happens(t, &event);
}

void frame_on(test_session *t, uint64_t connection, const char *text) {
  const seen_transport_event event = {.size = sizeof event,
                                      .type = SEEN_TRANSPORT_FRAME,
                                      .number = connection,
                                      .text = text,
                                      .length = strlen(text)};
  happens(t, &event);
}

void frame(test_session *t, const char *text) {
  frame_on(t, t->connection, text);
}

void ended_on(test_session *t, uint64_t connection, seen_ended why,
              uint32_t code) {
  const seen_transport_event event = {.size = sizeof event,
                                      .type = SEEN_TRANSPORT_ENDED,
                                      .number = connection,
                                      .ended = why,
                                      .code = code};
  happens(t, &event);
}

void ended(test_session *t, seen_ended why, uint32_t code) {
  ended_on(t, t->connection, why, code);
}

void alive(test_session *t) {
  const seen_transport_event event = {.size = sizeof event,
                                      .type = SEEN_TRANSPORT_ALIVE,
                                      .number = t->connection};
  happens(t, &event);
}

void answer_to(test_session *t, uint64_t request, uint32_t status,
               const char *body) {
  const seen_transport_event event = {.size = sizeof event,
                                      .type = SEEN_TRANSPORT_ANSWER,
                                      .number = request,
                                      .ended = status ? (seen_ended)0
                                                      : SEEN_ENDED_LOST,
                                      .status = status,
                                      .text = body,
                                      .length = body ? strlen(body) : 0};
  happens(t, &event);
}

void answer(test_session *t, uint32_t status, const char *body) {
  answer_to(t, t->request, status, body);
}

void token(test_session *t, const char *text) {
  assert_int_equal(sn_session_token(t->session, text, t->now), SEEN_OK);
  pull(t);
}

void effect(test_session *t, const seen_effect *what, const char *id) {
  sn_session_effect(t->session, what, id, t->now);
}

void ask(test_session *t, uint64_t number, const sn_ask *what) {
  seen_error error = SEEN_ERROR_INIT;
  sn_request *request;
  if (sn_request_new(what, number, &t->memory.allocator, &request, &error))
    fail_msg("%s", error.message);
  sn_session_request(t->session, request, t->now);
  pull(t);
}

void ask_readers(test_session *t, uint64_t number) {
  ask(t, number,
      &(sn_ask){.act = SEEN_ACT_READERS,
                .conv = "g 1",
                .seq = 7,
                .which = SEEN_ASK_READ,
                .limit = 50});
}

uint64_t last_id(const test_session *t) {
  const char *at = t->said, *found = "";
  while ((at = strstr(at, "\"id\":")) != NULL)
    found = at += 5;
  assert_true(*found);
  return strtoull(found, NULL, 10);
}

void session_dial(test_session *t) {
  sn_session_start(t->session, t->now);
  pull(t);
}

void session_online(test_session *t) {
  char text[512];
  session_dial(t);
  opened(t);
  snprintf(text, sizeof text,
           "{\"t\":\"welcome\",\"id\":%llu,\"user\":\"ann\","
           "\"incarnation\":\"b7\",\"version\":9,\"mode\":\"resume\","
           "\"receipts\":true}",
           (unsigned long long)last_id(t));
  frame(t, text);
  snprintf(text, sizeof text,
           "{\"t\":\"changes\",\"id\":%llu,\"from\":0,\"version\":9,"
           "\"conversations\":[]}",
           (unsigned long long)last_id(t));
  frame(t, text);
  assert_int_equal(t->state.connection, SEEN_CONNECTION_ONLINE);
  assert_true(t->state.synced);
  drop_said(t);
}

uint64_t wait_for_dial(test_session *t) {
  uint64_t from = t->now;
  size_t dials = t->dials;
  if (t->state.connection == SEEN_CONNECTION_CONNECTING) return 0;
  while (t->dials == dials) {
    uint64_t at = sn_session_deadline(t->session);
    assert_true(at != SEEN_NEVER);
    until(t, at);
  }
  return t->now - from;
}

void drop_said(test_session *t) {
  t->length = 0;
  t->said[0] = '\0';
}

void expect_said(test_session *t, const char *lines) {
  if (t->length) t->said[--t->length] = '\0';
  assert_string_equal(t->said, lines);
  drop_said(t);
}

bool was_said(const test_session *t, const char *piece) {
  return strstr(t->said, piece) != NULL;
}
