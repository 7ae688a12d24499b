#include "session/link.h"

#include <stdio.h>

#include "support/random.h"
#include "support/session.h"

static void test_link__it_opens_says_hello_and_is_up_at_the_welcome(void **s) {
  test_session *t = session_open();
  (void)s;
  pull(t);
  expect_said(t, "");
  session_dial(t);
  expect_said(t, "state connecting\ndial 1 socket");
  opened(t);
  expect_said(t, "write 1 {\"t\":\"hello\",\"id\":1,\"device\":\"phone\"}");
  frame(t, SESSION_WELCOME);
  expect_said(t, "link up\nstate online");
  frame(t, "{\"t\":\"changes\",\"id\":1,\"from\":0,\"version\":9,"
           "\"conversations\":[]}");
  expect_said(t, "server b7 9\nstate online synced");
  session_end(t);
}

static void test_link__hello_names_what_is_held(void **s) {
  sn_session_options options = session_options();
  (void)s;
  options.incarnation = "b7";
  options.version = 88200;
  test_session *t = session_open_with(&options);
  session_dial(t);
  opened(t);
  assert_true(was_said(t, "\"incarnation\":\"b7\",\"version\":88200}"));
  session_end(t);
}

static void test_link__a_dial_that_takes_too_long_is_given_up(void **s) {
  test_session *t = session_open();
  (void)s;
  session_dial(t);
  drop_said(t);
  until(t, 15999);
  expect_said(t, "");
  until(t, 16000);
  expect_said(t, "close 1 1001\nstate waiting");
  session_end(t);
}

/* 101 and then nothing, or something else than a welcome (C257). */
static void test_link__hello_without_an_answer_is_given_up(void **s) {
  test_session *t = session_open();
  (void)s;
  session_dial(t);
  opened(t);
  drop_said(t);
  until(t, 10999);
  expect_said(t, "");
  until(t, 11000);
  expect_said(t, "close 1 1001\nstate waiting");
  session_end(t);
}

static void test_link__garbage_in_place_of_a_welcome_is_a_failure(void **s) {
  static const char *const garbage[] = {
      "<html>", "{}", "{\"t\":\"typing\"}",
      ("{\"t\":\"changes\",\"id\":1,\"from\":0,\"version\":9,"
       "\"conversations\":[]}")};
  (void)s;
  for (size_t i = 0; i < sizeof garbage / sizeof *garbage; i++) {
    test_session *t = session_open();
    session_dial(t);
    opened(t);
    drop_said(t);
    frame(t, garbage[i]);
    expect_said(t, "close 1 1002\nstate waiting");
    assert_int_equal(t->state.cause, SEEN_ENDED_PROTOCOL);
    session_end(t);
  }
}

static void test_link__portals_are_told_apart_and_feed_nothing(void **s) {
  static const struct {
    seen_ended cause;
    uint32_t code;
    bool portal;
  } cases[] = {{SEEN_ENDED_HTTP, 200, true},   {SEEN_ENDED_HTTP, 302, true},
               {SEEN_ENDED_HTTP, 511, true},   {SEEN_ENDED_PROXY, 407, false},
               {SEEN_ENDED_TLS, 0, false},     {SEEN_ENDED_HTTP, 503, false},
               {SEEN_ENDED_RESOLVE, 0, false}, {SEEN_ENDED_CONNECT, 0, false}};
  (void)s;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    test_session *t = session_open();
    session_dial(t);
    drop_said(t);
    ended(t, cases[i].cause, cases[i].code);
    expect_said(t, cases[i].portal ? "state waiting portal" : "state waiting");
    assert_int_equal(t->state.cause, cases[i].cause);
    assert_int_equal(t->state.code, cases[i].code);
    assert_true(t->state.retry_ms <= 1000);
    assert_int_equal(t->asked, 0);
    session_end(t);
  }
}

/* Every way in which a connection can end leads to the next one (C260). */
static void test_link__every_end_is_followed_by_another_attempt(void **s) {
  static const struct {
    seen_ended cause;
    uint32_t code;
  } ends[] = {{SEEN_ENDED_LOST, 0},    {SEEN_ENDED_PEER, 1000},
              {SEEN_ENDED_PEER, 1001}, {SEEN_ENDED_PEER, 1006},
              {SEEN_ENDED_PEER, 1008}, {SEEN_ENDED_PEER, 1009},
              {SEEN_ENDED_PEER, 1011}, {SEEN_ENDED_PROTOCOL, 0},
              {SEEN_ENDED_TIMEOUT, 0}, {SEEN_ENDED_LOCAL, 0}};
  (void)s;
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    test_session *t = session_open();
    session_online(t);
    ended(t, ends[i].cause, ends[i].code);
    expect_said(t, "link down\nstate waiting");
    assert_true(wait_for_dial(t) <= 5000);
    assert_int_equal(t->asked, 0);
    session_end(t);
  }
}

static void test_link__silence_is_met_by_a_ping_and_then_an_end(void **s) {
  test_session *t = session_open();
  (void)s;
  session_online(t);
  until(t, 25999);
  expect_said(t, "");
  until(t, 26000);
  expect_said(t, "ping 1");
  until(t, 35999);
  expect_said(t, "");
  until(t, 36000);
  expect_said(t, "link down\nclose 1 1001\nstate waiting");
  session_end(t);
}

static void test_link__any_sign_of_life_puts_both_off(void **s) {
  test_session *t = session_open();
  (void)s;
  session_online(t);
  until(t, 26000);
  expect_said(t, "ping 1");
  until(t, 27000);
  alive(t);
  until(t, 51999);
  frame(t, "{\"t\":\"typing\"}");
  until(t, 76998);
  expect_said(t, "");
  until(t, 76999);
  expect_said(t, "ping 1");
  session_end(t);
}

static void test_link__idle_for_an_hour_only_pings(void **s) {
  test_session *t = session_open();
  (void)s;
  session_online(t);
  while (t->now < 3601000) {
    until(t, t->now + 25000);
    expect_said(t, "ping 1");
    alive(t);
  }
  assert_int_equal(t->frames, 1); /* hello */
  assert_int_equal(t->pings, 144);
  session_end(t);
}

/* Late news of a connection that was given up (C248, C259). */
static void test_link__what_comes_late_is_ignored(void **s) {
  test_session *t = session_open();
  (void)s;
  session_online(t);
  ended(t, SEEN_ENDED_LOST, 0);
  drop_said(t);
  frame_on(t, 1, "{\"t\":\"report_now\"}");
  ended_on(t, 1, SEEN_ENDED_PEER, 4403);
  expect_said(t, "");
  wait_for_dial(t);
  ended_on(t, 1, SEEN_ENDED_LOST, 0);
  expect_said(t, "state connecting\ndial 2 socket");
  session_end(t);
}

static void test_link__no_timer_outlives_its_connection(void **s) {
  sn_session_options options = session_options();
  (void)s;
  options.seed = 9; /* a long wait */
  options.intervals.backoff_min_ms = options.intervals.backoff_max_ms = 600000;
  test_session *t = session_open_with(&options);
  session_online(t);
  until(t, 20000);
  ended(t, SEEN_ENDED_LOST, 0);
  drop_said(t);
  uint64_t at = sn_session_deadline(t->session);
  assert_in_range(at, 60000, 620000);
  until(t, at - 1);
  expect_said(t, "");
  session_end(t);
}

/* A server that accepts and drops at once does not begin the waits anew
 * (C254). */
static void test_link__waits_grow_until_a_link_was_stable(void **s) {
  test_session *t = session_open();
  uint64_t early = 0, late = 0;
  (void)s;
  session_online(t);
  for (int i = 0; i < 40; i++) {
    uint64_t waited;
    until(t, t->now + 500);
    ended(t, SEEN_ENDED_PEER, 1011);
    waited = wait_for_dial(t);
    assert_true(waited <= 60000);
    *(i < 20 ? &early : &late) += waited;
    opened(t);
    frame(t, SESSION_WELCOME);
  }
  assert_true(late > 300000); /* the mean of the window is 30 s */
  until(t, t->now + 10000);
  ended(t, SEEN_ENDED_LOST, 0);
  assert_true(wait_for_dial(t) <= 1000);
  session_end(t);
}

/* No slot has more than chance brings, by six standard deviations. */
static void expect_spread(const size_t *slots, size_t count, size_t mean) {
  for (size_t i = 0; i < count; i++) {
    size_t over = slots[i] > mean ? slots[i] - mean : 0;
    assert_true(over * over <= 36 * mean);
  }
}

/* A server restarts with ten thousand clients (C253): attempts by 100 ms. */
static void test_link__a_restarted_server_is_not_stampeded(void **s) {
  enum { SLOTS = 100 };
  static size_t drained[SLOTS], lost[SLOTS];
  size_t clients = (size_t)test_scaled(10000);
  (void)s;
  for (uint64_t i = 0; i < clients; i++) {
    sn_session_options options = session_options();
    options.seed = i * 2654435761u;
    test_session *t = session_open_with(&options);
    session_online(t);
    until(t, t->now + 20000);
    ended(t, i % 2 ? SEEN_ENDED_LOST : SEEN_ENDED_PEER, i % 2 ? 0 : 1001);
    size_t slot = (size_t)wait_for_dial(t) / 100;
    assert_true(slot < SLOTS);
    (i % 2 ? lost : drained)[slot]++;
    session_end(t);
  }
  expect_spread(drained, SLOTS, clients / 2 / 50); /* over 5 s */
  expect_spread(lost, SLOTS, clients / 2 / 10);    /* over 1 s */
}

static void test_link__a_drained_server_does_not_shorten_a_wait(void **s) {
  test_session *t = session_open();
  uint64_t waited = 0;
  (void)s;
  session_online(t);
  for (int i = 0; i < 20; i++) {
    ended(t, SEEN_ENDED_PEER, 1001);
    waited += wait_for_dial(t);
    opened(t);
    frame(t, SESSION_WELCOME);
  }
  assert_true(waited > 200000);
  session_end(t);
}

static void test_link__another_network_is_tried_at_once(void **s) {
  test_session *t = session_open();
  (void)s;
  session_dial(t);
  for (int i = 0; i < 8; i++) {
    ended(t, SEEN_ENDED_CONNECT, 0);
    wait_for_dial(t);
  }
  ended(t, SEEN_ENDED_CONNECT, 0);
  drop_said(t);
  sn_session_network_changed(t->session, t->now);
  pull(t);
  expect_said(t, "state connecting\ndial 10 socket");
  /* A dial by the old network is not waited for either. */
  sn_session_network_changed(t->session, t->now);
  pull(t);
  expect_said(t, "close 10 1001\ndial 11 socket");
  session_end(t);
}

/* The socket says open after a sleep (C198, C247). */
static void test_link__another_network_probes_an_open_link(void **s) {
  test_session *t = session_open();
  (void)s;
  session_online(t);
  sn_session_network_changed(t->session, t->now);
  pull(t);
  expect_said(t, "ping 1");
  alive(t);
  until(t, 20000);
  expect_said(t, "");
  sn_session_network_changed(t->session, t->now);
  pull(t);
  drop_said(t);
  until(t, 24999);
  expect_said(t, "");
  until(t, 25000);
  expect_said(t, "link down\nclose 1 1001\nstate connecting\ndial 2 socket");
  session_end(t);
}

static void test_link__a_probe_is_not_put_off_by_another(void **s) {
  test_session *t = session_open();
  (void)s;
  session_online(t);
  for (int i = 0; i < 5; i++) {
    sn_session_network_changed(t->session, t->now);
    pull(t);
    until(t, t->now + 1000);
  }
  assert_true(was_said(t, "close 1 1001"));
  session_end(t);
}

static void test_link__a_server_may_keep_it_away_for_an_hour(void **s) {
  test_session *t = session_open();
  const seen_transport_event event = {.size = sizeof event,
                                      .type = SEEN_TRANSPORT_ENDED,
                                      .number = 1,
                                      .ended = SEEN_ENDED_HTTP,
                                      .code = 503,
                                      .retry_ms = SEEN_SEQ_MAX};
  (void)s;
  session_dial(t);
  assert_int_equal(sn_session_transport(t->session, &event, t->now), SEEN_OK);
  pull(t);
  assert_int_equal(t->state.retry_ms, 3600000);
  session_end(t);
}

static void test_link__a_stop_is_off_until_a_start(void **s) {
  test_session *t = session_open();
  (void)s;
  session_online(t);
  sn_session_stop(t->session, t->now);
  pull(t);
  expect_said(t, "link down\nclose 1 1000\nstate off");
  assert_true(sn_session_deadline(t->session) == SEEN_NEVER);
  sn_session_network_changed(t->session, t->now);
  pull(t);
  expect_said(t, "");
  session_dial(t);
  expect_said(t, "state connecting\ndial 2 socket");
  session_end(t);
}

static void test_link__a_dial_that_was_not_made_is_not_closed(void **s) {
  test_session *t = session_open();
  (void)s;
  for (int i = 0; i < 20; i++) {
    sn_session_start(t->session, t->now);
    sn_session_stop(t->session, t->now);
  }
  pull(t);
  expect_said(t, "");
  session_end(t);
}

static void test_link__a_disabled_account_is_not_tried_again(void **s) {
  test_session *t = session_open();
  (void)s;
  session_online(t);
  ended(t, SEEN_ENDED_PEER, 4403);
  expect_said(t, "link down\nstate disabled");
  assert_true(sn_session_deadline(t->session) == SEEN_NEVER);
  sn_session_network_changed(t->session, t->now);
  until(t, 10000000);
  pull(t);
  expect_said(t, "");
  session_dial(t);
  expect_said(t, "state connecting\ndial 2 socket");
  opened(t);
  frame(t, "{\"t\":\"error\",\"id\":1,\"code\":\"disabled\"}");
  assert_int_equal(t->state.connection, SEEN_CONNECTION_DISABLED);
  session_end(t);
}

static void test_link__a_frame_that_is_never_answered_ends_it(void **s) {
  const seen_effect fetch = {.size = sizeof fetch, .type = SEEN_EFFECT_FETCH};
  test_session *t = session_open();
  (void)s;
  session_online(t);
  effect(t, &fetch, "g");
  pull(t);
  drop_said(t);
  for (int i = 0; i < 3; i++) {
    until(t, t->now + 20000 - 1);
    alive(t);
  }
  assert_false(was_said(t, "close"));
  until(t, t->now + 3);
  assert_true(was_said(t, "link down\nclose 1 1001\nstate waiting"));
  session_end(t);
}

static void test_link__a_transport_that_fails_is_a_failure(void **s) {
  test_session *t = session_open();
  (void)s;
  session_dial(t);
  sn_session_transport_failed(t->session, t->connection, t->now);
  pull(t);
  assert_int_equal(t->state.connection, SEEN_CONNECTION_WAITING);
  wait_for_dial(t);
  session_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_link__it_opens_says_hello_and_is_up_at_the_welcome),
      cmocka_unit_test(test_link__hello_names_what_is_held),
      cmocka_unit_test(test_link__a_dial_that_takes_too_long_is_given_up),
      cmocka_unit_test(test_link__hello_without_an_answer_is_given_up),
      cmocka_unit_test(test_link__garbage_in_place_of_a_welcome_is_a_failure),
      cmocka_unit_test(test_link__portals_are_told_apart_and_feed_nothing),
      cmocka_unit_test(test_link__every_end_is_followed_by_another_attempt),
      cmocka_unit_test(test_link__silence_is_met_by_a_ping_and_then_an_end),
      cmocka_unit_test(test_link__any_sign_of_life_puts_both_off),
      cmocka_unit_test(test_link__idle_for_an_hour_only_pings),
      cmocka_unit_test(test_link__what_comes_late_is_ignored),
      cmocka_unit_test(test_link__no_timer_outlives_its_connection),
      cmocka_unit_test(test_link__waits_grow_until_a_link_was_stable),
      cmocka_unit_test(test_link__a_restarted_server_is_not_stampeded),
      cmocka_unit_test(test_link__a_drained_server_does_not_shorten_a_wait),
      cmocka_unit_test(test_link__another_network_is_tried_at_once),
      cmocka_unit_test(test_link__another_network_probes_an_open_link),
      cmocka_unit_test(test_link__a_probe_is_not_put_off_by_another),
      cmocka_unit_test(test_link__a_server_may_keep_it_away_for_an_hour),
      cmocka_unit_test(test_link__a_stop_is_off_until_a_start),
      cmocka_unit_test(test_link__a_dial_that_was_not_made_is_not_closed),
      cmocka_unit_test(test_link__a_disabled_account_is_not_tried_again),
      cmocka_unit_test(test_link__a_frame_that_is_never_answered_ends_it),
      cmocka_unit_test(test_link__a_transport_that_fails_is_a_failure),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
