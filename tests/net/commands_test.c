#include "net/commands.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/alloc.h"

static void test_commands__are_taken_in_order(void **state) {
  test_alloc memory;
  sn_commands all;
  sn_command *at, *next;
  uint64_t number = 0;
  (void)state;
  test_alloc_init(&memory);
  assert_int_equal(sn_commands_open(&memory.allocator, &all), SEEN_OK);
  assert_null(sn_commands_take(&all));
  for (uint64_t i = 1; i <= 3; i++)
    sn_commands_push(&all, sn_command_new(&memory.allocator, SN_COMMAND_WRITE,
                                          i, "text", 4));
  for (at = sn_commands_take(&all); at; at = next) {
    next = at->next;
    assert_int_equal(at->number, ++number);
    assert_string_equal(at->text, "text");
    sn_command_free(&memory.allocator, at);
  }
  assert_int_equal(number, 3);
  assert_null(sn_commands_take(&all));
  sn_commands_push(
      &all, sn_command_new(&memory.allocator, SN_COMMAND_PING, 4, NULL, 0));
  assert_false(sn_commands_stopped(&all));
  sn_commands_stop(&all);
  assert_true(sn_commands_stopped(&all));
  sn_commands_close(&all);
  test_alloc_check(&memory);
}

static void test_commands__a_dial_can_always_be_told(void **state) {
  const seen_allocator *memory = seen_allocator_default();
  sn_command *made = sn_command_new(memory, SN_COMMAND_DIAL, 5, NULL, 0);
  (void)state;
  assert_non_null(made);
  assert_int_equal(made->open->said.type, SEEN_TRANSPORT_OPEN);
  assert_int_equal(made->last->said.type, SEEN_TRANSPORT_ENDED);
  assert_int_equal(made->last->said.number, 5);
  sn_command_free(memory, made);
  made = sn_command_new(memory, SN_COMMAND_REQUEST, 6, NULL, 0);
  assert_non_null(made);
  assert_int_equal(made->last->said.type, SEEN_TRANSPORT_ANSWER);
  sn_command_free(memory, made);
}

static void test_commands__each_failing_allocation_is_no_command(void **state) {
  test_alloc memory;
  (void)state;
  for (uint64_t n = 1;; n++) {
    sn_command *made;
    bool whole;
    test_alloc_init(&memory);
    test_alloc_fail(&memory, n);
    made = sn_command_new(&memory.allocator, SN_COMMAND_REQUEST, 1, "body", 4);
    whole = made && sn_command_add(&memory.allocator, made, "token", "/path");
    sn_command_free(&memory.allocator, made);
    test_alloc_check(&memory);
    if (whole) break;
    assert_int_equal(memory.failures, 1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_commands__are_taken_in_order),
      cmocka_unit_test(test_commands__a_dial_can_always_be_told),
      cmocka_unit_test(test_commands__each_failing_allocation_is_no_command),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
