#include "client/ring.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/alloc.h"

static int push(sn_ring *ring, uint64_t at, const char *text) {
  return sn_ring_push(ring,
                      (sn_noted){at, (const uint8_t *)text, strlen(text)});
}

/* All that is there, as "1:one 2:two". */
static void check(const sn_ring *ring, const char *want) {
  char got[512] = "";
  size_t place = 0;
  size_t count = 0;
  sn_noted noted;

  for (; sn_ring_next(ring, &place, &noted); count++)
    snprintf(got + strlen(got), sizeof got - strlen(got), "%s%d:%.*s",
             count > 0 ? " " : "", (int)noted.at, (int)noted.size,
             (const char *)noted.bytes);
  assert_string_equal(got, want);
  assert_int_equal(ring->count, count);
}

static void test_ring__the_oldest_goes_first(void **s) {
  test_alloc memory;
  sn_ring ring;
  (void)s;
  test_alloc_init(&memory);
  sn_ring_init(&ring, &memory.allocator);
  check(&ring, "");
  assert_int_equal(push(&ring, 1, "one"), SEEN_OK);
  assert_int_equal(push(&ring, 2, ""), SEEN_OK);
  assert_int_equal(push(&ring, 3, "three"), SEEN_OK);
  check(&ring, "1:one 2: 3:three");
  sn_ring_pop(&ring);
  check(&ring, "2: 3:three");
  sn_ring_pop(&ring);
  sn_ring_pop(&ring);
  check(&ring, "");
  assert_int_equal(sn_ring_bytes(&ring), 0);
  sn_ring_free(&ring);
  test_alloc_check(&memory);
}

static void test_ring__its_memory_does_not_grow_for_ever(void **s) {
  test_alloc memory;
  sn_ring ring;
  char text[32];
  int i;
  (void)s;
  test_alloc_init(&memory);
  sn_ring_init(&ring, &memory.allocator);
  for (i = 0; i < 10000; i++) {
    snprintf(text, sizeof text, "%d", i);
    if (ring.count == 4) sn_ring_pop(&ring);
    assert_int_equal(push(&ring, (uint64_t)i, text), SEEN_OK);
  }
  check(&ring, "9996:9996 9997:9997 9998:9998 9999:9999");
  assert_in_range(memory.most_bytes, 1, 1024);
  sn_ring_free(&ring);
  test_alloc_check(&memory);
}

static void test_ring__without_memory_it_is_as_it_was(void **s) {
  test_alloc memory;
  sn_ring ring;
  (void)s;
  test_alloc_init(&memory);
  sn_ring_init(&ring, &memory.allocator);
  assert_int_equal(push(&ring, 1, "one"), SEEN_OK);
  test_alloc_fail(&memory, 1);
  assert_int_equal(push(&ring, 2, "a text for which there is no room yet"),
                   SEEN_ENOMEM);
  check(&ring, "1:one");
  assert_int_equal(push(&ring, 2, "two"), SEEN_OK);
  check(&ring, "1:one 2:two");
  sn_ring_free(&ring);
  test_alloc_check(&memory);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ring__the_oldest_goes_first),
      cmocka_unit_test(test_ring__its_memory_does_not_grow_for_ever),
      cmocka_unit_test(test_ring__without_memory_it_is_as_it_was),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
