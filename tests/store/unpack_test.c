#include "store/unpack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/alloc.h"
#include "support/random.h"
#include "support/record.h"

enum { PIECES = 200 };

/* A record packed, and its pieces to play with. */
typedef struct packing {
  sn_pack pack;
  sn_unpack unpack;
  sn_piece pieces[PIECES];
  size_t count;
} packing;

static packing pack(const seen_record *record, size_t most) {
  packing all = {.count = 0};
  sn_pack_init(&all.pack, seen_allocator_default());
  sn_unpack_init(&all.unpack, seen_allocator_default());
  assert_int_equal(sn_pack_record(&all.pack, record, most), SEEN_OK);
  assert_in_range(all.pack.count, 1, PIECES);
  for (all.count = 0; all.count < all.pack.count; all.count++)
    all.pieces[all.count] = sn_pack_piece(&all.pack, all.count);
  return all;
}

static void discard(packing *all) {
  sn_pack_free(&all->pack);
  sn_unpack_free(&all->unpack);
}

static int unpack(packing *all, const char *id, seen_record *record) {
  return sn_unpack_record(&all->unpack, id, all->pieces, all->count, record);
}

static void comes_back(const seen_record *record, size_t most) {
  packing all = pack(record, most);
  seen_record got;
  assert_int_equal(unpack(&all, record->id, &got), SEEN_OK);
  assert_int_equal(got.size, sizeof got);
  test_record_check(&got, record);
  discard(&all);
}

static void test_unpack__a_plain_record_comes_back(void **state) {
  seen_record record = test_record_plain("c", 10);
  (void)state;
  comes_back(&record, SN_PACK_SHORT);
}

static void test_unpack__all_lists_come_back_from_one_piece(void **state) {
  (void)state;
  comes_back(test_record_full("c", 20), SN_PACK_SHORT);
  comes_back(test_record_full("c", 1500), SIZE_MAX);
}

static void test_unpack__all_lists_come_back_from_many_pieces(void **state) {
  (void)state;
  comes_back(test_record_full("c", SN_PACK_SHORT + 1), SN_PACK_SHORT);
  comes_back(test_record_full("c", SN_PACK_ITEMS), SN_PACK_SHORT);
  comes_back(test_record_full("c", 1500), SN_PACK_SHORT);
}

/* The lists of the record before are not those of the next one. */
static void test_unpack__nothing_is_left_of_the_last_one(void **state) {
  packing all = pack(test_record_full("c", 50), SN_PACK_SHORT);
  seen_record plain = test_record_plain("d", 3), got;
  packing next = pack(&plain, SN_PACK_SHORT);
  (void)state;
  assert_int_equal(unpack(&all, "c", &got), SEEN_OK);
  assert_int_equal(sn_unpack_record(&all.unpack, "d", next.pieces, 1, &got),
                   SEEN_OK);
  test_record_check(&got, &plain);
  discard(&all);
  discard(&next);
}

static void refused(packing *all, const char *id) {
  seen_record got;
  assert_int_equal(unpack(all, id, &got), SEEN_ECORRUPT);
}

static void test_unpack__another_id_is_refused(void **state) {
  packing all = pack(test_record_full("c", 20), SN_PACK_SHORT);
  (void)state;
  refused(&all, "d");
  discard(&all);
}

static void test_unpack__each_wrong_byte_is_refused(void **state) {
  packing all = pack(test_record_full("c", SN_PACK_SHORT + 1), SN_PACK_SHORT);
  (void)state;
  for (size_t i = 0; i < all.pack.bytes.size; i++) {
    all.pack.bytes.at[i] ^= 0x10;
    refused(&all, "c");
    all.pack.bytes.at[i] ^= 0x10;
  }
  discard(&all);
}

static void test_unpack__each_cut_is_refused(void **state) {
  packing all = pack(test_record_full("c", SN_PACK_SHORT), SN_PACK_SHORT);
  (void)state;
  for (; all.pieces[0].size; all.pieces[0].size--)
    if (all.pieces[0].size < all.pack.bytes.size) refused(&all, "c");
  discard(&all);
}

static void test_unpack__a_piece_less_or_more_is_refused(void **state) {
  packing all = pack(test_record_full("c", 300), SN_PACK_SHORT);
  (void)state;
  all.pieces[all.count] = all.pieces[all.count - 1];
  all.count++;
  refused(&all, "c");
  all.count -= 2;
  refused(&all, "c");
  all.count = 0;
  refused(&all, "c");
  discard(&all);
}

static void test_unpack__pieces_out_of_order_are_refused(void **state) {
  packing all = pack(test_record_full("c", 600), SN_PACK_SHORT);
  sn_piece first = all.pieces[1];
  (void)state;
  all.pieces[1] = all.pieces[2];
  all.pieces[2] = first;
  refused(&all, "c");
  discard(&all);
}

/* Bytes that nobody wrote, with a sum that is right all the same. */
static void mutate(packing *all, test_random *random) {
  size_t number = (size_t)test_random_below(random, all->count);
  const sn_piece *piece = &all->pieces[number];
  uint8_t *at = all->pack.bytes.at + (piece->at - all->pack.bytes.at);
  uint64_t sum;
  if (piece->size < 5) return;
  for (uint64_t n = 1 + test_random_below(random, 3); n; n--)
    at[test_random_below(random, piece->size - 4)] =
        (uint8_t)test_random_next(random);
  sum = sn_sum(sn_piece_seed("c", number), at, piece->size - 4);
  for (size_t i = 0; i < 4; i++)
    at[piece->size - 4 + i] = (uint8_t)(sum >> (8 * i));
}

/* Reads all that it points at. */
static void use(const seen_record *record) {
  size_t length = 0;
  for (size_t i = 0; i < record->member_count; i++)
    length += strlen(record->members[i].user);
  for (size_t i = 0; i < record->sender_count; i++)
    length += strlen(record->senders[i].user);
  for (size_t i = 0; i < record->peer_count; i++)
    length += strlen(record->peers[i].user);
  for (size_t i = 0; i < record->mention_count; i++)
    length += record->mentions[i].why <= SEEN_MENTION_QUOTE ? 0 : 1000000;
  assert_in_range(length, 0, 999999);
}

static void test_unpack__what_nobody_wrote_does_no_harm(void **state) {
  test_random random = {test_fresh_seed()};
  uint64_t taken = 0, tries = test_scaled(20000);
  (void)state;
  for (uint64_t i = 0; i < tries; i++) {
    packing all = pack(test_record_full("c", 20 + i % 30), SN_PACK_SHORT);
    seen_record got;
    int status;
    for (int n = 0; n < 3; n++)
      mutate(&all, &random);
    status = unpack(&all, "c", &got);
    if (!status) use(&got);
    taken += status == SEEN_OK;
    assert_true(status == SEEN_OK || status == SEEN_ECORRUPT);
    discard(&all);
  }
  assert_in_range(taken, 0, tries - 1);
}

static void test_unpack__without_memory_it_can_be_tried_again(void **state) {
  const seen_record *record = test_record_full("c", 300);
  packing all = pack(record, SN_PACK_SHORT);
  test_alloc memory;
  seen_record got;
  int status = SEEN_ENOMEM;
  (void)state;
  test_alloc_init(&memory);
  sn_unpack_init(&all.unpack, &memory.allocator);
  for (uint64_t n = 1; status == SEEN_ENOMEM; n++) {
    sn_unpack_free(&all.unpack);
    test_alloc_fail(&memory, n);
    status = unpack(&all, "c", &got);
  }
  assert_int_equal(status, SEEN_OK);
  assert_in_range(memory.failures, 10, 1000);
  test_record_check(&got, record);
  discard(&all);
  test_alloc_check(&memory);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_unpack__a_plain_record_comes_back),
      cmocka_unit_test(test_unpack__all_lists_come_back_from_one_piece),
      cmocka_unit_test(test_unpack__all_lists_come_back_from_many_pieces),
      cmocka_unit_test(test_unpack__nothing_is_left_of_the_last_one),
      cmocka_unit_test(test_unpack__another_id_is_refused),
      cmocka_unit_test(test_unpack__each_wrong_byte_is_refused),
      cmocka_unit_test(test_unpack__each_cut_is_refused),
      cmocka_unit_test(test_unpack__a_piece_less_or_more_is_refused),
      cmocka_unit_test(test_unpack__pieces_out_of_order_are_refused),
      cmocka_unit_test(test_unpack__what_nobody_wrote_does_no_harm),
      cmocka_unit_test(test_unpack__without_memory_it_can_be_tried_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
