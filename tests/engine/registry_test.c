#include "engine/registry.h"

#include <stdio.h>

#include "support/engine.h"
#include "support/random.h"

enum { IDS = 100000 };

typedef struct bench {
  test_alloc memory;
  sn_registry registry;
} bench;

static void begin(bench *b) {
  *b = (bench){0};
  test_alloc_init(&b->memory);
  b->registry.seed = 99;
}

static void end(bench *b) {
  sn_registry_free(&b->memory.allocator, &b->registry);
  test_alloc_check(&b->memory);
}

static seen_conv add(bench *b, const char *id) {
  return sn_registry_add(&b->memory.allocator, &b->registry, id, strlen(id));
}

static uint32_t need_user(bench *b, const char *user) {
  return sn_registry_need_user(&b->memory.allocator, &b->registry, user);
}

static void
test_registry__a_hundred_thousand_ids_keep_their_handles(void **state) {
  uint64_t ids = test_scaled(IDS);
  char id[24];
  bench b;
  (void)state;
  begin(&b);
  for (uint64_t i = 1; i <= ids; i++) {
    snprintf(id, sizeof id, "conv-%llu", (unsigned long long)i);
    assert_int_equal(sn_registry_find(&b.registry, id), 0);
    assert_int_equal(add(&b, id), i);
  }
  for (uint64_t i = 1; i <= ids; i++) {
    snprintf(id, sizeof id, "conv-%llu", (unsigned long long)i);
    assert_int_equal(sn_registry_find(&b.registry, id), i);
    const sn_conv *conv = sn_registry_at(&b.registry, (seen_conv)i);
    assert_string_equal(conv->id, id);
    assert_int_equal(conv->handle, i);
  }
  end(&b);
}

static void test_registry__a_conversation_never_moves(void **state) {
  char id[24];
  bench b;
  (void)state;
  begin(&b);
  const sn_conv *first = sn_registry_at(&b.registry, add(&b, "first"));
  for (unsigned i = 0; i < 10 * SN_CHUNK; i++) {
    snprintf(id, sizeof id, "%u", i);
    add(&b, id);
  }
  assert_ptr_equal(sn_registry_at(&b.registry, 1), first);
  assert_string_equal(first->id, "first");
  end(&b);
}

static void
test_registry__a_new_conversation_is_joined_from_the_first_seq(void **state) {
  bench b;
  (void)state;
  begin(&b);
  const sn_conv *conv = sn_registry_at(&b.registry, add(&b, "g"));
  assert_int_equal(conv->join_seq, 1);
  assert_int_equal(conv->flags, 0);
  end(&b);
}

static void
test_registry__people_and_conversations_share_no_names(void **state) {
  bench b;
  (void)state;
  begin(&b);
  add(&b, "other");
  assert_int_equal(add(&b, "same"), 2);
  assert_int_equal(sn_registry_user(&b.registry, "same"), 0);
  assert_int_equal(need_user(&b, "same"), 1);
  assert_int_equal(need_user(&b, "same"), 1);
  assert_string_equal(sn_registry_user_name(&b.registry, 1), "same");
  assert_int_equal(sn_registry_find(&b.registry, "same"), 2);
  end(&b);
}

static void test_registry__an_id_is_its_bytes(void **state) {
  bench b;
  (void)state;
  begin(&b);
  add(&b, "g");
  assert_int_equal(sn_registry_find(&b.registry, "G"), 0);
  assert_int_equal(sn_registry_find(&b.registry, "g "), 0);
  assert_int_equal(sn_registry_find(&b.registry, ""), 0);
  end(&b);
}

/* Fails each allocation in turn until one after it succeeds. */
static void test_registry__without_memory_no_handle_is_used_up(void **state) {
  bench b;
  uint64_t n;
  (void)state;
  begin(&b);
  for (n = 1, test_alloc_fail(&b.memory, n); !add(&b, "g"); n++) {
    assert_int_equal(b.registry.count, 0);
    assert_int_equal(sn_registry_find(&b.registry, "g"), 0);
    test_alloc_fail(&b.memory, 1);
    assert_int_equal(add(&b, "g"), 0);
    test_alloc_fail(&b.memory, n + 1);
    if (n > 9) break;
  }
  test_alloc_fail(&b.memory, 0);
  assert_int_equal(sn_registry_find(&b.registry, "g"), 1);
  test_alloc_fail(&b.memory, 1);
  assert_int_equal(need_user(&b, "u"), 0);
  assert_int_equal(need_user(&b, "u"), 1);
  end(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(
          test_registry__a_hundred_thousand_ids_keep_their_handles),
      cmocka_unit_test(test_registry__a_conversation_never_moves),
      cmocka_unit_test(
          test_registry__a_new_conversation_is_joined_from_the_first_seq),
      cmocka_unit_test(test_registry__people_and_conversations_share_no_names),
      cmocka_unit_test(test_registry__an_id_is_its_bytes),
      cmocka_unit_test(test_registry__without_memory_no_handle_is_used_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
