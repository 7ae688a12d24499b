/* A host's requests. */
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

/* Against a peer that says nothing. */
static void begin(void) {
  other = peer_start(peer_listen, NULL);
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

static void test_requests__given_up_they_are_answered_once(void **state) {
  (void)state;
  begin();
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
  begin();
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
      cmocka_unit_test(test_requests__given_up_they_are_answered_once),
      cmocka_unit_test(test_requests__nobody_there_is_told),
      cmocka_unit_test(test_requests__that_make_no_sense_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
