/* P6–P8 over every small position, wish and mark, against the page's words. */
#include "engine/wish.h"

#include <seen/position.h>

#include "support/engine.h"

enum { EPOCHS = 3, SEQS = 5 };

/* Every position and every wish in an epoch that the server has. */
typedef void (*each_wish)(seen_position server, sn_wish wish);

static void wishes_of(seen_position server, uint64_t epoch, each_wish act) {
  for (uint64_t read = 0; read < SEQS; read++)
    for (uint64_t shown = 0; shown <= read; shown++)
      act(server, (sn_wish){epoch, read, shown, true, false});
}

static void enumerate(each_wish act) {
  for (uint64_t epoch = 0; epoch < EPOCHS; epoch++)
    for (uint64_t seq = 0; seq < SEQS; seq++)
      for (uint64_t high = 0; high < SEQS; high++)
        for (uint64_t of = 0; of <= epoch; of++)
          wishes_of((seen_position){epoch, seq, high}, of, act);
}

static void assert_wish(const sn_wish *wish, uint64_t epoch, uint64_t read,
                        uint64_t shown) {
  assert_true(wish->set);
  assert_int_equal(wish->epoch, epoch);
  assert_int_equal(wish->read, read);
  assert_int_equal(wish->shown, shown);
}

static void settles_in_its_epoch(seen_position server, sn_wish wish) {
  sn_wish settled = wish;
  bool plain = wish.shown == wish.read;
  if (wish.epoch != server.epoch) return;
  assert_false(sn_wish_settle(&settled, server));
  if (plain ? wish.read > server.seq : wish.read >= server.seq)
    assert_wish(&settled, wish.epoch, wish.read, wish.shown);
  else
    assert_false(settled.set);
}

static void test_wish__in_its_epoch_only_what_says_more_stays(void **state) {
  (void)state;
  enumerate(settles_in_its_epoch);
}

static void settles_after_a_rollback(seen_position server, sn_wish wish) {
  sn_wish settled = wish;
  if (wish.epoch == server.epoch) return;
  bool outlives = wish.read > server.high && wish.read > server.seq; /* P2 */
  assert_int_equal(sn_wish_settle(&settled, server), outlives);
  if (outlives)
    assert_wish(&settled, server.epoch, wish.read, wish.read);
  else
    assert_false(settled.set);
}

static void test_wish__of_an_older_epoch_only_a_real_read_stays(void **state) {
  (void)state;
  enumerate(settles_after_a_rollback);
}

/* What is sent, the server takes; its answer leaves nothing to be sent. */
static void comes_true(seen_position server, sn_wish wish) {
  sn_mark mark = {0};
  uint64_t shown = wish.shown;
  if (wish.epoch != server.epoch || wish.read < server.seq) return;
  if (wish.shown < wish.read) {
    sn_wish_open_mark(&wish, &mark, 1);
    assert_int_equal(seen_position_mark_unread(&server, mark.epoch, mark.seq,
                                               mark.target, SEEN_SEQ_MAX),
                     SEEN_ADVANCED);
  } else {
    seen_position_report(&server, wish.epoch, wish.read, SEEN_SEQ_MAX);
  }
  sn_wish_settle(&wish, server);
  assert_false(wish.set);
  assert_int_equal(server.seq, shown);
}

static void test_wish__sent_and_taken_leaves_nothing(void **state) {
  (void)state;
  enumerate(comes_true);
}

/* Acts 0 … SEQS - 1 are reads up to there, those from SEQS on are marks. */
static void act(sn_wish *wish, seen_position server, uint64_t what,
                uint64_t *read) {
  uint64_t shown = wish->set ? wish->shown : server.seq;
  if (what >= SEQS && what - SEQS < shown)
    sn_wish_mark(wish, server, what - SEQS);
  if (what >= SEQS || what <= shown) return;
  sn_wish_read(wish, server, what, false);
  if (what > *read) *read = what;
}

static void test_wish__any_acts_collapse_into_one(void **state) {
  const uint64_t acts = (uint64_t)2 * SEQS;
  const seen_position server = {1, 2, 0};
  (void)state;
  for (uint64_t code = 0; code < acts * acts * acts * acts; code++) {
    sn_wish wish = {0};
    uint64_t read = server.seq, last = read;
    for (uint64_t rest = code, i = 0; i < 4; i++, rest /= acts) {
      act(&wish, server, rest % acts, &read);
      uint64_t shown = wish.set ? wish.shown : server.seq;
      bool takes = rest % acts >= SEQS ? rest % acts - SEQS <= last
                                       : rest % acts >= last;
      if (takes) last = rest % acts >= SEQS ? rest % acts - SEQS : rest % acts;
      assert_int_equal(shown, last);
    }
    if (wish.set) assert_wish(&wish, server.epoch, read, last);
  }
}

static void opens(seen_position server, sn_wish wish) {
  sn_mark mark = {0};
  (void)server;
  if (wish.shown == wish.read) return;
  wish.keep = true;
  const sn_wish before = wish;
  sn_wish_open_mark(&wish, &mark, 77);
  assert_true(mark.set && mark.keep);
  assert_int_equal(mark.epoch, before.epoch);
  assert_int_equal(mark.seq, before.read);
  assert_int_equal(mark.target, before.shown);
  assert_int_equal(mark.op, 77);
  assert_wish(&wish, before.epoch + 1, before.shown, before.shown);
  assert_false(wish.keep);
  assert_true(sn_wish_is_mark(&wish, &mark));
}

static void test_wish__begins_anew_behind_the_mark_it_opened(void **state) {
  (void)state;
  enumerate(opens);
}

static void
test_wish__a_read_behind_the_open_mark_is_more_than_it(void **state) {
  const seen_position server = {0, 9, 0};
  sn_wish wish = {0};
  sn_mark mark = {0};
  (void)state;
  sn_wish_mark(&wish, server, 4);
  assert_false(sn_wish_is_mark(&wish, &mark));
  sn_wish_open_mark(&wish, &mark, 1);
  sn_wish_read(&wish, server, 6, false);
  assert_false(sn_wish_is_mark(&wish, &mark));
}

static void
test_wish__a_conflict_keeps_only_reads_since_the_mark(void **state) {
  (void)state;
  for (uint64_t target = 0; target < SEQS; target++)
    for (uint64_t read = target; read < SEQS; read++)
      for (uint64_t shown = 0; shown <= read; shown++) {
        sn_mark mark = {3, SEQS, target, 1, true, false};
        sn_wish wish = {4, read, shown, true, false};
        sn_wish_conflict(&wish, &mark);
        assert_false(mark.set);
        if (read > target)
          assert_wish(&wish, 3, read, read);
        else
          assert_false(wish.set);
      }
}

static void loses_its_epoch(seen_position server, sn_wish wish) {
  for (uint64_t expected = 0; expected < SEQS; expected++) {
    sn_mark mark = {5, expected, 0, 1, expected > 0, false};
    sn_wish left = wish;
    uint64_t read = wish.read;
    if (mark.set && expected > read) read = expected;
    sn_wish_epoch_lost(&left, &mark, server);
    assert_false(mark.set);
    if (read > server.seq)
      assert_wish(&left, server.epoch, read, read);
    else
      assert_false(left.set);
  }
}

static void test_wish__of_a_lost_epoch_all_that_was_read_stays(void **state) {
  (void)state;
  enumerate(loses_its_epoch);
}

static void test_wish__keep_lives_as_long_as_the_wish(void **state) {
  const seen_position server = {0, 2, 0};
  sn_wish wish = {0};
  (void)state;
  sn_wish_read(&wish, server, 5, true);
  sn_wish_read(&wish, server, 7, false);
  assert_true(wish.keep);
  sn_wish_settle(&wish, (seen_position){1, 3, 5});
  assert_wish(&wish, 1, 7, 7);
  assert_true(wish.keep);
  sn_wish_settle(&wish, (seen_position){1, 7, 5});
  sn_wish_read(&wish, (seen_position){1, 7, 5}, 8, false);
  assert_false(wish.keep);
}

static void
test_wish__an_acknowledged_read_that_was_lost_is_one_again(void **state) {
  sn_wish none = {0}, more = {0, 9, 9, true, false};
  sn_wish mark = {1, 9, 4, true, false};
  (void)state;
  sn_wish_revive(&none, (seen_position){0, 3, 0}, 6);
  assert_wish(&none, 0, 6, 6);
  sn_wish_revive(&more, (seen_position){1, 3, 2}, 6);
  assert_wish(&more, 1, 9, 9);
  sn_wish_revive(&mark, (seen_position){0, 3, 0}, 6);
  assert_wish(&mark, 1, 9, 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_wish__in_its_epoch_only_what_says_more_stays),
      cmocka_unit_test(test_wish__of_an_older_epoch_only_a_real_read_stays),
      cmocka_unit_test(test_wish__sent_and_taken_leaves_nothing),
      cmocka_unit_test(test_wish__any_acts_collapse_into_one),
      cmocka_unit_test(test_wish__begins_anew_behind_the_mark_it_opened),
      cmocka_unit_test(test_wish__a_read_behind_the_open_mark_is_more_than_it),
      cmocka_unit_test(test_wish__a_conflict_keeps_only_reads_since_the_mark),
      cmocka_unit_test(test_wish__of_a_lost_epoch_all_that_was_read_stays),
      cmocka_unit_test(test_wish__keep_lives_as_long_as_the_wish),
      cmocka_unit_test(
          test_wish__an_acknowledged_read_that_was_lost_is_one_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
