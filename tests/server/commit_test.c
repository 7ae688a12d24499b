/* What a turn writes at its end: each row once, all of them or none. */
#include "server/faulty.h"
#include "server/stage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 40, LEAST = 8 };

/* Fewer in slow builds. */
static int conversations(void) {
  int count = (int)stage_scaled(MOST);
  return count > LEAST ? count : LEAST;
}

typedef struct scene {
  faulty over;
  stage stage;
  player *ann;
  player *bob;
} scene;

/* Both in many conversations of three messages of ann's. */
static void begin(scene *self, storage inner) {
  char conv[16];
  faulty_begin(&self->over, inner);
  stage_begin(&self->stage, self->over.storage, NULL);
  self->ann = stage_connect(&self->stage, "a", "ann", false);
  self->bob = stage_connect(&self->stage, "b", "bob", false);
  for (int i = 0; i < conversations(); i++) {
    snprintf(conv, sizeof conv, "g%d", i);
    stage_create(&self->stage, self->ann, conv, "\"bob\"");
    for (int n = 1; n <= 3; n++)
      stage_text_to(&self->stage, self->ann, conv, n);
  }
  stage_drop(self->ann);
  stage_drop(self->bob);
}

/* `seq` is read in all of them; nothing is committed yet. */
static uint64_t put_reads(scene *self, player *by, int seq) {
  static char items[MOST * 64];
  size_t length = 0;
  for (int i = 0; i < conversations(); i++)
    length += (size_t)snprintf(items + length, sizeof items - length,
                               "%s{\"conv\":\"g%d\",\"epoch\":0,\"seq\":%d}",
                               i ? "," : "", i, seq);
  return stage_put(&self->stage, by, "{\"t\":\"read\",\"items\":[%s]}", items);
}

/* All rows of both, as the server has them. */
static char *rows_text(scene *self) {
  cJSON *all = cJSON_CreateArray();
  char conv[16];
  for (int i = 0; i < conversations(); i++) {
    snprintf(conv, sizeof conv, "g%d", i);
    cJSON_AddItemToArray(all, stage_row(&self->stage, self->ann, conv));
    cJSON_AddItemToArray(all, stage_row(&self->stage, self->bob, conv));
  }
  char *text = cJSON_PrintUnformatted(all);
  cJSON_Delete(all);
  return text;
}

static void restart(scene *self) {
  stage_restart(&self->stage);
  self->ann = stage_connect(&self->stage, "a", "ann", false);
  self->bob = stage_connect(&self->stage, "b", "bob", false);
}

static int open_memory(storage *self) {
  return storage_memory_open(self, "b1");
}

static int open_sqlite(storage *self) {
  return storage_sqlite_open(self, ":memory:", "b1", NULL);
}

static void test_commit__a_row_that_changed_often_is_written_once(void **s) {
  static scene self;
  storage inner;
  (void)s;
  assert_int_equal(open_memory(&inner), SEEN_OK);
  begin(&self, inner);
  uint64_t before = self.over.writes;
  for (int seq = 1; seq <= 3; seq++)
    put_reads(&self, self.bob, seq);
  assert_int_equal(self.over.writes, before);
  stage_turn(&self.stage);
  /* Of each conversation the member's row, and its own for who is offline. */
  assert_int_equal(self.over.writes, before + 2 * (uint64_t)conversations());
  assert_int_equal(stage_count(self.bob, "ack"), 3);
  before = self.over.writes;
  for (int n = 4; n <= 6; n++)
    stage_put(&self.stage, self.ann,
              "{\"t\":\"send\",\"op\":\"o%d\",\"conv\":\"g0\"}", n);
  stage_turn(&self.stage);
  /* Three messages, three ops, one conversation. */
  assert_int_equal(self.over.writes, before + 7);
  stage_end(&self.stage);
}

static void test_commit__rows_asked_for_in_its_turn_are_as_changed(void **s) {
  static scene self;
  storage inner;
  (void)s;
  assert_int_equal(open_sqlite(&inner), SEEN_OK);
  begin(&self, inner);
  uint64_t version = server_version(self.stage.server);
  put_reads(&self, self.bob, 2);
  uint64_t id = stage_put(&self.stage, self.bob,
                          "{\"t\":\"sync\",\"version\":%d}", (int)version);
  put_reads(&self, self.bob, 3);
  stage_turn(&self.stage);
  cJSON *changes = stage_take(self.bob, "changes", id);
  const cJSON *rows = stage_at(changes, "conversations");
  assert_int_equal(cJSON_GetArraySize(rows), conversations());
  assert_int_equal(stage_number(rows, "0.read.seq"), 2);
  cJSON_Delete(changes);
  restart(&self);
  assert_int_equal(stage_row_number(&self.stage, self.bob, "g7", "read.seq"),
                   3);
  stage_end(&self.stage);
}

/* One turn of many rows; whether it was committed. */
static bool change_all(scene *self) {
  uint64_t ids[3];
  const char *code;
  ids[0] = put_reads(self, self->bob, 2);
  ids[1] = stage_put(&self->stage, self->bob,
                     "{\"t\":\"mark_unread\",\"op\":\"u\",\"conv\":\"g5\","
                     "\"expected\":{\"epoch\":0,\"seq\":2},\"target\":1}");
  ids[2] = stage_put(&self->stage, self->bob,
                     "{\"t\":\"send\",\"op\":\"s\",\"conv\":\"g6\"}");
  stage_turn(&self->stage);
  for (int i = 0; i < 3; i++) {
    cJSON *answer = stage_answer(self->bob, ids[i]);
    code = stage_text(answer, "code");
    assert_string_equal(code, self->stage.commits ? "" : "storage");
    cJSON_Delete(answer);
  }
  return self->stage.commits;
}

/* What a client would resume from is what was committed. */
static void says_version(scene *self, uint64_t version) {
  cJSON *changes = stage_ask(&self->stage, self->bob,
                             "{\"t\":\"sync\",\"version\":%d}", (int)version);
  assert_int_equal(stage_number(changes, "version"), version);
  cJSON_Delete(changes);
}

static void fail_at(storage inner, uint64_t call, const char *expected) {
  static scene self;
  begin(&self, inner);
  char *before = rows_text(&self);
  uint64_t version = server_version(self.stage.server);
  self.over.fails_at = call;
  assert_false(change_all(&self));
  assert_int_equal(server_version(self.stage.server), version);
  says_version(&self, version);
  char *after = rows_text(&self);
  assert_string_equal(after, before);
  free(after);
  restart(&self);
  after = rows_text(&self);
  assert_string_equal(after, before);
  free(after);
  free(before);
  assert_true(change_all(&self));
  after = rows_text(&self);
  assert_string_equal(after, expected);
  free(after);
  stage_end(&self.stage);
}

/* Whichever call of the turn fails: none of its rows has changed. */
static void sweep(int (*open)(storage *)) {
  static scene self;
  storage inner;
  assert_int_equal(open(&inner), SEEN_OK);
  begin(&self, inner);
  uint64_t calls = self.over.calls, writes = self.over.writes;
  assert_true(change_all(&self));
  calls = self.over.calls - calls;
  assert_true(self.over.writes - writes >= (uint64_t)conversations() + 3);
  char *expected = rows_text(&self);
  stage_end(&self.stage);
  for (uint64_t at = 1; at <= calls; at++) {
    assert_int_equal(open(&inner), SEEN_OK);
    fail_at(inner, at, expected);
  }
  free(expected);
}

static void test_commit__of_many_rows_that_fails_changes_none(void **state) {
  (void)state;
  sweep(open_memory);
}

static void test_commit__in_a_database_neither(void **state) {
  (void)state;
  sweep(open_sqlite);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_commit__a_row_that_changed_often_is_written_once),
      cmocka_unit_test(test_commit__rows_asked_for_in_its_turn_are_as_changed),
      cmocka_unit_test(test_commit__of_many_rows_that_fails_changes_none),
      cmocka_unit_test(test_commit__in_a_database_neither),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
