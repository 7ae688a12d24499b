/* A connection by requests: what leaves as one, and what ends it. */
#include "net/caller.h"
#include "net/peer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/server.h"
#include "support/wait.h"

#define HELLO "{\"t\":\"hello\",\"id\":1,\"device\":\"d\"}"
#define WELCOME "[{\"t\":\"welcome\",\"connection\":\"c-1\"},{\"n\":1}]"

/* What a server of the test answers to posts and polls, in turn; the last one
 * again and again. NULL: nothing, until the client goes. */
typedef struct answers {
  const char *const *texts; /* "status|body" */
  size_t said, asked;
  char last_path[300], bodies[2000];
} answers;

static caller self;
static peer *other;
static sn_mutex *lock;
static answers posts, polls;
static bool holds; /* the first post is answered when this is raised: */
static sn_signal go_on;

static const char *note(answers *of, const char *head, const char *body,
                        bool *is_first) {
  size_t used = strlen(of->bodies);
  const char *text;
  sn_platform_mutex_lock(lock);
  sscanf(head, "%*s %299s", of->last_path);
  snprintf(of->bodies + used, sizeof of->bodies - used, "%s|", body);
  text = of->texts[of->said];
  if (text && of->texts[of->said + 1]) of->said++;
  *is_first = of->asked++ == 0;
  sn_platform_mutex_unlock(lock);
  return text;
}

static void serve(int end, void *ignored) {
  char head[PEER_HEAD_MAX], body[70000], status[100];
  (void)ignored;
  while (peer_head(end, head)) {
    bool is_post = !strncmp(head, "POST", 4), is_first;
    const char *text;
    *body = '\0';
    if (is_post && !peer_body(end, head, body, sizeof body)) return;
    text = note(is_post ? &posts : &polls, head, body, &is_first);
    if (!text) {
      peer_idle(end);
      return;
    }
    if (holds && is_post && is_first)
      sn_platform_signal_wait(&go_on, CALLER_MS);
    snprintf(status, sizeof status, "%.*s", (int)strcspn(text, "|"), text);
    peer_answer(end, status, text + strcspn(text, "|") + 1);
  }
}

static void begin(const char *const *to_posts, const char *const *to_polls) {
  memset(&posts, 0, sizeof posts);
  memset(&polls, 0, sizeof polls);
  posts.texts = to_posts;
  polls.texts = to_polls;
  other = peer_start(serve, NULL);
  caller_open(&self, "http", "127.0.0.1", peer_port(other), NULL);
  caller_dial(&self, 1, SEEN_LINK_POLL, "to.ken", CALLER_MS);
  caller_expect(&self, SEEN_TRANSPORT_OPEN, 1);
}

static void finish(void) {
  caller_close(&self);
  peer_outlive(other);
}

static void expect_frame(const char *text) {
  caller_expect(&self, SEEN_TRANSPORT_FRAME, 1);
  assert_string_equal(self.event.text, text);
  assert_int_equal(self.event.length, strlen(text));
}

static const char *const welcome_only[] = {"200 OK|" WELCOME, NULL};
static const char *const nothing[] = {NULL};

static void test_poll__says_hello_and_hears_what_others_say(void **state) {
  test_server server;
  char token[TEST_TOKEN_MAX];
  (void)state;
  test_server_start(&server, NULL);
  test_server_token(&server, "ann", 3600, token);
  caller_open(&self, "http", "127.0.0.1", server.port, NULL);
  caller_dial(&self, 1, SEEN_LINK_POLL, token, CALLER_MS);
  caller_expect(&self, SEEN_TRANSPORT_OPEN, 1);
  caller_write(&self, 1, HELLO);
  caller_expect(&self, SEEN_TRANSPORT_FRAME, 1);
  assert_non_null(strstr(self.event.text, "\"welcome\""));
  caller_dial(&self, 2, SEEN_LINK_SOCKET, token, CALLER_MS);
  while (self.event.type != SEEN_TRANSPORT_OPEN)
    assert_true(caller_next(&self, CALLER_MS));
  caller_write(&self, 2, "{\"t\":\"hello\",\"id\":1,\"device\":\"e\"}");
  caller_write(&self, 2,
               "{\"t\":\"create\",\"id\":2,\"op\":\"o\",\"conv\":\"g\","
               "\"kind\":\"group\",\"users\":[]}");
  while (self.event.number != 1 || self.event.type != SEEN_TRANSPORT_FRAME ||
         !strstr(self.event.text, "\"g\""))
    assert_true(caller_next(&self, CALLER_MS));
  self.transport->close(self.transport, 1, 1000);
  caller_expect_end(&self, 1, SEEN_ENDED_LOCAL, 0);
  caller_close(&self);
  test_server_remove(&server);
}

/* As often as that. */
static bool is_posted(void *argument) {
  const size_t *often = argument;
  bool posted;
  sn_platform_mutex_lock(lock);
  posted = posts.asked >= *often;
  sn_platform_mutex_unlock(lock);
  return posted;
}

static void test_poll__frames_that_wait_together_leave_as_one(void **state) {
  static const char *const to_posts[] = {"200 OK|" WELCOME, "200 OK|[]", NULL};
  size_t once = 1, twice = 2;
  (void)state;
  holds = true;
  begin(to_posts, nothing);
  caller_write(&self, 1, HELLO);
  assert_true(test_wait_until(is_posted, &once, CALLER_MS));
  caller_write(&self, 1, "{\"n\":2}");
  caller_write(&self, 1, "{\"n\":3}");
  sn_platform_signal_raise(&go_on);
  expect_frame("{\"t\":\"welcome\",\"connection\":\"c-1\"}");
  expect_frame("{\"n\":1}");
  assert_true(test_wait_until(is_posted, &twice, CALLER_MS));
  finish();
  holds = false;
  assert_string_equal(posts.bodies, "[" HELLO "]|[{\"n\":2},{\"n\":3}]|");
  assert_string_equal(posts.last_path, "/im/frames?connection=c-1");
}

static void test_poll__only_hello_goes_before_the_welcome(void **state) {
  static const char *const silent[] = {NULL};
  size_t once = 1;
  (void)state;
  begin(silent, nothing);
  caller_write(&self, 1, HELLO);
  assert_true(test_wait_until(is_posted, &once, CALLER_MS));
  for (int i = 0; i < 10; i++)
    caller_write(&self, 1, "{\"n\":2}");
  caller_expect_none(&self, 50);
  finish();
  assert_int_equal(posts.asked, 1);
  assert_int_equal(polls.asked, 0);
  assert_string_equal(posts.last_path, "/im/frames");
}

static void test_poll__polls_again_and_again(void **state) {
  static const char *const to_polls[] = {"200 OK|[]", "200 OK|[{\"n\":2}]",
                                         "200 OK|[{\"n\":3}, {\"n\":4}]",
                                         "404 None|{}", NULL};
  (void)state;
  begin(welcome_only, to_polls);
  caller_write(&self, 1, HELLO);
  expect_frame("{\"t\":\"welcome\",\"connection\":\"c-1\"}");
  expect_frame("{\"n\":1}");
  expect_frame("{\"n\":2}");
  expect_frame("{\"n\":3}");
  expect_frame("{\"n\":4}");
  caller_expect(&self, SEEN_TRANSPORT_ENDED, 1);
  assert_int_equal(self.event.ended, SEEN_ENDED_LOST);
  caller_expect_none(&self, 50);
  finish();
  assert_int_equal(polls.asked, 4);
  assert_string_equal(polls.last_path, "/im/poll?connection=c-1&wait=25000");
}

static void
test_poll__nothing_at_once_is_not_asked_for_all_the_time(void **state) {
  static const char *const to_polls[] = {"200 OK|[]", NULL};
  uint64_t began = sn_platform_clock();
  (void)state;
  begin(welcome_only, to_polls);
  caller_write(&self, 1, HELLO);
  expect_frame("{\"t\":\"welcome\",\"connection\":\"c-1\"}");
  expect_frame("{\"n\":1}");
  caller_expect_none(&self, 1300);
  finish();
  /* One a second. */
  assert_in_range(polls.asked, 1, 2 + (sn_platform_clock() - began) / 1000);
}

static void test_poll__a_ping_is_answered_by_the_next_answer(void **state) {
  static const char *const to_posts[] = {"200 OK|" WELCOME, "200 OK|[]", NULL};
  (void)state;
  begin(to_posts, nothing);
  caller_write(&self, 1, HELLO);
  expect_frame("{\"t\":\"welcome\",\"connection\":\"c-1\"}");
  expect_frame("{\"n\":1}");
  self.transport->ping(self.transport, 1);
  caller_expect_none(&self, 50);
  caller_write(&self, 1, "{\"n\":2}");
  caller_expect(&self, SEEN_TRANSPORT_ALIVE, 1);
  caller_write(&self, 1, "{\"n\":3}");
  caller_expect_none(&self, 50);
  finish();
}

static void ends_with(const char *const *to_posts, seen_ended why,
                      uint32_t code) {
  begin(to_posts, nothing);
  caller_write(&self, 1, HELLO);
  caller_expect_end(&self, 1, why, code);
  caller_expect_none(&self, 20);
  finish();
}

static void test_poll__other_answers_end_it(void **state) {
  static const char *const unauthorized[] = {"401 No|{\"t\":\"error\"}", NULL};
  static const char *const portal[] = {"200 OK|<html></html>", NULL};
  static const char *const elsewhere[] = {"302 Found|", NULL};
  static const char *const nameless[] = {"200 OK|[{\"t\":\"welcome\"}]", NULL};
  static const char *const badly_named[] = {
      "200 OK|[{\"t\":\"welcome\",\"connection\":\"a&b=c\"}]", NULL};
  static const char *const unending[] = {"200 OK|[{\"connection\":\"c\"},",
                                         NULL};
  (void)state;
  ends_with(unauthorized, SEEN_ENDED_HTTP, 401);
  ends_with(portal, SEEN_ENDED_HTTP, 200);
  ends_with(elsewhere, SEEN_ENDED_HTTP, 302);
  ends_with(nameless, SEEN_ENDED_PROTOCOL, 0);
  ends_with(badly_named, SEEN_ENDED_PROTOCOL, 0);
  ends_with(unending, SEEN_ENDED_PROTOCOL, 0);
}

static void test_poll__closed_it_sends_what_waits(void **state) {
  (void)state;
  begin(welcome_only, nothing);
  caller_write(&self, 1, HELLO);
  expect_frame("{\"t\":\"welcome\",\"connection\":\"c-1\"}");
  expect_frame("{\"n\":1}");
  caller_write(&self, 1, "{\"last\":1}");
  self.transport->close(self.transport, 1, 1000);
  caller_write(&self, 1, "{\"late\":1}");
  caller_expect_end(&self, 1, SEEN_ENDED_LOCAL, 0);
  finish();
  assert_non_null(strstr(posts.bodies, "{\"last\":1}"));
  assert_null(strstr(posts.bodies, "{\"late\":1}"));
}

static void test_poll__a_close_waits_for_nobody(void **state) {
  uint64_t before;
  (void)state;
  begin(nothing, nothing);
  caller_write(&self, 1, HELLO);
  before = sn_platform_clock();
  self.transport->close(self.transport, 1, 1000);
  caller_expect_end(&self, 1, SEEN_ENDED_LOCAL, 0);
  assert_true(sn_platform_clock() - before < caller_soon_ms());
  finish();
}

static void test_poll__nobody_there_ends_it(void **state) {
  (void)state;
  caller_open(&self, "http", "127.0.0.1", peer_nobody(), NULL);
  caller_dial(&self, 1, SEEN_LINK_POLL, NULL, CALLER_MS);
  caller_expect(&self, SEEN_TRANSPORT_OPEN, 1);
  caller_write(&self, 1, HELLO);
  caller_expect(&self, SEEN_TRANSPORT_ENDED, 1);
  assert_int_equal(self.event.ended, SEEN_ENDED_CONNECT);
  caller_close(&self);
}

static bool is_asked_no_more(void *argument) {
  size_t *last = argument, now;
  bool same;
  sn_platform_mutex_lock(lock);
  now = polls.asked;
  sn_platform_mutex_unlock(lock);
  same = now > 10 && now == *last;
  *last = now;
  sn_platform_signal_wait(&self.woken, 100);
  return same;
}

static void test_poll__a_flood_waits_outside(void **state) {
  static char text[60000];
  const char *const to_polls[] = {text, NULL};
  size_t last = 0;
  (void)state;
  snprintf(text, sizeof text, "200 OK|[\"%050000d\"]", 0);
  begin(welcome_only, to_polls);
  caller_write(&self, 1, HELLO);
  assert_true(test_wait_until(is_asked_no_more, &last, CALLER_MS));
  assert_true(last < 40); /* of 50000 bytes each */
  for (size_t i = 0; i < last + 2 + 10; i++)
    caller_expect(&self, SEEN_TRANSPORT_FRAME, 1);
  finish();
}

static int set_up(void **state) {
  (void)state;
  lock = sn_platform_mutex_new(seen_allocator_default());
  return !lock || sn_platform_signal_open(&go_on, NULL);
}

static int tear_down(void **state) {
  (void)state;
  sn_platform_signal_close(&go_on);
  sn_platform_mutex_free(seen_allocator_default(), lock);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_poll__says_hello_and_hears_what_others_say),
      cmocka_unit_test(test_poll__frames_that_wait_together_leave_as_one),
      cmocka_unit_test(test_poll__only_hello_goes_before_the_welcome),
      cmocka_unit_test(test_poll__polls_again_and_again),
      cmocka_unit_test(
          test_poll__nothing_at_once_is_not_asked_for_all_the_time),
      cmocka_unit_test(test_poll__a_ping_is_answered_by_the_next_answer),
      cmocka_unit_test(test_poll__other_answers_end_it),
      cmocka_unit_test(test_poll__closed_it_sends_what_waits),
      cmocka_unit_test(test_poll__a_close_waits_for_nobody),
      cmocka_unit_test(test_poll__nobody_there_ends_it),
      cmocka_unit_test(test_poll__a_flood_waits_outside),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
