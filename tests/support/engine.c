#include "support/engine.h"

#include <stdio.h>
#include <stdlib.h>

seen_options engine_options(void) {
  seen_options options;
  seen_options_init(&options);
  options.user = "u1";
  options.device = "d1";
  return options;
}

static test_engine *start_at(const seen_options *options, uint64_t now) {
  test_engine *t = calloc(1, sizeof *t);
  assert_non_null(t);
  test_alloc_init(&t->memory);
  t->options = *options;
  t->options.allocator = &t->memory.allocator;
  t->now = now;
  assert_int_equal(seen_engine_new(&t->options, now, &t->engine, NULL),
                   SEEN_OK);
  return t;
}

test_engine *engine_start_with(const seen_options *options) {
  return start_at(options, 0);
}

test_engine *engine_start(void) {
  seen_options options = engine_options();
  return engine_start_with(&options);
}

void engine_end(test_engine *t) {
  seen_engine_free(t->engine);
  test_alloc_check(&t->memory);
  free(t);
}

test_engine *engine_restart(test_engine *t) {
  test_engine *next = start_at(&t->options, t->now);
  seen_record record;
  for (seen_conv conv = 1; seen_engine_id(t->engine, conv); conv++) {
    if (seen_engine_record(t->engine, conv, &record)) continue;
    assert_int_equal(seen_engine_restore(next->engine, &record, NULL), SEEN_OK);
  }
  engine_end(t);
  return next;
}

int feed(test_engine *t, const seen_input *input) {
  return seen_engine_feed(t->engine, input, t->now, NULL);
}

static void say_input(test_engine *t, seen_input *input) {
  input->size = sizeof *input;
  assert_int_equal(feed(t, input), SEEN_OK);
}

void at(test_engine *t, uint64_t now) {
  t->now = now;
  say(t, SEEN_INPUT_TICK, NULL);
}

seen_word word_at(uint64_t epoch, uint64_t seq, uint64_t high, uint64_t last) {
  return (seen_word){.read = {epoch, seq, high}, .last_seq = last};
}

void say_snapshot(test_engine *t, const char *id, seen_snapshot snapshot) {
  seen_input input = {.type = SEEN_INPUT_CONVERSATION, .id = id};
  input.u.snapshot = snapshot;
  say_input(t, &input);
}

void say_row(test_engine *t, const char *id, seen_word word) {
  say_snapshot(t, id, (seen_snapshot){.kind = SEEN_KIND_GROUP, .word = word});
}

void say_word(test_engine *t, const char *id, seen_word word) {
  seen_input input = {.type = SEEN_INPUT_POSITION, .id = id};
  input.u.word = word;
  say_input(t, &input);
}

void say_message_as(test_engine *t, const char *id, seen_message message) {
  seen_input input = {.type = SEEN_INPUT_MESSAGE, .id = id};
  input.u.message = message;
  say_input(t, &input);
}

void say_message(test_engine *t, const char *id, uint64_t seq,
                 const char *from) {
  say_message_as(t, id, (seen_message){.seq = seq, .from = from});
}

void say_ack(test_engine *t, const char *id, seen_request of, seen_word word) {
  seen_input input = {.type = SEEN_INPUT_ACK, .id = id};
  input.u.answer = (seen_answer){.of = of, .has_word = true, .word = word};
  say_input(t, &input);
}

void say_refusal(test_engine *t, const char *id, seen_request of,
                 seen_refusal why, seen_word word) {
  seen_input input = {.type = SEEN_INPUT_REFUSE, .id = id};
  bool bare = why == SEEN_REFUSAL_NOT_MEMBER || why == SEEN_REFUSAL_NOT_FOUND ||
              why == SEEN_REFUSAL_RATE_LIMITED;
  input.u.answer =
      (seen_answer){.of = of, .refusal = why, .has_word = !bare, .word = word};
  say_input(t, &input);
}

void say_found(test_engine *t, const char *id, uint64_t seq,
               seen_mention_why mention) {
  seen_input input = {.type = SEEN_INPUT_FOUND, .id = id};
  input.u.found = (seen_found){seq, mention, mention == SEEN_MENTION_NONE};
  say_input(t, &input);
}

void say_peer(test_engine *t, const char *id, const char *user, uint64_t read,
              uint64_t delivered) {
  seen_input input = {.type = SEEN_INPUT_PEER, .id = id};
  input.u.peer = (seen_peer){user, read, delivered};
  say_input(t, &input);
}

void say(test_engine *t, seen_input_type type, const char *id) {
  seen_input input = {.type = type, .id = id};
  say_input(t, &input);
}

void say_on(test_engine *t, seen_input_type type, const char *id, bool on) {
  seen_input input = {.type = type, .id = id};
  input.u.on = on;
  say_input(t, &input);
}

void say_visible(test_engine *t, const char *id, uint64_t lo, uint64_t hi) {
  seen_input input = {.type = SEEN_INPUT_VISIBLE, .id = id};
  input.u.range = (seen_run){lo, hi};
  say_input(t, &input);
}

void say_mark_read(test_engine *t, const char *id, uint64_t seq) {
  seen_input input = {.type = SEEN_INPUT_MARK_READ, .id = id};
  input.u.seq = (seen_optional_seq){true, seq};
  say_input(t, &input);
}

void say_mark_unread(test_engine *t, const char *id, uint64_t target) {
  seen_input input = {.type = SEEN_INPUT_MARK_UNREAD, .id = id};
  input.u.seq = (seen_optional_seq){true, target};
  say_input(t, &input);
}

static seen_conv find(const test_engine *t, const char *id) {
  return seen_engine_find(t->engine, id);
}

seen_state state_of(test_engine *t, const char *id) {
  seen_state state;
  assert_int_equal(seen_engine_state(t->engine, find(t, id), &state), SEEN_OK);
  return state;
}

bool has_row(test_engine *t, const char *id) {
  seen_state state;
  return seen_engine_state(t->engine, find(t, id), &state) == SEEN_OK;
}

seen_totals totals_of(test_engine *t) {
  seen_totals totals;
  seen_engine_totals(t->engine, &totals);
  return totals;
}

seen_metrics metrics_of(test_engine *t) {
  seen_metrics metrics;
  seen_engine_metrics(t->engine, &metrics);
  return metrics;
}

seen_receipt receipt_of(test_engine *t, const char *id, uint64_t seq) {
  seen_receipt receipt;
  assert_int_equal(seen_engine_receipt(t->engine, find(t, id), seq, &receipt),
                   SEEN_OK);
  return receipt;
}

static void add(test_log *log, const char *format, ...) {
  size_t room = sizeof log->text - log->length;
  va_list list;
  va_start(list, format);
  int length = vsnprintf(log->text + log->length, room, format, list);
  va_end(list);
  assert_true(length >= 0 && (size_t)length < room);
  log->length += (size_t)length;
}

static void add_name(test_log *log, const char *verb, const char *id) {
  add(log, "%s%s%s%s", log->length ? ", " : "", verb, id ? " " : "",
      id ? id : "");
}

static unsigned long long wide(uint64_t number) {
  return number;
}

static void add_report(test_log *log, const seen_report *report) {
  add(log, " %llu:%llu", wide(report->epoch), wide(report->seq));
  for (size_t i = 0; i < report->cleared_count; i++)
    add(log, "%s %llu", i ? "" : " cleared", wide(report->cleared[i]));
  if (report->keep) add(log, " keep");
}

static void add_output(test_log *log, const char *id,
                       const seen_effect *effect) {
  static const char *const VERBS[] = {
      "",          "resync",      "fetch",       "mute",
      "pin",       "report",      "mark_unread", "read_all",
      "delivered", "unsubscribe", "subscribe"};
  add_name(log, VERBS[effect->type], id);
  switch (effect->type) {
  case SEEN_EFFECT_MUTE:
  case SEEN_EFFECT_PIN: add(log, effect->u.on ? " on" : " off"); break;
  case SEEN_EFFECT_REPORT: add_report(log, &effect->u.report); break;
  case SEEN_EFFECT_MARK_UNREAD:
    add(log, " %llu:%llu to %llu", wide(effect->u.mark.expected_epoch),
        wide(effect->u.mark.expected_seq), wide(effect->u.mark.target));
    break;
  case SEEN_EFFECT_DELIVERED: add(log, " %llu", wide(effect->u.seq)); break;
  case SEEN_EFFECT_SUBSCRIBE:
  case SEEN_EFFECT_UNSUBSCRIBE:
    add(log, " %llu-%llu", wide(effect->u.range.lo), wide(effect->u.range.hi));
    break;
  default: break;
  }
}

static void gather(test_engine *t) {
  seen_effect effect;
  while (seen_engine_next(t->engine, &effect)) {
    const char *id =
        effect.conv ? seen_engine_id(t->engine, effect.conv) : NULL;
    switch (effect.type) {
    case SEEN_EFFECT_STORE: add_name(&t->stored, "store", id); break;
    case SEEN_EFFECT_DELETE: add_name(&t->stored, "delete", id); break;
    case SEEN_EFFECT_SYNC: add_name(&t->stored, "sync", id); break;
    case SEEN_EFFECT_CONVERSATION_CHANGED:
      add_name(&t->told, "changed", id);
      break;
    case SEEN_EFFECT_LIST_CHANGED: add_name(&t->told, "list", id); break;
    case SEEN_EFFECT_TOTALS_CHANGED: add_name(&t->told, "totals", id); break;
    case SEEN_EFFECT_DRIFT: add_name(&t->told, "drift", id); break;
    default: add_output(&t->sent, id, &effect); break;
    }
  }
}

static void expect(test_engine *t, test_log *log, const char *text) {
  gather(t);
  assert_string_equal(log->text, text);
  log->length = 0;
  log->text[0] = '\0';
}

void expect_sent(test_engine *t, const char *sent) {
  expect(t, &t->sent, sent);
}

void expect_stored(test_engine *t, const char *stored) {
  expect(t, &t->stored, stored);
}

void expect_told(test_engine *t, const char *told) {
  expect(t, &t->told, told);
}
