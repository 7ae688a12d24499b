#include "engine/totals.h"

#include "support/engine.h"
#include "support/random.h"

enum { CONVS = 50 };

static void assert_sums(const seen_totals *totals, const sn_conv *convs) {
  seen_totals sum = {0, 0, 0, 0};
  for (size_t i = 0; i < CONVS; i++) {
    const sn_conv *conv = &convs[i];
    if (!sn_conv_shown_in_list(conv)) continue;
    bool muted = sn_conv_muted(conv);
    *(muted ? &sum.muted : &sum.unread) += conv->unread;
    sum.conversations +=
        !muted && (conv->unread || sn_conv_marked_unread(conv));
    sum.mentions += conv->mentions;
  }
  assert_true(sn_totals_equal(totals, &sum));
}

static void test_totals__always_are_the_sums_over_rows(void **state) {
  const uint32_t flags[] = {SN_ROW, SN_GONE, SN_MUTED, SN_WANT_MUTE,
                            SN_WANT_MUTED};
  static sn_conv convs[CONVS];
  seen_totals totals = {0, 0, 0, 0};
  test_random random = {7};
  (void)state;
  for (uint64_t n = test_scaled(50000); n > 0; n--) {
    sn_conv *conv = &convs[test_random_below(&random, CONVS)];
    conv->flags ^= flags[test_random_below(&random, 5)];
    conv->server.high = test_random_below(&random, 2); /* marked unread */
    sn_totals_update(&totals, conv, test_random_below(&random, 4),
                     (uint32_t)test_random_below(&random, 3));
    assert_sums(&totals, convs);
  }
}

static void test_totals__a_recount_by_caches_is_the_same(void **state) {
  sn_conv muted = {.flags = SN_ROW | SN_MUTED}, left = {.flags = SN_ROW};
  seen_totals totals = {0, 0, 0, 0}, again = {0, 0, 0, 0};
  (void)state;
  sn_totals_update(&totals, &muted, 5, 2);
  sn_totals_update(&totals, &left, 7, 1);
  left.flags |= SN_GONE;
  sn_totals_update(&totals, &left, 7, 1);
  sn_totals_add(&again, &muted);
  sn_totals_add(&again, &left);
  assert_true(sn_totals_equal(&totals, &again));
  assert_int_equal(totals.muted, 5);
  assert_int_equal(totals.mentions, 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_totals__always_are_the_sums_over_rows),
      cmocka_unit_test(test_totals__a_recount_by_caches_is_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
