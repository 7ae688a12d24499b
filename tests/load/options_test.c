#include "options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_WORDS = 32 };

/* A command line, its words parted by blanks. */
static bool read_line(options *into, const char *line, char *why) {
  static char copy[512];
  char *words[MOST_WORDS];
  int count = 0;

  strcpy(copy, line);
  for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " "))
    words[count++] = word;
  return options_read(into, count, words, why);
}

static void test_options__a_line_is_taken_as_it_says(void **state) {
  char why[WHY_BYTES] = "";
  options read;

  (void)state;
  assert_true(read_line(&read,
                        "reports --server wss://chat.example:8420/ --insecure "
                        "--token-key key --users 7 --members 3 --items 2 "
                        "--conversations 4 --in-flight 5 --rate 9 --json",
                        why));
  assert_string_equal(why, "");
  assert_int_equal(read.load, REPORTS);
  assert_string_equal(read.host, "chat.example");
  assert_int_equal(read.port, 8420);
  assert_true(read.tls && read.insecure && read.json);
  assert_int_equal(read.in_flight, 5);
  assert_int_equal(read.rate, 9);
}

static void test_options__blocks_hold_as_many_users_as_a_group(void **state) {
  char why[WHY_BYTES];
  options read;

  (void)state;
  assert_true(read_line(&read,
                        "durable --start s --users 7 --members 3 "
                        "--conversations 4",
                        why));
  assert_int_equal(options_blocks(&read), 3);
  assert_int_equal(options_groups(&read), 12);
}

static void test_options__frames_fit_the_conversations(void **state) {
  char why[WHY_BYTES];
  options read;

  (void)state;
  assert_true(read_line(&read, "reports --start s --conversations 3", why));
  assert_int_equal(read.items, 3);
}

static void test_options__each_load_has_what_is_usual_for_it(void **state) {
  static const uint32_t items[LOADS] = {20, 1, 1, 1};
  char line[64], why[WHY_BYTES];
  options read;

  (void)state;
  for (int load = 0; load < LOADS; load++) {
    snprintf(line, sizeof line, "%s --start s", load_names[load]);
    assert_true(read_line(&read, line, why));
    assert_int_equal(read.items, items[load]);
    assert_int_equal(read.in_flight, load == REPORTS ? 4 : 1);
    assert_int_equal(read.subscribers, load == RECEIPTS ? 10 : 0);
  }
}

static void test_options__what_is_wrong_is_said(void **state) {
  static const struct {
    const char *line, *why;
  } all[] = {
      {"", "which load? --help lists them"},
      {"echo --start s", "there is no load 'echo'"},
      {"reports", "one of --start, --server is needed"},
      {"reports --start s --server ws://a:1 --token-key k",
       "one of --start, --server is needed"},
      {"reports --server ws://a:1", "--server needs --token-key"},
      {"reports --start s --token-key k", "--token-key goes with --server"},
      {"reports --server ws://a:1 --token-key k --window-ms 5",
       "--window-ms goes with --start"},
      {"reports --server ws://a:1 --token-key k --usual-limits",
       "--usual-limits goes with --start"},
      {"reports --server ws://a:1 --token-key k --insecure",
       "--insecure goes with wss://"},
      {"reports --server http://a:1 --token-key k",
       "'http://a:1' is not ws://HOST:PORT"},
      {"reports --server ws://a --token-key k", "'ws://a' is not"},
      {"reports --server ws://:8 --token-key k", "'ws://:8' is not"},
      {"reports --server ws://a:0 --token-key k", "'ws://a:0' is not"},
      {"reports --server ws://a:70000 --token-key k", "'ws://a:70000' is not"},
      {"reports --server ws://a:8x --token-key k", "'ws://a:8x' is not"},
      {"reports --start", "--start needs a value"},
      {"reports --start s --users", "--users needs a value"},
      {"reports --start s users", "'users' is no option"},
      {"reports --start s --colour red", "there is no option '--colour'"},
      {"reports --start s --users 0",
       "--users takes a number from 1 to 15000, not '0'"},
      {"reports --start s --users 15001", "--users takes a number from 1"},
      {"reports --start s --users -1", "not '-1'"},
      {"reports --start s --users 5x", "not '5x'"},
      {"reports --start s --rate 99999999999999999999", "--rate takes"},
      {"durable --start s --items 2", "durable takes no --items"},
      {"durable --start s --in-flight 2", "durable takes no --in-flight"},
      {"queries --start s --subscribers 2", "queries takes no --subscribers"},
      {"reports --start s --conversations 3 --items 4",
       "--items must not be above --conversations"},
      {"durable --start s --users 15000 --members 1 --conversations 1000",
       "more than 100000 groups"},
      {"durable --start s --conversations 1000 --messages 100000",
       "more than 10000000 messages"},
      {"receipts --start s --messages 3201", "more than 3200 --messages"},
  };
  char why[WHY_BYTES];
  options read;

  (void)state;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    *why = '\0';
    if (read_line(&read, all[i].line, why) || !strstr(why, all[i].why))
      fail_msg("'%s' says '%s', not '%s'", all[i].line, why, all[i].why);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_options__a_line_is_taken_as_it_says),
      cmocka_unit_test(test_options__blocks_hold_as_many_users_as_a_group),
      cmocka_unit_test(test_options__frames_fit_the_conversations),
      cmocka_unit_test(test_options__each_load_has_what_is_usual_for_it),
      cmocka_unit_test(test_options__what_is_wrong_is_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
