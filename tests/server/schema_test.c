/*
 * A database made by another version of the server: an older one is brought to
 * the present schema and says what it said, a newer one is left alone.
 */
#define _XOPEN_SOURCE 700

#include "check.h"

#include "server/stage.h"

#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct place {
  char folder[64];
  char path[96];
} place;

static int begin(void **state) {
  place *at = calloc(1, sizeof *at);
  assert_non_null(at);
  *state = at;
  strcpy(at->folder, "/tmp/seen-schema-XXXXXX");
  assert_non_null(mkdtemp(at->folder));
  snprintf(at->path, sizeof at->path, "%s/db", at->folder);
  return 0;
}

static int end(void **state) {
  place *at = *state;
  unlink(at->path);
  rmdir(at->folder);
  free(at);
  return 0;
}

static void make(place *at, const char *sql) {
  sqlite3 *file;
  char *why = NULL;
  assert_int_equal(sqlite3_open(at->path, &file), SQLITE_OK);
  if (sqlite3_exec(file, sql, NULL, NULL, &why) != SQLITE_OK)
    fail_msg("%s", why);
  sqlite3_close(file);
}

static int ask(place *at, const char *sql) {
  sqlite3 *file;
  sqlite3_stmt *of;
  assert_int_equal(sqlite3_open(at->path, &file), SQLITE_OK);
  assert_int_equal(sqlite3_prepare_v2(file, sql, -1, &of, NULL), SQLITE_OK);
  assert_int_equal(sqlite3_step(of), SQLITE_ROW);
  int answer = sqlite3_column_int(of, 0);
  sqlite3_finalize(of);
  sqlite3_close(file);
  return answer;
}

static void make_version_1(place *at) {
  static char sql[16384];
  FILE *from = fopen(SEEN_ROOT "/tests/server/schema1.sql", "r");
  assert_non_null(from);
  sql[fread(sql, 1, sizeof sql - 1, from)] = '\0';
  assert_true(feof(from));
  fclose(from);
  make(at, sql);
}

static void open_stage(place *at, stage *on) {
  storage over;
  assert_int_equal(storage_sqlite_open(&over, at->path, "another", NULL),
                   SEEN_OK);
  stage_begin(on, over, NULL);
}

/* A row holds at least this. */
static void expect_row(stage *on, player *from, const char *conv,
                       const char *least) {
  cJSON *row = stage_row(on, from, conv), *wanted = cJSON_Parse(least);
  assert_non_null(wanted);
  if (!stage_holds(row, wanted)) {
    char *came = cJSON_PrintUnformatted(row);
    fail_msg("%s, not %s", came, least);
  }
  cJSON_Delete(row);
  cJSON_Delete(wanted);
}

static void test_schema__a_file_of_version_1_says_what_it_said(void **state) {
  static stage on;
  place *at = *state;
  make_version_1(at);
  open_stage(at, &on);
  player *ann = stage_connect(&on, "a", "ann", true);
  cJSON *welcome = stage_take(ann, "welcome", 0);
  assert_string_equal(stage_text(welcome, "incarnation"), "b1");
  assert_int_equal(stage_number(welcome, "version"), 28);
  cJSON_Delete(welcome);
  player *bob = stage_connect(&on, "b", "bob", false);
  player *cem = stage_connect(&on, "c", "cem", false);
  expect_row(&on, ann, "g",
             "{\"last_seq\":9,\"uncountable\":[[2,3],[5,9]],\"from\":1,"
             "\"mentions\":[{\"seq\":4,\"why\":\"me\"}],\"floor\":1,"
             "\"version\":22,\"unread\":1}");
  expect_row(&on, bob, "g",
             "{\"read\":{\"epoch\":1,\"seq\":2,\"high\":6},"
             "\"uncountable\":[[2,4],6,[8,9]],\"delivered_seq\":6,"
             "\"mentions\":[{\"seq\":7,\"why\":\"me\"}],\"unread\":2}");
  expect_row(&on, bob, "h", "{\"leave_seq\":0,\"muted\":true}");
  expect_row(&on, cem, "g",
             "{\"read\":{\"epoch\":1,\"seq\":9,\"high\":9},\"join_seq\":9,"
             "\"unread\":0,\"mentions\":[]}");
  stage_end(&on);
}

static void test_schema__a_file_of_version_1_knows_its_ops(void **state) {
  static stage on;
  place *at = *state;
  make_version_1(at);
  open_stage(at, &on);
  player *ann = stage_connect(&on, "a", "ann", true);
  player *bob = stage_connect(&on, "b", "bob", false);
  cJSON *ack = stage_ask(
      &on, ann, "{\"t\":\"send\",\"op\":\"a3\",\"conv\":\"g\",\"body\":\"x\"}");
  assert_int_equal(stage_number(ack, "items.0.seq"), 5);
  cJSON_Delete(ack);
  ack = stage_ask(&on, bob,
                  "{\"t\":\"mark_unread\",\"op\":\"u1\",\"conv\":\"g\","
                  "\"expected\":{\"epoch\":0,\"seq\":6},\"target\":2}");
  assert_string_equal(stage_text(ack, "items.0.result"), "ok");
  assert_int_equal(stage_number(ack, "items.0.read.epoch"), 1);
  cJSON_Delete(ack);
  ack = stage_ask(
      &on, ann, "{\"t\":\"send\",\"op\":\"z\",\"conv\":\"g\",\"body\":\"x\"}");
  assert_int_equal(stage_number(ack, "items.0.seq"), 10);
  assert_true(stage_number(ack, "items.0.version") > 28);
  cJSON_Delete(ack);
  stage_end(&on);
}

static void no_finding(void *to, const char *line) {
  (void)to;
  fail_msg("%s", line);
}

static void test_schema__a_file_of_version_1_becomes_one_of_now(void **state) {
  check_report report = {no_finding, NULL, 0, 0};
  place *at = *state, fresh = *at;
  char why[256];
  storage over;
  make_version_1(at);
  assert_int_equal(storage_sqlite_open(&over, at->path, "x", NULL), SEEN_OK);
  over.close(over.self);
  snprintf(fresh.path, sizeof fresh.path, "%s/fresh", at->folder);
  assert_int_equal(storage_sqlite_open(&over, fresh.path, "x", NULL), SEEN_OK);
  over.close(over.self);
  assert_int_equal(ask(at, "PRAGMA user_version"),
                   ask(&fresh, "PRAGMA user_version"));
  assert_true(check_file(at->path, false, &report, why, sizeof why));
  unlink(fresh.path);
}

static void test_schema__a_newer_file_is_left_alone(void **state) {
  place *at = *state;
  storage over;
  make_version_1(at);
  make(at, "PRAGMA user_version = 99");
  assert_int_equal(storage_sqlite_open(&over, at->path, "x", NULL),
                   SEEN_ESCHEMA);
  assert_int_equal(ask(at, "PRAGMA user_version"), 99);
  assert_int_equal(ask(at, "SELECT count(*) FROM messages"), 9);
}

static void test_schema__a_file_of_something_else_is_left_alone(void **state) {
  seen_error error = SEEN_ERROR_INIT;
  place *at = *state;
  storage over;
  make(at, "CREATE TABLE songs (a); INSERT INTO songs VALUES (1)");
  assert_int_equal(storage_sqlite_open(&over, at->path, "x", &error),
                   SEEN_ESCHEMA);
  assert_non_null(strstr(error.message, "of something else"));
  assert_int_equal(ask(at, "PRAGMA user_version"), 0);
  assert_int_equal(ask(at, "SELECT count(*) FROM sqlite_master"), 1);
  assert_int_equal(ask(at, "SELECT a FROM songs"), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_schema__a_file_of_version_1_says_what_it_said),
      TEST(test_schema__a_file_of_version_1_knows_its_ops),
      TEST(test_schema__a_file_of_version_1_becomes_one_of_now),
      TEST(test_schema__a_newer_file_is_left_alone),
      TEST(test_schema__a_file_of_something_else_is_left_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
