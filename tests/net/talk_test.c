/* A connection by WebSocket, and what the other end may do. */
#define _POSIX_C_SOURCE 200809L

#include "net/caller.h"
#include "net/peer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/socket.h>

#include <cmocka.h>

#include "support/server.h"
#include "support/wait.h"

#define HELLO "{\"t\":\"hello\",\"id\":1,\"device\":\"d\"}"

/* What a script is to do, and what it has seen. */
typedef struct plan {
  const char *text;
  size_t size;
  int first;
  char head[PEER_HEAD_MAX];
  char got[200];
  size_t length;
  int code;
} plan;

static plan with;
static caller self;
static peer *other;

static void begin(peer_script script) {
  other = peer_start(script, &with);
  caller_open(&self, "ws", "127.0.0.1", peer_port(other), NULL);
}

/* The script is over when this returns. */
static void finish(void) {
  caller_close(&self);
  peer_outlive(other);
}

static void test_talk__says_hello_and_is_welcome(void **state) {
  test_server server;
  char token[TEST_TOKEN_MAX];
  (void)state;
  test_server_start(&server, NULL);
  test_server_token(&server, "ann", 3600, token);
  caller_open(&self, "http", "127.0.0.1", server.port, NULL);
  caller_dial_open(&self, 1, token);
  caller_write(&self, 1, HELLO);
  caller_expect(&self, SEEN_TRANSPORT_FRAME, 1);
  assert_non_null(strstr(self.event.text, "\"welcome\""));
  self.transport->ping(self.transport, 1);
  while (self.event.type == SEEN_TRANSPORT_FRAME)
    assert_true(caller_next(&self, CALLER_MS));
  assert_int_equal(self.event.type, SEEN_TRANSPORT_ALIVE);
  self.transport->close(self.transport, 1, 1000);
  caller_expect_end(&self, 1, SEEN_ENDED_LOCAL, 0);
  caller_close(&self);
  test_server_remove(&server);
}

static void keep_head(int end, void *argument) {
  (void)argument;
  if (peer_head(end, with.head)) peer_upgrade(end, with.head, NULL, 0);
  with.code = peer_drain(end);
}

static void test_talk__asks_for_what_the_protocol_says(void **state) {
  char url[100], wanted[100];
  (void)state;
  other = peer_start(keep_head, &with);
  snprintf(url, sizeof url, "ws://127.0.0.1:%u/below/",
           (unsigned)peer_port(other));
  caller_open_at(&self, url, NULL);
  caller_dial_open(&self, 1, "a.to-ken");
  snprintf(wanted, sizeof wanted, "Host: 127.0.0.1:%u\r\n",
           (unsigned)peer_port(other));
  finish();
  assert_int_equal(strncmp(with.head, "GET /below/v1/socket HTTP/1.1\r\n", 31),
                   0);
  assert_non_null(strstr(with.head, wanted));
  assert_non_null(strstr(with.head, "Sec-WebSocket-Protocol: seen.v1\r\n"));
  assert_non_null(strstr(with.head, "uthorization: Bearer a.to-ken\r\n"));
  /* Compressed frames are agreed on by nobody. */
  assert_null(strstr(with.head, "Extensions"));
}

static void two_at_once(int end, void *argument) {
  (void)argument;
  unsigned char frames[100];
  size_t length = peer_pack(frames, PEER_TEXT, "{\"n\":1}", 7);
  length += peer_pack(frames + length, PEER_TEXT, "{\"n\":2}", 7);
  if (peer_head(end, with.head)) peer_upgrade(end, with.head, frames, length);
  peer_drain(end);
}

static void test_talk__frames_with_the_upgrade_are_not_lost(void **state) {
  (void)state;
  begin(two_at_once);
  caller_dial_open(&self, 1, NULL);
  caller_expect(&self, SEEN_TRANSPORT_FRAME, 1);
  assert_string_equal(self.event.text, "{\"n\":1}");
  caller_expect(&self, SEEN_TRANSPORT_FRAME, 1);
  assert_string_equal(self.event.text, "{\"n\":2}");
  finish();
}

/* Three fragments, with a ping between them. */
static void fragments(int end, void *argument) {
  (void)argument;
  if (!peer_accept(end)) return;
  peer_frame(end, 0x01, "{\"\xc3", 3);
  peer_frame(end, PEER_PING, "are you", 7);
  peer_frame(end, 0x00, "\xa4\":", 3);
  peer_frame(end, 0x80, "1}", 2);
  with.first = peer_next(end, with.got, sizeof with.got, &with.length);
  peer_drain(end);
}

static void test_talk__fragments_are_joined_and_pings_answered(void **state) {
  (void)state;
  begin(fragments);
  caller_dial_open(&self, 1, NULL);
  caller_expect(&self, SEEN_TRANSPORT_FRAME, 1);
  assert_string_equal(self.event.text, "{\"\xc3\xa4\":1}");
  self.transport->close(self.transport, 1, 1000);
  caller_expect_end(&self, 1, SEEN_ENDED_LOCAL, 0);
  finish();
  assert_int_equal(with.first, PEER_PONG);
  assert_string_equal(with.got, "are you");
}

/* One frame of `first`, `text` and `size`; keeps the code it is closed with. */
static void one_frame(int end, void *argument) {
  (void)argument;
  if (!peer_accept(end)) return;
  peer_frame(end, with.first, with.text, with.size);
  with.code = peer_drain(end);
}

static void refuses(int first, const char *text, size_t size, int code) {
  with.first = first;
  with.text = text;
  with.size = size;
  begin(one_frame);
  caller_dial_open(&self, 1, NULL);
  caller_expect(&self, SEEN_TRANSPORT_ENDED, 1);
  assert_int_equal(self.event.ended, SEEN_ENDED_PROTOCOL);
  assert_true(test_wait_until(peer_is_over, other, CALLER_MS));
  finish();
  if (code) assert_int_equal(with.code, code);
}

static void test_talk__a_frame_of_the_limit_is_taken(void **state) {
  char *text = malloc(SEEN_FRAME_MAX);
  (void)state;
  assert_non_null(text);
  memset(text, 'x', SEEN_FRAME_MAX);
  with.first = PEER_TEXT;
  with.text = text;
  with.size = SEEN_FRAME_MAX;
  begin(one_frame);
  caller_dial_open(&self, 1, NULL);
  caller_expect(&self, SEEN_TRANSPORT_FRAME, 1);
  assert_int_equal(self.event.length, SEEN_FRAME_MAX);
  assert_memory_equal(self.event.text, text, SEEN_FRAME_MAX);
  finish();
  free(text);
}

static void test_talk__one_byte_more_is_refused(void **state) {
  char *text = malloc(SEEN_FRAME_MAX + 1);
  (void)state;
  assert_non_null(text);
  memset(text, 'x', SEEN_FRAME_MAX + 1);
  refuses(PEER_TEXT, text, SEEN_FRAME_MAX + 1, 1009);
  free(text);
}

/* Without an end, and each fragment within the limit. */
static void endless(int end, void *argument) {
  static char part[30000];
  (void)argument;
  if (!peer_accept(end)) return;
  memset(part, 'x', sizeof part);
  peer_frame(end, 0x01, part, sizeof part);
  while (peer_frame(end, 0x00, part, sizeof part)) {
  }
  with.code = 1;
}

static void test_talk__fragments_without_an_end_are_refused(void **state) {
  (void)state;
  begin(endless);
  caller_dial_open(&self, 1, NULL);
  caller_expect_end(&self, 1, SEEN_ENDED_PROTOCOL, 0);
  finish();
}

static void test_talk__bytes_are_no_frame(void **state) {
  (void)state;
  refuses(0x82, "{}", 2, 1003);
}

static void test_talk__what_is_no_utf8_is_refused(void **state) {
  (void)state;
  refuses(PEER_TEXT, "{\"\xc3(\":1}", 8, 1007);
  refuses(PEER_TEXT, "\xed\xa0\x80", 3, 1007);
}

static void test_talk__a_compressed_frame_is_no_websocket(void **state) {
  (void)state;
  refuses(PEER_TEXT | 0x40, "\xaa\x56\x2a\x49\x2d\x2e\x01\x00", 8, 0);
}

static void test_talk__an_unknown_opcode_is_no_websocket(void **state) {
  (void)state;
  refuses(0x83, "{}", 2, 0);
}

/* Answers with `text`, whatever is asked. */
static void say(int end, void *argument) {
  (void)argument;
  if (!peer_head(end, with.head)) return;
  peer_say(end, with.text);
  peer_idle(end);
}

static void is_answered(const char *text, seen_ended why, uint32_t code) {
  with.text = text;
  begin(say);
  caller_dial(&self, 1, SEEN_LINK_SOCKET, "secret", CALLER_MS);
  caller_expect(&self, SEEN_TRANSPORT_ENDED, 1);
  if (self.event.ended != why || self.event.code != code)
    fail_msg("%.30s: %d, code %u", text, (int)self.event.ended,
             (unsigned)self.event.code);
  assert_int_equal(peer_count(other), 1);
}

static void test_talk__other_answers_are_told_by_their_status(void **state) {
  static const struct {
    const char *text;
    uint32_t code;
  } answers[] = {
      {"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
       "Content-Length: 13\r\n\r\n<html></html>",
       200},
      {"HTTP/1.1 200 OK\r\n\r\n{\"t\":\"welcome\"}", 200},
      {"HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n", 401},
      {"HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\n{}", 403},
      {"HTTP/1.1 407 Proxy\r\nContent-Length: 0\r\n\r\n", 407},
      {"HTTP/1.0 502 Bad Gateway\r\n\r\n", 502},
  };
  (void)state;
  for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
    is_answered(answers[i].text, SEEN_ENDED_HTTP, answers[i].code);
    finish();
  }
}

static void test_talk__a_redirect_gets_no_token(void **state) {
  char text[200];
  peer *portal = peer_start(say, &with);
  (void)state;
  snprintf(text, sizeof text,
           "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:%u/v1/socket\r\n"
           "Content-Length: 0\r\n\r\n",
           (unsigned)peer_port(portal));
  is_answered(text, SEEN_ENDED_HTTP, 302);
  caller_expect_none(&self, 100);
  assert_int_equal(peer_count(portal), 0);
  finish();
  peer_stop(portal);
}

static void test_talk__retry_after_is_told(void **state) {
  (void)state;
  is_answered("HTTP/1.1 503 Busy\r\nRetry-After: 7\r\n"
              "Content-Length: 0\r\n\r\n",
              SEEN_ENDED_HTTP, 503);
  assert_int_equal(self.event.retry_ms, 7000);
  finish();
  is_answered("HTTP/1.1 503 Busy\r\nRetry-After: Fri, 31 Dec 2027 23:59:59 "
              "GMT\r\nContent-Length: 0\r\n\r\n",
              SEEN_ENDED_HTTP, 503);
  assert_int_equal(self.event.retry_ms, 0);
  finish();
}

static void test_talk__what_is_no_upgrade_is_no_websocket(void **state) {
  (void)state;
  is_answered("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
              "Connection: Upgrade\r\nSec-WebSocket-Accept: AAAA\r\n\r\n",
              SEEN_ENDED_PROTOCOL, 0);
  finish();
  is_answered("HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n"
              "Connection: Upgrade\r\n\r\n",
              SEEN_ENDED_PROTOCOL, 0);
  finish();
}

/* It may be the beginning of an answer for all that libwebsockets knows. */
static void test_talk__what_is_no_http_is_given_up_in_time(void **state) {
  (void)state;
  with.text = "SSH-2.0-OpenSSH_9.2\r\n\r\n";
  begin(say);
  caller_dial(&self, 1, SEEN_LINK_SOCKET, "secret", 300);
  caller_expect(&self, SEEN_TRANSPORT_ENDED, 1);
  assert_true(self.event.ended == SEEN_ENDED_TIMEOUT ||
              self.event.ended == SEEN_ENDED_PROTOCOL);
  finish();
}

static void go_away(int end, void *argument) {
  (void)argument;
  peer_head(end, with.head);
}

static void test_talk__hung_up_on_before_the_answer_it_is_lost(void **state) {
  (void)state;
  begin(go_away);
  caller_dial(&self, 1, SEEN_LINK_SOCKET, NULL, CALLER_MS);
  caller_expect(&self, SEEN_TRANSPORT_ENDED, 1);
  assert_int_equal(self.event.ended, SEEN_ENDED_LOST);
  finish();
}

static void be_silent(int end, void *argument) {
  (void)argument;
  peer_idle(end);
}

static void test_talk__who_is_silent_is_given_up_in_time(void **state) {
  uint64_t before;
  (void)state;
  begin(be_silent);
  before = sn_platform_clock();
  caller_dial(&self, 1, SEEN_LINK_SOCKET, NULL, 200);
  caller_expect(&self, SEEN_TRANSPORT_ENDED, 1);
  assert_int_equal(self.event.ended, SEEN_ENDED_TIMEOUT);
  assert_true(sn_platform_clock() - before >= 200);
  finish();
}

/* After the upgrade, whatever bytes. */
static void garbage(int end, void *argument) {
  (void)argument;
  if (!peer_accept(end)) return;
  peer_send(end, with.text, with.size);
  peer_drain(end);
}

static void test_talk__garbage_after_the_upgrade_is_no_websocket(void **state) {
  (void)state;
  with.text = "HTTP/1.1 200 OK\r\n\r\n<html>";
  with.size = strlen(with.text);
  begin(garbage);
  caller_dial_open(&self, 1, NULL);
  caller_expect(&self, SEEN_TRANSPORT_ENDED, 1);
  assert_int_equal(self.event.ended, SEEN_ENDED_PROTOCOL);
  finish();
}

static void is_closed(const char *reason, size_t size, uint32_t code) {
  with.first = PEER_CLOSE;
  with.text = reason;
  with.size = size;
  begin(one_frame);
  caller_dial_open(&self, 1, NULL);
  caller_expect_end(&self, 1, SEEN_ENDED_PEER, code);
  caller_expect_none(&self, 20);
  finish();
}

static void test_talk__the_servers_close_code_is_told(void **state) {
  (void)state;
  is_closed("\x11\x31over", 6, 4401);
  is_closed("\x03\xe9", 2, 1001);
  is_closed("", 0, 1005);
}

/* As soon as something is said: that the upgrade was agreed to was heard. */
static void reset(int end, void *argument) {
  struct linger at_once = {1, 0};
  (void)argument;
  if (!peer_accept(end)) return;
  peer_next(end, with.got, sizeof with.got, &with.length);
  setsockopt(end, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

static void test_talk__a_connection_that_breaks_is_lost(void **state) {
  (void)state;
  begin(reset);
  caller_dial_open(&self, 1, NULL);
  caller_write(&self, 1, "{}");
  caller_expect_end(&self, 1, SEEN_ENDED_LOST, 0);
  finish();
}

static void echo_pings(int end, void *argument) {
  (void)argument;
  if (!peer_accept(end)) return;
  with.first = peer_next(end, with.got, sizeof with.got, &with.length);
  peer_frame(end, PEER_PONG, with.got, with.length);
  with.code = peer_drain(end);
}

static void test_talk__a_ping_has_words_and_its_answer_is_told(void **state) {
  (void)state;
  begin(echo_pings);
  caller_dial_open(&self, 1, NULL);
  self.transport->ping(self.transport, 1);
  caller_expect(&self, SEEN_TRANSPORT_ALIVE, 1);
  self.transport->close(self.transport, 1, 4001);
  caller_expect_end(&self, 1, SEEN_ENDED_LOCAL, 0);
  assert_true(test_wait_until(peer_is_over, other, CALLER_MS));
  finish();
  assert_int_equal(with.first, PEER_PING);
  assert_true(with.length > 0);
  assert_int_equal(with.code, 4001);
}

static void count_frames(int end, void *argument) {
  (void)argument;
  size_t length;
  if (!peer_accept(end)) return;
  while (peer_next(end, with.got, sizeof with.got, &length) == PEER_TEXT)
    with.size++;
}

static void test_talk__what_waits_is_sent_before_a_close(void **state) {
  (void)state;
  with.size = 0;
  begin(count_frames);
  caller_dial_open(&self, 1, NULL);
  for (int i = 0; i < 100; i++)
    caller_write(&self, 1, "{\"t\":\"read\"}");
  self.transport->close(self.transport, 1, 1000);
  caller_write(&self, 1, "{\"late\":1}");
  caller_expect_end(&self, 1, SEEN_ENDED_LOCAL, 0);
  finish();
  assert_int_equal(with.size, 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_talk__says_hello_and_is_welcome),
      cmocka_unit_test(test_talk__asks_for_what_the_protocol_says),
      cmocka_unit_test(test_talk__frames_with_the_upgrade_are_not_lost),
      cmocka_unit_test(test_talk__fragments_are_joined_and_pings_answered),
      cmocka_unit_test(test_talk__a_frame_of_the_limit_is_taken),
      cmocka_unit_test(test_talk__one_byte_more_is_refused),
      cmocka_unit_test(test_talk__fragments_without_an_end_are_refused),
      cmocka_unit_test(test_talk__bytes_are_no_frame),
      cmocka_unit_test(test_talk__what_is_no_utf8_is_refused),
      cmocka_unit_test(test_talk__a_compressed_frame_is_no_websocket),
      cmocka_unit_test(test_talk__an_unknown_opcode_is_no_websocket),
      cmocka_unit_test(test_talk__other_answers_are_told_by_their_status),
      cmocka_unit_test(test_talk__a_redirect_gets_no_token),
      cmocka_unit_test(test_talk__retry_after_is_told),
      cmocka_unit_test(test_talk__what_is_no_upgrade_is_no_websocket),
      cmocka_unit_test(test_talk__what_is_no_http_is_given_up_in_time),
      cmocka_unit_test(test_talk__hung_up_on_before_the_answer_it_is_lost),
      cmocka_unit_test(test_talk__who_is_silent_is_given_up_in_time),
      cmocka_unit_test(test_talk__garbage_after_the_upgrade_is_no_websocket),
      cmocka_unit_test(test_talk__the_servers_close_code_is_told),
      cmocka_unit_test(test_talk__a_connection_that_breaks_is_lost),
      cmocka_unit_test(test_talk__a_ping_has_words_and_its_answer_is_told),
      cmocka_unit_test(test_talk__what_waits_is_sent_before_a_close),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
