/* What a UI asks, and what it is told where there is nothing. */
#include <seen/sys/engine.h>

#include <stdio.h>

#include "support/engine.h"

static void test_queries__a_handle_that_is_none_has_nothing(void **state) {
  test_engine *t = engine_start();
  seen_state shown;
  seen_mention mention;
  seen_receipt receipt;
  size_t count;
  (void)state;
  for (seen_conv conv = 0; conv < 2; conv++) {
    assert_null(seen_engine_id(t->engine, conv));
    assert_int_equal(seen_engine_state(t->engine, conv, &shown),
                     SEEN_ENOTFOUND);
    assert_int_equal(seen_engine_next_mention(t->engine, conv, 0, &mention),
                     SEEN_ENOTFOUND);
    assert_int_equal(seen_engine_receipt(t->engine, conv, 1, &receipt),
                     SEEN_ENOTFOUND);
    assert_int_equal(
        seen_engine_readers(t->engine, conv, 1, 0, NULL, 0, &count),
        SEEN_ENOTFOUND);
  }
  engine_end(t);
}

static void test_queries__the_count_is_that_of_the_pages(void **state) {
  test_engine *t = engine_start();
  static seen_state rows[200];
  char id[8];
  (void)state;
  for (int i = 0; i < 150; i++) {
    snprintf(id, sizeof id, "c%03d", i);
    say_row(t, id, word_at(0, 0, 0, 9));
    if (i % 3 == 0) say(t, SEEN_INPUT_LEFT, id);
  }
  assert_int_equal(seen_engine_count(t->engine), 100); /* before it is read */
  assert_int_equal(seen_engine_page(t->engine, 0, 200, rows), 100);
  assert_int_equal(seen_engine_count(t->engine), 100);
  assert_string_equal(rows[0].id, "c001");
  assert_int_equal(seen_engine_page(t->engine, 99, 200, rows), 1);
  assert_string_equal(rows[0].id, "c149");
  assert_int_equal(seen_engine_page(t->engine, 100, 200, rows), 0);
  say(t, SEEN_INPUT_LEFT, "c001");
  assert_int_equal(seen_engine_count(t->engine), 99);
  engine_end(t);
}

static void test_queries__mentions_are_walked_one_by_one(void **state) {
  const seen_mention said[] = {{4, SEEN_MENTION_ALL},
                               {5, SEEN_MENTION_ALL},
                               {SEEN_SEQ_MAX, SEEN_MENTION_ME}};
  test_engine *t = engine_start(); /* M5 */
  seen_word word = word_at(0, 0, 0, SEEN_SEQ_MAX);
  seen_mention mention = {0, SEEN_MENTION_NONE};
  (void)state;
  word.mentions = said;
  word.mention_count = 3;
  say_row(t, "g", word);
  for (int i = 0; i < 3; i++) {
    assert_int_equal(
        seen_engine_next_mention(t->engine, 1, mention.seq, &mention), SEEN_OK);
    assert_int_equal(mention.seq, said[i].seq);
    assert_int_equal(mention.why, said[i].why);
  }
  assert_int_equal(
      seen_engine_next_mention(t->engine, 1, mention.seq, &mention),
      SEEN_ENOTFOUND);
  engine_end(t);
}

static test_engine *start_group(void) {
  const seen_member roster[] = {{"u1", 1, 0, 0, 0, false},
                                {"zoe", 1, 0, 9, 9, false},
                                {"bot", 1, 0, 9, 9, true},
                                {"ann", 1, 0, 9, 9, false},
                                {"bob", 1, 0, 4, 9, false}};
  test_engine *t = engine_start();
  say_snapshot(t, "g",
               (seen_snapshot){.kind = SEEN_KIND_GROUP,
                               .word = word_at(0, 0, 0, 9),
                               .fields = SEEN_SNAPSHOT_ROSTER,
                               .roster = roster,
                               .roster_count = 5});
  return t;
}

static void test_queries__readers_are_sorted_by_the_bytes_of_ids(void **state) {
  test_engine *t = start_group();
  const char *users[3] = {NULL, NULL, NULL};
  size_t count;
  (void)state;
  assert_int_equal(
      seen_engine_readers(t->engine, 1, 5, SEEN_READERS_READ, users, 3, &count),
      SEEN_OK);
  assert_int_equal(count, 2);
  assert_string_equal(users[0], "ann");
  assert_string_equal(users[1], "zoe");
  assert_int_equal(seen_engine_readers(t->engine, 1, 5, SEEN_READERS_UNREAD,
                                       users, 3, &count),
                   SEEN_OK);
  assert_int_equal(count, 1);
  assert_string_equal(users[0], "bob");
  engine_end(t);
}

static void
test_queries__more_readers_than_asked_for_are_counted(void **state) {
  test_engine *t = start_group();
  const char *user = NULL;
  size_t count;
  (void)state;
  assert_int_equal(
      seen_engine_readers(t->engine, 1, 5, SEEN_READERS_READ, &user, 1, &count),
      SEEN_OK);
  assert_int_equal(count, 2);
  assert_string_equal(user, "ann");
  assert_int_equal(
      seen_engine_readers(t->engine, 1, 5, SEEN_READERS_READ, NULL, 0, &count),
      SEEN_OK);
  assert_int_equal(count, 2);
  test_alloc_fail(&t->memory, 1);
  assert_int_equal(
      seen_engine_readers(t->engine, 1, 5, SEEN_READERS_READ, NULL, 0, &count),
      SEEN_ENOMEM);
  assert_int_equal(count, 0);
  engine_end(t);
}

static void test_queries__readers_and_counts_are_the_same_people(void **state) {
  test_engine *t = start_group();
  size_t read, unread;
  (void)state;
  for (uint64_t seq = 1; seq <= 11; seq++) {
    seen_receipt receipt = receipt_of(t, "g", seq);
    seen_engine_readers(t->engine, 1, seq, SEEN_READERS_READ, NULL, 0, &read);
    seen_engine_readers(t->engine, 1, seq, SEEN_READERS_UNREAD, NULL, 0,
                        &unread);
    assert_int_equal(read, receipt.read);
    assert_int_equal(read + unread, receipt.audience);
  }
  engine_end(t);
}

static void test_queries__a_large_conversation_has_no_lists(void **state) {
  test_engine *t = engine_start(); /* R4 */
  size_t count;
  (void)state;
  say_snapshot(
      t, "g",
      (seen_snapshot){.kind = SEEN_KIND_LARGE, .word = word_at(0, 0, 0, 9)});
  assert_int_equal(
      seen_engine_readers(t->engine, 1, 5, SEEN_READERS_READ, NULL, 0, &count),
      SEEN_EUNSUPPORTED);
  engine_end(t);
}

static void test_queries__a_receipt_is_of_a_seq(void **state) {
  test_engine *t = start_group();
  seen_receipt receipt;
  (void)state;
  assert_int_equal(seen_engine_receipt(t->engine, 1, 0, &receipt), SEEN_ERANGE);
  assert_int_equal(
      seen_engine_receipt(t->engine, 1, SEEN_SEQ_MAX + 1, &receipt),
      SEEN_ERANGE);
  assert_int_equal(seen_engine_receipt(t->engine, 1, SEEN_SEQ_MAX, &receipt),
                   SEEN_OK);
  engine_end(t);
}

static void
test_queries__of_what_was_left_receipts_are_still_known(void **state) {
  test_engine *t = start_group();
  (void)state;
  say(t, SEEN_INPUT_LEFT, "g");
  assert_int_equal(receipt_of(t, "g", 5).read, 2);
  engine_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_queries__a_handle_that_is_none_has_nothing),
      cmocka_unit_test(test_queries__the_count_is_that_of_the_pages),
      cmocka_unit_test(test_queries__mentions_are_walked_one_by_one),
      cmocka_unit_test(test_queries__readers_are_sorted_by_the_bytes_of_ids),
      cmocka_unit_test(test_queries__more_readers_than_asked_for_are_counted),
      cmocka_unit_test(test_queries__readers_and_counts_are_the_same_people),
      cmocka_unit_test(test_queries__a_large_conversation_has_no_lists),
      cmocka_unit_test(test_queries__a_receipt_is_of_a_seq),
      cmocka_unit_test(test_queries__of_what_was_left_receipts_are_still_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
