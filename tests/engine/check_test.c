/* What is refused, and with what code; what is at the edge is taken. */
#include "engine/check.h"

#include "support/engine.h"

static const uint64_t ABOVE = SEEN_SEQ_MAX + 1;

static seen_input input_of(seen_input_type type) {
  return (seen_input){.size = sizeof(seen_input), .type = type};
}

static int check(const seen_input *input) {
  seen_error error = SEEN_ERROR_INIT;
  int status = sn_check_input(input, &error);
  assert_int_equal(error.code, status);
  if (status) assert_true(error.message[0] != '\0');
  return status;
}

static void test_check__an_input_of_another_size_or_type_is_none(void **state) {
  seen_input input = input_of(SEEN_INPUT_TICK);
  (void)state;
  assert_int_equal(check(&input), SEEN_OK);
  input.size--;
  assert_int_equal(check(&input), SEEN_EINVAL);
  input = input_of((seen_input_type)(SEEN_INPUT_AUDIT + 1));
  assert_int_equal(check(&input), SEEN_EINVAL);
}

/* The numbers of a word, one by one above the highest there is. */
static void test_check__every_number_of_a_word_has_an_end(void **state) {
  (void)state;
  for (int i = 0; i < 8; i++) {
    seen_input input = input_of(SEEN_INPUT_POSITION);
    seen_word *word = &input.u.word;
    uint64_t *numbers[] = {&word->read.epoch, &word->read.seq, &word->read.high,
                           &word->last_seq,   &word->version,  &word->from,
                           &word->counted,    &word->floor};
    word->fields = SEEN_WORD_FROM | SEEN_WORD_COUNTED | SEEN_WORD_FLOOR;
    *numbers[i] = SEEN_SEQ_MAX;
    assert_int_equal(check(&input), SEEN_OK);
    *numbers[i] = ABOVE;
    assert_int_equal(check(&input), SEEN_ERANGE);
  }
}

static int check_run(uint64_t lo, uint64_t hi, uint32_t fields) {
  const seen_run run = {lo, hi};
  seen_input input = input_of(SEEN_INPUT_POSITION);
  input.u.word.fields = fields;
  input.u.word.uncountable = &run;
  input.u.word.uncountable_count = 1;
  return check(&input);
}

static void test_check__runs_are_of_seqs_and_do_not_end_first(void **state) {
  (void)state;
  assert_int_equal(check_run(3, 2, 0), SEEN_EINVAL);
  assert_int_equal(check_run(0, 2, 0), SEEN_EINVAL);
  assert_int_equal(check_run(1, ABOVE, 0), SEEN_ERANGE);
  assert_int_equal(check_run(1, SEEN_SEQ_MAX, 0), SEEN_OK);
  assert_int_equal(check_run(1, 2, SEEN_WORD_UNCOUNTABLE_UNKNOWN), SEEN_EINVAL);
}

static int check_mention(uint64_t seq, seen_mention_why why) {
  const seen_mention mention = {seq, why};
  seen_input input = input_of(SEEN_INPUT_POSITION);
  input.u.word.mentions = &mention;
  input.u.word.mention_count = 1;
  return check(&input);
}

static void test_check__a_mention_has_a_seq_and_a_reason(void **state) {
  (void)state;
  assert_int_equal(check_mention(5, SEEN_MENTION_NONE), SEEN_EINVAL);
  assert_int_equal(check_mention(0, SEEN_MENTION_ME), SEEN_EINVAL);
  assert_int_equal(check_mention(5, SEEN_MENTION_ME), SEEN_OK);
}

static void test_check__a_target_is_below_its_message(void **state) {
  seen_input input = input_of(SEEN_INPUT_MESSAGE);
  (void)state;
  input.u.message = (seen_message){.seq = 5, .from = "u2", .target = 5};
  assert_int_equal(check(&input), SEEN_EINVAL);
  input.u.message.target = 4;
  assert_int_equal(check(&input), SEEN_OK);
  input.u.message.seq = 0;
  assert_int_equal(check(&input), SEEN_EINVAL);
  input.u.message = (seen_message){.seq = SEEN_SEQ_MAX, .from = ""};
  assert_int_equal(check(&input), SEEN_EINVAL);
  input.u.message.from = "u2";
  assert_int_equal(check(&input), SEEN_OK);
}

static void test_check__only_some_refusals_need_no_word(void **state) {
  (void)state;
  for (int why = SEEN_REFUSAL_CONFLICT; why <= SEEN_REFUSAL_NOT_FOUND; why++) {
    seen_input input = input_of(SEEN_INPUT_REFUSE);
    input.u.answer.refusal = (seen_refusal)why;
    bool bare = why >= SEEN_REFUSAL_RATE_LIMITED;
    assert_int_equal(check(&input), bare ? SEEN_OK : SEEN_EINVAL);
    input.u.answer.has_word = true;
    assert_int_equal(check(&input), SEEN_OK);
  }
  seen_input ack = input_of(SEEN_INPUT_ACK);
  assert_int_equal(check(&ack), SEEN_EINVAL);
}

static void test_check__a_read_all_is_never_refused(void **state) {
  seen_input input = input_of(SEEN_INPUT_REFUSE);
  (void)state;
  input.u.answer = (seen_answer){.of = SEEN_REQUEST_READ_ALL,
                                 .refusal = SEEN_REFUSAL_RATE_LIMITED};
  assert_int_equal(check(&input), SEEN_EINVAL);
}

static void test_check__found_is_one_thing_or_the_other(void **state) {
  seen_input input = input_of(SEEN_INPUT_FOUND);
  (void)state;
  input.u.found = (seen_found){5, SEEN_MENTION_ME, true};
  assert_int_equal(check(&input), SEEN_EINVAL);
  input.u.found = (seen_found){5, SEEN_MENTION_NONE, false};
  assert_int_equal(check(&input), SEEN_EINVAL);
  input.u.found.uncountable = true;
  assert_int_equal(check(&input), SEEN_OK);
}

static void test_check__a_screen_does_not_end_first(void **state) {
  seen_input input = input_of(SEEN_INPUT_VISIBLE);
  (void)state;
  input.u.range = (seen_run){5, 4};
  assert_int_equal(check(&input), SEEN_EINVAL);
  input.u.range = (seen_run){0, 0};
  assert_int_equal(check(&input), SEEN_OK);
  input.u.range.hi = ABOVE;
  assert_int_equal(check(&input), SEEN_ERANGE);
}

static void test_check__people_have_names(void **state) {
  seen_membership member = {"", 3, false};
  seen_input input = input_of(SEEN_INPUT_MEMBERS);
  (void)state;
  input.u.members.left = &member;
  input.u.members.left_count = 1;
  assert_int_equal(check(&input), SEEN_EINVAL);
  member.user = "u2";
  assert_int_equal(check(&input), SEEN_OK);
  input = input_of(SEEN_INPUT_PEER);
  input.u.peer = (seen_peer){"u2", ABOVE, 0};
  assert_int_equal(check(&input), SEEN_ERANGE);
}

static seen_record record(void) {
  return (seen_record){.size = sizeof(seen_record),
                       .id = "g",
                       .last_seq = 9,
                       .tally_last = 7,
                       .join_seq = 1};
}

static void test_check__a_record_is_one_that_an_engine_writes(void **state) {
  const seen_run falling[] = {{8, 8}, {3, 4}}, below = {7, 8}, beyond = {8, 10};
  seen_record good = record(), bad = good;
  (void)state;
  assert_int_equal(sn_check_record(&good, NULL), SEEN_OK);
  bad.size = 1;
  assert_int_equal(sn_check_record(&bad, NULL), SEEN_EINVAL);
  bad = good;
  bad.wish_shown = 1; /* more than it read */
  assert_int_equal(sn_check_record(&bad, NULL), SEEN_EINVAL);
  bad = good;
  bad.tally_last = 10; /* above last_seq */
  assert_int_equal(sn_check_record(&bad, NULL), SEEN_EINVAL);
  bad = good;
  bad.uncountable = falling;
  bad.uncountable_count = 2;
  assert_int_equal(sn_check_record(&bad, NULL), SEEN_EINVAL);
  bad = good;
  bad.live_count = 1;
  bad.live = &below; /* the tally */
  assert_int_equal(sn_check_record(&bad, NULL), SEEN_EINVAL);
  bad.live = &beyond; /* last_seq */
  assert_int_equal(sn_check_record(&bad, NULL), SEEN_EINVAL);
}

/* U7: it would count twice, and unread fall below 0. */
static void test_check__a_record_has_found_nothing_that_was_said(void **state) {
  const seen_run said[] = {{3, 5}, {9, 9}};
  const seen_run apart[] = {{1, 2}, {6, 8}, {10, 10}};
  const seen_run twice[] = {{1, 2}, {8, 9}};
  seen_record record = {.size = sizeof record,
                        .id = "c",
                        .kind = SEEN_KIND_GROUP,
                        .last_seq = 10,
                        .tally_last = 10,
                        .uncountable = said,
                        .uncountable_count = 2,
                        .found = apart,
                        .found_count = 3};
  (void)state;
  assert_int_equal(sn_check_record(&record, NULL), SEEN_OK);
  record.found = twice;
  record.found_count = 2;
  assert_int_equal(sn_check_record(&record, NULL), SEEN_EINVAL);
}

static void test_check__a_records_block_ends_in_its_tally(void **state) {
  seen_record block = record();
  (void)state;
  block.tally_base = 2;
  block.tally_from = 7;
  assert_int_equal(sn_check_record(&block, NULL), SEEN_OK);
  block.tally_from = 8;
  assert_int_equal(sn_check_record(&block, NULL), SEEN_EINVAL);
  block.tally_base = 8; /* no block at all */
  assert_int_equal(sn_check_record(&block, NULL), SEEN_OK);
}

static void test_check__no_more_is_counted_than_a_block_has(void **state) {
  seen_record block = record();
  (void)state;
  block.tally_base = 2;
  block.tally_from = 5;
  block.tally_counted = 4; /* not said */
  assert_int_equal(sn_check_record(&block, NULL), SEEN_OK);
  block.flags = SEEN_RECORD_COUNTED;
  assert_int_equal(sn_check_record(&block, NULL), SEEN_EINVAL);
  block.tally_counted = 3;
  assert_int_equal(sn_check_record(&block, NULL), SEEN_OK);
}

static void test_check__a_record_is_of_a_kind(void **state) {
  seen_record other = record();
  (void)state;
  other.kind = SEEN_KIND_LARGE;
  assert_int_equal(sn_check_record(&other, NULL), SEEN_OK);
  other.kind = (seen_kind)(SEEN_KIND_LARGE + 1);
  assert_int_equal(sn_check_record(&other, NULL), SEEN_EINVAL);
}

static void test_check__a_note_is_of_a_recall_or_a_mention(void **state) {
  seen_note note = {9, 3, SEEN_MENTION_QUOTE};
  seen_record noted = record();
  (void)state;
  noted.notes = &note;
  noted.note_count = 1;
  assert_int_equal(sn_check_record(&noted, NULL), SEEN_OK);
  note.mention = (seen_mention_why)(SEEN_MENTION_QUOTE + 1);
  assert_int_equal(sn_check_record(&noted, NULL), SEEN_EINVAL);
}

static seen_working working_with(const seen_stay *stays, size_t count) {
  return (seen_working){.size = sizeof(seen_working),
                        .first_advance = SEEN_NEVER,
                        .last_advance = SEEN_NEVER,
                        .retry_at = SEEN_NEVER,
                        .delivered_first = SEEN_NEVER,
                        .delivered_last = SEEN_NEVER,
                        .on_screen = {2, 9},
                        .stays = stays,
                        .stay_count = count};
}

static void test_check__stays_cover_what_is_on_screen(void **state) {
  const seen_stay stays[] = {{{2, 4}, 0, false}, {{5, 9}, 3, true}};
  const seen_stay apart[] = {{{2, 4}, 0, false}, {{6, 9}, 3, true}};
  seen_working working = working_with(stays, 2);
  (void)state;
  assert_int_equal(sn_check_working(&working, NULL), SEEN_OK);
  working = working_with(apart, 2);
  assert_int_equal(sn_check_working(&working, NULL), SEEN_EINVAL);
  working = working_with(stays, 1);
  assert_int_equal(sn_check_working(&working, NULL), SEEN_EINVAL);
}

static void test_check__gaps_are_in_order_of_time(void **state) {
  const seen_gap rising[] = {{{4, 6}, 100}, {{2, 2}, 200}};
  const seen_gap falling[] = {{{4, 6}, 100}, {{2, 2}, 99}};
  seen_working working = working_with(NULL, 0);
  (void)state;
  working.gaps = rising;
  working.gap_count = 2;
  assert_int_equal(sn_check_working(&working, NULL), SEEN_OK);
  working.gaps = falling;
  assert_int_equal(sn_check_working(&working, NULL), SEEN_EINVAL);
}

static void test_check__a_gap_does_not_end_first(void **state) {
  seen_gap gap = {{4, 3}, 100};
  seen_working working = working_with(NULL, 0);
  (void)state;
  working.gaps = &gap;
  working.gap_count = 1;
  assert_int_equal(sn_check_working(&working, NULL), SEEN_EINVAL);
}

static void test_check__what_is_in_work_has_its_size(void **state) {
  seen_working working = working_with(NULL, 0);
  (void)state;
  working.size--;
  assert_int_equal(sn_check_working(&working, NULL), SEEN_EINVAL);
}

static void test_check__a_last_time_needs_a_first(void **state) {
  seen_working working = working_with(NULL, 0);
  (void)state;
  assert_int_equal(sn_check_working(&working, NULL), SEEN_OK);
  working.last_advance = 5;
  assert_int_equal(sn_check_working(&working, NULL), SEEN_EINVAL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_check__an_input_of_another_size_or_type_is_none),
      cmocka_unit_test(test_check__every_number_of_a_word_has_an_end),
      cmocka_unit_test(test_check__runs_are_of_seqs_and_do_not_end_first),
      cmocka_unit_test(test_check__a_mention_has_a_seq_and_a_reason),
      cmocka_unit_test(test_check__a_target_is_below_its_message),
      cmocka_unit_test(test_check__only_some_refusals_need_no_word),
      cmocka_unit_test(test_check__a_read_all_is_never_refused),
      cmocka_unit_test(test_check__found_is_one_thing_or_the_other),
      cmocka_unit_test(test_check__a_screen_does_not_end_first),
      cmocka_unit_test(test_check__people_have_names),
      cmocka_unit_test(test_check__a_record_is_one_that_an_engine_writes),
      cmocka_unit_test(test_check__a_record_has_found_nothing_that_was_said),
      cmocka_unit_test(test_check__a_records_block_ends_in_its_tally),
      cmocka_unit_test(test_check__no_more_is_counted_than_a_block_has),
      cmocka_unit_test(test_check__a_record_is_of_a_kind),
      cmocka_unit_test(test_check__a_note_is_of_a_recall_or_a_mention),
      cmocka_unit_test(test_check__stays_cover_what_is_on_screen),
      cmocka_unit_test(test_check__gaps_are_in_order_of_time),
      cmocka_unit_test(test_check__a_gap_does_not_end_first),
      cmocka_unit_test(test_check__what_is_in_work_has_its_size),
      cmocka_unit_test(test_check__a_last_time_needs_a_first),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
