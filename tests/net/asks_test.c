/* What goes out, and what an answer may be. */
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

static caller self;
static peer *other;
static char head[PEER_HEAD_MAX], body[200];
static const char *answer;

static void begin(peer_script script) {
  other = peer_start(script, NULL);
  caller_open(&self, "http", "127.0.0.1", peer_port(other), NULL);
}

static void finish(void) {
  caller_close(&self);
  peer_outlive(other);
}

/* Reads a request, says `answer`, and goes. */
static void say(int end, void *argument) {
  (void)argument;
  if (!peer_head(end, head)) return;
  *body = '\0';
  peer_body(end, head, body, sizeof body);
  if (answer) peer_say(end, answer);
}

static void test_asks__post_their_body_and_token(void **state) {
  (void)state;
  answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
  begin(say);
  caller_request(&self, 1, "to.ken", "/im/x?y=1", "{\"a\":1}", CALLER_MS);
  caller_expect_answer(&self, 1, 200, (seen_ended)0);
  assert_string_equal(self.event.text, "{}");
  finish();
  assert_int_equal(strncmp(head, "POST /im/x?y=1 HTTP/1.1\r\n", 25), 0);
  assert_non_null(strstr(head, "Authorization: Bearer to.ken\r\n"));
  assert_non_null(strstr(head, "Content-Type: application/json\r\n"));
  assert_null(strstr(head, "Expect"));
  assert_string_equal(body, "{\"a\":1}");
}

static void test_asks__an_empty_body_is_posted_too(void **state) {
  (void)state;
  answer = "HTTP/1.1 204 None\r\n\r\n";
  begin(say);
  caller_request(&self, 1, NULL, "/im/x", "", CALLER_MS);
  caller_expect_answer(&self, 1, 204, (seen_ended)0);
  assert_string_equal(self.event.text, "");
  finish();
  assert_int_equal(strncmp(head, "POST ", 5), 0);
  assert_null(strstr(head, "Authorization"));
}

static void test_asks__a_redirect_gets_no_token(void **state) {
  char text[200];
  peer *portal = peer_start(say, NULL);
  (void)state;
  snprintf(text, sizeof text,
           "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:%u/\r\n"
           "Content-Length: 0\r\n\r\n",
           (unsigned)peer_port(portal));
  answer = text;
  begin(say);
  caller_request(&self, 1, "to.ken", "/im/unread", NULL, CALLER_MS);
  caller_expect_answer(&self, 1, 302, (seen_ended)0);
  caller_expect_none(&self, 50);
  assert_int_equal(peer_count(portal), 0);
  finish();
  peer_stop(portal);
}

static void test_asks__retry_after_is_told(void **state) {
  (void)state;
  answer = "HTTP/1.1 429 Slowly\r\nRetry-After: 3\r\nContent-Length: 0\r\n\r\n";
  begin(say);
  caller_request(&self, 1, NULL, "/im/unread", NULL, CALLER_MS);
  caller_expect_answer(&self, 1, 429, (seen_ended)0);
  assert_int_equal(self.event.retry_ms, 3000);
  finish();
}

static void test_asks__broken_answers_are_none(void **state) {
  static const struct {
    const char *answer;
    seen_ended why;
  } broken[] = {
      {NULL, SEEN_ENDED_LOST},
      {"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{}", SEEN_ENDED_LOST},
      {"SSH-2.0-OpenSSH_9.2\r\n\r\n", SEEN_ENDED_PROTOCOL},
  };
  (void)state;
  for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
    answer = broken[i].answer;
    begin(say);
    caller_request(&self, 1, NULL, "/im/unread", NULL, CALLER_MS);
    caller_expect_answer(&self, 1, 0, broken[i].why);
    finish();
  }
}

static void endless(int end, void *argument) {
  static char part[65536];
  (void)argument;
  memset(part, 'x', sizeof part);
  if (!peer_head(end, head) || !peer_say(end, "HTTP/1.1 200 OK\r\n\r\n"))
    return;
  while (peer_send(end, part, sizeof part)) {
  }
}

static void test_asks__an_endless_answer_is_none(void **state) {
  (void)state;
  begin(endless);
  caller_request(&self, 1, NULL, "/im/unread", NULL, 0);
  caller_expect_answer(&self, 1, 0, SEEN_ENDED_PROTOCOL);
  finish();
}

static void test_asks__have_a_time(void **state) {
  uint64_t before;
  (void)state;
  begin(peer_listen);
  before = sn_platform_clock();
  caller_request(&self, 1, NULL, "/im/unread", NULL, 150);
  caller_expect_answer(&self, 1, 0, SEEN_ENDED_TIMEOUT);
  assert_true(sn_platform_clock() - before >= 150);
  finish();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_asks__post_their_body_and_token),
      cmocka_unit_test(test_asks__an_empty_body_is_posted_too),
      cmocka_unit_test(test_asks__a_redirect_gets_no_token),
      cmocka_unit_test(test_asks__retry_after_is_told),
      cmocka_unit_test(test_asks__broken_answers_are_none),
      cmocka_unit_test(test_asks__an_endless_answer_is_none),
      cmocka_unit_test(test_asks__have_a_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
