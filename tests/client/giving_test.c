/* What the host is told: values as they are, moves that lead there. */
#include "client/events.h"

#include <stdio.h>
#include <string.h>

#include "support/events.h"

/* The list as the host has it, by its moves. */
static struct {
  char rows[256][8];
  size_t count;
} shown;

static void changed(test_events *f, const char *id) {
  sn_events_changed(&f->events, events_conv(f, id));
}

static void test_giving__a_state_is_that_of_the_moment(void **state) {
  test_events f;
  seen_event event;
  (void)state;
  events_begin(&f);
  say_message(f.t, "g", 10, "u2");
  changed(&f, "g");
  say_message(f.t, "g", 11, "u2"); /* after it began to wait */
  assert_true(events_take(&f, &event));
  assert_int_equal(event.type, SEEN_EVENT_CONVERSATION);
  assert_string_equal(event.id, "g");
  assert_int_equal(event.conv, events_conv(&f, "g"));
  assert_int_equal(event.u.state.unread, 6);
  changed(&f, "g"); /* which was told just now */
  assert_false(events_take(&f, &event));
  events_end(&f);
}

static void test_giving__what_went_back_is_not_told(void **state) {
  test_events f;
  seen_event event;
  (void)state;
  events_begin(&f);
  say_on(f.t, SEEN_INPUT_MUTE, "g", true);
  changed(&f, "g");
  sn_events_totals(&f.events);
  say_on(f.t, SEEN_INPUT_MUTE, "g", false);
  assert_false(events_take(&f, &event)); /* C162 */
  events_end(&f);
}

static void test_giving__a_row_that_went_is_gone_once(void **state) {
  test_events f;
  seen_event event;
  (void)state;
  events_begin(&f);
  say(f.t, SEEN_INPUT_FORGET, "g");
  changed(&f, "g");
  assert_true(events_take(&f, &event));
  assert_int_equal(event.type, SEEN_EVENT_GONE);
  assert_string_equal(event.id, "g");
  changed(&f, "g");
  assert_false(events_take(&f, &event));
  say_row(f.t, "g", word_at(0, 5, 0, 9));
  changed(&f, "g");
  assert_true(events_take(&f, &event));
  assert_int_equal(event.type, SEEN_EVENT_CONVERSATION);
  events_end(&f);
}

static void test_giving__events_come_in_the_order_of_their_causes(void **s) {
  const seen_text text = {.size = sizeof text, .from = "u2", .body = "x"};
  const seen_event_type wanted[] = {SEEN_EVENT_TOKEN, SEEN_EVENT_MESSAGE,
                                    SEEN_EVENT_PROBLEM, SEEN_EVENT_MESSAGE};
  test_events f;
  seen_event event;
  (void)s;
  events_begin(&f);
  sn_events_token(&f.events);
  sn_events_message(&f.events, "g", &text);
  sn_events_problem(&f.events, SEEN_PROBLEM_DRIFT, 0, "why");
  sn_events_message(&f.events, "unknown", &text);
  for (size_t i = 0; i < 4; i++) {
    assert_true(events_take(&f, &event));
    assert_int_equal(event.type, wanted[i]);
  }
  assert_string_equal(event.id, "unknown");
  assert_int_equal(event.conv, 0);
  events_end(&f);
}

static void test_giving__no_more_than_waited_by_then(void **state) {
  test_events f;
  seen_event event;
  uint64_t serial;
  (void)state;
  events_begin(&f);
  sn_events_token(&f.events);
  serial = f.events.serial;
  sn_events_problem(&f.events, SEEN_PROBLEM_DRIFT, 0, "why");
  assert_true(sn_events_next(&f.events, serial, &event, &f.lent));
  assert_false(sn_events_next(&f.events, serial, &event, &f.lent));
  assert_true(sn_events_wait(&f.events));
  events_end(&f);
}

static void test_giving__a_connection_is_told_where_it_differs(void **state) {
  test_events f;
  seen_event event;
  seen_connection_state now = {.size = sizeof now};
  (void)state;
  events_begin(&f);
  sn_events_connection(&f.events, &now);
  assert_false(events_take(&f, &event));
  now.connection = SEEN_CONNECTION_CONNECTING;
  sn_events_connection(&f.events, &now);
  now.connection = SEEN_CONNECTION_WAITING;
  now.retry_ms = 70;
  sn_events_connection(&f.events, &now);
  assert_true(events_take(&f, &event));
  assert_int_equal(event.u.connection.connection, SEEN_CONNECTION_WAITING);
  assert_int_equal(event.u.connection.retry_ms, 70);
  assert_false(events_take(&f, &event));
  events_end(&f);
}

static void test_giving__a_refusal_says_why(void **state) {
  test_events f;
  seen_event event;
  (void)state;
  events_begin(&f);
  sn_events_refused(&f.events, events_conv(&f, "g"), SEEN_REFUSAL_CONFLICT);
  assert_true(events_take(&f, &event));
  assert_int_equal(event.type, SEEN_EVENT_PROBLEM);
  assert_string_equal(event.id, "g");
  assert_int_equal(event.u.problem.code, SEEN_EREFUSED);
  assert_string_equal(event.u.problem.message, "conflict");
  events_end(&f);
}

/* The host follows the moves. */
static void follow(const seen_list_change *change) {
  if (change->reset) shown.count = 0;
  for (size_t i = 0; i < change->count; i++) {
    const seen_move *move = &change->moves[i];
    if (move->type != SEEN_MOVE_INSERT) {
      assert_string_equal(shown.rows[move->from], move->id);
      memmove(shown.rows[move->from], shown.rows[move->from + 1],
              (shown.count - move->from - 1) * sizeof *shown.rows);
      shown.count--;
    }
    if (move->type == SEEN_MOVE_REMOVE) continue;
    assert_true(move->to <= shown.count);
    memmove(shown.rows[move->to + 1], shown.rows[move->to],
            (shown.count - move->to) * sizeof *shown.rows);
    snprintf(shown.rows[move->to], sizeof *shown.rows, "%s", move->id);
    shown.count++;
  }
}

static void has_the_list(test_events *f) {
  seen_state rows[256];
  size_t count = seen_engine_page(f->t->engine, 0, 256, rows);
  assert_int_equal(shown.count, count);
  for (size_t i = 0; i < count; i++)
    assert_string_equal(shown.rows[i], rows[i].id);
}

static void test_giving__moves_lead_from_list_to_list(void **state) {
  test_events f;
  seen_event event;
  (void)state;
  events_begin(&f);
  for (int i = 0; i < 200; i++) {
    char id[8];
    snprintf(id, sizeof id, "c%d", i * 7 % 100);
    if (i % 13 == 5)
      say(f.t, SEEN_INPUT_FORGET, id);
    else if (i % 5)
      say_snapshot(f.t, id,
                   (seen_snapshot){.kind = SEEN_KIND_GROUP,
                                   .word = word_at(0, 0, 0, 1),
                                   .fields = SEEN_SNAPSHOT_UPDATED_AT,
                                   .updated_at = (uint64_t)(i * 31 % 50)});
    else
      say_on(f.t, SEEN_INPUT_PIN, id, i % 2);
    sn_events_list(&f.events);
    if (i % 3) continue;
    if (!events_take(&f, &event)) continue;
    assert_int_equal(event.type, SEEN_EVENT_LIST);
    assert_int_equal(event.u.list.reset, i == 0);
    follow(&event.u.list);
    has_the_list(&f);
  }
  assert_true(shown.count > 50);
  events_end(&f);
}

static void test_giving__a_list_that_is_the_same_is_not_told(void **state) {
  test_events f;
  seen_event event;
  (void)state;
  events_begin(&f);
  sn_events_list(&f.events);
  assert_true(events_take(&f, &event)); /* the whole of it, once */
  assert_true(event.u.list.reset);
  sn_events_list(&f.events);
  assert_false(events_take(&f, &event));
  sn_events_forget_order(&f.events);
  assert_true(events_take(&f, &event));
  assert_true(event.u.list.reset);
  events_end(&f);
}

static void test_giving__too_many_moves_are_a_reset(void **state) {
  test_events f;
  seen_event event;
  char id[8];
  (void)state;
  events_begin(&f);
  sn_events_list(&f.events);
  assert_true(events_take(&f, &event));
  for (size_t i = 0; i <= SN_MOVES_MAX; i++) {
    snprintf(id, sizeof id, "c%zu", i);
    say_row(f.t, id, word_at(0, 0, 0, 1));
  }
  sn_events_list(&f.events);
  assert_true(events_take(&f, &event));
  assert_true(event.u.list.reset);
  assert_int_equal(event.u.list.count, SN_MOVES_MAX + 3);
  events_end(&f);
}

static void test_giving__without_memory_the_list_is_told_later(void **state) {
  test_events f;
  seen_event event;
  uint64_t n = 0;
  bool told = false;
  (void)state;
  events_begin(&f);
  sn_events_list(&f.events);
  while (!told) {
    test_alloc_fail(&f.memory, ++n);
    /* What is put meanwhile has its turn the next time. */
    told = sn_events_next(&f.events, f.events.serial, &event, &f.lent) &&
           event.type == SEEN_EVENT_LIST;
  }
  test_alloc_fail(&f.memory, 0);
  assert_true(n > 2);
  follow(&event.u.list);
  has_the_list(&f);
  events_end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_giving__a_state_is_that_of_the_moment),
      cmocka_unit_test(test_giving__what_went_back_is_not_told),
      cmocka_unit_test(test_giving__a_row_that_went_is_gone_once),
      cmocka_unit_test(test_giving__events_come_in_the_order_of_their_causes),
      cmocka_unit_test(test_giving__no_more_than_waited_by_then),
      cmocka_unit_test(test_giving__a_connection_is_told_where_it_differs),
      cmocka_unit_test(test_giving__a_refusal_says_why),
      cmocka_unit_test(test_giving__moves_lead_from_list_to_list),
      cmocka_unit_test(test_giving__a_list_that_is_the_same_is_not_told),
      cmocka_unit_test(test_giving__too_many_moves_are_a_reset),
      cmocka_unit_test(test_giving__without_memory_the_list_is_told_later),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
