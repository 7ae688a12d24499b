/* The transport over a network that fails. */
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

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/proxy.h"
#include "support/server.h"
#include "support/wait.h"

#define HELLO "{\"t\":\"hello\",\"id\":1,\"device\":\"d\"}"

static test_proxy *network;
static caller self;

static void begin(void) {
  network = test_proxy_start(caller_server.port);
  caller_open(&self, "http", "127.0.0.1", test_proxy_port(network), NULL);
}

static void finish(void) {
  caller_close(&self);
  test_proxy_stop(network);
}

/* Until all that is said then has come. */
static void say_hello(uint64_t number) {
  caller_write(&self, number, HELLO);
  caller_expect(&self, SEEN_TRANSPORT_FRAME, number);
  assert_non_null(strstr(self.event.text, "\"welcome\""));
  caller_expect(&self, SEEN_TRANSPORT_FRAME, number);
  assert_non_null(strstr(self.event.text, "\"more\":false"));
}

static void begin_open(void) {
  begin();
  caller_dial_open(&self, 1, caller_token);
  say_hello(1);
}

static void test_fault__bytes_one_by_one_are_the_same_bytes(void **state) {
  (void)state;
  begin();
  test_proxy_set(network, TEST_SLOW, 0);
  caller_dial_open(&self, 1, caller_token);
  say_hello(1);
  finish();
}

static void test_fault__late_bytes_are_waited_for(void **state) {
  uint64_t before = sn_platform_clock();
  (void)state;
  begin();
  test_proxy_set(network, TEST_DELAY, 50);
  caller_dial_open(&self, 1, caller_token);
  say_hello(1);
  assert_true(sn_platform_clock() - before >= 150);
  finish();
}

static void test_fault__cut_it_is_lost(void **state) {
  (void)state;
  begin_open();
  test_proxy_set(network, TEST_CUT, 0);
  caller_expect_end(&self, 1, SEEN_ENDED_LOST, 0);
  caller_dial(&self, 2, SEEN_LINK_SOCKET, caller_token, CALLER_MS);
  caller_expect_end(&self, 2, SEEN_ENDED_LOST, 0);
  test_proxy_set(network, TEST_PASS, 0);
  caller_dial_open(&self, 3, caller_token);
  finish();
}

static void test_fault__reset_it_is_lost(void **state) {
  (void)state;
  begin_open();
  test_proxy_set(network, TEST_RESET, 0);
  caller_expect_end(&self, 1, SEEN_ENDED_LOST, 0);
  caller_dial(&self, 2, SEEN_LINK_SOCKET, caller_token, CALLER_MS);
  caller_expect(&self, SEEN_TRANSPORT_ENDED, 2); /* as fast as it is */
  assert_true(self.event.ended == SEEN_ENDED_LOST ||
              self.event.ended == SEEN_ENDED_CONNECT);
  finish();
}

/* That it is dead is found above, by pings that are not answered. */
static void in_vain(test_fault fault) {
  uint64_t before;
  begin_open();
  test_proxy_set(network, fault, 0);
  self.transport->ping(self.transport, 1);
  caller_write(&self, 1, "{\"t\":\"fetch\",\"id\":2,\"convs\":[]}");
  caller_expect_none(&self, 300);
  before = sn_platform_clock();
  self.transport->close(self.transport, 1, 1000);
  caller_expect_end(&self, 1, SEEN_ENDED_LOCAL, 0);
  assert_true(sn_platform_clock() - before < caller_soon_ms());
  caller_dial(&self, 2, SEEN_LINK_SOCKET, caller_token, 200);
  caller_expect_end(&self, 2, SEEN_ENDED_TIMEOUT, 0);
  caller_request(&self, 3, caller_token, "/im/unread", NULL, 200);
  caller_expect_answer(&self, 3, 0, SEEN_ENDED_TIMEOUT);
  finish();
}

static void test_fault__a_black_hole_answers_nothing(void **state) {
  (void)state;
  in_vain(TEST_BLACK_HOLE);
}

static void test_fault__a_half_open_one_answers_nothing(void **state) {
  (void)state;
  in_vain(TEST_HALF_OPEN);
}

static void test_fault__one_way_answers_nothing(void **state) {
  (void)state;
  in_vain(TEST_ONE_WAY);
}

static void test_fault__garbage_is_no_websocket(void **state) {
  (void)state;
  begin_open();
  test_proxy_set(network, TEST_GARBAGE, 0);
  self.transport->ping(self.transport, 1);
  caller_expect(&self, SEEN_TRANSPORT_ENDED, 1);
  assert_true(self.event.ended == SEEN_ENDED_PROTOCOL ||
              self.event.ended == SEEN_ENDED_LOST);
  caller_dial(&self, 2, SEEN_LINK_SOCKET, caller_token, 500);
  caller_expect(&self, SEEN_TRANSPORT_ENDED, 2);
  caller_request(&self, 3, caller_token, "/im/unread", NULL, 500);
  caller_expect(&self, SEEN_TRANSPORT_ANSWER, 3);
  assert_int_equal(self.event.status, 0);
  finish();
}

static void test_fault__a_server_that_is_killed_is_lost(void **state) {
  test_server own;
  char pass[TEST_TOKEN_MAX];
  (void)state;
  test_server_start(&own, NULL);
  test_server_token(&own, "ann", 3600, pass);
  caller_open(&self, "http", "127.0.0.1", own.port, NULL);
  caller_dial_open(&self, 1, pass);
  test_server_kill(&own);
  caller_expect_end(&self, 1, SEEN_ENDED_LOST, 0);
  caller_dial(&self, 2, SEEN_LINK_SOCKET, pass, CALLER_MS);
  caller_expect_end(&self, 2, SEEN_ENDED_CONNECT, 0);
  test_server_again(&own, NULL);
  caller_dial_open(&self, 3, pass);
  test_server_end(&own);
  caller_expect_end(&self, 3, SEEN_ENDED_PEER, 1001);
  caller_close(&self);
  test_server_remove(&own);
}

static void test_fault__a_polled_one_that_is_cut_is_lost(void **state) {
  (void)state;
  begin();
  caller_dial(&self, 1, SEEN_LINK_POLL, caller_token, CALLER_MS);
  caller_expect(&self, SEEN_TRANSPORT_OPEN, 1);
  say_hello(1);
  test_proxy_set(network, TEST_CUT, 0);
  caller_expect_end(&self, 1, SEEN_ENDED_LOST, 0);
  finish();
}

typedef struct stage {
  test_fault fault;
  const char *scheme;
  uint32_t after_ms; /* how far it may get */
} stage;

/* Closed wherever it stands, it ends once and at once; so it does freed. */
static void test_fault__closed_at_each_stage_it_ends_once(void **state) {
  static const stage stages[] = {
      {TEST_BLACK_HOLE, "http", 0},  {TEST_BLACK_HOLE, "http", 30},
      {TEST_BLACK_HOLE, "https", 0}, {TEST_BLACK_HOLE, "https", 30},
      {TEST_SLOW, "http", 20},       {TEST_DELAY, "http", 20},
      {TEST_PASS, "http", 0},        {TEST_PASS, "http", 1},
      {TEST_PASS, "http", 30},       {TEST_PASS, "https", 1},
      {TEST_CUT, "http", 0},         {TEST_GARBAGE, "https", 10},
  };
  (void)state;
  network = test_proxy_start(caller_server.port);
  for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
    for (int by_close = 0; by_close < 2; by_close++) {
      uint64_t before;
      size_t ends = 0;
      test_proxy_set(network, stages[i].fault, 10);
      caller_open(&self, stages[i].scheme, "127.0.0.1",
                  test_proxy_port(network), NULL);
      caller_dial(&self, 1, SEEN_LINK_SOCKET, caller_token, CALLER_MS);
      sn_platform_signal_wait(&self.woken, stages[i].after_ms);
      before = sn_platform_clock();
      if (by_close) {
        self.transport->close(self.transport, 1, 1000);
        self.transport->close(self.transport, 1, 1000);
        while (caller_next(&self, ends ? 30 : CALLER_MS))
          ends += self.event.type == SEEN_TRANSPORT_ENDED;
        assert_int_equal(ends, 1);
      }
      caller_close(&self);
      assert_true(sn_platform_clock() - before < caller_soon_ms());
    }
  }
  test_proxy_stop(network);
}

enum { WAITING = 8 };

/* A listener that takes nobody: who comes late is not even answered. */
static int take_nobody(int waiting[WAITING], uint16_t *port) {
  struct sockaddr_in address;
  socklen_t size = sizeof address;
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  memset(&address, 0, sizeof address);
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  assert_true(listener >= 0);
  assert_int_equal(bind(listener, (struct sockaddr *)&address, size), 0);
  assert_int_equal(listen(listener, 0), 0);
  assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &size),
                   0);
  *port = ntohs(address.sin_port);
  for (int i = 0; i < WAITING; i++)
    waiting[i] = (int)sn_platform_tcp_connect("127.0.0.1", *port);
  return listener;
}

static void
test_fault__a_connection_that_never_comes_is_given_up(void **state) {
  int waiting[WAITING], listener;
  uint64_t before;
  uint16_t port;
  (void)state;
  listener = take_nobody(waiting, &port);
  caller_open(&self, "http", "127.0.0.1", port, NULL);
  caller_dial(&self, 1, SEEN_LINK_SOCKET, caller_token, 200);
  caller_expect_end(&self, 1, SEEN_ENDED_TIMEOUT, 0);
  caller_dial(&self, 2, SEEN_LINK_SOCKET, caller_token, 0);
  caller_request(&self, 3, caller_token, "/im/unread", NULL, 0);
  caller_expect_none(&self, 100);
  before = sn_platform_clock();
  self.transport->close(self.transport, 2, 1000);
  caller_expect_end(&self, 2, SEEN_ENDED_LOCAL, 0);
  caller_dial(&self, 4, SEEN_LINK_SOCKET, caller_token, 0);
  caller_expect_none(&self, 50);
  caller_close(&self);
  assert_true(sn_platform_clock() - before < caller_soon_ms());
  for (int i = 0; i < WAITING; i++)
    sn_platform_tcp_close(waiting[i]);
  close(listener);
}

/* A proxy that digs tunnels to the server, for who has the right word. */

static const char *refusal;
static char asked[PEER_HEAD_MAX];

static void dig(int end, void *ignored) {
  char head[PEER_HEAD_MAX];
  sn_tcp there;
  (void)ignored;
  if (!peer_head(end, head)) return;
  memcpy(asked, head, sizeof asked);
  if (refusal) {
    peer_say(end, refusal);
    return;
  }
  there = sn_platform_tcp_connect("127.0.0.1", caller_server.port);
  if (sn_platform_tcp_wait(there, CALLER_MS) == SEEN_OK) {
    peer_say(end, "HTTP/1.1 200 Connection est");
    peer_say(end, "ablished\r\nVia: here\r\n\r");
    peer_say(end, "\n");
    peer_relay(end, (int)there);
  }
  sn_platform_tcp_close(there);
}

static void begin_proxied(peer **proxy, const char *user) {
  seen_net_options options;
  char url[100];
  *proxy = peer_start(dig, NULL);
  seen_net_options_init(&options);
  snprintf(url, sizeof url, "http://%s127.0.0.1:%u", user,
           (unsigned)peer_port(*proxy));
  options.proxy = url;
  /* Known to the proxy alone. */
  caller_open(&self, "http", "behind.test", 8420, &options);
}

static void test_fault__a_proxy_digs_a_tunnel(void **state) {
  peer *proxy;
  (void)state;
  refusal = NULL;
  begin_proxied(&proxy, "me:pa%3ass@");
  caller_dial_open(&self, 1, caller_token);
  say_hello(1);
  assert_int_equal(strncmp(asked, "CONNECT behind.test:8420 HTTP/1.1\r\n", 35),
                   0);
  assert_non_null(strstr(asked, "Host: behind.test:8420\r\n"));
  assert_non_null(strstr(asked, "Proxy-Authorization: Basic bWU6cGE6c3M=\r\n"));
  assert_null(strstr(asked, caller_token)); /* that is for the server */
  caller_request(&self, 2, caller_token, "/im/unread", NULL, CALLER_MS);
  caller_expect_answer(&self, 2, 200, (seen_ended)0);
  assert_int_equal(strncmp(asked, "CONNECT behind.test:8420 ", 25), 0);
  assert_null(strstr(asked, caller_token));
  caller_close(&self);
  peer_stop(proxy);
}

static void test_fault__a_proxy_that_refuses_is_told(void **state) {
  peer *proxy;
  (void)state;
  refusal = "HTTP/1.1 407 Proxy Authentication Required\r\n"
            "Proxy-Authenticate: Basic realm=\"x\"\r\n"
            "Content-Length: 0\r\n\r\n";
  begin_proxied(&proxy, "");
  caller_dial(&self, 1, SEEN_LINK_SOCKET, caller_token, CALLER_MS);
  caller_expect_end(&self, 1, SEEN_ENDED_PROXY, 407);
  caller_request(&self, 2, caller_token, "/im/unread", NULL, CALLER_MS);
  caller_expect_answer(&self, 2, 0, SEEN_ENDED_PROXY);
  assert_int_equal(self.event.code, 407);
  caller_close(&self);
  peer_stop(proxy);
}

static void test_fault__a_proxy_that_is_none_is_told(void **state) {
  peer *proxy;
  (void)state;
  refusal = "SSH-2.0-OpenSSH_9.2\r\n\r\n";
  begin_proxied(&proxy, "");
  caller_dial(&self, 1, SEEN_LINK_SOCKET, caller_token, CALLER_MS);
  caller_expect_end(&self, 1, SEEN_ENDED_PROXY, 0);
  caller_close(&self);
  peer_stop(proxy);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_fault__bytes_one_by_one_are_the_same_bytes),
      cmocka_unit_test(test_fault__late_bytes_are_waited_for),
      cmocka_unit_test(test_fault__cut_it_is_lost),
      cmocka_unit_test(test_fault__reset_it_is_lost),
      cmocka_unit_test(test_fault__a_black_hole_answers_nothing),
      cmocka_unit_test(test_fault__a_half_open_one_answers_nothing),
      cmocka_unit_test(test_fault__one_way_answers_nothing),
      cmocka_unit_test(test_fault__garbage_is_no_websocket),
      cmocka_unit_test(test_fault__a_server_that_is_killed_is_lost),
      cmocka_unit_test(test_fault__a_polled_one_that_is_cut_is_lost),
      cmocka_unit_test(test_fault__closed_at_each_stage_it_ends_once),
      cmocka_unit_test(test_fault__a_connection_that_never_comes_is_given_up),
      cmocka_unit_test(test_fault__a_proxy_digs_a_tunnel),
      cmocka_unit_test(test_fault__a_proxy_that_refuses_is_told),
      cmocka_unit_test(test_fault__a_proxy_that_is_none_is_told),
  };
  return cmocka_run_group_tests(tests, caller_set_up, caller_tear_down);
}
