/* state.c: commits, a storage that fails, restarts, rates. */
#include "server/faulty.h"
#include "server/stage.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int begin(void **state) {
  stage *self = malloc(sizeof *self);
  stage_begin_memory(self);
  *state = self;
  return 0;
}

static int end(void **state) {
  stage_end(*state);
  free(*state);
  return 0;
}

static void test_state__nothing_leaves_before_its_commit(void **state) {
  stage *self = *state;
  size_t length;
  player *a = stage_connect(self, "a", "ann", false);
  player *b = stage_connect(self, "b", "bob", false);
  stage_create(self, a, "g", "\"bob\"");
  stage_turn(self);
  stage_put(self, a, "{\"t\":\"send\",\"op\":\"m\",\"conv\":\"g\"}");
  assert_false(connection_has_next(a->connection));
  assert_false(connection_has_next(b->connection));
  assert_null(connection_next(a->connection, &length));
  assert_null(connection_next(b->connection, &length));
  assert_null(server_next_waiting(self->server));
  stage_turn(self);
  assert_int_equal(stage_count(b, "message"), 1);
}

static void test_state__who_left_hears_nothing_more(void **state) {
  stage *self = *state;
  player *a = stage_connect(self, "a", "ann", false);
  player *b = stage_connect(self, "b", "bob", false);
  stage_create(self, a, "g", "\"bob\"");
  stage_do(self, b, "{\"t\":\"leave\",\"op\":\"l\",\"conv\":\"g\"}");
  stage_drop(b);
  stage_text_to(self, a, "g", 1);
  assert_int_equal(stage_count(b, "message"), 0);
}

static void test_state__dirty_rows_wait_for_the_commit_too(void **state) {
  stage *self = *state;
  size_t length;
  player *a1 = stage_connect(self, "a1", "ann", false);
  player *a2 = stage_connect(self, "a2", "ann", false);
  stage_create(self, a1, "g", "\"bob\"");
  stage_text_to(self, a1, "g", 1);
  stage_drop(a2);
  stage_put(self, a1,
            "{\"t\":\"read\",\"items\":[{\"conv\":\"g\",\"epoch\":0,\"seq\":1}"
            "]}");
  assert_null(connection_next(a2->connection, &length));
  stage_turn(self);
  assert_int_equal(stage_count(a2, "position"), 1);
}

static void
test_state__a_row_and_a_word_that_wait_become_the_row(void **state) {
  stage *self = *state;
  player *a1 = stage_connect(self, "a1", "ann", false);
  player *a2 = stage_connect(self, "a2", "ann", false);
  player *b = stage_connect(self, "b", "bob", false);
  stage_create(self, a1, "g", "\"bob\"");
  stage_text_to(self, b, "g", 1);
  stage_drop(a2);
  stage_put(self, a1,
            "{\"t\":\"read\",\"items\":[{\"conv\":\"g\",\"epoch\":0,\"seq\":1}"
            "]}");
  stage_put(self, b, "{\"t\":\"settings\",\"receipts\":false}");
  stage_turn(self);
  assert_int_equal(stage_count(a2, "position"), 0);
  assert_int_equal(stage_count(a2, "changes"), 1);
}

/* One story; each frame is sent again until it is not `error storage`. */
static unsigned tell_story(stage *self) {
  static const char *const frames[] = {
      "{\"t\":\"create\",\"op\":\"o1\",\"conv\":\"g\",\"users\":[\"bob\","
      "\"cyd\"]"
      "}",
      "{\"t\":\"send\",\"op\":\"o2\",\"conv\":\"g\",\"mentions\":[\"bob\"]}",
      "{\"t\":\"send\",\"op\":\"o3\",\"conv\":\"g\",\"mentions\":\"all\"}",
      "{\"t\":\"send\",\"op\":\"o4\",\"conv\":\"g\",\"kind\":\"recall\","
      "\"target\":2}",
      "{\"t\":\"read\",\"items\":[{\"conv\":\"g\",\"epoch\":0,\"seq\":3}]}",
      "{\"t\":\"mark_unread\",\"op\":\"o5\",\"conv\":\"g\",\"expected\":{"
      "\"epoch\":0,\"seq\":3},\"target\":1}",
      "{\"t\":\"add\",\"op\":\"o6\",\"conv\":\"g\",\"users\":[\"dan\"]}",
      "{\"t\":\"remove\",\"op\":\"o7\",\"conv\":\"g\",\"users\":[\"cyd\"]}",
      "{\"t\":\"settings\",\"receipts\":false}",
      "{\"t\":\"admin\",\"op\":\"o8\",\"act\":\"takedown\",\"conv\":\"g\","
      "\"seq\":1}",
      "{\"t\":\"admin\",\"op\":\"o9\",\"act\":\"purge\",\"conv\":\"g\",\"seq\":"
      "1"
      "}",
      "{\"t\":\"admin\",\"op\":\"o10\",\"act\":\"disable\",\"user\":\"dan\"}",
      "{\"t\":\"set\",\"conv\":\"g\",\"muted\":true}",
      "{\"t\":\"read_all\",\"as_of\":9999}",
      "{\"t\":\"subscribe\",\"conv\":\"g\",\"from\":1,\"to\":9}",
      "{\"t\":\"history\",\"conv\":\"g\",\"limit\":9}",
      "{\"t\":\"sync\",\"version\":0}",
  };
  unsigned failures = 0;
  player *a = stage_connect(self, "a", "ann", true);
  while (stage_count(a, "error")) {
    const char *why;
    assert_int_equal(connection_closing(a->connection, &why), CLOSE_STORAGE);
    stage_close(self, a);
    stage_drop(a);
    failures++;
    a = stage_connect(self, "a", "ann", true);
  }
  for (size_t i = 0; i < sizeof frames / sizeof *frames; i++) {
    for (;;) {
      cJSON *answer = stage_ask(self, a, "%s", frames[i]);
      bool failed = !strcmp(stage_text(answer, "code"), "storage");
      if (!failed) assert_string_not_equal(stage_text(answer, "t"), "error");
      cJSON_Delete(answer);
      if (!failed) break;
      assert_false(self->commits);
      failures++;
    }
  }
  return failures;
}

static char *rows_text(stage *self) {
  stage_restart(self);
  player *b = stage_connect(self, "b", "bob", false);
  player *a = stage_connect(self, "a", "ann", false);
  cJSON *both = cJSON_CreateArray();
  cJSON_AddItemToArray(both, stage_row(self, a, "g"));
  cJSON_AddItemToArray(both, stage_row(self, b, "g"));
  char *text = cJSON_PrintUnformatted(both);
  cJSON_Delete(both);
  return text;
}

static char *tell_with_fault(storage inner, uint64_t fails_at,
                             unsigned *failures, uint64_t *calls) {
  static stage self;
  faulty over;
  faulty_begin(&over, inner);
  stage_begin(&self, over.storage, NULL);
  over.calls = 0;
  over.fails_at = fails_at;
  *failures = tell_story(&self);
  *calls = over.calls;
  /* cppcheck-suppress redundantAssignment; the storage read it */
  over.fails_at = 0;
  char *text = rows_text(&self);
  stage_end(&self);
  return text;
}

/* Every call of the storage fails once: the turn never was. */
static void sweep(int (*open_storage)(storage *)) {
  unsigned failures;
  uint64_t calls, ignored;
  storage over;
  assert_int_equal(open_storage(&over), SEEN_OK);
  char *expected = tell_with_fault(over, 0, &failures, &calls);
  assert_int_equal(failures, 0);
  assert_true(calls > 60);
  for (uint64_t at = 1; at <= calls; at++) {
    assert_int_equal(open_storage(&over), SEEN_OK);
    char *found = tell_with_fault(over, at, &failures, &ignored);
    assert_int_equal(failures, 1);
    assert_string_equal(found, expected);
    free(found);
  }
  free(expected);
}

static int open_memory(storage *self) {
  return storage_memory_open(self, "b1");
}

static int open_sqlite(storage *self) {
  return storage_sqlite_open(self, ":memory:", "b1", NULL);
}

static void test_state__a_storage_that_fails_changes_nothing(void **state) {
  (void)state;
  sweep(open_memory);
}

static void test_state__nor_does_a_database_that_fails(void **state) {
  (void)state;
  sweep(open_sqlite);
}

static void test_state__what_was_answered_survives_a_restart(void **state) {
  stage *self = *state;
  player *a = stage_connect(self, "a", "ann", false);
  stage_create(self, a, "g", "\"bob\"");
  for (int i = 1; i <= 5; i++)
    stage_text_to(self, a, "g", i);
  player *b = stage_connect(self, "b", "bob", false);
  stage_read(self, b, "g", 3);
  cJSON *before = stage_row(self, b, "g");
  stage_restart(self);
  b = stage_connect(self, "b", "bob", false);
  cJSON *after = stage_row(self, b, "g");
  assert_true(cJSON_Compare(before, after, true));
  assert_int_equal(stage_number(after, "unread"), 2);
  cJSON_Delete(before);
  cJSON_Delete(after);
}

static void
test_state__too_fast_is_answered_late_and_nothing_is_lost(void **state) {
  static stage self;
  limits slow;
  storage over;
  (void)state;
  limits_init(&slow);
  slow.reports_burst = 2;
  slow.reports_per_second = 1;
  slow.reports_parked = 5;
  storage_memory_open(&over, "b1");
  stage_begin(&self, over, &slow);
  player *a = stage_connect(&self, "a", "ann", false);
  player *b = stage_connect(&self, "b", "bob", false);
  stage_create(&self, a, "g", "\"bob\"");
  for (int i = 1; i <= 9; i++)
    stage_text_to(&self, a, "g", i);
  for (int i = 1; i <= 9; i++)
    stage_send(
        &self, b,
        "{\"t\":\"read\",\"id\":%d,\"items\":[{\"conv\":\"g\",\"epoch\":0,"
        "\"seq\":%d}]}",
        100 + i, i);
  /* Two at once, five wait, two are over the bound. */
  assert_int_equal(stage_count(b, "ack"), 4);
  cJSON *refused = stage_take(b, "ack", 109);
  assert_string_equal(stage_text(refused, "items.0.code"), "rate_limited");
  assert_true(stage_number(refused, "items.0.retry_ms") > 0);
  cJSON_Delete(refused);
  assert_int_equal(stage_row_number(&self, b, "g", "read.seq"), 2);
  stage_wait(&self, 1100);
  assert_int_equal(stage_count(b, "ack"), 3 + 5);
  assert_int_equal(stage_row_number(&self, b, "g", "read.seq"), 7);
  assert_int_equal(server_metrics(self.server)->reports_merged, 4);
  assert_int_equal(server_metrics(self.server)->reports, 9);
  assert_int_equal(server_metrics(self.server)->reports_refused, 2);
  stage_end(&self);
}

static void
test_state__what_waited_is_taken_when_the_connection_goes(void **state) {
  static stage self;
  limits slow;
  storage over;
  (void)state;
  limits_init(&slow);
  slow.reports_burst = 1;
  slow.reports_per_second = 1;
  storage_memory_open(&over, "b1");
  stage_begin(&self, over, &slow);
  player *a = stage_connect(&self, "a", "ann", false);
  stage_create(&self, a, "g", "");
  for (int i = 1; i <= 3; i++)
    stage_text_to(&self, a, "g", i);
  for (int i = 1; i <= 3; i++)
    stage_send(&self, a,
               "{\"t\":\"read\",\"items\":[{\"conv\":\"g\",\"epoch\":0,\"seq\":"
               "%d}]}",
               i);
  stage_close(&self, a);
  a = stage_connect(&self, "a", "ann", false);
  assert_int_equal(stage_row_number(&self, a, "g", "read.seq"), 3);
  stage_end(&self);
}

static void test_state__other_frames_over_the_rate_are_refused(void **state) {
  static stage self;
  limits slow;
  storage over;
  (void)state;
  limits_init(&slow);
  slow.requests_burst = 2;
  slow.requests_per_second = 4;
  storage_memory_open(&over, "b1");
  stage_begin(&self, over, &slow);
  player *a = stage_connect(&self, "a", "ann", false);
  stage_create(&self, a, "g", "");
  stage_do(&self, a, "{\"t\":\"sync\",\"version\":0}");
  cJSON *mark = stage_ask(&self, a,
                          "{\"t\":\"mark_unread\",\"op\":\"x\",\"conv\":\"g\","
                          "\"expected\":{\"epoch\":0,\"seq\":1},\"target\":0}");
  assert_string_equal(stage_text(mark, "items.0.code"), "rate_limited");
  cJSON_Delete(mark);
  cJSON *other = stage_ask(&self, a, "{\"t\":\"read_all\",\"as_of\":1}");
  assert_string_equal(stage_text(other, "code"), "rate_limited");
  assert_int_equal(stage_number(other, "retry_ms"), 250);
  cJSON_Delete(other);
  stage_wait(&self, 250);
  cJSON *changes = stage_ask(&self, a, "{\"t\":\"sync\",\"version\":0}");
  assert_string_equal(stage_text(changes, "t"), "changes");
  cJSON_Delete(changes);
  stage_end(&self);
}

/* An answer comes, and no other one. */
static void is_refused(stage *self, player *from, const char *code,
                       const char *frame) {
  cJSON *answer = stage_ask(self, from, "%s", frame);
  assert_string_equal(stage_text(answer, "t"), "error");
  assert_string_equal(stage_text(answer, "code"), code);
  cJSON_Delete(answer);
  assert_int_equal(stage_count(from, "error"), 0);
}

static void
test_state__a_wrong_change_of_members_is_refused_and_is_none(void **state) {
  stage *self = *state;
  player *a = stage_connect(self, "a", "ann", false);
  uint64_t version;
  stage_create(self, a, "g", "\"bob\"");
  stage_do(self, a, "{\"t\":\"create\",\"op\":\"o1\",\"conv\":\"h\"}");
  version = server_version(self->server);
  is_refused(self, a, "invalid", "{\"t\":\"create\",\"op\":\"o2\"}");
  is_refused(self, a, "invalid",
             "{\"t\":\"create\",\"op\":\"o2\",\"conv\":\"i\",\"kind\":7}");
  is_refused(self, a, "op_reused",
             "{\"t\":\"create\",\"op\":\"o1\",\"conv\":\"i\"}");
  is_refused(self, a, "invalid", "{\"t\":\"add\",\"op\":\"o2\"}");
  is_refused(self, a, "op_reused",
             "{\"t\":\"remove\",\"op\":\"o1\",\"conv\":\"g\",\"users\":[\"bob\""
             "]}");
  is_refused(self, a, "invalid", "{\"t\":\"join\",\"op\":\"o2\"}");
  is_refused(self, a, "op_reused",
             "{\"t\":\"join\",\"op\":\"o1\",\"conv\":\"g\"}");
  is_refused(self, a, "invalid", "{\"t\":\"leave\",\"op\":\"o2\"}");
  is_refused(self, a, "op_reused",
             "{\"t\":\"leave\",\"op\":\"o1\",\"conv\":\"g\"}");
  assert_int_equal(server_version(self->server), version);
  assert_null(stage_row(self, a, "i"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_state__nothing_leaves_before_its_commit),
      TEST(test_state__who_left_hears_nothing_more),
      TEST(test_state__dirty_rows_wait_for_the_commit_too),
      TEST(test_state__a_row_and_a_word_that_wait_become_the_row),
      cmocka_unit_test(test_state__a_storage_that_fails_changes_nothing),
      cmocka_unit_test(test_state__nor_does_a_database_that_fails),
      TEST(test_state__what_was_answered_survives_a_restart),
      cmocka_unit_test(
          test_state__too_fast_is_answered_late_and_nothing_is_lost),
      cmocka_unit_test(
          test_state__what_waited_is_taken_when_the_connection_goes),
      cmocka_unit_test(test_state__other_frames_over_the_rate_are_refused),
      TEST(test_state__a_wrong_change_of_members_is_refused_and_is_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
