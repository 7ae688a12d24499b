#include "trace/field.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/line.h"

static void position(char *text, size_t size, const char *lists) {
  snprintf(text, size,
           "{\"position\":{\"conv\":\"g\",\"read\":{\"epoch\":0,\"seq\":0},"
           "\"last_seq\":9,%s}}",
           lists);
}

static void takes(const char *lists) {
  char text[300];
  position(text, sizeof text, lists);
  line_check(text);
}

static void refuses(const char *lists, const char *message) {
  char text[300];
  position(text, sizeof text, lists);
  line_refused(text, message);
}

static void test_run__it_is_a_seq_or_both_ends(void **s) {
  seen_trace_line *line;
  const seen_word *word;
  char text[300];
  (void)s;
  takes("\"uncountable\":[1,[3,5],9007199254740991]");
  position(text, sizeof text, "\"uncountable\":[2,[3,5],[7,7]]");
  line = line_parse(text);
  word = &line->u.input.u.word;
  assert_int_equal(word->uncountable_count, 3);
  assert_int_equal(word->uncountable[0].lo, 2);
  assert_int_equal(word->uncountable[0].hi, 2);
  assert_int_equal(word->uncountable[1].lo, 3);
  assert_int_equal(word->uncountable[1].hi, 5);
  assert_int_equal(word->uncountable[2].hi, 7);
  seen_trace_line_free(line);
}

static void test_run__ends_that_fall_or_are_not_two_are_refused(void **s) {
  const char *bad[] = {"0",       "[0,3]", "[5,3]", "[5]",      "[]",
                       "[1,2,3]", "\"1\"", "null",  "[1,true]", "{}"};
  char lists[64];
  size_t i;
  (void)s;
  for (i = 0; i < sizeof bad / sizeof *bad; i++) {
    snprintf(lists, sizeof lists, "\"uncountable\":[7,%s]", bad[i]);
    refuses(lists, "bad item in uncountable: not a seq and not a run [from, "
                   "to]");
  }
}

static void test_mention__a_seq_alone_names_the_user(void **s) {
  seen_trace_line *line;
  const seen_word *word;
  char text[300];
  (void)s;
  takes("\"mentions\":[5,{\"seq\":9,\"why\":\"all\"},{\"seq\":8,\"why\":"
        "\"quote\"}]");
  position(text, sizeof text,
           "\"mentions\":[5,{\"seq\":6},{\"seq\":9,\"why\":\"all\"}]");
  line = line_parse(text);
  word = &line->u.input.u.word;
  assert_int_equal(word->mention_count, 3);
  assert_int_equal(word->mentions[0].seq, 5);
  assert_int_equal(word->mentions[0].why, SEEN_MENTION_ME);
  assert_int_equal(word->mentions[1].why, SEEN_MENTION_ME);
  assert_int_equal(word->mentions[2].seq, 9);
  assert_int_equal(word->mentions[2].why, SEEN_MENTION_ALL);
  seen_trace_line_free(line);
}

static void test_mention__another_item_is_refused(void **s) {
  (void)s;
  refuses("\"mentions\":[0]",
          "bad item in mentions: not a seq and not an object");
  refuses("\"mentions\":[[5,6]]",
          "bad item in mentions: not a seq and not an object");
  refuses("\"mentions\":[{\"why\":\"me\"}]", "missing field 'seq' in mentions");
  refuses("\"mentions\":[{\"seq\":1,\"x\":2}]",
          "unknown field 'x' in mentions");
  refuses("\"mentions\":[{\"seq\":1,\"why\":\"none\"}]",
          "bad 'why' in mentions: no such word");
}

static void test_receipt__a_row_has_three_numbers_or_four(void **s) {
  const char *form = "{\"receipts\":{\"conv\":\"g\",\"rows\":[%s]}}";
  const char *bad[] = {"1",       "[1,2]",    "[1,2,3,4,5]",
                       "[0,1,2]", "[1,2,-3]", "[]"};
  char text[100];
  size_t i;
  (void)s;
  snprintf(text, sizeof text, form, "[1011,12,79],[1012,1,79,40]");
  line_check(text);
  for (i = 0; i < sizeof bad / sizeof *bad; i++) {
    snprintf(text, sizeof text, form, bad[i]);
    line_refused(text, "bad item in rows: not [seq, read, audience] with or "
                       "without a fourth number, delivered");
  }
}

static void test_member__it_is_there_from_the_first_seq_unless_said(void **s) {
  const char *roster =
      "{\"conversation\":{\"id\":\"g\",\"kind\":\"group\",\"read\":{"
      "\"epoch\":0,\"seq\":0},\"last_seq\":9,\"roster\":[{\"user\":\"u1\"},{"
      "\"user\":\"u2\",\"join\":3,\"leave\":8,\"read_seq\":5,"
      "\"delivered_seq\":6,\"bot\":true}]}}";
  seen_trace_line *line = line_parse(roster);
  const seen_member *members = line->u.input.u.snapshot.roster;
  (void)s;
  assert_int_equal(line->u.input.u.snapshot.roster_count, 2);
  assert_non_null(members);
  assert_int_equal(members[0].join_seq, 1);
  assert_int_equal(members[0].leave_seq, 0);
  assert_string_equal(members[1].user, "u2");
  assert_int_equal(members[1].join_seq, 3);
  assert_int_equal(members[1].leave_seq, 8);
  assert_int_equal(members[1].read_seq, 5);
  assert_int_equal(members[1].delivered_seq, 6);
  assert_true(members[1].bot);
  seen_trace_line_free(line);
  line_check(roster);
}

static void test_id__an_item_that_is_none_is_refused(void **s) {
  (void)s;
  line_check("{\"expect_order\":[\"g_2\",\"g_1\"]}");
  line_refused("{\"expect_order\":[\"g_2\",3]}",
               "bad 'item' in expect_order: not text");
  line_refused("{\"expect_order\":[\"\"]}",
               "bad 'item' in expect_order: not 1 to 255 bytes");
}

static void test_seq__an_item_that_is_none_is_refused(void **s) {
  (void)s;
  line_refused("{\"expect_sent\":[{\"report\":{\"cleared\":[[1,2]]}}]}",
               "bad item in cleared: not a seq");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_run__it_is_a_seq_or_both_ends),
      cmocka_unit_test(test_run__ends_that_fall_or_are_not_two_are_refused),
      cmocka_unit_test(test_mention__a_seq_alone_names_the_user),
      cmocka_unit_test(test_mention__another_item_is_refused),
      cmocka_unit_test(test_receipt__a_row_has_three_numbers_or_four),
      cmocka_unit_test(test_member__it_is_there_from_the_first_seq_unless_said),
      cmocka_unit_test(test_id__an_item_that_is_none_is_refused),
      cmocka_unit_test(test_seq__an_item_that_is_none_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
