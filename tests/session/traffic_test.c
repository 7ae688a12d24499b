/*
 * What a client of flesh and blood sends: an engine and a session as they
 * ship, in virtual time, with a server that answers every report. Report
 * frames stay within the bucket (V4) in any window, closes and backgrounds
 * apart, and where nothing moves nothing is sent.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "support/session.h"

enum { BURST = 4, PER_SECOND = 2, CONVS = 501, REPORTS = 1 << 14 };

/* The server's side: positions by number of the conversation, "g0" … */
static uint64_t last[CONVS], position[CONVS], version;

/* When report frames left. */
static uint64_t left_at[REPORTS];
static size_t left, items, bytes;

static test_session *begin(void) {
  seen_options by;
  seen_options_init(&by);
  by.seed = 5;
  memset(last, 0, sizeof last);
  memset(position, 0, sizeof position);
  version = 100;
  left = items = bytes = 0;
  test_session *t = session_open_engine(&by);
  session_online(t);
  return t;
}

static void put_word(char *text, size_t size, size_t conv) {
  snprintf(text, size,
           "\"read\":{\"epoch\":0,\"seq\":%llu,\"high\":0},\"last_seq\":%llu,"
           "\"from\":0,\"version\":%llu",
           (unsigned long long)position[conv], (unsigned long long)last[conv],
           (unsigned long long)++version);
}

static void say_row(test_session *t, size_t conv, uint64_t last_seq) {
  char word[256], text[512];
  last[conv] = last_seq;
  put_word(word, sizeof word, conv);
  snprintf(text, sizeof text,
           "{\"t\":\"changes\",\"conversations\":[{\"id\":\"g%u\","
           "\"kind\":\"group\",%s}]}",
           (unsigned)conv, word);
  frame(t, text);
}

/* One report frame: taken in, and answered. */
static void take_read(test_session *t, const char *text) {
  static char answer_text[65536 * 2];
  char word[256];
  sn_json *json;
  uint64_t id = 0, seq = 0;
  const char *conv = NULL;
  bytes += strlen(text);
  assert_int_equal(sn_json_parse(text, strlen(text), &json, NULL), 0);
  assert_true(sn_json_number(sn_json_member(json, "id"), &id));
  size_t at = (size_t)snprintf(answer_text, sizeof answer_text,
                               "{\"t\":\"ack\",\"id\":%llu,\"of\":\"read\","
                               "\"items\":[",
                               (unsigned long long)id);
  const sn_json *item = sn_json_first(sn_json_member(json, "items"));
  assert_non_null(item); /* no frame without content (C150) */
  for (const sn_json *i = item; i; i = sn_json_next(i)) {
    assert_true(sn_json_number(sn_json_member(i, "seq"), &seq));
    assert_true(sn_json_text(sn_json_member(i, "conv"), &conv));
    size_t number = strtoul(conv + 1, NULL, 10);
    assert_true(seq > position[number]); /* it moves something */
    position[number] = seq;
    put_word(word, sizeof word, number);
    at += (size_t)snprintf(answer_text + at, sizeof answer_text - at,
                           "%s{\"conv\":\"%s\",\"result\":\"ok\",%s}",
                           i == item ? "" : ",", conv, word);
    items++;
  }
  snprintf(answer_text + at, sizeof answer_text - at, "]}");
  sn_json_free(json);
  assert_true(left < REPORTS);
  left_at[left++] = t->now;
  frame(t, answer_text);
}

/* Answers what was written; all else is only counted. */
static void serve(test_session *t) {
  static char said[TEST_SAID_SIZE];
  while (t->length) {
    memcpy(said, t->said, t->length + 1);
    drop_said(t);
    for (char *line = strtok(said, "\n"); line; line = strtok(NULL, "\n")) {
      char *json = strchr(line, '{');
      if (strncmp(line, "ping", 4) == 0) alive(t);
      if (strncmp(line, "write", 5) == 0 && strstr(json, "\"t\":\"read\""))
        take_read(t, json);
    }
  }
}

static void pass(test_session *t, uint64_t ms) {
  uint64_t end = t->now + ms;
  serve(t);
  while (t->now < end) {
    uint64_t engine = seen_engine_deadline(t->engine);
    uint64_t at = sn_session_deadline(t->session);
    if (engine < at) at = engine;
    until(t, at < end ? at : end);
    serve(t);
  }
}

static void acts(test_session *t, seen_input_type type, size_t conv) {
  char id[16];
  snprintf(id, sizeof id, "g%u", (unsigned)conv);
  person(t, &(seen_input){.size = sizeof(seen_input), .type = type, .id = id});
}

static void sees(test_session *t, size_t conv, uint64_t lo, uint64_t hi) {
  char id[16];
  snprintf(id, sizeof id, "g%u", (unsigned)conv);
  person(t, &(seen_input){.size = sizeof(seen_input),
                          .type = SEEN_INPUT_VISIBLE,
                          .id = id,
                          .u.range = {lo, hi}});
}

/* In any window of w ms at most burst + 2/s of w. */
static void expect_within_the_bucket(void) {
  for (size_t i = 0; i < left; i++)
    for (size_t k = i; k < left; k++)
      assert_true(k - i + 1 <=
                  BURST + PER_SECOND * (left_at[k] - left_at[i]) / 1000);
}

static seen_state state_of_conv(test_session *t, size_t conv) {
  seen_state state;
  char id[16];
  snprintf(id, sizeof id, "g%u", (unsigned)conv);
  assert_int_equal(
      seen_engine_state(t->engine, seen_engine_find(t->engine, id), &state),
      SEEN_OK);
  return state;
}

/* 10,000 messages in 20 s: none but the last are on screen long enough. */
static void test_traffic__a_fling_is_one_report(void **s) {
  test_session *t = begin();
  (void)s;
  say_row(t, 0, 10000);
  serve(t);
  acts(t, SEEN_INPUT_OPEN, 0);
  for (uint64_t at = 8; at <= 10000; at += 8) {
    sees(t, 0, at - 7, at);
    pass(t, 16);
  }
  pass(t, 5000);
  assert_int_equal(state_of_conv(t, 0).unread, 0);
  assert_int_equal(position[0], 10000);
  assert_int_equal(left, 1);
  session_end(t);
}

/* The same slowly, ten rows at a time, for 200 s. */
static void test_traffic__a_scroll_is_a_report_a_second(void **s) {
  test_session *t = begin();
  (void)s;
  say_row(t, 0, 10000);
  serve(t);
  acts(t, SEEN_INPUT_OPEN, 0);
  for (uint64_t at = 10; at <= 10000; at += 10) {
    sees(t, 0, at - 9, at);
    pass(t, 200);
  }
  pass(t, 5000);
  print_message("# scroll: %u frames, %u bytes\n", (unsigned)left,
                (unsigned)bytes);
  assert_int_equal(position[0], 10000);
  assert_in_range(left, 150, 201); /* max_wait_ms (V3) */
  expect_within_the_bucket();
  session_end(t);
}

static uint64_t number_behind(const char *line, const char *name) {
  const char *at = strstr(line, name);
  return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

/* An hour of a busy real log; the person reads along. */
static void test_traffic__an_hour_of_a_busy_log_read_along(void **s) {
  FILE *log = fopen(SEEN_ROOT "/samples/data/log050.jsonl", "r");
  test_session *t = begin();
  char line[512], text[512];
  uint64_t start, seq = 0;
  (void)s;
  assert_non_null(log);
  say_row(t, 0, 0);
  serve(t);
  acts(t, SEEN_INPUT_OPEN, 0);
  start = t->now;
  while (fgets(line, sizeof line, log)) {
    uint64_t at = number_behind(line, "\"t\":");
    bool spoken = strstr(line, "\"kind\":\"text\"") != NULL;
    if (at >= 3600000) break;
    if (start + at > t->now) pass(t, start + at - t->now);
    last[0] = ++seq;
    snprintf(text, sizeof text,
             "{\"t\":\"message\",\"conv\":\"g0\",\"seq\":%llu,\"version\":"
             "%llu,\"from\":\"u%llu\",\"kind\":\"%s\",\"countable\":%s,"
             "\"sent_at\":%llu,\"body\":\"x\"}",
             (unsigned long long)seq, (unsigned long long)++version,
             (unsigned long long)number_behind(line, "\"from\":\"u"),
             spoken ? "text" : "system", spoken ? "true" : "false",
             (unsigned long long)at);
    frame(t, text);
    sees(t, 0, seq > 9 ? seq - 9 : 1, seq);
  }
  fclose(log);
  pass(t, 5000);
  print_message("# an hour of %u messages: %u frames, %u bytes\n",
                (unsigned)seq, (unsigned)left, (unsigned)bytes);
  assert_true(seq > 900);
  assert_int_equal(position[0], seq);
  assert_true(left <= seq);
  expect_within_the_bucket();
  /* And then an hour of nothing. */
  size_t frames = t->frames, pings = t->pings;
  pass(t, 3600000);
  assert_int_equal(t->frames, frames);
  assert_in_range(t->pings - pings, 143, 144);
  session_end(t);
}

/* Five hundred conversations, one by one, as fast as can be. */
static void test_traffic__500_conversations_marked_read(void **s) {
  test_session *t = begin();
  (void)s;
  for (size_t i = 1; i <= 500; i++)
    say_row(t, i, 7);
  serve(t);
  for (size_t i = 1; i <= 500; i++) {
    acts(t, SEEN_INPUT_MARK_READ, i);
    pass(t, 1);
  }
  pass(t, 20000);
  print_message("# 500 marked read: %u frames, %u bytes\n", (unsigned)left,
                (unsigned)bytes);
  assert_int_equal(items, 500);
  assert_true(left <= BURST + 6);
  for (size_t i = 1; i <= 500; i++)
    assert_int_equal(position[i], 7);
  expect_within_the_bucket();
  session_end(t);
}

/* At one instant they are five frames of a hundred. */
static void test_traffic__500_at_once_are_frames_of_a_hundred(void **s) {
  test_session *t = begin();
  seen_effect what;
  (void)s;
  for (size_t i = 1; i <= 500; i++)
    say_row(t, i, 7);
  serve(t);
  for (size_t i = 1; i <= 500; i++) {
    char id[16];
    snprintf(id, sizeof id, "g%u", (unsigned)i);
    const seen_input read = {
        .size = sizeof read, .type = SEEN_INPUT_MARK_READ, .id = id};
    assert_int_equal(seen_engine_feed(t->engine, &read, t->now, NULL), 0);
    while (seen_engine_next(t->engine, &what))
      if (what.type <= SEEN_EFFECT_SUBSCRIBE)
        effect(t, &what, seen_engine_id(t->engine, what.conv));
  }
  pull(t);
  pass(t, 20000);
  assert_int_equal(items, 500);
  assert_true(left <= BURST + 5);
  expect_within_the_bucket();
  session_end(t);
}

static void test_traffic__where_nothing_moves_nothing_is_sent(void **s) {
  test_session *t = begin();
  (void)s;
  position[0] = 50; /* all read already */
  say_row(t, 0, 50);
  serve(t);
  for (int i = 0; i < 1000; i++) {
    acts(t, SEEN_INPUT_OPEN, 0);
    sees(t, 0, 41, 50);
    pass(t, 20);
    acts(t, SEEN_INPUT_CLOSE, 0);
    pass(t, 20);
  }
  assert_int_equal(left, 0);
  session_end(t);
}

/* Cut off, it reads on; the next link brings it in one frame. */
static void test_traffic__what_was_read_offline_is_one_frame(void **s) {
  test_session *t = begin();
  (void)s;
  for (size_t i = 1; i <= 50; i++)
    say_row(t, i, 7);
  serve(t);
  ended(t, SEEN_ENDED_LOST, 0);
  for (size_t i = 1; i <= 50; i++)
    acts(t, SEEN_INPUT_MARK_READ, i);
  until(t, t->now + 1000);
  opened(t);
  drop_said(t);
  frame(t, "{\"t\":\"welcome\",\"id\":3,\"user\":\"ann\",\"incarnation\":"
           "\"b7\",\"version\":999,\"mode\":\"resume\",\"receipts\":true}");
  pass(t, 5000);
  assert_int_equal(left, 1);
  assert_int_equal(items, 50);
  session_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_traffic__a_fling_is_one_report),
      cmocka_unit_test(test_traffic__a_scroll_is_a_report_a_second),
      cmocka_unit_test(test_traffic__an_hour_of_a_busy_log_read_along),
      cmocka_unit_test(test_traffic__500_conversations_marked_read),
      cmocka_unit_test(test_traffic__500_at_once_are_frames_of_a_hundred),
      cmocka_unit_test(test_traffic__where_nothing_moves_nothing_is_sent),
      cmocka_unit_test(test_traffic__what_was_read_offline_is_one_frame),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
