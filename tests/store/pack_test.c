#include "store/pack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/alloc.h"
#include "support/record.h"

static sn_pack packed(const seen_record *record, size_t most) {
  sn_pack pack;
  sn_pack_init(&pack, seen_allocator_default());
  assert_int_equal(sn_pack_record(&pack, record, most), SEEN_OK);
  return pack;
}

static void test_pack__short_lists_lie_in_the_first_piece(void **state) {
  sn_pack pack = packed(test_record_full("c", SN_PACK_SHORT), SN_PACK_SHORT);
  (void)state;
  assert_int_equal(pack.count, 1);
  sn_pack_free(&pack);
}

static void test_pack__long_lists_have_pieces_of_their_own(void **state) {
  enum { LISTS = SN_LISTS - 1 }; /* there is one peer */
  sn_pack pack =
      packed(test_record_full("c", SN_PACK_SHORT + 1), SN_PACK_SHORT);
  (void)state;
  assert_int_equal(pack.count, 1 + LISTS);
  sn_pack_free(&pack);
  pack = packed(test_record_full("c", SN_PACK_ITEMS + 1), SN_PACK_SHORT);
  assert_int_equal(pack.count, 1 + 2 * LISTS);
  sn_pack_free(&pack);
}

static void test_pack__a_quiet_conversation_is_small(void **state) {
  seen_record record = test_record_plain("c", 10);
  sn_pack pack = packed(&record, SN_PACK_SHORT);
  (void)state;
  assert_int_equal(pack.count, 1);
  assert_in_range(pack.bytes.size, 1, 64);
  sn_pack_free(&pack);
}

static bool same_piece(const sn_pack *a, const sn_pack *b, size_t number) {
  sn_piece x = sn_pack_piece(a, number), y = sn_pack_piece(b, number);
  return x.size == y.size && !memcmp(x.at, y.at, x.size);
}

/* What makes a message in a large group cost one row and one piece. */
static void test_pack__one_more_sender_changes_one_piece(void **state) {
  seen_record record = *test_record_full("c", 600);
  sn_pack before, after;
  (void)state;
  record.sender_count = 599;
  before = packed(&record, SN_PACK_SHORT);
  record.sender_count = 600;
  after = packed(&record, SN_PACK_SHORT);
  assert_int_equal(after.count, before.count);
  for (size_t i = 0; i < before.count; i++)
    assert_int_equal(same_piece(&before, &after, i), i + 1 < before.count);
  sn_pack_free(&before);
  sn_pack_free(&after);
}

static void test_pack__another_id_is_another_piece(void **state) {
  seen_record record = test_record_plain("a", 10);
  sn_pack a = packed(&record, SN_PACK_SHORT), b;
  (void)state;
  record.id = "b";
  b = packed(&record, SN_PACK_SHORT);
  assert_false(same_piece(&a, &b, 0));
  sn_pack_free(&a);
  sn_pack_free(&b);
}

static void test_pack__an_id_that_is_too_long_is_refused(void **state) {
  char id[SN_ID_MAX + 2] = "";
  seen_record record = test_record_plain(id, 10);
  sn_pack pack;
  (void)state;
  memset(id, 'x', sizeof id - 1);
  sn_pack_init(&pack, seen_allocator_default());
  assert_int_equal(sn_pack_record(&pack, &record, 1), SEEN_EINVAL);
  record.id = "c";
  record.senders = &(seen_sender){{1, 1}, id, true};
  record.sender_count = 1;
  assert_int_equal(sn_pack_record(&pack, &record, 1), SEEN_EINVAL);
  record.sender_count = 0;
  assert_int_equal(sn_pack_record(&pack, &record, 1), SEEN_OK);
  sn_pack_free(&pack);
}

static void test_pack__without_memory_it_can_be_tried_again(void **state) {
  const seen_record *record = test_record_full("c", 300);
  sn_pack whole = packed(record, SN_PACK_SHORT), pack;
  test_alloc memory;
  int status = SEEN_ENOMEM;
  (void)state;
  test_alloc_init(&memory);
  sn_pack_init(&pack, &memory.allocator);
  for (uint64_t n = 1; status == SEEN_ENOMEM; n++) {
    sn_pack_free(&pack);
    test_alloc_fail(&memory, n);
    status = sn_pack_record(&pack, record, SN_PACK_SHORT);
  }
  assert_int_equal(status, SEEN_OK);
  assert_in_range(memory.failures, 5, 1000);
  assert_int_equal(pack.count, whole.count);
  for (size_t i = 0; i < pack.count; i++)
    assert_true(same_piece(&pack, &whole, i));
  sn_pack_free(&pack);
  sn_pack_free(&whole);
  test_alloc_check(&memory);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pack__short_lists_lie_in_the_first_piece),
      cmocka_unit_test(test_pack__long_lists_have_pieces_of_their_own),
      cmocka_unit_test(test_pack__a_quiet_conversation_is_small),
      cmocka_unit_test(test_pack__one_more_sender_changes_one_piece),
      cmocka_unit_test(test_pack__another_id_is_another_piece),
      cmocka_unit_test(test_pack__an_id_that_is_too_long_is_refused),
      cmocka_unit_test(test_pack__without_memory_it_can_be_tried_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
