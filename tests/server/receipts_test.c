/* What others see of a reader, and what a member has open. */
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

static void test_receipts__peers_merge_within_a_window(void **state) {
  stage *self = *state;
  player *a = stage_connect(self, "a", "ann", false);
  player *b = stage_connect(self, "b", "bob", false);
  stage_create(self, a, "g", "\"bob\",\"cyd\"");
  for (int i = 1; i <= 40; i++)
    stage_text_to(self, a, "g", i);
  stage_drop(a);
  for (int i = 1; i <= 40; i++) {
    stage_read(self, b, "g", i);
    stage_wait(self, 50);
  }
  stage_wait(self, 1000);
  size_t count = stage_count(a, "peer");
  assert_true(count >= 2 && count <= 4);
  for (size_t i = 1; i < count; i++)
    cJSON_Delete(stage_take(a, "peer", 0));
  cJSON *last = stage_take(a, "peer", 0);
  assert_int_equal(stage_number(last, "items.0.read_seq"), 40);
  cJSON_Delete(last);
  assert_int_equal(stage_count(b, "peer"), 0);
}

static void test_receipts__above_the_limit_no_position_travels(void **state) {
  stage *self = *state;
  self->limits.peer_limit = 2;
  stage_restart(self);
  player *a = stage_connect(self, "a", "ann", false);
  player *b = stage_connect(self, "b", "bob", false);
  stage_create(self, a, "two", "\"bob\"");
  stage_create(self, a, "three", "\"bob\",\"cyd\"");
  stage_text_to(self, a, "two", 1);
  stage_text_to(self, a, "three", 1);
  stage_drop(a);
  stage_read(self, b, "three", 1);
  stage_wait(self, 2000);
  assert_int_equal(stage_count(a, "peer"), 0);
  stage_read(self, b, "two", 1);
  stage_wait(self, 2000);
  assert_int_equal(stage_count(a, "peer"), 1);
}

/* R3: who does not know yet that somebody left and came back would count what
 * they read since for the membership of before. */
static void test_receipts__beside_rows_to_come_the_row_is_told(void **state) {
  stage *self = *state;
  self->limits.page_rows = 1;
  stage_restart(self);
  player *a = stage_connect(self, "a", "ann", false);
  player *b = stage_connect(self, "b", "bob", false);
  player *c = stage_connect(self, "c", "cyd", false);
  stage_create(self, a, "f", "\"bob\",\"cyd\"");
  stage_create(self, a, "g", "\"bob\",\"cyd\"");
  stage_do(self, b, "{\"t\":\"leave\",\"op\":\"l\",\"conv\":\"g\"}");
  stage_do(self, a,
           "{\"t\":\"add\",\"op\":\"a\",\"conv\":\"g\",\"users\":[\"bob\"]}");
  stage_close(self, a);
  stage_text_to(self, c, "g", 1);
  int last = (int)stage_row_number(self, c, "g", "last_seq");
  a = stage_connect(self, "a2", "ann", false);
  cJSON *page = stage_take(a, "changes", 0);
  assert_true(cJSON_IsTrue(stage_at(page, "more")));
  cJSON_Delete(page);
  stage_read(self, b, "g", last);
  stage_wait(self, 2000);
  assert_int_equal(stage_count(a, "peer"), 0);
  cJSON *row = stage_take(a, "changes", 0);
  assert_string_equal(stage_text(row, "conversations.0.id"), "g");
  cJSON_Delete(row);
  stage_do(self, a, "{\"t\":\"sync\",\"version\":1000}"); /* none to come */
  stage_text_to(self, c, "g", 2);
  stage_read(self, b, "g", last + 1);
  stage_wait(self, 2000);
  assert_int_equal(stage_count(a, "peer"), 1);
}

/* A page of one who read; the status, and the cursor of the next. */
static int ask_readers(stage *self, const char *user, const char *cursor,
                       char *next) {
  identity who = {.admin = true};
  strcpy(who.user, user);
  response came = http_read_receipts(self->server, &who, "g:1", "read", cursor,
                                     1, self->now);
  cJSON *page = cJSON_ParseWithLength(came.body, came.length);
  strcpy(next, stage_text(page, "cursor"));
  int status = came.status;
  cJSON_Delete(page);
  response_free(&came);
  return status;
}

static void test_receipts__a_cursor_is_of_who_was_given_it(void **state) {
  stage *self = *state;
  char cursor[1024], next[1024];
  player *a = stage_connect(self, "a", "ann", false);
  player *b = stage_connect(self, "b", "bob", false);
  player *c = stage_connect(self, "c", "cyd", false);
  stage_create(self, a, "g", "\"bob\",\"cyd\"");
  stage_text_to(self, a, "g", 1);
  stage_read(self, b, "g", 1);
  stage_read(self, c, "g", 1);
  assert_int_equal(ask_readers(self, "ann", NULL, cursor), 200);
  assert_true(*cursor);
  assert_int_equal(ask_readers(self, "root", cursor, next), 400);
  assert_int_equal(ask_readers(self, "ann", cursor, next), 200);
  assert_false(*next);
}

static void test_mentions__the_newest_256_are_kept(void **state) {
  stage *self = *state;
  player *a = stage_connect(self, "a", "ann", false);
  player *b = stage_connect(self, "b", "bob", false);
  stage_create(self, a, "g", "\"bob\"");
  for (int i = 1; i <= 300; i++)
    stage_do(self, a,
             "{\"t\":\"send\",\"op\":\"m%d\",\"conv\":\"g\",\"mentions\":%s}",
             i, i % 2 ? "\"all\"" : "[\"bob\"]");
  cJSON *row = stage_row(self, b, "g");
  assert_int_equal(cJSON_GetArraySize(stage_at(row, "mentions")), 256);
  assert_int_equal(stage_number(row, "mentions.0.seq"), 45);
  cJSON_Delete(row);
  stage_do(self, b,
           "{\"t\":\"read\",\"items\":[{\"conv\":\"g\",\"epoch\":0,\"seq\":1,"
           "\"cleared\":[300,299]}]}");
  row = stage_row(self, b, "g");
  assert_int_equal(cJSON_GetArraySize(stage_at(row, "mentions")), 254);
  cJSON_Delete(row);
  stage_restart(self);
  b = stage_connect(self, "b", "bob", false);
  row = stage_row(self, b, "g");
  assert_int_equal(cJSON_GetArraySize(stage_at(row, "mentions")), 254);
  cJSON_Delete(row);
}

static void
test_receipts__a_roster_does_not_tell_what_was_read_while_off(void **state) {
  stage *self = *state;
  player *a = stage_connect(self, "a", "ann", false);
  player *b = stage_connect(self, "b", "bob", false);
  stage_create(self, a, "g", "\"bob\"");
  for (int i = 1; i <= 9; i++)
    stage_text_to(self, a, "g", i);
  stage_read(self, b, "g", 4);
  stage_do(self, b, "{\"t\":\"settings\",\"receipts\":false}");
  stage_read(self, b, "g", 7);
  cJSON *row = stage_row(self, a, "g");
  char *text = cJSON_PrintUnformatted(stage_at(row, "roster"));
  assert_null(strstr(text, "bob"));
  free(text);
  cJSON_Delete(row);
  stage_do(self, b, "{\"t\":\"settings\",\"receipts\":true}");
  stage_read(self, b, "g", 8);
  row = stage_row(self, a, "g");
  const cJSON *entry;
  int stretches = 0;
  cJSON_ArrayForEach(entry, stage_at(row, "roster")) {
    if (strcmp(stage_text(entry, "user"), "bob") != 0) continue;
    stretches++;
    if (stage_number(entry, "join") == 1) {
      assert_int_equal(stage_number(entry, "leave"), 4);
      assert_int_equal(stage_number(entry, "read_seq"), 4);
    } else {
      assert_int_equal(stage_number(entry, "join"), 10);
      assert_null(stage_at(entry, "read_seq"));
    }
  }
  assert_int_equal(stretches, 2);
  cJSON_Delete(row);
}

static void
test_receipts__who_was_offline_gets_the_roster_that_changed(void **state) {
  stage *self = *state;
  char hello[100];
  player *a = stage_connect(self, "a", "ann", false);
  player *b = stage_connect(self, "b", "bob", false);
  stage_create(self, a, "g", "\"bob\"");
  stage_close(self, a);
  snprintf(hello, sizeof hello, ",\"incarnation\":\"b1\",\"version\":%" PRIu64,
           server_version(self->server));
  stage_do(self, b, "{\"t\":\"settings\",\"receipts\":false}");
  stage_drop(a);
  a = stage_connect_as(self, "a", "ann", false, hello);
  cJSON *rows = stage_take(a, "changes", 0);
  char *text = cJSON_PrintUnformatted(stage_at(rows, "conversations.0.roster"));
  assert_non_null(text);
  assert_null(strstr(text, "bob"));
  free(text);
  cJSON_Delete(rows);
}

static void
test_mentions__one_that_waits_for_approval_outlives_a_restart(void **state) {
  stage *self = *state;
  player *root = stage_connect(self, "r", "root", true);
  stage_do(self, root,
           "{\"t\":\"create\",\"op\":\"c\",\"conv\":\"g\",\"moderated\":true,"
           "\"users\":[\"ann\",\"bob\"]}");
  player *b = stage_connect(self, "b", "bob", false);
  stage_do(self, b,
           "{\"t\":\"send\",\"op\":\"m\",\"conv\":\"g\",\"mentions\":\"all\"}");
  stage_do(self, root,
           "{\"t\":\"send\",\"op\":\"n\",\"conv\":\"g\",\"mentions\":\"all\"}");
  stage_restart(self);
  player *a = stage_connect(self, "a", "ann", false);
  stage_read(self, a, "g", 2); /* clears one, which settles the list */
  stage_restart(self);
  root = stage_connect(self, "r", "root", true);
  stage_do(self, root,
           "{\"t\":\"admin\",\"op\":\"o\",\"act\":\"approve\",\"conv\":\"g\","
           "\"seq\":1}");
  a = stage_connect(self, "a", "ann", false);
  cJSON *row = stage_row(self, a, "g");
  assert_int_equal(cJSON_GetArraySize(stage_at(row, "mentions")), 1);
  assert_int_equal(stage_number(row, "mentions.0.seq"), 1);
  cJSON_Delete(row);
}

static void test_receipts__sums_are_recounted_now_and_then(void **state) {
  stage *self = *state;
  player *a = stage_connect(self, "a", "ann", false);
  player *b = stage_connect(self, "b", "bob", false);
  stage_create(self, a, "g", "\"bob\"");
  stage_text_to(self, a, "g", 1);
  stage_read(self, b, "g", 1);
  stage_wait(self, 5000);
  const metrics *counted = server_metrics(self->server);
  assert_true(counted->counts_checked >= 4);
  assert_int_equal(counted->counts_drifted, 0);
}

/* Names of 61 letters that JSON doubles. */
static void
test_receipts__members_that_do_not_fit_a_frame_come_as_rows(void **state) {
  enum { ADDED = 470, DOUBLED = 61 };
  stage *self = *state;
  static char users[70000];
  char *end = users;
  player *a = stage_connect(self, "a", "ann", false);
  stage_create(self, a, "g", "");
  for (int i = 0; i < ADDED; i++) {
    end += sprintf(end, "%s\"%03d", i ? "," : "", i);
    for (int k = 0; k < DOUBLED; k++)
      end += sprintf(end, "\\\\");
    end += sprintf(end, "\"");
  }
  stage_drop(a);
  stage_do(self, a,
           "{\"t\":\"add\",\"op\":\"o\",\"conv\":\"g\",\"users\":[%s]}", users);
  assert_int_equal(stage_count(a, "members"), 0);
  assert_int_equal(stage_count(a, "changes"), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_receipts__peers_merge_within_a_window),
      TEST(test_receipts__beside_rows_to_come_the_row_is_told),
      TEST(test_receipts__above_the_limit_no_position_travels),
      TEST(test_receipts__a_cursor_is_of_who_was_given_it),
      TEST(test_mentions__the_newest_256_are_kept),
      TEST(test_receipts__a_roster_does_not_tell_what_was_read_while_off),
      TEST(test_receipts__who_was_offline_gets_the_roster_that_changed),
      TEST(test_mentions__one_that_waits_for_approval_outlives_a_restart),
      TEST(test_receipts__members_that_do_not_fit_a_frame_come_as_rows),
      TEST(test_receipts__sums_are_recounted_now_and_then),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
