#include "wire/word.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/alloc.h"

typedef struct stage {
  test_alloc memory;
  sn_arena arena;
  sn_taking t;
  seen_snapshot row;
} stage;

static const char row_text[] =
    "{\"kind\":\"group\",\"read\":{\"epoch\":1,\"seq\":1008,\"high\":1009},"
    "\"last_seq\":1011,\"uncountable\":[990,[1009,1010]],\"from\":979,"
    "\"counted\":3,\"mentions\":[{\"seq\":1011,\"why\":\"quote\"}],"
    "\"floor\":4,\"version\":88213,\"unread\":1,\"delivered_seq\":1010,"
    "\"join_seq\":5,\"muted\":true,\"pinned\":false,\"updated_at\":17,"
    "\"roster\":[{\"user\":\"ann\",\"join\":5,\"read_seq\":9,"
    "\"delivered_seq\":10},{\"user\":\"bot\",\"join\":1,\"leave\":7,"
    "\"bot\":true}]}";

/* Takes a row of the text; what was taken lies in `on` until end(). */
static int take(stage *on, const char *text, seen_error *error) {
  sn_json *json;
  test_alloc_init(&on->memory);
  sn_arena_init(&on->arena, &on->memory.allocator);
  memset(&on->row, 0, sizeof on->row);
  assert_int_equal(sn_json_parse(text, strlen(text), &json, NULL), 0);
  on->t = (sn_taking){&on->arena, "row", error, SEEN_OK};
  sn_take_row(&on->t, json, &on->row);
  sn_json_free(json);
  return on->t.status;
}

static void end(stage *on) {
  sn_arena_free(&on->arena);
  test_alloc_check(&on->memory);
}

static void test_word__a_word_is_whole(void **s) {
  stage on;
  const seen_word *word = &on.row.word;
  (void)s;
  assert_int_equal(take(&on, row_text, NULL), SEEN_OK);
  assert_int_equal(word->read.epoch, 1);
  assert_int_equal(word->read.seq, 1008);
  assert_int_equal(word->read.high, 1009);
  assert_int_equal(word->last_seq, 1011);
  assert_int_equal(word->version, 88213);
  assert_int_equal(word->fields, SEEN_WORD_FROM | SEEN_WORD_COUNTED |
                                     SEEN_WORD_FLOOR | SEEN_WORD_UNREAD);
  assert_int_equal(word->from, 979);
  assert_int_equal(word->counted, 3);
  assert_int_equal(word->floor, 4);
  assert_int_equal(word->unread, 1);
  assert_int_equal(word->uncountable_count, 2);
  assert_int_equal(word->uncountable[0].lo, 990);
  assert_int_equal(word->uncountable[0].hi, 990);
  assert_int_equal(word->uncountable[1].lo, 1009);
  assert_int_equal(word->uncountable[1].hi, 1010);
  assert_int_equal(word->mention_count, 1);
  assert_int_equal(word->mentions[0].seq, 1011);
  assert_int_equal(word->mentions[0].why, SEEN_MENTION_QUOTE);
  end(&on);
}

static void test_word__a_row_has_what_a_list_shows(void **s) {
  stage on;
  const seen_snapshot *row = &on.row;
  (void)s;
  assert_int_equal(take(&on, row_text, NULL), SEEN_OK);
  assert_int_equal(row->kind, SEEN_KIND_GROUP);
  assert_int_equal(row->fields,
                   SEEN_SNAPSHOT_MUTED | SEEN_SNAPSHOT_PINNED |
                       SEEN_SNAPSHOT_UPDATED_AT | SEEN_SNAPSHOT_JOIN_SEQ |
                       SEEN_SNAPSHOT_DELIVERED_SEQ | SEEN_SNAPSHOT_ROSTER);
  assert_true(row->muted);
  assert_false(row->pinned);
  assert_int_equal(row->updated_at, 17);
  assert_int_equal(row->join_seq, 5);
  assert_int_equal(row->delivered_seq, 1010);
  assert_int_equal(row->roster_count, 2);
  assert_string_equal(row->roster[0].user, "ann");
  assert_int_equal(row->roster[0].read_seq, 9);
  assert_int_equal(row->roster[0].delivered_seq, 10);
  assert_int_equal(row->roster[0].leave_seq, 0);
  assert_false(row->roster[0].bot);
  assert_int_equal(row->roster[1].join_seq, 1);
  assert_int_equal(row->roster[1].leave_seq, 7);
  assert_true(row->roster[1].bot);
  end(&on);
}

static void test_word__what_is_left_out_was_not_said(void **s) {
  stage on;
  (void)s;
  assert_int_equal(
      take(&on,
           "{\"kind\":\"direct\",\"read\":{\"epoch\":0,\"seq\":0,\"high\":0},"
           "\"last_seq\":0,\"version\":1,\"leave_seq\":0}",
           NULL),
      SEEN_OK);
  assert_int_equal(on.row.fields, SEEN_SNAPSHOT_LEAVE_SEQ);
  assert_int_equal(on.row.word.fields, 0);
  assert_int_equal(on.row.word.uncountable_count, 0);
  assert_int_equal(on.row.word.mention_count, 0);
  end(&on);
}

/* The row with one piece replaced is refused, in these words. */
static void expect_bad(const char *piece, const char *by, const char *message) {
  char text[1024];
  const char *found = strstr(row_text, piece);
  seen_error error = SEEN_ERROR_INIT;
  stage on;
  assert_non_null(found);
  size_t before = (size_t)(found - row_text);
  memcpy(text, row_text, before);
  strcpy(text + before, by);
  strcat(text, found + strlen(piece));
  assert_int_equal(take(&on, text, &error), SEEN_EPARSE);
  assert_string_equal(error.message, message);
  end(&on);
}

static void test_word__each_field_is_checked(void **s) {
  (void)s;
  expect_bad("\"group\"", "\"room\"", "kind in row: direct, group or large");
  expect_bad("\"epoch\":1", "\"epoch\":-1",
             "epoch in row: no integer from 0 to 2^53 - 1");
  expect_bad("\"high\":1009", "\"low\":1009", "high in row: missing");
  expect_bad("[1009,1010]", "[1010,1009]",
             "uncountable in row: seqs and [lo, hi]");
  expect_bad("[1009,1010]", "[1009,1010,1011]",
             "uncountable in row: seqs and [lo, hi]");
  expect_bad("[1009,1010]", "[0,1010]",
             "uncountable in row: seqs and [lo, hi]");
  expect_bad("[990,[1009,1010]]", "null",
             "uncountable in row: of the wrong type");
  expect_bad("\"quote\"", "\"none\"", "why in row: me, all or quote");
  expect_bad("\"seq\":1011,", "\"seq\":0,", "seq in row: a seq is at least 1");
  expect_bad("\"join_seq\":5", "\"join_seq\":0",
             "join_seq in row: a seq is at least 1");
  expect_bad("\"muted\":true", "\"muted\":1",
             "muted in row: of the wrong type");
  expect_bad("\"user\":\"ann\"", "\"user\":\"\"",
             "user in row: a name has 1 to 64 bytes, no control characters");
  expect_bad("{\"user\":\"bot\",\"join\":1,\"leave\":7,\"bot\":true}", "3",
             "roster in row: of the wrong type");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_word__a_word_is_whole),
      cmocka_unit_test(test_word__a_row_has_what_a_list_shows),
      cmocka_unit_test(test_word__what_is_left_out_was_not_said),
      cmocka_unit_test(test_word__each_field_is_checked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
