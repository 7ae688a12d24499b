#include "net/connections.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/alloc.h"

/* A transport's list of connections, and the events that it tells. */
typedef struct scene {
  test_alloc memory;
  sn_net net;
} scene;

static void ignore(void *user_data) {
  (void)user_data;
}

static void begin(scene *s) {
  memset(s, 0, sizeof *s);
  test_alloc_init(&s->memory);
  s->net.memory = &s->memory.allocator;
  s->net.lock = sn_platform_mutex_new(s->net.memory);
  assert_non_null(s->net.lock);
  assert_int_equal(
      sn_arrivals_open(s->net.memory, ignore, NULL, &s->net.events), SEEN_OK);
}

static void end(scene *s) {
  sn_arrivals_close(&s->net.events);
  sn_platform_mutex_free(s->net.memory, s->net.lock);
  test_alloc_check(&s->memory);
}

static sn_connection *add(scene *s, uint64_t number) {
  const seen_dial dial = {.size = sizeof dial, .connection = number};
  sn_connection *made = sn_connection_new(&s->net, &dial);
  assert_non_null(made);
  sn_connections_add(&s->net, made);
  return made;
}

static void test_connections__each_is_found_until_it_goes(void **state) {
  scene s;
  (void)state;
  begin(&s);
  sn_connection *first = add(&s, 1), *second = add(&s, 2);
  assert_ptr_equal(sn_connections_find(&s.net, 1), first);
  assert_ptr_equal(sn_connections_find(&s.net, 2), second);
  sn_connections_remove(&s.net, 1);
  assert_null(sn_connections_find(&s.net, 1));
  sn_connections_remove(&s.net, 1); /* it is gone: nothing */
  assert_ptr_equal(sn_connections_find(&s.net, 2), second);
  sn_connections_remove(&s.net, 2);
  end(&s);
}

static void test_connections__4_mib_may_wait_on_each(void **state) {
  const size_t most = (size_t)4 << 20;
  scene s;
  (void)state;
  begin(&s);
  sn_connection *first = add(&s, 1), *second = add(&s, 2);
  assert_true(sn_connections_count(&s.net, first, most - 1));
  assert_false(sn_connections_count(&s.net, first, 2));
  assert_true(sn_connections_count(&s.net, first, 1));
  assert_true(sn_connections_count(&s.net, second, most));
  sn_connections_sent(&s.net, 1, 10);
  sn_connections_sent(&s.net, 3, 10); /* one that is gone */
  assert_true(sn_connections_count(&s.net, first, 10));
  assert_false(sn_connections_count(&s.net, first, 1));
  sn_connections_remove(&s.net, 1);
  sn_connections_remove(&s.net, 2);
  end(&s);
}

static void test_connections__an_end_is_told_with_its_reason(void **state) {
  seen_transport_event event;
  bool drained;
  scene s;
  (void)state;
  begin(&s);
  sn_command *dial = sn_command_new(s.net.memory, SN_COMMAND_DIAL, 5, NULL, 0);
  assert_non_null(dial);
  sn_connections_end(&s.net, dial->last, SEEN_ENDED_TIMEOUT, 7, "too late");
  dial->last = NULL;
  sn_command_free(s.net.memory, dial);
  assert_true(sn_arrivals_next(&s.net.events, &event, &drained));
  assert_int_equal(event.type, SEEN_TRANSPORT_ENDED);
  assert_int_equal(event.number, 5);
  assert_int_equal(event.ended, SEEN_ENDED_TIMEOUT);
  assert_int_equal(event.code, 7);
  assert_string_equal(event.text, "too late");
  end(&s);
}

static void test_connections__without_memory_there_is_none(void **state) {
  const seen_dial dial = {.size = sizeof dial, .connection = 1};
  scene s;
  (void)state;
  begin(&s);
  for (uint64_t n = 1;; n++) {
    test_alloc_fail(&s.memory, n);
    sn_connection *made = sn_connection_new(&s.net, &dial);
    test_alloc_fail(&s.memory, 0);
    if (!made) continue;
    assert_true(n > 1);
    sn_connection_free(&s.net, made);
    break;
  }
  end(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_connections__each_is_found_until_it_goes),
      cmocka_unit_test(test_connections__4_mib_may_wait_on_each),
      cmocka_unit_test(test_connections__an_end_is_told_with_its_reason),
      cmocka_unit_test(test_connections__without_memory_there_is_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
