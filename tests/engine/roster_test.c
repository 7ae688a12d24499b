#include "engine/roster.h"

#include "support/engine.h"
#include "support/random.h"

enum { USERS = 6, PERIODS = 400, SEQS = 40, ME = 1 };

/* The model: periods in the order they began, counted one by one. */
typedef struct bench {
  test_alloc memory;
  sn_roster *roster;
  sn_period periods[PERIODS];
  size_t count;
} bench;

static void begin(bench *b) {
  *b = (bench){0};
  test_alloc_init(&b->memory);
  assert_int_equal(sn_roster_need(&b->memory.allocator, &b->roster, 5),
                   SEEN_OK);
}

static void end(bench *b) {
  sn_roster_free(&b->memory.allocator, b->roster);
  test_alloc_check(&b->memory);
}

static void need(bench *b, size_t periods) {
  assert_int_equal(sn_roster_reserve(&b->memory.allocator, b->roster, periods),
                   SEEN_OK);
}

static sn_period *latest(bench *b, uint32_t user, uint64_t at_most) {
  for (size_t i = b->count; i-- > 0;)
    if (b->periods[i].user == user && b->periods[i].join <= at_most)
      return &b->periods[i];
  return NULL;
}

static sn_period *last_of(bench *b, uint32_t user) {
  return latest(b, user, UINT64_MAX);
}

static void join(bench *b, uint32_t user, uint64_t seq, bool bot) {
  const sn_period *last = last_of(b, user);
  need(b, 1);
  sn_roster_join(b->roster, user, seq, bot);
  if (last && (last->leave == UINT64_MAX || seq <= last->leave)) return;
  assert_true(b->count < PERIODS);
  b->periods[b->count++] =
      (sn_period){.join = seq, .leave = UINT64_MAX, .user = user, .bot = bot};
}

static void leave(bench *b, uint32_t user, uint64_t seq) {
  sn_period *last = last_of(b, user);
  need(b, 1);
  sn_roster_leave(b->roster, user, seq);
  if (last && last->leave == UINT64_MAX) last->leave = seq;
}

static void peer(bench *b, uint32_t user, uint64_t read, uint64_t delivered) {
  if (delivered < read) delivered = read;
  sn_period *reads = latest(b, user, read);
  sn_period *receives = latest(b, user, delivered);
  need(b, 1);
  sn_roster_peer(b->roster, user, ME, read, delivered);
  if (reads && read <= reads->leave && read > reads->read) reads->read = read;
  if (receives && delivered <= receives->leave &&
      delivered > receives->delivered)
    receives->delivered = delivered;
}

static void assert_counts(const bench *b, uint64_t seq, uint32_t sender) {
  uint64_t read = 0, delivered = 0, audience = 0;
  seen_receipt receipt =
      sn_roster_receipt(b->roster, SEEN_KIND_GROUP, seq, sender);
  for (size_t i = 0; i < b->count; i++) {
    const sn_period *period = &b->periods[i];
    if (period->bot || period->user == sender || period->join > seq ||
        period->leave < seq)
      continue;
    audience++;
    read += period->read >= seq;
    delivered += period->read >= seq || period->delivered >= seq;
  }
  assert_int_equal(receipt.audience, audience);
  assert_int_equal(receipt.read, read);
  assert_int_equal(receipt.delivered, delivered);
}

static void act(bench *b, test_random *random, uint64_t time) {
  uint32_t user = 1 + (uint32_t)test_random_below(random, USERS);
  uint64_t near = time + test_random_below(random, 3);
  switch (test_random_below(random, 4)) {
  case 0: join(b, user, 1 + near, user == USERS); break;
  case 1: leave(b, user, near); break; /* may be before it began: empty */
  default:
    peer(b, user, test_random_below(random, SEQS),
         test_random_below(random, SEQS));
  }
}

static void test_roster__random_memberships_agree_with_counting(void **state) {
  test_random random = {8};
  bench b;
  (void)state;
  for (uint64_t n = test_scaled(400); n > 0; n--) {
    begin(&b);
    for (uint64_t step = 0; step < 120; step++) {
      act(&b, &random, step * SEQS / 120);
      assert_counts(&b, 1 + test_random_below(&random, SEQS),
                    (uint32_t)test_random_below(&random, USERS + 1));
    }
    for (uint64_t seq = 1; seq <= SEQS; seq++)
      for (uint32_t sender = 0; sender <= USERS; sender++)
        assert_counts(&b, seq, sender);
    end(&b);
  }
}

static seen_receipt group(const bench *b, uint64_t seq) {
  return sn_roster_receipt(b->roster, SEEN_KIND_GROUP, seq, ME);
}

static void
test_roster__a_read_before_the_rejoin_is_the_earlier_periods(void **state) {
  bench b;
  (void)state;
  begin(&b);
  join(&b, 2, 1, false);
  leave(&b, 2, 10);
  join(&b, 2, 20, false);
  peer(&b, 2, 8, 8);
  assert_int_equal(group(&b, 8).read, 1);
  assert_int_equal(group(&b, 9).read, 0);
  assert_int_equal(group(&b, 20).read, 0);
  end(&b);
}

static void test_roster__a_rejoin_is_no_read(void **state) { /* P9 */
  bench b;
  (void)state;
  begin(&b);
  join(&b, 2, 1, false);
  leave(&b, 2, 10);
  join(&b, 2, 20, false);
  peer(&b, 2, 25, 25);
  assert_int_equal(group(&b, 10).read, 0);
  assert_int_equal(group(&b, 15).audience, 0);
  assert_int_equal(group(&b, 25).read, 1);
  end(&b);
}

static void test_roster__a_late_join_of_a_member_says_nothing(void **state) {
  bench b;
  (void)state;
  begin(&b);
  join(&b, 2, 1, false);
  join(&b, 2, 5, false);
  assert_int_equal(b.roster->count, 1);
  leave(&b, 2, 9);
  join(&b, 2, 9, false);
  assert_int_equal(b.roster->count, 1);
  end(&b);
}

static void test_roster__of_nobody_nothing_is_read(void **state) {
  bench b;
  (void)state;
  begin(&b);
  join(&b, ME, 1, false);
  join(&b, 3, 1, true);
  peer(&b, 3, 9, 9);
  assert_int_equal(group(&b, 5).audience, 0);
  assert_int_equal(group(&b, 5).state, SEEN_RECEIPT_SENT);
  end(&b);
}

static void test_roster__delivered_by_all_then_read_by_all(void **state) {
  bench b;
  (void)state;
  begin(&b);
  join(&b, 2, 1, false);
  join(&b, 3, 1, false);
  peer(&b, 2, 0, 5);
  assert_int_equal(group(&b, 5).state, SEEN_RECEIPT_SENT);
  peer(&b, 3, 5, 0);
  assert_int_equal(group(&b, 5).state, SEEN_RECEIPT_DELIVERED);
  peer(&b, 2, 5, 0);
  assert_int_equal(group(&b, 5).state, SEEN_RECEIPT_READ);
  end(&b);
}

static void test_roster__of_two_the_other_ones_position_counts(void **state) {
  bench b;
  (void)state;
  begin(&b);
  need(&b, 1);
  sn_roster_peer(b.roster, ME, ME, 9, 9);
  sn_roster_peer(b.roster, 2, ME, 3, 6);
  seen_receipt receipt = sn_roster_receipt(b.roster, SEEN_KIND_DIRECT, 4, ME);
  assert_int_equal(receipt.audience, 1);
  assert_int_equal(receipt.state, SEEN_RECEIPT_DELIVERED);
  receipt = sn_roster_receipt(b.roster, SEEN_KIND_DIRECT, 3, ME);
  assert_int_equal(receipt.state, SEEN_RECEIPT_READ);
  end(&b);
}

static void count_row(bench *b, uint64_t seq, uint64_t read, uint64_t audience,
                      uint64_t delivered) {
  assert_int_equal(sn_roster_reserve_rows(&b->memory.allocator, b->roster, 1),
                   SEEN_OK);
  sn_roster_count_row(b->roster,
                      (seen_receipt_row){seq, read, audience, delivered});
}

static void test_roster__counts_merge_by_the_larger_read(void **state) {
  bench b;
  (void)state;
  begin(&b);
  count_row(&b, 7, 12, 79, 20);
  count_row(&b, 7, 9, 79, 30);
  assert_int_equal(group(&b, 7).read, 12);
  assert_int_equal(group(&b, 7).delivered, 30);
  assert_int_equal(b.roster->row_count, 1);
  end(&b);
}

static void test_roster__never_more_read_than_the_audience(void **state) {
  bench b;
  (void)state;
  begin(&b);
  count_row(&b, 7, 90, 79, 0);
  assert_int_equal(group(&b, 7).read, 79);
  assert_int_equal(group(&b, 7).delivered, 79);
  end(&b);
}

static void test_roster__both_ends_of_the_seqs_are_seqs(void **state) {
  bench b;
  (void)state;
  begin(&b);
  join(&b, 2, 1, false);
  join(&b, 3, SEEN_SEQ_MAX, false);
  peer(&b, 2, SEEN_SEQ_MAX, 0);
  assert_int_equal(group(&b, 1).audience, 1);
  assert_int_equal(group(&b, SEEN_SEQ_MAX).audience, 2);
  assert_int_equal(group(&b, SEEN_SEQ_MAX).read, 1);
  end(&b);
}

static void test_roster__without_a_roster_nothing_is_known(void **state) {
  seen_receipt receipt = sn_roster_receipt(NULL, SEEN_KIND_DIRECT, 1, ME);
  (void)state;
  assert_int_equal(receipt.audience, 1);
  receipt = sn_roster_receipt(NULL, SEEN_KIND_GROUP, 1, ME);
  assert_int_equal(receipt.audience, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_roster__random_memberships_agree_with_counting),
      cmocka_unit_test(
          test_roster__a_read_before_the_rejoin_is_the_earlier_periods),
      cmocka_unit_test(test_roster__a_rejoin_is_no_read),
      cmocka_unit_test(test_roster__a_late_join_of_a_member_says_nothing),
      cmocka_unit_test(test_roster__of_nobody_nothing_is_read),
      cmocka_unit_test(test_roster__delivered_by_all_then_read_by_all),
      cmocka_unit_test(test_roster__of_two_the_other_ones_position_counts),
      cmocka_unit_test(test_roster__counts_merge_by_the_larger_read),
      cmocka_unit_test(test_roster__never_more_read_than_the_audience),
      cmocka_unit_test(test_roster__both_ends_of_the_seqs_are_seqs),
      cmocka_unit_test(test_roster__without_a_roster_nothing_is_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
