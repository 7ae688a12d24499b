#include <seen/sys/engine.h>

#include "support/engine.h"

static const char *explain(test_engine *t) {
  static char text[4096];
  size_t length;
  assert_int_equal(
      seen_engine_explain(t->engine, 1, text, sizeof text, &length), SEEN_OK);
  assert_int_equal(length, strlen(text));
  return text;
}

static void assert_says(test_engine *t, const char *line) {
  const char *text = explain(t);
  if (!strstr(text, line)) fail_msg("no \"%s\" in:\n%s", line, text);
}

static void test_explain__unread_term_by_term(void **state) {
  const seen_run runs[] = {{4, 4}, {7, 8}};
  test_engine *t = engine_start();
  seen_word word = word_at(2, 3, 1, 10);
  (void)state;
  word.uncountable = runs;
  word.uncountable_count = 2;
  word.fields = SEEN_WORD_FLOOR;
  word.floor = 2;
  say_row(t, "g", word);
  assert_says(t, "g (group)\n");
  assert_says(t, "unread 4 = last_seq 10 - base 3 - 3 uncountable, exact\n");
  assert_says(t, "base 3 = max(shown 3, floor 2, join_seq - 1 = 0)\n");
  assert_says(t, "server position: epoch 2, seq 3, high 1\n");
  assert_says(t, "uncountable above base: 4 7-8\n");
  engine_end(t);
}

static void test_explain__what_is_not_certain(void **state) {
  test_engine *t = engine_start();
  seen_word word = word_at(0, 0, 0, 10);
  (void)state;
  word.fields = SEEN_WORD_FROM | SEEN_WORD_COUNTED;
  word.from = 6;
  word.counted = 2;
  say_row(t, "g", word);
  say_message(t, "g", 13, "u2");
  assert_says(t, "the largest possible\n");
  assert_says(t, "gaps, counted as unread: 11-12\n");
  assert_says(t, "block 1-6: 2 uncountable, not listed\n");
  engine_end(t);
}

static void test_explain__what_was_wished_and_sent(void **state) {
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "g", word_at(0, 5, 0, 10));
  say_mark_unread(t, "g", 2);
  say_mark_read(t, "g", 8);
  assert_says(t, "open mark: expects epoch 0, seq 5, target 2, sent\n");
  assert_says(t, "wish here: epoch 1, read 8, shown 8\n");
  assert_says(t, "pending: not all is the server's yet\n");
  engine_end(t);
}

static void test_explain__what_was_left(void **state) {
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "g", word_at(0, 5, 0, 10));
  say(t, SEEN_INPUT_LEFT, "g");
  assert_says(t, "not a member: no row, nothing counted\n");
  engine_end(t);
}

static void test_explain__many_runs_are_cut_short(void **state) {
  seen_run runs[64];
  test_engine *t = engine_start();
  seen_word word = word_at(0, 0, 0, 200);
  (void)state;
  for (size_t i = 0; i < 64; i++)
    runs[i] = (seen_run){3 * i + 1, 3 * i + 1};
  word.uncountable = runs;
  word.uncountable_count = 64;
  say_row(t, "g", word);
  assert_says(t, " 55 58 …\n");
  engine_end(t);
}

static void test_explain__a_short_buffer_is_cut_as_snprintf_cuts(void **state) {
  test_engine *t = engine_start();
  char text[8];
  size_t length, whole;
  (void)state;
  say_row(t, "g", word_at(0, 5, 0, 10));
  assert_int_equal(seen_engine_explain(t->engine, 1, NULL, 0, &whole), SEEN_OK);
  assert_int_equal(
      seen_engine_explain(t->engine, 1, text, sizeof text, &length), SEEN_OK);
  assert_string_equal(text, "g (grou");
  assert_int_equal(length, whole);
  engine_end(t);
}

static void test_explain__of_no_conversation_nothing(void **state) {
  test_engine *t = engine_start();
  size_t length = 7;
  (void)state;
  assert_int_equal(seen_engine_explain(t->engine, 1, NULL, 0, &length),
                   SEEN_ENOTFOUND);
  assert_int_equal(length, 0);
  engine_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_explain__unread_term_by_term),
      cmocka_unit_test(test_explain__what_is_not_certain),
      cmocka_unit_test(test_explain__what_was_wished_and_sent),
      cmocka_unit_test(test_explain__what_was_left),
      cmocka_unit_test(test_explain__many_runs_are_cut_short),
      cmocka_unit_test(test_explain__a_short_buffer_is_cut_as_snprintf_cuts),
      cmocka_unit_test(test_explain__of_no_conversation_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
