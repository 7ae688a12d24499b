/*
 * `seen-server check`: a database that a server wrote is clean, each planted
 * fault is found, and what can be repaired is, once.
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
  char made[96]; /* what the server wrote */
  char copy[96]; /* what faults are planted in */
  char lines[8192];
  size_t found, repaired;
} place;

static void texts(stage *on, player *from, int count) {
  static int n; /* an op is taken once */
  for (int i = 0; i < count; i++)
    stage_text_to(on, from, "g", n++);
}

/* Texts, mentions, a recall, reads, a mark, a rejoin. */
static void play(const char *path) {
  static stage on;
  storage over;
  assert_int_equal(storage_sqlite_open(&over, path, "b1", NULL), SEEN_OK);
  stage_begin(&on, over, NULL);
  player *ann = stage_connect(&on, "ann", "ann", true);
  player *bob = stage_connect(&on, "bob", "bob", false);
  player *cem = stage_connect(&on, "cem", "cem", false);
  stage_create(&on, ann, "g", "\"bob\",\"cem\"");
  texts(&on, ann, 6);
  texts(&on, bob, 4);
  stage_do(&on, ann,
           "{\"t\":\"send\",\"op\":\"m1\",\"conv\":\"g\","
           "\"body\":\"x\",\"mentions\":[\"bob\"]}");
  stage_do(&on, ann,
           "{\"t\":\"send\",\"op\":\"m2\",\"conv\":\"g\","
           "\"body\":\"x\",\"mentions\":\"all\"}");
  stage_do(&on, ann,
           "{\"t\":\"send\",\"op\":\"m3\",\"conv\":\"g\","
           "\"kind\":\"recall\",\"target\":4}");
  stage_read(&on, bob, "g", 11);
  stage_read(&on, cem, "g", 8);
  stage_do(&on, cem,
           "{\"t\":\"mark_unread\",\"op\":\"u1\",\"conv\":\"g\","
           "\"expected\":{\"epoch\":0,\"seq\":8},\"target\":5}");
  stage_do(&on, ann,
           "{\"t\":\"remove\",\"op\":\"r1\",\"conv\":\"g\","
           "\"users\":[\"cem\"]}");
  texts(&on, ann, 2);
  stage_do(&on, ann,
           "{\"t\":\"add\",\"op\":\"a1\",\"conv\":\"g\","
           "\"users\":[\"cem\"]}");
  texts(&on, bob, 3);
  stage_end(&on);
}

static void collect(void *self, const char *line) {
  place *at = self;
  size_t used = strlen(at->lines);
  snprintf(at->lines + used, sizeof at->lines - used, "%s\n", line);
}

static bool check(place *at, const char *path, bool repair) {
  check_report report = {collect, at, 0, 0};
  char why[256];
  at->lines[0] = '\0';
  bool ran = check_file(path, repair, &report, why, sizeof why);
  at->found = report.found;
  at->repaired = report.repaired;
  return ran;
}

static void copy_file(const char *from, const char *to) {
  char bytes[4096];
  size_t length;
  FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
  assert_non_null(in);
  assert_non_null(out);
  while ((length = fread(bytes, 1, sizeof bytes, in)) > 0)
    assert_int_equal(fwrite(bytes, 1, length, out), length);
  fclose(in);
  assert_int_equal(fclose(out), 0);
}

static void plant(place *at, const char *sql) {
  sqlite3 *file;
  copy_file(at->made, at->copy);
  assert_int_equal(sqlite3_open(at->copy, &file), SQLITE_OK);
  if (sqlite3_exec(file, sql, NULL, NULL, NULL) != SQLITE_OK)
    fail_msg("%s: %s", sql, sqlite3_errmsg(file));
  assert_true(sqlite3_total_changes(file) > 0);
  sqlite3_close(file);
}

static int begin(void **state) {
  place *at = calloc(1, sizeof *at);
  assert_non_null(at);
  *state = at;
  strcpy(at->folder, "/tmp/seen-check-XXXXXX");
  assert_non_null(mkdtemp(at->folder));
  snprintf(at->made, sizeof at->made, "%s/made", at->folder);
  snprintf(at->copy, sizeof at->copy, "%s/copy", at->folder);
  play(at->made);
  return 0;
}

static int end(void **state) {
  place *at = *state;
  unlink(at->made);
  unlink(at->copy);
  rmdir(at->folder);
  free(at);
  return 0;
}

typedef struct fault {
  const char *sql;
  const char *says; /* part of a line */
} fault;

#define BOB " WHERE user = 'bob'"

/* A change that an index does not hear of. */
#define WITHOUT(index, change)                                                 \
  "PRAGMA writable_schema = ON;"                                               \
  "CREATE TEMP TABLE kept AS SELECT * FROM sqlite_master"                      \
  "  WHERE name = '" index "';"                                                \
  "DELETE FROM sqlite_master WHERE name = '" index "';"                        \
  "PRAGMA writable_schema = RESET;" change "PRAGMA writable_schema = ON;"      \
  "INSERT INTO sqlite_master SELECT * FROM kept;"                              \
  "PRAGMA writable_schema = RESET;"

static const fault repairable[] = {
    {"UPDATE members SET seq = 999" BOB, "user \"bob\": read is 999, not "},
    {"UPDATE members SET seq = -1" BOB, "read is -1, not 0"},
    {"UPDATE members SET high = 999" BOB, "high is 999"},
    {"UPDATE members SET receipt = 999" BOB, "the receipt is 999"},
    {"UPDATE members SET receipt = 2 WHERE user = 'cem'", "the receipt is 2"},
    {"UPDATE members SET delivered = 1" BOB, "delivered is 1, not "},
    {"UPDATE members SET settled = 999" BOB, "settled is 999"},
    {"UPDATE members SET settled = 12, mentions = '3 12'" BOB,
     "open mentions \"3 12\", not \"12\""},
    {"UPDATE members SET settled = 12, mentions = '12 11'" BOB,
     "open mentions \"12 11\", not \"11 12\""},
    {"UPDATE members SET mentions = '1 x'" BOB, "open mentions \"1 x\""},
    {"UPDATE members SET leave_seq = 999" BOB, "leaves at 999"},
    {"UPDATE conversations SET last_seq = 5", "last_seq is 5, not "},
    {"UPDATE conversations SET floor = 3", "seq 2: kept below the floor 3"},
    {"UPDATE conversations SET version = 1", "version 1, a message has "},
    {"UPDATE root SET version = 1", "file: version 1, a row has "},
    {"UPDATE members SET marked_at = 99999" BOB, "a row has 99999"},
    {"UPDATE messages SET state = 0 WHERE seq = 4", "seq 4: recalled by 13"},
    {"UPDATE messages SET state = 0 WHERE seq = 13", "seq 13: counts"},
    /* An index that does not know what its table says. */
    {WITHOUT("messages_uncountable",
             "UPDATE messages SET state = 1 WHERE seq = 6;"),
     "file: "},
};

static const fault lasting[] = {
    {"DELETE FROM messages WHERE seq = 6", "are missing 1"},
    {"UPDATE conversations SET last_seq = last_seq + 2", "are missing 2"},
    {"UPDATE members SET join_seq = 900" BOB, "joins at 900"},
    {"UPDATE members SET past = '1-19:1:1' WHERE user = 'cem'",
     "user \"cem\": a membership is out of place, from 1"},
    {"UPDATE members SET past = 'x' WHERE user = 'cem'", "can't be read"},
    {"INSERT INTO messages SELECT 'lost', seq, 1, sender, 0, 0, 0, NULL, 0, '' "
     "FROM messages WHERE seq = 1",
     "conv \"lost\": 1 messages of no conversation"},
};

static void expect(place *at, const fault *of) {
  if (!at->found || !strstr(at->lines, of->says))
    fail_msg("%s: %zu found:\n%s", of->sql, at->found, at->lines);
}

static void test_check__what_a_server_wrote_is_clean(void **state) {
  place *at = *state;
  assert_true(check(at, at->made, false));
  assert_string_equal(at->lines, "");
  assert_int_equal(at->found, 0);
}

static void test_check__a_fault_is_found_and_repaired_once(void **state) {
  place *at = *state;
  for (size_t i = 0; i < sizeof repairable / sizeof *repairable; i++) {
    const fault *of = &repairable[i];
    plant(at, of->sql);
    assert_true(check(at, at->copy, false));
    expect(at, of);
    assert_int_equal(at->repaired, 0);
    assert_true(check(at, at->copy, true));
    expect(at, of);
    if (at->repaired != at->found || !strstr(at->lines, "repaired: "))
      fail_msg("%s: repaired %zu:\n%s", of->sql, at->repaired, at->lines);
    assert_true(check(at, at->copy, true));
    if (at->found) fail_msg("%s: is still found:\n%s", of->sql, at->lines);
  }
}

/* What a device that knew all is told by a server on the copy. */
static cJSON *resume(place *at, const char *user, uint64_t version) {
  static stage on;
  char hello[100];
  storage over;
  assert_int_equal(storage_sqlite_open(&over, at->copy, "b1", NULL), SEEN_OK);
  stage_begin(&on, over, NULL);
  snprintf(hello, sizeof hello, ",\"incarnation\":\"b1\",\"version\":%llu",
           (unsigned long long)version);
  player *who = stage_connect_as(&on, user, user, false, hello);
  cJSON *changes = stage_take(who, "changes", 0);
  assert_non_null(changes);
  stage_end(&on);
  return changes;
}

static uint64_t version_of(place *at) {
  storage over;
  stored_root root;
  assert_int_equal(storage_sqlite_open(&over, at->copy, "b1", NULL), SEEN_OK);
  assert_int_equal(over.get_root(over.self, &root), SEEN_OK);
  uint64_t version = root.version;
  over.close(over.self);
  return version;
}

static size_t rows_told(place *at, const char *sql, const char *user,
                        double *unread) {
  plant(at, sql);
  uint64_t version = version_of(at);
  assert_true(check(at, at->copy, true));
  cJSON *changes = resume(at, user, version);
  size_t rows = (size_t)cJSON_GetArraySize(stage_at(changes, "conversations"));
  *unread = stage_number(changes, "conversations.0.unread");
  cJSON_Delete(changes);
  return rows;
}

static void test_check__what_was_repaired_is_told(void **state) {
  place *at = *state;
  double unread;
  /* One member's row: to this one alone. */
  assert_int_equal(
      rows_told(at, "UPDATE members SET seq = -1" BOB, "bob", &unread), 1);
  assert_true(unread > 0);
  assert_int_equal(
      rows_told(at, "UPDATE members SET seq = -1" BOB, "ann", &unread), 0);
  /* A message: to all. */
  assert_int_equal(rows_told(at, "UPDATE messages SET state = 0 WHERE seq = 4",
                             "ann", &unread),
                   1);
  /* An index, by which words may have been wrong. */
  assert_int_equal(
      rows_told(at,
                WITHOUT("messages_uncountable",
                        "UPDATE messages SET state = 1 WHERE seq = 6;"),
                "bob", &unread),
      1);
}

static void test_check__a_repair_of_nothing_moves_no_version(void **state) {
  place *at = *state;
  plant(at, "UPDATE members SET seq = 999" BOB);
  assert_true(check(at, at->copy, true));
  uint64_t version = version_of(at);
  assert_true(check(at, at->copy, true));
  assert_int_equal(version_of(at), version);
}

static void test_check__what_is_lost_is_found_and_left(void **state) {
  place *at = *state;
  for (size_t i = 0; i < sizeof lasting / sizeof *lasting; i++) {
    plant(at, lasting[i].sql);
    assert_true(check(at, at->copy, true));
    expect(at, &lasting[i]);
    assert_true(check(at, at->copy, true));
    expect(at, &lasting[i]);
  }
}

static void test_check__the_recount_sees_what_an_index_lost(void **state) {
  place *at = *state;
  plant(at, repairable[sizeof repairable / sizeof *repairable - 1].sql);
  assert_true(check(at, at->copy, false));
  if (!strstr(at->lines, "user \"bob\": uncountable seqs listed"))
    fail_msg("%s", at->lines);
  assert_true(check(at, at->copy, true));
  assert_null(strstr(at->lines, "user "));
}

static void test_check__the_recount_sees_a_mention_that_is_lost(void **state) {
  place *at = *state;
  plant(at, WITHOUT("messages_mentions", "UPDATE messages SET mentions = "
                                         "'@bob' WHERE seq = 15;"));
  assert_true(check(at, at->copy, false));
  if (!strstr(at->lines, "user \"bob\": open mentions listed are 1, not 2"))
    fail_msg("%s", at->lines);
  assert_true(check(at, at->copy, true));
  assert_null(strstr(at->lines, "user "));
}

static void test_check__no_database_is_no_clean_one(void **state) {
  place *at = *state;
  char none[128];
  snprintf(none, sizeof none, "%s/none", at->folder);
  assert_false(check(at, none, true));
  assert_int_not_equal(access(none, F_OK), 0);
  plant(at, "CREATE TABLE t (a); INSERT INTO t VALUES (1);"
            "PRAGMA user_version = 99");
  assert_false(check(at, at->copy, true));
  FILE *other = fopen(at->copy, "wb");
  assert_non_null(other);
  fputs("these are a few words, no database at all\n", other);
  fclose(other);
  assert_false(check(at, at->copy, true));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_check__what_a_server_wrote_is_clean),
      cmocka_unit_test(test_check__a_fault_is_found_and_repaired_once),
      cmocka_unit_test(test_check__what_was_repaired_is_told),
      cmocka_unit_test(test_check__a_repair_of_nothing_moves_no_version),
      cmocka_unit_test(test_check__what_is_lost_is_found_and_left),
      cmocka_unit_test(test_check__the_recount_sees_what_an_index_lost),
      cmocka_unit_test(test_check__the_recount_sees_a_mention_that_is_lost),
      cmocka_unit_test(test_check__no_database_is_no_clean_one),
  };
  return cmocka_run_group_tests(tests, begin, end);
}
