/*
 * `seen-server import`: the logs of samples/data, recounted from their lines,
 * and what is refused.
 */
#define _XOPEN_SOURCE 700

#include "check.h"
#include "import.h"

#include "server/stage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { NOW = 2000000000 };

static const char *const logs[] = {"log050", "log076", "log080"};

static bool import(FILE *log, const char *conv, const storage *over,
                   import_report *report, char *why) {
  bool taken = import_log(log, conv, over, NOW, report, why, 128);
  fclose(log);
  return taken;
}

static FILE *open_log(const char *name) {
  char path[256];
  snprintf(path, sizeof path, "%s/samples/data/%s.jsonl", SEEN_ROOT, name);
  FILE *log = fopen(path, "r");
  assert_non_null(log);
  return log;
}

static FILE *a_log(const char *lines) {
  FILE *log = tmpfile();
  assert_non_null(log);
  fputs(lines, log);
  return log;
}

/* From the lines themselves: what is unread for a user who read up to `seq`,
 * and how often they are mentioned after it. */
typedef struct right {
  double unread, mentions, last_seq;
} right;

static right recount(const char *name, const char *user, int seq) {
  FILE *log = open_log(name);
  char line[4096], from[128], quoted[80];
  right found = {0, 0, 0};
  snprintf(from, sizeof from, "\"from\":\"%s\"", user);
  snprintf(quoted, sizeof quoted, "\"%s\"", user);
  while (fgets(line, sizeof line, log)) {
    found.last_seq++;
    bool said = strstr(line, "\"kind\":\"text\"") != NULL;
    if (!said || strstr(line, from) || found.last_seq <= seq) continue;
    const char *named = strstr(line, "\"mentions\"");
    found.unread++;
    found.mentions += named && strstr(named, quoted);
  }
  fclose(log);
  return found;
}

static void expect_row(stage *on, const char *log, const char *user, int seq) {
  right of = recount(log, user, seq);
  player *who = stage_connect(on, user, user, false);
  if (seq) stage_read(on, who, log, seq);
  cJSON *row = stage_row(on, who, log);
  assert_non_null(row);
  assert_true(stage_number(row, "last_seq") == of.last_seq);
  assert_true(stage_number(row, "unread") == of.unread);
  assert_int_equal(cJSON_GetArraySize(stage_at(row, "mentions")),
                   of.mentions < 256 ? (int)of.mentions : 256);
  cJSON_Delete(row);
  stage_close(on, who);
}

static void test_import__each_log_counts_as_its_lines_say(void **state) {
  static stage on;
  storage over;
  import_report report;
  char why[128];
  (void)state;
  const uint64_t messages[] = {2165, 1764, 1500}, members[] = {223, 146, 102};
  assert_int_equal(storage_memory_open(&over, "b1"), SEEN_OK);
  for (int i = 0; i < 3; i++) {
    if (!import(open_log(logs[i]), logs[i], &over, &report, why))
      fail_msg("%s: %s", logs[i], why);
    assert_int_equal(report.messages, messages[i]);
    assert_int_equal(report.members, members[i]);
  }
  stage_begin(&on, over, NULL);
  for (int i = 0; i < 3; i++) {
    expect_row(&on, logs[i], "u1", 0);
    expect_row(&on, logs[i], "u2", 700);
    expect_row(&on, logs[i], "u10", 1499);
  }
  stage_end(&on);
}

static void test_import__a_conversation_that_exists_is_refused(void **state) {
  storage over;
  import_report report;
  char why[128];
  (void)state;
  const char *one = "{\"t\":5,\"kind\":\"text\",\"from\":\"u1\",\"chars\":2}\n";
  stored_message found;
  assert_int_equal(storage_memory_open(&over, "b1"), SEEN_OK);
  assert_true(import(a_log(one), "g", &over, &report, why));
  assert_int_equal(over.get_message(over.self, "g", 1, &found), SEEN_OK);
  assert_string_equal(found.body, "xx");
  assert_int_equal(found.sent_at, NOW);
  assert_false(import(a_log(one), "g", &over, &report, why));
  assert_string_equal(why, "the conversation exists");
  assert_int_equal(over.get_message(over.self, "g", 2, &found), SEEN_ENOTFOUND);
  over.close(over.self);
}

static void test_import__a_bad_line_is_named_and_nothing_is_left(void **state) {
  static const char *const bad[][2] = {
      {"{\"t\":4,\"kind\":\"text\",\"from\":\"u1\",\"chars\":2}", "falls"},
      {"{\"t\":5,\"kind\":\"text\",\"chars\":2}", "from"},
      {"{\"t\":5,\"kind\":\"text\",\"from\":\"u1\"}", "chars"},
      {"{\"t\":5,\"kind\":\"song\",\"from\":\"u1\",\"chars\":2}", "kind"},
      {"{\"t\":5,\"kind\":\"system\"}", "event"},
      {"{\"t\":-1,\"kind\":\"system\",\"event\":\"join\"}", "t: ms"},
      {"{\"t\":5,\"kind\":\"text\",\"from\":\"u1\",\"chars\":2,"
       "\"mentions\":[1]}",
       "mentions"},
      {"no JSON", "line 2: "},
  };
  storage over;
  import_report report;
  char why[128], lines[512];
  (void)state;
  stored_conversation found;
  assert_int_equal(storage_memory_open(&over, "b1"), SEEN_OK);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    snprintf(lines, sizeof lines,
             "{\"t\":5,\"kind\":\"text\",\"from\":\"u1\",\"chars\":2}\n%s\n",
             bad[i][0]);
    assert_false(import(a_log(lines), "g", &over, &report, why));
    if (!strstr(why, bad[i][1]) || !strstr(why, "line 2"))
      fail_msg("%s: %s", bad[i][0], why);
    assert_int_equal(over.get_conversation(over.self, "g", &found),
                     SEEN_ENOTFOUND);
  }
  assert_false(import(a_log(""), "g", &over, &report, why));
  assert_non_null(strstr(why, "nobody speaks"));
  over.close(over.self);
}

/* The name of a conversation is checked as in any frame. */
static void test_import__a_name_that_is_none_is_refused(void **state) {
  storage over;
  import_report report;
  char why[128];
  (void)state;
  assert_int_equal(storage_memory_open(&over, "b1"), SEEN_OK);
  assert_false(import(open_log(logs[2]), "", &over, &report, why));
  assert_non_null(strstr(why, "not made"));
  over.close(over.self);
}

static void test_import__what_it_wrote_is_clean(void **state) {
  storage over;
  import_report report;
  check_report found = {NULL, NULL, 0, 0};
  char why[128], path[] = "/tmp/seen-import-XXXXXX";
  (void)state;
  close(mkstemp(path));
  assert_int_equal(storage_sqlite_open(&over, path, "b1", NULL), SEEN_OK);
  for (int i = 0; i < 3; i++)
    assert_true(import(open_log(logs[i]), logs[i], &over, &report, why));
  over.close(over.self);
  assert_true(check_file(path, false, &found, why, sizeof why));
  assert_int_equal(found.found, 0);
  unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_import__each_log_counts_as_its_lines_say),
      cmocka_unit_test(test_import__a_conversation_that_exists_is_refused),
      cmocka_unit_test(test_import__a_bad_line_is_named_and_nothing_is_left),
      cmocka_unit_test(test_import__a_name_that_is_none_is_refused),
      cmocka_unit_test(test_import__what_it_wrote_is_clean),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
