/* Requests, and what may become of them. */
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

static void test_requests__are_answered_by_the_server(void **state) {
  test_server server;
  char token[TEST_TOKEN_MAX];
  (void)state;
  test_server_start(&server, NULL);
  test_server_token(&server, "ann", 3600, token);
  caller_open(&self, "https", "127.0.0.1", server.port, NULL);
  caller_request(&self, 6, token, "/im/unread", NULL, CALLER_MS);
  assert_true(caller_next(&self, CALLER_MS));
  assert_int_equal(self.event.status, 0); /* it speaks no TLS */
  caller_close(&self);
  caller_open(&self, "http", "127.0.0.1", server.port, NULL);
  caller_request(&self, 7, token, "/im/unread", NULL, CALLER_MS);
  caller_expect_answer(&self, 7, 200, (seen_ended)0);
  assert_non_null(strstr(self.event.text, "\"unread\":0"));
  assert_int_equal(strlen(self.event.text), self.event.length);
  caller_request(&self, 8, "no.such.token", "/im/unread", NULL, CALLER_MS);
  caller_expect_answer(&self, 8, 401, (seen_ended)0);
  caller_request(&self, 9, token, "/im/conversations/none/read-cursor",
                 "{\"read_to_seq\":1}", CALLER_MS);
  caller_expect_answer(&self, 9, 200, (seen_ended)0);
  assert_non_null(strstr(self.event.text, "not_found"));
  caller_close(&self);
  test_server_remove(&server);
}

/* Reads a request, says `answer`, and goes. */
static void say(int end, void *argument) {
  (void)argument;
  if (!peer_head(end, head)) return;
  *body = '\0';
  peer_body(end, head, body, sizeof body);
  if (answer) peer_say(end, answer);
}

static void test_requests__post_their_body_and_token(void **state) {
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

static void test_requests__an_empty_body_is_posted_too(void **state) {
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

static void test_requests__a_redirect_gets_no_token(void **state) {
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

static void test_requests__retry_after_is_told(void **state) {
  (void)state;
  answer = "HTTP/1.1 429 Slowly\r\nRetry-After: 3\r\nContent-Length: 0\r\n\r\n";
  begin(say);
  caller_request(&self, 1, NULL, "/im/unread", NULL, CALLER_MS);
  caller_expect_answer(&self, 1, 429, (seen_ended)0);
  assert_int_equal(self.event.retry_ms, 3000);
  finish();
}

static void test_requests__broken_answers_are_none(void **state) {
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

static void test_requests__an_endless_answer_is_none(void **state) {
  (void)state;
  begin(endless);
  caller_request(&self, 1, NULL, "/im/unread", NULL, 0);
  caller_expect_answer(&self, 1, 0, SEEN_ENDED_PROTOCOL);
  finish();
}

static void be_silent(int end, void *argument) {
  (void)argument;
  peer_idle(end);
}

static void test_requests__have_a_time(void **state) {
  uint64_t before;
  (void)state;
  begin(be_silent);
  before = sn_platform_clock();
  caller_request(&self, 1, NULL, "/im/unread", NULL, 150);
  caller_expect_answer(&self, 1, 0, SEEN_ENDED_TIMEOUT);
  assert_true(sn_platform_clock() - before >= 150);
  finish();
}

static void test_requests__given_up_they_are_answered_once(void **state) {
  (void)state;
  begin(be_silent);
  caller_request(&self, 1, NULL, "/im/unread", NULL, 0);
  caller_request(&self, 2, NULL, "/im/unread", NULL, 0);
  self.transport->cancel(self.transport, 2);
  caller_expect_answer(&self, 2, 0, SEEN_ENDED_LOCAL);
  self.transport->cancel(self.transport, 2);
  caller_expect_none(&self, 50);
  self.transport->cancel(self.transport, 1);
  caller_expect_answer(&self, 1, 0, SEEN_ENDED_LOCAL);
  finish();
}

static void test_requests__nobody_there_is_told(void **state) {
  /* By a name that is too long for any server of names to be asked. */
  char name[80] = "";
  (void)state;
  memset(name, 'a', sizeof name - 1);
  caller_open(&self, "http", "127.0.0.1", peer_nobody(), NULL);
  caller_request(&self, 1, NULL, "/im/unread", NULL, CALLER_MS);
  caller_expect_answer(&self, 1, 0, SEEN_ENDED_CONNECT);
  caller_close(&self);
  caller_open(&self, "http", name, 80, NULL);
  caller_request(&self, 1, NULL, "/im/unread", NULL, CALLER_MS);
  caller_expect_answer(&self, 1, 0, SEEN_ENDED_RESOLVE);
  caller_close(&self);
}

static void test_requests__that_make_no_sense_are_refused(void **state) {
  seen_http_request request;
  (void)state;
  answer = NULL;
  begin(say);
  memset(&request, 0, sizeof request);
  request.path = "/im/unread";
  assert_int_equal(self.transport->request(self.transport, &request, NULL),
                   SEEN_EINVAL);
  request.size = sizeof request;
  request.path = "im/unread";
  assert_int_equal(self.transport->request(self.transport, &request, NULL),
                   SEEN_EINVAL);
  request.path = "/im/unread HTTP/1.1\r\nX: y";
  assert_int_equal(self.transport->request(self.transport, &request, NULL),
                   SEEN_EINVAL);
  request.path = "/im/unread";
  request.token = "a\r\nX: y";
  assert_int_equal(self.transport->request(self.transport, &request, NULL),
                   SEEN_EINVAL);
  caller_expect_none(&self, 20);
  finish();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_requests__are_answered_by_the_server),
      cmocka_unit_test(test_requests__post_their_body_and_token),
      cmocka_unit_test(test_requests__an_empty_body_is_posted_too),
      cmocka_unit_test(test_requests__a_redirect_gets_no_token),
      cmocka_unit_test(test_requests__retry_after_is_told),
      cmocka_unit_test(test_requests__broken_answers_are_none),
      cmocka_unit_test(test_requests__an_endless_answer_is_none),
      cmocka_unit_test(test_requests__have_a_time),
      cmocka_unit_test(test_requests__given_up_they_are_answered_once),
      cmocka_unit_test(test_requests__nobody_there_is_told),
      cmocka_unit_test(test_requests__that_make_no_sense_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
